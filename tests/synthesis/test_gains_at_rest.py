"""Laws where nothing moves by itself: of dx/dt = b u the best gain follows from the weights alone."""

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc


@pytest.fixture(scope="module")
def described():
    """A body at rest with a rotor along an axis that is askew in it."""
    kilogram, metre = gc.Parameter("m", 1.0, unit="kg"), gc.Parameter("l", 1.0, unit="m")
    J = kilogram.symbol * metre.symbol**2
    return gc.EulerPoincare(
        algebra=gc.so3(),
        inertia=sp.diag(2, 3, 5) * J,
        rotors=gc.Rotors(coupling=sp.Matrix([1, 2, -1]) * J / 5, inertia=[[J / 2]], names=["spin"]),
        parameters=[kilogram, metre],
        name="askew",
    )


def at_rest(description):
    system = description.reduce()
    return system, np.zeros(system.nstates)


WEIGHTS = np.array([3.0, 0.7, 11.0, 0.02])


def gain_of_a_long_time(b, Q, R, steps=4000, h=6e-3):
    """Of the least cost within a time: -dP/dt = Q - P b b^T P/R backwards from zero, by Runge and Kutta."""

    def rate(P):
        return Q - P @ b @ b.T @ P / R

    P = np.zeros_like(Q)
    for _ in range(steps):
        k1 = rate(P)
        k2 = rate(P + h / 2 * k1)
        k3 = rate(P + h / 2 * k2)
        P = P + h / 6 * (k1 + 2 * k2 + 2 * k3 + rate(P + h * k3))
    return b.T @ P / R


def test_the_gain_is_the_limit_of_those_of_finite_times(described):
    system, x = at_rest(described)
    linear = gc.linearize(system, x)
    assert not np.any(linear.A)  # what follows is about this
    K = gc.lqr(system, x, WEIGHTS, 2.0).K
    b, Q = linear.B, np.diag(WEIGHTS)
    assert K == pytest.approx(b.T @ Q / np.sqrt(2.0 * b.T @ Q @ b), rel=1e-12)
    assert K == pytest.approx(gain_of_a_long_time(b, Q, 2.0), rel=1e-6)


def test_negative_control_equal_weights_give_another_split(described):
    system, x = at_rest(described)
    K = gc.lqr(system, x, WEIGHTS, 2.0).K
    b = gc.linearize(system, x).B
    along = b.T / np.sqrt(2.0 * b.T @ b)
    assert np.max(np.abs(K / np.linalg.norm(K) - along / np.linalg.norm(along))) > 0.1


@pytest.mark.parametrize("units", [dict(time=1000), dict(mass=1e-6, length=10), dict(length=1024)])
def test_gains_do_not_hang_on_the_units(described, units):
    system, x = at_rest(described)
    other, change = described.in_units(**units)
    moved = other.reduce()
    S = np.array([float(v) for v in change.states.values()])
    E = np.array([float(v) for v in change.inputs.values()])
    back = S / E[:, None]
    K = gc.lqr(system, x, WEIGHTS, 2.0).K
    there = gc.lqr(moved, x, WEIGHTS / S**2, 2.0 / E**2).K
    assert there * back == pytest.approx(K, rel=1e-9)
    # Poles have no weights: how far the input pushes states beside each other is what there is.
    time = float(change.time(1.0))
    placed = gc.place(system, x, [-2.0]).K
    assert gc.place(moved, x, [-2.0 / time]).K * back == pytest.approx(placed, rel=1e-9)
    loop = gc.linearize(system, x).A - gc.linearize(system, x).B @ placed
    assert np.min(np.linalg.eigvals(loop).real) == pytest.approx(-2.0, rel=1e-12)
