"""Signs of polynomials over boxes, by coefficients in the basis of Bernstein: exact rational numbers.

On a box a polynomial lies between the least and the largest of these coefficients. Generators that stand for
functions of the axes are sides of the box of their own, enclosed by balls.
"""

from __future__ import annotations

from functools import lru_cache
from math import comb
from typing import Any

from flint import arb, ctx, fmpq, fmpq_mat

from geoctrl.checker.balls import FUNCTIONS
from geoctrl.checker.quotients import Quotient, Quotients
from geoctrl.checker.reading import Refusal

BITS = 80
"""Of balls about the values of functions."""

Side = tuple[fmpq, fmpq]


class Box:
    """A closed box of axes, with the values that generators take on it.

    Parameters
    ----------
    field : Quotients
    sides : of the axes, in the order of the field's variables
    """

    def __init__(self, field: Quotients, sides: list[Side]) -> None:
        self._field, self._sides = field, dict(enumerate(sides))

    def side(self, place: int) -> Side:
        """What an axis or a generator takes."""
        if place not in self._sides:
            name, x = self._field.generators[place]
            below, above = self.bounds(x.top), self.bounds(x.below)
            if above[0] <= 0 <= above[1]:
                raise Refusal("an argument of a function has a pole in the cell")
            quotients = [a / b for a in below for b in above]
            with ctx.workprec(BITS):
                low, high = min(quotients), max(quotients)
                value = FUNCTIONS[name](arb((low + high) / 2) + arb(0, 1) * ((high - low) / 2))
                if not value.is_finite():
                    raise Refusal(f"{name} has no value in the cell")
                self._sides[place] = value.lower().fmpq(), value.upper().fmpq()
        return self._sides[place]

    def bounds(self, p: Any) -> Side:
        """Numbers between which a polynomial lies on the box."""
        if p.is_constant():
            c = p.leading_coefficient() if p else fmpq(0)
            return c, c
        degrees = tuple(map(int, p.degrees()))
        held = [k for k, d in enumerate(degrees) if d]
        coefficients = tensor(p)
        for k in held:
            rows = degrees[k] + 1
            image = _to_bernstein(*self.side(k), degrees[k]) * fmpq_mat(
                rows, len(coefficients) // rows, coefficients
            )
            coefficients = image.transpose().entries()
        return min(coefficients), max(coefficients)

    def sign(self, p: Any) -> int:
        """1 or -1 where a polynomial has that sign on all of the box, 0 where that is open."""
        low, high = self.bounds(p)
        return (low > 0) - (high < 0)

    def sign_of(self, q: Quotient) -> int:
        """The same of a quotient that has no pole in the box."""
        return self.sign(q.top) * self.sign(q.below)


def tensor(p: Any) -> list[fmpq]:
    """Coefficients of all monomials in the variables that occur, the last one running fastest."""
    degrees = [int(d) for d in p.degrees()]
    held = [k for k, d in enumerate(degrees) if d]
    strides, size = {}, 1
    for k in reversed(held):
        strides[k], size = size, size * (degrees[k] + 1)
    found = [fmpq(0)] * size
    for exponents, c in p.to_dict().items():
        found[sum(int(exponents[k]) * strides[k] for k in held)] = c
    return found


@lru_cache(maxsize=20_000)
def _to_bernstein(low: fmpq, high: fmpq, degree: int) -> fmpq_mat:
    """From coefficients of powers of x to those of Bernstein on an interval."""
    n, width = degree, high - low
    shifted = [
        [comb(k, i) * low ** (k - i) * width**i if k >= i else fmpq(0) for k in range(n + 1)]
        for i in range(n + 1)
    ]
    raised = [
        [fmpq(comb(j, i), comb(n, i)) if i <= j else fmpq(0) for i in range(n + 1)] for j in range(n + 1)
    ]
    return fmpq_mat(raised) * fmpq_mat(shifted)
