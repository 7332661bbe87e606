"""Random products of factors with random energies: conformance of all that systems on them answer.

Rates, energies and momenta are compared with Lagrange's equations in local coordinates, of which nothing is
shared but the Lagrangian (`tests/oracles/local_coordinates.py`), linearisations and forms with what defines
them.
"""

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl.manifolds import Attitude, Place, ProductSystem
from tests.manifolds.products import STYLES, drawn, forces_on_rates, generic, symmetric
from tests.sweeps import sampled

CASES = [
    (1, "xq"),
    (2, "R"),
    (3, "qR"),
    (4, "xRq"),
    (5, "qq"),
    (6, "xx"),
]
ROUNDING = 2e-12
"""Of accelerations of size ten, from inertias with condition numbers of some tens."""

DRAWN = {
    "xq": ("constant", "varying"),
    "R": ("varying", "not quadratic"),
    "qR": ("constant", "turning"),
    "xRq": ("linear", "not quadratic"),
    "qq": ("varying", "turning"),
    "xx": ("constant", "linear"),
}
SYMMETRIC = {
    "xq": ("constant",),
    "R": ("varying",),
    "qR": ("not quadratic", "constant"),
    "xRq": ("constant",),
    "qq": ("varying",),
    "xx": ("not quadratic", "varying"),
}
"""Styles of each product in every run: each kind of factor with each style, and most pairs of kinds."""
KEPT = ("constant", "varying", "not quadratic")
"""Styles that keep a momentum where the factors turn as one."""


def crossed(styles, sample):
    """Each product in each of the styles, as parameters; all but the sample with --all."""
    return pytest.mark.parametrize(
        ("seed", "kinds", "style"),
        sampled(
            [(seed, kinds, style) for style in styles for seed, kinds in CASES],
            lambda case: case[2] in sample[case[1]],
            reason="each factor and each style is in the sample, in other company",
            ids=lambda case: f"{case[1]}-{case[2]}",
        ),
    )


every_drawn = crossed(STYLES, DRAWN)
every_symmetric = crossed(KEPT, {kinds: styles[:1] for kinds, styles in SYMMETRIC.items()})
u0 = np.array([0.7, -0.4])


def second_derivative(system, x, u):
    """z'' of the motion: z' is quadratic in the state, so that a central difference along it is exact."""
    h, n = 1e-2, system.split
    rate = system.rhs(0.3, x, u)
    ahead, behind = (system.rhs(0.3, x + s * rate, u)[:n] for s in (h, -h))
    return ((ahead - behind) / (2 * h)).reshape(-1, 3)


def compared(one, x, u, oracle=None):
    """Second derivatives of the system and of the oracle, and what else the oracle says."""
    system = one.system
    z, rate = x[: system.split].reshape(-1, 3), system.rhs(0.3, x, u)[: system.split].reshape(-1, 3)
    found = (oracle or one.oracle()).rates(z, rate, forces_on_rates(one, x, u))
    return second_derivative(system, x, u), found


@every_drawn
def test_rates_are_lagranges_equations_in_coordinates(seed, kinds, style):
    one = drawn(seed, kinds, style)
    x = generic(one)
    ours, theirs = compared(one, x, u0)
    np.testing.assert_allclose(ours, theirs.second, atol=ROUNDING * max(1.0, np.abs(theirs.second).max()))
    assert one.system.energy(x) == pytest.approx(theirs.energy, abs=1e-12)


def test_a_wrong_lagrangian_is_noticed():
    """The negative control: potential turned over, and a frame that turns the other way."""
    one = drawn(4, "xRq", "constant")
    x = generic(one)
    z = [s for f in one.factors for s in f.z]
    V = -one.lagrangian.xreplace({s: 0 for f in one.factors for s in f.rate})
    assert V.free_symbols <= set(z)
    ours, theirs = compared(one, x, u0, one.oracle(one.lagrangian + 2 * V))
    assert np.abs(ours - theirs.second).max() > 1e-2
    other = drawn(4, "xRq", "turning")
    x = generic(other)
    backwards = other._replace(turn=tuple(-w for w in other.turn))
    ours, theirs = compared(backwards, x, u0)
    assert np.abs(ours - theirs.second).max() > 1e-2


def slope(function, x, direction, h=1e-3):
    """Derivative along a direction, by a difference of order six."""
    weights = {1: 45, 2: -9, 3: 1}
    return sum(
        c * (function(x + k * h * direction) - function(x - k * h * direction)) for k, c in weights.items()
    ) / (60 * h)


@every_drawn
def test_energy_changes_by_the_power(seed, kinds, style):
    one = drawn(seed, kinds, style)
    system, x = one.system, generic(one)
    rate = system.rhs(0.0, x, u0)
    relative = rate[: system.split].reshape(-1, 3)
    power = np.sum(forces_on_rates(one, x, u0) * relative)
    # Energy is a polynomial of small degree; rounding over the step: 1e-16 / 1e-3 times a hundred.
    assert slope(system.energy, x, rate) == pytest.approx(power, abs=2e-11)


@every_symmetric
def test_momentum_about_the_axis_of_symmetry_is_kept_by_the_equations(seed, kinds, style):
    one = symmetric(seed, kinds, style)
    system, x = one.system, generic(one)
    rate = system.rhs(0.0, x)
    assert "momentum3" in system.conserved()
    assert "momentum1" not in system.conserved()
    along = [slope(lambda y, k=k: system.momentum(y)[k], x, rate) for k in range(3)]
    assert abs(along[2]) < 2e-11
    assert np.abs(along[:2]).max() > 1e-3


