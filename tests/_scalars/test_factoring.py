"""Factored forms against those of sympy, letter by letter."""

import random

import pytest
import sympy as sp

from geoctrl._scalars.factoring import factored
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
    assert str(factored(expr)) == str(sp.factor(expr))


def test_what_is_not_rational_is_left_to_sympy():
    x = SYMBOLS[0]
    expr = sp.sin(x) ** 2 - 2 * sp.sin(x) + 1 + sp.sqrt(2) * 0
    assert factored(expr) == (sp.sin(x) - 1) ** 2


def test_zero_is_seen_and_not_divided_by():
    x, y = SYMBOLS[:2]
    zero = (x + y) ** 2 - x**2 - 2 * x * y - y**2
    assert factored(zero) == 0
    with pytest.raises(DivisionError, match="division by zero"):
        factored(1 / zero)
