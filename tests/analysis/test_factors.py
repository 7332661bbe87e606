"""Fractions and factors by flint against those of sympy."""

import numpy as np
import pytest
import sympy as sp

from geoctrl.analysis.factors import cancelled, characteristic_coefficients, factored, factors_of

a, b, c = sp.symbols("a b c", real=True)


def rational(rng, depth=3):
    """A nested expression of sums, products and integer powers."""
    if depth == 0:
        return rng.choice([a, b, c]) * int(rng.integers(1, 4)) + sp.Rational(int(rng.integers(-5, 6)), 3)
    left, right = rational(rng, depth - 1), rational(rng, depth - 1)
    return [left + right, left * right, left / (right + a**2 + 7), left**2 - right][rng.integers(4)]


@pytest.mark.parametrize("seed", range(12))
def test_they_agree_with_sympy(seed):
    e = rational(np.random.default_rng(seed))
    assert cancelled(e) == sp.cancel(e)
    assert sp.cancel(factored(e) - e) == 0
    ours = factors_of(e)
    theirs = tuple(map(sp.factor_list, sp.fraction(sp.cancel(e))))
    assert ours[0][0] / ours[1][0] == theirs[0][0] / theirs[1][0]
    assert [set(factors) for _, factors in ours] == [set(factors) for _, factors in theirs]


def test_special_cases():
    assert factors_of(sp.Integer(0)) == ((0, []), (1, []))
    assert factors_of(-((a - b) ** 3) / c) == ((-1, [(a - b, 3)]), (1, [(c, 1)]))
    assert cancelled((a**2 - b**2) / (a - b)) == a + b
    assert cancelled(sp.sqrt(a) ** 2 / a) == 1
    assert factored(sp.Abs(a) * b - b) == b * (sp.Abs(a) - 1)
    vanishing = sp.Pow(sp.Add(a, sp.Mul(-1, a, evaluate=False), evaluate=False), -1, evaluate=False)
    assert cancelled(vanishing) == sp.cancel(vanishing)


def test_symbols_of_one_name_are_not_mixed():
    plain = sp.Symbol("a")
    assert cancelled((a + plain) * (a - plain)) == sp.cancel((a + plain) * (a - plain))


def test_characteristic_coefficients():
    A = sp.Matrix([[a, b / c, 1], [c, 0, a - b], [1 / (a + b), 2, c]])
    x = sp.Symbol("x")
    expected = A.charpoly(x).all_coeffs()
    assert [
        sp.cancel(u - v) for u, v in zip(characteristic_coefficients(A.tolist()), expected, strict=True)
    ] == [0] * 4
    assert characteristic_coefficients([]) == [1]
