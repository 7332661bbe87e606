"""Relative equilibria on the leaf."""

from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from tests.literature import skate_by_hand as hand

P = hand.GENERIC


@pytest.fixture(scope="module")
def skate():
    return gc.models.get("pendulum-skate")().reduce()


@pytest.fixture(scope="module")
def top():
    return gc.models.get("heavy-top")().reduce()


def test_spinning_is_found_from_nothing_and_is_exact(skate):
    eq = gc.find_equilibrium(skate, guess=None, fixed={"v2": 3.0, "Gamma3": 1.0}, params=P)
    x, u = eq
    assert x.tolist() == [0, 3, 0, 0, 1]
    assert u.size == 0
    assert (eq.residual, eq.leaf_residual) == (0, 0)
    assert eq.exact == (0, 3, 0, 0, 1)
    assert dict(eq.params) == P
    assert eq["v2"] == 3.0
    # Spinning and leaning turns continue each other: two directions on the four-dimensional leaf.
    assert eq.family.shape == (5, 2)


def test_rest_is_the_default_guess(skate):
    eq = gc.find_equilibrium(skate)
    assert eq.x.tolist() == [0, 0, 0, 0, 1]


@pytest.mark.parametrize(("tilt", "w"), [(0.3, 2.0), (-0.45, 1.3), (0.8, -4.0), (1.2, 3.1)])
def test_leaning_turns(skate, tilt, w):
    guess = [0.02, w, 0.0, np.sin(tilt) + 0.03, np.cos(tilt) - 0.02]
    eq = gc.find_equilibrium(skate, guess, fixed={"v2": w, "Gamma2": np.sin(tilt)}, params=P)
    # 1e-10: two roundings per operation times |v3| up to 10, amplified by 1/cos(tilt).
    assert eq.x == pytest.approx(hand.leaning_turn(tilt, w, P), abs=1e-10)
    assert abs(hand.numerator(eq.x, P)) < 1e-11  # (39)
    assert eq.x[1] == w
    assert eq.x[3] == np.sin(tilt)
    assert max(eq.residual, eq.leaf_residual) < 1e-12
    assert eq.family.shape == (5, 2)
    # The family's directions are those of a turn with neighbouring tilt and rate.
    h = 1e-5
    for d in (
        hand.leaning_turn(tilt + h, w, P) - hand.leaning_turn(tilt - h, w, P),
        hand.leaning_turn(tilt, w + h, P) - hand.leaning_turn(tilt, w - h, P),
    ):
        tangent = d / np.linalg.norm(d)
        assert np.linalg.norm(tangent - eq.family @ (eq.family.T @ tangent)) < 1e-8


def test_a_leaning_turn_by_its_height(skate):
    """Gamma3 = 0.9 leaves the sign of the lean to the guess."""
    for sign in (1, -1):
        guess = [0, 2.0, 0, sign * 0.4, 0.9]
        eq = gc.find_equilibrium(skate, guess, fixed={"Gamma3": 0.9, "v2": 2.0}, params=P)
        assert eq.x == pytest.approx(hand.leaning_turn(sign * np.arccos(0.9), 2.0, P), abs=1e-10)


def test_without_held_values_the_nearest_member_is_found(skate):
    guess = hand.leaning_turn(0.4, 1.5, P) + np.array([1e-3, -2e-3, 1e-3, 2e-3, 1e-3])
    eq = gc.find_equilibrium(skate, guess, params=P)
    assert eq.residual < 1e-12
    # The member it started from is 0.003 away; v3 is steep along the family (v3 = -3.3, d v3/d tilt = -10).
    assert np.linalg.norm(eq.x - guess) < 0.03


@pytest.mark.parametrize("value", [1.0, -1.0, 1.0 + 1e-13])
def test_a_tangential_condition_converges(skate, value):
    """At |Gamma3| = 1 its gradient is that of the leaf: plain Newton would lose half the digits."""
    everywhere = skate.mechanism.replace(domain={}).reduce()  # below the ice as well
    guess = [0, 3.0, 0.1, 0.05, 0.99]
    eq = gc.find_equilibrium(everywhere, guess, fixed={"Gamma3": value, "v2": 3.0}, params=P)
    assert eq.x == pytest.approx([0, 3, 0, 0, value], abs=1e-12)
    assert eq.residual < 1e-12


@pytest.mark.parametrize("value", [1.2, -1.0001])
def test_a_held_value_beyond_its_range_names_the_range(skate, value):
    with pytest.raises(gc.EquilibriumError, match=r"Gamma3 = .* outside its range on the leaf, \[-1, 1\]"):
        gc.find_equilibrium(skate, fixed={"Gamma3": value})


def test_inputs_are_held(skate):
    plant = gc.models.get("pendulum-skate-rotor")().reduce()
    start = ([0, 2, -1.0, 0.4, 0.2, 0.98], [0.0])
    eq = gc.find_equilibrium(plant, start, fixed={"v2": 2.0, "Gamma2": 0.3, "theta_dot": 0.4})
    x, u = eq
    assert u.tolist() == [0.0]
    assert x[3] == 0.4
    body = np.delete(x, 3)
    assert abs(hand.numerator(body, hand.locked(hand.DATA_73))) < 1e-11
    # A constant torque spins the rotor up for ever: there is no equilibrium.
    with pytest.raises(gc.EquilibriumError, match="residual"):
        gc.find_equilibrium(plant, start, fixed={"u_theta": 0.1})
    with pytest.raises(ValueError, match="guess"):
        gc.find_equilibrium(plant, ([0, 2, -1.0, 0.4, 0.2, 0.98], [0.0, 1.0]))


