"""What functions that vanish along motions leave of the states about a point, in doubles, to second order."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy

__all__ = ["SecondOrder"]

DIRECTIONS = 64
"""In which the size of a set on the leaf is looked at."""
INDEPENDENT = 1e-9
"""Of the largest singular value of gradients, one below which they depend on each other."""


class SecondOrder(NamedTuple):
    """Ties T = 0 about a point, with what is measured in its sizes.

    Attributes
    ----------
    along, across : ndarray (n, d), (n, n - d)
        Orthonormal bases, of the tangent space of the leaf and beside it.
    slopes : ndarray (m, n)
    bend : ndarray (m, n, n)
        Half of the second derivatives.
    """

    along: np.ndarray
    across: np.ndarray
    slopes: np.ndarray
    bend: np.ndarray

    @classmethod
    def of(cls, slopes: np.ndarray, bend: np.ndarray) -> SecondOrder:
        """By first and second derivatives."""
        n = slopes.shape[1]
        if not len(slopes):
            return cls(np.eye(n), np.zeros((n, 0)), slopes, bend)
        _, s, V = scipy.linalg.svd(slopes / np.abs(slopes).max(axis=1, keepdims=True))
        rank = int(np.sum(s > INDEPENDENT * s.max()))
        return cls(V[rank:].T, V[:rank].T, slopes, bend)

    def over_all_states(self, P: np.ndarray, weight: float) -> np.ndarray:
        """A function of all of the states by one along the leaf, across it as large as in the mean."""
        mean = float(np.trace(P)) / len(P)
        return self.along @ P @ self.along.T + weight * mean * self.across @ self.across.T

    def flatness(self, P: np.ndarray) -> float | None:
        """The logarithm of the volume in the tangent space at level one, up to a number; None where P is not
        definite.
        """
        if not np.all(np.isfinite(P)):
            return None
        try:
            np.linalg.cholesky(P)
            L = np.linalg.cholesky(self.along.T @ P @ self.along)
        except np.linalg.LinAlgError:
            return None
        return -float(np.sum(np.log(np.diag(L))))

    def volume(self, P: np.ndarray, level: float) -> float:
        r"""The logarithm of the volume on the leaf, up to a number: along a with :math:`a^T P a = c` the leaf
        is at :math:`t a + t^2 b`, where V is :math:`c\, t^2 + b^T P b\, t^4`.
        """
        inner = self.along.T @ P @ self.along
        d = len(inner)
        flat = -float(np.sum(np.log(np.diag(np.linalg.cholesky(inner))))) + np.log(level) * d / 2
        if not self.across.size:
            return flat
        way = np.random.default_rng(5).normal(size=(d, DIRECTIONS))
        a = self.along @ (way / np.sqrt(np.einsum("in,ij,jn->n", way, inner, way)) * np.sqrt(level))
        bent = np.einsum("kij,in,jn->kn", self.bend, a, a)
        b = self.across @ (np.linalg.pinv(self.slopes @ self.across) @ bent)
        part = np.maximum(np.einsum("in,ij,jn->n", b, P, b) / level, 1e-12)
        square = (np.sqrt(1 + 4 * part) - 1) / (2 * part)  # t^2 + part t^4 = 1
        return flat + float(np.log(np.mean(square ** (d / 2))))
