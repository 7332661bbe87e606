"""An oscillator that a wave pushes against a wall: its orbit with one impact a period is known by hand."""

import copy
import pickle
from functools import cache

import numpy as np
import pytest
import sympy as sp
from flint import arb, ctx

import geoctrl as gc
from geoctrl import checker
from tests.jumps.jumping_mechanisms import bouncing_ball
from tests.jumps.proved_orbits import impact_oscillator, oscillation, wave_and_wall, wave_at_wall

R = sp.Rational
LONG = pytest.mark.long(reason="modes with a clock are compiled for each system")


def test_the_orbit_with_one_impact_a_period():
    """tan(phase) = -w (1 - e)/(1 + e) tan(pi w), and the speed after the impact from that; det = e^2."""
    w, e = 0.6, 0.8
    phase = np.arctan(-w * (1 - e) / (1 + e) * np.tan(np.pi * w)) + np.pi
    found = oscillation()
    assert found.x == pytest.approx([2.5123975117322263, 0], abs=1e-12)
    assert found.begin == pytest.approx(phase, rel=1e-12)
    assert found.period == pytest.approx(2 * np.pi, rel=1e-14)
    exact = 0.372198067400 + 0.708144475813j
    assert np.sort_complex(found.multipliers) == pytest.approx(np.sort_complex([exact, exact.conjugate()]))
    assert np.prod(found.multipliers) == pytest.approx(e**2, rel=1e-12)
    assert found.neutral == ()
    assert found.cycles == 1
    # By an impulse of 1 + 1/e times the speed after it.
    assert found.impulses[0] == pytest.approx(found.x[:1] * (1 + 1 / e), rel=1e-9)
    run = found.trajectory(21)
    assert run.time[0] == found.begin
    assert run.jumps[0].after == pytest.approx(found.x, abs=1e-9)
    assert pickle.loads(pickle.dumps(found)).begin == found.begin


def test_what_cannot_be_is_refused():
    with pytest.raises(gc.InputError, match="tell its period by forcing="):
        gc.find_periodic(impact_oscillator(), [2.0, 0.5], 6.0)
    with pytest.raises(gc.InputError, match="not proved to be a period"):
        gc.find_periodic(impact_oscillator(), [2.0, 0.5], forcing=6.0)
    with pytest.raises(gc.InputError, match="whole multiple of forcing"):
        gc.find_periodic(impact_oscillator(), [2.0, 0.5], 9.0, forcing=2 * np.pi)
    with pytest.raises(gc.InputError, match="do not hold the time"):
        gc.find_periodic(bouncing_ball(1), [0.0, 1.0], 6.0, forcing=6.0)


def moving_floor():
    """A ball whose equations do not hold the time, above a floor that does."""
    z = gc.Coordinate("z")
    hit = gc.Jump("hit", when=z.symbol - sp.cos(gc.time) / 2, reset={"z_dot": -z.rate})
    flight = gc.EulerPoincare(algebra=None, shape=[z], inertia=[[1]], potential=z.symbol).reduce()
    return gc.HybridSystem(modes={"flight": flight}, jumps=[hit])


def test_a_guard_may_hold_the_time_alone():
    with pytest.raises(gc.InputError, match="tell its period by forcing="):
        gc.find_periodic(moving_floor(), [3.0, 0.5], 6.0)
    z = gc.Coordinate("z")
    field = gc.VectorField([z], {"z": 1}).reduce()
    strike = gc.Jump("noon", when=sp.cos(gc.time), direction=-1, reset={"z": 0})
    run = gc.simulate(gc.HybridSystem(modes={"day": field}, jumps=[strike]), [0, 9.0], [0])
    assert [jump.time for jump in run.jumps] == pytest.approx([np.pi / 2, 5 * np.pi / 2], rel=1e-14)


@LONG
def test_other_units_of_time_and_two_periods_are_the_same_orbit():
    there = gc.find_periodic(
        impact_oscillator(time=R(1, 1000)), [2000.0, 0.5], forcing=sp.pi / 500, jumps=["wall"]
    )
    assert there.x[0] == pytest.approx(1000 * oscillation().x[0], rel=1e-10)
    assert there.begin == pytest.approx(oscillation().begin / 1000, rel=1e-10)
    twice = gc.find_periodic(
        impact_oscillator(), [2.0, 0.5], 4 * np.pi, forcing=2 * np.pi, jumps=["wall", "wall"]
    )
    assert twice.cycles == 2
    assert twice.periods == pytest.approx([2 * np.pi] * 2, rel=1e-9)
    assert np.prod(twice.multipliers) == pytest.approx(0.8**4, rel=1e-9)


