"""Runs with jumps against closed forms, and what becomes of them."""

import pickle

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from studies.walking import PUBLISHED_STEP as WALKER_STEP
from tests.jumps.jumping_mechanisms import (
    BLOCK,
    ball,
    block,
    bouncing_ball,
    compass_walker,
    elastic_pendulum,
    hill,
    sliding_ball,
    walker,
)

G = 9.81


@pytest.mark.parametrize("e", [0.5, pytest.param(0.8, marks=pytest.mark.long(reason="as another"))])
def test_bounces_accumulate_where_the_sum_of_their_flights_says(e):
    run = gc.simulate(bouncing_ball(e), 10.0, [0, 1])
    assert abs(run.accumulation - np.sqrt(2 / G) * (1 + e) / (1 - e)) < 1e-12
    assert run.status == f"jumps 'bounce' accumulate at t = {run.accumulation:.12g}"
    assert not run.success
    speeds = np.array([jump.before[0] for jump in run.jumps])
    assert np.allclose(speeds, -np.sqrt(2 * G) * e ** np.arange(speeds.size), rtol=1e-13, atol=0)
    assert np.isclose(sum(jump.lost for jump in run.jumps), G, rtol=1e-12)


def test_flights_of_a_thousandth_of_a_nanosecond_are_as_long_as_they_are():
    """Forty bounces from a start that is small: no flight is lost, none is off."""
    start = 1e-6
    run = gc.simulate(bouncing_ball(0.5), [0, 1e-2], [start, 0], max_jumps=29)
    flights = np.array([piece.time[-1] - piece.time[0] for piece in run.pieces[1:8]])
    assert np.allclose(flights, 2 * start / G * 0.5 ** np.arange(1, 8), rtol=1e-8)
    speeds = np.array([jump.after[0] for jump in run.jumps])
    assert np.allclose(speeds, start * 0.5 ** np.arange(1, speeds.size + 1), rtol=1e-12, atol=0)


def test_a_run_goes_on_in_the_mode_of_rest():
    h = sliding_ball().hybrid()
    run = gc.simulate(h, [0, 1, 2, 5], h.modes["flight"].state(x_dot=2, z=1))
    assert run.status == "completed"
    assert list(run.mode) == ["flight", "flight", "ground", "ground"]
    assert np.allclose(run["x"], [0, 2, 4, 10])
    assert np.isnan(run["z_dot"][2:]).all()
    assert np.allclose(run["z"][2:], 0, atol=1e-15)
    assert np.isclose(run.jumps[-1].time, np.sqrt(2 / G) * 1.6 / 0.4, rtol=1e-12)


def test_a_run_goes_on_in_the_mode_of_rest_on_a_floor_of_which_doubles_blur_the_bounces():
    floor, metre = 40, sp.Rational(1, 1000)
    x, z = gc.Coordinate("x"), gc.Coordinate("z")
    height = z.symbol - floor * metre
    bounce = gc.Impact("bounce", when=height, rows=[[0, 1]], restitution=0.6, of="flight", rest="ground")
    h = gc.EulerPoincare(
        algebra=None,
        shape=[x, z],
        inertia=sp.eye(2),
        potential=G * metre * z.symbol,
        constraints={"ground": [0, 1]},
        modes={"flight": (), "ground": ("ground",)},
        jumps=[bounce],
    ).hybrid()
    run = gc.simulate(h, [0, 1, 2, 5], h.modes["flight"].state(x_dot=2, z=float((1 + floor) * metre)))
    assert run.status == "completed"
    assert list(run.mode) == ["flight", "flight", "ground", "ground"]
    assert np.isclose(run.accumulation, np.sqrt(2 / G) * 1.6 / 0.4, rtol=1e-8, atol=0)
    assert np.allclose(run["z"][2:], float(floor * metre), rtol=1e-13)


def test_an_arm_leans_on_a_stop_away_from_zero_until_its_motor_pulls_it_off():
    arm, motor = gc.Coordinate("q", angle=True), gc.Coordinate("p", angle=True)
    q, p = arm.symbol, motor.symbol
    stop = gc.Impact("stop", when=q + 0.4, rows=[[1, 0]], restitution=0.3, of="free", rest="leaning")
    lift = gc.Jump("lift", when=gc.reaction("held"), reset={}, direction=-1, of="leaning", to="free")
    h = gc.EulerPoincare(
        algebra=None,
        shape=[arm, motor],
        inertia=[[0.02, 0], [0, 0.004]],
        potential=sp.cos(q) + 30 * (q - p) ** 2,
        forces=[-arm.rate / 50, sp.Symbol("u", real=True) - motor.rate / 20],
        inputs=["u"],
        constraints={"held": [1, 0]},
        modes={"free": (), "leaning": ("held",)},
        jumps=[stop, lift],
    ).hybrid()
    pull = sp.Piecewise((0, gc.time < 3), (1.5, True))
    run = gc.simulate(h, [0, 1, 2, 4], h.modes["free"].state(q=-0.2, p=-0.2), inputs={"u": pull})
    assert run.success
    assert list(run.mode) == ["free", "leaning", "leaning", "free"]
    assert np.allclose(run["q"][1:3], -0.4, rtol=1e-13)
    assert [jump.name for jump in run.jumps][-2:] == ["rest in leaning", "lift"]


