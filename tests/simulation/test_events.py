"""Passages of events: begun on a surface, near to one, at the time of another; the same by both engines."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl.simulation import heyoka_compiled
from geoctrl.stepping.drive import flow
from geoctrl.stepping.drive.flow import Flow
from geoctrl.stepping.drive.passages import Passages, early_times

ENGINES = ("heyoka", "scipy")
G = 9.81
Z = gc.Coordinate("z")


def described(potential):
    return gc.EulerPoincare(algebra=None, shape=[Z], inertia=[[1]], potential=potential).reduce()


@pytest.fixture(scope="module")
def ball():
    return described(sp.Rational(981, 100) * Z.symbol)


def passages(system, start, until=10.0, engine="heyoka", expr=Z.symbol, **event):
    events = {"s": gc.Event(expr, **event)}
    return gc.simulate(system, [0, until], start, events=events, engine=engine, throw=False)


# From z = 0 with 1.5 m/s: the ball returns at 2 v/g and falls on; z'' = -sin z swings with k = 0.75, so that
# the half period is 2 K(9/16) = 3.8219795615; z'' = -4 z^3 - 2 z by quadrature in 30 digits.
HALF = {"ball": 2 * 1.5 / G, "pendulum": 3.82197956150366, "quartic": 1.57567493866553}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", HALF)
def test_begun_on_the_surface(name, engine, ball):
    z = Z.symbol
    system = {"ball": ball}.get(name) or described({"pendulum": 1 - sp.cos(z), "quartic": z**4 + z**2}[name])
    all_of_them = [HALF[name]] if name == "ball" else np.arange(HALF[name], 10, HALF[name])
    wanted = {-1: all_of_them[::2], 0: all_of_them, 1: all_of_them[1::2]}
    for direction, terminal in product(wanted, (True, False)):
        run = passages(system, [1.5, 0.0], engine=engine, direction=direction, terminal=terminal)
        expected = wanted[direction][:1] if terminal else wanted[direction]
        np.testing.assert_allclose(run.events["s"].time, expected, rtol=1e-10, err_msg=f"{direction}")
        ended = terminal and len(expected)
        assert run.status.startswith("stopped by the event 's' at t = " if ended else "completed")


def test_half_periods_by_quadrature():
    """The numbers above, by integrals that know no engine."""
    mp = pytest.importorskip("mpmath")
    assert 2 * mp.ellipk(mp.mpf("0.75") ** 2) == pytest.approx(HALF["pendulum"], rel=1e-12)
    # v^2/2 + z^4 + z^2 = 9/8; z = a sin s takes the root out of the integral over half a swing.
    a2 = (-1 + mp.sqrt(1 + mp.mpf("4.5"))) / 2
    half = mp.quad(lambda s: 2 / mp.sqrt(2 * (1 + a2 * (1 + mp.sin(s) ** 2))), [0, mp.pi / 2])
    assert float(half) == pytest.approx(HALF["quartic"], rel=1e-12)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("v", [1e-7, 1e-8, 1e-12])
def test_a_passage_much_nearer_than_a_step(ball, v, engine, capfd):
    """Runs of 10 s whose passages lie 1e-8 to 1e-14 s from the start."""
    falls = passages(ball, [0.0, v * v / 2 / G], engine=engine, direction=-1, terminal=True)
    assert falls.events["s"].time == pytest.approx([v / G], rel=1e-10)
    thrown = passages(ball, [v, 0.0], engine=engine, direction=-1)
    assert thrown.events["s"].time == pytest.approx([2 * v / G], rel=1e-10)
    below = passages(ball, [v, -v * v / 20 / G], engine=engine)
    root = np.sqrt(0.9)  # z = -v^2/(20 g) + v t - g t^2/2
    assert below.events["s"].time == pytest.approx([v / G * (1 - root), v / G * (1 + root)], rel=1e-9)
    assert len(passages(ball, [v, 0.0], engine=engine, direction=1).events["s"]) == 0
    assert capfd.readouterr() == ("", "")


def test_without_early_windows_they_are_lost(ball, monkeypatch):
    """Negative control: what the engine alone says."""
    monkeypatch.setattr(Flow, "opening", property(lambda self: self.times[:0]))
    monkeypatch.setattr(heyoka_compiled.Taken, "look_again", lambda *_: None)
    assert len(passages(ball, [1.5, 0.0], direction=-1).events["s"]) == 0
    assert passages(ball, [0.0, 5e-18], direction=-1, terminal=True).status == "completed"


def test_signs_show_what_a_step_lost(ball, monkeypatch):
    """Without early windows the sign at the end of the stretch differs: it is searched."""
    monkeypatch.setattr(Flow, "opening", property(lambda self: self.times[:0]))
    run = passages(ball, [0.0, 5e-18], direction=-1, terminal=True)
    assert run.events["s"].time == pytest.approx([np.sqrt(1e-17 / G)], rel=1e-10)
    assert run.time[-1] == run.events["s"].time[0]


@pytest.mark.parametrize("engine", ENGINES)
def test_below_what_doubles_resolve(ball, engine):
    """Thrown from z = 100 m with 1e-8 m/s the ball rises by 5e-18 m: the passage is not seen, and said so."""
    stuck = passages(ball, [1e-8, 100.0], engine=engine, expr=Z.symbol - 100, direction=-1, terminal=True)
    assert stuck.status.startswith("grazes 's' at t = ")
    assert not stuck.success
    passing = passages(ball, [1e-8, 100.0], engine=engine, expr=Z.symbol - 100, direction=-1)
    assert passing.status.startswith("completed; grazes 's' at t = ")
    assert passing.success


@pytest.mark.parametrize(("v", "undisturbed"), [(2.0, 4e-14), (0.0, 9e-8), (1e-30, 9e-8)])
def test_windows_begin_where_the_function_has_a_sign(ball, v, undisturbed, monkeypatch):
    """At 100 m rounding is 1.4e-12 m: 64 epsilons of it. A sixteenth of that is passed in that time."""
    begun = []
    monkeypatch.setattr(flow, "early_times", lambda *at: begun.append(early_times(*at)) or begun[-1])
    run = passages(ball, [v, 100.0], expr=Z.symbol - 100, direction=-1)
    assert undisturbed < begun[0][0] < 5 * undisturbed
    if v == 2:
        assert run.events["s"].time == pytest.approx([2 * v / G], rel=1e-10)


@pytest.mark.parametrize("engine", ENGINES)
def test_at_rest_on_a_surface(ball, engine, capfd):
    """The second derivative decides: a ball let go at z = 0 has left downwards, without a passage."""
    down = passages(ball, [0.0, 0.0], engine=engine, direction=-1, terminal=True)
    assert down.status == "completed"
    resting = passages(described(Z.symbol**2), [0.0, 0.0], engine=engine, terminal=True)
    assert resting.status.startswith("grazes 's' at t = 0")
    # z = (1 - cos(sqrt(2) t))/2 leaves upwards, and would touch again at t = 4.44.
    swing = passages(described(Z.symbol**2 - Z.symbol), [0, 0], until=4, engine=engine, terminal=True)
    assert swing.status == "completed"
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("engine", ENGINES)
def test_forty_bounces(ball, engine):
    """A ball of restitution 1/2 from 1 m/s down to 1e-12 m/s, restarted by hand: each flight is 2 v/g."""
    v, flights = 1.0, 40 if engine == "heyoka" else 8
    for _ in range(flights):
        run = passages(ball, [v, 0.0], engine=engine, direction=-1, terminal=True)
        assert run.events["s"].time == pytest.approx([2 * v / G], rel=1e-12)
        v = -0.5 * run["z_dot"][-1]
    assert v == pytest.approx(0.5**flights, rel=1e-11)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_turn_within_a_step(ball, engine):
    """Thrown through z = 0 from below and back within one step of either engine."""
    run = passages(ball, [3.0, -1e-3], engine=engine)
    root = np.sqrt(9.0 - 2e-3 * G)
    assert run.events["s"].time == pytest.approx([(3 - root) / G, (3 + root) / G], rel=1e-10)


@pytest.mark.parametrize("engine", ENGINES)
def test_passing_events_at_the_time_of_a_terminal_one(engine):
    skate = gc.models.get("pendulum-skate")().reduce()
    x0 = skate.project([0, 0, 0, 1.0, 0, 0], {"Gamma": (0, np.sin(0.1), np.cos(0.1))})
    g3 = skate.states[-1]
    events = {"fall": g3, "twice": 2 * g3, "up": gc.Event(g3, direction=1)}
    run = gc.simulate(skate, [0.0, 5.0], x0, events=events, engine=engine)
    assert run.status.startswith("left the domain 'above the ice'")
    assert run.events["fall"].time == pytest.approx([1.12903034], abs=1e-8)
    assert run.events["twice"].time == pytest.approx([1.12903034], abs=1e-8)
    assert len(run.events["up"]) == 0


def test_held_runs_begin_on_a_surface():
    """A hold begins where its law puts it; the passages are those of the continuous run."""
    u = sp.Symbol("u", real=True)
    mechanism = gc.EulerPoincare(
        algebra=None, shape=[Z], inertia=[[1]], potential=Z.symbol**2 / 2, forces=[u], inputs=[u]
    )
    plant = mechanism.reduce()
    law = gc.lqr(plant, plant.state())
    for engine in ENGINES:
        run = gc.simulate(
            plant, [0, 10], [1.0, 0.0], controller=law.sampled(50.0), engine=engine, events={"s": Z.symbol}
        )
        slow = gc.simulate(plant, [0, 10], [1.0, 0.0], controller=law, engine=engine, events={"s": Z.symbol})
        assert len(run.events["s"]) == len(slow.events["s"]) > 0
        np.testing.assert_allclose(run.events["s"].time, slow.events["s"].time, atol=0.1)


def test_a_passage_counts_once(ball):
    """Found again at the seam of two steps it is the same; in one direction twice, one between was lost."""
    run = passages(ball, [1.5, 0.0])
    log = Passages(0.0, run._flow.events, run._flow.surfaces, run._flow.switches)
    log.begin(0.0, np.array([0.0, 1.0]))
    assert log.meets(0, 1.0, -1)
    assert not log.meets(0, 1.0 + 2e-16, -1)
    assert not log.doubtful
    assert log.meets(0, 2.0, -1)
    assert log.doubtful