@cache
def shaken_ball():
    """Up at the speed pi, back after 2 pi with g = 1; with w = cos(t)/2 it has (1 - e) pi = (1 + e) w'."""
    z, e = gc.Coordinate("z"), R(4, 5)
    table = sp.cos(gc.time) / 2
    after = -e * z.rate + (1 + e) * sp.diff(table, gc.time)
    bounce = gc.Jump("bounce", when=z.symbol - table, direction=-1, reset={"z_dot": after})
    flight = gc.EulerPoincare(algebra=None, shape=[z], inertia=[[1]], potential=z.symbol).reduce()
    ball = gc.HybridSystem(modes={"flight": flight}, jumps=[bounce])
    return gc.find_periodic(ball, [2.37, 2.49], forcing=2 * sp.pi)


@LONG
def test_a_ball_on_a_table_that_shakes():
    found = shaken_ball()
    begin = 2 * np.pi - np.arcsin(np.pi / 4.5)
    assert found.begin == pytest.approx(begin, rel=1e-10)
    assert found.x == pytest.approx([np.pi, np.cos(begin) / 2], rel=1e-10)
    # Of the speed beside the table's the part e is kept, and flights keep areas.
    assert np.prod(found.multipliers) == pytest.approx(0.64, rel=1e-9)


@cache
def mass_on_a_plate():
    """On a plate that goes up and down by 3/2 sin t with g = 1: let go where sin t = 2/3, caught in full."""
    x, z = gc.Coordinate("x"), gc.Coordinate("z")
    land = gc.Impact("land", when=z.symbol, rows=["plate"], of="flight", to="plate")
    lift = gc.Jump(*("lift", gc.reaction("plate"), -1), reset={"z_dot": 0}, of="plate", to="flight")
    forces = [-x.rate - x.symbol + sp.cos(gc.time), R(3, 2) * sp.sin(gc.time) - 1]
    return gc.EulerPoincare(
        algebra=None,
        shape=[x, z],
        inertia=[[1, 0], [0, 1]],
        forces=forces,
        constraints={"plate": [0, 1]},
        modes={"plate": ("plate",), "flight": ()},
        jumps=[lift, land],
    ).hybrid()


@LONG
def test_a_mass_leaves_a_plate_where_it_no_longer_presses():
    found = gc.find_periodic(mass_on_a_plate(), [1, 0, 0.0], forcing=2 * sp.pi, mode="plate")
    assert found.jumps == ("land", "lift")
    assert found.begin == pytest.approx(np.arcsin(2 / 3), rel=1e-12)
    # z = (cos t1) 3/2 s - s^2/2 - 3/2 (sin(t1 + s) - 2/3), with s the time of flight.
    s, t1 = found.periods[0], found.begin
    assert 1.5 * np.cos(t1) * s - s**2 / 2 - 1.5 * np.sin(t1 + s) + 1 == pytest.approx(0, abs=1e-11)
    assert s == pytest.approx(3.56621673692802, rel=1e-11)
    # What is caught keeps nothing of its fall; the damped oscillator beside it turns by exp(-pi).
    assert sorted(abs(found.multipliers)) == pytest.approx([0, 0, *[np.exp(-np.pi)] * 2], abs=1e-9)


# -- proved ---------------------------------------------------------------------------------------------


def test_it_is_proved_and_holds_its_closed_form(tmp_path):
    found = wave_at_wall()
    assert found.verdict is gc.Verdict.PROVED_ASYMPTOTICALLY_STABLE
    with ctx.workprec(300):
        begin, speed = wave_and_wall(arb(3) / 5, arb(4) / 5)
        assert speed.overlaps(arb("2.5123975117322263033 +/- 1e-19"))
        assert found.begin.overlaps(begin)
        assert found.x[0].overlaps(speed)
        assert found.period.overlaps(2 * arb.pi())
        zero, *others = sorted(found.multipliers, key=lambda z: float(abs(z)))
        assert zero.overlaps(0)
        assert (others[0] * others[1]).real.overlaps(arb(16) / 25)
    assert max(found.x[0].rad(), found.begin.rad()) < 1e-14
    assert len(found.x) == 2
    assert found.cycles == 1
    assert "up to whole turns of clock (1)" in found.claim
    assert "begins at t = [3.3439629" in str(found)
    assert "'impulse along row 0'" in found.claim
    found.to_json(tmp_path / "orbit.json")
    assert gc.verify(tmp_path / "orbit.json").claim == found.claim
    again = pickle.loads(pickle.dumps(found))
    assert (again.claim, again.begin.str(20)) == (found.claim, found.begin.str(20))


def clock_of(data):
    return next(i for i, row in enumerate(data["problem"]["nodes"]) if row[:2] == ["sym", "clock"])


