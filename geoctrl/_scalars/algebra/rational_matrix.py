"""Exact linear algebra over the rationals: Fractions in, Fractions out, sympy's domain matrices within."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

from sympy.polys.domains import QQ
from sympy.polys.matrices import DomainMatrix

from geoctrl.errors import DivisionError

__all__ = ["characteristic_polynomial", "inertia", "nullspace", "rank", "solve"]

Rows = Sequence[Sequence[Fraction]]
_ZERO = Fraction(0)


def _domain(rows: Rows, columns: int) -> DomainMatrix:
    # Ground types differ with the libraries installed; integers are what all of them accept. Zeros, which
    # most entries are, are shared.
    dense = [[QQ(int(q.numerator), int(q.denominator)) if q else QQ.zero for q in row] for row in rows]
    return DomainMatrix(dense, (len(dense), columns), QQ)


def _fractions(matrix: DomainMatrix) -> list[list[Fraction]]:
    return [
        [Fraction(int(q.numerator), int(q.denominator)) if q else _ZERO for q in row]
        for row in matrix.to_dense().to_list()
    ]


def rank(rows: Rows, columns: int) -> int:
    """Rank of a matrix with the given number of columns."""
    return _domain(rows, columns).rank() if rows else 0


def nullspace(rows: Rows, columns: int) -> list[list[Fraction]]:
    """Basis of {w : rows w = 0}: per free column a vector, one there and zero in the other free columns."""
    if not rows:
        return [[Fraction(int(i == j)) for j in range(columns)] for i in range(columns)]
    reduced, pivots = _domain(rows, columns).rref()
    entries = _fractions(reduced)
    free = [j for j in range(columns) if j not in pivots]
    basis = []
    for j in free:
        vector = [Fraction(0)] * columns
        vector[j] = Fraction(1)
        for i, p in enumerate(pivots):
            vector[p] = -entries[i][j]
        basis.append(vector)
    return basis


def solve(matrix: Rows, right: Rows) -> list[list[Fraction]]:
    """X with matrix X = right; raises ZeroDivisionError where the matrix is singular."""
    n = len(matrix)
    columns = len(right[0]) if right else 0
    if not columns:
        return [[] for _ in range(n)]
    augmented = [[*row, *r] for row, r in zip(matrix, right, strict=True)]
    reduced, pivots = _domain(augmented, n + columns).rref()
    if tuple(pivots[:n]) != tuple(range(n)):
        raise DivisionError("the matrix is singular")
    return [row[n:] for row in _fractions(reduced)[:n]]


def characteristic_polynomial(matrix: Rows) -> list[Fraction]:
    """Coefficients of det(x I - matrix), the leading one first."""
    n = len(matrix)
    if n == 0:
        return [Fraction(1)]
    return [Fraction(int(q.numerator), int(q.denominator)) for q in _domain(matrix, n).charpoly()]


def inertia(matrix: Rows) -> tuple[int, int, int]:
    """Numbers of positive, negative and zero eigenvalues of a symmetric matrix.

    All roots of its characteristic polynomial are real, so that Descartes' rule counts exactly.
    """
    polynomial = characteristic_polynomial(matrix)
    zero = 0
    while polynomial[-1] == 0 and len(polynomial) > 1:
        polynomial.pop()
        zero += 1
    signs = [q > 0 for q in polynomial if q != 0]
    positive = sum(a != b for a, b in pairwise(signs))
    return positive, len(matrix) - zero - positive, zero
