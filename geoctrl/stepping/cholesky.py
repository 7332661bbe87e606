"""Cholesky factor and triangular solves, compiled: called once or more per step, from compiled code."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

__all__ = ["factorise", "solve_factorised"]


@njit(cache=True, fastmath={"reassoc", "contract"}, error_model="numpy")
def factorise(A: np.ndarray) -> bool:
    """Overwrite the lower triangle of a symmetric matrix (n, n) by its Cholesky factor L, A = L L^T.

    False where the matrix is not positive definite. Rows are contiguous, so that the inner sums vectorise;
    no thread pool is entered, which at these sizes would cost more than the work.
    """
    n = A.shape[0]
    for i in range(n):
        for j in range(i):
            total = A[i, j]
            for k in range(j):
                total -= A[i, k] * A[j, k]
            A[i, j] = total / A[j, j]
        total = A[i, i]
        for k in range(i):
            total -= A[i, k] * A[i, k]
        if not total > 0.0:
            return False
        A[i, i] = math.sqrt(total)
    return True


@njit(cache=True, fastmath={"reassoc", "contract"}, error_model="numpy")
def solve_factorised(L: np.ndarray, b: np.ndarray) -> None:
    """Overwrite b (n,) by the solution of L L^T x = b."""
    n = b.size
    for i in range(n):
        total = b[i]
        for k in range(i):
            total -= L[i, k] * b[k]
        b[i] = total / L[i, i]
    for i in range(n - 1, -1, -1):
        b[i] /= L[i, i]
        for k in range(i):
            b[k] -= L[i, k] * b[i]
