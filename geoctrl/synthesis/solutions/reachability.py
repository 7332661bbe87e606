r"""What inputs do not reach in :math:`\dot x = A x + B u`, with rational numbers and exact ranks."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import sympy as sp

from geoctrl._scalars.algebra.rational_matrix import characteristic_polynomial, nullspace, rank

__all__ = [
    "dot",
    "factors",
    "free_columns",
    "invariant_rows",
    "left_kernel",
    "restriction",
    "unreachable",
    "weighted_sum",
]

Rows = Sequence[Sequence[Fraction]]
Matrix = list[list[Fraction]]


def dot(a: Sequence[Fraction], b: Sequence[Fraction]) -> Fraction:
    """Sum of products."""
    return sum((x * y for x, y in zip(a, b, strict=True) if x and y), Fraction(0))


def weighted_sum(weights: Sequence[Fraction], rows: Rows) -> list[Fraction]:
    """The sum of rows with weights."""
    return [dot(weights, column) for column in zip(*rows, strict=True)]


def free_columns(basis: Rows) -> list[int]:
    """Columns in which the vectors of `rational_matrix.nullspace` are those of a unit matrix."""
    found = []
    for i, vector in enumerate(basis):
        others = [b for j, b in enumerate(basis) if j != i]
        alone = (j for j, e in enumerate(vector) if e == 1 and not any(b[j] for b in others))
        found.append(next(j for j in alone if j not in found))
    return found


def unreachable(A: Rows, B: Rows) -> Matrix:
    """Basis of the rows l with l A^i B = 0 for all i: a left invariant subspace that inputs do not move."""
    n = len(A)
    columns = [list(c) for c in zip(*B, strict=True)]
    reached: Matrix = []
    while columns:
        new = columns.pop(0)
        if rank([*reached, new], n) > len(reached):
            reached.append(new)
            columns.append([dot(row, new) for row in A])
    return nullspace(reached, n)


def restriction(rows: Rows, A: Rows) -> Matrix:
    """C with ``rows A = C rows``, for independent rows of a left invariant subspace."""
    columns = [list(c) for c in zip(*rows, strict=True)]
    moved = [weighted_sum(row, A) for row in rows]
    # Weights of each moved row in the rows: the kernel of [rows^T, -moved].
    found = []
    for row in moved:
        system = [[*column, -e] for column, e in zip(columns, row, strict=True)]
        (vector,) = nullspace(system, len(rows) + 1)
        found.append([e / vector[-1] for e in vector[:-1]])
    return found


def factors(C: Rows) -> list[list[Fraction]]:
    """Irreducible factors of the characteristic polynomial, coefficients with the leading one first."""
    if not C:
        return []
    coefficients = [sp.Rational(q.numerator, q.denominator) for q in characteristic_polynomial(C)]
    _, found = sp.Poly(coefficients, sp.Symbol("s"), domain="QQ").factor_list()
    return [[Fraction(int(c.p), int(c.q)) for c in f.monic().all_coeffs()] for f, _ in found]


def invariant_rows(factor: Sequence[Fraction], rows: Rows, C: Rows) -> Matrix:
    """The rows on which a factor of the characteristic polynomial of C vanishes."""
    return [weighted_sum(y, rows) for y in left_kernel(_polynomial(factor, C))]


def left_kernel(matrix: Rows) -> Matrix:
    """Basis of {y : y matrix = 0}."""
    return nullspace([list(c) for c in zip(*matrix, strict=True)], len(matrix))


def _polynomial(coefficients: Sequence[Fraction], C: Rows) -> Matrix:
    """Its value at a matrix, by Horner's scheme."""
    n = len(C)
    value = [[Fraction(0)] * n for _ in range(n)]
    for c in coefficients:
        value = [weighted_sum(row, C) for row in value]
        for i in range(n):
            value[i][i] += c
    return value
