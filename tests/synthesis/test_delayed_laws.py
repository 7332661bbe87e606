"""Laws that know of a delay: multipliers are those without one, since commands are given where they act."""

import math
import pickle

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc

STABLE = gc.Verdict.PROVED_ASYMPTOTICALLY_STABLE
WEIGHTS = {"q": 25, "q_dot": 1}


def motorised(rest=0):
    """q'' = 30 sin q - q'/2 + 50 (u + rest)."""
    q, u = gc.Coordinate("q", angle=True), sp.Symbol("u", real=True)
    forces = [50 * (u + sp.Rational(rest)) - sp.Rational(1, 2) * q.rate]
    return gc.EulerPoincare(
        shape=[q], inertia=[[1]], potential=30 * sp.cos(q.symbol), forces=forces, inputs=[u], name="motor"
    ).reduce()


@pytest.fixture(scope="module")
def plant():
    return motorised()


@pytest.fixture(scope="module")
def upright(plant):
    return gc.find_equilibrium(plant, plant.state())


def radius(plant, eq, controller):
    return float(np.max(np.abs(gc.linearize_held(plant, controller, eq).multipliers)))


@pytest.mark.parametrize("delay", [0.004, 0.02, 0.05, 0.085])
def test_a_delay_leaves_the_multipliers_as_they_are(plant, upright, delay):
    law = gc.lqr(plant, upright, Q=WEIGHTS, rate=100, delay=delay)
    bare = gc.lqr(plant, upright, Q=WEIGHTS, rate=100)
    assert law.waiting.shape == (1, math.ceil(delay * 100 - 1e-9), 1)
    least = radius(plant, upright, bare.sampled(rate=100))
    assert radius(plant, upright, law.sampled()) == pytest.approx(least, rel=1e-12)
    assert float(np.max(np.abs(law.multipliers))) == pytest.approx(least, rel=1e-12)
    if delay >= 0.05:  # a law that does not know of it
        assert radius(plant, upright, bare.sampled(rate=100, delay=delay)) > 1.05
    assert gc.certify(plant, upright, controller=law.sampled()).verdict is STABLE


def test_the_state_is_foretold():
    """By scipy: two holds and a half of the linear plant, with the commands that wait."""
    from scipy.linalg import expm

    plant = motorised()
    law = gc.lqr(plant, plant.state(), Q=WEIGHTS, rate=100, delay=0.025)
    held = gc.lqr(plant, plant.state(), Q=WEIGHTS, rate=100)
    A, B = np.array([[-0.5, 30.0], [1, 0]]), np.array([[50.0], [0]])

    def flow(t):
        E = expm(np.block([[A, B], [np.zeros((1, 3))]]) * t)
        return E[:2, :2], E[:2, 2:]

    x, waiting = np.array([0.3, 0.1]), [0.7, -0.2, 0.4]  # u of one, two and three samples before
    later = flow(0.005)[0] @ x + flow(0.005)[1][:, 0] * waiting[2]
    for u in (waiting[1], waiting[0]):
        later = flow(0.01)[0] @ later + flow(0.01)[1][:, 0] * u
    asked = law.K @ x + law.waiting[0, :, 0] @ waiting
    assert asked == pytest.approx(held.K @ later, rel=1e-12)


def test_about_a_point_that_is_held_by_an_input():
    """Commands that wait are measured from the input at rest, before the first sample too."""
    plant = motorised("1/10")
    eq = gc.find_equilibrium(plant, fixed={"q": 0.3}, free=["u"])
    law = gc.lqr(plant, eq, Q=WEIGHTS, rate=100, delay=0.05)
    assert gc.certify(plant, eq, controller=law.sampled()).verdict is STABLE
    run = gc.simulate(plant, np.linspace(0, 3, 31), eq, controller=law.sampled())
    assert np.max(np.abs(run["q"] - 0.3)) < 1e-12
    run = gc.simulate(plant, np.linspace(0, 5, 51), plant.state(q=0.25), controller=law.sampled())
    assert run["q"][-1] == pytest.approx(0.3, abs=1e-9)


def test_poles_are_placed_with_a_delay(plant, upright):
    law = gc.place(plant, upright, [-4, -6], rate=100, delay=0.033)
    assert sorted(law.multipliers) == pytest.approx(np.exp([-0.06, -0.04]), rel=1e-9)
    found = np.abs(gc.linearize_held(plant, law.sampled(), upright).multipliers)
    assert sorted(found)[-2:] == pytest.approx(np.exp([-0.06, -0.04]), rel=1e-9)


def test_a_delayed_law_is_one_of_samples(plant, upright):
    law = gc.lqr(plant, upright, Q=WEIGHTS, rate=100, delay=0.02)
    assert "2 commands wait" in repr(law)
    again = pickle.loads(pickle.dumps(law))
    assert again.waiting.tolist() == law.waiting.tolist()
    with pytest.raises(gc.InputError, match="designed for rate=100, got rate=50"):
        law.sampled(rate=50)
    with pytest.raises(gc.InputError, match="one of samples"):
        law.closed_loop()


def test_a_delay_of_next_to_nothing_is_one(plant, upright):
    """A command that acts at once, but for rounding, waits with next to no weight."""
    bare = gc.lqr(plant, upright, Q=WEIGHTS, rate=100)
    late = gc.lqr(plant, upright, Q=WEIGHTS, rate=100, delay=1e-13)
    assert late.K == pytest.approx(bare.K, rel=1e-9)
    assert late.waiting.shape[1] == 1
    assert abs(late.waiting).max() < 1e-9 * abs(bare.K).max()


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"delay": 0.1}, "delay= needs rate="),
        ({"rate": 100, "delay": -0.1}, "must not be negative"),
        ({"rate": 100, "delay": 50}, "5000 holds, and at most 200"),
        ({"rate": 100, "delay": True}, "delay"),
    ],
)
def test_slips_with_delays_are_refused(plant, upright, given, words):
    with pytest.raises(gc.InputError, match=words):
        gc.lqr(plant, upright, Q=WEIGHTS, **given)
