"""Energies that jump are not listed as conserved, whatever their rates are beside the jump."""

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl import rotations, spheres
from geoctrl.manifolds import Pairs, Place, ProductSystem

MOMENTUM = "momentum3"
MOMENTA = ("momentum1", "momentum2", "momentum3")


def z():
    return spheres.symbols(1)[0][0][2]


def pendulum(potential, **more):
    return spheres.SphereSystem(mass=more.pop("mass", [2.0]), potential=potential, **more)


@pytest.mark.parametrize(
    "potential",
    [
        z() + sp.sign(z() - sp.Rational(1, 3)) / 1000,
        sp.Piecewise((z() + 1, z() > sp.Rational(99, 100)), (z(), True)),
        spheres.Sites(lambda q: sp.Piecewise((q[2] ** 2, q[2] > 0), (q[2] ** 2 - 1, True))),
    ],
)
def test_potentials_that_jump(potential):
    """The moment about the vertical is kept: no force acts at the jump about it."""
    assert pendulum(potential).conserved() == (MOMENTUM,)


@pytest.mark.parametrize(
    "potential",
    [
        sp.Abs(z()),
        sp.Abs(z() - sp.Rational(1, 3)) ** sp.Rational(3, 2),
        sp.sqrt(sp.Abs(z())),
        sp.log(sp.Abs(z())),
        1 / sp.Abs(z()),
        sp.Piecewise((z() ** 3, z() > 0), (0, True)),
        sp.Piecewise((z() - 1, z() > sp.Rational(1, 2)), (-z(), True)),
        z() * sp.sign(z()) + 10**6,
    ],
)
def test_kinks_roots_and_poles_are_no_jumps(potential):
    assert pendulum(potential).conserved() == ("energy", MOMENTUM)


def test_drift_counts_what_is_continuous():
    """A step of height two at the equator, passed at unit speed: nothing pushes, and the energy steps."""
    run = gc.simulate(pendulum(sp.sign(z())), np.linspace(0, 1, 11), ([[1.0, 0, 0]], [[0, -1.0, 0]]))
    assert run.conserved == MOMENTA
    assert "energy" not in run.drift


def test_pairs_and_bodies():
    step = spheres.Pairs(lambda a, b: sp.Piecewise((1, a.dot(b) > sp.Rational(1, 2)), (0, True)))
    assert spheres.SphereSystem(mass=[1.0, 2.0, 3.0], potential=step).conserved() == MOMENTA
    R, _ = rotations.symbols(1)
    top = rotations.RotationSystem(inertias=np.diag([1.0, 2.0, 2.5]), potential=sp.sign(R[0][2, 2]))
    assert top.conserved() == MOMENTA


def test_inertia_that_jumps_keeps_nothing():
    mass = sp.Matrix([[1 + sp.Piecewise((1, z() > 0), (0, True))]])
    assert pendulum(z(), mass=mass).conserved() == ()


def test_switches_of_parameters_alone_are_no_jumps():
    m = gc.Parameter("m", 1.0)
    potential = sp.Piecewise((z(), m.symbol > 0), (0, True))
    assert pendulum(potential, parameters=[m]).conserved() == ("energy", MOMENTUM)


@pytest.mark.parametrize(("cutoff", "rest", "keeps"), [(0.5, 0, False), (0.5, 0.25, True), (2, 0, True)])
def test_a_cutoff_is_a_jump_unless_the_energy_vanishes_there(cutoff, rest, keeps):
    """Of rest - |a - b|^2, where directions are never farther apart than 2."""
    system = spheres.SphereSystem(
        mass=np.ones(3), potential=spheres.Pairs(lambda a, b: rest - (a - b).dot(a - b), cutoff=cutoff)
    )
    assert system.conserved() == (("energy", *MOMENTA) if keeps else MOMENTA)


@pytest.mark.parametrize("unit", [1, 1e-9, 1e9])
def test_a_cutoff_of_places_is_a_jump_in_any_unit(unit):
    points = [Place(name) for name in ("a", "b")]
    kinetic = sum(p.rate.dot(p.rate) for p in points)
    for square, keeps in ((0, False), (unit**2, True)):
        law = Pairs(lambda a, b, square=square: (a - b).dot(a - b) - square, cutoff=unit)
        assert ("energy" in ProductSystem(points, kinetic=kinetic, potential=law).conserved()) is keeps
