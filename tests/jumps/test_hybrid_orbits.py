"""Orbits through jumps: closed forms, published gaits, multipliers by two products."""

import pickle
from functools import cache

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl.simulation.derivatives.flow_derivative import FlowVariations
from studies.walking import PUBLISHED_STEP as WALKER_STEP
from tests.jumps.jumping_mechanisms import (
    HOPPER,
    bouncing_ball,
    compass_walker,
    elastic_pendulum,
    hopper,
    rimless_wheel,
    walker,
)

G = 9.81


@cache
def walk():
    return gc.find_periodic(compass_walker(), WALKER_STEP, 0.7347, jumps=["heel strike"])


def product_of_saltations(orbit):
    """Derivative of the flow over a period with its jumps."""
    M = np.eye(orbit.x.size)
    for x, mode, time, S in zip(orbit.states, orbit.modes, orbit.periods, orbit.saltation, strict=True):
        system = orbit.system.modes[mode]
        flow = FlowVariations(system, np.zeros(0), system.parameters_at(None))
        M = S @ flow(x, time)[1] @ M
    return M


def require_time_for_strike(orbit, atol):
    """Multipliers of both products, with one for time in the place of the strike's zero."""
    expected = list(np.linalg.eigvals(product_of_saltations(orbit)))
    found = list(orbit.multipliers)
    found[found.index(0)] = 1.0
    for value in found:
        nearest = min(expected, key=lambda z, value=value: abs(z - value))
        assert abs(nearest - value) < atol
        expected.remove(nearest)


def test_a_rimless_wheel_rolls_as_the_closed_form_says():
    m, inertia, length, a, _, slope = rimless_wheel().params.values()
    D = inertia + m * length**2
    mu = (inertia + m * length**2 * np.cos(2 * a)) / D
    rate = mu * np.sqrt(4 * m * G * length * np.sin(slope) * np.sin(a) / D / (1 - mu**2))
    orbit = gc.find_periodic(rimless_wheel(), [rate + 0.1, slope - a], 0.4)
    assert np.isclose(orbit.x[0], rate, rtol=1e-13)
    assert np.isclose(orbit.period, 0.39365235427507460992, rtol=1e-14)
    assert np.allclose(orbit.multipliers, [0, mu**2], atol=1e-12)
    assert orbit.neutral == ("strike",)
    assert orbit.verdict is gc.Verdict.NUMERICALLY_STABLE
    require_time_for_strike(orbit, 1e-10)


def test_a_hopper_hops_as_the_closed_form_says():
    m, k1, k2, r = map(float, HOPPER.values())
    depth = 2 * m * G * (1 - r**2) / (k1 - r**2 * k2)
    orbit = gc.find_periodic(hopper(), [-1.4, 0.0], 0.5)
    assert orbit.modes == ("down", "up", "flight")
    assert orbit.jumps == ("lowest", "take off", "landing")
    assert np.isclose(orbit.states[1][1], -depth, rtol=1e-12)
    assert np.isclose(orbit.states[2][0], 1.71639245547878, rtol=1e-12)
    assert np.allclose(orbit.multipliers, [0, 0.890434782608696], atol=1e-11)
    require_time_for_strike(orbit, 1e-9)


def test_the_walker_walks_as_published():
    orbit = walk()
    assert np.allclose(orbit.x, WALKER_STEP, atol=6e-5)
    assert np.isclose(orbit.period, 0.7347, atol=5e-5)
    assert abs(orbit.lost[0] - 5.49251737515626) < 1e-9
    assert orbit.impulses[0][1] > 0
    assert orbit.neutral == ("strike",)
    assert orbit.verdict is gc.Verdict.NUMERICALLY_STABLE
    assert orbit.residual < 1e-13
    require_time_for_strike(orbit, 1e-8)
    again = pickle.loads(pickle.dumps(orbit))
    assert np.array_equal(again.multipliers, orbit.multipliers)
    assert str(again) == str(orbit)
    assert max(map(len, str(orbit).splitlines())) <= 79
    assert len(orbit.trajectory(11).jumps) <= 1


def test_an_elastic_pendulum_keeps_its_energy_and_its_level():
    start = [-np.sqrt(2 * G * (np.cos(0.3) - np.cos(1))), 0.3]
    orbit = gc.find_periodic(elastic_pendulum(), start, 1.27)
    assert np.isclose(orbit.period, 1.27275079743244667, rtol=1e-14)
    assert orbit.neutral == ("energy", "strike")
    assert np.array_equal(orbit.multipliers, [1, 0])


def test_a_period_doubles_between_two_slopes():
    """At 4.3908 and 4.3910 degrees the multiplier is on either side of -1."""
    orbit, values = walk(), []
    for degrees in (3.7, 4.3908, 4.3910):
        params = {"slope": degrees * np.pi / 180}
        orbit = gc.find_periodic(
            compass_walker(), orbit.x, orbit.period, params=params, jumps=["heel strike"]
        )
        values.append(orbit.others.real.min())
    assert np.allclose(values[1:], [-0.99990005805, -1.00010349374], atol=1e-7)


