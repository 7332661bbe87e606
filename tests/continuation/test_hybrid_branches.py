"""Branches of orbits through jumps: closed forms, the walker's doublings, and where such branches end."""

import json
import pickle
from functools import cache

import numpy as np
import pytest
import sympy as sp
from scipy.optimize import brentq

import geoctrl as gc
from geoctrl.orbits.branches.hybrid_curve import HybridCurve
from studies.walking import PUBLISHED_STEP, PUBLISHED_TIME, STRIKE, followed_gaits
from tests.jumps.jumping_mechanisms import compass_walker, machine, rimless_wheel

LONG = pytest.mark.long(reason="gaits of the walker and orbits of many phases are followed and proved")
W, E = 0.6, 0.8
GAIN = 1 / (W**2 - 1)
ARM = (1 + E) / np.tan(np.pi * W) / W / (1 - E)


@cache
def step():
    return gc.find_periodic(compass_walker(), PUBLISHED_STEP, PUBLISHED_TIME, jumps=[STRIKE])


@cache
def gaits(points=3):
    return gc.follow(compass_walker(), step(), "slope", np.radians([3, 5]), points=points)


def rate_of_wheel(slope, p):
    """Just after a strike: what a step gains is lost at the strike."""
    D = p["I"] + p["m"] * p["l"] ** 2
    mu = (p["I"] + p["m"] * p["l"] ** 2 * np.cos(2 * p["a"])) / D
    gained = 4 * p["m"] * p["g"] * p["l"] * np.sin(slope) * np.sin(p["a"]) / D
    return mu * np.sqrt(gained / (1 - mu**2))


def rolling(span, points, **units):
    wheel, p = rimless_wheel(), rimless_wheel().params | units
    guess = [rate_of_wheel(p["slope"], p), p["slope"] - p["a"]]
    orbit = gc.find_periodic(wheel, guess, 0.4 / guess[0] * rate_of_wheel(0.18, wheel.params), params=units)
    return gc.follow(wheel, orbit, "slope", span, points=points)


@cache
def rolls():
    return rolling((0.1, 0.35), 4)


def test_a_wheel_rolls_as_the_closed_form_says_along_its_branch():
    branch, p = rolls(), rimless_wheel().params
    assert branch.values[[0, -1]].tolist() == [0.1, 0.35]
    for slope, orbit in zip(branch.values, branch.orbits, strict=True):
        assert orbit.x[0] == pytest.approx(rate_of_wheel(slope, p), rel=1e-11)
        assert orbit.params["slope"] == slope
    assert branch.changes == ()


@LONG
def test_it_rolls_no_more_where_it_does_not_pass_its_top():
    p = rimless_wheel().params
    D = p["I"] + p["m"] * p["l"] ** 2

    def missing(slope):
        height = p["l"] * (1 - np.cos(p["a"] - slope))
        return D * rate_of_wheel(slope, p) ** 2 / 2 - p["m"] * p["g"] * height

    branch = rolling((0.01, 0.39), 21)
    assert "the period grows and slope stands still, near 0.0663088" in branch.ends[0]
    assert branch.values[0] == pytest.approx(brentq(missing, 0.01, 0.3), abs=1e-7)
    worst = max(
        abs(orbit.x[0] / rate_of_wheel(slope, p) - 1)
        for slope, orbit in zip(branch.values, branch.orbits, strict=True)
    )
    assert worst < 1e-9
    assert branch.periods[0] > 4
    beside = gc.follow(rimless_wheel(), branch.orbits[5], "slope", (0.01, 0.39), points=11)
    assert beside.values[0] == pytest.approx(branch.values[0], abs=1e-6)


@LONG
@pytest.mark.parametrize(("length", "time"), [(1000, 1), (1, 0.001), (0.001, 1000)])
def test_in_other_units_it_is_the_same_branch(length, time):
    p = rimless_wheel().params
    units = {"l": p["l"] * length, "I": p["I"] * length**2, "g": p["g"] * length / time**2}
    there = rolling((0.1, 0.35), 4, **units)
    assert there.values == pytest.approx(rolls().values, rel=1e-6)
    assert there.periods[-1] == pytest.approx(rolls().periods[-1] * time, rel=1e-12)


# -- an oscillator that is pushed against a wall ---------------------------------------------------


