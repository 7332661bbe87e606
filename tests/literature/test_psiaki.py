"""M. L. Psiaki (2001): a satellite with magnetorquers; P. C. Hughes (1986): gyrostats in a circular orbit."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import geoctrl as gc
from tests.literature.thresholds import assert_flips


@pytest.fixture(scope="module")
def satellite():
    return gc.models.get("magnetic-satellite")()


@pytest.fixture(scope="module")
def alone():
    return gc.models.get("magnetic-satellite")(field="none").reduce()


def dipole_field(p, time):
    """B in the orbital frame: Z - 3 (Z.r) r for the earth's axis Z, all written in an inertial frame."""
    u, tilt = p["n"] * time, p["inc"]
    radial = np.array([np.cos(u), np.sin(u) * np.cos(tilt), np.sin(u) * np.sin(tilt)])
    forward = np.array([-np.sin(u), np.cos(u) * np.cos(tilt), np.cos(u) * np.sin(tilt)])
    normal = np.cross(radial, forward)
    axis = np.array([0.0, 0.0, 1.0])
    field = p["B0"] * (axis - 3 * (axis @ radial) * radial)
    return np.array([forward @ field, normal @ field, radial @ field])


def newton_euler(p, R, x, u, time):
    """Rates of Omega and the wheels: total momentum, and that of each wheel, in axes of the body."""
    Omega, rates = x[:3], x[3:5]
    a, b = R.T @ [0, 0, 1], R.T @ [0, 1, 0]
    w = Omega + p["n"] * b
    J = np.diag([p["J1"] + p["J_w"], p["J2"] + p["J_w"], p["J3"]])
    E = np.eye(3)[:, :2]
    momentum = J @ w + p["J_w"] * E @ rates
    torque = 3 * p["n"] ** 2 * np.cross(a, J @ a) + np.cross(u[:3], R.T @ dipole_field(p, time))
    A = np.block([[J, p["J_w"] * E], [p["J_w"] * E.T, p["J_w"] * np.eye(2)]])
    # wdot = Omegadot + n bdot with bdot = b x Omega
    turn = p["n"] * np.cross(b, Omega)
    right = np.concatenate([torque - np.cross(w, momentum), u[3:]]) - A[:, :3] @ turn
    return np.linalg.solve(A, right)


def test_it_moves_by_newton_and_euler(satellite):
    system = satellite.reduce()
    rng = np.random.default_rng(8)
    params = system.params | {"n": 0.7, "B0": 2.6}  # all terms of one size
    for _ in range(5):
        R, time = Rotation.random(rng=rng).as_matrix(), rng.uniform(0, 9)
        x = np.concatenate([rng.normal(size=5), R.T @ [0, 0, 1], R.T @ [0, 1, 0]])
        u = rng.normal(size=5) * [40, 40, 40, 1, 1]
        expected = newton_euler(params, R, x, u, time)
        found = system.rhs(time, x, u, params)[:5]
        assert found == pytest.approx(expected, rel=0, abs=1e-12 * np.max(np.abs(expected)))


def test_the_field_of_an_orbit_has_the_printed_components(satellite):
    # Axes of the source: forward, minus the normal, minus the radius.
    p = satellite.defaults
    for time in (0.0, 700.0, 2900.0):
        u, (forward, normal, radial) = p["n"] * time, dipole_field(p, time)
        printed = p["B0"] * np.array(
            [np.cos(u) * np.sin(p["inc"]), -np.cos(p["inc"]), 2 * np.sin(u) * np.sin(p["inc"])]
        )
        assert [forward, -normal, -radial] == pytest.approx(printed, rel=1e-12, abs=1e-12 * p["B0"])


def test_momenta_of_free_wheels_are_kept(alone):
    assert {"energy", "h1", "h2"} <= set(alone.conserved())


def test_a_wheel_along_the_normal_holds_the_attitude_from_a_momentum_on(alone):
    """Second variation on the level of h2 = J_w (rate0 + n): n (J2 - J1) + h2 about the radius, and
    n (4 (J2 - J3) + 3 J_w) + h2 about the motion. Between them one degree of freedom falls alone."""
    for params in ({}, {"J1": 70.0, "J2": 60.0, "J3": 68.0}):
        p = alone.params | params
        yaw = -p["n"] * (p["J2"] - p["J1"])
        roll = -p["n"] * (4 * (p["J2"] - p["J3"]) + 3 * p["J_w"])
        rate = max(yaw, roll) / p["J_w"] - p["n"]
        sides = ["PROVED_UNSTABLE", "PROVED_STABLE"]
        # Of a negative critical rate the faster is the one below.
        assert_flips(alone, "pointing", "rate0", rate, *sides[:: 1 if rate > 0 else -1], params=params)


def test_pitch_falls_where_the_long_axis_is_not_radial(alone):
    # 3 n^2 ((J1 + J_w) - J3) > 0 about the normal
    critical = alone.params["J1"] + alone.params["J_w"]
    assert_flips(alone, "pointing", "J3", critical, "PROVED_STABLE", "PROVED_UNSTABLE", rate0=3.0)


def test_with_the_field_no_equilibria_are_claimed(satellite):
    with pytest.raises(gc.EquilibriumError, match="depend on the time explicitly"):
        gc.certify(satellite.reduce(), np.eye(11)[7])
    with pytest.raises(gc.ParameterError, match="unknown field 'weak'; known are dipole, none"):
        gc.models.get("magnetic-satellite")(field="weak")
