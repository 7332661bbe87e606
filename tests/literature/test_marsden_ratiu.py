"""J. E. Marsden and T. S. Ratiu, Introduction to Mechanics and Symmetry (Springer 1999), chapter 15.

The free rigid body and the heavy top: energy-Casimir proofs and spectra.
"""

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from tests.literature import heavy_top_by_hand as hand
from tests.literature.thresholds import assert_flips, verdict


@pytest.fixture(scope="module")
def body():
    return gc.models.get("free-rigid-body")().reduce()


@pytest.mark.parametrize(("axis", "stable"), [(1, True), (2, False), (3, True)])
def test_intermediate_axis_is_unstable(body, axis, stable):
    expected = "PROVED_STABLE" if stable else "PROVED_UNSTABLE"
    assert verdict(body, f"about{axis}", Omega0=1.7) == expected


def test_the_free_body_flips_where_two_moments_are_equal(body):
    assert_flips(body, "about2", "I2", body.params["I3"], "PROVED_UNSTABLE", "PROVED_STABLE", Omega0=0.6)
    assert_flips(body, "about2", "I2", body.params["I1"], "PROVED_STABLE", "PROVED_UNSTABLE", Omega0=0.6)


@pytest.mark.parametrize("axis", [1, 2, 3])
def test_free_body_spectrum(body, axis):
    """Squares -(Ii - Ij)(Ii - Ik) W^2/(Ij Ik); the length of the momentum makes a zero."""
    moments = [body.params[f"I{i}"] for i in (1, 2, 3)]
    own, b, c = (moments[(axis - 1 + k) % 3] for k in range(3))
    lin = gc.linearize(body, body.equilibrium(f"about{axis}", Omega0=1.7))
    square = -(own - b) * (own - c) * 1.7**2 / (b * c)
    assert lin.eigenvalues[1:] ** 2 == pytest.approx([square, square], rel=1e-12)
    assert lin.zero_modes == ("Pi1**2 + Pi2**2 + Pi3**2",)


def test_free_body_conditions_in_symbols(body):
    conditions = gc.stability_conditions(body, "about1")
    I1, I2, I3 = (p.symbol for p in body.mechanism.parameters)
    Omega0 = conditions.family_symbols[0]
    rng = np.random.default_rng(5)
    for _ in range(40):
        values = {s: sp.Rational(int(rng.integers(1, 30)), 7) for s in (I1, I2, I3)} | {Omega0: sp.Integer(2)}
        if len({values[s] for s in (I1, I2, I3)}) < 3:
            continue
        extreme = (values[I1] > values[I2]) == (values[I1] > values[I3])
        assert all(bool(sp.sympify(r).subs(values)) for r in conditions.stable) == extreme
        assert any(bool(sp.sympify(r).subs(values)) for r in conditions.unstable) == (not extreme)


# -- the heavy top ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def lagrange():
    return gc.models.get("heavy-top")(set="lagrange").reduce()


def test_heavy_top_equations():
    top = gc.models.get("heavy-top")().reduce()
    p = top.params
    rng = np.random.default_rng(6)
    for _ in range(3):
        x = top.random_state(rng)
        moments = np.array([p["I1"], p["I2"], p["I3"]])
        expected = hand.field(x, moments, p["m"] * p["g"] * p["l"], np.array([0, 0, 1]))
        assert top.rhs(0.0, x) == pytest.approx(expected, abs=1e-12)


def test_the_sleeping_top(lagrange):
    """Fast tops stand: I3^2 W^2 > 4 I1 m g l."""
    p = lagrange.params
    critical = 2 * np.sqrt(p["I1"] * p["m"] * p["g"] * p["l"]) / p["I3"]
    for sense in (1, -1):
        assert_flips(lagrange, "sleeping", "Omega0", sense * critical, "PROVED_UNSTABLE", "PROVED_STABLE")


def test_the_spectrum_of_the_sleeping_top_in_symbols():
    """I1^2 x^4 + ((I3^2 - 2 I1 I3 + 2 I1^2) W^2 - 2 I1 w) x^2 + ((I3 - I1) W^2 - w)^2, w = m g l, I1 = I2."""
    top = gc.models.get("heavy-top")().reduce()
    found = gc.stability_conditions(top, "sleeping")
    m, l, g, I1, I2, I3 = (p.symbol for p in top.mechanism.parameters)  # noqa: E741
    W, w = found.family_symbols[0], m * g * l
    expected = [
        I1**2,
        0,
        (I3**2 - 2 * I1 * I3 + 2 * I1**2) * W**2 - 2 * I1 * w,
        0,
        ((I3 - I1) * W**2 - w) ** 2,
    ]
    computed = [sp.expand(c.subs(I2, I1) * I1**2) for c in found.characteristic_polynomial]
    assert [sp.expand(c - e) for c, e in zip(computed, expected, strict=True)] == [0] * 5
    # Two squares meet at the classical rate.
    discriminant = expected[2] ** 2 - 4 * expected[0] * expected[4]
    assert sp.expand(discriminant.subs(W, 2 * sp.sqrt(I1 * w) / I3)) == 0


@pytest.mark.parametrize("W", [3.0, 9.0, 12.0, 25.0])
def test_the_spectrum_of_the_sleeping_top_in_numbers(lagrange, W):
    p = lagrange.params
    lin = gc.linearize(lagrange, lagrange.equilibrium("sleeping", Omega0=W))
    moments = np.array([p["I1"], p["I2"], p["I3"]])
    weight = p["m"] * p["g"] * p["l"]
    by_hand = hand.spectrum(np.array([0, 0, W, 0, 0, 1.0]), moments, weight, np.array([0, 0, 1]))
    squares = np.sort_complex(np.roots(np.poly(lin.A_leaf)[:5:2]))
    assert squares == pytest.approx(by_hand, rel=1e-7, abs=1e-9)
    # In space a slightly tilted axis goes round at the roots of I1 q^2 - I3 W q + m g l; the body turns at W.
    seen = np.roots([p["I1"], -p["I3"] * W, weight]) - W
    assert np.sort_complex(-(seen.astype(complex) ** 2)) == pytest.approx(by_hand, rel=1e-7)
    assert lin.zero_modes == ("Pi3",)


def test_a_top_hangs_stably_unless_it_turns_about_the_middle_axis(lagrange):
    for rate in (0.0, 4.0, 30.0):
        assert verdict(lagrange, "hanging", Omega0=rate) == "PROVED_STABLE"
    top = gc.models.get("heavy-top")().reduce()
    p = top.params
    # Axis 3 has the least moment: the larger rate at which (I1 - I3) W^2 or (I2 - I3) W^2 beats gravity.
    critical = np.sqrt(p["m"] * p["g"] * p["l"] / (max(p["I1"], p["I2"]) - p["I3"]))
    assert_flips(top, "hanging", "Omega0", critical, "PROVED_STABLE", "PROVED_UNSTABLE")
