"""The vertical rolling disk: A. M. Bloch, Nonholonomic Mechanics and Control, Springer 2003, section 1.4."""

from functools import cache

import numpy as np
import pytest
from scipy.integrate import cumulative_simpson, quad

import geoctrl as gc
from tests.literature.thresholds import verdict


@cache
def disk():
    return gc.models.get("vertical-rolling-disk")().reduce()


def test_every_motion_without_torques_is_a_circle():
    """x = (v/w) sin(w t), y = (v/w) (1 - cos(w t)) with v = R Omega0."""
    omega, Omega0, R = 0.7, 3.0, disk().params["R"]
    t = np.linspace(0.0, 12.0, 241)
    run = gc.simulate(disk(), t, [omega, Omega0])
    radius = R * Omega0 / omega
    circle = radius * np.stack([np.sin(omega * t), 1 - np.cos(omega * t), 0 * t], axis=1)
    np.testing.assert_allclose(run.position(), circle, atol=1e-12)
    np.testing.assert_allclose(run.attitude()[:, 1, 0], np.sin(omega * t), atol=1e-12)


def test_the_frame_rolls_without_slipping():
    x, R = [0.7, 3.0], disk().params["R"]
    np.testing.assert_allclose(disk().velocity(x), [0.7, R * 3.0, 0, 3.0], rtol=1e-15)
    with pytest.raises(gc.ConstraintError):
        disk().project([0.7, R * 3.0, 0.1, 3.0], {})  # sideways


def test_torques_drive_the_rates_and_the_path():
    """J w' = u1, (I + m R^2) Omega' = u2; the path is the quadrature of R Omega (cos, sin) of the heading."""
    m, R, axial, J = (disk().params[k] for k in ("m", "R", "I", "J"))
    u1, u2 = 0.02, -0.05
    start = np.array([0.3, 2.0])
    slopes = np.array([u1 / J, u2 / (axial + m * R**2)])
    t = np.linspace(0.0, 4.0, 401)
    run = gc.simulate(disk(), t, start, inputs={"u_steer": u1, "u_roll": u2})
    np.testing.assert_allclose(run.states, start[:, None] + np.outer(slopes, t), rtol=1e-12)

    def speed(component, s):
        heading = start[0] * s + slopes[0] * s**2 / 2
        return R * (start[1] + slopes[1] * s) * (np.cos, np.sin)[component](heading)

    end = [quad(lambda s, c=c: speed(c, s), 0, 4, epsabs=1e-13)[0] for c in (0, 1)]
    np.testing.assert_allclose(run.position()[-1, :2], end, atol=1e-11)
    work = cumulative_simpson(u1 * run.states[0] + u2 * run.states[1], x=t, initial=0)
    np.testing.assert_allclose(run.energy - run.energy[0], work, atol=1e-12)  # the power is linear in time


def test_both_torques_are_needed_to_control_the_rates():
    """A = 0 and B is diagonal: rank 2, and each torque moves its own rate alone."""
    lin = gc.linearize(disk(), disk().equilibrium("circling", omega=0.7, Omega0=3.0))
    assert not np.any(lin.A)
    m, R, axial, J = (disk().params[k] for k in ("m", "R", "I", "J"))
    np.testing.assert_allclose(lin.B, np.diag([1 / J, 1 / (axial + m * R**2)]), rtol=1e-14)
    assert np.linalg.matrix_rank(lin.B) == 2


@pytest.mark.parametrize(("omega", "Omega0"), [(0.7, 3.0), (0.0, 3.0), (0.0, 0.0)])
def test_all_rates_are_stable_because_they_are_kept(omega, Omega0):
    """Both eigenvalues are zero, which no spectrum decides; the two rates are invariants, which does."""
    lin = gc.linearize(disk(), disk().equilibrium("circling", omega=omega, Omega0=Omega0))
    assert lin.zero_modes == ("heading", "rolling")
    assert verdict(disk(), "circling", omega=omega, Omega0=Omega0) == "PROVED_STABLE"


def test_motions_of_the_disk_are_stable_without_its_invariants():
    """Both speeds stay as they are: every point near a motion rests, which no invariant has to tell."""
    bare = disk().mechanism.replace(invariants={}).reduce()
    point = bare.equilibrium("circling", omega=0.7, Omega0=3.0)
    found = gc.certify(bare, point)
    assert found.verdict.value == "PROVED_STABLE"
    assert found.method == "spectrum and a family of equilibria"
    assert found.evidence["family_dimension"] == 2
    assert verdict(bare, "circling", omega=0.0, Omega0=0.0) == "PROVED_STABLE"  # its minimum


@pytest.mark.parametrize("name", ["heading", "rolling", "energy"])
def test_the_rates_are_kept_without_torques_only(name):
    assert gc.check_invariant(disk(), name).proved
    assert not gc.check_invariant(disk(), name, for_all_inputs=True).proved
