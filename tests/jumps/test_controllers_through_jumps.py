"""Sampled controllers at work in runs with jumps, which they know nothing of."""

from functools import cache

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from tests.jumps.jumping_mechanisms import bouncing_ball

R = sp.Rational
M, G, RESTITUTION, REST, GAINS, RATE = 1.3, 9.81, 0.6, 0.5, (0.4, 3.0), 20.0
START, TIMES = [-4.0, 1.0], [0.0, 1.0, 2.0, 3.0]


@cache
def thrown_ball():
    """A ball that a thrust holds at half a metre, and its law."""
    z, u = gc.Coordinate("z"), sp.Symbol("u", real=True)
    h = gc.EulerPoincare(
        algebra=None,
        shape=[z],
        inertia=[[R(13, 10)]],
        potential=R(13, 10) * R(981, 100) * z.symbol,
        forces=[u],
        inputs=["u"],
        jumps=[gc.Impact("bounce", when=z.symbol, rows=[[1]], restitution=R(3, 5))],
    ).hybrid()
    system = h.modes["motion"]
    point = gc.find_equilibrium(system, [0, REST], free=["u"])
    return h, gc.linear_law(system, point, [GAINS])


def parabolas(delay):
    """State at the end and times of the bounces by parabolas from sample to sample, each command late."""
    hold, v, z, t = 1 / RATE, *START, 0.0
    late, part = int(delay // hold), delay % hold
    acting, sent, bounces = M * G, [M * G] * late, []

    def flown(duration, v, z, t):
        while True:
            a = acting / M - G
            roots = np.roots([a / 2, v, z])
            down = [s.real for s in roots if abs(s.imag) < 1e-12 and s.real > 1e-12 and v + a * s.real < 0]
            if not down or min(down) > duration:
                return v + a * duration, z + v * duration + a * duration**2 / 2, t + duration
            s = min(down)
            bounces.append(t + s)
            v, z, t, duration = -RESTITUTION * (v + a * s), 0.0, t + s, duration - s

    while t < TIMES[-1] - 1e-9:
        sent.append(M * G - GAINS[0] * v - GAINS[1] * (z - REST))
        v, z, t = flown(part, v, z, t) if part else (v, z, t)
        acting = sent.pop(0)
        v, z, t = flown(hold - part, v, z, t)
    return [v, z], bounces


@pytest.mark.parametrize("delay", [0.0, 0.02, 0.07])
@pytest.mark.parametrize("engine", ["heyoka", "scipy"])
def test_a_hold_goes_on_through_a_bounce(engine, delay):
    h, law = thrown_ball()
    run = gc.simulate(h, TIMES, START, controller=law.sampled(rate=RATE, delay=delay), engine=engine)
    end, bounces = parabolas(delay)
    assert len(bounces) == 2
    assert run.states[:, -1] == pytest.approx(end, abs=1e-12)
    assert [jump.time for jump in run.jumps] == pytest.approx(bounces, abs=1e-13)
    assert run.samples.applied.shape == (1, 60)
    assert run["u"] == pytest.approx(run.inputs[0], abs=0)


def test_all_that_a_controller_meets_is_the_same_on_two_engines(tmp_path):
    """A lag, noise, limits and steps; the commands are those of the record, the file has what was applied."""
    h, law = thrown_ball()

    def run(engine):
        controller = law.sampled(
            rate=RATE,
            delay=0.01,
            lag=0.03,
            limits={"u": (11.0, 13.5)},
            noise={"z": 1e-2},
            quantisation={"u": 0.125},
            rng=np.random.default_rng(5),
        )
        return gc.simulate(h, TIMES, START, controller=controller, engine=engine)

    one, other = run("heyoka"), run("scipy")
    assert one.states == pytest.approx(other.states, abs=1e-10)
    assert one.samples.applied == pytest.approx(other.samples.applied, abs=0)
    assert np.any(one.samples.limited)
    between = [run.resample([0.5, 1.51])["u"] for run in (one, other)]
    assert between[0] == pytest.approx(between[1], abs=1e-10)
    one.save(tmp_path / "run.npz")
    assert gc.load_trajectory(tmp_path / "run.npz").outputs == pytest.approx(one.outputs, abs=0)


def test_a_law_that_acts_at_every_instant_is_its_inputs():
    h, law = thrown_ball()
    run = gc.simulate(h, TIMES, START, controller=law)
    other = gc.simulate(h, TIMES, START, inputs=law.numeric())
    assert run.states == pytest.approx(other.states, abs=0)
    assert run.samples is None
    assert run["u"] == pytest.approx(M * G - np.array(GAINS) @ (run.states - [[0.0], [REST]]), abs=1e-12)


def test_a_controller_measures_in_each_mode():
    """Two modes whose states stand in another order: heating that is told by the room alone."""
    T, s, u = gc.Coordinate("T"), gc.Coordinate("s"), sp.Symbol("u", real=True)
    plain = gc.VectorField([T], [u - T.symbol / 10], inputs=["u"], equilibria={"at": gc.Family({"T": 0})})
    wide = gc.VectorField([s, T], [1, u - T.symbol / 5], inputs=["u"])
    opened = gc.Jump("opened", when=T.symbol - 20, direction=-1, reset={"s": 0}, of="shut", to="open")
    closed = gc.Jump("closed", when=s.symbol - 1, direction=1, of="open", to="shut")
    h = gc.HybridSystem(modes={"shut": plain.reduce(), "open": wide.reduce()}, jumps=[opened, closed])
    shut = h.modes["shut"]
    law = gc.linear_law(shut, shut.equilibrium("at"), [[0.01]])
    run = gc.simulate(h, 4.0, [21.0], controller=law.sampled(rate=4.0))
    assert [jump.name for jump in run.jumps][:2] == ["opened", "closed"]
    T0, hold = 21.0, 0.25
    first = -0.01 * T0 * 10 + (T0 + 0.01 * T0 * 10) * np.exp(-hold / 10)
    assert run.samples.applied[0, :2] == pytest.approx([-0.01 * T0, -0.01 * first], rel=1e-13)
    by_scipy = gc.simulate(h, 4.0, [21.0], controller=law.sampled(rate=4.0), engine="scipy")
    assert by_scipy["T"] == pytest.approx(run["T"], rel=1e-10)


def room():
    T, u = gc.Coordinate("T"), sp.Symbol("u", real=True)
    return gc.VectorField(
        [T], [u - T.symbol / 10], inputs=["u"], equilibria={"at": gc.Family({"T": 0})}
    ).reduce()


def room_law():
    return gc.linear_law(room(), room().equilibrium("at"), [[0.01]])


def heating_without_its_room():
    s, u = gc.Coordinate("s"), sp.Symbol("u", real=True)
    opened = gc.Jump("opened", when=sp.Symbol("T", real=True) - 20, reset={"s": 0}, of="shut", to="open")
    return gc.HybridSystem(
        modes={"shut": room(), "open": gc.VectorField([s], [u], inputs=["u"]).reduce()}, jumps=[opened]
    )


def test_what_cannot_run_is_refused():
    h, law = thrown_ball()
    with pytest.raises(TypeError, match="must be a law or"):
        gc.simulate(h, 1.0, START, controller=lambda t: [0])
    with pytest.raises(gc.InputError, match="both given"):
        gc.simulate(h, 1.0, START, controller=law.sampled(rate=5), inputs=[1.0])
    with pytest.raises(gc.LabelError, match="sets 'u'"):
        gc.simulate(bouncing_ball(0.5), 1.0, START, controller=law.sampled(rate=5))
    with pytest.raises(gc.LabelError, match="in the mode 'open' the law measures 'T'"):
        gc.simulate(heating_without_its_room(), 1.0, [21.0], controller=room_law().sampled(rate=4))
    with pytest.raises(gc.InputError, match="a hold of"):
        gc.simulate(h, 1.0, START, controller=law.sampled(rate=1e18))
