"""Forms of rational functions of sines and cosines: equal functions, and zero where they vanish."""

import numpy as np
import pytest
import sympy as sp

from geoctrl._scalars.algebra.circles import on_circles
from geoctrl.errors import DivisionError

a, b, m, l = sp.symbols("a b m l", real=True)  # noqa: E741
s, c = sp.sin, sp.cos


def drawn(rng):
    """A quotient of polynomials in sines, cosines and parameters."""
    pieces = [s(a), c(a), s(b), c(b), m, l, sp.tan(a), s(a + b), c(2 * a)]

    def polynomial():
        terms = [
            sp.Rational(int(rng.integers(-5, 6)), int(rng.integers(1, 4)))
            * sp.Mul(*(pieces[i] for i in rng.integers(0, len(pieces), 2)))
            for _ in range(2)
        ]
        return sp.Add(*terms)

    return polynomial() / (polynomial() + 7)


@pytest.mark.parametrize("seed", range(12))
def test_the_form_is_the_function(seed):
    rng = np.random.default_rng(seed)
    e = drawn(rng)
    found = on_circles(e)
    for _ in range(3):
        at = dict(zip((a, b, m, l), (sp.Float(x, 40) for x in rng.uniform(-2, 2, 4)), strict=True))
        expected = e.evalf(30, subs=at)
        assert abs(found.evalf(30, subs=at) - expected) < 1e-25 * (1 + abs(expected))


@pytest.mark.parametrize("seed", range(6))
def test_what_vanishes_is_zero(seed):
    e = drawn(np.random.default_rng(seed))
    assert on_circles(e - e.xreplace({s(a): (1 - c(a) ** 2) / s(a)})) == 0
    assert on_circles(e - e.xreplace({c(b): c(b) ** 3 + c(b) * s(b) ** 2})) == 0
    assert on_circles(e - e.subs(m, m + 1)) != 0 or not e.has(m)


def test_forms_are_short():
    assert on_circles((1 - s(a) ** 2) / c(a)) == c(a)
    assert on_circles(s(a) * sp.tan(a) + c(a)) == 1 / c(a)
    assert on_circles(m * s(a) ** 2 / 2 + m * c(a) ** 2 / 2) == m / 2
    assert on_circles((1 - c(a)) / s(a) ** 2) == 1 / (1 + c(a))
    assert on_circles(sp.sqrt(m) * (s(b) ** 2 - 1) / c(b)) == -sp.sqrt(m) * c(b)
    assert on_circles(sp.Integer(3)) == 3


def test_a_denominator_that_vanishes_is_refused():
    with pytest.raises(DivisionError, match="zero"):
        on_circles(1 / (s(a) ** 2 + c(a) ** 2 - 1))
