"""Routh's sphere: E. J. Routh, Advanced Rigid Dynamics, 6th ed., Macmillan 1905, art. 243."""

from functools import cache

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import quad
from scipy.optimize import brentq

import geoctrl as gc
from tests.literature.rolling_by_hand import linearised
from tests.literature.thresholds import assert_flips, verdict
from tests.oracles.contact import RollingBody, Sphere

KINDS = pytest.mark.parametrize("kind", ["top", "gyrostat"])
PROLATE = {"J1": 0.083, "J3": 0.061}
OBLATE = {"J1": 0.052, "J3": 0.094}


@cache
def sphere(kind):
    return gc.models.get("top-on-sphere")(gyrostat=kind == "gyrostat").reduce()


def numbers(system, params=None):
    p = {"h": 0.0, **system.params, **(params or {})}
    return [p[k] for k in ("m", "a", "b", "g", "J1", "J3", "h")]


def sleeping_threshold(m, a, b, g, J1, J3, h):
    """((J3 + m a (a + b)) W + h)^2 = 4 m g b (J1 + m (a + b)^2), the positive root."""
    return (np.sqrt(4 * m * g * b * (J1 + m * (a + b) ** 2)) - h) / (J3 + m * a * (a + b))


def linear_integrals(z, spin, moment, m, a, b, g, J1, J3, h):
    """Velocities (Omega2, Omega3) at Gamma = (0, sin, z) from a Jellett constant and the spin at z = 1."""

    def P(s):
        return J1 * J3 + m * (J1 * a**2 * (1 - s**2) + J3 * (a * s + b) ** 2)

    drift = quad(lambda s: m * a * h * (a * s + b) / np.sqrt(P(s)), 1, z, epsabs=1e-14, epsrel=1e-13)[0]
    omega3 = (spin * np.sqrt(P(1)) - drift) / np.sqrt(P(z))
    # (J Omega + h E3) . rho with rho = -(0, a sin, a z + b)
    omega2 = (-moment - (J3 * omega3 + h) * (a * z + b)) / (J1 * a * np.sqrt(1 - z**2))
    return omega2, omega3


def effective_potential(z, spin, moment, m, a, b, g, J1, J3, h):
    """Energy without the part of the nutation rate."""
    w2, w3 = linear_integrals(z, spin, moment, m, a, b, g, J1, J3, h)
    s = np.sqrt(1 - z**2)
    sideways = w3 * a * s - w2 * (a * z + b)  # (Omega x rho) . E1
    return (J1 * w2**2 + J3 * w3**2 + m * sideways**2) / 2 + m * g * b * z


@KINDS
@pytest.mark.parametrize("moments", [PROLATE, OBLATE], ids=["prolate", "oblate"])
def test_sleeping_flips_at_rouths_spin(kind, moments):
    system = sphere(kind)
    critical = sleeping_threshold(*numbers(system, moments))
    assert_flips(system, "sleeping", "Omega0", critical, "PROVED_UNSTABLE", "PROVED_STABLE", params=moments)


def test_the_threshold_comes_out_in_symbols():
    system = sphere("top")
    m, a, b, g, J1, J3 = (p.symbol for p in system.mechanism.parameters)
    conditions = gc.stability_conditions(system, "sleeping")
    (Omega0,) = conditions.family_symbols
    margin = ((J3 + m * a * (a + b)) * Omega0) ** 2 - 4 * m * g * b * (J1 + m * (a + b) ** 2)
    boundaries = [
        r.lhs for condition in conditions.undecided for r in condition.atoms(sp.core.relational.Relational)
    ]
    assert any(sp.expand(lhs - margin) == 0 or sp.expand(lhs + margin) == 0 for lhs in boundaries)


@KINDS
@pytest.mark.parametrize("spin", [0.0, 0.4, -3.0, 25.0])
def test_with_the_centre_of_mass_below_every_spin_is_stable(kind, spin):
    assert verdict(sphere(kind), "sleeping", params={"b": -0.11}, Omega0=spin) == "PROVED_STABLE"


@KINDS
def test_sleeping_frequencies(kind):
    """In axes that do not spin: A mu^2 - S mu + m g b = 0, A and S the moment and momentum at the contact."""
    system = sphere(kind)
    m, a, b, g, J1, J3, h = numbers(system)
    W = 1.3 * sleeping_threshold(m, a, b, g, J1, J3, h)
    nutation = np.roots([J1 + m * (a + b) ** 2, -(J3 + m * a * (a + b)) * W - h, m * g * b])
    expected = np.sort(np.concatenate([nutation - W, W - nutation, [0]]))
    lin = gc.linearize(system, system.equilibrium("sleeping", Omega0=W))
    np.testing.assert_allclose(np.sort(lin.eigenvalues.imag), expected, atol=1e-12)
    np.testing.assert_allclose(lin.eigenvalues.real, 0, atol=1e-12)
    assert lin.zero_modes == ("Jellett",)  # at the vertical the other integrals have the same gradient


@KINDS
@pytest.mark.parametrize("W", [-4.1, 2.3])
def test_linearisation_is_newton_and_eulers(kind, W):
    system = sphere(kind)
    m, a, b, g, J1, J3, h = numbers(system)
    body = RollingBody(m, np.diag([J1, J1, J3]), Sphere(a, np.array([0, 0, -b])), g)
    lin = gc.linearize(system, system.equilibrium("sleeping", Omega0=W))
    by_hand = linearised(body, [0, 0, W], [0, 0, 1], rotor=[0, 0, h])
    np.testing.assert_allclose(lin.A_leaf, lin.basis.T @ by_hand @ lin.basis, rtol=1e-12, atol=1e-12)


