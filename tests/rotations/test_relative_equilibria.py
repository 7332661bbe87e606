"""Steady rotations of bodies with linear terms: Lagrangian, stiffness, search, against formulas by hand."""

from itertools import pairwise

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl import rotations
from geoctrl._scalars import evaluate
from geoctrl._scalars.arithmetic.arithmetics import FLOAT
from geoctrl.manifolds.views import turning_axes
from geoctrl.rotations.attitudes import exp, hat, log
from tests.rotations.systems import J, general, gyrostat, random_state


def lagrangian_of_the_proof(system, spin, R, xi):
    """M, a and U of ``natural`` put together, at Rdot = R hat(xi)."""
    parts = system.seen_from(spin).natural
    values = dict(zip(parts.coordinates.values(), map(float, R.ravel()), strict=True))
    values |= {node: float(system.params[k]) for k, node in system.parameter_nodes.items()}
    V = np.array([Q @ hat(v) for Q, v in zip(R, xi, strict=True)]).ravel()
    rows, columns, entries = zip(*parts.mass, strict=True)
    kinetic = np.array(evaluate(list(entries), values, FLOAT)) @ (V[list(rows)] * V[list(columns)]) / 2
    a = np.array(evaluate(parts.gyroscopic, values, FLOAT))
    return kinetic + a @ V - evaluate([parts.potential], values, FLOAT)[0]


@pytest.mark.parametrize("spin", [[0.0, 0.0, 0.0], [0.4, -0.3, 0.9]])
def test_the_lagrangian_of_the_proof_is_that_of_the_inertial_velocities(spin):
    """L = sum Omega.J Omega / 2 + a.Omega - U, where Omega = xi + R^T (w + spin) is seen from no axes."""
    R, xi = random_state(2, 21)
    w, k, j = np.array([0.3, 0.65, -0.4]), 1.3, 2.1
    Omega = xi + (w + spin) @ R
    a = [R[0].T @ [0.3, 0.5, R[1][0, 1]], np.array([0.1, 0.2 * k, -0.4])]
    inertias = [J, np.diag([j, 1.3, 0.7])]
    U = k * np.trace(R[0].T @ R[1]) + 3 * R[0][2, 1] * R[1][0, 2] ** 2
    L = sum(v @ M @ v / 2 + b @ v for v, M, b in zip(Omega, inertias, a, strict=True)) - U
    assert lagrangian_of_the_proof(general(), spin, R, xi) == pytest.approx(L, abs=1e-13)


def sleeping(rotor, **turning):
    """Verdict on an upright heavy gyrostat, I = 2, C = 1, m g l = 4.905, that turns with 3 rad/s."""
    top = rotations.pendulum3d([2.0, 2.0, 1.0], 1.0, [0, 0, 0.5]).replace(linear=[[0, 0, rotor]])
    spin = turning.pop("spin", None)
    guess = np.eye(3)[None], np.array([[0, 0, 3.0]])
    eq = gc.find_equilibrium(top.replace(**turning), guess, spin=spin)
    return gc.certify(top.replace(**turning), eq).verdict


@pytest.mark.parametrize("turning", [{"spin": [0, 0, 3.0]}, {"frame_rate": [0, 0, 3.0]}])
@pytest.mark.parametrize("sense", [1, -1])
def test_a_rotor_holds_the_top_up_from_lagranges_threshold_on(turning, sense):
    """(C Omega + a)^2 > 4 m g l I, the rotor's momentum a with the spin or against it."""
    a = sense * np.sqrt(4 * 4.905 * 2) - 3
    below, above = a - 1e-6 * sense, a + 1e-6 * sense
    assert sleeping(below, **turning) is gc.Verdict.PROVED_UNSTABLE
    assert sleeping(above, **turning) is gc.Verdict.UNDECIDED  # no growth; its heading is free


# -- potentials and moments by functions ------------------------------------------------------------------

FRAME, ROTOR = np.array([0.9, -1.4, 1.1]), np.array([0.7, -0.5, 0.9])
GUESS = exp([[0.1, -0.2, 0.15]])


def potential(R, p):
    return -3 * R[0, 0, 0] - 2.5 * R[0, 1, 1] - 4 * R[0, 2, 2] + R[0, 0, 1] * R[0, 2, 1]


