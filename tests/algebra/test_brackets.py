"""bracket, ad, ad_star and the Killing form, against explicit formulas and across arithmetics."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

from geoctrl.algebra import product, se2, se3, so2, so3
from geoctrl.errors import DescriptionError

from .samples import GROUPS, heisenberg

ALGEBRAS = {**GROUPS, "heisenberg": heisenberg(), "with custom": product(se2(), heisenberg())}
# Sums of some ten products of numbers of order one.
ROUNDING = 1e-13


@pytest.fixture(params=ALGEBRAS, name="algebra")
def _algebra(request):
    return ALGEBRAS[request.param]


def test_bracket_is_antisymmetric_and_satisfies_jacobi(algebra):
    rng = np.random.default_rng(11)
    x, y, z = rng.normal(size=(3, algebra.n))
    assert np.allclose(algebra.bracket(x, y), -algebra.bracket(y, x), atol=ROUNDING)
    cyclic = sum(algebra.bracket(algebra.bracket(a, b), c) for a, b, c in ((x, y, z), (y, z, x), (z, x, y)))
    assert np.allclose(cyclic, 0, atol=ROUNDING)


def test_ad_star_is_dual_to_the_bracket(algebra):
    rng = np.random.default_rng(12)
    x, y, mu = rng.normal(size=(3, algebra.n))
    assert algebra.ad_star(x, mu) @ y == pytest.approx(mu @ algebra.bracket(x, y), abs=ROUNDING)
    assert np.allclose(algebra.ad_star(x, mu), algebra.ad(x).T @ mu, atol=ROUNDING)
    assert np.allclose(algebra.ad(x) @ y, algebra.bracket(x, y), atol=ROUNDING)


def test_ad_is_a_representation(algebra):
    rng = np.random.default_rng(13)
    x, y = rng.normal(size=(2, algebra.n))
    ad_x, ad_y = algebra.ad(x), algebra.ad(y)
    assert np.allclose(algebra.ad(algebra.bracket(x, y)), ad_x @ ad_y - ad_y @ ad_x, atol=ROUNDING)


def test_brackets_agree_with_structure_constants(algebra):
    rng = np.random.default_rng(14)
    x, y = rng.normal(size=(2, algebra.n))
    expected = np.einsum("ijk,i,j->k", algebra.structure_constants, x, y)
    assert np.allclose(algebra.bracket(x, y), expected, atol=ROUNDING)
    assert [entry[:3] for entry in algebra.brackets] == [
        tuple(map(int, index)) for index in np.argwhere(algebra.structure_constants)
    ]


def test_se3_formulas():
    omega, y, omega2, y2, pi, p = np.random.default_rng(15).normal(size=(6, 3))
    x, x2, mu = np.r_[omega, y], np.r_[omega2, y2], np.r_[pi, p]
    cross = np.cross
    assert np.allclose(
        se3().bracket(x, x2), np.r_[cross(omega, omega2), cross(omega, y2) - cross(omega2, y)], atol=ROUNDING
    )
    coadjoint = np.r_[cross(pi, omega) + cross(p, y), cross(p, omega)]
    assert np.allclose(se3().ad_star(x, mu), coadjoint, atol=ROUNDING)
    flipped = np.r_[cross(pi, omega) - cross(p, y), cross(p, omega)]
    assert not np.allclose(se3().ad_star(x, mu), flipped, atol=1e-3)


def test_so3_and_se2_formulas():
    omega, pi = np.random.default_rng(16).normal(size=(2, 3))
    assert np.allclose(so3().ad_star(omega, pi), np.cross(pi, omega), atol=ROUNDING)
    turn = np.array([[0, -1], [1, 0]])
    (w1, *y1), (w2, *y2) = np.random.default_rng(17).normal(size=(2, 3))
    expected = np.r_[0, w1 * turn @ y2 - w2 * turn @ y1]
    assert np.allclose(se2().bracket([w1, *y1], [w2, *y2]), expected, atol=ROUNDING)
    assert np.array_equal(so2().bracket([1.3], [-0.4]), [0.0])


def test_killing_form():
    assert so3().killing_form() == -2 * sp.eye(3)
    assert se3().killing_form() == sp.diag(-4 * sp.eye(3), sp.zeros(3))
    assert heisenberg().killing_form() == sp.zeros(3)


@pytest.mark.parametrize("name", ["se3", "mixed"])
def test_symbols_give_what_numbers_give(name):
    algebra = GROUPS[name]
    x, mu = np.random.default_rng(18).normal(size=(2, algebra.n))
    values = dict(zip([*algebra.xi, *algebra.mu], [*x, *mu], strict=True))
    for method in (algebra.ad_star, algebra.bracket):
        symbolic = method(algebra.xi, algebra.mu)
        assert isinstance(symbolic, sp.ImmutableMatrix)
        numbers = np.array(symbolic.subs(values), dtype=float).ravel()
        assert np.allclose(numbers, method(x, mu), atol=ROUNDING)
    numbers = np.array(algebra.ad(algebra.xi).subs(values), dtype=float)
    assert np.allclose(numbers, algebra.ad(x), atol=ROUNDING)


def test_integers_next_to_symbols_stay_exact():
    algebra = heisenberg()
    p = algebra.xi[0]
    for y in ([0, 1, 0], (0, 1, 0), sp.Matrix([0, 1, 0]), np.array([0, 1, 0])):
        assert algebra.bracket(algebra.xi, y) == sp.Matrix([0, 0, sp.Rational(5, 3) * p])
    assert algebra.bracket(list(algebra.xi), [0, Fraction(1, 2), 0])[2] == sp.Rational(5, 6) * p


def test_kinds_of_arrays_are_kept():
    algebra = heisenberg()
    assert algebra.bracket([1, 0, 0], [0, 1, 0]).dtype == float
    assert algebra.bracket(np.array([1j, 0, 0]), [0, 1, 0])[2] == pytest.approx(5j / 3)
    fractions = np.array([Fraction(1, 7), Fraction(0), Fraction(0)], dtype=object)
    exact = algebra.bracket(fractions, np.array([0, Fraction(3), 0], dtype=object))
    assert exact[2] == Fraction(5, 7)
    symbols = np.array(list(algebra.xi), dtype=object)
    assert isinstance(algebra.ad(symbols), np.ndarray)


@pytest.mark.parametrize("x", [[1.0, 2.0], np.zeros((3, 1)), sp.zeros(2, 2), 4.0, [[1], [1, 2], [3]]])
def test_vectors_of_another_shape_are_refused(x):
    with pytest.raises(DescriptionError, match=r"^x (has shape|is ragged)"):
        so3().bracket(x, [1.0, 2.0, 3.0])


@pytest.mark.parametrize("entry", ["a", "__import__('os')", b"1", None, {}, [1], {1}])
def test_what_is_no_number_is_refused(entry):
    vector, matrix = np.empty(3, dtype=object), np.empty((3, 3), dtype=object)
    vector[:], matrix[:] = 1, 0
    vector[1], matrix[1, 0] = entry, entry
    algebra = so3()
    calls = [algebra.hat, algebra.ad, algebra.exp, lambda x: algebra.bracket(x, x)]
    calls.append(lambda x: algebra.ad_star(x, [1.0, 2.0, 3.0]))
    for call in calls:
        with pytest.raises(DescriptionError, match="numbers or expressions"):
            call(vector)
    for call in (algebra.vee, algebra.log, algebra.Ad):
        with pytest.raises(DescriptionError, match="numbers or expressions"):
            call(matrix)


def test_text_is_refused():
    with pytest.raises(DescriptionError, match="numbers or expressions"):
        so3().ad(["a", "b", "c"])
    with pytest.raises(DescriptionError, match="doubles"):
        so3().exp([10**400, 0, 0])


@pytest.mark.parametrize("kind", [np.int8, np.float16, np.float32, np.longdouble, Decimal])
@pytest.mark.parametrize("objects", [False, True])
def test_numbers_of_every_type_are_multiplied_as_numbers(kind, objects):
    """100 * 90 wraps as int8, and 100 * 90 + 1 / 8 rounds as float16."""
    x, y = [kind(100), kind(3), kind(7)], [kind(5), kind(90), kind(11)]
    if objects:
        x, y = np.array(x, dtype=object), np.array(y, dtype=object)
    assert list(so3().bracket(x, y)) == [3 * 11 - 7 * 90, 7 * 5 - 100 * 11, 100 * 90 - 3 * 5]
    assert so3().exp(x).dtype == float
