"""Rational functions in lowest terms of a few variables and of functions of them: an arithmetic for jets.

What is not rational is a generator of its own: a root with its square, sine and cosine of one argument with
s^2 = 1 - c^2, the others free. A numerator without terms proves that a function vanishes; one with terms
proves nothing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from time import monotonic
from typing import Any

from flint import Ordering, fmpq, fmpq_mpoly_ctx
from flint.utils.flint_exceptions import DomainError

from geoctrl.decisions.functions.derivatives import Jet
from geoctrl.decisions.functions.identities_by_division import GENERATORS, PLAIN, require_short
from geoctrl.decisions.reading.clock import SECONDS, require_time
from geoctrl.decisions.reading.problem_reader import Refusal

TERMS = 40_000
"""Terms of a polynomial from which it is too large to be checked."""


class MapQuotient:
    """A quotient of polynomials without common factor, the denominator with leading coefficient one."""

    __slots__ = ("below", "field", "top")

    def __init__(self, field: Quotients, top: Any, below: Any) -> None:
        self.field, self.top, self.below = field, top, below

    def __bool__(self) -> bool:
        return bool(self.top)

    @property
    def is_constant(self) -> bool:
        """Whether it is a number."""
        return bool(self.top.is_constant() and self.below.is_constant())

    @property
    def number(self) -> fmpq:
        """The value of a constant."""
        return self.top.leading_coefficient() if self.top else fmpq(0)

    @property
    def size(self) -> int:
        """Number of terms."""
        return len(self.top) + len(self.below)

    def __add__(self, value: Any) -> MapQuotient:
        other, field = self.field.of(value), self.field
        if not self.top or not other.top:
            return other if not self.top else self
        if self.below == other.below:
            return field.quotient(self.top + other.top, self.below)
        top = field.times(self.top, other.below) + field.times(other.top, self.below)
        return field.quotient(top, field.times(self.below, other.below))

    def __mul__(self, value: Any) -> MapQuotient:
        other, field = self.field.of(value), self.field
        if not self.top or not other.top:
            return field.zero
        return field.quotient(field.times(self.top, other.top), field.times(self.below, other.below))

    def __truediv__(self, value: Any) -> MapQuotient:
        other, field = self.field.of(value), self.field
        if not other.top:
            raise Refusal("division by zero in a rational function")
        field.divisors[str(other.top)] = other.top
        return field.quotient(field.times(self.top, other.below), field.times(self.below, other.top))

    def __rtruediv__(self, value: Any) -> MapQuotient:
        """A number divided by this: what the equations divide by is remembered, for it must not vanish."""
        self.field.poles.append(self)
        return self.field.of(value) / self

    def __neg__(self) -> MapQuotient:
        return MapQuotient(self.field, -self.top, self.below)

    def __sub__(self, value: Any) -> MapQuotient:
        return self + -self.field.of(value)

    def __rsub__(self, value: Any) -> MapQuotient:
        return self.field.of(value) + -self

    __radd__, __rmul__ = __add__, __mul__


class Quotients:
    """The field of quotients in some variables and generators.

    Parameters
    ----------
    names : of the variables
    functions : largest number of generators that will stand for functions
    middle : of the region, where the root of a square is positive

    Attributes
    ----------
    variables : list of Quotient
    generators : dict of place -> name of a function and its argument
        In the order in which they came; an argument holds earlier ones alone.
    poles : list of Quotient
        What the equations divide by.
    divisors : dict of text -> polynomial
        All that was divided by.
    positive : list of Quotient
        What stands under a root.
    """

    def __init__(self, names: Sequence[str], functions: int, middle: Sequence[fmpq] = ()) -> None:
        self.names, self._middle, variables = list(names), list(middle), len(names)
        if functions > GENERATORS:
            raise Refusal(f"more than {GENERATORS} functions occur", "problem.nodes")
        symbols = [*(f"x{i}" for i in range(variables)), *(f"y{i}" for i in range(functions))]
        self.ring = fmpq_mpoly_ctx.get(symbols, Ordering.lex)
        self.gens, self.deadline = self.ring.gens(), monotonic() + SECONDS
        self._one = self.ring.constant(1)
        self.zero, self.one = (MapQuotient(self, self.ring.constant(c), self._one) for c in (0, 1))
        self.variables = [MapQuotient(self, x, self._one) for x in self.gens[:variables]]
        self._spare = list(range(variables, len(symbols)))
        self.generators: dict[int, tuple[str, MapQuotient]] = {}
        self._squares: dict[int, Any] = {}
        self._known: dict[tuple[str, str], MapQuotient] = {}
        self.poles: list[MapQuotient] = []
        self.divisors: dict[str, Any] = {}
        self.positive: list[MapQuotient] = []

    def of(self, value: Any) -> MapQuotient:
        """A quotient as it is, or that of a number; refused where a value is not known."""
        if value is None:
            raise Refusal("a value is not rational along the axes")
        return value if isinstance(value, MapQuotient) else self.number(fmpq(value))

    def number(self, q: fmpq) -> MapQuotient:
        """A constant."""
        return MapQuotient(self, self.ring.constant(q), self._one)

    def times(self, a: Any, b: Any) -> Any:
        """A product, refused where it grows too large."""
        require_time(self.deadline)
        require_short(a, b)
        if len(a) * len(b) > 100 * TERMS or len(product := a * b) > TERMS:
            raise Refusal("a rational function is too large to be checked")
        return product

    def quotient(self, top: Any, below: Any) -> MapQuotient:
        """A quotient in lowest terms."""
        top, below = self.without_squares(top), self.without_squares(below)
        if not top:
            return self.zero
        if not below:
            raise Refusal("division by zero in a rational function")
        if not below.is_constant():
            common = top.gcd(below)
            if not common.is_constant():
                top, below = top / common, below / common
        lead = below.leading_coefficient()
        return MapQuotient(self, top / lead, below / lead)

    def without_squares(self, p: Any) -> Any:
        """A polynomial with squares of generators put in, those that came last first."""
        for i in reversed(self._squares):
            if p and p.degrees()[i] > 1:
                parts: dict[int, dict] = {}
                for exponents, c in p.to_dict().items():
                    e = int(exponents[i])
                    parts.setdefault(e // 2, {})[(*exponents[:i], e % 2, *exponents[i + 1 :])] = c
                p = self.ring.constant(0)
                for power, part in parts.items():
                    p = p + self.times(self.ring.from_dict(part), self._squares[i] ** power)
        return p

    # -- the arithmetic of jets -----------------------------------------------------------------

    def solve(self, A: Sequence[Sequence[Any]], right: Sequence[Sequence[Any]]) -> Rows:
        """X of A X = right; the determinant of A is one of the poles."""
        rows, determinant = solved(self, *([[self.of(e) for e in row] for row in M] for M in (A, right)))
        self.poles.append(determinant)
        return rows

    def settled(self, jet: Jet) -> Jet:
        """The jet without derivatives that vanish."""
        second = None if jet.second is None else {k: v for k, v in jet.second.items() if v}
        return replace(jet, first={k: v for k, v in jet.first.items() if v}, second=second)

    def sign(self, _place: int, x: MapQuotient) -> int:
        """The sign of a switch, which must be that of a number."""
        if x.is_constant:
            return (x.number > 0) - (x.number < 0)
        raise Refusal("abs, sign or a choice depends on the axes")

    def quadrature(self, a: MapQuotient, b: MapQuotient, s: MapQuotient) -> MapQuotient | None:
        """int_0^s dt/(a t^2 + b), of which the value is known up to zero alone; the derivative is."""
        if not s:
            return self.zero
        self.positive.append(b * (a * s * s + b))
        return None

    def function(self, name: str, x: MapQuotient) -> MapQuotient:
        """The generator that stands for a function of x, or its value where that is plain."""
        if x.is_constant:
            q = x.number
            if (value := PLAIN.get((name, str(q)))) is not None:
                return self.number(fmpq(value))
            if name == "sqrt" and q > 0 and (root := _root(q)) is not None:
                return self.number(root)
        if name == "sqrt":
            return self._square_root(x)
        if name in ("sin", "cos"):
            if (turned := self._turned(x)) is not None:
                return turned[name == "sin"]
            cosine = self._generator("cos", x)
            return cosine if name == "cos" else self._generator("sin", x, self.one - cosine * cosine)
        if name == "log":
            self.positive.append(x)
        return self._generator(name, x)

    def _turned(self, x: MapQuotient) -> tuple[MapQuotient, MapQuotient] | None:
        """Cosine and sine of a sum of whole multiples of arctangents; None of anything else."""
        if not x.below.is_constant() or x.is_constant:
            return None
        cosine, sine = self.one, self.zero
        for exponents, c in x.top.to_dict().items():
            place = next((k for k, e in enumerate(exponents) if e), -1)
            name, tangent = self.generators.get(place, ("", self.zero))
            if sum(exponents) != 1 or name != "atan" or c.q != 1:
                return None
            square = self.one + tangent * tangent
            a, b = (self.one - tangent * tangent) / square, tangent * (2 if c > 0 else -2) / square
            if int(c.p) % 2:
                length = self.function("sqrt", square)
                once = self.one / length, tangent / length * (1 if c > 0 else -1)
                cosine, sine = cosine * once[0] - sine * once[1], sine * once[0] + cosine * once[1]
            for _ in range(abs(int(c.p)) // 2):
                cosine, sine = cosine * a - sine * b, sine * a + cosine * b
        return cosine, sine

    def _square_root(self, x: MapQuotient) -> MapQuotient:
        """sqrt(p/q) as sqrt(p q)/q, for a positive q."""
        if not x.below.is_constant():
            self.positive.append(MapQuotient(self, x.below, self._one))
        if (root := self._rational_root(x)) is not None:
            self.positive.append(root)
            return root
        radicand = MapQuotient(self, self.without_squares(self.times(x.top, x.below)), self._one)
        self.positive.append(radicand)
        return self._generator("sqrt", radicand, radicand) / MapQuotient(self, x.below, self._one)

    def _rational_root(self, x: MapQuotient) -> MapQuotient | None:
        """The root of a square, with the sign that makes it positive in the middle of the region."""
        used = [p.degrees() for p in (x.top, x.below)]
        if not self._middle or any(d for row in used for d in row[len(self.names) :]):
            return None
        try:
            root = MapQuotient(self, x.top.sqrt(), x.below.sqrt())
        except DomainError:
            return None
        at = dict(enumerate(self._middle))
        a, b = (p.subs(at).leading_coefficient() for p in (root.top, root.below))
        return root if (a > 0) == (b > 0) else -root

    def _generator(self, name: str, x: MapQuotient, square: MapQuotient | None = None) -> MapQuotient:
        key = (name, f"{x.top} / {x.below}")
        if key not in self._known:
            if not self._spare:
                raise Refusal("too many functions in a region")
            place = self._spare.pop(0)
            if square is not None:
                if not square.below.is_constant():
                    raise Refusal("the square of a generator is no polynomial")
                self._squares[place] = square.top
            self.generators[place] = name, x
            self._known[key] = MapQuotient(self, self.gens[place], self._one)
        return self._known[key]


def _root(q: fmpq) -> fmpq | None:
    """The root of a positive rational, where it is one."""
    parts = [math.isqrt(int(n)) for n in (q.p, q.q)]
    root = fmpq(*parts)
    return root if root * root == q else None


Rows = list[list[MapQuotient]]


def solved(field: Quotients, A: Rows, right: Rows) -> tuple[Rows, MapQuotient]:
    """X of A X = right, and the determinant of A; refused where A is singular for all values."""
    n, det = len(A), field.one
    rows = [[*a, *b] for a, b in zip(A, right, strict=True)]
    for j in range(n):
        found = [i for i in range(j, n) if rows[i][j]]
        if not found:
            raise Refusal("a matrix that must be invertible is singular")
        i = min(found, key=lambda i: (not rows[i][j].is_constant, rows[i][j].size))
        if i != j:
            rows[i], rows[j], det = rows[j], rows[i], -det
        pivot = rows[j][j]
        det = det * pivot
        rows[j] = [e / pivot if e else e for e in rows[j]]
        for k in range(n):
            if k != j and (factor := rows[k][j]):
                rows[k] = [a - factor * b if b else a for a, b in zip(rows[k], rows[j], strict=True)]
    return [row[n:] for row in rows], det


def inverse_of_quotients(field: Quotients, A: Rows) -> Rows:
    """The inverse of a matrix; refused where A is singular for all values."""
    n = range(len(A))
    return solved(field, A, [[field.one if i == j else field.zero for j in n] for i in n])[0]


def determinant(field: Quotients, A: Rows) -> MapQuotient:
    """By elimination; zero where it vanishes for all values."""
    rows, det = [list(row) for row in A], field.one
    for j in range(len(rows)):
        found = [i for i in range(j, len(rows)) if rows[i][j]]
        if not found:
            return field.zero
        i = min(found, key=lambda i: (not rows[i][j].is_constant, rows[i][j].size))
        if i != j:
            rows[i], rows[j], det = rows[j], rows[i], -det
        pivot = rows[j][j]
        det = det * pivot
        for k in range(j + 1, len(rows)):
            if factor := rows[k][j]:
                factor = factor / pivot
                rows[k] = [a - factor * b if b else a for a, b in zip(rows[k], rows[j], strict=True)]
    return det


def pivots(rows: Rows) -> list[MapQuotient] | None:
    """Those of elimination in order, all positive where a symmetric matrix is definite; None where one
    vanishes.
    """
    found, left = [], [list(row) for row in rows]
    while left:
        (pivot, *first), *rest = left
        if not pivot:
            return None
        found.append(pivot)
        left = []
        for head, *row in rest:
            factor = head / pivot if head else head
            left.append([a - factor * b if factor and b else a for a, b in zip(row, first, strict=True)])
    return found


def product(field: Quotients, A: Sequence[Sequence[MapQuotient]], B: Sequence[Sequence[MapQuotient]]) -> Rows:
    """A B."""
    columns = list(zip(*B, strict=True))
    return [
        [sum((a * b for a, b in zip(row, column, strict=True) if a and b), field.zero) for column in columns]
        for row in A
    ]


def characteristic(field: Quotients, A: Rows) -> list[MapQuotient]:
    """Coefficients of det(x - A), leading one first (Faddeev, Leverrier)."""
    n, polynomial = len(A), [field.one]
    image = [list(row) for row in A]
    for k in range(1, n + 1):
        c = sum((image[i][i] for i in range(n)), field.zero) * fmpq(-1, k)
        polynomial.append(c)
        if k < n:
            shifted = [[e + c if i == j else e for j, e in enumerate(row)] for i, row in enumerate(image)]
            image = product(field, A, shifted)
    return polynomial


def blocks(A: Rows) -> list[list[int]]:
    """Places of the irreducible diagonal blocks: sets of rows that lead to each other."""
    n = range(len(A))
    reach = [{j for j in n if A[i][j]} | {i} for i in n]
    for k in n:
        for i in n:
            if k in reach[i]:
                reach[i] |= reach[k]
    found: list[list[int]] = []
    for i in n:
        if not any(i in block for block in found):
            found.append([j for j in n if j in reach[i] and i in reach[j]])
    return found


def hurwitz(field: Quotients, p: Sequence[MapQuotient]) -> list[MapQuotient]:
    """Hurwitz determinants of a polynomial with leading coefficient one: all positive where its roots lie
    to the left of the axis, none negative where none lies to the right.
    """
    n = len(p) - 1
    H = [[p[2 * j - i + 1] if 0 <= 2 * j - i + 1 <= n else field.zero for j in range(n)] for i in range(n)]
    return [determinant(field, [row[:k] for row in H[:k]]) for k in range(1, n + 1)]


def hermite(field: Quotients, q: Sequence[MapQuotient]) -> list[MapQuotient]:
    """Leading minors of the sums of powers of a polynomial's roots, leading coefficient one: all positive
    where its roots are real and distinct, none negative where they are real.
    """
    n = len(q) - 1
    sums = [field.number(fmpq(n))]
    for k in range(1, 2 * n - 1):
        terms = (q[i] * sums[k - i] for i in range(1, min(k, n + 1)))
        total = sum(terms, field.zero) + (q[k] * fmpq(k) if k <= n else field.zero)
        sums.append(-total)
    return [determinant(field, [sums[i : i + k] for i in range(k)]) for k in range(1, n + 1)]


__all__ = [
    "MapQuotient",
    "Quotients",
    "blocks",
    "characteristic",
    "determinant",
    "hermite",
    "hurwitz",
    "inverse_of_quotients",
    "pivots",
    "product",
    "solved",
]
