"""Proofs in turning axes rest on a symmetry that is exact, not on one to rounding."""

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl import rotations, spheres
from geoctrl.manifolds.product.turns_of_all import is_symmetric

TINY = sp.Rational(1, 10**14)
"""Relative size of what breaks a symmetry: floats at random states do not see it."""
UP = np.array([0, 0, 1.0])


def two_bodies(extra=0, **more):
    a, b = spheres.symbols(2)[0]
    potential = 20 * a[2] + 10 * b[2] - 5 * a.dot(b) + 5 / sp.sqrt(3 + a.dot(b)) + extra
    return spheres.SphereSystem(**({"mass": [2.0, 3.0], "potential": potential} | more))


def top(extra=0, linear=(0, 0, 0.25)):
    R, _ = rotations.symbols(1)
    return rotations.RotationSystem(
        inertias=np.diag([2.0, 2.0, 1.0]), potential=9 * R[0][2, 2] + extra, linear=[list(linear)]
    )


def verdict(system, configuration, rate):
    n = system.n
    point = gc.find_equilibrium(system, (configuration, np.zeros((n, 3))), spin=(0, 0, rate))
    return gc.certify(system, point).verdict.name


def test_spheres():
    hanging = np.array([[0, 0, -1.0], [0, 0, -1.0]])
    a, b = spheres.symbols(2)[0]
    cap = sp.Piecewise((a[0], a[0] > sp.Rational(999, 1000)), (0, True))
    assert not is_symmetric(two_bodies(cap), {}, UP)
    assert verdict(two_bodies(), hanging, 1.0) == "PROVED_STABLE"
    for extra in (TINY * a[0], TINY * b[0] * b[1], sp.Abs(b[0]) * TINY + TINY * b[0] ** 3):
        assert not is_symmetric(two_bodies(extra), {}, UP)
    assert verdict(two_bodies(TINY * a[0] * a[1]), hanging, 1.0) == "NUMERICALLY_STABLE"


def test_rotations():
    R, _ = rotations.symbols(1)
    assert verdict(top(), np.eye(3)[None], 0.5) == "PROVED_UNSTABLE"
    bent = top(TINY * R[0][0, 1] * R[0][0, 2])
    assert verdict(bent, np.eye(3)[None], 0.5) == "NUMERICALLY_UNSTABLE"
    assert not is_symmetric(top(linear=[0, 0, TINY * R[0][0, 0]]), {}, UP)
    assert is_symmetric(top(linear=[0, 0, R[0][2, 0]]), {}, UP)


@pytest.mark.parametrize("axis", np.eye(3))
def test_the_axis_counts(axis):
    """A potential of one component is symmetric about that axis alone."""
    a = spheres.symbols(1)[0][0]
    for k in range(3):
        system = spheres.SphereSystem(mass=[1.0], potential=sp.exp(a[k]) + sp.sqrt(2 + a[k]))
        assert is_symmetric(system, {}, axis) == bool(axis[k])
    R, _ = rotations.symbols(1)
    for k in range(3):
        system = rotations.RotationSystem(inertias=np.eye(3), potential=sp.sin(R[0][k, 0]) * R[0][k, 2])
        assert is_symmetric(system, {}, axis) == bool(axis[k])


def test_inertia_and_parameters_count():
    a, b = spheres.symbols(2)[0]
    c = gc.Parameter("c", None)
    turned = {"mass": sp.Matrix([[2, a.dot(b) / 2], [a.dot(b) / 2, 3 + a[2] ** 2]])}
    bent = {"mass": sp.Matrix([[2, a[0] / 10], [a[0] / 10, 3]])}
    assert is_symmetric(two_bodies(**turned), {}, UP)
    assert not is_symmetric(two_bodies(**bent), {}, UP)
    by_parameter = two_bodies(c.symbol * a[0], parameters=[c])
    assert is_symmetric(by_parameter, {"c": 0.0}, UP)
    assert not is_symmetric(by_parameter, {"c": 1e-20}, UP)


TILTED = {"plane": ([[1, 2, 2], [2, 1, -2]], (2, -2, 1)), "line": ([[1, 2, 2]], (1, 2, 2))}


@pytest.mark.parametrize("held", TILTED)
def test_places_are_held_by_the_axes_as_they_were_given(held):
    """Normals and unit axes are rounded; by hand, (1, 2, 2) x (2, 1, -2) = -3 (2, -2, 1)."""
    axes, normal = TILTED[held]
    x = gc.manifolds.Place("x", axes=axes)
    pull = x.z.dot(x.z) + sp.sin(sum(n * e for n, e in zip(normal, x.z, strict=True)))
    puck = gc.manifolds.ProductSystem([x], kinetic=x.rate.dot(x.rate) / 2, potential=pull)
    for size in (1.0, 0.1):
        assert is_symmetric(puck, {}, size * np.array(normal, dtype=float))
    assert not is_symmetric(puck, {}, np.array(normal) + np.array([2.0**-50, 0, 0]))
    assert not is_symmetric(puck, {}, UP)
