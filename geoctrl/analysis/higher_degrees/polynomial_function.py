"""Functions of what is measured that are sums of squares of monomials, in doubles."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from geoctrl.analysis.quadratics.falling_identity import sum_of
from geoctrl.analysis.quadratics.search_coordinates import SearchCoordinates, times
from geoctrl.analysis.quadratics.setting_units import Exponents, Terms

__all__ = ["PolynomialFunction", "rate_of", "value"]

Blocks = list[tuple[list[Exponents], np.ndarray]]
"""Monomials with the matrices of their sums of squares."""


class PolynomialFunction(NamedTuple):
    """A sum of squares, by its blocks."""

    blocks: Blocks

    @classmethod
    def quadratic(cls, P: np.ndarray, units: list[Exponents], parts: list[list[int]]) -> PolynomialFunction:
        """That of a matrix by monomials, in parts that no product mixes."""
        return cls([([units[k] for k in part], P[np.ix_(part, part)]) for part in parts])

    @property
    def terms(self) -> Terms:
        """Its coefficients."""
        return sum_of(self.blocks)

    def at_level(self, level: float) -> PolynomialFunction:
        """The function of which a level is one."""
        return PolynomialFunction([(block, gram / level) for block, gram in self.blocks])

    def in_variables(self, coordinates: SearchCoordinates) -> PolynomialFunction:
        """A function of coordinates, of the variables."""
        return self._by_changes([coordinates.monomials(block) for block, _ in self.blocks])

    def in_coordinates(self, coordinates: SearchCoordinates) -> PolynomialFunction:
        """A function of the variables, of coordinates."""
        return self._by_changes([np.linalg.inv(coordinates.monomials(block)) for block, _ in self.blocks])

    def _by_changes(self, changes: list[np.ndarray]) -> PolynomialFunction:
        pairs = zip(self.blocks, changes, strict=True)
        return PolynomialFunction([(block, S.T @ gram @ S) for (block, gram), S in pairs])


def value(terms: Terms, points: np.ndarray) -> np.ndarray:
    """A polynomial (N,) at points (N, variables)."""
    exponents = np.array(list(terms))
    used = np.flatnonzero(exponents.any(axis=0))
    top = int(exponents.max(initial=0))
    powers = points[:, used, None] ** np.arange(top + 1)
    factors = powers[:, np.arange(len(used)), exponents[:, used]]
    return np.asarray(factors.prod(axis=2) @ np.array(list(terms.values())))


def rate_of(terms: Terms, places: list[int], rates: list[Terms]) -> Terms:
    """The rate of a polynomial, of which the variables at some places have rates."""
    found: Terms = {}
    for m, c in terms.items():
        for k, rate in zip(places, rates, strict=True):
            if m[k]:
                lower = tuple(e - (j == k) for j, e in enumerate(m))
                for n, d in rate.items():
                    key = times(lower, n)
                    found[key] = found.get(key, 0.0) + m[k] * c * d
    return found
