"""M. L. Psiaki (2001): a satellite with magnetorquers; P. C. Hughes (1986): gyrostats in a circular orbit."""

import json
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp
from scipy.spatial.transform import Rotation

import geoctrl as gc
from geoctrl.analysis.certificates.same_equations import require_same_equations
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


def test_there_are_two_fields():
    with pytest.raises(gc.ParameterError, match="unknown field 'weak'; known are dipole, none"):
        gc.models.get("magnetic-satellite")(field="weak")


def test_with_the_torquers_off_nothing_holds_the_time(alone, tmp_path):
    system = gc.models.get("magnetic-satellite")().reduce()
    for rate0, value in ((3.0, "PROVED_STABLE"), (-0.5, None)):
        found = gc.certify(system, system.equilibrium("pointing", rate0=rate0))
        other = gc.certify(alone, alone.equilibrium("pointing", rate0=rate0))
        assert found.verdict is other.verdict
        assert value in (None, found.verdict.value)
        found.to_json(tmp_path / "certificate.json")
        gc.verify(tmp_path / "certificate.json")
        require_same_equations(system, json.loads((tmp_path / "certificate.json").read_text()))
    eq = system.equilibrium("pointing", rate0=3.0)
    lin = gc.linearize(system, eq)
    other = gc.linearize(alone, alone.equilibrium("pointing", rate0=3.0))
    np.testing.assert_array_equal(lin.A, other.A)
    assert lin.varying == ("d1", "d2", "d3")
    assert np.isnan(lin.B[:, :3]).all()
    np.testing.assert_array_equal(lin.B[:, 3:], other.B)
    with pytest.raises(gc.EquilibriumError, match="the effect of d1, d2, d3 depends on the time"):
        lin.to_control()
    assert gc.find_equilibrium(system, guess=eq.x).residual < 1e-15
    assert gc.find_equilibrium(system, guess=eq.x, fixed={"u1": 0.0}).residual < 1e-15


def test_dipoles_that_are_not_zero_hold_the_time():
    system = gc.models.get("magnetic-satellite")().reduce()
    eq = system.equilibrium("pointing", rate0=3.0)
    for held in (1.0, 1e-300):
        for ask in (gc.linearize, gc.certify):
            with pytest.raises(gc.EquilibriumError, match="hold the inputs at zero"):
                ask(system, (eq.x, [0, held, 0, 0, 0]))
    with pytest.raises(gc.EquilibriumError, match="depend on the time"):
        gc.find_equilibrium(system, guess=eq.x, fixed={"d1": 1.0})
    # A rational that no double tells from zero is none: whatever is asked of it, no proof comes out.
    tiny = [0, Fraction(1, 10**400), 0, 0, 0]
    with pytest.raises(gc.GeoctrlError):
        gc.certify(system, ([Fraction(v) for v in eq.x], tiny))


def test_an_input_beside_the_time_does_not_take_it_away():
    u = sp.Symbol("u", real=True)
    for force in (u + gc.time, sp.exp(u * gc.time), gc.time * sp.cos(u)):
        phi = gc.Coordinate("phi")
        system = gc.EulerPoincare(
            shape=[phi], inertia=[[2]], potential=phi.symbol**2, forces=[force], inputs=[u]
        ).reduce()
        if force == sp.exp(u * gc.time):  # one, whatever the time: a spring that is pushed
            rest = gc.find_equilibrium(system, guess=[0.0, 0.4])
            assert rest.x == pytest.approx([0.0, 0.5])
            assert gc.linearize(system, rest).varying == ("u",)
        else:
            with pytest.raises(gc.EquilibriumError, match="depend on the time"):
                gc.find_equilibrium(system, guess=[0.0, 0.0])