@KINDS
@pytest.mark.parametrize("name", ["Jellett", "Routh", "energy"])
def test_integrals_are_proved(kind, name):
    proof = gc.check_invariant(sphere(kind), name)
    assert proof.proved
    assert proof.parameters == "all"


def test_wrong_integrals_are_refuted():
    system = sphere("top")
    m, a, b, _, J1, J3 = (p.symbol for p in system.mechanism.parameters)
    w1, w2, w3, G1, G2, G3 = system.states
    wrong_arm = J1 * (w1 * G1 + w2 * G2) * a + J3 * w3 * (a * G3 - b)
    wrong_moment = w3**2 * (J1 * J3 + m * (J1 * a**2 * (1 - G3**2) + J1 * (a * G3 + b) ** 2))
    for expr in (wrong_arm, wrong_moment, w3):
        proof = gc.check_invariant(system, expr)
        assert not proof.proved
        assert proof.counterexample is not None


@pytest.mark.long(reason="wrong integrals are refuted beside it")
def test_without_its_quadrature_rouths_integral_is_lost_by_the_gyrostat():
    system = sphere("gyrostat")
    without = sphere("top").mechanism.invariants["Routh"]
    assert not gc.check_invariant(system, without).proved
    wrong_sign = 2 * without - system.mechanism.invariants["Routh"]  # the rotor's part with the other sign
    assert not gc.check_invariant(system, wrong_sign).proved


@pytest.mark.parametrize("moments", [PROLATE, OBLATE], ids=["prolate", "oblate"])
def test_rouths_integral_of_the_gyrostat_is_its_quadrature(moments):
    system = sphere("gyrostat")
    p = numbers(system, moments)
    values = []
    for z in (-0.8, 0.1, 0.9):
        omega2, omega3 = linear_integrals(z, 2.1, -0.4, *p)
        x = [0, omega2, omega3, 0, np.sqrt(1 - z**2), z]
        values.append([system.invariants(x, params=moments)[k] for k in ("Jellett", "Routh")])
    jellett, routh = np.transpose(values)
    np.testing.assert_allclose(jellett, -0.4, rtol=1e-12)
    np.testing.assert_allclose(routh, routh[0], rtol=1e-12)


def test_the_rotor_at_rest_leaves_the_top():
    x = sphere("top").random_state(np.random.default_rng(3))
    np.testing.assert_allclose(
        sphere("top").rhs(0, x), sphere("gyrostat").rhs(0, x, params={"h": 0.0}), rtol=1e-13
    )


@KINDS
@pytest.mark.parametrize(("omega", "t"), [(2.0, 0.3), (-3.0, 0.7), (1.1, 2.0)])
def test_precession_is_stable_where_the_effective_potential_has_a_minimum(kind, omega, t):
    system = sphere(kind)
    point = system.despun().equilibrium("precessing", omega=omega, t=t)
    p, z = numbers(system), point["Gamma3"]
    m, a, b, _, J1, J3, h = p
    moment = -J1 * point["Omega2"] * a * point["Gamma2"] - (J3 * point["Omega3"] + h) * (a * z + b)
    spin = brentq(lambda w: linear_integrals(z, w, moment, *p)[1] - point["Omega3"], -50, 50, xtol=1e-13)
    e = 1e-3
    left, middle, right = (effective_potential(z + d, spin, moment, *p) for d in (-e, 0, e))
    slope, curvature = (right - left) / (2 * e), (right - 2 * middle + left) / e**2
    assert abs(slope) < 1e-4 * abs(curvature)  # e^2 times a third derivative
    lin = gc.linearize(system.despun(), point)
    # z'^2 (J1 + m |rho|^2)/(2 sin^2) is the kinetic energy of the nutation.
    square = curvature * (1 - z**2) / (J1 + m * (a**2 + b**2 + 2 * a * b * z))
    fastest = lin.eigenvalues[np.argmax(np.abs(lin.eigenvalues))]
    np.testing.assert_allclose(fastest**2, -square, rtol=1e-4)
    expected = "STABLE" if curvature > 0 else "UNSTABLE"
    assert verdict(system.despun(), "precessing", omega=omega, t=t).split("_")[1] == expected


def test_precession_turns_the_vertical_in_the_body():
    with pytest.raises(gc.EquilibriumError, match="despun"):
        sphere("top").equilibrium("precessing", omega=2.0, t=0.3)


@KINDS
def test_integrals_are_kept_in_large_nutations(kind):
    system = sphere(kind)
    with pytest.warns(gc.ProjectionWarning, match="Y1 from 0 to"):
        x0 = system.project([0.3, -0.2, 1.1, 0, 0, 0], {"Gamma": [0.1, 0.2, 1.0]}, nearest=True)
    run = gc.simulate(system, np.linspace(0, 20, 401), x0)
    assert np.ptp(run["Gamma3"]) > 0.3
    assert {"Jellett", "Routh", "energy"} <= set(run.drift)
    assert max(run.drift.values()) < 1e-12  # rounding over thousands of steps
