"""Both engines against each other and against tighter runs; events; inputs of the three kinds; invariants."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl import models

TIMES = np.linspace(0.0, 5.0, 51)


@pytest.fixture(scope="module")
def skate():
    return models.get("pendulum-skate")(set="7.2").replace(domain={}).reduce()  # on through the ice


@pytest.fixture(scope="module")
def rotor():
    return models.get("pendulum-skate-rotor")(set="7.3").replace(domain={}).reduce()


@pytest.fixture(scope="module")
def falling(skate):
    phi = 0.1
    return skate.project([0.1, 0.1 * np.tan(phi), 0.1, 1, 0, 0], {"Gamma": [0, np.sin(phi), np.cos(phi)]})


@pytest.fixture(scope="module")
def rotor_start(rotor):
    phi = 0.02
    xi = [0.02, 5 * np.sin(phi), 5 * np.cos(phi), 0.5, 0, 0]
    return rotor.project(xi, {"Gamma": [0, np.sin(phi), np.cos(phi)]}, rotor_rates=[1.3])


def spinning_start(phi=0.05):
    return np.array([0.05, 6.0, 0.3, np.sin(phi), np.cos(phi)])


# -- engines ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["pendulum-skate", "heavy-top", "veselova", "pendulum-skate-rotor"])
def test_engines_agree(name):
    sys = models.get(name)().reduce()
    x0 = sys.random_state(np.random.default_rng(4), scale=0.7)
    fine = gc.simulate(sys, np.linspace(0, 2, 21), x0, engine="heyoka")
    coarse = gc.simulate(sys, fine.time, x0, engine="scipy", rtol=2.3e-14)
    assert fine.engine.startswith("heyoka")
    assert coarse.engine.startswith("scipy")
    # Errors of both grow with the motion's own instability; 2 s leaves them small.
    assert np.abs(fine.states - coarse.states).max() < 1e-10 * np.abs(fine.states).max()


def test_rates_are_the_derivatives(skate, falling):
    h = 1e-3
    traj = gc.simulate(skate, np.array([0, 0.3 - 2 * h, 0.3 - h, 0.3, 0.3 + h, 0.3 + 2 * h]), falling)
    x = traj.states
    difference = (x[:, 1] - 8 * x[:, 2] + 8 * x[:, 4] - x[:, 5]) / (12 * h)
    np.testing.assert_allclose(difference, skate.rhs(0.3, x[:, 3]), atol=1e-9)


def test_samples_do_not_depend_on_the_grid(skate):
    x0 = spinning_start()
    coarse = gc.simulate(skate, [0.0, 20.0], x0)
    fine = gc.simulate(skate, np.linspace(0, 20, 801), x0)
    np.testing.assert_allclose(coarse.states[:, -1], fine.states[:, -1], atol=1e-12)


def test_chunks_change_nothing(skate, monkeypatch):
    from geoctrl.simulation import heyoka_engine

    x0 = spinning_start()
    whole = gc.simulate(skate, [0.0, 1.0, 1.001, 20.0], x0)
    monkeypatch.setattr(heyoka_engine, "_CHUNK", 7)
    pieces = gc.simulate(skate, [0.0, 1.0, 1.001, 20.0], x0)
    np.testing.assert_allclose(pieces.states, whole.states, atol=1e-13)


def test_runs_are_independent(skate, falling):
    first = gc.simulate(skate, TIMES, spinning_start())
    gc.simulate(skate, TIMES, spinning_start(0.2), params={"m": 3.0})
    with pytest.raises(gc.SimulationError):
        gc.simulate(skate, TIMES, falling, engine="scipy", inputs=None, params={"g": 1e308})
    again = gc.simulate(skate, TIMES, spinning_start())
    assert np.array_equal(first.states, again.states)


def test_one_compilation_serves_all_parameters(skate, monkeypatch):
    from geoctrl.simulation import heyoka_compiled

    gc.simulate(skate, TIMES, spinning_start())

    def refuse(*args):
        raise AssertionError("compiled again")

    monkeypatch.setattr(heyoka_compiled, "Compiled", refuse)
    heavier = gc.simulate(skate, TIMES, spinning_start(), params={"m": 3.0, "l": 0.7})
    other = gc.simulate(skate, TIMES, spinning_start(), params={"m": 3.0, "l": 0.7}, engine="scipy")
    np.testing.assert_allclose(heavier.states, other.states, atol=1e-7)
    assert heavier.params["m"] == 3.0


def test_system_pickles_after_a_run(skate):
    gc.simulate(skate, TIMES, spinning_start(), events={"upright": skate.states[3]})
    copy = pickle.loads(pickle.dumps(skate))
    first, second = (gc.simulate(s, TIMES, spinning_start()) for s in (skate, copy))
    np.testing.assert_allclose(first.states, second.states, atol=1e-13)


def test_initial_time_counts(rotor, rotor_start):
    late = gc.simulate(rotor, TIMES + 3, rotor_start, inputs={"u_theta": 0.002 * (gc.time - 3)})
    early = gc.simulate(rotor, TIMES, rotor_start, inputs={"u_theta": 0.002 * gc.time})
    np.testing.assert_allclose(late.states, early.states, atol=1e-11)


def test_equilibrium_as_a_start(skate):
    eq = skate.equilibrium("spinning", Omega0=6.0)
    traj = gc.simulate(skate, [0, 1], eq)
    np.testing.assert_allclose(traj.states[:, -1], eq.x, atol=1e-14)


# -- conserved quantities -----------------------------------------------------------------------


@pytest.mark.parametrize("moments", [{}, {"I2": 0.004}, {"I2": 0.002, "I3": 0.5}])
def test_drift_over_100_s(skate, moments):
    """arctan, linear and artanh branch of the second invariant, spinning fast enough to be stable."""
    x0 = spinning_start()
    traj = gc.simulate(skate, np.linspace(0, 100, 1001), x0, params={"I1": 0.35, **moments})
    assert set(traj.drift) == {"energy", "C1", "C2", "|Gamma|^2"}
    for name, drift in traj.drift.items():
        size = np.abs(traj.invariants[name]).max() if name in traj.invariants else 1.0
        assert drift < 1e-11 * max(size, 1e-2), name


def test_drift_counts_what_the_run_conserves(rotor, rotor_start):
    free = gc.simulate(rotor, TIMES, rotor_start)
    assert "energy" in free.drift
    driven = gc.simulate(rotor, TIMES, rotor_start, inputs={"u_theta": 0.01})
    assert "energy" not in driven.drift
    assert {"C1", "C2", "|Gamma|^2"} <= set(driven.drift)
    assert driven.drift["C2"] < 1e-11
    sampled = gc.simulate(rotor, TIMES, rotor_start, inputs=np.full((1, TIMES.size), 0.01))
    assert set(sampled.drift) == set(driven.drift)
    # A torque proportional to the rotor's angular acceleration does work, one that is always zero does not.
    idle = gc.simulate(rotor, TIMES, rotor_start, inputs={"u_theta": 0 * rotor.states[0]})
    assert "energy" in idle.drift


def test_energy_and_input_power(rotor, rotor_start):
    traj = gc.simulate(
        rotor, np.linspace(0, 1, 2001), rotor_start, inputs={"u_theta": 0.05 * sp.cos(3 * gc.time)}
    )
    power = traj["u_theta"] * traj["theta_dot"]
    dt = traj.time[1] - traj.time[0]
    simpson = dt / 3 * (power[0] + power[-1] + 4 * power[1:-1:2].sum() + 2 * power[2:-1:2].sum())
    assert simpson == pytest.approx(traj.energy[-1] - traj.energy[0], abs=1e-12)


# -- inputs -------------------------------------------------------------------------------------


@pytest.mark.parametrize("engine", ["heyoka", "scipy"])
def test_three_kinds_of_constant_input(rotor, rotor_start, engine):
    as_dict = gc.simulate(rotor, TIMES, rotor_start, inputs={"u_theta": 0.003}, engine=engine, rtol=1e-13)
    samples = gc.simulate(
        rotor, TIMES, rotor_start, inputs=np.full((1, 51), 0.003), engine=engine, rtol=1e-13
    )
    call = gc.simulate(rotor, TIMES, rotor_start, inputs=lambda t, x, p: [0.003], rtol=1e-13)
    np.testing.assert_allclose(samples.states, as_dict.states, atol=1e-10)
    np.testing.assert_allclose(call.states, as_dict.states, atol=1e-10)
    for traj in (as_dict, samples, call):
        np.testing.assert_allclose(traj.inputs, np.full((1, 51), 0.003), atol=1e-17)
    assert call.engine == "scipy DOP853, tolerance 1e-13 (input 'u_theta' is a Python callable)"


@pytest.mark.parametrize("engine", ["heyoka", "scipy"])
def test_linear_samples_equal_the_expression(rotor, rotor_start, engine):
    times = np.sort(np.random.default_rng(2).uniform(1, 4, 23))
    exact = gc.simulate(
        rotor, times, rotor_start, inputs={"u_theta": 0.004 * gc.time - 0.01}, engine=engine, rtol=1e-14
    )
    samples = gc.simulate(rotor, times, rotor_start, inputs=0.004 * times - 0.01, engine=engine, rtol=1e-14)
    np.testing.assert_allclose(samples.states, exact.states, atol=1e-11)


def test_feedback_expression(rotor, rotor_start):
    damper = (
        -0.2 * rotor.states[rotor.state_labels.index("theta_dot")] * rotor.mechanism.parameters[-3].symbol
    )
    fast = gc.simulate(rotor, TIMES, rotor_start, inputs={"u_theta": damper})
    slow = gc.simulate(rotor, TIMES, rotor_start, inputs=lambda t, x, p: [-0.2 * x[3] * p["J1"]], rtol=1e-13)
    assert fast.engine.startswith("heyoka")
    np.testing.assert_allclose(fast.states, slow.states, atol=1e-9)
    np.testing.assert_allclose(fast.inputs, slow.inputs, atol=1e-11)


def test_not_analytic_input_goes_to_scipy(rotor, rotor_start):
    traj = gc.simulate(rotor, TIMES[:5], rotor_start, inputs={"u_theta": 0.01 * sp.Abs(rotor.states[0])})
    assert traj.engine == "scipy DOP853 (heyoka lacks the function 'abs' of the equations of motion)"
    with pytest.raises(gc.ExpressionError, match="abs"):
        gc.simulate(
            rotor, TIMES, rotor_start, inputs={"u_theta": 0.01 * sp.Abs(rotor.states[0])}, engine="heyoka"
        )


def test_an_event_that_heyoka_cannot_run_is_told_by_its_name(rotor, rotor_start):
    """What was found out of an expression is kept, its name is that of the run."""
    angle = sp.Abs(rotor.states[0]) - 2
    for name in ("far", "away"):
        with pytest.raises(gc.ExpressionError, match=f"'abs' of event '{name}'"):
            gc.simulate(rotor, TIMES, rotor_start, events={name: angle}, engine="heyoka")
    held = rotor.inputs[0] - 1
    for name in ("on", "off"):
        with pytest.raises(gc.ExpressionError, match=f"event '{name}' does not change along the run"):
            gc.simulate(rotor, TIMES, rotor_start, inputs=[0.5], events={name: held}, engine="heyoka")


def test_without_heyoka(skate, monkeypatch):
    from geoctrl.simulation import heyoka_engine

    monkeypatch.setattr(heyoka_engine, "available", lambda: False)
    traj = gc.simulate(skate, [0, 0.1], spinning_start())
    assert traj.engine == "DOP853 in lanes, tolerance 3e-15 (heyoka is not installed)"
    with pytest.raises(ModuleNotFoundError, match="heyoka"):
        gc.simulate(skate, [0, 0.1], spinning_start(), engine="heyoka")


# -- the faster engine on spheres and rotations ---------------------------------------------------


def at_random(system, seed=3):
    """A start of slow motion."""
    z, w = system.product.generic(seed)
    return system.product.state(z, 0.3 * w)


@pytest.mark.parametrize(
    ("system", "engine"),
    [
        (gc.spheres.chain_pendulum([1.0, 0.5], [0.4, 0.3]), "heyoka"),
        (gc.spheres.dipoles(), "heyoka"),
        (gc.rotations.coupled_bodies(np.diag([1.0, 2.0, 2.5]) * np.ones((2, 1, 1)), 0.5), "heyoka"),
        (gc.spheres.chain_pendulum(np.ones(5), np.ones(5)), "scipy"),
        (gc.spheres.lennard_jones(12), "scipy"),
    ],
    ids=["two links", "three needles", "two bodies", "five links", "twelve molecules"],
)
def test_auto_takes_the_faster_engine(system, engine):
    run = gc.simulate(system, [0.0, 0.5], at_random(system))
    assert run.engine.startswith(engine)
    if engine == "heyoka":
        other = gc.simulate(system, run.time, at_random(system), engine="scipy", rtol=1e-13)
        np.testing.assert_allclose(run.states, other.states, atol=1e-10)
    else:
        assert run.engine.endswith("(its equations are too long to write out for heyoka)")


def test_auto_says_why_it_leaves_heyoka():
    chain = gc.spheres.chain_pendulum([1.0, 0.5], [0.4, 0.3])
    start = at_random(chain)
    assert gc.simulate(chain, [0.0, 0.1], start, rtol=1e-8).engine.endswith("for rtol up to 1e-12)")
    assert gc.simulate(chain, [0.0, 0.1], start, rtol=1e-13).engine.startswith("heyoka")
    momenta = chain.convert(start, "omega", "pi")
    assert gc.simulate(chain.in_form("pi"), [0.0, 0.1], momenta).engine.startswith("scipy")
    by_function = chain.closed_loop(lambda t, x, params: np.zeros(6))
    assert gc.simulate(by_function, [0.0, 0.1], start).engine.startswith("scipy")


# -- events -------------------------------------------------------------------------------------

FALL = 1.02504780866


@pytest.mark.parametrize(
    ("engine", "rtol", "error"), [("heyoka", None, 1e-11), ("heyoka", 1e-12, 1e-11), ("scipy", None, 1e-11)]
)
def test_fall_time(skate, falling, engine, rtol, error):
    fall = gc.Event(skate.states[4], terminal=True, direction=-1)
    traj = gc.simulate(
        skate, np.linspace(0, 5, 501), falling, engine=engine, rtol=rtol, events={"fall": fall}
    )
    assert traj.events["fall"].time == pytest.approx([FALL], abs=error)
    assert traj.success
    assert traj.status == "stopped by the event 'fall' at t = 1.02504780866"
    assert traj.time.size == 104
    assert traj.time[-1] == traj.events["fall"].time[0]
    assert abs(traj["Gamma3"][-1]) < 1e-12
    assert np.all(np.diff(traj.time) > 0)


@pytest.mark.parametrize("engine", ["heyoka", "scipy"])
def test_passing_events_and_directions(skate, engine):
    g2 = skate.states[3]
    events = {"any": g2, "up": gc.Event(g2, direction=1), "down": gc.Event(g2, direction=-1)}
    events["never"] = g2 - 2
    traj = gc.simulate(skate, np.linspace(0, 10, 11), spinning_start(), events=events, engine=engine)
    up, down, both = (traj.events[k].time for k in ("up", "down", "any"))
    assert up.size
    assert down.size
    np.testing.assert_allclose(np.sort(np.concatenate([up, down])), both, atol=1e-12)
    assert np.abs(traj.events["any"].states[3]).max() < 1e-11
    rates = skate.rhs(0, traj.events["up"].states)[3]
    assert np.all(rates > 0)
    assert traj.events["never"].time.shape == (0,)
    assert traj.events["never"].states.shape == (5, 0)
    assert traj.time.size == 11


def test_engines_locate_the_same_events(skate):
    runs = [
        gc.simulate(skate, [0, 5], spinning_start(), events={"e": skate.states[3]}, engine=e, rtol=1e-13)
        for e in ("heyoka", "scipy")
    ]
    np.testing.assert_allclose(runs[0].events["e"].time, runs[1].events["e"].time, atol=1e-9)


@pytest.mark.parametrize("engine", ["heyoka", "scipy"])
def test_zero_at_the_start_does_not_count(skate, engine):
    x0 = skate.equilibrium("spinning", Omega0=6.0).x + np.array([0.4, 0, 0, 0, 0])
    stop = gc.Event(skate.states[3], terminal=True)
    traj = gc.simulate(skate, [0, 50], x0, events={"stop": stop}, engine=engine)
    assert traj.events["stop"].time.shape == (1,)
    assert traj.time[-1] > 0.1


@pytest.mark.parametrize("engine", ["heyoka", "scipy"])
def test_event_in_time_and_samples(rotor, rotor_start, engine):
    inputs = 0.01 * np.sin(TIMES)[None]
    events = {"noon": gc.time - 1.234567, "seam": gc.time - TIMES[20], "torque": rotor.inputs[0] - 0.005}
    traj = gc.simulate(rotor, TIMES, rotor_start, inputs=inputs, events=events, engine=engine)
    assert traj.events["noon"].time == pytest.approx([1.234567], abs=1e-13)
    assert traj.events["seam"].time == pytest.approx([TIMES[20]], abs=1e-13)
    applied = np.interp(traj.events["torque"].time, TIMES, inputs[0])
    assert traj.events["torque"].time.size == 2
    np.testing.assert_allclose(applied, 0.005, atol=1e-13)