@cache
def pushed(direction=-1):
    """q'' + w^2 q = cos t, q >= c; of each impact the part e of the speed is left."""
    q, v = gc.Coordinate("q"), sp.Symbol("v", real=True)
    c, rate = gc.Parameter("c", 0.0), gc.Parameter("rate", 1.0)
    force = -sp.Rational(9, 25) * q.symbol + sp.cos(rate.symbol * gc.time)
    free = gc.VectorField([q, "v"], {"q": v, "v": force}, parameters=[c, rate]).reduce()
    hit = gc.Jump("wall", when=q.symbol - c.symbol, direction=direction, reset={"v": -sp.Rational(4, 5) * v})
    return gc.HybridSystem(modes={"free": free}, jumps=[hit])


@cache
def struck():
    return gc.find_periodic(pushed(), [0.1, 2.0], forcing=2 * np.pi)


@cache
def strikes():
    return gc.follow(pushed(), struck(), "c", (-9, 3), points=7)


@LONG
def test_a_wall_is_grazed_and_left_where_the_closed_form_says():
    branch = strikes()
    first, fold, last = branch.changes
    assert [first.kind, fold.kind, last.kind] == ["grazing", "fold", "grazing"]
    assert (first.value, last.value) == pytest.approx((GAIN, second_touch()), abs=1e-9)
    assert fold.value == pytest.approx(GAIN * np.hypot(1, ARM), abs=1e-9)
    assert (first.before, last.after) == (None, None)
    for c, orbit in zip(branch.values, branch.orbits, strict=True):
        begun = orbit.x[1] * (1 - E) / E / 2
        assert (begun**2 + (c - ARM * begun) ** 2) == pytest.approx(GAIN**2, rel=1e-9)


def flight(s, times):
    """c and q - c after an impact at the phase s: q = A cos wt + B sin wt + g cos(t + s), once a period."""
    u = 2 * GAIN * np.sin(s) / (1 - E)
    B = (1 + E) * u / (2 * W)
    A = B / np.tan(np.pi * W)
    c = A + GAIN * np.cos(s)
    return c, A * np.cos(W * times) + B * np.sin(W * times) + GAIN * np.cos(times + s) - c


def second_touch():
    """The wall that the flight touches between two impacts."""
    times = np.linspace(1.0, 5.5, 200_001)
    s = brentq(lambda s: flight(s, times)[1].min(), 3.2, 3.35)
    return flight(s, times)[0]


def test_a_strike_that_grazes_ends_the_branch():
    branch = gc.follow(pushed(), struck(), "c", (0, 3), points=4)
    end, touch = branch.changes[-1], second_touch()
    assert branch.ends == ("c = 0", f"c = {end.value:.9g}, where 'wall' is touched")
    assert end.value == pytest.approx(touch, abs=1e-9)
    assert (end.kind, end.after, end.multiplier, len(end.sides)) == ("grazing", None, None, 1)
    with pytest.raises(gc.EquilibriumError, match="none beyond"):
        end.enclose()
    for shown in (branch, end):
        assert pickle.loads(pickle.dumps(shown)).full() == shown.full()
        assert max(map(len, shown.full().splitlines())) <= 79
    told = json.loads(branch.to_json())["changes"][-1]
    assert (told["after"], told["multiplier"]) == (None, None)
    branch.plot()


def test_an_orbit_that_strikes_once_more_on_the_way_is_none():
    """Beyond the touch: the equations are solved there as well, and the flight goes through the wall."""
    s = brentq(lambda s: flight(s, 0.0)[0] - 0.9, 3.0, 3.35)
    through = brentq(lambda t: flight(s, t)[1], 1.0, 2.5)
    with pytest.raises(gc.EquilibriumError, match=f"'wall' {through:.6g} s after its start, not 6.28319 s"):
        gc.find_periodic(pushed(), [1.0, 2.0], forcing=2 * np.pi, params={"c": 0.9})


def test_a_start_behind_the_wall_by_rounding_strikes_after_a_period():
    orbit = gc.find_periodic(pushed(0), [0.1, 2.0], forcing=2 * np.pi)
    curve, y = HybridCurve.curve_through(orbit, "c", 1.0)
    assert y[0] == pytest.approx(0, abs=1e-12)
    for off in (0.0, 1e-31, -1e-31, -1e-12):
        y[0] = off
        there = curve.orbit_at(y, 0.0)
        assert there.period == pytest.approx(2 * np.pi, rel=1e-14)
        assert there.multipliers == pytest.approx(orbit.multipliers, rel=1e-9)
    y[0] = -1e-6
    with pytest.raises(gc.EquilibriumError, match="after its start, not"):
        curve.orbit_at(y, 0.0)


