"""Minors of a characteristic polynomial as formulas of its coefficients.

Multiplied out in the axes a minor has long numbers; the checker has the coefficients, and multiplies. It
cancels nothing: a formula serves where its numerator over the common denominator is that in lowest terms, but
for factors of which the signs are plain.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from functools import cache, reduce
from typing import Any

from flint import Ordering, fmpq_mpoly_ctx

from geoctrl.analysis.maps.map_quotients import MapQuotient, Quotients
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
    """Minors as formulas of coefficients.

    Parameters
    ----------
    field : Quotients
    coefficients : sequence of MapQuotient
        Those that the minors are of.
    positive : set of int
        Numbers of the variables that are positive.
    """

    def __init__(self, field: Quotients, coefficients: Sequence[MapQuotient], positive: set[int]) -> None:
        self._field, self._positive = field, positive
        self._factors: list[Any] = []
        self._parts = [(c.top, self._powers(c.below)) for c in coefficients]

    def is_shorter(self, formula: Any, minor: MapQuotient) -> bool:
        """Whether a formula is the shorter way to write a minor, with no further factor of unknown sign."""
        if minor.is_constant or TERM * len(formula) > len(str(minor.top)):
            return False
        one, *further = [*open_factors(minor.top, self._positive), self._field.ring.constant(1)]
        if len(further) > 1:
            return False
        quotient, rest = divmod(self._numerator(formula), one)
        return not rest and has_plain_sign(quotient, self._positive)

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
