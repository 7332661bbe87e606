"""S. A. Chaplygin, On a ball's rolling on a horizontal plane (1903), and the theory of the sleigh (1911)."""

from functools import cache

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import solve_ivp

import geoctrl as gc
from tests.literature.rolling_by_hand import linearised, rates
from tests.literature.thresholds import assert_flips, verdict
from tests.oracles.contact import RollingBody, Sphere


@cache
def ball():
    return gc.models.get("chaplygin-sphere")().reduce()


def ball_by_hand():
    p = ball().params
    return RollingBody(p["m"], np.diag([p["J1"], p["J2"], p["J3"]]), Sphere(p["a"], np.zeros(3)), 9.81)


def about_contact():
    """Principal moments about a contact on the other axes, J + m a^2, and m a^2."""
    p = ball().params
    D = p["m"] * p["a"] ** 2
    return np.array([p[f"J{i}"] for i in (1, 2, 3)]) + D, D


# -- the sphere ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("axis", [1, 2, 3])
def test_spectrum_about_a_vertical_principal_axis(axis):
    """Two eigenvalues +-iW: K stays in space. Two of Euler's kind, with the moments about the contact."""
    W = 1.7
    lin = gc.linearize(ball(), ball().equilibrium(f"about{axis}", Omega0=W))
    moments, _ = about_contact()
    i, j, k = np.roll(range(3), 1 - axis)
    square = -(W**2) * (moments[i] - moments[j]) * (moments[i] - moments[k]) / (moments[j] * moments[k])
    expected = [0, square, square, -(W**2), -(W**2)]
    np.testing.assert_allclose(np.sort((lin.eigenvalues**2).real), np.sort(expected), atol=1e-13)
    assert lin.zero_modes == ("K.Gamma",)
    vertical = np.eye(3)[axis - 1]
    by_hand = linearised(ball_by_hand(), W * vertical, vertical)
    np.testing.assert_allclose(lin.A_leaf, lin.basis.T @ by_hand @ lin.basis, atol=1e-13)


@pytest.mark.parametrize(("axis", "expected"), [(1, "STABLE"), (2, "UNSTABLE"), (3, "STABLE")])
def test_the_intermediate_axis_is_unstable(axis, expected):
    assert verdict(ball(), f"about{axis}", Omega0=1.7) == f"PROVED_{expected}"


def test_stability_is_lost_where_the_moment_becomes_the_intermediate_one():
    J = ball().params
    assert_flips(ball(), "about3", "J2", J["J3"], "PROVED_STABLE", "PROVED_UNSTABLE", Omega0=1.7)
    assert_flips(ball(), "about1", "J2", J["J1"], "PROVED_UNSTABLE", "PROVED_STABLE", Omega0=1.7)


def test_a_ball_at_rest_drifts():
    """Any push makes it roll away slowly: equilibria are not isolated, and all eigenvalues are zero."""
    assert verdict(ball(), "about3", Omega0=0.0) == "PROVED_UNSTABLE"


@pytest.mark.parametrize(("axis", "stable"), [(0, True), (1, False), (2, True)])
def test_rolling_straight_about_a_principal_axis(axis, stable):
    """Gamma turns in the body, so that the motion is periodic: Floquet multipliers over a turn."""
    W, (along, across, third) = 1.7, np.roll(np.eye(3), axis, axis=1)

    def variation(t, y):
        x = np.concatenate([W * along, np.cos(W * t) * across - np.sin(W * t) * third])
        return (ball().jacobian(0.0, x) @ y.reshape(6, 6)).ravel()

    turn = 2 * np.pi / W
    run = solve_ivp(variation, (0, turn), np.eye(6).ravel(), "DOP853", rtol=1e-12, atol=1e-12)
    multipliers = np.linalg.eigvals(run.y[:, -1].reshape(6, 6))
    # Four of them are one, in Jordan blocks: an error e of the integration moves them by e^(1/2) or e^(1/3).
    assert (np.max(np.abs(multipliers)) < 1 + 1e-3) == stable
    assert stable or np.max(np.abs(multipliers)) > 1.1


