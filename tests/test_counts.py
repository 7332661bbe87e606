"""Counts of work, which are the same on every machine, in place of seconds, which are not.

A count that falls is written here anew; one that rises needs a reason.
"""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import geoctrl as gc
from geoctrl.decisions.arithmetic import eliminations
from geoctrl.runs import part_runner
from geoctrl.simulation import heyoka_engine
from geoctrl.simulation.batches import batch, ensemble_parts, together
from studies.bench.links import planar_links

INSTRUCTIONS = {
    "acrobot": 25,
    "ball-and-beam": 12,
    "body-in-field": 51,
    "body-with-body-moment": 9,
    "body-with-point-force": 54,
    "body-with-rotor": 11,
    "body-with-rotors": 24,
    "body-with-spatial-force": 23,
    "body-with-spatial-moment": 31,
    "cart-pendulum": 14,
    "chaplygin-sleigh": 4,
    "chaplygin-sphere": 51,
    "charged-body": 52,
    "concentric-shells": 146,
    "coupled-bodies": 300,
    "double-planar-pendulum": 35,
    "free-rigid-body": 6,
    "furuta-pendulum": 20,
    "getz-bicycle": 41,
    "goryachev-chaplygin-top": 17,
    "heavy-top": 19,
    "inertia-wheel-pendulum": 5,
    "kovalevskaya-top": 17,
    "magnetic-satellite": 85,
    "orbiting-body": 49,
    "pendulum-3d": 23,
    "pendulum-skate": 20,
    "pendulum-skate-offset": 44,
    "pendulum-skate-rotor": 31,
    "planar-pendulum": 4,
    "rattleback": 115,
    "rigid-body-planar-pendulum": 8,
    "roller-racer": 31,
    "rolling-disk": 76,
    "snakeboard": 14,
    "spherical-pendulum-on-puck": 155,
    "suslov": 7,
    "tippe-top": 72,
    "top-on-movable-base": 57,
    "top-on-sphere": 77,
    "underwater-vehicle": 47,
    "unicycle-with-rotor": 25,
    "vertical-rolling-disk": 2,
    "veselova": 35,
    "whipple-bicycle": 1954,
}
"""Of the right-hand sides of the catalogue, without what is computed once for all times."""


def test_every_reduced_mechanism_is_counted():
    assert sorted(INSTRUCTIONS) == sorted(gc.models.names("reduced"))


@pytest.mark.parametrize("name", INSTRUCTIONS)
def test_instructions_of_right_hand_sides(name):
    system = gc.models.get(name)().reduce()
    count = len(system.program(system.evaluated_rates).tape.instructions)
    assert count == INSTRUCTIONS[name], f"{count} instructions, {INSTRUCTIONS[name]} are written down"


def test_instructions_of_the_links_of_the_benchmark():
    """By their tensions, as vectors of the plane: along the tree of their inertia they are 701."""
    system = planar_links(16).system
    assert len(system.program(system.evaluated_rates).tape.instructions) == 418


@pytest.fixture
def called(monkeypatch):
    """Counts the calls of functions, by name."""
    counts = {}

    def watch(owner, name):
        true = getattr(owner, name)

        def counted(*args, **kwargs):
            counts[name] = counts.get(name, 0) + 1
            return true(*args, **kwargs)

        monkeypatch.setattr(owner, name, counted)
        return counts

    return watch


@pytest.mark.skipif(not heyoka_engine.available(), reason="batches are heyoka's")
def test_parts_and_compilations_of_ensembles(called, monkeypatch, tmp_path):
    """One compilation serves a system's ensembles; threads have one each; parts are what the size says."""
    top = gc.models.get("heavy-top")().reduce()
    starts = np.tile([0.3, 0.1, 5.0, 0.0, 0.6, 0.8], (100, 1))
    starts[:, 2] = np.linspace(4, 6, 100)
    called(together, "Batch")
    called(batch.Batch, "run")
    called(ensemble_parts, "simulate")
    counts = called(part_runner, "submit")
    for masses in (1.0, np.linspace(1, 2, 100)):
        gc.simulate_ensemble(top, [0, 0.5], starts, params={"m": masses})
    assert counts == {"Batch": 1, "run": 2 * 13}  # eight at a time, none alone
    monkeypatch.setattr(part_runner, "_part_and_pilot", lambda *_: (20, []))
    counts.clear()
    gc.simulate_ensemble(top, [0, 0.5], starts, out=tmp_path / "tops")
    assert counts == {"submit": 5, "run": 5 * 3}
    assert len(list((tmp_path / "tops").glob("part-*.npz"))) == 5
    counts.clear()
    gc.simulate_ensemble(top, [0, 0.5], starts, out=tmp_path / "tops")
    assert counts == {}
    with ThreadPoolExecutor(2) as pool:
        gc.simulate_ensemble(top, [0, 0.5], starts, executor=pool)
    assert counts["submit"] == 5
    assert counts.get("Batch", 0) <= 1
    assert counts["run"] == 15


LOCATED = {
    ("pendulum-skate", "spinning", 6.0): 1,
    ("heavy-top", "sleeping", 20.0): 1,
    ("coupled-bodies", "equal", None): 1,
}
"""Polynomials whose roots are counted for a certificate: once, however often they are asked for."""


@pytest.mark.parametrize(("asked", "times"), LOCATED.items(), ids=str)
def test_polynomials_are_located_once_a_certificate(asked, times):
    name, family, Omega0 = asked
    system = gc.models.get(name)(**({"n": 2} if name == "coupled-bodies" else {})).reduce()
    point = system.equilibrium(family, **({} if Omega0 is None else {"Omega0": Omega0}))
    eliminations._located.cache_clear()
    gc.certify(system, point)
    assert eliminations._located.cache_info().misses == times
