"""Holds, their edges and what counts as rest, in other units of mass, length and time."""

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl.errors import ConvergenceError, EquilibriumError, LawWarning
from geoctrl.sampling import Feedback, SampledController
from tests.synthesis.own_mechanisms import pendulum
from tests.synthesis.test_gains_in_units import cart


def loop(mass, length, time):
    """The cart's law at a hundredth of the plant's time, without a force by the place of the cart."""
    system, eq, states, force = cart(mass, length, time)
    Q = dict(zip(system.state_labels, (1 / states**2).tolist(), strict=True))
    law = gc.lqr(system, eq, Q=Q, R={"u": 1 / force**2})
    return system, eq, gc.linearize_held(system, law.sampled(rate=100 / time), eq)


@pytest.mark.parametrize("units", [(1e-6, 1e3, 1e-5), (1e6, 1e-3, 1e5)])
def test_the_largest_hold_is_so_many_times_of_the_plant(units):
    first, other = loop(1, 1, 1)[2], loop(*units)[2]
    assert other.radius == pytest.approx(first.radius, rel=1e-9)
    assert np.array(other.largest_hold()) / units[2] == pytest.approx(
        np.array(first.largest_hold()), rel=1e-6
    )
    found = other.bracket()
    assert found.width < 1e-7 * found.holds[0]
    assert other.neutral == first.neutral


def test_another_force_at_rest_is_none_of_rounding():
    """A force of 1e-9 N that is too large is as wrong as one of 1 N: it is judged by the law's own terms."""
    for force in (1.0, 1e-9, 1e6):
        q, u = gc.Coordinate("q"), sp.Symbol("u", real=True)
        system = gc.EulerPoincare(shape=[q], inertia=[[force]], forces=[u - force], inputs=["u"]).reduce()
        eq = (np.zeros(2), np.array([force]))
        gain = sp.Rational(force)
        right = gain * (1 - q.symbol - 2 * q.rate)
        for law, rests in ((right, True), (right + gain / 1000, False)):
            controller = SampledController(Feedback({"u": law}, rest={"u": force}), rate=100)
            if rests:
                assert gc.linearize_held(system, controller, eq).stable
            else:
                with pytest.raises(EquilibriumError, match="the law asks for u"):
                    gc.linearize_held(system, controller, eq)


def test_a_period_is_not_taken_for_a_rate_without_a_word():
    system = pendulum()
    eq = system.equilibrium("up")
    law = gc.lqr(system, eq)
    with pytest.warns(LawWarning, match=r"rate=0.01 is in Hz: a hold of 100 s.*give rate=100"):
        law.sampled(rate=0.01)
    with pytest.warns(LawWarning, match="rate=10000"), pytest.raises(ConvergenceError, match="in Hz"):
        gc.lqr(system, eq, rate=1e-4)
    law.sampled(rate=1)  # slow, and none of a mistake


@pytest.mark.parametrize("mass", [2.0**-40, 1.0, 2.0**40])
def test_what_a_command_moves_in_a_hold_has_any_unit(mass):
    """q'' = u/m from hold to hold with u = -m (q + q'): nothing but the unit of u is large or small."""
    q, u = gc.Coordinate("q"), sp.Symbol("u", real=True)
    system = gc.EulerPoincare(shape=[q], inertia=[[mass]], forces=[u], inputs=["u"]).reduce()
    law = Feedback({"u": -sp.Rational(mass) * (q.symbol + q.rate)}, rest={"u": 0.0})
    found = gc.certify(system, (np.zeros(2), np.zeros(1)), controller=SampledController(law, rate=10))
    assert found.verdict.value == "PROVED_ASYMPTOTICALLY_STABLE"
