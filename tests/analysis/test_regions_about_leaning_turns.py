"""Regions about points that no exact numbers tell: leaning turns, whose integral holds an arctangent."""

import copy
import math

import numpy as np
import pytest
from flint import fmpq

import geoctrl as gc
from geoctrl import checker


@pytest.fixture(scope="module")
def turn():
    """A skate that turns and leans by 0.0158 rad: a circle of 6.4 m."""
    loop = gc.match(gc.models.get("pendulum-skate-rotor")(set="7.3")).law(sigma=-1e-5).closed_loop()
    lean = -0.0158
    guess = [0, 0.1, 1.0, math.sin(lean), math.cos(lean)]
    eq = gc.find_equilibrium(loop, guess=guess, fixed={"v3": 1.0, "Gamma2": math.sin(lean)})
    return loop, eq, gc.region_of_attraction(loop, eq, depth=9)


def on_level(loop, eq, lean, roll):
    """A state at a lean and a roll rate on the levels of C1 and C2, which are linear in v2 and v3."""
    shape = [math.sin(lean), math.cos(lean)]

    def at(v2, v3):
        found = loop.invariants(np.array([roll, v2, v3, *shape]))
        return np.array([found["C1"], found["C2"]])

    slopes = np.column_stack([at(1, 0) - at(0, 0), at(0, 1) - at(0, 0)])
    levels = loop.invariants(eq.x)
    return np.array([roll, *np.linalg.solve(slopes, [levels["C1"], levels["C2"]] - at(0, 0)), *shape])


@pytest.mark.long(reason="test_attraction.py asks for all leans up to the ice")
def test_a_leaning_turn_has_a_region_up_to_the_ice(turn, tmp_path):
    """On the levels one degree of freedom is left: its potential is least at the turn, and the model ends at
    90 degrees of lean.
    """
    loop, eq, roa = turn
    assert set(roa.held) == {"C1", "C2"}
    edge = min(-float(loop.energy(on_level(loop, eq, side * (math.pi / 2 - 1e-9), 0.0))) for side in (-1, 1))
    rest = -float(loop.energy(eq.x))
    assert 0.97 < (roa.level - rest) / (edge - rest) < 1
    assert "of its value at the middle of the box below" in roa.claim
    assert "within 2^-" in roa.claim
    assert roa.contains(eq.x)
    roa.to_json(tmp_path / "turn.json")
    report = gc.verify(tmp_path / "turn.json")
    assert report.verdict is gc.Verdict.PROVED_INVARIANT
    assert "an equilibrium lies in the box" in report.checks


def test_starts_of_the_leaning_turn_stay(turn):
    loop, eq, roa = turn
    rng, count = np.random.default_rng(4), 0
    while count < 6:
        x = on_level(loop, eq, rng.uniform(-1.3, 1.3), rng.uniform(-4, 4))
        if roa.contains(x):
            count += 1
            run = gc.simulate(loop, np.linspace(0, 3, 61), x)
            assert run.success
            assert np.max(-loop.energy(run.states)) <= roa.level + 1e-6


def moved(data):
    data["problem"]["states"]["v2"] = "1/4"


def finer(data):
    box = data["theorem"]["rest"]
    box["radii"] = [str(fmpq(r) / 2**160) for r in box["radii"]]


def unheld(data):
    box = data["theorem"]["rest"]
    box["held"] = box["held"][:1]


def unboxed(data):
    del data["theorem"]["rest"]


def far_from_the_inverse(data):
    data["theorem"]["rest"]["Y"][0][0] = "1000"


def held_alone(data):
    """A state of the box without the functions along which equilibria come in families."""
    rest = data["theorem"]["rest"]
    rest["rows"], rest["inverse"] = rest["rows"][:-1], [row[:-1] for row in rest["inverse"][:-1]]


@pytest.mark.parametrize("change", [moved, finer, unheld, unboxed, far_from_the_inverse, held_alone])
def test_another_box_is_refused(turn, change):
    data = {k: v for k, v in copy.deepcopy(turn[2].to_dict()).items() if k != "digest"}
    change(data)
    with pytest.raises(checker.Refusal):
        checker.check(data | {"digest": checker.digest_of(data)})