def test_an_exact_member_of_a_family_is_kept_bit_for_bit(skate):
    eq = skate.equilibrium("spinning", Omega0=Fraction(22, 7), params=P)
    again = gc.find_equilibrium(skate, eq)
    assert again.exact == eq.exact
    assert again.exact[1] == Fraction(22, 7)
    assert again.x.tobytes() == eq.x.tobytes()
    assert again.params == eq.params
    # A float that is close is the rational that it is, not the member.
    near = gc.find_equilibrium(skate, eq.x, params=P)
    assert near.exact[1] == Fraction(22 / 7)


def test_permanent_rotations_of_a_heavy_top(top):
    """Staude: w^2 Gamma x I Gamma = m g l E3 x Gamma up to sign; by hand for Gamma in the plane of E1, E3."""
    p = {**top.params, "I1": 0.93, "I2": 0.71, "I3": 0.44}
    for c in (-0.6, -0.25):
        w = np.sqrt(p["m"] * p["g"] * p["l"] / ((p["I3"] - p["I1"]) * c))
        Gamma = np.array([np.sqrt(1 - c**2), 0, c])
        guess = np.concatenate([w * Gamma, Gamma]) + 0.01 * np.array([1, -1, 1, 1, 1, -1])
        eq = gc.find_equilibrium(top, guess, fixed={"Gamma3": c, "Gamma2": 0.0}, params=p)
        assert eq.x == pytest.approx(np.concatenate([w * Gamma, Gamma]), abs=1e-11)
        I = np.diag([p["I1"], p["I2"], p["I3"]])  # noqa: E741
        Omega, G = eq.x[:3], eq.x[3:]
        moment = -p["m"] * p["g"] * p["l"] * np.cross([0, 0, 1], G)
        assert np.cross(I @ Omega, Omega) + moment == pytest.approx(0, abs=1e-11)
        assert np.cross(G, Omega) == pytest.approx(0, abs=1e-12)


def test_a_failed_search_raises_with_its_residual(skate):
    with pytest.raises(gc.EquilibriumError, match="no equilibrium found: residual") as raised:
        gc.find_equilibrium(skate, fixed={"v2": 2.0, "v3": 1.0, "Gamma2": 0.3})
    assert raised.value.residual > 1e-3
    # A roll rate cannot stay constant; on the way the search meets Gamma = 0, where the mass is singular.
    with pytest.raises(gc.EquilibriumError, match="residual") as raised:
        gc.find_equilibrium(skate, fixed={"v1": 1.0})
    assert raised.value.residual > 0.1


def test_a_guess_at_which_the_equations_are_singular_raises(skate):
    with pytest.raises(gc.EquilibriumError, match="singular at the guess"):
        gc.find_equilibrium(skate, guess=[0, 1, 0, 0, 0])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"fixed": {"gamma3": 1.0}}, "did you mean 'Gamma3'"),
        ({"fixed": {"v2": np.nan}}, "v2"),
        ({"fixed": {"v2": np.inf}}, "v2"),
        ({"guess": [0, 1, 0, 0]}, "guess"),
        ({"guess": [0, np.nan, 0, 0, 1]}, "guess"),
        ({"params": {"I4": 1.0}}, "I4"),
        ({"params": {"m": -1.0}}, "m"),
    ],
)
def test_bad_arguments_raise(skate, arguments, words):
    with pytest.raises(ValueError, match=words):
        gc.find_equilibrium(skate, **arguments)


def test_families_check_their_symbols(skate):
    with pytest.raises(gc.ParameterError, match="Omega0"):
        skate.equilibrium("spinning")
    with pytest.raises(gc.ParameterError, match="Omega0"):
        skate.equilibrium("spinning", Omega=1.0)
    with pytest.raises(gc.ParameterError, match="spinning"):
        skate.equilibrium("spining", Omega0=1.0)


def test_forces_that_hold_the_time_have_no_equilibria():
    algebra = gc.so3()
    mechanism = gc.EulerPoincare(
        algebra=algebra, inertia=sp.diag(1, 2, 3), forces=[sp.sin(gc.time), 0, 0], name="driven"
    )
    system = mechanism.reduce()
    for question in (gc.certify, gc.linearize):
        with pytest.raises(gc.EquilibriumError, match="time"):
            question(system, [0.0, 0.0, 1.0])
    with pytest.raises(gc.EquilibriumError, match="time"):
        gc.find_equilibrium(system)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "abc", 1j, None])
def test_family_symbols_must_be_finite_numbers(value):
    skate = gc.models.get("pendulum-skate")().reduce()
    with pytest.raises(gc.ParameterError, match="Omega0"):
        skate.equilibrium("spinning", Omega0=value)
