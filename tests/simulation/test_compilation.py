"""How code of heyoka is compiled: soon at first, to run fast where a run is long; a run alone decides."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

import geoctrl as gc
from geoctrl import models
from geoctrl._scalars.arithmetic import arithmetics
from geoctrl.simulation import heyoka_compiled, heyoka_engine, recorded_flow
from tests.systems.coupled_parts import links

TIMES = np.linspace(0.0, 2.0, 21)

hy = pytest.importorskip("heyoka")


@pytest.fixture(scope="module")
def top():
    """Some forty instructions, more than code that is optimised at once has."""
    return models.get("chaplygin-sphere")().reduce()


@pytest.fixture(scope="module")
def start(top):
    return top.random_state(np.random.default_rng(3), top.params)


def runs_are_long(patch):
    """From eleven steps on, whatever the size of the system."""
    patch.setattr(heyoka_compiled, "_SMALL", 0)
    patch.setattr(heyoka_compiled, "_LONG", 10)
    patch.setattr(heyoka_engine, "_CHUNK", 10)


@pytest.fixture
def compilations(monkeypatch):
    """What integrators are compiled with, from here on."""
    make, found = hy.taylor_adaptive, []

    def noted(*args, **options):
        found.append((options["compact_mode"], options["opt_level"]))
        return make(*args, **options)

    monkeypatch.setattr(hy, "taylor_adaptive", noted)
    return found


def test_only_small_systems_are_optimised_at_once(top, start, compilations):
    gc.simulate(top, TIMES, start)
    cart = models.get("cart-pendulum")().reduce()
    gc.simulate(cart, TIMES, cart.state(phi=0.1))
    assert compilations == [(False, 0), (False, 3)]


def test_compact_code_of_few_loops_is_optimised_at_once(compilations):
    """Eight bodies side by side are as deep as two; links with moments, one after the other, are not."""
    bodies = models.get("coupled-bodies")().reduce()
    row = links(np.random.default_rng(11), [None, *range(7)]).reduce()
    for system in (bodies, row):
        gc.simulate(system, [0.0, 1e-3], system.random_state(np.random.default_rng(3), system.params))
    assert compilations == [(True, 1), (True, 0)]


def test_one_of_many_runs_is_optimised_at_once(start, compilations):
    sphere = models.get("chaplygin-sphere")().reduce()
    soon = gc.simulate(sphere, TIMES, start)
    fast = gc.simulate(sphere, TIMES, start, optimised=True)
    assert compilations == [(False, 0), (False, 3)]
    np.testing.assert_allclose(fast.states, soon.states, rtol=0, atol=1e-12)
    assert np.array_equal(gc.simulate(sphere, TIMES, start).states, soon.states)
    with pytest.raises(gc.InputError, match="optimised must be True or False"):
        gc.simulate(sphere, TIMES, start, optimised=3)


def test_a_long_run_goes_on_in_optimised_code(top, start, compilations, monkeypatch):
    soon = gc.simulate(top, TIMES, start)
    runs_are_long(monkeypatch)
    fast = gc.simulate(top, TIMES, start)
    assert compilations[-1] == (False, 3)
    np.testing.assert_allclose(fast.states, soon.states, rtol=0, atol=1e-12)


def test_numbers_do_not_depend_on_what_was_run_before(top, start):
    with pytest.MonkeyPatch.context() as patch:
        before = gc.simulate(top, TIMES, start).states
        runs_are_long(patch)
        long = gc.simulate(top, TIMES, start).states
    assert np.array_equal(gc.simulate(top, TIMES, start).states, before)
    with pytest.MonkeyPatch.context() as patch:
        runs_are_long(patch)
        assert np.array_equal(gc.simulate(top, TIMES, start).states, long)
        part = gc.simulate(top, TIMES[:11], start).states
    np.testing.assert_array_equal(part[:, :-1], long[:, :10])


def test_events_and_held_inputs_go_on_in_optimised_code(compilations, monkeypatch):
    skate = models.get("pendulum-skate-rotor")(set="7.3")
    plant, law = skate.reduce(), gc.match(skate).law(sigma=-1e-5)
    start = plant.state(Omega1=0.1, Omega2=0.01, Gamma=(0, np.sin(0.1), np.cos(0.1)))
    options = {"controller": law.sampled(rate=100), "events": {"middle": plant.states[4]}}
    plain = gc.simulate(plant, TIMES, start, **options)
    runs_are_long(monkeypatch)
    changed = gc.simulate(plant, TIMES, start, **options)
    assert {level for _, level in compilations} == {0, 3}
    np.testing.assert_allclose(changed.states, plain.states, rtol=0, atol=1e-10)
    found, known = (run.events["middle"].time for run in (changed, plain))
    np.testing.assert_allclose(found, known, rtol=0, atol=1e-10)
    assert found.size


def test_runs_that_differ_in_numbers_share_equations_and_programs(monkeypatch):
    cart = models.get("cart-pendulum")().reduce()
    for force in (1.0, 2.0):
        gc.simulate(cart, TIMES, cart.state(phi=0.1), inputs=[force], params={"M": force})
    other, made = cart.state(phi=0.2), []
    for what in (recorded_flow.DrivenEquations, arithmetics.Program):
        monkeypatch.setattr(what, "__init__", lambda self, *_, **__: made.append(type(self)))
    gc.simulate(cart, TIMES, other, inputs=[3.0], params={"M": 3.0})
    assert made == []


def test_code_is_kept_in_small_stores_below_the_users(tmp_path):
    """One for each number of instructions modulo some; a store that is bounded already stays so."""
    state, program = hy.llvm_state, recorded_flow.Program
    before = state.get_diskcache_path()
    programs = [program.__new__(program) for _ in range(2)]
    for made, count in zip(programs, (70, 65), strict=True):
        made.tape = SimpleNamespace(instructions=[None] * count)
    state.set_diskcache_path(tmp_path / "geoctrl" / "01")
    state.set_diskcache_limit(1000)
    try:
        for _ in range(2):
            state.set_diskcache_path(tmp_path)
            for made, folder, limit in zip(programs, ("06", "01"), (1 << 26, 1000), strict=True):
                heyoka_compiled.heyoka_for(made)
                assert state.get_diskcache_path() == tmp_path / "geoctrl" / folder
                assert state.get_diskcache_limit() == limit
    finally:
        state.set_diskcache_path(before)
