"""Orbits along which an angle goes round: they close up to whole turns."""

import copy
from functools import cache

import mpmath
import numpy as np
import pytest
import sympy as sp
from flint import arb
from scipy.special import ellipk

import geoctrl as gc
from geoctrl import checker
from geoctrl.checker.limits import Refusal
from tests.jumps.jumping_mechanisms import hopper


@cache
def pendulum(pull=0):
    phi = gc.Coordinate("phi", angle=True)
    potential = -sp.cos(phi.symbol) + pull * phi.symbol**2
    return gc.EulerPoincare(shape=[phi], inertia=[[1]], potential=potential, name="pendulum").reduce()


@pytest.mark.parametrize("winding", [None, {"phi": 1}])
def test_a_pendulum_that_goes_over_the_top(winding):
    """T = 4 K(4/9)/3 from three radians a second at the bottom; both multipliers are forced to be one."""
    orbit = gc.find_periodic(pendulum(), [3.0, 0.0], 2.3, winding=winding)
    assert orbit.period == pytest.approx(4 * ellipk(4 / 9) / 3, rel=1e-13)
    assert orbit.period == pytest.approx(2.412889993982118, rel=1e-13)
    assert orbit.winding == {"phi": 1}
    assert np.array_equal(orbit.multipliers, [1, 1])
    assert orbit.neutral == ("energy", "time")
    assert "phi round 1 times" in orbit.full()


@cache
def whirling_enclosure():
    return gc.find_periodic(pendulum(), [3.0, 0.0], 2.3).enclose(128)


def test_its_file_proves_it_up_to_its_turn():
    found = whirling_enclosure()
    with mpmath.workdps(40):
        exact = arb(mpmath.nstr(4 * mpmath.ellipk(mpmath.mpf(4) / 9) / 3, 40))
    assert found.period.overlaps(exact)
    assert found.period.rad() < 1e-9
    assert found.verdict is gc.Verdict.PROVED_STABLE
    assert "up to whole turns of phi (1)" in found.claim
    assert checker.check(copy.deepcopy(found.data)).verdict == "PROVED_STABLE"


def with_(content, **parts):
    return content | {"theorem": content["theorem"] | parts}


def test_a_file_with_other_turns_or_of_what_is_not_the_same_after_one_proves_nothing():
    content = whirling_enclosure().data
    for k in (0, 2):
        with pytest.raises(Refusal, match="not proved that there is an equilibrium in the box"):
            checker.prove(with_(content, winding={"phi": k}))
    for label in ("phi_dot", "x"):
        with pytest.raises(Refusal, match="same after a turn"):
            checker.prove(with_(content, winding={"phi": 1, label: 0}))
    # The angle itself plus one is positive along all of the first turn, and no longer after it backwards.
    nodes = content["problem"]["nodes"]
    phi, end = nodes.index(["sym", "phi", "state"]), len(nodes)
    more = [["num", "1"], ["num", "8"], ["sum", [[phi, end], [end, end + 1]]]]
    ends = content | {"problem": content["problem"] | {"nodes": [*nodes, *more]}}
    with pytest.raises(Refusal, match="same after a turn"):
        checker.prove(with_(ends, domain=[end + 2]))


def test_backwards_and_swinging():
    back = gc.find_periodic(pendulum(), [-3.0, 0.0], 2.3)
    assert back.winding == {"phi": -1}
    # Negative control: it swings. T = 4 K(sin^2(1/2)) at the amplitude of one radian.
    orbit = gc.find_periodic(pendulum(), [0.0, 1.0], 6.7)
    assert orbit.period == pytest.approx(6.69997566437, rel=1e-10)
    assert orbit.winding == {}


def test_a_trial_period_below_zero_is_no_end_of_the_search():
    """Guesses of a period are far from 4 K((1 + E)/2): motions that end at once close up as well."""
    period = 4 * ellipk((1 + 0.5**2 / 2 - np.cos(0.8)) / 2)
    for part in (0.25, 0.35, 0.45):
        orbit = gc.find_periodic(pendulum(), [0.5, 0.8], part * period)
        assert orbit.period == pytest.approx(period, rel=1e-10)


def test_what_is_another_motion_after_a_turn_is_refused():
    with pytest.raises(gc.LabelError, match="another after a whole turn of phi"):
        gc.find_periodic(pendulum(1), [3.0, 0.0], 2.3, winding={"phi": 1})
    with pytest.raises(gc.LabelError, match="names no coordinate"):
        gc.find_periodic(pendulum(), [3.0, 0.0], 2.3, winding={"phi_dot": 1})
    with pytest.raises(gc.InputError, match="not taken through jumps"):
        gc.find_periodic(hopper(), [-1.4, 0.0], 0.5, winding={"y": 1})
    with pytest.raises(TypeError, match="mapping"):
        gc.find_periodic(pendulum(), [3.0, 0.0], 2.3, winding=1)


def test_a_branch_of_orbits_that_go_round():
    """From E = 9/2 - g at g = 1: p^2 = 2 (E + g) at the bottom, T = 4 K(4 g/p^2)/p."""
    phi, g = gc.Coordinate("phi", angle=True), gc.Parameter("g", 1.0)
    potential = -g.symbol * sp.cos(phi.symbol)
    swing = gc.EulerPoincare(shape=[phi], inertia=[[1]], potential=potential, parameters=[g]).reduce()
    orbit = gc.find_periodic(swing, [3.0, 0.0], 2.3)
    branch = gc.follow(swing, orbit, along="g", span=(0.9, 1.1), points=3)
    assert branch.values[[0, -1]] == pytest.approx([0.9, 1.1])
    assert [o.winding for o in branch.orbits] == [{"phi": 1}] * len(branch.orbits)
    square = 2 * (3.5 + branch.values)
    periods = 4 * ellipk(4 * branch.values / square) / np.sqrt(square)
    assert branch.periods == pytest.approx(periods, rel=1e-11)


def test_the_energy_is_what_a_branch_goes_along():
    """T(E) = 4 K((1 + E)/2) of swings, and 2 k K(k^2) with k^2 = 2/(1 + E) over the top."""
    swing = gc.find_periodic(pendulum(), [0.0, 1.0], 6.7)
    branch = gc.follow(pendulum(), swing, along="energy", span=(-0.8, 0.8), points=5)
    assert branch.values[[0, -1]] == pytest.approx([-0.8, 0.8], abs=1e-12)
    assert branch.periods == pytest.approx(4 * ellipk((1 + branch.values) / 2), rel=1e-10)
    over = gc.find_periodic(pendulum(), [3.0, 0.0], 2.3)
    branch = gc.follow(pendulum(), over, along="energy", span=(2, 5), points=4)
    k2 = 2 / (1 + branch.values)
    assert branch.periods == pytest.approx(2 * np.sqrt(k2) * ellipk(k2), rel=1e-10)
    assert branch.changes == ()
