"""Matrices of expressions, as a user gives them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import sympy as sp
from sympy.matrices.exceptions import NonInvertibleMatrixError

from geoctrl._scalars.text.numbers import shown
from geoctrl._scalars.text.symbolic import Vector
from geoctrl._scalars.text.sympy_bridge import expression, without_floats
from geoctrl.errors import DescriptionError, GeoctrlError

__all__ = ["inverse_of", "product_of", "read_matrix"]


def read_matrix(name: str, value: Any, error: type[GeoctrlError] = DescriptionError) -> sp.ImmutableMatrix:
    """A matrix of expressions and numbers, from lists, an array or a matrix; a flat list is a column."""
    if isinstance(value, sp.MatrixBase):
        return sp.ImmutableMatrix(without_floats(value, name, error))
    if isinstance(value, Vector):
        return value.symbols
    entries = _rectangle(value)
    if entries is None:  # printing is kept for the refusal: entries may be long
        raise error(f"{name} must be a matrix of numbers or expressions, got {shown(value)}")
    rows = [[expression(e, f"an entry of {name}", error) for e in row] for row in entries]
    return sp.ImmutableMatrix(*entries.shape, [e for row in rows for e in row])


def _rectangle(value: Any) -> np.ndarray | None:
    """The entries as an array of two dimensions; None where they make none."""
    if isinstance(value, (str, bytes, Mapping, sp.Basic)):
        return None
    try:
        entries = np.array(value, dtype=object)
    except ValueError:  # rows of different lengths, or holding matrices
        return None
    return entries.reshape(len(entries), -1) if entries.ndim in (1, 2) and entries.size else None


def product_of(*matrices: sp.Matrix) -> sp.Matrix:
    """The product of matrices from the left, without the question whether what a zero meets is finite: sympy
    asks it of every entry, and of long ones for most of its time.
    """
    first, *others = matrices
    rows = first.tolist()
    for other in others:
        columns = other.T.tolist()
        rows = [[_sum_of_products(row, column) for column in columns] for row in rows]
    return sp.Matrix(first.rows, matrices[-1].cols, [e for row in rows for e in row])


def _sum_of_products(row: list[sp.Expr], column: list[sp.Expr]) -> sp.Expr:
    zero = sp.S.Zero
    return sp.Add(*[a * b for a, b in zip(row, column, strict=True) if a is not zero and b is not zero])


_NONZERO = 1e-20
"""Size at a point of 30 digits from which an expression is not zero everywhere."""


def inverse_of(matrix: sp.Matrix) -> sp.Matrix:
    """The inverse, its entries the sums and quotients that elimination leaves: nothing is multiplied out.

    Of the entries that may be divided by, the one that fills in least is, and of these the shortest: sparse
    matrices keep short inverses. Whether an entry is zero in disguise is seen at a point.
    """
    n = matrix.rows
    rows = [[*matrix.row(i), *sp.eye(n).row(i)] for i in range(n)]
    is_nonzero = _nonzero_at_a_point(matrix)
    solved: dict[int, int] = {}  # column: row
    while len(solved) < n:
        r, c = _pivot(rows, solved, is_nonzero)
        pivot = rows[r][c]
        rows[r] = [e / pivot if e != 0 else e for e in rows[r]]
        for i in range(n):
            factor = rows[i][c]
            if i != r and factor != 0:
                rows[i] = [e - factor * p if p != 0 else e for e, p in zip(rows[i], rows[r], strict=True)]
                rows[i][c] = sp.Integer(0)
        solved[c] = r
    return sp.Matrix([rows[solved[c]][n:] for c in range(n)])


def _pivot(
    rows: list[list[sp.Expr]], solved: Mapping[int, int], is_nonzero: Callable[[sp.Expr], bool]
) -> tuple[int, int]:
    """Row and column to be eliminated next."""
    n = len(rows)
    open_rows = [i for i in range(n) if i not in solved.values()]
    columns = [j for j in range(n) if j not in solved]
    in_row = {i: sum(rows[i][j] != 0 for j in columns) for i in open_rows}
    in_column = {j: sum(rows[i][j] != 0 for i in open_rows) for j in columns}
    places = [(i, j) for i in open_rows for j in columns if rows[i][j] != 0]
    places.sort(key=lambda p: ((in_row[p[0]] - 1) * (in_column[p[1]] - 1), rows[p[0]][p[1]].count_ops(), p))
    found = next((place for place in places if is_nonzero(rows[place[0]][place[1]])), None)
    if found is None:
        raise NonInvertibleMatrixError("the matrix is singular")
    return found


def _nonzero_at_a_point(matrix: sp.Matrix) -> Callable[[sp.Expr], bool]:
    """A test of expressions in the symbols of a matrix, at one point where all are positive."""
    symbols = sorted(matrix.free_symbols, key=str)
    point = {s: sp.Rational(2 * i + 3, 2 * i + 8) for i, s in enumerate(symbols)}

    def is_nonzero(entry: sp.Expr) -> bool:
        value = sp.N(entry.xreplace(point), 30)
        return bool(value.is_finite and abs(value) > _NONZERO)

    return is_nonzero