# -- linearisation ----------------------------------------------------------------------------------


@every_drawn
def test_jacobian_is_the_derivative_of_the_rates(seed, kinds, style):
    one = drawn(seed, kinds, style)
    system, x = one.system, generic(one)
    A = system.jacobian(0.3, x, u0)
    rng = np.random.default_rng(2)
    ways = rng.normal(size=(3, x.size)) @ tangent_projection(system, x)
    for way in ways:
        expected = slope(lambda y: system.rhs(0.3, y, u0), x, way)
        # Differences of order six leave 1e-10 of derivatives of size ten to a hundred.
        np.testing.assert_allclose(A @ way, expected, atol=1e-8 * max(1.0, np.abs(expected).max()))


def tangent_projection(system, x):
    """Projection on the variations that stay on the manifold: the kernel of the slope of its relations."""
    h = 1e-6
    rows = [
        (system.leaf_residual(x + h * e) - system.leaf_residual(x - h * e)) / (2 * h) for e in np.eye(x.size)
    ]
    rows = np.array(rows).T
    return np.eye(x.size) - np.linalg.pinv(rows) @ rows if rows.size else np.eye(x.size)


FREEDOM = {"x": 3, "q": 2, "R": 3}


@crossed(("constant", "varying"), SYMMETRIC)
def test_linearisation_lives_on_the_tangent_space(seed, kinds, style):
    one = symmetric(seed, kinds, style)
    system = one.system
    low = {f.name: (bottom(f), np.zeros(3)) for f in one.factors}
    eq = gc.find_equilibrium(system, guess=low)
    lin = gc.linearize(system, eq)
    freedom = 2 * sum(FREEDOM[kind] for kind in kinds)
    assert lin.A_leaf.shape == (freedom, freedom)
    assert lin.basis.shape == (system.size, freedom)
    P = tangent_projection(system, eq.x)
    np.testing.assert_allclose(P @ lin.basis, lin.basis, atol=1e-7)
    np.testing.assert_allclose(lin.A @ lin.basis, lin.basis @ lin.A_leaf, atol=1e-7)
    # Motions near a rest of a mechanism without friction: eigenvalues come in pairs of opposite sign.
    apart = np.abs(lin.eigenvalues[:, None] + lin.eigenvalues[None, :])
    assert apart.min(axis=1).max() < 1e-5  # defective zeros are found to the root of rounding


def bottom(factor):
    if factor.rows == 3:
        return np.eye(3)
    return np.array([0.1, -0.2, -1.0]) / np.sqrt(1.05) if factor.freedom == 2 else np.array([0.1, 0.2, -0.3])


# -- forms and engines ------------------------------------------------------------------------------


@crossed(KEPT, DRAWN)
def test_forms_agree(seed, kinds, style):
    one = drawn(seed, kinds, style)
    system, x = one.system, generic(one)
    form = system.in_form("momentum")
    y = system.convert(x, "velocity", "momentum")
    np.testing.assert_allclose(system.convert(y, "momentum", "velocity"), x, atol=1e-12)
    assert form.energy(y) == pytest.approx(system.energy(x), abs=1e-12)
    # Rates of momenta are those of the states, carried over by the derivative of the transform.
    rate = system.rhs(0.3, x, u0)
    expected = slope(lambda s: system.convert(s, "velocity", "momentum"), x, rate)
    np.testing.assert_allclose(form.rhs(0.3, y, u0), expected, atol=1e-9 * max(1.0, np.abs(expected).max()))


@pytest.mark.parametrize("style", STYLES[:4])
def test_engines_agree(style):
    one = drawn(3, "qR", style, forced=False)
    x = generic(one, size=0.5)
    fine = gc.simulate(one.system, [0.0, 1.0], x, engine="heyoka")
    other = gc.simulate(one.system, [0.0, 1.0], x, engine="scipy", rtol=1e-13)
    assert fine.engine.startswith("heyoka")
    np.testing.assert_allclose(fine.states, other.states, atol=1e-10)  # DOP853 at 1e-13 over a second


@pytest.mark.parametrize("quartic", [0.0, 1e-9, 0.3])
def test_degrees_of_energies_are_seen_in_numbers_or_in_symbols(quartic):
    """Third differences show the largest of the terms; the least is found when they are multiplied out."""
    x, R = Place("x"), Attitude("R")
    v = x.rate + R.rate * sp.Matrix([0.3, -0.2, 0.1])
    kinetic = v.dot(v) / 2 + R.velocity.dot(R.velocity) + quartic * v.dot(v) ** 2
    system = ProductSystem([x, R], kinetic=kinetic)
    assert system.description.inertia_varies == (quartic != 0)
    start = np.concatenate([[0.1, 0.2, 0.3], np.eye(3).ravel(), [1.0, 2.0, 3.0], [0.2, -0.1, 0.4]])
    speed = np.array([1.0, 2.0, 3.0]) + np.cross([0.2, -0.1, 0.4], [0.3, -0.2, 0.1])
    square = speed @ speed
    energy = square / 2 + 0.21 + 3 * quartic * square**2  # u . K_u - K
    assert system.energy(start) == pytest.approx(energy, rel=1e-14)
