"""Exact root location against polynomials built from known factors, and against numpy.roots."""

from fractions import Fraction

import numpy as np
import pytest
from flint import fmpq

from geoctrl.analysis.linear.subspaces import roots_on_axis
from geoctrl.decisions.arithmetic.eliminations import locate


def multiply(factors):
    product = [Fraction(1)]
    for factor in factors:
        long = [Fraction(0)] * (len(product) + len(factor) - 1)
        for i, a in enumerate(product):
            for j, b in enumerate(factor):
                long[i + j] += a * b
        product = long
    return product


def drawn(rng, kinds):
    """Factors of the given kinds and their roots, each with its multiplicity."""
    factors, roots = [], []
    for kind in kinds:
        a, b = (
            Fraction(int(rng.integers(1, 9)), int(rng.integers(1, 5))),
            Fraction(int(rng.integers(1, 9)), 3),
        )
        if kind == "zero":
            factors.append([1, 0])
            roots += [0j]
        elif kind == "left":
            factors.append([1, a])
            roots += [complex(-a)]
        elif kind == "right":
            factors.append([1, -a])
            roots += [complex(a)]
        elif kind == "saddle":
            factors.append([1, 0, -(a**2)])
            roots += [complex(a), complex(-a)]
        elif kind == "axis":
            factors.append([1, 0, a**2])
            roots += [1j * float(a), -1j * float(a)]
        elif kind == "left pair":
            factors.append([1, 2 * a, a**2 + b**2])
            roots += [complex(-a, b), complex(-a, -b)]
        elif kind == "right pair":
            factors.append([1, -2 * a, a**2 + b**2])
            roots += [complex(a, b), complex(a, -b)]
        else:  # a quartet, symmetric about both axes
            factors += [[1, 2 * a, a**2 + b**2], [1, -2 * a, a**2 + b**2]]
            roots += [complex(s * a, t * b) for s in (1, -1) for t in (1, -1)]
    return factors, np.array(roots)


def located(polynomial):
    """Whether a root lies to the right, whether all lie to the left, whether those on the axis are simple and
    not zero, and the number of those on the axis.
    """
    return *locate([fmpq(*Fraction(c).as_integer_ratio()) for c in polynomial]), roots_on_axis(polynomial)


KINDS = ["zero", "left", "right", "saddle", "axis", "left pair", "right pair", "quartet"]


@pytest.mark.parametrize("seed", range(60))
def test_known_factors(seed):
    rng = np.random.default_rng(seed)
    kinds = list(rng.choice(KINDS, size=rng.integers(1, 5), p=[0.1, 0.25, 0.05, 0.1, 0.25, 0.15, 0.05, 0.05]))
    factors, roots = drawn(rng, kinds)
    polynomial = multiply([*factors, [Fraction(int(rng.integers(1, 7)))]])
    right, left, simple, count = located(polynomial)
    axis = [r for r in roots if r.real == 0]
    assert right == any(r.real > 0 for r in roots), kinds
    assert left == all(r.real < 0 for r in roots), kinds
    assert count == len(axis), kinds
    if not right:
        assert simple == (len(set(axis)) == len(axis) and 0 not in axis)
    # numpy's floats say the same wherever no root is near the axis (multiple roots are off by 1e-4 or so).
    clear = [r for r in np.roots(np.array(polynomial, dtype=float)) if abs(r.real) > 1e-2]
    assert any(r.real > 0 for r in clear) == right


@pytest.mark.parametrize("power", [1, 2, 3])
def test_repeated_imaginary_roots_are_not_simple(power):
    found = located(multiply([[1, 0, Fraction(4, 9)]] * power + [[1, Fraction(2, 3)]]))
    assert found == (False, False, power == 1, 2 * power)


def test_imaginary_roots_next_to_a_symmetric_saddle_are_counted():
    assert located(multiply([[1, 0, 2], [1, 0, 2], [1, 0, -3], [1, 1]])) == (True, False, False, 4)


def test_irrational_roots_a_hair_off_the_axis_are_decided():
    tiny = Fraction(1, 10**30)
    assert located([1, tiny, 1])[1]
    assert located([1, -tiny, 1])[0]
    assert located([1, 0, 1])[3] == 2
    # The same coefficient as a float is lost in numpy's companion matrix: this is why the test is exact.
    assert np.max(np.abs(np.roots([1, float(tiny), 1]).real)) < 1e-16


def test_constants_have_no_roots():
    assert located([Fraction(-5, 3)]) == (False, True, True, 0)
