"""hat, vee, exp, log and Ad against matrix commutators and scipy.linalg.expm."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp
from scipy.linalg import expm

from geoctrl.algebra import product, rn, se2, se3, so2, so3
from geoctrl.algebra.representation.exponential import exp_action
from geoctrl.errors import DescriptionError

from .samples import GROUPS, heisenberg, velocity

ROUNDING = 1e-13


@pytest.fixture(params=GROUPS, name="algebra")
def _algebra(request):
    return GROUPS[request.param]


def test_hat_turns_brackets_into_commutators(algebra):
    rng = np.random.default_rng(21)
    x, y = velocity(algebra, rng), velocity(algebra, rng)
    X, Y = algebra.hat(x), algebra.hat(y)
    assert np.allclose(algebra.hat(algebra.bracket(x, y)), X @ Y - Y @ X, atol=ROUNDING)
    if algebra.brackets:
        # Negative control: the right-invariant convention.
        assert not np.allclose(algebra.hat(algebra.bracket(y, x)), X @ Y - Y @ X, atol=1e-3)


def test_vee_inverts_hat(algebra):
    x = velocity(algebra, np.random.default_rng(22))
    assert np.array_equal(algebra.vee(algebra.hat(x)), x)
    assert algebra.vee(algebra.hat(algebra.xi)) == algebra.xi


def test_hat_of_symbols(algebra):
    x = velocity(algebra, np.random.default_rng(23))
    symbolic = algebra.hat(algebra.xi)
    assert isinstance(symbolic, sp.ImmutableMatrix)
    numbers = symbolic.subs(dict(zip(algebra.xi, x, strict=True)))
    assert np.array_equal(np.array(numbers, dtype=float), algebra.hat(x))


def test_hat_of_rotations_is_the_cross_product():
    omega, y = np.random.default_rng(24).normal(size=(2, 3))
    assert np.allclose(so3().hat(omega) @ y, np.cross(omega, y), atol=ROUNDING)
    assert np.array_equal(so2().hat([0.7]), [[0, -0.7], [0.7, 0]])


# Tolerances follow the size of x: an exponential of a small x must keep x itself. 3e-13 and not less because
# scipy's rigid transforms lose digits at angles about 1e-3 (8e-14 of the translation was measured).
@pytest.mark.parametrize("size", [1e-9, 1e-3, 1.0])
def test_exp_is_the_matrix_exponential(algebra, size):
    x = velocity(algebra, np.random.default_rng(25), size)
    expected = expm(algebra.hat(x))
    assert np.allclose(algebra.exp(x), expected, rtol=0, atol=1e-14)
    # Off the diagonal nothing hides behind the 1 of the identity.
    off_diagonal = ~np.eye(len(expected), dtype=bool)
    assert np.allclose(algebra.exp(x)[off_diagonal], expected[off_diagonal], rtol=0, atol=3e-13 * size)


@pytest.mark.parametrize("size", [1e-9, 1e-3, 1.0])
def test_log_inverts_exp(algebra, size):
    x = velocity(algebra, np.random.default_rng(26), size)
    assert np.allclose(algebra.log(algebra.exp(x)), x, rtol=0, atol=3e-13 * size)


def test_identity(algebra):
    identity = np.eye(len(algebra.hat(np.zeros(algebra.n))))
    assert np.array_equal(algebra.exp(np.zeros(algebra.n)), identity)
    assert np.array_equal(algebra.log(identity), np.zeros(algebra.n))


def test_log_near_and_at_half_a_turn():
    axis = np.array([2.0, -1.0, 2.0]) / 3
    for angle in (np.pi - 1e-7, np.pi):
        g = so3().exp(angle * axis)
        # At half a turn both signs of the axis are right.
        assert np.allclose(so3().exp(so3().log(g)), g, atol=ROUNDING)
        assert np.linalg.norm(so3().log(g)) == pytest.approx(angle, abs=1e-12)
    # Angles beyond pi come back as the shorter turn.
    assert so2().log(so2().exp([3.5]))[0] == pytest.approx(3.5 - 2 * np.pi, abs=ROUNDING)
    plane = se2().exp([np.pi - 1e-7, 1.3, -0.4])
    assert np.allclose(se2().exp(se2().log(plane)), plane, atol=ROUNDING)


def test_Ad_is_conjugation_and_exponential_of_ad(algebra):
    rng = np.random.default_rng(27)
    x, y = velocity(algebra, rng), velocity(algebra, rng)
    g = algebra.exp(x)
    assert np.allclose(algebra.Ad(g), expm(algebra.ad(x)), atol=1e-12)
    conjugated = algebra.vee(g @ algebra.hat(y) @ np.linalg.inv(g))
    assert np.allclose(algebra.Ad(g) @ y, conjugated, atol=1e-12)
    if algebra.brackets:
        assert not np.allclose(algebra.Ad(g), expm(-algebra.ad(x)), atol=1e-3)


def test_Ad_of_symbols():
    theta, a, b = sp.symbols("theta a b", real=True)
    g = sp.Matrix([[sp.cos(theta), -sp.sin(theta), a], [sp.sin(theta), sp.cos(theta), b], [0, 0, 1]])
    expected = sp.Matrix([[1, 0, 0], [b, sp.cos(theta), -sp.sin(theta)], [-a, sp.sin(theta), sp.cos(theta)]])
    assert se2().Ad(g) == expected


def test_products_are_block_diagonal():
    algebra = GROUPS["mixed"]
    assert algebra.matrix_slices == (slice(0, 4), slice(4, 6), slice(6, 8), slice(8, 11))
    x = velocity(algebra, np.random.default_rng(28))
    g = algebra.exp(x)
    for factor, place, alone in zip(
        algebra.factors, algebra.matrix_slices, (se3(), so2(), rn(1), se2()), strict=True
    ):
        assert np.allclose(g[place, place], alone.exp(x[factor.xi_slice]), atol=ROUNDING)


@pytest.mark.parametrize("algebra", [heisenberg(), product(so3(), heisenberg())], ids=["alone", "in product"])
def test_no_matrix_group_is_attached_to_structure_constants(algebra):
    for method in (algebra.hat, algebra.exp, algebra.vee, algebra.log, algebra.Ad):
        with pytest.raises(DescriptionError, match="no matrix group is attached to heisenberg"):
            method(np.zeros(algebra.n))


@pytest.mark.parametrize(
    ("algebra", "matrix"),
    [
        (so3(), np.diag([0.0, 0.1, 0.0])),
        (se2(), np.array([[0, -1.0, 2], [1, 0, 3], [0, 0, 0.5]])),
        (se2(), np.full((3, 3), np.nan)),
        (so3(), sp.diag(0, 1, 0)),
        (product(so2(), so2()), np.ones((4, 4)) - np.eye(4)),
        (so3(), np.zeros((2, 2))),
    ],
)
def test_vee_refuses_matrices_outside_the_algebra(algebra, matrix):
    with pytest.raises(DescriptionError, match=r"X (is not in the matrix Lie algebra|has shape)"):
        algebra.vee(matrix)


@pytest.mark.parametrize(
    ("algebra", "matrix", "message"),
    [
        (so3(), 2 * np.eye(3), "not a rotation"),
        (so3(), np.diag([1.0, 1.0, -1.0]), "reflection"),
        (so2(), np.array([[0.0, 1.0], [1.0, 0.0]]), "reflection"),
        (se3(), np.diag([1.0, 1.0, 1.0, 2.0]), "last row"),
        (rn(2), np.array([[1.0, 0.5, 3], [0, 1, 2], [0, 0, 1]]), "not a translation"),
        (product(so3(), so2()), np.diag([1.0, 1, 1, 3, 3]), "block 2 of g is not a rotation"),
        (product(so2(), so2()), np.eye(4) + np.eye(4, k=2), "outside the blocks"),
        (so3(), np.full((3, 3), np.nan), "finite|is left"),
        (so3(), np.eye(4), "shape"),
    ],
)
def test_log_and_Ad_refuse_matrices_outside_the_group(algebra, matrix, message):
    for method in (algebra.log, algebra.Ad):
        with pytest.raises(DescriptionError, match=message):
            method(matrix)


@pytest.mark.parametrize("x", [[1.0, np.inf, 0], [1j, 0, 0], [sp.Symbol("x"), 0, 0], [1.0]])
def test_exp_needs_real_finite_numbers(x):
    with pytest.raises(DescriptionError, match=r"^x (is|has)"):
        so3().exp(x)


@pytest.mark.parametrize("size", [1e-3, 1.0, 20.0])
def test_exp_action_is_the_matrix_exponential(size):
    rng = np.random.default_rng(26)
    turn = rng.normal(size=(3, 3))
    general = rng.normal(size=(5, 5))
    # A turn keeps lengths at any angle; of a general matrix the exponential grows, so that it is scaled.
    for matrix, tolerance in ((size * (turn - turn.T), 1e-13), (min(size, 2.0) * general, 1e-11)):
        vectors = rng.normal(size=(len(matrix), 2))
        expected = expm(matrix) @ vectors
        assert np.allclose(
            exp_action(matrix, vectors), expected, rtol=0, atol=tolerance * np.abs(expected).max()
        )
        assert np.array_equal(exp_action(matrix, vectors[:, 0]).shape, (len(matrix),))
    assert exp_action(np.zeros((0, 0)), np.zeros(0)).size == 0


def test_long_ways_leave_turns_as_they_are():
    # A height moves by Y . Gamma while Gamma turns: its way says nothing about the turn.
    turn = np.array([[0.0, -0.9, 0.4], [0.9, 0.0, -1.3], [-0.4, 1.3, 0.0]])
    matrix, start = np.zeros((4, 4)), np.array([0.6, 0.0, 0.8, 0.0])
    matrix[:3, :3], matrix[3, :3] = turn, (3e9, -1e9, 2e9)
    moved = exp_action(matrix, start)
    assert np.allclose(moved[:3], exp_action(turn, start[:3]), rtol=0, atol=1e-14)
    # The way of a constant velocity: the integral of exp(turn s) start, by Gauss's rule.
    nodes, weights = np.polynomial.legendre.leggauss(20)
    turned = [exp_action((x + 1) / 2 * turn, start[:3]) for x in nodes]
    passed = weights / 2 @ np.array(turned)
    assert np.isclose(moved[3], matrix[3, :3] @ passed, rtol=1e-13, atol=0)
