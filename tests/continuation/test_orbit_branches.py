"""Branches of periodic orbits: Ziegler's column, and made-up orbits of which every number is known."""

import json
import pickle
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl.continuation.orbits_from_equilibria import _first_orbit
from tests.continuation.test_hopf_normal_forms import columns_change, columns_form

A = gc.Parameter("a", -0.2)
X, Y, U, V = sp.symbols("x y u v", real=True)
R2 = X**2 + Y**2
CIRCLE = [X * (1 - R2) - Y, Y * (1 - R2) + X]
"""The circle r = 1, passed once in 2 pi, with the multiplier exp(-4 pi)."""
LONG = pytest.mark.long(reason="integrators with derivatives are compiled for each field")


# Periods of AUTO-07p at its own points, to the digits that it has.
AUTO = {1.4757016525: 11.740304506, 1.5565792121: 11.556908368, 1.9505440905: 10.683388376}


@cache
def columns_orbits():
    system = columns_change().point.system
    return gc.follow(system, columns_change(), along="p", span=(1.47, 3.0), points=9)


def test_the_branch_of_zieglers_column_has_the_periods_of_auto():
    branch = columns_orbits()
    assert branch.values[0] == pytest.approx(columns_form().value, rel=1e-3)
    assert branch.values[-1] == 3.0
    assert branch.ends[1] == "p = 3"
    assert set(branch.verdicts) == {gc.Verdict.NUMERICALLY_STABLE}
    for p, period in AUTO.items():
        near = int(np.argmin(np.abs(branch.values - p)))
        orbit = gc.find_periodic(branch.system, branch.orbits[near].x, branch.periods[near], params={"p": p})
        assert orbit.period == pytest.approx(period, abs=1e-9)


