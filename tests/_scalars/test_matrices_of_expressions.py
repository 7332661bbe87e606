"""Inverses of matrices of expressions: exact, short where the matrix is sparse, refused where none exists."""

import pytest
import sympy as sp
from sympy.matrices.exceptions import NonInvertibleMatrixError

from geoctrl._scalars import inverse_of
from geoctrl._scalars.text.sympy_matrix import product_of

A, B, T = sp.symbols("a b t", positive=True)


@pytest.mark.parametrize(
    "matrix",
    [
        sp.Matrix([[0, A], [B, 1]]),
        sp.Matrix([[sp.cos(T), -sp.sin(T), 0], [sp.sin(T), sp.cos(T), A], [0, 0, 1 / B]]),
        sp.Matrix([[1, A, A**2], [1, B, B**2], [1, 3, 9]]),
        # The first entry is zero, though it does not look so.
        sp.Matrix([[(A + B) ** 2 - A**2 - 2 * A * B - B**2, 1], [1, A * B * T + A + B + T]]),
    ],
)
def test_the_product_with_the_inverse_is_one(matrix):
    found = matrix * inverse_of(matrix)
    assert (found - sp.eye(matrix.rows)).applyfunc(sp.simplify) == sp.zeros(*matrix.shape)


def test_a_triangle_in_any_order_is_not_filled():
    triangle = sp.Matrix(6, 6, lambda i, j: 1 + A**i * B**j if i == j else A * T if i == j + 1 else 0)
    turned = triangle[[3, 0, 5, 1, 4, 2], [2, 4, 1, 0, 5, 3]]
    found = inverse_of(turned)
    assert sum(e != 0 for e in found) == 21
    assert found.subs({A: 2, B: 3, T: 5}) == turned.subs({A: 2, B: 3, T: 5}).inv()


def test_a_matrix_that_is_singular_in_disguise_is_refused():
    hidden = sp.Matrix([[A + B, 1], [(A + B) ** 2, sp.expand((A + B) ** 2) / (A + B)]])
    with pytest.raises(NonInvertibleMatrixError, match="singular"):
        inverse_of(hidden)


def test_products_are_those_of_sympy():
    x, y = sp.symbols("x y", real=True)
    turn = sp.Matrix([[sp.cos(x), 0, sp.sin(x)], [0, 1, 0], [-sp.sin(x), 0, sp.cos(x)]])
    column = sp.Matrix([x - y, 0, x * y])
    assert product_of(turn, turn.T, column) == turn * turn.T * column
    assert product_of(column.T, turn) == column.T * turn
    assert product_of(sp.zeros(2, 3), turn) == sp.zeros(2, 3)
