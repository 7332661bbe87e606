"""Linear algebra modulo a prime, and the rationals that residues stand for.

A minor that is not zero modulo the prime is not zero: ranks found here are lower bounds over the rationals.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import isqrt

from flint import fmpq, nmod_mat

from geoctrl.errors import DivisionError

__all__ = ["PRIME", "echelon", "kernel", "rational", "residue", "sampled_kernel"]

PRIME = (1 << 61) - 1

_IDLE = 4
"""Random points in a row that add nothing, after which no further one is asked."""


def residue(q: Fraction | fmpq) -> int:
    """A rational modulo the prime; DivisionError where that divides the denominator."""
    numerator, denominator = int(q.numerator), int(q.denominator)
    if denominator == 1:
        return numerator % PRIME
    try:
        return numerator * pow(denominator, -1, PRIME) % PRIME
    except ValueError:
        raise DivisionError(f"the denominator {q.denominator} is zero modulo {PRIME}") from None


def rational(value: int) -> Fraction | None:
    """The one rational with numerator and denominator below the root of half the prime; None without one."""
    bound = isqrt(PRIME // 2)
    (r, t), (r_next, t_next) = (PRIME, 0), (value % PRIME, 1)
    while r_next > bound:
        q = r // r_next
        (r, t), (r_next, t_next) = (r_next, t_next), (r - q * r_next, t - q * t_next)
    return Fraction(r_next, t_next) if 0 < abs(t_next) <= bound else None


def echelon(rows: Sequence[Sequence[int]], columns: int) -> tuple[list[list[int]], list[int]]:
    """Reduced row echelon form without zero rows, and its pivot columns."""
    if not rows or not columns:
        return [], []
    matrix, rank = nmod_mat(len(rows), columns, [e for row in rows for e in row], PRIME).rref()
    reduced = [[int(matrix[i, j]) for j in range(columns)] for i in range(rank)]
    return reduced, [next(j for j, e in enumerate(row) if e) for row in reduced]


def kernel(rows: Sequence[Sequence[int]], columns: int) -> tuple[list[list[int]], list[int]]:
    """Basis of {w : rows w = 0} with a one in one column without a pivot each, and the pivot columns.

    Entries that nothing needs are not taken out of the library's matrix, which for large ones takes longer
    than the elimination.
    """
    if not rows or not columns:
        return [[int(i == j) for i in range(columns)] for j in range(columns)], []
    matrix, rank = nmod_mat(len(rows), columns, [e for row in rows for e in row], PRIME).rref()
    pivots: list[int] = []
    for i in range(rank):
        start = pivots[-1] + 1 if pivots else 0
        pivots.append(next(j for j in range(start, columns) if matrix[i, j]))
    taken, basis = set(pivots), []
    for j in (j for j in range(columns) if j not in taken):
        vector = [0] * columns
        vector[j] = 1
        for i, p in enumerate(pivots):
            vector[p] = -int(matrix[i, j]) % PRIME
        basis.append(vector)
    return basis, pivots


def sampled_kernel(points: Iterable[Sequence[Sequence[int]]], columns: int) -> list[list[int]]:
    """Basis of {w : rows w = 0} for the rows of all points, in reduced row echelon form.

    Rows are taken point by point until points at random add nothing. What holds at all points is within the
    space found; the rows that have been taken prove that it is no larger.
    """
    basis, left, idle = None, columns, 0
    for rows in points:
        entries = [e for row in rows for e in row]
        image = nmod_mat(len(rows), columns, entries, PRIME)
        image = image if basis is None else image * basis
        found, nullity = image.nullspace()
        idle = 0 if nullity < left else idle + 1
        if nullity < left:
            first = _columns(found, left, nullity)
            basis, left = first if basis is None else basis * first, nullity
        if idle == _IDLE or not left:
            break
    if basis is None:
        return [[int(i == j) for j in range(columns)] for i in range(columns)]
    return echelon([list(map(int, row)) for row in basis.transpose().tolist()], columns)[0] if left else []


def _columns(matrix: nmod_mat, rows: int, count: int) -> nmod_mat:
    """The first columns of a matrix."""
    return nmod_mat(rows, count, [int(matrix[i, j]) for i in range(rows) for j in range(count)], PRIME)
