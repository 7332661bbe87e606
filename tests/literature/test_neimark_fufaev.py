"""Rolling disk and hoop: Ju. I. Neimark and N. A. Fufaev, Dynamics of Nonholonomic Systems, AMS 1972."""

from functools import cache

import numpy as np
import pytest
import sympy as sp
from scipy.optimize import brentq

import geoctrl as gc
from tests.literature.thresholds import assert_flips, verdict

BODIES = pytest.mark.parametrize("chosen", ["disk", "hoop"])


@cache
def rolling(chosen):
    return gc.models.get("rolling-disk")(set=chosen).reduce()


def numbers(chosen):
    return [rolling(chosen).params[k] for k in ("a", "g", "A", "C")]


def stiffness(tilt, turning, spin, a, g, A, C):
    """Square of the frequency of the nodding about a steady motion, by hand.

    In axes with E1 horizontal and tilt the angle from the vertical to E3, Euler's equations about the contact
    are (A + 1) tilt'' + F = 0 with F = (C + 1) W2 W3 - A W2^2 cot + (g/a) cos, (C + 1) W3' = tilt' W2 and
    A W2' = tilt' (C W3 - A W2 cot): F changes with the tilt by itself and by W2 and W3.
    """
    s, c = np.sin(tilt), np.cos(tilt)
    slope2, slope3 = C * spin / A - turning * c / s, turning / (C + 1)
    own = A * turning**2 / s**2 - g / a * s
    by_spins = (C + 1) * (slope2 * spin + turning * slope3) - 2 * A * turning * slope2 * c / s
    return (own + by_spins) / (A + 1)


def circling(chosen, omega, t):
    """Tilt, W2 and W3 of a circular motion."""
    a, g, A, C = numbers(chosen)
    tilt = 2 * np.arctan(t)
    s, c = np.sin(tilt), np.cos(tilt)
    return tilt, omega * s, (A * omega * c - g * c / (a * omega * s)) / (C + 1)


@pytest.mark.parametrize(("chosen", "fraction"), [("disk", 1 / 3), ("hoop", 1 / 4)])
def test_rolling_straight(chosen, fraction):
    """Stable above v^2 = g a/3 (disk) and g a/4 (hoop)."""
    a, g, *_ = numbers(chosen)
    critical = np.sqrt(fraction * g * a) / a
    seen = rolling(chosen).despun()
    assert_flips(seen, "rolling", "Omega0", critical, "PROVED_UNSTABLE", "PROVED_STABLE")
    with pytest.raises(gc.EquilibriumError, match="despun"):
        rolling(chosen).equilibrium("rolling", Omega0=1.0)


@pytest.mark.parametrize(("chosen", "ratio"), [("disk", 4 / 5), ("hoop", 2 / 3)])
def test_spinning_on_a_diameter(chosen, ratio):
    """Stable above 4 g/(5 a) (disk) and 2 g/(3 a) (hoop)."""
    a, g, *_ = numbers(chosen)
    seen = rolling(chosen).despun()
    assert_flips(seen, "spinning", "Omega0", np.sqrt(ratio * g / a), "PROVED_UNSTABLE", "PROVED_STABLE")
    from_the_body = gc.certify(rolling(chosen), rolling(chosen).equilibrium("spinning", Omega0=20.0))
    assert from_the_body.verdict is gc.Verdict.UNDECIDED
    assert "despun()" in from_the_body.reason


def test_disk_thresholds_come_out_in_symbols():
    system = gc.models.get("rolling-disk")().reduce().despun()
    _, a, g, A, C = (p.symbol for p in system.mechanism.parameters)
    for family, square in (("rolling", A * g / (C * (C + 1) * a)), ("spinning", g / ((1 + A) * a))):
        conditions = gc.stability_conditions(system, family)
        (stable,), (unstable,) = conditions.stable, conditions.unstable
        Omega0 = conditions.family_symbols[0]
        for relation, sign in ((stable, 1), (unstable, -1)):
            difference = (relation.lhs - relation.rhs) * (1 if relation.func is sp.StrictGreaterThan else -1)
            ratio = sp.simplify(difference / (sign * (Omega0**2 - square)))
            assert ratio.is_positive