@cache
def driven_walker():
    """The walker on level ground, with torques at ankle and hip as if everything were pulled forward."""
    walker = gc.models.get("compass-walker")()
    lean, (st, sw) = gc.Parameter("lean", np.tan(np.pi / 60)), sp.symbols("st sw", real=True)
    torques = sp.symbols("u_st u_sw", real=True)
    pull = lean.symbol * sp.Rational(98, 10)
    law = {"u_st": sp.Rational(35, 2) * pull * sp.cos(st), "u_sw": -sp.Rational(5, 2) * pull * sp.cos(sw)}
    return walker.replace(
        forces=list(walker.forces + sp.Matrix([0, 0, *torques])),
        inputs=["u_st", "u_sw"],
        feedback=law,
        parameters=[*walker.parameters, lean],
    ).hybrid()


@pytest.mark.long(reason="a walker with a law is compiled, and proved in 8 s")
def test_a_walker_whose_motors_lean_forward_walks_on_level_ground():
    """It falls as on a slope of 3 degrees where gravity is g/cos: slower by the root of that, and leaning."""
    lean, slower = np.pi / 60, np.sqrt(np.cos(np.pi / 60))
    passive = walk()
    guess = [*(passive.x[:2] / slower), *(passive.x[2:] - lean)]
    gait = gc.find_periodic(driven_walker(), guess, 0.73, params={"slope": 0.0}, jumps=["heel strike"])
    assert gait.x == pytest.approx(guess, abs=1e-11)
    assert gait.period == pytest.approx(passive.period * slower, rel=1e-13)
    assert np.sort_complex(gait.others) == pytest.approx(np.sort_complex(passive.others), abs=1e-8)
    found = gait.enclose()
    assert found.verdict is gc.Verdict.PROVED_ASYMPTOTICALLY_STABLE
    assert abs(float(found.period.mid()) - 0.73472096215535868315 * slower) < 1e-15
    assert "'reaction of stance z'" in found.claim


def test_a_law_of_one_mode_runs_through_jumps():
    """A pendulum that is held upright beside a wall: after an impact half of its speed is left."""
    q, u = gc.Coordinate("q", angle=True), sp.Symbol("u", real=True)
    wall = gc.Impact("wall", q.symbol - 0.5, [[-1]], direction=1, restitution=0.5)
    pole = {"shape": [q], "inertia": [[1]], "potential": sp.cos(q.symbol), "forces": [u], "inputs": ["u"]}
    mechanism = gc.EulerPoincare(**pole, jumps=[wall])
    law = gc.lqr(mechanism.reduce(), gc.find_equilibrium(mechanism.reduce(), [0, 0]))
    run = gc.simulate(law.closed_loop().mechanism.hybrid(), np.linspace(0, 9, 10), [2.0, 0.0])
    (hit,) = run.jumps
    assert hit.after[0] == pytest.approx(-hit.before[0] / 2, rel=1e-13)
    assert np.abs(run.states[:, -1]).max() < 1e-3
    alone = gc.simulate(law.closed_loop(), [0, hit.time], [2.0, 0.0])
    assert alone.states[:, -1] == pytest.approx(hit.before, abs=1e-12)
    steered = gc.simulate(mechanism.hybrid(), np.linspace(0, 9, 10), [2.0, 0.0], controller=law)
    assert steered.states == pytest.approx(run.states, abs=1e-12)
    with pytest.raises(gc.InputError, match="the inputs u are open"):
        gc.find_periodic(mechanism.hybrid(), [2.0, 0.0], 1.0)


def test_what_is_no_orbit_through_these_jumps():
    h = compass_walker()
    asked = [
        (
            lambda: gc.find_periodic(h, WALKER_STEP, 0.7, jumps=["heel"]),
            gc.InputError,
            "known are heel strike",
        ),
        (lambda: gc.find_periodic(h, WALKER_STEP, 0.7, jumps="heel strike"), gc.InputError, "list of names"),
        (lambda: gc.find_periodic(h, WALKER_STEP, -0.7), gc.InputError, "must be positive"),
        (lambda: gc.find_periodic(h, WALKER_STEP, 0.7, symmetry=np.eye(4)), gc.InputError, "symmetry="),
        (lambda: gc.find_periodic(hopper(), [-1.4, 0], 0.5, jumps=["take off"]), gc.InputError, "leads from"),
        (
            lambda: gc.find_periodic(hopper(), [-1.4, 0], 0.5, jumps=["lowest"]),
            gc.GeoctrlError,
            "is 'up', not 'down' again",
        ),
        (lambda: gc.find_periodic(bouncing_ball(0.5), [3, 0], 0.6), gc.EquilibriumError, "no periodic orbit"),
        (lambda: gc.find_periodic(h.modes["motion"], WALKER_STEP, 0.7, mode="a"), gc.InputError, "has none"),
    ]
    for ask, error, words in asked:
        with pytest.raises(error, match=words):
            ask()
    flipped = walker(-1).hybrid()
    with pytest.raises(gc.EquilibriumError, match="moves apart"):
        gc.find_periodic(flipped, WALKER_STEP, 0.7347, jumps=["heel strike"])
