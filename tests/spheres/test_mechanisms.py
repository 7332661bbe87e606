"""Inertia and potential of each mechanism against mass points and thin rods placed in space."""

from functools import cache
from itertools import combinations, pairwise

import numpy as np
import pytest

from geoctrl import spheres
from tests.spheres.systems import random_state
from tests.spheres.test_potentials import difference

GRAVITY = np.array([0.7, -0.4, -9.2])
MASSES, LENGTHS = np.array([1.0, 2.0, 0.5, 1.5]), np.array([0.6, 0.4, 0.5, 0.3])
# Two points on each rod of mass 1/2 at +- 1/(2 sqrt 3) of its length from the middle: Gauss quadrature, exact
# for the kinetic energy, which is quadratic along the rod.
GAUSS = (0.5 - 0.5 / np.sqrt(3), 0.5 + 0.5 / np.sqrt(3))
PAIRS = np.array([[0, 1], [3, 1], [2, 3]])
STIFFNESS, OFFSETS = np.array([10.0, 20.0, 5.0]), np.array([[0.5, 0, 0.1], [0.2, -0.3, 0], [0, 0.4, 0.2]])
PLACES = np.array([[0, 0, 0], [0.03, 0.01, 0], [0, 0.04, 0.02], [-0.02, 0.01, 0.03]])


def chain_points(v):
    """Masses and sums of l_i v_i along a chain: positions for directions, velocities for their rates."""
    return zip(MASSES, np.cumsum(LENGTHS[:, None] * v, axis=0), strict=True)


def rod_points(v, clamp):
    """Gauss points of four rods of mass 0.7 and length 0.3 in a chain after a clamped one."""
    ends = 0.3 * np.concatenate([[clamp], v]).cumsum(axis=0)
    for a, b in pairwise(ends):
        yield from ((0.35, (1 - s) * a + s * b) for s in GAUSS)


def weight(points):
    return -sum(m * GRAVITY @ r for m, r in points)


def springs(q):
    middle = 0.5 * LENGTHS[:, None] * q
    stretched = [r + middle[j] - middle[i] for (i, j), r in zip(PAIRS, OFFSETS, strict=True)]
    rest = np.linalg.norm(OFFSETS, axis=1)
    return sum(
        k / 2 * (np.linalg.norm(d) - r) ** 2 for k, d, r in zip(STIFFNESS, stretched, rest, strict=True)
    )


def bending(q, power):
    cosines = [a @ b for a, b in zip([CLAMP, *q], q, strict=False)]
    return sum(12.0 / 2 * (1 - c) ** power for c in cosines)


def field_energy(q):
    """Energy of needles of moment 0.3 in each other's field B = mu / (4 pi r^3) (3 (m.e) e - m)."""
    total = 0.0
    for a, b in combinations(range(4), 2):
        r = PLACES[b] - PLACES[a]
        e, distance = r / np.linalg.norm(r), np.linalg.norm(r)
        field = 1e-7 * 0.3 / distance**3 * (3 * (q[a] @ e) * e - q[a])
        total -= 0.3 * q[b] @ field
    return total


def needle_points(v):
    for w in v:
        yield from ((0.05 / 2, 0.02 * (s - 0.5) * w) for s in GAUSS)


def attraction(q):
    angles = [np.arccos(a @ b) for a, b in combinations(q, 2)]
    return -1.3 * sum(1 / np.tan(angle) for angle in angles)


def van_der_waals(q):
    ratios = [0.5 / np.linalg.norm(a - b) for a, b in combinations(q, 2)]
    return sum(4 * 0.2 * (s**12 - s**6) for s in ratios)


CLAMP = np.array([0.6, 0.0, 0.8])
STILL = np.zeros(3)
# Builder, points (mass, velocity) for given rates of the directions, potential.
CASES = {
    "chain": (
        lambda: spheres.chain_pendulum(MASSES, LENGTHS, GRAVITY),
        chain_points,
        lambda q: weight(chain_points(q)),
    ),
    "particles": (
        lambda: spheres.particles_on_sphere(MASSES, gamma=1.3),
        lambda v: zip(MASSES, v, strict=True),
        attraction,
    ),
    "coupled pendula": (
        lambda: spheres.coupled_pendula(MASSES, LENGTHS, PAIRS, STIFFNESS, OFFSETS, GRAVITY),
        lambda v: zip(MASSES, LENGTHS[:, None] * v, strict=True),
        lambda q: springs(q) + weight(zip(MASSES, LENGTHS[:, None] * q, strict=True)),
    ),
    "elastic rod": (
        lambda: spheres.elastic_rod(4, 0.7, 0.3, 12.0, 2, GRAVITY, 2 * CLAMP),
        lambda v: rod_points(v, STILL),
        lambda q: bending(q, 2) + weight(rod_points(q, STILL)),
    ),
    "elastic rod, power 1": (
        lambda: spheres.elastic_rod(4, 0.7, 0.3, 12.0, 1, GRAVITY, CLAMP),
        lambda v: rod_points(v, STILL),
        lambda q: bending(q, 1) + weight(rod_points(q, STILL)),
    ),
    "dipoles": (lambda: spheres.dipoles(PLACES, 0.05, 0.02, 0.3), needle_points, field_energy),
    "molecules": (
        lambda: spheres.lennard_jones(4, 0.2, 0.5, mass=1.4),
        lambda v: zip([1.4] * 4, v, strict=True),
        van_der_waals,
    ),
}


