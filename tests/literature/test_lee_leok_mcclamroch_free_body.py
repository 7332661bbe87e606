"""Lee, Leok and McClamroch (Springer 2018), chapter 6: 6.6.1, problems 6.7 to 6.9 and 6.16: attitudes."""

import numpy as np
import pytest
from scipy.linalg import logm

import geoctrl as gc
from tests.literature.attitude_by_hand import hat, turn, vee
from tests.literature.thresholds import verdict

R0 = turn(0.7, -0.4, 1.1)
TIMES = np.linspace(0, 6, 61)
ATTITUDE = 1e-10  # of a run of six seconds: the engine's global error


@pytest.fixture(scope="module")
def body():
    return gc.models.get("free-rigid-body")().reduce()


def moments(body, params=None):
    p = {**body.params, **(params or {})}
    return np.diag([p[f"I{i}"] for i in (1, 2, 3)])


@pytest.mark.parametrize("axis", [1, 2, 3])
def test_linear_equations_about_a_steady_spin(body, axis):
    """J d/dt(delta omega) = J omega x delta omega - omega x J delta omega; at rest J xi'' = 0."""
    J = moments(body)
    for rate in (1.3, 0.0):
        omega = rate * np.eye(3)[axis - 1]
        lin = gc.linearize(body, body.equilibrium(f"about{axis}", Omega0=rate))
        assert lin.A == pytest.approx(np.linalg.solve(J, hat(J @ omega) - hat(omega) @ J), abs=1e-14)
        assert lin.zero_modes == (("Pi1**2 + Pi2**2 + Pi3**2",) if rate else ("family",) * 3)


def test_spatial_momentum(body):
    """R J omega is constant (6.6.1.3), component by component."""
    run = gc.simulate(body, TIMES, [0.6, 1.1, -0.8])
    momentum = np.einsum("tij,jk,kt->ti", run.attitude(R0), moments(body), run.states)
    assert momentum == pytest.approx(np.broadcast_to(momentum[0], (61, 3)), abs=ATTITUDE)
    assert np.ptp(run.states, axis=1).min() > 0.1
    assert max(run.drift.values()) < 1e-12


def test_spherical_body(body):
    """6.7: omega constant, R = R0 exp(t hat(omega0)) from any start."""
    params = {"I1": 1.7, "I2": 1.7, "I3": 1.7}
    omega = np.array([0.5, -0.9, 0.3])
    run = gc.simulate(body, TIMES, omega, params=params)
    assert run.states == pytest.approx(np.broadcast_to(omega[:, None], (3, 61)), abs=1e-14)
    expected = np.array([R0 @ turn(*(t * omega)) for t in TIMES])
    assert run.attitude(R0) == pytest.approx(expected, abs=ATTITUDE)


@pytest.mark.parametrize("axis", [1, 2, 3])
def test_attitude_of_steady_spins(body, axis):
    """6.8 (c): R = R0 exp(t Omega0 hat(e_i)), also about the unstable axis."""
    eq = body.equilibrium(f"about{axis}", Omega0=1.3)
    run = gc.simulate(body, TIMES, eq.x)
    expected = np.array([R0 @ turn(*(t * eq.x)) for t in TIMES])
    assert run.attitude(R0) == pytest.approx(expected, abs=ATTITUDE)


SYMMETRIC = {"I1": 1.2, "I2": 1.2, "I3": 2.1}


def test_body_with_an_axis_of_symmetry(body):
    """6.9: R = R0 exp(t hat(J omega0)/J1) exp(t s hat(e3)) with s = (1 - J2/J1) omega3.

    The source's J1 and J2 are I1 = I2 and I3 here.
    """
    omega = np.array([0.5, -0.9, 0.7])
    run = gc.simulate(body, TIMES, omega, params=SYMMETRIC)
    slip = (1 - 2.1 / 1.2) * 0.7
    assert run.states.T == pytest.approx(np.array([turn(0, 0, -t * slip) @ omega for t in TIMES]), abs=1e-11)
    precession = moments(body, SYMMETRIC) @ omega / 1.2
    expected = np.array([R0 @ turn(*(t * precession)) @ turn(0, 0, t * slip) for t in TIMES])
    assert run.attitude(R0) == pytest.approx(expected, abs=ATTITUDE)


@pytest.mark.parametrize("third", [2.1, 0.8], ids=["oblate", "prolate"])
def test_equilibria_of_a_body_with_an_axis_of_symmetry(body, third):
    """6.9 (b): the axis, and every axis across it; spins across drift among themselves, a double zero."""
    params = {**SYMMETRIC, "I3": third}
    assert verdict(body, "about3", params=params, Omega0=1.3) == "PROVED_STABLE"
    across = gc.linearize(body, [0.6, -0.8, 0.0], params=params)
    assert np.poly(across.A) == pytest.approx([1, 0, 0, 0], abs=1e-14)
    assert verdict(body, "about1", params=params, Omega0=1.3) == "UNDECIDED"
    with pytest.raises(gc.EquilibriumError):
        gc.linearize(body, [0.6, -0.8, 0.3], params=params)


def test_geodesics(body):
    """6.16: the shortest curve from R0 to R1 in unit time has the constant rate log(R0^T R1)."""
    R1 = turn(-0.3, 1.2, 0.4)
    omega = vee(np.real(logm(R0.T @ R1)))
    run = gc.simulate(body, np.linspace(0, 1, 11), omega, params={"I1": 1.0, "I2": 1.0, "I3": 1.0})
    R = run.attitude(R0)
    assert R[-1] == pytest.approx(R1, abs=1e-12)
    angle = np.arccos((np.trace(R0.T @ R1) - 1) / 2)
    assert np.linalg.norm(omega) == pytest.approx(angle, rel=1e-12)  # the distance on SO(3)