@LONG
def test_its_frequency_is_followed_as_well():
    branch = gc.follow(pushed(), struck(), "rate", (0.9, 1.1), points=5)
    assert branch.periods == pytest.approx(2 * np.pi / branch.values, rel=1e-14)
    fresh = gc.find_periodic(*(pushed(), [0.1, 2.0]), forcing=2 * np.pi / 1.1, params={"rate": 1.1})
    assert branch.orbits[-1].x == pytest.approx(fresh.x, abs=1e-9)


# -- the walker ------------------------------------------------------------------------------------


def test_the_walkers_gait_doubles_between_two_slopes():
    branch = gaits()
    assert branch.periods[0] == pytest.approx(step().period, rel=1e-12)
    assert branch.orbits[0].x == pytest.approx(step().x, abs=1e-10)
    (doubling,) = branch.changes
    low, high = np.degrees(doubling.bracket)
    assert 4.3908 < low < high < 4.3910
    assert doubling.kind == "period doubling"
    assert doubling.multiplier == pytest.approx(-1, abs=1e-9)
    assert branch.verdicts[-1] is gc.Verdict.NUMERICALLY_UNSTABLE
    stable, unstable, _ = branch.plot().lines
    assert stable.get_xdata()[-1] == unstable.get_xdata()[0] == doubling.value


@LONG
def test_the_gaits_of_two_steps_double_again_as_the_walker_walks():
    (twice,) = gaits().changes[0].branches()
    assert twice.verdicts[0] is gc.Verdict.NUMERICALLY_STABLE
    assert len(twice.orbits[0].jumps) == 2
    (second,) = twice.changes
    assert np.degrees(second.value) == pytest.approx(4.914057, abs=1e-6)
    for degrees, count in ((4.90, 2), (4.93, 4)):
        params = {"slope": np.radians(degrees)}
        run = gc.simulate(compass_walker(), [0, 400], twice.orbits[-1].x, params=params)
        times = np.diff([jump.time for jump in run.jumps])[-33:]
        apart = [np.abs(times[k:] - times[:-k]).max() for k in (1, 2, 4)]
        assert [gap < 1e-6 for gap in apart] == [count <= k for k in (1, 2, 4)]
    _, doublings = followed_gaits(step(), 5)
    assert np.degrees([gaits().changes[0].value, second.value]) == pytest.approx(doublings, abs=1e-7)


@LONG
def test_two_proofs_hold_the_doubling():
    doubling = gaits().changes[0]
    low, high = doubling.enclose(160)
    assert low.verdict is gc.Verdict.PROVED_ASYMPTOTICALLY_STABLE
    assert high.verdict is gc.Verdict.PROVED_UNSTABLE
    assert np.ptp(doubling.bracket) < 2.0**-19 * np.ptp(gaits().span)


@LONG
def test_the_span_is_reached_from_both_ends_with_one_period():
    h, branch = compass_walker(), gaits()
    back = gc.follow(h, branch.orbits[-1], "slope", branch.span, points=9)
    assert back.periods[[0, -1]] == pytest.approx(branch.periods[[0, -1]], rel=1e-11)
    assert back.changes[0].value == pytest.approx(branch.changes[0].value, abs=1e-10)


@LONG
def test_the_walker_ends_where_its_foot_would_sink_in():
    branch = gc.follow(compass_walker(), step(), "slope", np.radians([2, 14]), points=9)
    end = branch.changes[-1]
    assert end.kind == "contact"
    assert np.degrees(end.value) == pytest.approx(8.5384, abs=1e-4)
    assert "would sink in after the impact 'heel strike'" in branch.ends[1]
    at = {"slope": end.value + 1e-6}
    with pytest.raises(gc.EquilibriumError, match="would sink in"):
        gc.find_periodic(compass_walker(), end.orbit.x, end.orbit.period, params=at, jumps=[STRIKE])


# -- a pendulum at a wall, a hopper, derivatives ---------------------------------------------------


