"""Mechanisms on rotations against formulas of their own, and what they conserve."""

import numpy as np
import pytest

import geoctrl as gc
from geoctrl import rotations
from tests.rotations.systems import J, coupled, orbit, random_state, top


def test_free_body_turns_by_eulers_equations():
    R, Omega = random_state(1, 1)
    body = rotations.free_body(J)
    rate = body.rhs(0.0, body.pack(R, Omega))[9:]
    np.testing.assert_allclose(J @ rate, np.cross(J @ Omega[0], Omega[0]), rtol=0, atol=1e-14)
    assert rotations.free_body([1.0, 2.0, 2.5]).energy(body.pack(R, Omega)) == pytest.approx(
        Omega[0] @ (np.array([1.0, 2.0, 2.5]) * Omega[0]) / 2, abs=1e-14
    )


def test_pendulum_is_turned_by_gravity_at_its_centre_of_mass():
    R, Omega = random_state(1, 2)
    g, rho, m = np.array([0.3, -0.5, -9.0]), np.array([0.2, 0.1, -0.3]), 1.7
    pendulum = rotations.pendulum3d(J, m, rho, g)
    moment = np.cross(rho, m * R[0].T @ g)
    rate = pendulum.rhs(0.0, pendulum.pack(R, Omega))[9:]
    np.testing.assert_allclose(J @ rate, np.cross(J @ Omega[0], Omega[0]) + moment, rtol=0, atol=1e-13)
    assert pendulum.potential(R) == pytest.approx(-m * g @ R[0] @ rho, abs=1e-14)


def test_body_in_orbit_is_turned_by_the_gravity_gradient():
    """[LLM17, Eqs. 6.23, 6.24]."""
    R, Omega = random_state(1, 3)
    body = orbit()
    a, b = R[0].T @ [0, 0, 1], R[0].T @ [0, 1, 0]
    x = body.rhs(0.0, body.pack(R, Omega))
    moment = 3 * 0.36 * np.cross(a, J @ a)
    np.testing.assert_allclose(J @ x[9:], np.cross(J @ Omega[0], Omega[0]) + moment, rtol=0, atol=1e-14)
    xi = Omega[0] - 0.6 * b
    np.testing.assert_allclose(x[:9].reshape(3, 3), np.cross(R[0], xi), rtol=0, atol=1e-15)


def test_energy_in_orbit_is_the_jacobi_integral_and_not_the_sum():
    """The energy printed in [LLM17, sec. 6.6.3.3] changes along motions; see the errata."""
    body = orbit()
    R, Omega = random_state(1, 4)
    r = rotations.integrate(body, R, Omega, 1e-3, 5000, method="rk4", record=50)
    assert np.ptp(r.energy) < 1e-11  # error of order four at this step
    printed = r.energy + r.momentum @ [0, 0.6, 0]
    assert np.ptp(printed) > 0.1


@pytest.mark.parametrize(("track", "normal", "radius"), [(2, 3, 1.5), (3, 2, 1.5), (1.5, 3, 2)])
def test_body_in_orbit_is_stable_in_the_lagrange_region(track, normal, radius):
    """The largest moment of inertia about the normal and the least along the radius: stable; exchanged: not.

    (1.5, 3, 2) has the two in the plane exchanged, (3, 2, 1.5) those about track and normal.
    """
    body = rotations.body_in_orbit([track, normal, radius], 0.5)
    eigenvalues = gc.linearize(body, (np.eye(3)[None], np.array([[0, 0.5, 0]]))).eigenvalues
    growth = float(np.max(eigenvalues.real))
    # Eigenvalues on the axis are simple here, so that rounding moves them by rounding.
    assert growth < 1e-9 if normal > track > radius else growth > 0.1


def test_coupled_bodies_attract_and_keep_their_momentum():
    pair = coupled()
    R, Omega = random_state(2, 5)
    assert pair.potential(R) == pytest.approx(2.7 * (3 - np.trace(R[0].T @ R[1])), abs=1e-13)
    assert pair.potential([R[0], R[0]]) == pytest.approx(0, abs=1e-14)
    x = pair.pack(R, Omega)
    f, h = pair.rhs(0.0, x), 1e-6
    assert np.abs(pair.momentum(x + h * f) - pair.momentum(x - h * f)).max() / (2 * h) < 1e-8


def test_what_is_conserved():
    expected = {
        "free": (rotations.free_body(J), {"energy", "momentum1", "momentum2", "momentum3"}),
        "pendulum": (top(), {"energy", "momentum3"}),
        "orbit": (orbit(), {"energy"}),
        "pair": (coupled(), {"energy", "momentum1", "momentum2", "momentum3"}),
    }
    for name, (system, names) in expected.items():
        assert set(system.conserved()) == names, name
        reduced = set(system.reduced.conserved())
        assert names - {"energy"} == {k for k in reduced if k.startswith("momentum")}, name


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: rotations.free_body([1.0, 2.0]), "inertia must have shape"),
        (lambda: rotations.free_body([1.0, -2.0, 1.0]), "positive definite"),
        (lambda: rotations.pendulum3d(J, -1.0, [0, 0, 1]), "mass must be positive"),
        (lambda: rotations.pendulum3d(J, 1.0, [0, 1]), "rho must have shape"),
        (lambda: rotations.body_in_orbit(J, float("nan")), "rate must be finite"),
        (lambda: rotations.coupled_bodies([J], 1.0), "2 bodies, got 1"),
    ],
)
def test_bad_arguments_are_named(build, message):
    with pytest.raises(ValueError, match=message):
        build()
