"""Identities of rational functions, modulo relations: what proves that a quantity is conserved.

Functions that are not rational are generators of their own: a square root with its relation y^2 = x, sine and
cosine of one argument with s^2 + c^2 = 1, the others free. What holds for free generators holds for the
functions. Denominators are kept in factors; all of them are nodes that do not vanish at the point, so that
a numerator in the ideal of the relations proves that the function vanishes near the point on the leaf.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from math import comb, gcd, isqrt, lcm
from typing import Any

from flint import Ordering, fmpq, fmpq_mpoly_ctx, fmpz

from geoctrl.decisions.arithmetic.tower import Number, Surd
from geoctrl.decisions.functions.derivatives import Jet, reachable
from geoctrl.decisions.reading.clock import require_time
from geoctrl.decisions.reading.problem_reader import Refusal

TERMS, WORK, DEGREE = 100_000, 50_000_000, 120
"""Terms of a polynomial, products of terms in one check, and degree from which an identity is too large."""
GENERATORS, SHORT, LONG = 512, 64, 2_000_000_000
"""Functions of an identity, at most; terms of a small product; bits of a polynomial, at most."""
HELD = 60_000_000
"""Words of all polynomials that are kept for nodes, at most."""


PLAIN = {
    ("sin", "0"): 0,
    ("cos", "0"): 1,
    ("atan", "0"): 0,
    ("exp", "0"): 1,
    ("log", "1"): 0,
    ("sqrt", "1"): 1,
}
"""Values of functions at numbers that need no generator."""


def length(p: Any) -> int:
    """Length of the numerators and the denominator of a polynomial over one denominator, at most.

    That of a sum is at most the length of both summands and one, that of a product the length of both factors
    and of the number of terms of one.
    """
    numbers = p.coeffs()
    below = reduce(fmpz.lcm, (c.q for c in numbers), fmpz(1)).bit_length()
    return max([below, *(below + 1 + c.p.bit_length() - c.q.bit_length() for c in numbers)])


def require_short(a: Any, b: Any, bits: int | None = None) -> None:
    """Refuse a product of polynomials with coefficients that would be too long.

    The length of both together is counted where it is not given, and what products of a few terms each do is
    left to time and degree.
    """
    size = len(a) * len(b)
    if bits is None and (size >= SHORT or 1 in (len(a), len(b))):
        bits = length(a) + length(b)
    if size * (bits or 0) > LONG:
        raise Refusal("the numbers of an identity are too long to be checked")


def generators_of(table: list[tuple]) -> int:
    """How many generators stand for the functions of a table: sine and cosine of one argument have two, and
    so have arctangents, with the length that they may need; the same function of the same is one.
    """
    classes: dict[tuple, int] = {}
    found: dict[int, int] = {}
    functions: dict[tuple, int] = {}
    for i in reachable(table, [i for i, node in enumerate(table) if node[0] == "fun"]):
        kind, *parts = table[i]
        if kind == "fun":
            name, arguments = parts[0], tuple(found[j] for j in parts[1])
            functions[("angle" if name in ("sin", "cos") else name, *arguments)] = 1 + (
                name in ("sin", "cos", "atan")
            )
            key: tuple = (kind, name, arguments)
        elif kind == "prod":
            key = (kind, str(parts[0]), tuple((found[j], e) for j, e in parts[1]))
        elif kind == "sum":
            key = (kind, tuple((found[j], found[k]) for j, k in parts[0]))
        else:
            key = (kind, *map(str, parts))
        found[i] = classes.setdefault(key, len(classes))
    return sum(count for (name, *_), count in functions.items() if name != "select")


class Ratio:
    """A rational function: numerator, and exponents of the factors of the denominator.

    The length of the numerator is at most what those that it is made of allow; where a product would be too
    long, it is counted.
    """

    __slots__ = ("below", "bits", "field", "top")

    def __init__(self, field: Functions, top: Any, below: dict[int, int], bits: int) -> None:
        self.field, self.top, self.below, self.bits = field, top, below if top else {}, bits

    def __bool__(self) -> bool:
        return bool(self.top)

    def _other(self, value: Any) -> Ratio:
        return value if isinstance(value, Ratio) else self.field.number(fmpq(value))

    def __add__(self, value: Any) -> Ratio:
        other = self._other(value)
        if self.below == other.below:
            return Ratio(self.field, self.top + other.top, self.below, self.bits + other.bits + 1)
        common = {k: max(self.below.get(k, 0), other.below.get(k, 0)) for k in self.below | other.below}
        a, b = (
            r.field.scaled(r, {k: e - r.below.get(k, 0) for k, e in common.items()}) for r in (self, other)
        )
        return Ratio(self.field, a.top + b.top, common, a.bits + b.bits + 1)

    def __mul__(self, value: Any) -> Ratio:
        other = self._other(value)
        below = {k: self.below.get(k, 0) + other.below.get(k, 0) for k in self.below | other.below}
        size = len(self.top) * len(other.top)
        if size * (self.bits + other.bits) > LONG:
            self.bits, other.bits = length(self.top), length(other.top)
        top = self.field.product(self.top, other.top, self.bits + other.bits)
        return Ratio(self.field, top, below, self.bits + other.bits + size.bit_length())

    def __rtruediv__(self, value: Any) -> Ratio:
        if not self.top:
            raise Refusal("division by zero in an identity")
        lead = self.top.leading_coefficient()
        inverse = self.field.scaled(self.field.number(1 / lead), self.below)
        if not self.top.is_constant():
            inverse.below = {self.field.factor(Ratio(self.field, self.top / lead, {}, self.bits)): 1}
        return self._other(value) * inverse

    def __neg__(self) -> Ratio:
        return Ratio(self.field, -self.top, self.below, self.bits)

    def __sub__(self, value: Any) -> Ratio:
        return self + -self._other(value)

    def __rsub__(self, value: Any) -> Ratio:
        return self._other(value) + -self

    __radd__, __rmul__ = __add__, __mul__

    def __str__(self) -> str:
        return f"{self.top} / {self.below}"


class Functions:
    """Rational functions in named variables and generators: an arithmetic for jets.

    Parameters
    ----------
    variables : number of them
    functions : largest number of generators that will stand for functions, see `generators_of`
    sign : of the switch at a place of the table, at the point
    deadline : time at which to give up

    Attributes
    ----------
    gens : list
        Generators of the ring, those of functions first.
    made : dict of int -> (str, tuple of Ratio)
        By their numbers, what those of functions stand for: the name and the arguments.
    """

    def __init__(
        self, variables: int, functions: int, sign: Callable[[int, Any], int], deadline: float
    ) -> None:
        if functions > GENERATORS:
            raise Refusal(f"more than {GENERATORS} functions occur", "problem.nodes")
        spare = [f"y{i}" for i in range(functions)]
        self._ring = fmpq_mpoly_ctx.get([*spare, *(f"x{i}" for i in range(variables))], Ordering.lex)
        self.gens = self._ring.gens()  # those of functions first
        self._spare = list(self.gens[: len(spare)])
        self.variables = [Ratio(self, x, {}, 1) for x in self.gens[len(spare) :]]
        self.factors: list[Ratio] = []
        self._generators: dict[tuple, Ratio] = {}
        self.made: dict[int, tuple[str, tuple[Ratio, ...]]] = {}
        self._deadline, self.largest = deadline, TERMS
        self.sign = sign
        self._work = self._held = 0
        # Of a term: its coefficient, and exponents of one byte.
        self._words = 2 + (functions + variables + 7) // 8
        self.relations: list[Any] = []

    # -- polynomials ----------------------------------------------------------------------------

    def product(self, a: Any, b: Any, bits: int | None = None) -> Any:
        """A product, refused where it grows too large; the lengths of both together are counted or given."""
        require_time(self._deadline)
        size = len(a) * len(b)
        self._work += size
        if size > self.largest or self._work > WORK:
            raise Refusal("an identity is too large to be checked")
        require_short(a, b, bits)
        c = a * b
        if size > 1 and c and c.total_degree() > DEGREE:
            raise Refusal("an identity is of too high a degree to be checked")
        return c

    def scaled(self, ratio: Ratio, exponents: dict[int, int]) -> Ratio:
        """A numerator times powers of factors."""
        found = Ratio(self, ratio.top, {}, ratio.bits)
        for k, e in exponents.items():
            for _ in range(e):
                found = found * self.factors[k]
        return found

    def factor(self, polynomial: Ratio) -> int:
        """The number of a factor of denominators."""
        if all(known.top != polynomial.top for known in self.factors):
            self.factors.append(polynomial)
        return next(k for k, known in enumerate(self.factors) if known.top == polynomial.top)

    def require_relation(self, ratio: Ratio) -> None:
        """Add a function that vanishes to the relations."""
        if ratio.top.is_constant() and ratio.top:
            raise Refusal("a relation holds nowhere")
        if ratio.top and ratio.top not in self.relations:
            self.relations.append(ratio.top)

    def remainder(self, ratio: Ratio) -> Any:
        """What division by the relations leaves of a numerator; zero proves that the function vanishes.

        What one order of the relations leaves another may take away: the rate of a closed loop is the row
        that holds it, of which division by the loop itself leaves something else.
        """
        return self.divided(ratio.top) and self._divided(ratio.top, self.relations[::-1])

    def divided(self, top: Any) -> Any:
        """What division by the relations in their order leaves."""
        return self._divided(top, self.relations)

    def _divided(self, rest: Any, relations: list[Any]) -> Any:
        before = None
        while rest and rest != before:
            before = rest
            for relation in relations:
                rest = self.rest(rest, relation)
        return rest

    def rest(self, top: Any, relation: Any) -> Any:
        """What division by one relation leaves, refused where it may grow too large."""
        require_time(self._deadline)
        degrees = zip(top.degrees(), relation.monomial(0), strict=True)
        times = max(0, min((int(d) // int(e) for d, e in degrees if e), default=0))
        # A division may replace the leading term so often by the others, in every order.
        if comb(times + len(relation), times) * len(top) > 100 * self.largest:
            raise Refusal("an identity is too large to be checked")
        quotient, rest = divmod(top, relation)
        self._work += (len(quotient) + 1) * len(relation)
        if len(rest) > self.largest or self._work > WORK or (quotient and length(rest) * len(rest) > LONG):
            raise Refusal("an identity is too large to be checked")
        return rest

    # -- the arithmetic of jets -----------------------------------------------------------------

    def settled(self, jet: Jet) -> Jet:
        """The jet as it is, in time, refused where too much is kept; products watch their own sizes."""
        require_time(self._deadline)
        self._held += self._words * sum(len(x.top) for x in (jet.value, *jet.first.values()))
        if self._held > HELD:
            raise Refusal("the polynomials of all identities are too large to be checked")
        return jet

    def number(self, q: Number) -> Ratio:
        """A constant; its roots are generators like others."""
        if isinstance(q, Surd):
            return self.number(q.a) + self.number(q.b) * self.function("sqrt", self.number(q.root.radicand))
        return Ratio(self, self._ring.constant(q), {}, q.height_bits())

    def function(self, name: str, x: Ratio) -> Ratio:
        """The generator that stands for a function of x, or its value where that is plain."""
        if not x.below and x.top.is_constant() and (value := PLAIN.get((name, str(x.top)))) is not None:
            return self.number(fmpq(value))
        if name == "sqrt" and (factor := _square_before(x.top)) != 1:
            # One generator for roots that are multiples of each other.
            return self.function(name, x * (1 / factor**2)) * factor
        y = self._generator(name, x)
        if name == "sqrt":
            self.require_relation(y * y - x)
        elif name in ("sin", "cos"):
            z = self._generator("cos" if name == "sin" else "sin", x)
            self.require_relation(y * y + z * z - 1)
        return y

    def quadrature(self, a: Ratio, b: Ratio, s: Ratio) -> Ratio:
        """The generator that stands for int_0^s dt/(a t^2 + b)."""
        return self._generator("quadrature", a, b, s)

    def _generator(self, name: str, *arguments: Ratio) -> Ratio:
        key = (name, *map(str, arguments))
        if key not in self._generators:
            if not self._spare:
                raise Refusal("too many functions in an identity")
            self._generators[key] = Ratio(self, self._spare.pop(), {}, 1)
            self.made[len(self._spare)] = name, arguments
        return self._generators[key]


def _square_before(polynomial: Any) -> fmpq:
    """The root of the content of a polynomial, where that is the square of a rational; else one."""
    coefficients = polynomial.coeffs()
    p, q = gcd(*(int(c.p) for c in coefficients)), lcm(*(int(c.q) for c in coefficients))
    roots = isqrt(p), isqrt(q)
    return fmpq(*roots) if p and (roots[0] ** 2, roots[1] ** 2) == (p, q) else fmpq(1)
