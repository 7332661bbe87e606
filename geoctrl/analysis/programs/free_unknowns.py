"""Unknowns of a linear program that nothing but its sums hold, taken out of these.

Multipliers of polynomials in sums of squares are free, and no more determined than up to those of products
of the polynomials: an interior point method that has them as unknowns ends far from the optimum.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

__all__ = ["WithoutFree"]

DEPENDENT = 1e-9
"""Part of a column, or of a row by the others, up to which it is rounding."""


@dataclass(frozen=True, eq=False)
class WithoutFree:
    """Sums E x = f with the free unknowns taken out, E' x' = f' for the others x'.

    Attributes
    ----------
    sums : csc_matrix (r - k, n)
        E', of the rows that determine no free unknown.
    right : ndarray (r - k,)
        f'.
    others : ndarray (n,)
        Numbers of the others.
    """

    sums: scipy.sparse.csc_matrix
    right: np.ndarray
    others: np.ndarray
    _free: np.ndarray
    _given: tuple[scipy.sparse.csr_matrix, np.ndarray]
    _inner: np.ndarray

    @classmethod
    def of(cls, E: scipy.sparse.csc_matrix, f: np.ndarray, free: np.ndarray) -> WithoutFree:
        """Take out the unknowns of some numbers; those that depend on others of them are zero."""
        F = E[:, free].toarray()
        rows, columns = _independent(F)
        kept, others = np.setdiff1d(np.arange(E.shape[0]), rows), np.setdiff1d(np.arange(E.shape[1]), free)
        inner, by_others = F[np.ix_(rows, columns)], E[:, others].tocsr()
        L = np.linalg.solve(inner.T, F[np.ix_(kept, columns)].T).T if len(rows) else np.zeros((len(kept), 0))
        L[np.abs(L) < DEPENDENT] = 0.0
        sums = (by_others[kept] - scipy.sparse.csr_matrix(L) @ by_others[rows]).tocsc()
        given = by_others[rows], f[rows]
        return cls(sums, f[kept] - L @ f[rows], others, free[columns], given, inner)

    def all_of(self, x: np.ndarray, count: int) -> np.ndarray:
        """All unknowns (count,) by the others."""
        E, f = self._given
        found = np.zeros(count)
        found[self.others] = x
        if len(self._free):
            found[self._free] = np.linalg.solve(self._inner, f - E @ x)
        return found


def _independent(F: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """As many rows and columns of a matrix as its rank, far from dependent."""
    sizes = np.linalg.norm(F, axis=0)
    scaled = F / np.where(sizes > 0, sizes, 1.0)
    corner, columns = scipy.linalg.qr(scaled, mode="r", pivoting=True)
    heights = np.abs(np.diag(corner))
    rank = int(np.sum(heights > DEPENDENT * heights.max(initial=0.0)))
    _, rows = scipy.linalg.qr(scaled[:, columns[:rank]].T, mode="r", pivoting=True)
    return rows[:rank], columns[:rank]
