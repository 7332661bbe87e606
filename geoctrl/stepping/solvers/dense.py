"""Dense linear equations, compiled, which must not raise: by Cholesky's factor, and by elimination."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from geoctrl.stepping.compiled.compiled import inner

__all__ = ["eliminate", "factorise", "solve_factorised"]


@njit(cache=True, error_model="numpy")
def _last_row(A):
    last = A.shape[0] - 1
    for j in range(last + 1):
        total = A[last, j]
        for k in range(j):
            total -= A[last, k] * A[j, k]
        if j < last:
            A[last, j] = total / A[j, j]
        elif not total > 0.0:
            return False
        else:
            A[last, last] = math.sqrt(total)
    return True


@njit(cache=True, fastmath={"reassoc", "contract"}, error_model="numpy")
def factorise(A: np.ndarray) -> bool:
    """Overwrite the lower triangle of a symmetric matrix (n, n) by its Cholesky factor L, A = L L^T.

    False where the matrix is not positive definite. Rows are contiguous, so that the inner sums vectorise,
    and taken two by two, so that what is loaded serves twice; no thread pool is entered, which at these sizes
    would cost more than the work.
    """
    n = A.shape[0]
    for i in range(0, n - 1, 2):
        for j in range(0, i, 2):
            a, b, c, d = A[i, j], A[i, j + 1], A[i + 1, j], A[i + 1, j + 1]
            for k in range(j):
                a -= A[i, k] * A[j, k]
                b -= A[i, k] * A[j + 1, k]
                c -= A[i + 1, k] * A[j, k]
                d -= A[i + 1, k] * A[j + 1, k]
            a /= A[j, j]
            c /= A[j, j]
            A[i, j], A[i, j + 1] = a, (b - a * A[j + 1, j]) / A[j + 1, j + 1]
            A[i + 1, j], A[i + 1, j + 1] = c, (d - c * A[j + 1, j]) / A[j + 1, j + 1]
        a, c, d = A[i, i], A[i + 1, i], A[i + 1, i + 1]
        for k in range(i):
            a -= A[i, k] * A[i, k]
            c -= A[i + 1, k] * A[i, k]
            d -= A[i + 1, k] * A[i + 1, k]
        if not a > 0.0:
            return False
        a = math.sqrt(a)
        c /= a
        d -= c * c
        if not d > 0.0:
            return False
        A[i, i], A[i + 1, i], A[i + 1, i + 1] = a, c, math.sqrt(d)
    if n % 2:
        return _last_row(A)
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
