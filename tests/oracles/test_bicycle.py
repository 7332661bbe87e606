"""The oracle of the bicycle against facts of its own: no slip, no gap, energy, and a rolling disk."""

import numpy as np
import pytest

from tests.oracles.bicycle import E2, FRONT, REAR, Bicycle, lowest

# No number of it is that of the benchmark.
ODD = dict(
    w=0.93, c=0.11, lam=0.41, g=9.7, rR=0.36, mR=2.7, IRxx=0.09, IRyy=0.15, xB=0.37, zB=-0.83, mB=61.0,
    IBxx=7.3, IBxz=-1.9, IByy=8.1, IBzz=3.3, xH=0.81, zH=-0.64, mH=3.2, IHxx=0.11, IHxz=0.021, IHyy=0.13,
    IHzz=0.034, rF=0.29, mF=1.9, IFxx=0.06, IFyy=0.1,
)  # fmt: skip


def start(bicycle, lean=0.21, steer=-0.33, rates=(0.4, 3.1, -0.6)):
    R, x = bicycle.placed(lean, bicycle.pitch(lean, steer), steer)
    return R, x, bicycle.velocities(R, *rates)


def test_rates_are_those_asked_for_and_the_conditions_hold():
    bicycle = Bicycle(ODD)
    R, x, V = start(bicycle)
    lean, _, _, steer, _, _, speed = bicycle.rates(R, V.reshape(4, 6)[:, 3:])
    assert [lean, speed, steer] == pytest.approx([0.4, 3.1, -0.6], abs=1e-14)
    assert np.max(np.abs(bicycle.conditions(R) @ V)) < 1e-13
    for wheel in (REAR, FRONT):
        assert abs((x[wheel] + lowest(R[wheel] @ E2, bicycle.radius[wheel]))[2]) < 1e-15
    assert np.linalg.matrix_rank(bicycle.conditions(R)) == 21


def test_a_run_keeps_energy_contacts_and_hinges():
    bicycle = Bicycle(ODD)
    R, x, V = start(bicycle)
    Rs, xs, Vs = bicycle.run(np.linspace(0.0, 0.6, 7), R, x, V)
    energies = [bicycle.energy(*state) for state in zip(Rs, xs, Vs, strict=True)]
    assert np.ptp(energies) < 1e-9 * abs(energies[0])
    assert np.max(np.abs(bicycle.conditions(Rs[-1]) @ Vs[-1])) < 1e-9
    for wheel in (REAR, FRONT):
        assert abs((xs[-1, wheel] + lowest(Rs[-1, wheel] @ E2, bicycle.radius[wheel]))[2]) < 1e-10
    for a, b, point, _ in bicycle.hinges:
        ends = [xs[-1, k] + Rs[-1, k] @ (point - bicycle.centre[k]) for k in (a, b)]
        assert ends[0] == pytest.approx(ends[1], abs=1e-10)
    assert np.max(np.abs(Vs[-1] - Vs[0])) > 0.1


def test_a_torque_does_work_on_the_steering_alone():
    """dE/dt = torque times rate of steer."""
    bicycle = Bicycle(ODD)
    R, x, V = start(bicycle)
    step, torque = 1e-6, 0.8
    rate = []
    for h in (-step, step):
        v, w = V.reshape(4, 6)[:, :3], V.reshape(4, 6)[:, 3:]
        Q = np.array([turned(s * h) @ q for s, q in zip(w, R, strict=True)])
        rate.append(bicycle.energy(Q, x + h * v, V + h * bicycle.accelerations(R, V, torque)))
    assert (rate[1] - rate[0]) / (2 * step) == pytest.approx(torque * -0.6, abs=1e-6)


def turned(v):
    angle = np.linalg.norm(v)
    K = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]]) / angle
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K
