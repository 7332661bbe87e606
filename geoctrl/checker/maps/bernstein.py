"""Signs of polynomials over boxes, by coefficients in the basis of Bernstein: exact integers.

On a box a polynomial lies between the least and the largest of these coefficients. Boxes are parts of a
region, in coordinates that run from zero to one along each of its axes. Generators that stand for functions
of the axes are sides of the box of their own, enclosed by balls.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import comb, prod
from typing import Any, NamedTuple

from flint import arb, ctx, fmpq, fmpq_mat, fmpz, fmpz_mat

from geoctrl.checker.enclosures.balls import FUNCTIONS
from geoctrl.checker.limits import Refusal, require, spend
from geoctrl.checker.maps.axes import FunctionsWithSquares

BITS, LONG, TENSOR = 80, 10_000, 200_000
"""Of balls about the values of functions, and of their ends at most; coefficients of a polynomial in all
of its variables, at most."""
SMALL = 8
"""Degree up to which many changes of basis are kept."""

Side = tuple[fmpq, fmpq]


class BernsteinForm(NamedTuple):
    """A polynomial in the region's coordinates and generators.

    ``coefficients / denominator`` belong to the monomials in the variables of the given places and degrees,
    the last one running fastest.
    """

    places: list[int]
    degrees: list[int]
    coefficients: list[fmpz]
    denominator: fmpz


class Region:
    """A field over a box of its variables.

    Parameters
    ----------
    field : FunctionsWithSquares
    sides : of the axes, in the order of the field's variables
    """

    def __init__(self, field: FunctionsWithSquares, sides: Sequence[Side]) -> None:
        self.field, self.sides = field, list(sides)
        self._forms: dict[str, BernsteinForm] = {}

    def form(self, p: Any) -> BernsteinForm:
        """A polynomial of the field, prepared once."""
        if (key := str(p)) not in self._forms:
            self._forms[key] = self._prepared(p)
        return self._forms[key]

    def _prepared(self, p: Any) -> BernsteinForm:
        degrees = [int(d) for d in p.degrees()]
        places = [k for k, d in enumerate(degrees) if d]
        if prod(degrees[k] + 1 for k in places) > TENSOR:
            raise Refusal("a rational function is of too high a degree to be checked on cells")
        coefficients = monomial_tensor(p, places, degrees)
        for k in places:
            rows = degrees[k] + 1
            image = fmpq_mat(rows, len(coefficients) // rows, coefficients)
            if k < len(self.sides):
                image = shift(*self.sides[k], degrees[k]) * image
            coefficients = image.transpose().entries()
        whole, denominator = fmpq_mat(1, len(coefficients), coefficients).numer_denom()
        return BernsteinForm(places, [degrees[k] for k in places], whole.entries(), denominator)


class AxesBox:
    """A closed box in a region, with the values that generators take on it.

    Parameters
    ----------
    region : Region
    sides : parts of the interval from zero to one, those that are left out being all of it
    """

    def __init__(self, region: Region, sides: Sequence[Side]) -> None:
        self._region = region
        self._sides = dict.fromkeys(range(len(region.sides)), (fmpq(0), fmpq(1))) | dict(enumerate(sides))

    def side(self, place: int) -> Side:
        """What a coordinate or a generator takes."""
        if place not in self._sides:
            region, field = self._region, self._region.field
            name, x = field.made[place]
            divisor = field.multiple(field.constant(1), x.below)
            above, below = self.bounds(region.form(x.top)), self.bounds(region.form(divisor))
            if below[0] <= 0 <= below[1]:
                raise Refusal("an argument of a function has a pole in the cell")
            quotients = [a / b for a in above for b in below]
            with ctx.workprec(BITS):
                low, high = min(quotients), max(quotients)
                value = FUNCTIONS[name](arb((low + high) / 2) + arb(0, 1) * ((high - low) / 2))
                ends = value.lower(), value.upper()
                require(
                    value.is_finite() and not any(abs(end.man_exp()[1]) > LONG for end in ends),
                    f"{name} has no value in the cell, or too long a one",
                )
                self._sides[place] = ends[0].fmpq(), ends[1].fmpq()
        return self._sides[place]

    def bounds(self, form: BernsteinForm) -> Side:
        """Numbers between which a polynomial lies on the box."""
        low, high, scale = self._extremes(form)
        return low / scale, high / scale

    def sign(self, form: BernsteinForm) -> int:
        """1 or -1 where a polynomial has that sign on all of the box, 0 where that is open."""
        try:
            low, high, _ = self._extremes(form)
        except Refusal:  # a function has no value everywhere in the box
            return 0
        return (low > 0) - (high < 0)

    def _extremes(self, form: BernsteinForm) -> tuple[fmpz, fmpz, fmpq]:
        coefficients, scale = form.coefficients, fmpq(form.denominator)
        for place, degree in zip(form.places, form.degrees, strict=True):
            spend()
            matrix, common = to_bernstein(*self.side(place), degree)
            image = matrix * fmpz_mat(degree + 1, len(coefficients) // (degree + 1), coefficients)
            coefficients, scale = image.transpose().entries(), scale * common
        return min(coefficients), max(coefficients), scale


def monomial_tensor(p: Any, places: Sequence[int], degrees: Sequence[int]) -> list[fmpq]:
    """Coefficients of all monomials in the variables that occur."""
    strides, size = {}, 1
    for k in reversed(places):
        strides[k], size = size, size * (degrees[k] + 1)
    found = [fmpq(0)] * size
    for exponents, c in p.to_dict().items():
        found[sum(int(exponents[k]) * strides[k] for k in places)] = c
    return found


def shift(low: fmpq, high: fmpq, degree: int) -> fmpq_mat:
    """From coefficients of powers of x to those of powers of t, x = low + (high - low) t."""
    n, width = range(degree + 1), high - low
    return fmpq_mat([[comb(k, i) * low ** (k - i) * width**i if k >= i else fmpq(0) for k in n] for i in n])


def to_bernstein(low: fmpq, high: fmpq, degree: int) -> tuple[fmpz_mat, fmpz]:
    """From coefficients of powers of x to those of Bernstein on an interval, over a common denominator."""
    return (_small if degree <= SMALL else _large)(low, high, degree)


def _converted(low: fmpq, high: fmpq, degree: int) -> tuple[fmpz_mat, fmpz]:
    n = range(degree + 1)
    raised = fmpq_mat([[fmpq(comb(j, i), comb(degree, i)) if i <= j else fmpq(0) for i in n] for j in n])
    return (raised * shift(low, high, degree)).numer_denom()


_small, _large = (lru_cache(maxsize=size)(_converted) for size in (50_000, 500))
