"""Runs in compiled lanes: the numbers of heyoka, a member's own to the last bit, nothing compiled twice."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl.simulation import heyoka_engine
from geoctrl.simulation.batches import together
from geoctrl.stepping.lanes import lanes
from geoctrl.stepping.lanes.rows import AT_ZERO, CLOSING, MODE
from tests.simulation.test_ensembles import TIMES, falling, rows_of

ROOT = Path(lanes.__file__).parents[3]
Z = gc.Coordinate("z")
G = 9.81


@pytest.fixture(scope="module")
def skate():
    return gc.models.get("pendulum-skate")().reduce()


@pytest.fixture(scope="module")
def ball():
    fall = sp.Rational(981, 100) * Z.symbol
    return gc.EulerPoincare(algebra=None, shape=[Z], inertia=[[1]], potential=fall).reduce()


@pytest.fixture(scope="module")
def asked(skate):
    """LaneMembers that fall at several times, one that is refused; passing and terminal events."""
    starts, masses = falling(40), np.linspace(1, 2, 40)
    starts[7, 0] = np.nan
    events = {"half": skate.states[4] - 0.5, "low": gc.Event(skate.states[4] - 0.2, terminal=True)}
    return {"timepts": TIMES, "x0s": starts, "params": {"m": masses}, "events": events, "engine": "lanes"}


@pytest.fixture(scope="module")
def ensemble(skate, asked):
    return gc.simulate_ensemble(skate, **asked)


def test_members_are_those_of_the_other_engine(skate, asked, ensemble):
    other = gc.simulate_ensemble(skate, **asked | {"engine": "auto"})
    assert ensemble.engine == "DOP853 in 16 lanes, tolerance 3e-15"
    assert list(ensemble.status) == list(other.status)
    assert ensemble.end == pytest.approx(other.end, abs=1e-13, nan_ok=True)
    assert ensemble.states == pytest.approx(other.states, abs=1e-12, nan_ok=True)
    for name in asked["events"]:
        mine, theirs = ensemble.events[name], other.events[name]
        assert np.array_equal(mine.member, theirs.member)
        assert mine.time == pytest.approx(theirs.time, abs=1e-13)
        assert mine.states == pytest.approx(theirs.states, abs=1e-12)


def test_bits_are_a_members_own(skate, asked, ensemble):
    """Any order, any neighbours, alone; and without the events that do not end a run."""
    order = np.random.default_rng(1).permutation(40)
    cut = asked | {"x0s": asked["x0s"][order], "params": {"m": asked["params"]["m"][order]}}
    mixed = gc.simulate_ensemble(skate, **cut)
    assert all(rows_of(mixed, k) == rows_of(ensemble, i) for k, i in enumerate(order))
    one = {"x0s": asked["x0s"][3], "params": {"m": asked["params"]["m"][3]}}
    for change in ({}, {"events": {"low": asked["events"]["low"]}}):
        assert rows_of(gc.simulate_ensemble(skate, **asked | one | change), 0) == rows_of(ensemble, 3)


def test_an_interrupt_keeps_ends_of_members(skate, asked, ensemble, monkeypatch):
    def told(stage, best, elapsed):
        if best and int(best.split()[0]) > 12:
            raise KeyboardInterrupt

    monkeypatch.setattr("geoctrl._calls.long_calls._OFTEN", 0.0)
    monkeypatch.setattr(together, "_ROUNDS", 20)
    with pytest.raises(KeyboardInterrupt) as found:
        gc.simulate_ensemble(skate, **asked, progress=told)
    part = found.value.ensemble
    done = np.flatnonzero(part.success)
    assert 0 < done.size < 39
    assert all(rows_of(part, i) == rows_of(ensemble, i) for i in done)


def test_runs_alone(skate, asked, ensemble):
    given = {"params": {"m": asked["params"]["m"][3]}, "events": asked["events"]}
    run = gc.simulate(skate, TIMES, asked["x0s"][3], engine="lanes", **given)
    assert run.engine.startswith("DOP853 in lanes, tolerance 3e-15")
    assert run.status == f"stopped by the event 'low' at t = {run.time[-1]:.12g}"
    assert run.time[-1] == pytest.approx(ensemble.end[3], abs=1e-14)
    assert run.states == pytest.approx(ensemble[3].states, abs=1e-13)
    loose = gc.simulate(skate, TIMES, asked["x0s"][3], engine="lanes", rtol=1e-6, **given)
    assert 1e-12 < abs(loose.time[-1] - run.time[-1]) < 1e-5


def test_passages_at_the_start_within_a_step_and_far_below_it(ball):
    def passages(start, **event):
        events = {"s": gc.Event(Z.symbol, **event)}
        run = gc.simulate(ball, [0, 10], start, events=events, engine="lanes", throw=False)
        return run.events["s"].time

    assert passages([1.5, 0.0], terminal=True) == pytest.approx([3 / G], rel=1e-12)
    root = np.sqrt(9.0 - 2e-3 * G)
    assert passages([3.0, -1e-3]) == pytest.approx([(3 - root) / G, (3 + root) / G], rel=1e-12)
    assert passages([0.0, 5e-18], direction=-1) == pytest.approx([np.sqrt(1e-17 / G)], rel=1e-10)


def test_zeros_are_closed_in_by_slopes(ball, monkeypatch):
    """In a few rounds where there are slopes; where they vanish or have no bound, Illinois' rule goes on."""
    rounds, go_on = [], lanes.Lanes.go_on

    def one_by_one(self, _rounds):
        found = go_on(self, 1)
        rounds.append(self._lane[MODE] in (CLOSING, AT_ZERO))
        return found

    monkeypatch.setattr(lanes.Lanes, "go_on", one_by_one)
    g, passed = Z.symbol - 0.1, (1.5 - np.sqrt(1.5**2 - 0.2 * G)) / G
    for function, most in ((g, 5), (sp.sin(30 * g), 6), (g**3, 90), (sp.sign(g) * sp.sqrt(sp.Abs(g)), 90)):
        rounds.clear()
        events = {"s": gc.Event(function, terminal=True)}
        run = gc.simulate(ball, [0, 10], [1.5, 0.0], events=events, engine="lanes")
        assert run.events["s"].time == pytest.approx([passed], rel=1e-12)
        assert 1 < sum(rounds) <= most


