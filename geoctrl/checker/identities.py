"""Identities of rational functions, by cofactors: what proves that a quantity is conserved.

Functions that are not rational are generators of their own: a square root with its relation y^2 = x, those of
numbers too, sine and cosine of one argument with s^2 + c^2 = 1, the others free. What holds for free
generators holds for the functions. A file gives cofactors q_k with f = sum q_k r_k; both sides are expanded
and compared. Denominators are kept in factors; all of them are nodes that do not vanish at the point.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import reduce
from math import gcd, isqrt, lcm
from typing import Any

from flint import Ordering, fmpq, fmpq_mat, fmpq_mpoly_ctx

from geoctrl.checker.jets import FUNCTIONS, Jet, evaluate
from geoctrl.checker.limits import Refusal, require, spend
from geoctrl.checker.numbers import REST, ROOTS, Surd

FEW, LONG, GENERATORS = 64, 2_000_000_000, 512
"""Terms of a product from which on its bits are counted; these bits, and generators, at most."""
PARTNERS = {"sin": "cos", "cos": "sin"}


class Ratio:
    """A rational function: numerator, and exponents of the factors of the denominator by their numbers."""

    __neg__, __sub__, __rsub__, __truediv__, __radd__, __rmul__ = REST

    def __init__(self, field: Any, top: Any, below: Counter[int]) -> None:
        self.field, self.top, self.below = field, top, below if top else Counter[int]()

    def __add__(self, value: Any) -> Ratio:
        other = self.field.number(value)
        common = self.below | other.below
        tops = [self.field.multiple(r.top, common - r.below) for r in (self, other)]
        return Ratio(self.field, tops[0] + tops[1], common)

    def __mul__(self, value: Any) -> Ratio:
        other = self.field.number(value)
        return Ratio(self.field, self.field.product(self.top, other.top), self.below + other.below)

    def __rtruediv__(self, value: Any) -> Ratio:
        require(self.top, "division by zero in an identity")
        F, lead = self.field, self.top.leading_coefficient()
        below = Counter([] if self.top.is_constant() else [F.factor(self.top / lead)])
        return F.number(value) * Ratio(F, F.multiple(F.constant(1 / lead), self.below), below)

    def __eq__(self, value: object) -> bool:
        return not (self - value).top


class Functions:
    """Rational functions in variables and generators: an arithmetic for jets along the motion.

    Parameters
    ----------
    variables : int
    table : list
        The nodes that functions are made of.
    sign : callable
        The sign of the switch at a place of the table, at the point.

    Attributes
    ----------
    relations : dict of place -> Ratio
        What vanishes, by the place of the root, sine or cosine; that of the k-th root of numbers at -k.
    """

    order, terms, power = 1, 100_000, 120
    """Of jets; terms and degree of a product, at most."""

    def __init__(self, variables: int, table: Sequence[tuple], sign: Callable[[int, Any], int]) -> None:
        # For each function itself and its partner, roots of numbers, and one that is never used.
        generators = 2 * sum(node[0] == "fun" for node in table) + ROOTS + 1
        if generators > GENERATORS:
            raise Refusal("too many functions occur", "problem.nodes")
        ring = fmpq_mpoly_ctx.get([("x", variables + generators)], Ordering.lex)
        self.constant, self.gens, self.sign = ring.constant, ring.gens(), sign
        self.variables = [Ratio(self, x, Counter()) for x in self.gens[:variables]]
        self.generators: dict[tuple[str, ...], Ratio] = {}
        self.relations: dict[int | None, Ratio] = {}
        self.factors: list[Any] = []

    def product(self, a: Any, b: Any) -> Any:
        """A product of polynomials, refused where it grows too large."""
        spend()
        size, degree = len(a) * len(b), a.total_degree() + b.total_degree()
        many = size > self.terms or (size > FEW and size * (length(a) + length(b)) > LONG)
        if many or degree > self.power:
            raise Refusal("an identity is too large, or of too high a degree, to be checked")
        return a * b

    def multiple(self, top: Any, exponents: Counter[int]) -> Any:
        """A polynomial times powers of factors."""
        return reduce(self.product, (self.factors[k] for k in exponents.elements()), top)

    def factor(self, polynomial: Any) -> int:
        """The number of a factor of denominators."""
        self.factors += [polynomial] * (polynomial not in self.factors)
        return self.factors.index(polynomial)

    def count(self, jet: Jet) -> Jet:
        """The jet as it is, counted."""
        spend(
            sum(
                len(x.top) * (2 + len(self.gens) // 8 + x.top.leading_coefficient().height_bits() // 32)
                for x in jet.terms.values()
                if x.top
            )
        )
        return jet

    def number(self, q: Any) -> Ratio:
        """A constant, of which roots are generators; what is a function is one."""
        if isinstance(q, Ratio):
            return q
        if not isinstance(q, Surd):
            return Ratio(self, self.constant(fmpq(q)), Counter())
        turn, radicand = q.root
        root = self.generator(f"r{turn}")
        self.relations[-1 - turn] = root * root - radicand
        return root * q.b + q.a

    def function(self, name: str, place: int | None, *x: Ratio) -> Ratio:
        """The generator that stands for a function, or its value where that is plain."""
        if x[-1] == FUNCTIONS[name][0]:
            return self.number(FUNCTIONS[name][1])
        if name == "sqrt" and (factor := _square_before(x[0].top)) != 1:  # one for roots that are multiples
            return self.function(name, place, x[0] * (1 / factor**2)) * factor
        y = self.generator(name, *x)
        if name == "sqrt":
            self.relations[place] = y * y - x[0]
        if name in PARTNERS:
            other = self.generator(PARTNERS[name], *x)
            self.relations[place] = y * y + other * other - 1
        return y

    def generator(self, name: str, *arguments: Ratio) -> Ratio:
        """That of a function of arguments, or of a root of numbers."""
        key = (name, *(f"{x.top} / {sorted(x.below.items())}" for x in arguments))
        unused = self.gens[len(self.variables) + len(self.generators)]
        return self.generators.setdefault(key, Ratio(self, unused, Counter()))


class Along:
    """Nodes of a table as rational functions, of which no divisor vanishes at the point.

    Parameters
    ----------
    table : list
    functions : Functions
    known : dict of place -> Jet
        What symbols are.
    jets : callable
        Values of nodes at the point.
    """

    def __init__(
        self,
        table: Sequence[tuple],
        functions: Functions,
        known: dict[int, Jet],
        jets: Callable[[Sequence[int]], Any],
    ) -> None:
        self._table, self.functions, self.known, self._jets = table, functions, known, jets

    def jets(self, nodes: Sequence[int]) -> list[Jet]:
        """Functions with their derivatives."""
        self._jets(nodes)
        return evaluate(self._table, nodes, self.known, self.functions)

    def ratios(self, nodes: Sequence[int]) -> list[Ratio]:
        """Functions."""
        return [jet.value for jet in self.jets(nodes)]

    def combination(self, rows: Iterable[tuple[str | int, int]], leaf: Mapping[str, int]) -> Ratio:
        """sum q r of relations r: those of the leaf by their names, those of functions by their places."""
        terms = (self.ratios([place])[0] * self._vanishing(relation, leaf) for relation, place in rows)
        return sum(terms, self.functions.number(0))

    def _vanishing(self, relation: str | int, leaf: Mapping[str, int]) -> Ratio:
        if isinstance(relation, str):
            return self.ratios([leaf[relation]])[0]
        self.ratios([relation] if relation >= 0 else [])  # by which its relation becomes known
        return self.functions.relations[relation]


def length(p: Any) -> int:
    """Length of the numerators and the denominator of a polynomial over one denominator, at most."""
    numbers = p.coeffs()
    _, denominator = fmpq_mat(1, len(numbers), numbers).numer_denom()
    return int(denominator).bit_length() + max(c.height_bits() for c in numbers)


def _square_before(polynomial: Any) -> fmpq:
    """The root of the content of a polynomial, where that is the square of a rational; else one."""
    p, q = gcd(*(int(c.p) for c in polynomial.coeffs())), lcm(*(int(c.q) for c in polynomial.coeffs()))
    return fmpq(isqrt(p), isqrt(q)) if (isqrt(p) ** 2, isqrt(q) ** 2) == (p, q) else fmpq(1)