@BODIES
@pytest.mark.parametrize(("omega", "t"), [(2.0, 0.6), (-7.0, 0.9), (4.5, 1.7)])
def test_nodding_about_a_circular_motion(chosen, omega, t):
    point = rolling(chosen).despun().equilibrium("circling", omega=omega, t=t)
    square = stiffness(*circling(chosen, omega, t), *numbers(chosen))
    lin = gc.linearize(rolling(chosen).despun(), point)
    fastest = lin.eigenvalues[np.argmax(np.abs(lin.eigenvalues))]
    np.testing.assert_allclose(fastest**2, -square, rtol=1e-10)
    # Of the four coordinates on the leaf two are integrals over the tilt, whether or not they are elementary.
    assert len(lin.zero_modes) == 2
    expected = "PROVED_STABLE" if square > 0 else "PROVED_UNSTABLE"
    assert verdict(rolling(chosen).despun(), "circling", omega=omega, t=t) == expected


@BODIES
@pytest.mark.parametrize("t", [0.9, 0.97])
def test_circular_motions_lose_stability_where_the_nodding_loses_its_stiffness(chosen, t):
    """Slow turning goes with a fast spin and is stable, and so is fast turning: between them they are not."""
    a, g, *_ = numbers(chosen)

    def margin(omega):
        return stiffness(*circling(chosen, omega, t), *numbers(chosen))

    rates = np.geomspace(0.002, 3, 400) * np.sqrt(g / a)
    signs = np.sign([margin(w) for w in rates])
    changes = np.flatnonzero(np.diff(signs))
    assert [signs[i] for i in changes] == [1, -1]
    names = {1: "PROVED_STABLE", -1: "PROVED_UNSTABLE"}
    for i in changes:
        critical = brentq(margin, rates[i], rates[i + 1], xtol=1e-14, rtol=1e-14)
        below, above = names[signs[i]], names[signs[i + 1]]
        assert_flips(rolling(chosen).despun(), "circling", "omega", critical, below, above, t=t)


@BODIES
def test_the_contact_runs_on_a_circle(chosen):
    """Radius a (W3 - omega cos)/omega: the contact moves on the rim as the spin exceeds the axes' turning."""
    omega, t = -4.0, 0.8
    tilt, W2, W3 = circling(chosen, omega, t)
    system, a = rolling(chosen), numbers(chosen)[0]
    gamma = np.array([0.0, np.sin(tilt), np.cos(tilt)])
    Omega = np.array([0.0, W2, W3])
    x0 = system.project([*Omega, *np.cross([0, -a, 0], Omega)], {"Gamma": gamma}, nearest=True)
    run = gc.simulate(system, np.linspace(0.0, 3.0, 61), x0)
    path = run.contact()[:, :2]
    radius = abs(a * (W3 - omega * np.cos(tilt)) / omega)
    turned = np.exp(1j * omega * run.time)
    steps = path @ [1, 1j]
    centre = np.linalg.lstsq(np.stack([turned, np.ones_like(turned)], axis=1), steps, rcond=None)[0]
    assert abs(centre[0]) == pytest.approx(radius, rel=1e-9)
    assert np.max(np.abs(steps - centre[0] * turned - centre[1])) < 1e-9 * radius


def test_a_wrong_relation_is_no_steady_motion():
    mechanism = rolling("disk").mechanism
    family = mechanism.equilibria["circling"]
    states = {**family.states, "Omega3": -family.states["Omega3"]}
    wrong = mechanism.replace(equilibria={"circling": gc.Family(states, symbols=family.symbols)})
    with pytest.raises(gc.EquilibriumError):
        wrong.reduce().despun().equilibrium("circling", omega=2.0, t=0.6)