@pytest.mark.parametrize("name", ["energy", "K.Gamma", "|K|^2"])
def test_integrals_of_the_sphere_are_proved(name):
    proof = gc.check_invariant(ball(), name)
    assert proof.proved
    assert proof.parameters == "all"


def test_the_momentum_about_the_centre_is_no_integral():
    J = sp.diag(*(p.symbol for p in ball().mechanism.parameters[2:5]))
    Omega, G = sp.Matrix(ball().states[:3]), sp.Matrix(ball().states[3:])
    for expr in ((J * Omega).dot(J * Omega), (J * J * Omega).dot(G)):
        proof = gc.check_invariant(ball(), expr)
        assert not proof.proved
        assert proof.counterexample is not None


def test_the_measure_is_invariant():
    """(1 - m a^2 Gamma.(J + m a^2)^-1 Gamma)^(1/2) dOmega dGamma: the divergence of density times field."""
    moments, D = about_contact()
    rng = np.random.default_rng(4)
    for _ in range(5):
        x = ball().random_state(rng)
        G, field = x[3:], ball().rhs(0.0, x)
        density = 1 - D * G @ (G / moments)
        slope = -D * (G / moments) @ field[3:] / density  # half the rate of log density
        divergence = np.trace(ball().jacobian(0.0, x))
        assert abs(divergence) > 1e-3
        assert abs(divergence + slope) < 1e-12


def test_the_field_is_newton_and_eulers():
    x = ball().random_state(np.random.default_rng(6))
    by_hand = rates(ball_by_hand(), x[:3], x[3:])
    # Rounding of the largest rates, 0.6, is all that is left of small ones.
    np.testing.assert_allclose(ball().rhs(0.0, x), by_hand, rtol=1e-12, atol=1e-14)


# -- the sleigh ----------------------------------------------------------------------------------------


@cache
def sleigh():
    return gc.models.get("chaplygin-sleigh")().reduce()


def test_sleigh_runs_with_its_centre_of_mass_ahead():
    p = sleigh().params
    for V in (1.3, -1.3):
        lin = gc.linearize(sleigh(), sleigh().equilibrium("straight", V=V))
        decay = -p["m"] * p["a"] * V / (p["I"] + p["m"] * p["a"] ** 2)
        assert np.min(np.abs(lin.eigenvalues - decay)) < 1e-13
        assert lin.zero_modes == ("energy",)
    assert verdict(sleigh(), "straight", V=-1.3) == "PROVED_UNSTABLE"
    # Forwards one eigenvalue is negative and the other belongs to the energy: each level attracts.
    assert verdict(sleigh(), "straight", V=1.3) == "PROVED_STABLE"


def test_the_sleigh_turns_round_once():
    """Y1 = c tanh(k t), Omega = c (m/B)^(1/2) sech(k t), B = I + m a^2, k = m a c/B."""
    m, a, inertia = (sleigh().params[k] for k in ("m", "a", "I"))
    c, B = 1.9, inertia + m * a**2
    k = m * a * c / B
    t = np.linspace(-5.0, 5.0, 201) / k

    def motion(t):
        return np.array([c * np.sqrt(m / B) / np.cosh(k * t), c * np.tanh(k * t)])

    run = gc.simulate(sleigh(), t - t[0], motion(t[0]))
    np.testing.assert_allclose(run.states, motion(t), atol=1e-10)  # grown from 1e-15 by e^10 at most
    heading = np.unwrap(np.arctan2(run.attitude()[:, 1, 0], run.attitude()[:, 0, 0]))
    turned = 2 * np.sqrt(B / m) / a * np.arctan(np.sinh(5.0))  # pi (B/m)^(1/2)/a in all
    np.testing.assert_allclose(heading[-1] - heading[0], turned, rtol=1e-9)
