"""Symmetric matrices of functions of the axes, positive definite on all of a box.

Over a common denominator, of which all powers are even, the entries are polynomials. On a box their matrix is
a mean of the matrices of their coefficients in the basis of Bernstein, with weights that are not negative and
sum to one: if these are positive definite, it is so everywhere there.
"""

from __future__ import annotations

from collections import Counter
from math import prod
from typing import Any

from flint import fmpq, fmpq_mat, fmpz, fmpz_mat

from geoctrl.checker.definite import Rows, positive_definite
from geoctrl.checker.limits import Refusal, spend
from geoctrl.checker.maps.bernstein import (
    TENSOR,
    AxesBox,
    Region,
    monomial_tensor,
    shift,
    to_bernstein,
)
from geoctrl.checker.verdicts import form


class MatrixOverBoxes:
    """A symmetric matrix over a region, prepared once for its boxes.

    Parameters
    ----------
    region : Region
    rows : square matrix of functions, of which the lower triangle is read
    """

    def __init__(self, region: Region, rows: Rows) -> None:
        F, self._size = region.field, len(rows)
        entries = [F.number(rows[i][j]) for i in range(len(rows)) for j in range(i + 1)]
        below = Counter[int]()
        for entry in entries:
            below |= entry.below
        below = Counter({k: e + e % 2 for k, e in below.items()})
        tops = [F.multiple(entry.top, below - entry.below) for entry in entries]
        degrees = [max(int(d) for d in column) for column in zip(*(p.degrees() for p in tops), strict=True)]
        self._places = [k for k, d in enumerate(degrees) if d > 0]
        self._degrees = [degrees[k] for k in self._places]
        if len(tops) * prod(d + 1 for d in self._degrees) > TENSOR:
            raise Refusal("a matrix is of too high a degree to be checked on cells")
        columns = [monomial_tensor(p, self._places, [max(d, 0) for d in degrees]) for p in tops]
        # Entries run fastest; after a turn along all variables they run slowest.
        coefficients = [c for terms in zip(*columns, strict=True) for c in terms]
        for k, degree in zip(self._places, self._degrees, strict=True):
            image = fmpq_mat(degree + 1, len(coefficients) // (degree + 1), coefficients)
            if k < len(region.sides):
                image = shift(*region.sides[k], degree) * image
            coefficients = image.transpose().entries()
        whole, _ = fmpq_mat(len(tops), len(coefficients) // len(tops), coefficients).numer_denom()
        self._coefficients: list[fmpz] = whole.transpose().entries()

    def is_positive_on(self, box: AxesBox) -> bool:
        """Whether it is shown to be positive definite on all of a box."""
        coefficients = self._coefficients
        for place, degree in zip(self._places, self._degrees, strict=True):
            spend()
            matrix, _ = to_bernstein(*box.side(place), degree)
            image = matrix * fmpz_mat(degree + 1, len(coefficients) // (degree + 1), coefficients)
            coefficients = image.transpose().entries()
        entries = self._size * (self._size + 1) // 2
        count = len(coefficients) // entries
        return all(
            self._is_definite([coefficients[e * count + k] for e in range(entries)]) for k in range(count)
        )

    def _is_definite(self, entries: list[Any]) -> bool:
        triangle, left = [], iter(entries)
        for i in range(self._size):
            triangle.append([fmpq(next(left)) for _ in range(i + 1)])
        return positive_definite(form(triangle, self._size))
