"""Functions of axes as nodes of a table: products of factors, in units that make numbers short."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from flint import fmpq

from geoctrl.analysis.maps.map_quotients import MapQuotient
from geoctrl.analysis.question.appended_rows import Appended

__all__ = ["AxesWriter"]

UNIT, WORTH = 16, 400
"""Bits of the smallest unit that a variable is written in, and those that it has to save in the first
polynomial."""


class AxesWriter:
    """Writes functions of the axes as nodes, numerators and denominators in factors.

    Parameters
    ----------
    table : Appended
    places : dict of number of a variable -> place
    generator : callable
        Name of the function that a further generator stands for, and its argument.
    """

    def __init__(
        self, table: Appended, places: dict[int, int], generator: Callable[[int], tuple[str, Any]]
    ) -> None:
        self._table, self._places, self._generator = table, dict(places), generator
        self._units: dict[int, tuple[int, int]] = {}

    def __call__(self, q: Any) -> int:
        """The place of a function, of the search or of the checker."""
        if isinstance(q, MapQuotient):
            below = [(q.below, 1)]
        else:
            below = [(q.field.factors[k], e) for k, e in q.below.items()]
        return self.product(q.top, below)

    def product(self, top: Any, below: Sequence[tuple[Any, int]] = ()) -> int:
        """The place of a polynomial, by powers of others, in factors."""
        if not top:
            return self._table.number(fmpq(0))
        number, powers = fmpq(1), dict[int, int]()
        for p, exponent in [(top, 1), *((p, -e) for p, e in below)]:
            c, factors = p.factor()
            number *= fmpq(c) ** exponent
            for factor, e in factors:
                place = self._polynomial(factor)
                powers[place] = powers.get(place, 0) + int(e) * exponent
        if not powers:
            return self._table.number(number)
        if number == 1 and [*powers.values()] == [1]:
            return next(iter(powers))
        return self._table.multiple(number, powers.items())

    def _polynomial(self, p: Any) -> int:
        given = p.to_dict()
        units = self._units_of(given)
        terms = [
            (self._monomial(exponents, units), c / fmpq(2) ** _shift(exponents, units))
            for exponents, c in given.items()
        ]
        if len(terms) == 1 and terms[0][1] == 1 and isinstance(terms[0][0], int):
            return terms[0][0]
        one = self._table.number(fmpq(1))
        return self._table.total((c, one if place is None else place) for place, c in terms)

    def _units_of(self, terms: Mapping[Any, Any]) -> dict[int, tuple[int, int]]:
        """Variables that are written in a unit of their own, 2^-e, with e and the place of 2^e x.

        Where parameters are doubles, coefficients of x^k hold the k-th power of what these are divided by:
        numbers become half as long without it. A variable has one unit in a file.
        """
        found: dict[int, tuple[int, int]] = {}
        for k in range(len(next(iter(terms)))):
            powers = [(int(a[k]), _twos(c) - _shift(a, found)) for a, c in terms.items() if a[k]]
            bits = min((v // e for e, v in powers), default=0)
            if k not in self._units and bits >= UNIT and sum(e for e, _ in powers) * bits > WORTH:
                self._units[k] = bits, self._table.multiple(fmpq(2) ** bits, [(self._variable(k), 1)])
            if k in self._units and self._units[k][0] <= bits:
                found[k] = self._units[k]
        return found

    def _monomial(self, exponents: Sequence[int], units: Mapping[int, tuple[int, int]]) -> int | None:
        """The place of a product of generators, None of one."""
        powers = [
            (units[k][1] if k in units else self._variable(k), int(e)) for k, e in enumerate(exponents) if e
        ]
        if not powers:
            return None
        return powers[0][0] if len(powers) == 1 and powers[0][1] == 1 else self._table.product(*powers)

    def _variable(self, k: int) -> int:
        if k not in self._places:
            name, x = self._generator(k)
            self._places[k] = self._table.function(name, self(x))
        return self._places[k]


def _shift(exponents: Sequence[int], units: Mapping[int, tuple[int, int]]) -> int:
    """Bits that units take from the coefficient of a monomial."""
    return sum(int(exponents[k]) * bits for k, (bits, _) in units.items())


def _twos(c: fmpq) -> int:
    """The power of two in a number that is not zero."""
    above, below = ((int(n) & -int(n)).bit_length() for n in (c.p, c.q))
    return above - below