def test_small_motions_and_inputs_with_kinks(ball):
    tiny = gc.simulate(ball, [0, 1e-9], [1e-9, 0.0], engine="lanes")
    assert tiny.states[1, -1] == pytest.approx(1e-18 - G * 5e-19, rel=1e-12)
    cart = gc.models.get("cart-pendulum")().reduce()
    times, start = np.linspace(0, 2, 4), np.array([0.0, 0.1, 0.2])
    given = {"inputs": (times, times[None] ** 2)}
    runs = [gc.simulate(cart, TIMES, start, engine=e, **given) for e in ("lanes", "auto")]
    assert runs[0].states == pytest.approx(runs[1].states, abs=1e-11)
    ens = gc.simulate_ensemble(cart, TIMES, [start] * 2, engine="lanes", **given)
    assert ens.states[1] == pytest.approx(runs[1].states, abs=1e-11)


def test_what_lanes_cannot_run(ball):
    chain = gc.spheres.chain_pendulum([1.0], [1.0])
    start = chain.pack([[1, 0, 0]], np.zeros((1, 3)))
    with pytest.raises(gc.ExpressionError, match="engine='lanes' cannot run this: the equations are not"):
        gc.simulate(chain, [0, 1], start, engine="lanes")
    mech = gc.models.get("cart-pendulum")().reduce()
    with pytest.raises(gc.ExpressionError, match="callable"):
        gc.simulate(mech, [0, 1], np.zeros(3), inputs=lambda t: [t], engine="lanes")


def test_without_heyoka_members_run_in_lanes(skate, monkeypatch):
    X = falling(3)
    X[1, 0] = np.nan
    with_it = gc.simulate_ensemble(skate, TIMES, X)
    monkeypatch.setattr(heyoka_engine, "available", lambda: False)
    ens = gc.simulate_ensemble(skate, TIMES, X, record=["Gamma3", ("max", "v1")])
    assert ens.engine == "DOP853 in 16 lanes, tolerance 3e-15"
    assert np.array_equal(ens.status == with_it.status, [True, True, True])
    assert ens.end == pytest.approx(with_it.end, abs=1e-12, nan_ok=True)
    assert ens["Gamma3"] == pytest.approx(with_it["Gamma3"], abs=1e-12, nan_ok=True)


def test_a_second_process_compiles_nothing(skate, ensemble):
    """The loop, the method's stages and the field of a system are read from disk."""
    program = (
        "import geoctrl as gc; from tests.simulation.test_ensembles import TIMES, falling; "
        "from geoctrl.stepping.lanes import lane_loop; from geoctrl.stepping.lanes.lane_source import *; "
        "skate = gc.models.get('pendulum-skate')().reduce(); "
        "gc.simulate_ensemble(skate, TIMES, falling(3), engine='lanes'); "
        "made = [*compiled_stages(), lane_loop.compiled_loop()]; "
        "print([sum(k.stats.cache_misses.values()) for k in made])"
    )
    given = dict(os.environ, PYTHONPATH=str(ROOT))
    said = subprocess.run(
        [sys.executable, "-c", program], env=given, capture_output=True, text=True, check=True
    )
    assert said.stdout.strip() == "[0, 0, 0, 0]"
