"""Coordinates of a search for a Lyapunov function: those in which the last function is a sum of squares.

Where modes are next to dependent, or far apart, the set of a function is thin in directions along which no
variable lies; in these coordinates it is a ball, in whatever units it was given.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import add

import numpy as np

from geoctrl.analysis.quadratics.setting_units import Exponents, Terms

__all__ = ["SearchCoordinates", "times"]


def times(a: Exponents, b: Exponents) -> Exponents:
    """The product of two monomials."""
    return tuple(map(add, a, b))


@dataclass(frozen=True, eq=False)
class SearchCoordinates:
    """Variables x = M z, which mixes those alone that are measured.

    Attributes
    ----------
    matrix : ndarray (n, n)
        M.
    places : sequence of int
        Of what is measured.
    """

    matrix: np.ndarray
    places: Sequence[int]

    @classmethod
    def of(cls, P: np.ndarray, sizes: np.ndarray, places: Sequence[int]) -> SearchCoordinates:
        """Those in which y'Py is the sum of squares, and variables that are not measured have sizes one.

        With P = LL' they are L'y: variables of another sign under a symmetry of P are not mixed, and other
        units change nothing.
        """
        M = np.diag(sizes)
        M[np.ix_(places, places)] = np.linalg.inv(np.linalg.cholesky(P).T)
        return cls(M, places)

    @cached_property
    def inverse(self) -> np.ndarray:
        """z by x."""
        return np.linalg.inv(self.matrix)

    @property
    def inner(self) -> np.ndarray:
        """M of what is measured."""
        return self.matrix[np.ix_(self.places, self.places)]

    def function(self, V: np.ndarray) -> np.ndarray:
        """The matrix of a function of what is measured, by that in the coordinates."""
        inverse = np.linalg.inv(self.inner)
        P = inverse.T @ V @ inverse
        return (P + P.T) / 2

    def terms(self, terms: Terms) -> Terms:
        """A polynomial of the variables in the coordinates."""
        return _composition(terms, self.matrix)

    def of_variables(self, terms: Terms) -> Terms:
        """A polynomial of the coordinates in the variables."""
        return _composition(terms, self.inverse)

    def monomials(self, block: Sequence[Exponents]) -> np.ndarray:
        """S with w(z) = S w(x), of monomials w that hold with each one all that the coordinates mix."""
        at = {m: i for i, m in enumerate(block)}
        S = np.zeros((len(block), len(block)))
        for i, m in enumerate(block):
            for other, c in self.of_variables({m: 1.0}).items():
                S[i, at[other]] = c
        return S


def _composition(terms: Terms, matrix: np.ndarray) -> Terms:
    """A polynomial where each variable is a row of a matrix times others."""
    size = len(matrix)
    rows = [
        [(tuple(int(i == j) for i in range(size)), float(c)) for j, c in enumerate(row) if c]
        for row in matrix
    ]
    products: dict[Exponents, Terms] = {(0,) * size: {(0,) * size: 1.0}}

    def product(m: Exponents) -> Terms:
        if m not in products:
            k = next(k for k, e in enumerate(m) if e)
            found: Terms = {}
            for inner, c in product(tuple(e - (i == k) for i, e in enumerate(m))).items():
                for unit, factor in rows[k]:
                    key = times(inner, unit)
                    found[key] = found.get(key, 0.0) + c * factor
            products[m] = found
        return products[m]

    found: Terms = {}
    for m, c in terms.items():
        for key, factor in product(m).items():
            found[key] = found.get(key, 0.0) + c * factor
    return found
