"""Coefficients and minors of characteristic polynomials as formulas of what is shorter.

Multiplied out in the axes a minor has long numbers; the checker has the coefficients, and multiplies. It
cancels nothing: a formula serves where its numerator over the common denominator is that in lowest terms, but
for factors of which the signs are plain, or asked for in any case, as those of what is divided by.

Where a block commutes with a rotation of pairs of states, it is a matrix of half the size over the complex
numbers, and its polynomial is P^2 + Q^2 with the real and imaginary parts P, Q of that of the matrix.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from functools import cache, reduce
from operator import mul
from types import SimpleNamespace
from typing import Any

from flint import Ordering, fmpq_mpoly_ctx

from geoctrl.analysis.maps.map_quotients import MapQuotient, Quotients, characteristic
from geoctrl.checker.maps.charts import hermite, hurwitz, leading_minors

TERM = 60
"""Letters of a term of a formula in a file, about."""
Powers = Counter[int]


@cache
def formulas_of(kind: str, degree: int) -> tuple[Any, ...]:
    """The minors as polynomials in as many coefficients as there are."""
    ring: Any = fmpq_mpoly_ctx.get([("c", degree)], Ordering.lex)
    matrix: Any = {"hermite": hermite, "hurwitz": hurwitz}[kind]
    return tuple(leading_minors(matrix(ring.gens(), ring.constant(0)), degree))


@cache
def formulas_of_parts(degree: int) -> tuple[Any, ...]:
    """Coefficients of P^2 + Q^2, but for the leading one, as polynomials in those of P and of Q."""
    ring: Any = fmpq_mpoly_ctx.get([("c", 2 * degree)], Ordering.lex)
    P = [ring.constant(1), *ring.gens()[:degree]]
    Q = [ring.constant(0), *ring.gens()[degree:]]
    n = range(degree + 1)
    return tuple(
        sum((R[i] * R[k - i] for R in (P, Q) for i in n if k - i in n), ring.constant(0))
        for k in range(1, 2 * degree + 1)
    )


class Complex:
    """A complex number with parts that are quotients."""

    __slots__ = ("im", "re")

    def __init__(self, re: MapQuotient, im: MapQuotient) -> None:
        self.re, self.im = re, im

    def __bool__(self) -> bool:
        return bool(self.re) or bool(self.im)

    def __add__(self, other: Complex) -> Complex:
        return Complex(self.re + other.re, self.im + other.im)

    def __mul__(self, other: Any) -> Complex:
        if not isinstance(other, Complex):
            return Complex(self.re * other, self.im * other)
        return Complex(self.re * other.re - self.im * other.im, self.re * other.im + self.im * other.re)


def parts_of_polynomial(field: Quotients, A: Sequence[Sequence[MapQuotient]]) -> list[MapQuotient] | None:
    """Coefficients of P, then of Q, but for leading ones; None of a block that does not commute with a
    rotation of each of its states of even place with the next.
    """
    even = range(0, len(A), 2)
    if len(A) % 2 or any(A[i][j] - A[i + 1][j + 1] or A[i][j + 1] + A[i + 1][j] for i in even for j in even):
        return None
    numbers: Any = SimpleNamespace(zero=Complex(field.zero, field.zero), one=Complex(field.one, field.zero))
    half: Any = [[Complex(A[i][j], A[i + 1][j]) for j in even] for i in even]
    found: Any = characteristic(numbers, half)[1:]
    return [*(c.re for c in found), *(c.im for c in found)]


def open_factors(polynomial: Any, positive: Collection[int]) -> list[Any]:
    """Factors, as often as they occur, but for those that are positive or negative at sight.

    Where some variables are positive, a sum of terms of one sign in these has a sign that is seen on every
    cell on which that of the other factors is.
    """
    found = [factor for factor, e in polynomial.factor()[1] for _ in range(int(e))]
    return [factor for factor in found if not has_plain_sign(factor, positive)]


def has_plain_sign(polynomial: Any, positive: Collection[int]) -> bool:
    """Whether all terms have one sign, in positive variables."""
    used = {k for k, e in enumerate(polynomial.degrees()) if e}
    return used <= {*positive} and len({c > 0 for c in polynomial.coeffs()}) == 1


class Formulas:
    """Functions as formulas of others.

    Parameters
    ----------
    field : Quotients
    parts : sequence of MapQuotient
        Those that formulas are of.
    positive : set of int
        Numbers of the variables that are positive.
    """

    def __init__(self, field: Quotients, parts: Sequence[MapQuotient], positive: set[int]) -> None:
        self._field, self._positive = field, positive
        self._factors: list[Any] = []
        self._parts = [(c.top, self._powers(c.below)) for c in parts]

    def are_shorter(self, formulas: Sequence[Any], wanted: Sequence[MapQuotient]) -> bool:
        """Whether formulas, with what they are of, are the shorter way to write functions."""
        own = sum(len(str(top)) for top, _ in self._parts) + TERM * sum(map(len, formulas))
        return own < sum(len(str(q.top)) for q in wanted) and all(map(self._is_same, formulas, wanted))

    def is_shorter(self, formula: Any, wanted: MapQuotient) -> bool:
        """Whether a formula is the shorter way to write a function, without further factors of open sign."""
        return TERM * len(formula) < len(str(wanted.top)) and self._is_same(formula, wanted)

    def _is_same(self, formula: Any, wanted: MapQuotient) -> bool:
        """Whether a formula has the numerator in lowest terms, but for factors of plain sign and divisors."""
        numerator = self._numerator(formula)
        if not wanted:
            return not numerator
        found = open_factors(wanted.top, self._positive)
        if len(found) > 1 and not self._is_rational(wanted.top):
            return False
        quotient, rest = divmod(numerator, reduce(mul, found, self._field.ring.constant(1)))
        return not rest and all(
            factor / factor.leading_coefficient() in self._factors
            for factor in open_factors(quotient, self._positive)
        )

    def _is_rational(self, polynomial: Any) -> bool:
        """Whether no generator occurs in it.

        Coefficients of Bernstein of a product are sums of products of those of its factors, with positive
        numbers: where each factor is seen to have a sign on a cell, so is the product. Not so where squares
        of generators are put in.
        """
        return not any(polynomial.degrees()[len(self._field.names) :])

    def _powers(self, polynomial: Any) -> Powers:
        """Powers of the factors of a denominator."""
        found: Powers = Counter()
        for factor, exponent in polynomial.factor()[1]:
            factor = factor / factor.leading_coefficient()
            self._factors += [factor] * (factor not in self._factors)
            found[self._factors.index(factor)] = int(exponent)
        return found

    def _numerator(self, formula: Any) -> Any:
        """That over the common denominator of all terms."""
        field, terms = self._field, list(formula.to_dict().items())
        belows = [
            sum(
                (Counter({k: n * int(e) for k, n in below.items()}) for e, (_, below) in self._parts_of(row)),
                Counter(),
            )
            for row, _ in terms
        ]
        common: Powers = reduce(lambda a, b: a | b, belows)
        total = field.ring.constant(0)
        for (row, number), below in zip(terms, belows, strict=True):
            parts = [top for e, (top, _) in self._parts_of(row) for _ in range(int(e))]
            parts += [self._factors[k] for k in (common - below).elements()]
            total += field.without_squares(reduce(field.times, parts, field.ring.constant(number)))
        return total

    def _parts_of(self, row: Sequence[int]) -> list[tuple[int, tuple[Any, Powers]]]:
        return [(e, part) for e, part in zip(row, self._parts, strict=True) if e]
