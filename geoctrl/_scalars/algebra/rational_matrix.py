"""Exact linear algebra over the rationals: Fractions in, Fractions out, matrices of python-flint within."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from flint import fmpq, fmpq_mat

from geoctrl.errors import DivisionError

__all__ = ["characteristic_polynomial", "nullspace", "rank", "solve"]

Rows = Sequence[Sequence[Fraction]]
_ZERO = Fraction(0)


def _matrix(rows: Rows, columns: int) -> fmpq_mat:
    entries = [fmpq(int(q.numerator), int(q.denominator)) if q else 0 for row in rows for q in row]
    return fmpq_mat(len(rows), columns, entries)


def _fraction(q: Any) -> Fraction:
    """Zeros, which most entries are, are shared."""
    return Fraction(int(q.p), int(q.q)) if q else _ZERO


def rank(rows: Rows, columns: int) -> int:
    """Rank of a matrix with the given number of columns."""
    return _matrix(rows, columns).rank() if rows else 0


def nullspace(rows: Rows, columns: int) -> list[list[Fraction]]:
    """Basis of {w : rows w = 0}: per free column a vector, one there and zero in the other free columns."""
    reduced, count = _matrix(rows, columns).rref()
    pivots = [next(j for j in range(columns) if reduced[i, j]) for i in range(count)]
    basis = []
    for free in sorted(set(range(columns)) - set(pivots)):
        vector = [_ZERO] * columns
        vector[free] = Fraction(1)
        for i, p in enumerate(pivots):
            vector[p] = -_fraction(reduced[i, free])
        basis.append(vector)
    return basis


def solve(matrix: Rows, right: Rows) -> list[list[Fraction]]:
    """X with matrix X = right; raises ZeroDivisionError where the matrix is singular."""
    n = len(matrix)
    columns = len(right[0]) if right else 0
    if not columns:
        return [[] for _ in range(n)]
    try:
        found = _matrix(matrix, n).solve(_matrix(right, columns))
    except ZeroDivisionError:
        raise DivisionError("the matrix is singular") from None
    return [[_fraction(q) for q in row] for row in found.tolist()]


def characteristic_polynomial(matrix: Rows) -> list[Fraction]:
    """Coefficients of det(x I - matrix), the leading one first."""
    return [_fraction(q) for q in reversed(_matrix(matrix, len(matrix)).charpoly().coeffs())]
