"""Sparse elimination against dense: the same kernel, rank and normal form."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

from geoctrl._scalars.algebra.rational_matrix import rank
from geoctrl._scalars.algebra.sparse_rows import Echelon, kernel


def random_rows(rng, count, columns, dependent=0):
    """Rows with a third of their entries set, the last ones combinations of the others."""
    rows = [
        [Fraction(int(v), 3) if keep else Fraction(0) for v, keep in zip(values, kept, strict=True)]
        for values, kept in zip(
            rng.integers(-3, 4, size=(count, columns)), rng.random((count, columns)) < 1 / 3, strict=True
        )
    ]
    for _ in range(dependent):
        a, b = rng.integers(0, count, size=2)
        rows.append([2 * x - 5 * y for x, y in zip(rows[a], rows[b], strict=True)])
    return rows


def sparse(rows):
    return [{j: q for j, q in enumerate(row) if q} for row in rows]


@pytest.mark.parametrize("seed", range(6))
def test_kernel_is_the_reduced_echelon_form_of_the_dense_one(seed):
    rng = np.random.default_rng(seed)
    rows = random_rows(rng, 7, 11, dependent=3)
    expected = sp.Matrix.hstack(*sp.Matrix(rows).nullspace()).T.rref()[0]
    found = sp.Matrix([[row.get(j, 0) for j in range(11)] for row in kernel(sparse(rows), 11)])
    assert found == expected


def test_kernel_without_rows_is_everything():
    assert kernel([], 2) == [{0: 1}, {1: 1}]
    assert kernel([{0: Fraction(2)}, {1: Fraction(1), 0: Fraction(5)}], 2) == []


def test_an_echelon_takes_what_is_independent_and_nothing_else():
    rng = np.random.default_rng(7)
    rows = random_rows(rng, 6, 6, dependent=4)
    echelon, taken = Echelon(), []
    for row in rows:
        before = rank(taken, 6)
        assert echelon.take({j: q for j, q in enumerate(row) if q}) == (rank([*taken, row], 6) > before)
        taken.append(row)
