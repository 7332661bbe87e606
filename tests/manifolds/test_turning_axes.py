"""Spheres seen from turning axes: second variation by differences along geodesics, and forces there."""

from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl import spheres
from geoctrl.manifolds import Attitude, Direction, Place, ProductSystem

SPIN = np.array([0, 0, 8.5])


def moved(q, v):
    """Directions along the geodesics that leave q with velocities v, after the time one."""
    size = np.linalg.norm(v, axis=1)[:, None]
    return np.cos(size) * q + np.sinc(size / np.pi) * v


def frames(q):
    """Two tangent vectors of each direction, as rows of all bodies: (2n, n, 3)."""
    rows = []
    for i, direction in enumerate(q):
        first = np.cross(direction, [0.3, 0.5, -0.8])
        first /= np.linalg.norm(first)
        for v in (first, np.cross(direction, first)):
            rows.append(np.zeros_like(q))
            rows[-1][i] = v
    return np.array(rows)


def test_stiffness_is_the_second_variation_of_the_amended_potential():
    """V - sum m_ij (W x q_i).(W x q_j)/2 along geodesics, where a chain turns about the vertical."""
    chain = spheres.chain_pendulum([1.0, 2.0], [0.5, 0.7])
    guess = spheres.project(np.array([[0.5, 0, -0.8], [0.8, 0, -0.5]]), np.zeros((2, 3)))
    point = gc.find_equilibrium(chain, guess, spin=SPIN)
    M, E = chain.mass_matrix(point.q), frames(point.q)

    def amended(v):
        q = moved(point.q, v)
        turning = np.cross(SPIN, q)
        return chain.potential(q) - np.sum(M * (turning @ turning.T)) / 2

    h = 1e-3  # errors of h^2 times fourth derivatives of size a thousand
    n = len(E)
    slope = [(amended(h * e) - amended(-h * e)) / (2 * h) for e in E]
    assert np.abs(slope).max() < 1e-3
    second = np.zeros((n, n))
    for a in range(n):
        for b in range(n):
            ups = amended(h * (E[a] + E[b])) + amended(-h * (E[a] + E[b]))
            downs = amended(h * (E[a] - E[b])) + amended(h * (E[b] - E[a]))
            second[a, b] = (ups - downs) / (4 * h**2)
    found = chain.seen_from(SPIN).stiffness(point.x, point.u, chain.parameters_at(None))
    expected = np.linalg.eigvalsh(second)
    assert np.abs(expected).max() > 10
    assert np.linalg.eigvalsh(found) == pytest.approx(expected, abs=1e-4 * np.abs(expected).max())


def test_forces_in_turning_axes_are_those_of_the_whole_motion():
    """Drag by the velocities in space: the reduced field, carried back, is the field and the turning."""
    q, omega = spheres.symbols(2)
    drag = [-0.7 * omega[i].cross(q[i]) * (1 + q[i][2]) for i in range(2)]
    system = spheres.SphereSystem(
        mass=[[2.0, 0.4], [0.4, 1.3]], potential=5 * q[0][2] - 3 * q[0].dot(q[1]), forces=drag
    )
    x = system.generic_state(3)
    view = system.view([0.0, 0.0, 1.7])
    y = view.reduced_state(x, {})
    carried = view.derivative(y, {}) @ view.reduced.rhs(0.0, y)
    expected = system.seen_from([0.0, 0.0, 1.7]).rate(x, np.zeros(0), {})
    assert carried == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("kinds", ["x", "q", "R", "xqR"])
def test_friction_in_a_turning_frame_is_that_of_inertial_velocities(kinds):
    """What is proved of it has the characteristic polynomial of the system's own linearisation."""
    x, q, R = Place("x"), Direction("q"), Attitude("R")
    x_z, q_z, w = x.z, q.z, R.velocity
    parts = {
        "x": (x, 2 * x.rate.dot(x.rate), 3 * x_z.dot(x_z) + x_z[0] * x_z[1], -sp.diag(1, 3, 2) * x.velocity),
        "q": (q, q.rate.dot(q.rate), q_z[0] ** 2 / 3 - 2 * q_z[2], -2 * sp.Matrix(q.rates_of(q.velocity))),
        "R": (R, w.dot(sp.diag(2, 3, 4) * w) / 2, -5 * R.z.trace(), sp.Matrix([-w[0], -3 * w[1], w[0]])),
    }
    chosen = [parts[k] for k in kinds]
    potential = sum(p[2] for p in chosen)
    if len(kinds) > 1:
        potential += x_z[0] * q_z[1] + R.z[0, 2] * x_z[2]
    system = ProductSystem(
        [p[0] for p in chosen],
        kinetic=sum(p[1] for p in chosen),
        potential=potential,
        forces={p[0].name: p[3] for p in chosen},
        frame_rate=[0, 0, sp.Rational(7, 5)],
    )
    rest = {"x": [0.0] * 3, "q": [0.0, 0.0, 1.0], "R": np.eye(3).ravel().tolist()}
    turning = {"x": [0.0] * 3, "q": [0.0] * 3, "R": [0.0, 0.0, 1.4]}
    start = [v for part in (rest, turning) for k in kinds for v in part[k]]
    point = gc.find_equilibrium(system, np.array(start))
    np.testing.assert_allclose(point.x, start, atol=1e-14)
    found = gc.certify(system, np.array(start)).evidence["characteristic_polynomial_on_leaf"]
    expected = np.poly(gc.linearize(system, point).eigenvalues)
    np.testing.assert_allclose([float(Fraction(c)) for c in found], expected, atol=1e-8)