@LONG
def test_an_elastic_pendulum_is_followed_along_its_energy_until_it_grazes():
    wall = machine("pendulum-at-wall")
    orbit = gc.find_periodic(wall, [-2.8536, 0.3], 1.27)
    branch = gc.follow(wall, orbit, "energy", (-9.7, 9), points=9)
    assert [change.kind for change in branch.changes] == ["grazing"]
    assert branch.changes[0].value == pytest.approx(-9.81 * np.cos(0.3), rel=1e-12)
    for level, each in zip(branch.values, branch.orbits, strict=True):
        assert each.x[0] ** 2 / 2 - 9.81 * np.cos(0.3) == pytest.approx(level, abs=1e-9)
        assert each.neutral == ("energy", "strike")
    stiffer = gc.follow(wall, orbit, "g", (8, 12), points=5)
    levels = [
        each.x[0] ** 2 / 2 - g * np.cos(0.3) for g, each in zip(stiffer.values, stiffer.orbits, strict=True)
    ]
    assert np.ptp(levels) < 1e-9


@LONG
def test_a_hopper_hops_as_its_energy_says_until_it_leaves_the_ground_no_more():
    h = machine("hopper")
    p = h.params
    orbit = gc.find_periodic(h, h.modes["stance"].state(z_dot=-1.4, z=p["l"], k=p["k1"]), 0.42)
    branch = gc.follow(h, orbit, "k2", (950, 1400), points=7)
    r = p["m"] / (p["m"] + p["mf"])
    for k2, each in zip(branch.values, branch.orbits, strict=True):
        depth = 2 * p["m"] * p["g"] * (1 - r**2) / (p["k1"] - r**2 * k2)
        assert p["l"] - each.states[1][1] == pytest.approx(depth, rel=1e-9)
    (end,) = branch.changes
    assert end.kind == "corner"
    assert end.value == pytest.approx(p["k1"], rel=1e-9)
    assert "no time is left before 'top' and 'landing'" in branch.ends[0]


@LONG
@pytest.mark.parametrize("along", ["m", "mf", "k1", "k2", "g", "l"])
def test_derivatives_by_a_parameter_are_those_of_differences(along):
    h = machine("hopper")
    p = h.params
    orbit = gc.find_periodic(h, h.modes["stance"].state(z_dot=-1.4, z=p["l"], k=p["k1"]), 0.42)
    curve, y = HybridCurve.curve_through(orbit, along, p[along])
    _, J = curve.equations(y)

    def difference(width):
        step = width * np.eye(y.size)[-1]
        return (curve.equations(y + step)[0] - curve.equations(y - step)[0]) / width / 2

    # Guards count over lengths with |x| in them: where x = 0 differences are off by the first order.
    assert J[:, -1] == pytest.approx(2 * difference(5e-6) - difference(1e-5), abs=1e-7)


# -- the result ------------------------------------------------------------------------------------


def test_a_branch_is_written_pickled_and_drawn(tmp_path):
    branch = rolls()
    told = json.loads(branch.to_json(tmp_path / "branch.json"))
    assert told["jumps"] == ["spoke"]
    again = gc.find_periodic(
        branch.system, told["states"][2], told["times"][2], params=told["params"][2], jumps=told["jumps"]
    )
    assert again.period == pytest.approx(told["periods"][2], rel=1e-12)
    assert branch.plot().get_ylabel() == "period (s)"
    assert len(branch.plot(branch.labels[0]).lines) == 2
    copy = pickle.loads(pickle.dumps(branch))
    assert copy.full() == branch.full()
    assert max(map(len, branch.full().splitlines())) <= 79


def test_bad_input_is_refused_before_any_work():
    wheel, orbit = rimless_wheel(), rolls().orbits[0]
    for along, words in (("slop", "did you mean 'slope'"), (wheel.state_labels[0], "a state: orbits")):
        with pytest.raises(gc.LabelError, match=words):
            gc.follow(wheel, orbit, along, (0, 1))
    with pytest.raises(gc.InputError, match="outside the span"):
        gc.follow(wheel, orbit, "slope", (0.2, 0.3))
    with pytest.raises(gc.InputError, match="not of this system"):
        gc.follow(pushed(), orbit, "slope", (0.05, 0.3))
    with pytest.raises(gc.InputError, match="fixed="):
        gc.follow(wheel, orbit, "slope", (0.05, 0.3), params={"m": 1})