@LONG
def test_the_span_is_reached_from_both_ends_with_one_period():
    there = columns_orbits()
    back = gc.follow(there.system, there.orbits[-1], along="p", span=(1.47, 3.0), points=9)
    assert back.values[[0, -1]] == pytest.approx([1.47, 3.0], abs=1e-14)
    assert back.periods[-1] == pytest.approx(there.periods[-1], rel=1e-12)
    middle = there.orbits[len(there.orbits) // 2]
    again = gc.follow(there.system, middle, along="p", span=(1.47, 3.0), points=9)
    assert again.periods[[0, -1]] == pytest.approx(back.periods[[0, -1]], rel=1e-11)


def test_orbits_leave_the_point_as_its_normal_form_says():
    """Period against value of the first orbit, where both have changed by 1e-6: T2/p2 to that order."""
    form = columns_form()
    _, start, _ = _first_orbit(form, (1.4, 3.0), 9, 1e-3)
    change = (start.orbit.period - form.period) / (start.value - form.value)
    assert change == pytest.approx(form.T2 / form.p2, rel=1e-6)
    # x = 2 eps cos: the amplitude of w1 tells eps.
    eps = np.max(np.abs(start.orbit.trajectory(401)["w1"])) / 2
    assert (start.value - form.value) / eps**2 == pytest.approx(form.p2, rel=1e-4)


@pytest.mark.parametrize(("state", "time"), [(1, 1), pytest.param(1000, sp.Rational(1, 1000), marks=LONG)])
def test_a_subcritical_branch_turns_at_its_fold(state, time):
    """r' = a r + r^3 - r^5: circles a = r^4 - r^2, with the multiplier exp(2 pi (a + 3 r^2 - 5 r^4))."""
    x, y = X / state, Y / state
    r2 = x**2 + y**2
    grow = A.symbol + r2 - r2**2
    rates = [state * (x * grow - y) / time, state * (y * grow + x) / time]
    field = gc.VectorField([X, Y], rates, parameters=[gc.Parameter("a", -0.5)]).reduce()
    (hopf,) = gc.follow(field, [0, 0], along="a", span=(-0.6, 0.5), points=4).changes
    (branch,) = hopf.branches((-0.6, 0.1))
    (fold,) = branch.changes
    assert fold.kind == "fold"
    assert fold.value == pytest.approx(-0.25, abs=1e-9)
    assert fold.bracket[0] < fold.value < fold.bracket[1]
    assert fold.bracket[1] - fold.bracket[0] < 1e-5
    assert fold.multiplier == pytest.approx(1, abs=1e-6)
    assert (fold.before.name, fold.after.name) == ("NUMERICALLY_UNSTABLE", "NUMERICALLY_STABLE")
    for a, period, orbit in zip(branch.values, branch.periods, branch.orbits, strict=True):
        square = float(np.sum(orbit.x**2)) / state**2
        assert a == pytest.approx(square**2 - square, abs=1e-10)
        assert period == pytest.approx(2 * np.pi * float(time), rel=1e-12)
        assert orbit.others[0] == pytest.approx(
            np.exp(2 * np.pi * (a + 3 * square - 5 * square**2)), rel=1e-9
        )
    assert branch.values[-1] == 0.1
    assert branch.values.min() < -0.2


@cache
def crossings(normal):
    """The branch of the circle r = 1 along a, from -0.3 to 0.2, with the motion beside it that is given."""
    system = gc.VectorField([X, Y, U, V], [*CIRCLE, *normal], parameters=[A]).reduce()
    orbit = gc.find_periodic(system, [1, 0, 0, 0], 6.0)
    return gc.follow(system, orbit, along="a", span=(-0.3, 0.2), points=4)


HALF = sp.Matrix([[1 + X, Y], [Y, 1 - X]]) / 2
"""The projection onto (cos, sin) of half the angle: that line comes back as its opposite."""
W, TURN = sp.Matrix([U, V]), sp.Matrix([[0, -1], [1, 0]])
DOUBLES = tuple(TURN * W / 2 + A.symbol * HALF * W - (sp.eye(2) - HALF) * W - (U**2 + V**2) * W)
"""Along the line c' = a c - c^3, across it c' = -c: multipliers -exp(2 pi a) and -exp(-2 pi)."""


@LONG
def test_a_period_doubling_and_the_orbits_that_leave_it():
    branch = crossings(DOUBLES)
    (change,) = branch.changes
    assert change.kind == "period doubling"
    assert change.value == pytest.approx(0, abs=1e-9)
    assert change.bracket[0] < 0 < change.bracket[1]
    assert change.multiplier == pytest.approx(-1, abs=1e-8)
    assert (change.before.name, change.after.name) == ("NUMERICALLY_STABLE", "NUMERICALLY_UNSTABLE")
    (doubled,) = change.branches()
    assert doubled.values[-1] == 0.2
    for a, orbit in zip(doubled.values, doubled.orbits, strict=True):
        assert orbit.period == pytest.approx(4 * np.pi, rel=1e-11)
        assert np.hypot(orbit.x[2], orbit.x[3]) == pytest.approx(np.sqrt(a), rel=1e-8)
        assert orbit.others[0] == pytest.approx(np.exp(-8 * np.pi * a), rel=1e-6)
    assert doubled.verdicts[-1].name == "NUMERICALLY_STABLE"


@LONG
def test_a_torus_and_a_pair_that_only_turns_real():
    """Multipliers exp(2 pi (a +- 0.3 i)); and exp(2 pi (a +- 0.3)), whose product is one at a = 0."""
    size = U**2 + V**2
    torus = crossings((A.symbol * U - 0.3 * V - U * size, A.symbol * V + 0.3 * U - V * size))
    (change,) = torus.changes
    assert change.kind == "torus"
    assert change.value == pytest.approx(0, abs=1e-9)
    assert change.multiplier == pytest.approx(np.exp(0.6j * np.pi), abs=1e-8)
    with pytest.raises(gc.EquilibriumError, match="from a torus"):
        change.branches()
    before, after = change.enclose()  # two proofs, one on each side
    assert before.verdict is gc.Verdict.PROVED_ASYMPTOTICALLY_STABLE
    assert after.verdict is gc.Verdict.PROVED_UNSTABLE
    assert [sum(bool(abs(z) > 1) for z in found.multipliers) for found in (before, after)] == [0, 2]
    with pytest.raises(gc.EquilibriumError, match="do not prove the period doubling"):
        replace(change, kind="period doubling").enclose()
    saddle = crossings((A.symbol * U - 0.7 * V, A.symbol * V - 0.7 * U))
    assert saddle.changes == ()


@LONG
def test_another_branch_crosses_at_a_branch_point():
    """u' = a u - u^3 beside the circle: at a = 0 orbits u^2 = a leave it."""
    branch = crossings((A.symbol * U - U**3, -V))
    (change,) = branch.changes
    assert change.kind == "branch point"
    assert change.value == pytest.approx(0, abs=1e-9)
    (other,) = change.branches()
    # Next to the crossing half of the digits are left, as where any two curves cross.
    squares = np.array([orbit.x[2] ** 2 for orbit in other.orbits])
    assert squares == pytest.approx(other.values, abs=1e-6)
    assert squares[other.values > 1e-3] == pytest.approx(other.values[other.values > 1e-3], abs=1e-12)
    assert other.orbits[0].x[2] * other.orbits[-1].x[2] < 0


def test_a_branch_is_written_and_its_orbits_are_found_from_that(tmp_path):
    branch = columns_orbits()
    branch.to_json(tmp_path / "branch.json")
    told = json.loads((tmp_path / "branch.json").read_text())
    assert told["verdicts"] == ["NUMERICALLY_STABLE"] * len(branch.orbits)
    assert (told["along"], told["values"]) == ("p", branch.values.tolist())
    again = gc.find_periodic(branch.system, told["states"][3], told["periods"][3], params=told["params"][3])
    assert again.period == pytest.approx(told["periods"][3], rel=1e-12)
    (change,) = json.loads(crossings(DOUBLES).to_json())["changes"]
    assert change["kind"] == "period doubling"
    assert change["multiplier"] == pytest.approx([-1, 0], abs=1e-8)
    with pytest.raises(TypeError, match="path"):
        branch.to_json(3)


def test_branches_are_pickled_drawn_and_fit_a_page():
    branch = columns_orbits()
    copy = pickle.loads(pickle.dumps(branch))
    assert copy.periods == pytest.approx(branch.periods, abs=0)
    assert branch.multipliers.shape == (len(branch.orbits), 4)
    for shown in (branch, crossings(DOUBLES), crossings(DOUBLES).changes[0]):
        assert max(map(len, shown.full().splitlines())) <= 79
    assert branch.plot().get_ylabel() == "period (s)"
    assert len(branch.plot("w1").lines) == 2


def test_bad_input_is_refused_before_any_work():
    branch = columns_orbits()
    system, orbit = branch.system, branch.orbits[3]
    with pytest.raises(gc.LabelError, match="a state: orbits have no one value"):
        gc.follow(system, orbit, along="w1", span=(0, 1))
    with pytest.raises(gc.InputError, match="outside the span"):
        gc.follow(system, orbit, along="p", span=(5, 6))
    with pytest.raises(gc.InputError, match="fixed="):
        gc.follow(system, orbit, along="p", span=(1, 3), fixed=["w1"])
    with pytest.raises(gc.InputError, match=r"orbit\.enclose"):
        gc.follow(system, orbit, along="p", span=(1, 3), certify=True)
    with pytest.raises(gc.InputError, match="not of this system"):
        gc.follow(crossings(DOUBLES).system, orbit, along="a", span=(1, 3))


def test_what_is_done_in_the_time_is_returned():
    branch = columns_orbits()
    told = []
    part = gc.follow(
        *(branch.system, branch.orbits[3], "p", (1.47, 3.0)),
        points=20_000, seconds=0.3, progress=lambda *words: told.append(words),
    )  # fmt: skip
    assert 1 < len(part.orbits) < 20_000
    assert part.ends[1] == "where it was interrupted"
    assert any("p = " in best for _, best, _ in told)