def test_rocks_of_a_block():
    run = gc.simulate(block().hybrid(), 2.5, [0, 0.15])
    b, h, m = (float(BLOCK[k]) for k in "bhm")
    ratio, about = 1 - 1.5 * b**2 / (b**2 + h**2), 4 * m * (b**2 + h**2) / 3
    height = m * G * (b * np.sin(0.15) + h * np.cos(0.15) - h)
    rates = [jump.after[0] for jump in run.jumps[:5]]
    assert np.allclose(rates, np.sqrt(2 * height / about) * ratio ** np.arange(1, 6), rtol=1e-12)


def test_an_elastic_wall_keeps_the_energy():
    run = gc.simulate(elastic_pendulum(), 30.0, [0, -1])
    assert len(run.jumps) > 20
    assert np.ptp(run.energy) < 1e-13 * G
    gaps = np.diff([jump.time for jump in run.jumps])
    assert np.allclose(gaps, 1.2727507974324467, rtol=1e-12)


@pytest.mark.long(reason="a thousand impacts")
def test_an_elastic_wall_keeps_the_energy_over_a_thousand_impacts():
    run = gc.simulate(elastic_pendulum(), [0, 1273.0], [0, -1], max_jumps=1001)
    assert len(run.jumps) == 1000
    assert abs(run.energy[-1] - run.energy[0]) < 1e-13 * G


def test_steps_of_the_walker():
    run = gc.simulate(compass_walker(), [0, 16.5], np.array(WALKER_STEP) + 1e-3)
    assert len(run.jumps) == 22
    assert run.success
    assert np.isclose(np.diff([jump.time for jump in run.jumps])[-1], 0.73472, atol=1e-4)
    lost = run.jumps[-1]
    (t,) = compass_walker().transitions
    before, after = (t.source.system.energy(x) for x in (lost.before, lost.after))
    assert np.isclose(lost.lost, 5.4925, atol=1e-4)
    assert before != after


def test_a_point_leaves_a_ball_where_nothing_presses():
    """At the height 2/3 + v^2/(3 g) of its radius, sliding from its top at the speed v."""
    h = hill().hybrid()
    slide, flight = h.modes["slide"], h.modes["flight"]
    run = gc.simulate(h, 1.0, slide.state(x_dot=1.0, z=1.0))
    (off,) = run.jumps
    height = 2 / 3 + 1 / (3 * G)
    assert np.isclose(off.before[slide.state_labels.index("z")], height, rtol=1e-11)
    x, z, vx, vz = (off.after[flight.state_labels.index(k)] for k in ("x", "z", "x_dot", "z_dot"))
    assert np.isclose(vx**2 + vz**2, G * height, rtol=1e-11)
    assert np.isclose(x * vx + z * vz, 0, atol=1e-11)
    assert run.mode[-1] == "flight"
    assert np.isclose(np.ptp(run.energy), 0, atol=1e-11)


def test_fields_jump_by_resets():
    T = gc.Coordinate("T")
    on, off = (gc.VectorField([T], {"T": s - T.symbol / 10}).reduce() for s in (3, 0))
    warm = gc.Jump("warm", when=T.symbol - 22, direction=1, of="on", to="off")
    cold = gc.Jump("cold", when=T.symbol - 18, direction=-1, of="off", to="on", reset={"T": T.symbol / 2})
    h = gc.HybridSystem(modes={"on": on, "off": off}, jumps=[warm, cold])
    run = gc.simulate(h, 30.0, [20])
    times = [10 * np.log(10 / 8), 10 * np.log(22 / 18), 10 * np.log(21 / 8)]
    assert np.allclose([jump.time for jump in run.jumps[:3]], np.cumsum(times), rtol=1e-13)
    assert run.jumps[1].after[0] == pytest.approx(9, abs=1e-12)
    assert np.isnan(run.jumps[0].lost)
    again = pickle.loads(pickle.dumps(h))
    assert np.array_equal(gc.simulate(again, 30.0, [20]).states, run.states)


