r"""Power series in one or two variables, truncated, as an arithmetic for jets; and implicit functions in
them.

What the equations :math:`G(X, z) = 0` say of X near a regular point is found term by term: with the matrix
:math:`M = \partial G/\partial X` there, each step :math:`X - M^{-1} G` is right in one power of z more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from flint import Ordering, fmpq, fmpq_mpoly_ctx

from geoctrl.decisions.arithmetic.eliminations import Rows, solver
from geoctrl.decisions.arithmetic.tower import Number
from geoctrl.decisions.functions.ball_jets import Balls
from geoctrl.decisions.functions.derivatives import BITS, NotExact, Numbers
from geoctrl.decisions.reading.clock import require_time
from geoctrl.decisions.reading.problem_reader import Refusal


class Series:
    """A polynomial in z without its powers above those that are kept."""

    __slots__ = ("ring", "terms")

    def __init__(self, ring: PowerSeries, terms: Any) -> None:
        self.ring, self.terms = ring, terms

    def __bool__(self) -> bool:
        return bool(self.terms)

    def _other(self, value: Any) -> Series:
        return value if isinstance(value, Series) else self.ring.number(fmpq(value))

    def __add__(self, value: Any) -> Series:
        return Series(self.ring, self.terms + self._other(value).terms)

    def __mul__(self, value: Any) -> Series:
        if not isinstance(value, Series):
            return Series(self.ring, self.terms * fmpq(value))
        if not self.terms or not value.terms:
            return Series(self.ring, self.ring.zero)
        return self.ring.cut(self.terms * value.terms)

    def __neg__(self) -> Series:
        return Series(self.ring, -self.terms)

    def __sub__(self, value: Any) -> Series:
        return self + -self._other(value)

    def __rsub__(self, value: Any) -> Series:
        return self._other(value) + -self

    def __rtruediv__(self, value: Any) -> Series:
        if not (lead := self.constant):
            raise Refusal("division by zero in a series")
        small, power, total = self * (1 / lead) - 1, self._other(1), self._other(0)
        for _ in range(self.ring.order + 1):
            total, power = total + power, power * -small
        return self._other(value) * total * (1 / lead)

    __radd__, __rmul__ = __add__, __mul__

    @property
    def constant(self) -> fmpq:
        """Its value where z is zero."""
        return sum((c for exponents, c in self.terms.terms() if not any(exponents)), fmpq(0))

    def coefficients(self) -> dict[tuple[int, ...], fmpq]:
        """Those of its powers, by exponents."""
        return {tuple(map(int, exponents)): c for exponents, c in self.terms.terms()}

    def lowest(self) -> tuple[int, list[fmpq]]:
        """The lowest power that occurs, and its coefficients by falling powers of the first variable.

        Power zero and no coefficients where there are none.
        """
        found = self.coefficients()
        if not found:
            return 0, []
        m = min(map(sum, found))
        if self.ring.dimension == 1:
            return m, [found[m,]]
        return m, [found.get((m - j, j), fmpq(0)) for j in range(m + 1)]


class PowerSeries:
    """Series in some variables up to some power: an arithmetic for `derivatives.evaluate`."""

    def __init__(self, dimension: int, order: int, numbers: Numbers | Balls) -> None:
        if isinstance(numbers, Balls):
            raise NotExact("series have rational coefficients")
        self.dimension, self.order, self._numbers = dimension, order, numbers
        self._context = fmpq_mpoly_ctx.get([f"z{i}" for i in range(dimension)], Ordering.lex)
        self.zero = self._context.constant(0)
        self.variables = [Series(self, z) for z in self._context.gens()]

    def number(self, q: Number) -> Series:
        """A constant; NotExact unless it is rational."""
        if not isinstance(q, fmpq):
            raise NotExact("series have rational coefficients")
        return Series(self, self._context.constant(q))

    def polynomial(self, coefficients: dict[tuple[int, ...], fmpq]) -> Series:
        """A series from its coefficients by exponents."""
        return Series(self, self._context.from_dict(coefficients))

    def cut(self, polynomial: Any) -> Series:
        """A polynomial without its higher powers."""
        require_time(self._numbers.deadline)
        if polynomial.total_degree() > self.order:
            terms = ((tuple(map(int, e)), c) for e, c in polynomial.terms())
            polynomial = self._context.from_dict({e: c for e, c in terms if sum(e) <= self.order})
        if any(c.height_bits() > BITS for c in polynomial.coeffs()):
            raise Refusal(f"a number of more than {BITS} bits occurs")
        return Series(self, polynomial)

    def settled(self, jet: Any) -> Any:
        """The jet as it is, in time."""
        self._numbers.settled(type(jet)(None))
        return jet

    def sign(self, place: int, x: Series) -> int:
        """The sign of a switch at the point."""
        return self._numbers.sign(place, x.constant)

    def function(self, name: str, x: Series) -> Series:
        """A function by its series at the constant part."""
        value = self._numbers.function(name, x.constant)
        if value is None or (name == "sqrt" and not value):
            raise NotExact(f"{name} has no rational series at the point")
        small = x - x.constant
        if name == "sqrt":
            small = small * (1 / x.constant)
            return self._summed(small, lambda k: fmpq(3 - 2 * k, 2 * k), value)
        if name == "exp":
            return self._summed(small, lambda k: fmpq(1, k), fmpq(1))
        if name in ("sin", "cos"):
            square = small * small * -1
            first = 1 if name == "sin" else 0
            even = self._summed(square, lambda k: fmpq(1, (2 * k + first) * (2 * k + first - 1)), fmpq(1))
            return even * small if first else even
        # log(1 + s) and atan(s) by their derivatives
        square = small * small * -1 if name == "atan" else small * -1
        step = 2 if name == "atan" else 1
        total, power = self.number(fmpq(0)), small
        for k in range(self.order):
            total, power = total + power * fmpq(1, 1 + step * k), power * square
        if name == "atan" and x.constant:
            raise NotExact("atan has no rational series at the point")
        return total

    def _summed(self, small: Series, ratio: Callable[[int], fmpq], first: fmpq) -> Series:
        """first (1 + r_1 s + r_1 r_2 s^2 + ...)."""
        term = total = self.number(first)
        for k in range(1, self.order + 1):
            term = term * small * ratio(k)
            total = total + term
        return total

    def quadrature(self, *_: Series) -> Series:
        """Integrals are not expanded."""
        raise NotExact("an integral is not expanded in a series")


Residual = Callable[[list[Series]], list[Series]]


def implicit(ring: PowerSeries, start: Sequence[Series], M: Rows, residual: Residual) -> list[Series]:
    """X(z) with G(X(z), z) = 0 up to the order that is kept, from what is right at z = 0."""
    *_, X = by_order(ring, start, M, residual)
    require_no_rest(residual(X))
    return X


def require_no_rest(left: Sequence[Series]) -> None:
    """Refuse series that leave something of their equations."""
    if any(left):
        raise Refusal("the equations are not solved by series", "problem")


def by_order(
    ring: PowerSeries, start: Sequence[Series], M: Rows, residual: Residual
) -> Iterator[list[Series]]:
    """What `implicit` finds, right to one power more each time."""
    X, solved = list(start), solver(M)
    for order in range(1, ring.order + 1):
        # Each step makes one more power right, and needs no higher one; the last is that of the ring.
        ring.order = order
        G = [g.coefficients() for g in residual(X)]
        # Where nothing is left, M is asked all the same whether it is singular.
        powers = sorted({exponents for g in G for exponents in g}) or [(0,) * ring.dimension]
        step = solved([[g.get(exponents, fmpq(0)) for exponents in powers] for g in G])
        for i, row in enumerate(step):
            X[i] = X[i] - ring.polynomial(dict(zip(powers, row, strict=True)))
        yield X
