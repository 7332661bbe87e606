"""Linear algebra in rounded numbers that only have to be good: nothing rests on them."""

from __future__ import annotations

from contextlib import suppress
from math import isfinite

from flint import arb, arb_mat


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


def approximate_solution(A: list[list[float]], right: list[float]) -> list[float] | None:
    """Next to the solution of A x = right, None where A is singular."""
    n = len(A)
    with suppress(ZeroDivisionError):
        found = arb_mat(n, n, [arb(c) for row in A for c in row]).solve(
            arb_mat(n, 1, [arb(c) for c in right]), algorithm="approx"
        )
        numbers = [float(c.mid()) for c in found.entries()]
        return numbers if all(map(isfinite, numbers)) else None
    return None