def test_of_two_guards_at_one_instant_none_is_chosen():
    z = gc.Coordinate("z")
    field = gc.VectorField([z], {"z": -1}).reduce()
    jumps = [
        gc.Jump(name, when=e, direction=-1, reset={"z": 1})
        for name, e in (("a", z.symbol), ("b", 2 * z.symbol))
    ]
    run = gc.simulate(gc.HybridSystem(modes={"m": field}, jumps=jumps), 3.0, [1])
    assert run.status == "the jumps 'a' and 'b' are at one instant, t = 1: none is chosen"
    assert not run.success
    assert run.time[-1] == 1
    assert not run.jumps


def test_a_run_stops_before_more_jumps_than_were_allowed():
    run = gc.simulate(bouncing_ball(0.5), 10.0, [0, 1], max_jumps=3)
    assert "max_jumps=3" in run.status
    assert len(run.jumps) == 3
    assert not run.success


def test_what_breaks_a_promise_is_told():
    h = (
        ball(0.8)
        .replace(jumps=[gc.Impact("bounce", when=ball(0).shape[0].symbol, rows=[[-1]], restitution=0.8)])
        .hybrid()
    )
    with pytest.raises(gc.SimulationError, match="moves apart already") as caught:
        gc.simulate(h, 1.0, [0, 1])
    assert caught.value.trajectory.time[-1] == pytest.approx(np.sqrt(2 / G))
    assert not gc.simulate(h, 1.0, [0, 1], throw=False).success
    flipped = walker(-1).hybrid()
    with pytest.raises(
        gc.SimulationError, match=r"row 1 of the impact 'heel strike' moves apart.*find_periodic"
    ):
        gc.simulate(flipped, 2.0, np.array(WALKER_STEP) + 1e-3)


def test_a_guard_in_the_other_direction_is_another_jump():
    """Where the swing foot passes the slope upwards it is no strike: the impact would pull."""
    with pytest.raises(gc.SimulationError, match="heel strike"):
        gc.simulate(walker(direction=-1).hybrid(), 2.0, np.array(WALKER_STEP) + 1e-3)


def test_runs_are_kept(tmp_path):
    run = gc.simulate(sliding_ball().hybrid(), [0, 1, 2, 5], [2, 0, 0, 1])
    run.save(tmp_path / "run.npz")
    for again in (gc.load_trajectory(tmp_path / "run.npz"), pickle.loads(pickle.dumps(run))):
        assert np.array_equal(again.states, run.states, equal_nan=True)
        assert list(again.mode) == list(run.mode)
        assert again.accumulation == run.accumulation
        for a, b in zip(again.jumps, run.jumps, strict=True):
            assert (a.time, a.name, a.mode) == (b.time, b.name, b.mode)
            for what in ("before", "after", "impulse"):
                assert np.array_equal(getattr(a, what), getattr(b, what))
        with pytest.raises(gc.GeoctrlError, match="knows no equations"):
            again.resample([0.5])
    table = run.to_pandas()
    assert list(table.columns) == ["x_dot", "z_dot", "x", "z"]
    assert len(table) == 4
    finer = run.resample(np.linspace(0, 5, 31))
    direct = gc.simulate(sliding_ball().hybrid(), np.linspace(0, 5, 31), [2, 0, 0, 1])
    assert np.allclose(finer.states, direct.states, atol=1e-11, equal_nan=True)


def test_events_and_inputs_go_with_a_run():
    z = gc.Coordinate("z")
    lift = gc.EulerPoincare(
        algebra=None,
        shape=[z],
        inertia=[[1]],
        potential=2 * G * z.symbol,
        forces=[sp.Symbol("f")],
        inputs=["f"],
        jumps=[gc.Impact("bounce", when=z.symbol, rows=[[1]], restitution=1)],
    )
    half = {"f": G}
    run = gc.simulate(lift.hybrid(), 2.0, [0, 1], inputs=half, events={"half way": z.symbol - 0.5})
    fall = np.sqrt(1 / G)
    assert np.allclose(run.events["half way"].time[:2], [fall, 2 * np.sqrt(2 / G) - fall], rtol=1e-12)
    with pytest.raises(gc.InputError, match="an event is named as a jump: bounce"):
        gc.simulate(lift.hybrid(), 2.0, [0, 1], events={"bounce": z.symbol - 0.5})
    with pytest.raises(gc.InputError, match="inputs of a hybrid system are a dict"):
        gc.simulate(lift.hybrid(), 2.0, [0, 1], inputs=lambda t: [G])
