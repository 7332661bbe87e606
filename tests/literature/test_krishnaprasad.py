"""P. S. Krishnaprasad, Lie-Poisson structures, dual-spin spacecraft and asymptotic stability.

(Nonlinear Analysis 9, 1985.) A rotor's constant momentum stabilises rotation about any axis, the intermediate
one included; internal torques keep the total momentum and exchange it between body and rotors.
"""

import numpy as np
import pytest
import sympy as sp
from scipy.spatial.transform import Rotation

import geoctrl as gc
from tests.literature.thresholds import assert_flips, verdict


def gyrostat(axis):
    return gc.models.get("body-with-rotor")(axis=axis).reduce()


def locked(system, axis):
    """Locked moments: about the rotor's axis, about the other two; and the rotor's moment J."""
    p = system.params
    moments = [p[f"I{i}"] + (p["J"] if i == axis else p["Jt"]) for i in (1, 2, 3)]
    return moments[axis - 1], moments[axis % 3], moments[(axis + 1) % 3], p["J"]


@pytest.mark.parametrize("axis", [1, 2, 3])
def test_spectrum_of_the_dual_spin(axis):
    """Squares -(Pi - b W)(Pi - c W)/(b c), Pi the momentum, from the two transverse equations."""
    system = gyrostat(axis)
    a, b, c, J = locked(system, axis)
    W, rate = 0.9, 1.3
    Pi = a * W + J * rate
    lin = gc.linearize(system, system.equilibrium("dual-spin", Omega0=W, rate0=rate))
    square = -(Pi - b * W) * (Pi - c * W) / (b * c)
    assert np.sort_complex(lin.eigenvalues[2:] ** 2) == pytest.approx([square, square], rel=1e-12)
    assert lin.zero_modes == ("rotor_momentum", "Pi1**2 + Pi2**2 + Pi3**2")


@pytest.mark.parametrize("axis", [1, 2, 3])
@pytest.mark.parametrize("W", [0.9, -0.4])
def test_the_rotor_stabilises_beyond_two_rates(axis, W):
    """Stable where the momentum lies outside the interval between b W and c W."""
    system = gyrostat(axis)
    a, b, c, J = locked(system, axis)
    for moment, other in ((b, c), (c, b)):
        critical = (moment - a) * W / J
        outwards = np.sign((moment - other) * W)
        below, above = "PROVED_UNSTABLE", "PROVED_STABLE"
        if outwards * critical < 0:  # assert_flips grows in size
            below, above = above, below
        assert_flips(system, "dual-spin", "rate0", critical, below, above, Omega0=W)


def test_the_intermediate_axis():
    """Unstable with the rotor at rest in the body, stable with it fast enough in either sense."""
    system = gyrostat(2)
    assert verdict(system, "about2", Omega0=0.9) == "PROVED_UNSTABLE"
    a, b, c, J = locked(system, 2)
    forwards, backwards = (0.9 * (extreme(b, c) - a) / J for extreme in (max, min))
    assert backwards < 0 < forwards
    for rate in (1.01 * forwards, 1.01 * backwards):
        assert verdict(system, "dual-spin", Omega0=0.9, rate0=rate) == "PROVED_STABLE"


@pytest.mark.parametrize("axis", [0, 4, "3", (0, 0, 1)])
def test_other_axes_are_refused(axis):
    with pytest.raises(gc.ParameterError, match="axis"):
        gc.models.get("body-with-rotor")(axis=axis)


# -- three rotors -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def wheels():
    return gc.models.get("body-with-rotors")().reduce()


def test_torques_keep_the_total_momentum_only(wheels):
    total = "Pi1**2 + Pi2**2 + Pi3**2"
    assert gc.check_invariant(wheels, total, for_all_inputs=True).proved
    for name in ("rotor1", "rotor2", "rotor3", "energy"):
        assert gc.check_invariant(wheels, name).proved
        assert not gc.check_invariant(wheels, name, for_all_inputs=True).proved
    # The body's part of the momentum alone is not kept, even by free rotors.
    J = [p.symbol for p in wheels.mechanism.parameters[3:]]
    body = [P - j * r for P, j, r in zip(wheels.mechanism.algebra.mu, J, wheels.states[3:], strict=True)]
    assert not gc.check_invariant(wheels, sum(e**2 for e in body)).proved


def test_a_parked_body_is_stable_whatever_the_rotors_do(wheels):
    rng = np.random.default_rng(6)
    for rates in rng.uniform(-3, 3, size=(5, 3)):
        values = dict(zip(("rate1", "rate2", "rate3"), rates, strict=True))
        assert verdict(wheels, "parked", **values) == "PROVED_STABLE"


def test_a_rotor_about_the_intermediate_axis(wheels):
    """Stable with momentum beyond I1 W: free rotors along the other axes do not follow a tilt."""
    p = wheels.params
    W, momentum = 0.7, p["I1"] * 0.7
    critical = (momentum - (p["I2"] + p["J2"]) * W) / p["J2"]
    assert_flips(wheels, "about2", "rate0", critical, "PROVED_UNSTABLE", "PROVED_STABLE", Omega0=W)


def test_a_slew_from_rest_to_rest(wheels):
    """At zero total momentum I Omegadot = -u: torques of one shape turn the body about a fixed axis."""
    p = wheels.params
    moments = np.array([p["I1"], p["I2"], p["I3"]])
    direction, acceleration, T = np.array([2, -1, 2]) / 3, 0.4, 4.0
    shape = acceleration * sp.sin(2 * sp.pi * gc.time / T)
    inputs = {f"u_theta{i + 1}": -moments[i] * direction[i] * shape for i in range(3)}
    run = gc.simulate(wheels, np.linspace(0, T, 101), np.zeros(6), inputs=inputs)
    angle = acceleration * T**2 / (2 * np.pi)
    assert run.attitude()[-1] == pytest.approx(Rotation.from_rotvec(angle * direction).as_matrix(), abs=1e-9)
    assert run.states[:, -1] == pytest.approx(np.zeros(6), abs=1e-9)
    assert np.max(np.abs(run.states[:3])) > 0.3


def test_momentum_is_exchanged_and_stays_in_space(wheels):
    """A tumbling body under torques: R Pi is constant although body and rotors exchange momentum."""
    x0 = np.array([0.4, -0.7, 0.3, 1.0, 0.0, -2.0])
    inputs = {"u_theta1": 0.2, "u_theta2": -0.3, "u_theta3": wheels.states[0] / 2}
    run = gc.simulate(wheels, np.linspace(0, 12, 241), x0, inputs=inputs)
    p = wheels.params
    body = np.array([[p["I1"]], [p["I2"]], [p["I3"]]]) * run.states[:3]
    rotors = np.array([[p["J1"]], [p["J2"]], [p["J3"]]]) * (run.states[:3] + run.states[3:])
    in_space = np.einsum("tij,jt->it", run.attitude(), body + rotors)
    assert np.max(np.ptp(in_space, axis=1)) < 1e-9
    assert np.min(np.ptp(rotors, axis=1)) > 0.5
    assert np.ptp(np.linalg.norm(body, axis=0)) > 0.5
