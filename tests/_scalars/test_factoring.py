"""Factored forms against those of sympy, letter by letter."""

import random

import pytest
import sympy as sp

from geoctrl._scalars.algebra.factoring import factor_list, factorisation
from geoctrl.errors import DivisionError

NAMES = "a J1 sigma11 sigma12 x2 x10 m M Gamma1 Y z B"
SYMBOLS = [*(sp.Symbol(n, real=True) for n in NAMES.split()), sp.Symbol("l", positive=True)]


def drawn(rng, depth):
    if depth == 0:
        return rng.choice([*SYMBOLS, sp.Rational(rng.randint(-5, 5), rng.randint(1, 4))])
    a, b = drawn(rng, depth - 1), drawn(rng, depth - 1)
    return rng.choice([a + b, a * b, a - b, a / (b + SYMBOLS[0] ** 3), a**2, (a + b) * (a - b)])


@pytest.mark.parametrize("seed", range(60))
def test_written_as_sympy_writes_it(seed):
    expr = drawn(random.Random(seed), 1 + seed % 3)
    assert str(factorisation(expr)) == str(sp.factor(expr))


def test_what_is_not_rational_is_left_to_sympy():
    x = SYMBOLS[0]
    expr = sp.sin(x) ** 2 - 2 * sp.sin(x) + 1 + sp.sqrt(2) * 0
    assert factorisation(expr) == (sp.sin(x) - 1) ** 2


def test_functions_are_unknowns_as_for_sympy():
    x, y, m = (sp.Symbol(n, real=True) for n in ("x", "y", "m"))
    p = sp.sin(x) * m + sp.cos(y) - 2
    expr = sp.expand((p**2 * (sp.cos(x) - m * y) * sp.Rational(2, 3)) / (sp.sin(x) * y + 1))
    assert str(factorisation(expr)) == str(sp.factor(expr))


@pytest.mark.parametrize("seed", range(20))
def test_lists_are_those_of_sympy(seed):
    expr = sp.fraction(sp.together(drawn(random.Random(seed), 1 + seed % 3)))[0]
    (number, found), (wanted, listed) = factor_list(expr), sp.factor_list(expr)
    assert (number, set(found)) == (wanted, set(listed))


def test_denominators_have_negative_powers():
    x, y = SYMBOLS[:2]
    assert factor_list(3 * (x + y) ** 2 / (2 * y)) == (sp.Rational(3, 2), [(x + y, 2), (y, -1)])


def test_zero_is_seen_and_not_divided_by():
    x, y = SYMBOLS[:2]
    zero = (x + y) ** 2 - x**2 - 2 * x * y - y**2
    assert factorisation(zero) == 0
    with pytest.raises(DivisionError, match="division by zero"):
        factorisation(1 / zero)
