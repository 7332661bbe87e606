"""Linear algebra in doubles, for numbers that only have to be good: nothing rests on them."""

from __future__ import annotations

from math import isfinite


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


def pivots(rows: list[list[float]]) -> list[int]:
    """Columns of the pivots of an elimination in doubles."""
    found: list[int] = []
    rest = [list(row) for row in rows]
    while rest:
        sizes = [max(map(abs, row)) or 1.0 for row in rest]
        r, c = max(
            ((i, j) for i in range(len(rest)) for j in range(len(rest[i]))),
            key=lambda at: abs(rest[at[0]][at[1]]) / sizes[at[0]],
        )
        pivot = rest.pop(r)
        if not pivot[c]:
            break
        found.append(c)
        rest = [[a - row[c] / pivot[c] * b for a, b in zip(row, pivot, strict=True)] for row in rest]
    return found


def solution(A: list[list[float]], right: list[float]) -> list[float] | None:
    """The solution of A x = right in doubles, None where A is singular."""
    n = len(A)
    rows = [[*row, c] for row, c in zip(A, right, strict=True)]
    for i in range(n):
        p = max(range(i, n), key=lambda r: abs(rows[r][i]))
        if not abs(rows[p][i]) > 1e-300:
            return None
        rows[i], rows[p] = rows[p], rows[i]
        for r in range(n):
            if r != i and rows[r][i]:
                f = rows[r][i] / rows[i][i]
                rows[r] = [a - f * c for a, c in zip(rows[r], rows[i], strict=True)]
    found = [rows[i][n] / rows[i][i] for i in range(n)]
    return found if all(map(isfinite, found)) else None