def gradient(R, p):
    G = np.zeros((1, 3, 3))
    G[0, 0, 0], G[0, 1, 1], G[0, 2, 2] = -3, -2.5, -4
    G[0, 0, 1], G[0, 2, 1] = R[0, 2, 1], R[0, 0, 1]
    return G


def held():
    """A gyrostat held by a field that turns with its frame, its potential a function."""
    return rotations.RotationSystem(
        inertias=J, potential=potential, gradient=gradient, linear=[ROTOR], frame_rate=FRAME
    )


def second_variation(function, h=0.02):
    """Derivatives (3, 3) of a function of turns eta at zero, extrapolated to order four."""

    def differences(h):
        e = h * np.eye(3)
        return np.array(
            [
                [
                    (function(a + b) - function(a - b) - function(b - a) + function(-a - b)) / (4 * h * h)
                    for b in e
                ]
                for a in e
            ]
        )

    return (4 * differences(h / 2) - differences(h)) / 3


def test_stiffness_in_a_turning_frame_is_that_of_the_amended_potential():
    """U - b.J b / 2 - a.b with b = R^T w, differentiated twice by turns of the body."""
    system = held()
    eq = gc.find_equilibrium(system, (GUESS, np.zeros((1, 3))))

    def amended(eta):
        R = eq.R[0] @ exp(eta)
        b = R.T @ FRAME
        return potential(R[None], None) - b @ J @ b / 2 - ROTOR @ b

    slope = [(amended(e) - amended(-e)) / 2e-4 for e in 1e-4 * np.eye(3)]
    np.testing.assert_allclose(slope, 0, rtol=0, atol=1e-7)
    found = system.seen_from().stiffness(eq.x, eq.u, eq.params)
    np.testing.assert_allclose(found, second_variation(amended), rtol=0, atol=1e-6)


def drag(t, R, Omega, u, p):
    """A constant moment, and that of a fluid at rest in which the body turns; by entries, as numba takes
    seconds for rows.
    """
    out = np.zeros((1, 3))
    out[0, 0], out[0, 1], out[0, 2] = (
        0.3 - 0.8 * Omega[0, 0],
        0.2 - 0.32 * Omega[0, 1],
        -0.1 - 1.36 * Omega[0, 2],
    )
    return out


def written():
    """All of it by expressions."""
    (R,), (w,) = rotations.symbols(1)
    moment = sp.Matrix([0.3 - 0.8 * w[0], 0.2 - 0.32 * w[1], -0.1 - 1.36 * w[2]])
    U = -3 * R[0, 0] - 2.5 * R[1, 1] - 4 * R[2, 2] + R[0, 1] * R[2, 1]
    return held().replace(potential=U, gradient=None, forces=[moment])


SEARCHES = {"potential": held, "moment": lambda: held().replace(forces=drag), "expressions": written}


@pytest.mark.long(reason="the point is found and its stiffness differentiated beside it")
@pytest.mark.parametrize("name", SEARCHES)
def test_rest_in_a_turning_frame_is_found_with_quadratic_convergence(name, monkeypatch):
    """The number of correct figures doubles: any term of the derivative with a wrong sign spoils this."""
    visited = []

    def spied(system, z, *rest):
        visited.append(z)
        return moments(system, z, *rest)

    moments = turning_axes.still_moments
    monkeypatch.setattr(turning_axes, "still_moments", spied)
    eq = gc.find_equilibrium(SEARCHES[name](), (GUESS, np.zeros((1, 3))))
    errors = np.array([np.linalg.norm(log(eq.R[0].T @ R)) for R in visited])
    near = [(a, b) for a, b in pairwise(errors) if 1e-5 < a < 0.1]
    assert near
    assert all(b < 3 * a**2 for a, b in near)


def test_gravity_turns_the_momentum_of_the_gyrostat_in_steady_rotation():
    """b x (J b + a) = rho x m R^T g with b = R^T spin."""
    spin = np.array([0, 0, 2.5])
    eq = gc.find_equilibrium(gyrostat(), random_state(1, 3, 0.0), spin=spin)
    b = eq.R[0].T @ spin
    gravity = 1.3 * np.cross([0.2, 0.1, -0.3], eq.R[0].T @ [0, 0, -9.81])
    np.testing.assert_allclose(eq.Omega[0], b, rtol=0, atol=1e-12)
    np.testing.assert_allclose(np.cross(b, J @ b + ROTOR), gravity, rtol=0, atol=1e-9)
