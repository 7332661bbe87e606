"""Steady rotations on spheres: inertia that varies, forces that feel the rotation, the search for rest."""

from itertools import pairwise

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl import spheres
from geoctrl.manifolds.views import turning_axes
from tests.spheres.systems import random_state

SPIN = np.array([0.0, 0.0, 3.1])


def varying_about_the_vertical():
    """Two bodies whose inertia depends on heights and on their mutual angle."""
    q, _ = spheres.symbols(2)
    c = q[0].dot(q[1])
    mass = sp.Matrix([[2 + q[0][2] ** 2, c], [c, 2 + q[1][2] * q[0][2] / 4]])
    return spheres.SphereSystem(mass=mass, potential=9 * q[0][2] + 4 * q[1][2] - 3 * c)


def test_linearisation_with_varying_inertia_is_the_derivative_of_the_field_in_turning_axes():
    """Of f(x) - W x (q, omega), along the leaf: no map between states occurs here."""
    system = varying_about_the_vertical()
    guess = spheres.project([[0.3, 0.8, -0.5], [0.9, -0.4, -0.2]], np.zeros((2, 3)))
    eq = gc.find_equilibrium(system, guess, spin=SPIN)
    assert np.abs(eq.q @ SPIN).min() > 0.5
    assert np.linalg.norm(np.cross(eq.q, SPIN), axis=1).min() > 0.5

    def seen_from_axes(x):
        return system.rhs(0.0, x) - np.cross(SPIN, x.reshape(-1, 3)).ravel()

    np.testing.assert_allclose(seen_from_axes(eq.x), 0, rtol=0, atol=1e-8)
    lin, h = gc.linearize(system, eq), 1e-5
    assert lin.basis.shape == (12, 8)
    q, omega = eq.q, eq.omega
    for column in lin.basis.T:
        dq, domega = column.reshape(2, 2, 3)
        assert np.abs(np.sum(q * dq, axis=1)).max() < 1e-9
        assert np.abs(np.sum(q * domega + omega * dq, axis=1)).max() < 1e-9
        change = (seen_from_axes(eq.x + h * column) - seen_from_axes(eq.x - h * column)) / (2 * h)
        np.testing.assert_allclose(lin.A @ column, change, rtol=0, atol=1e-6)


def test_the_map_to_turning_axes_has_its_derivative():
    """Off the spheres as well."""
    view = varying_about_the_vertical().view([0.7, -0.4, 1.2])
    y = view.reduced_state(np.concatenate([v.ravel() for v in random_state(2, seed=3)]), {})
    y = y + 0.1 * np.random.default_rng(4).normal(size=12)
    h = 1e-3  # the map is quadratic: differences have no error but rounding
    columns = [(view.out_of(y + e, {}) - view.out_of(y - e, {})) / (2 * h) for e in h * np.eye(12)]
    np.testing.assert_allclose(view.derivative(y, {}), np.array(columns).T, rtol=0, atol=1e-11)


# -- the search for rest ----------------------------------------------------------------------------------


def coupled(forces=None, inputs=()):
    """A double pendulum, of which the amended potential has the coupling of the inertia."""
    q, _ = spheres.symbols(2)
    return spheres.SphereSystem(
        mass=[[2.0, 0.9], [0.9, 1.1]],
        potential=12 * q[0][2] + 7 * q[1][2] + q[0].dot(q[1]) ** 2,
        forces=forces,
        inputs=inputs,
    )


def lifted():
    """Forces along and across the vertical that grow with the rate at which a body is carried about it."""
    q, w = spheres.symbols(2)
    out = sp.Matrix([q[0][0], q[0][1], 0]) * (w[0][2] + w[1].dot(w[1]) / 5) / 3
    up = sp.Matrix([0, 0, w[1][2] + w[0].dot(w[1]) / 4 + q[0].dot(q[1])])
    return coupled([out, up])


def pushed():
    """Forces that follow the bodies, under an input."""
    q, _ = spheres.symbols(2)
    u = sp.Symbol("u", real=True)
    return coupled([u * q[1].cross(sp.Matrix([1, 2, 1])), sp.Matrix([1, q[0][2], q[1][0] * u])], [u])


CONE = np.array([[0.6, 0.1, -0.7], [0.8, 0.0, -0.6]])
# System, guess, rate of the axes, input.
SEARCHES = {
    "potential": (coupled, [[0.3, 0.2, -0.9], [-0.3, 0.1, -0.9]], np.zeros(3), []),
    "turning axes": (coupled, CONE, SPIN, []),
    "forces of the rates": (lifted, CONE, SPIN, []),
    "forces of the directions": (pushed, [[0.1, 0.1, -0.9], [0.0, 0.2, -0.9]], np.zeros(3), [1.7]),
}


def slope(system, q, spin, u):
    """Rate of the momenta in turning axes, less what carries them: zero at rest."""
    omega = spin - q * (q @ spin)[:, None]
    rate = system.rhs(0.0, system.pack(q, omega), u).reshape(2, 2, 3)
    return rate - np.cross(spin, np.array([q, omega]))


@pytest.mark.parametrize("name", SEARCHES)
def test_rest_is_found_with_quadratic_convergence(name, monkeypatch):
    """The number of correct figures doubles: any term of the derivative with a wrong sign spoils this."""
    build, guess, spin, u = SEARCHES[name]
    system, visited = build(), []

    def spied(system, q, *rest):
        visited.append(q)
        return moments(system, q, *rest)

    moments = turning_axes.still_moments
    monkeypatch.setattr(turning_axes, "still_moments", spied)
    start = system.pack(*spheres.project(guess, np.zeros((2, 3))))
    x = system.seen_from(spin).rest_near(start, np.array(u), system.params)
    q = system.unpack(x)[0]
    np.testing.assert_allclose(slope(system, q, spin, u), 0, rtol=0, atol=1e-9)
    errors = np.array([np.linalg.norm(v - q) for v in visited])
    near = [(a, b) for a, b in pairwise(errors) if 1e-5 < a < 0.3]
    assert len(near) >= 2
    assert all(b < 3 * a**2 for a, b in near)
