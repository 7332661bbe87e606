"""The oracle in local coordinates against equations of motion known independently of it."""

import numpy as np
import sympy as sp
from scipy.spatial.transform import Rotation

from tests.oracles import sphere_angles
from tests.oracles.local_coordinates import LocalLagrange

ROUNDING = 1e-13
"""Of the double precision in which states are given; the differences themselves are exact to 1e-20."""
J = np.array([[0.9, 0.1, -0.2], [0.1, 1.3, 0.15], [-0.2, 0.15, 1.1]])


def hat(a):
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def symbols(name, count):
    return sp.symbols(f"{name}:{count}", real=True)


def body_energy(u):
    """1/2 sum over the rows of R' of row . (tr J / 2 - J) row."""
    weights = sp.Matrix(np.trace(J) / 2 * np.eye(3) - J)
    rows = [sp.Matrix(u[3 * r : 3 * r + 3]) for r in range(3)]
    return sum((row.T * weights * row)[0] for row in rows) / 2


def test_a_rigid_body_turns_by_eulers_equations():
    z, u = symbols("z", 9), symbols("u", 9)
    rng = np.random.default_rng(3)
    R, W, couple = Rotation.random(rng=rng).as_matrix(), rng.normal(size=3), rng.normal(size=3)
    oracle = LocalLagrange(["attitude"], body_energy(u), z, u)
    # A moment m in the body does the work m . eta on R hat(eta): the force R hat(m) / 2.
    found = oracle.rates(R, R @ hat(W), R @ hat(couple) / 2)
    expected = np.linalg.solve(J, np.cross(J @ W, W) + couple)
    np.testing.assert_allclose(R.T @ found.second - hat(W) @ hat(W), hat(expected), atol=ROUNDING)
    assert abs(found.energy - W @ J @ W / 2) < ROUNDING


def test_directions_move_as_in_angles():
    z, u = symbols("z", 6), symbols("u", 6)
    q, v = (
        [sp.Matrix(z[3 * i : 3 * i + 3]) for i in range(2)],
        [sp.Matrix(u[3 * i : 3 * i + 3]) for i in range(2)],
    )
    L = (
        (1 + z[0] ** 2 / 4) * v[0].dot(v[0])
        + 0.3 * v[0].dot(v[1])
        + 0.7 * v[1].dot(v[1])
        - q[0].dot(q[1]) ** 3
    )
    L += 0.2 * z[4] * u[0]
    rng = np.random.default_rng(5)
    place = rng.normal(size=(2, 3))
    place /= np.linalg.norm(place, axis=1)[:, None]
    rate = np.cross(rng.normal(size=(2, 3)), place)
    push = rng.normal(size=(2, 3))
    expected = sphere_angles.Angles(L, q, v).accelerations(place, rate, push)
    found = LocalLagrange(["direction"] * 2, L, z, u).rates(place, rate, push)
    np.testing.assert_allclose(found.second, expected, atol=1e-12)  # the angles are near no pole


def test_a_place_in_turning_axes_feels_coriolis():
    z, u = symbols("z", 3), symbols("u", 3)
    W = np.array([0.3, -0.4, 0.5])
    x, v = np.array([0.4, 0.2, -0.7]), np.array([1.0, 0.5, -0.3])
    oracle = LocalLagrange(["place"], sp.Matrix(u).dot(sp.Matrix(u)), z, u, W)
    expected = -2 * np.cross(W, v) - np.cross(W, np.cross(W, x))
    np.testing.assert_allclose(oracle.rates([x], [v]).second, [expected], atol=ROUNDING)


def test_a_body_in_turning_axes_moves_as_in_axes_at_rest():
    z, u = symbols("z", 9), symbols("u", 9)
    rng = np.random.default_rng(9)
    R, Omega, W = Rotation.random(rng=rng).as_matrix(), rng.normal(size=3), rng.normal(size=3)
    relative = Omega - R.T @ W
    found = LocalLagrange(["attitude"], body_energy(u), z, u, W).rates(R, R @ hat(relative))
    # (R^T W)' = -relative x R^T W is the difference of the two angular accelerations.
    turning = R.T @ found.second - hat(relative) @ hat(relative) - hat(np.cross(relative, R.T @ W))
    np.testing.assert_allclose(turning, hat(np.linalg.solve(J, np.cross(J @ Omega, Omega))), atol=ROUNDING)


def test_a_wrong_sign_is_noticed():
    """The negative control: Coriolis the other way round."""
    z, u = symbols("z", 3), symbols("u", 3)
    oracle = LocalLagrange(["place"], sp.Matrix(u).dot(sp.Matrix(u)), z, u, [0.3, -0.4, 0.5])
    x, v = np.array([0.4, 0.2, -0.7]), np.array([1.0, 0.5, -0.3])
    W = -np.array([0.3, -0.4, 0.5])
    wrong = -2 * np.cross(W, v) - np.cross(W, np.cross(W, x))
    assert np.abs(oracle.rates([x], [v]).second - wrong).max() > 0.1
