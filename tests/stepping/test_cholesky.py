"""The compiled Cholesky factor, which takes rows two by two, at even and odd sizes."""

import numpy as np
import pytest

from geoctrl.stepping.solvers.dense import factorise, solve_factorised

SIZES = (1, 2, 3, 4, 5, 8, 11)


def positive(n):
    X = np.random.default_rng(n).normal(size=(n, n))
    return X @ X.T + np.eye(n)


@pytest.mark.parametrize("n", SIZES)
def test_factor_and_solution(n):
    A = positive(n)
    L, b = np.tril(A) + np.triu(np.full((n, n), np.nan), 1), np.arange(1.0, n + 1)
    assert factorise(L)
    assert np.tril(L) == pytest.approx(np.linalg.cholesky(A), abs=1e-12)
    solve_factorised(L, b)
    assert A @ b == pytest.approx(np.arange(1.0, n + 1), abs=1e-10)


@pytest.mark.parametrize("n", SIZES)
def test_indefinite_matrices_are_told(n):
    for k in range(n):
        for value in (-1.0, 0.0, np.nan):
            A = positive(n)
            A[k, k] = value
            assert not factorise(A)