def kept_at(data, **parts):
    """The clock besides what is kept, as the guard, or where a reset leads."""
    mode = data["theorem"]["modes"]["motion"]
    wall, clock = mode["jumps"]["wall"], clock_of(data)
    if "kept" in parts:
        mode["kept"] = {"clock": clock}
    elif "reset" in parts:
        wall["reset"][parts["reset"]] = clock if parts["reset"] < 2 else wall["reset"][1]
    else:
        wall["asked" if parts["asked"] else "guard"] = {"clock": clock} if parts["asked"] else clock


FORGED = {
    "no turn": (lambda d: d["theorem"].pop("winding"), "one solution|in the box"),
    "two turns": (lambda d: d["theorem"]["winding"].update(clock=2), "one solution|in the box"),
    "turns of a place": (lambda d: d["theorem"]["winding"].update(q=0), "after a turn"),
    "turns of nothing": (lambda d: d["theorem"]["winding"].update(r=0), "after a turn"),
    "a domain with the clock": (lambda d: kept_at(d, kept=True), "after a turn"),
    "a promise with the clock": (lambda d: kept_at(d, asked=True), "after a turn"),
    "a speed from the clock": (lambda d: kept_at(d, reset=0), "after a turn"),
    "a clock that is set": (lambda d: kept_at(d, reset=2), "after a turn"),
}

LATER = "two turns", "turns of nothing", "a domain with the clock", "a promise with the clock"


@pytest.mark.parametrize("case", [pytest.param(k, marks=LONG if k in LATER else ()) for k in FORGED])
def test_nothing_is_proved_of_a_clock_that_does_not_go_round(case):
    data = copy.deepcopy(wave_at_wall().data)
    change, words = FORGED[case]
    change(data)
    with pytest.raises(checker.Refusal, match=words):
        checker.prove(data)


def test_a_guard_with_the_clock_is_no_guard_after_a_turn():
    data = copy.deepcopy(wave_at_wall().data)
    mode = data["theorem"]["modes"]["motion"]
    further = {"guard": clock_of(data), "direction": -1, "to": "motion", "reset": [], "asked": {}}
    mode["jumps"]["further"] = further | {"guards": {}, "rows": {}}
    with pytest.raises(checker.Refusal, match="after a turn"):
        checker.prove(data)


@LONG
def test_other_forced_orbits_are_proved():
    """In other units of time, of twice the period of the forcing, and where the guard holds the time."""
    there = gc.find_periodic(impact_oscillator(time=R(1, 1000)), [2000.0, 0.5], forcing=sp.pi / 500)
    found = there.enclose(96)
    assert abs(found.x[0] - 1000 * wave_at_wall().x[0]) < 1e-9
    assert abs(1000 * found.begin - wave_at_wall().begin) < 1e-12
    twice = gc.find_periodic(
        impact_oscillator(), [2.0, 0.5], 4 * np.pi, forcing=2 * np.pi, jumps=["wall", "wall"]
    ).enclose(96)
    assert twice.cycles == 2
    assert all(abs(t - 2 * arb.pi()) < 1e-9 for t in twice.periods)
    shaken = shaken_ball().enclose(96)
    assert shaken.x[0].overlaps(arb.pi())
    assert shaken.begin.overlaps(2 * arb.pi() - (arb.pi() / arb("4.5")).asin())
    assert "clock" in shaken.claim


@LONG
def test_a_ball_in_a_cup_that_moves_is_unstable():
    """Long steps of a free flight do not tell the guard of the wall that it has left; shorter ones do."""
    x, e = gc.Coordinate("x"), R(4, 5)
    cup = 2 * sp.sin(gc.time)
    after = {"x_dot": (1 + e) * sp.diff(cup, gc.time) - e * x.rate}
    walls = [
        gc.Jump(name, when=x.symbol - cup - side, direction=side, reset=after)
        for name, side in (("right", 1), ("left", -1))
    ]
    free = gc.EulerPoincare(algebra=None, shape=[x], inertia=[[1]], forces=[-x.rate / 10]).reduce()
    held = gc.HybridSystem(modes={"cup": free}, jumps=walls)
    found = gc.find_periodic(held, [2.36946246, -0.97890573], forcing=2 * sp.pi)
    assert found.jumps == ("left", "left", "right")
    # Three impacts keep e^2 of an area each, and the drag exp(-2 pi/10) of it.
    assert np.prod(found.multipliers) == pytest.approx(0.8**6 * np.exp(-np.pi / 5), rel=1e-9)
    assert found.enclose(96).verdict is gc.Verdict.PROVED_UNSTABLE