@cache
def mechanism(name):
    return CASES[name][0]()


@pytest.mark.parametrize("name", CASES)
def test_inertia_against_points_in_space(name):
    s, points = mechanism(name), CASES[name][1]
    q, omega = random_state(s.n, seed=1)
    v = np.cross(omega, q)
    expected = sum(m * rate @ rate for m, rate in points(v)) / 2
    mass = s.mass_matrix(q)
    assert np.sum(mass * (v @ v.T)) / 2 == pytest.approx(expected, rel=1e-13)
    kinetic = s.energy(s.pack(q, omega)) - s.potential(q)
    assert kinetic == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("name", CASES)
def test_potential_and_gradient(name):
    """The gradient is ambient: of the potential as it is written, in all directions; else tangent ones."""
    s, value = mechanism(name), CASES[name][2]
    q, omega = random_state(s.n, seed=1)
    assert s.potential(q) == pytest.approx(value(q), rel=1e-12)
    gradient = s.gradient(q)
    assert gradient == pytest.approx(difference(s.potential, q, h=1e-4), rel=1e-7, abs=1e-7)
    v = np.cross(omega, q)
    along = difference(
        lambda e: value((q + e * v) / np.linalg.norm(q + e * v, axis=1)[:, None]), np.zeros((1, 1))
    )
    assert np.sum(gradient * v) == pytest.approx(along[0, 0], rel=1e-7)


def test_double_pendulum_is_a_chain_without_inputs():
    two, chain = (
        spheres.double_pendulum(1.0, 2.0, 0.7, 0.4, GRAVITY),
        spheres.chain_pendulum([1, 2], [0.7, 0.4], GRAVITY),
    )
    x = two.pack(*random_state(2, seed=2))
    assert two.rhs(0.0, x) == pytest.approx(chain.rhs(0.0, x), rel=1e-14)
    assert two.inputs == ()
    assert two.mass_matrix(x[:6].reshape(2, 3)) == pytest.approx(
        np.array([[1.47, 0.56], [0.56, 0.32]]), rel=1e-14
    )


def test_gravity_is_the_acceleration():
    """A single link at rest at the level of the pivot falls with g / l."""
    s = spheres.chain_pendulum([2.0], [0.5], gravity=(0, 0, -9.81))
    rate = s.rhs(0.0, [1, 0, 0, 0, 0, 0])
    assert np.cross(rate[3:], [1, 0, 0]) == pytest.approx([0, 0, -9.81 / 0.5], rel=1e-14)


def test_cutoff_of_molecules_is_opt_in():
    q, _ = random_state(12, seed=3)
    assert spheres.lennard_jones(12, 0.2, 0.1, cutoff=0.9).potential(q) != spheres.lennard_jones(
        12, 0.2, 0.1
    ).potential(q)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: spheres.chain_pendulum([1.0, -1.0], [1.0, 1.0]), "masses must be positive"),
        (lambda: spheres.chain_pendulum([1.0, 1.0], [1.0]), "2 masses, 1 lengths"),
        (lambda: spheres.chain_pendulum([1.0], [1.0], gravity=9.81), "gravity must have shape"),
        (lambda: spheres.chain_pendulum([np.nan], [1.0]), "masses must be finite"),
        (lambda: spheres.particles_on_sphere([]), "masses must be positive"),
        (lambda: spheres.coupled_pendula([1.0], [1.0], [[0, 1]], [1.0], [[1, 0, 0]]), "index 1"),
        (
            lambda: spheres.coupled_pendula([1.0, 1.0], [1.0, 1.0], [[0, 1]], [1.0], [1, 0, 0]),
            "offsets must have shape",
        ),
        (lambda: spheres.elastic_rod(0, 1.0, 1.0, 1.0), "n must be a whole"),
        (lambda: spheres.elastic_rod(2, 1.0, 1.0, 1.0, clamp=(0, 0, 0)), "clamp"),
        (lambda: spheres.elastic_rod(2, 1.0, 1.0, 1.0, power=0.5), "power"),
        (lambda: spheres.dipoles([[0, 0, 0], [0, 0, 0]], 1.0, 1.0, 1.0), "same place"),
        (lambda: spheres.dipoles([0, 0, 0], 1.0, 1.0, 1.0), r"shape \(n, 3\)"),
        (lambda: spheres.lennard_jones(3, 1.0, -1.0), "sigma must be positive"),
        (lambda: spheres.lennard_jones(1.5, 1.0, 1.0), "n must be"),
    ],
)
def test_bad_arguments(make, words):
    with pytest.raises(ValueError, match=words):
        make()
