"""Gaussian elimination, compiled: Newton's steps in compiled loops, which must not raise."""

from __future__ import annotations

import numpy as np

from geoctrl.stepping.compiled.compiled import inner

__all__ = ["eliminate"]


@inner
def eliminate(A: np.ndarray, b: np.ndarray) -> bool:
    """Overwrite b (n,) by the solution of A x = b, overwriting A (n, n) too; rows are exchanged.

    False where a pivot is zero or not finite.
    """
    n = b.size
    for j in range(n):
        p = j
        for i in range(j + 1, n):
            if abs(A[i, j]) > abs(A[p, j]):
                p = i
        pivot = A[p, j]
        if not (abs(pivot) > 0.0 and np.isfinite(pivot)):
            return False
        if p != j:
            for k in range(j, n):
                A[j, k], A[p, k] = A[p, k], A[j, k]
            b[j], b[p] = b[p], b[j]
        for i in range(j + 1, n):
            factor = A[i, j] / pivot
            for k in range(j + 1, n):
                A[i, k] -= factor * A[j, k]
            b[i] -= factor * b[j]
    for i in range(n - 1, -1, -1):
        for k in range(i + 1, n):
            b[i] -= A[i, k] * b[k]
        b[i] /= A[i, i]
    return True
