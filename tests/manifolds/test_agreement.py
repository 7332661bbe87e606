"""Nothing is proved about equations that are not those of the system: a fault in deriving them is told."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl.manifolds import Attitude, Direction, Place, ProductSystem
from geoctrl.manifolds.views.turning_axes import SeenManifold


def damped_in_a_turning_frame():
    """A place and a direction that pull at each other, both damped, in a frame that turns; and its rest."""
    x, q = Place("x"), Direction("q")
    system = ProductSystem(
        [x, q],
        kinetic=2 * x.rate.dot(x.rate) + q.rate.dot(q.rate),
        potential=3 * x.z.dot(x.z) + x.z[0] * x.z[1] + x.z[0] * q.z[1] + q.z[0] ** 2 / 3 - 2 * q.z[2],
        forces={"x": -sp.diag(1, 3, 2) * x.velocity, "q": -2 * sp.Matrix(q.rates_of(q.velocity))},
        frame_rate=[0, 0, sp.Rational(7, 5)],
    )
    return system, np.array([0.0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0])


def wrong(given, part):
    """The Lagrangian with one part of it changed."""
    if part == "mass":
        (i, j, node), *others = given.mass
        return replace(given, mass=[(i, j, node * 2), *others])
    if part == "potential":
        return replace(given, potential=-given.potential)
    return replace(given, **{part: [-node for node in getattr(given, part)]})


@pytest.mark.parametrize("part", ["mass", "potential", "gyroscopic", "forces"])
def test_a_wrong_part_is_told_before_anything_is_proved(part, monkeypatch):
    system, point = damped_in_a_turning_frame()
    assert gc.certify(system, point).verdict.proved
    given = SeenManifold.lagrangian
    monkeypatch.setattr(
        SeenManifold, "lagrangian", lambda self, u, params: wrong(given(self, u, params), part)
    )
    with pytest.raises(gc.CertificateError, match="fault of geoctrl"):
        gc.certify(damped_in_a_turning_frame()[0], point)


def test_a_wrong_force_on_the_light_one_of_two_bodies_is_told(monkeypatch):
    """Rows are judged by their own terms, not by those of a body 1e24 times as heavy."""
    light, part = sp.Rational(1, 10**24), "forces"

    def pair():
        x, y = Place("x"), Place("y")
        kinetic = x.rate.dot(x.rate) + light * y.rate.dot(y.rate)
        potential = x.z.dot(x.z) + light * y.z.dot(y.z)
        return ProductSystem([x, y], kinetic=kinetic, potential=potential, forces={"y": -light * y.velocity})

    assert gc.certify(pair(), np.zeros(12)).verdict.proved
    given = SeenManifold.lagrangian
    monkeypatch.setattr(
        SeenManifold, "lagrangian", lambda self, u, params: wrong(given(self, u, params), part)
    )
    with pytest.raises(gc.CertificateError, match="fault of geoctrl"):
        gc.certify(pair(), np.zeros(12))


def test_a_held_place_and_an_attitude_agree():
    """What holds a place on its line is not compared."""
    x, R = Place("x", axes=[[1, 2, 0]]), Attitude("R")
    w = R.velocity
    system = ProductSystem(
        [x, R],
        kinetic=x.rate.dot(x.rate) + w.dot(sp.diag(2, 3, 4) * w) / 2,
        potential=x.z.dot(x.z) * 4 + x.z[0] - 5 * R.z.trace(),
    )
    start = system.pack({"x": (np.zeros(3), np.zeros(3)), "R": (np.eye(3), np.zeros(3))})
    point = gc.find_equilibrium(system, start)
    assert gc.certify(system, point).verdict is gc.Verdict.PROVED_STABLE


def heavy_and_light():
    """Directions with masses 40000 and 2.75e-6, driven by forces of one size; and their rest.

    Their accelerations, 1 and 1e6, are not both seen in differences of rates over one time.
    """
    q, omega = gc.spheres.symbols(2)
    rates = [sp.Matrix(w).cross(sp.Matrix(z)) for w, z in zip(omega, q, strict=True)]
    coupling = sp.Rational(-1, 10)
    system = gc.spheres.SphereSystem(
        mass=sp.Matrix([[40000, coupling], [coupling, sp.Rational(11, 4000000)]]),
        potential=q[0][2] * q[1][2] - q[1][1] ** 2 - q[0][2],
        forces=[rates[0] * sp.Rational(3, 4), rates[1]],
    )
    return system, [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0]


def test_a_heavy_body_beside_a_light_and_fast_one_agrees():
    assert gc.certify(*heavy_and_light()).verdict.proved


def test_negative_a_wrong_potential_of_the_heavy_body_is_told(monkeypatch):
    """A force of 1e-3 beside one of order 1; the light one is as it should be."""
    given = SeenManifold.lagrangian

    def changed(self, u, params):
        found = given(self, u, params)
        first = next(iter(found.coordinates.values()))
        return replace(found, potential=found.potential + first * Fraction(1, 1000))

    monkeypatch.setattr(SeenManifold, "lagrangian", changed)
    with pytest.raises(gc.CertificateError, match="fault of geoctrl"):
        gc.certify(*heavy_and_light())
