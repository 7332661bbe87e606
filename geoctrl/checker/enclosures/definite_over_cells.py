"""Matrices in balls that are certainly positive definite, and exact ones that are semidefinite."""

from __future__ import annotations

from math import isfinite

from flint import arb, arb_mat, fmpq

from geoctrl.checker.enclosures.cells import matrix
from geoctrl.checker.limits import spend


def definite_frame(H: arb_mat) -> arb_mat | None:
    """Numbers S that make S^T H S nearly the unit matrix, None where H is not certainly positive definite.

    S^T H S has a dominant diagonal that is positive, so that it is positive definite, S is invertible and H
    is positive definite with it.
    """
    k = H.nrows()
    rows = [[float(H[i, j].mid()) for j in range(k)] for i in range(k)]
    if (L := cholesky(rows, 0.0)) is None:
        return None
    S = [[0.0] * k for _ in range(k)]  # S = L^-T, column by column
    for j in range(k):
        column = [float(i == j) for i in range(k)]
        for i in range(k):
            column[i] = (column[i] - sum(L[i][m] * column[m] for m in range(i))) / L[i][i]
        S[j] = column
    if not all(isfinite(v) for row in S for v in row):
        return None
    found = matrix([[arb(fmpq(*v.as_integer_ratio())) for v in row] for row in S], k)
    image = found.transpose() * H * found
    certain = all(image[i, i] > sum((abs(image[i, j]) for j in range(k) if j != i), arb(0)) for i in range(k))
    return found if certain else None


def cholesky(A: list[list[float]], margin: float) -> list[list[float]] | None:
    """L of A = L L^T in doubles, None unless all pivots are above the margin."""
    n = len(A)
    L = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(i + 1):
            rest = A[i][j] - sum(L[i][m] * L[j][m] for m in range(j))
            if i == j:
                if not rest > margin:
                    return None
                L[i][i] = rest**0.5
            else:
                L[i][j] = rest / L[j][j]
    return L


def positive_semidefinite(a: list[list[fmpq]]) -> bool:
    """Whether a symmetric matrix is positive semidefinite: no pivot is negative, rows of zero ones vanish."""
    rows = a
    while rows:
        spend(len(rows))
        (pivot, *first), *others = rows
        if pivot < 0 or (pivot == 0 and any(first)):
            return False
        rows = [
            [c - row[0] / pivot * q for c, q in zip(row[1:], first, strict=True)] if pivot else row[1:]
            for row in others
        ]
    return True
