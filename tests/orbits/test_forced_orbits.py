"""Orbits of equations that hold the time: linear ones in closed form, others beside scipy's integrator."""

import copy
import pickle
from functools import cache

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import geoctrl as gc
from geoctrl import checker

Q, V = sp.symbols("q v", real=True)
DAMPING = sp.Rational(1, 5)
LONG = pytest.mark.long(reason="integrators with derivatives are compiled for each field")


def pushed(push, spring=2 * Q, time=1, length=1, **parts):
    """q'' + q'/5 + 2 q = push(t), in other units of time and length."""
    scale = {Q: Q / length, V: V * sp.Rational(time) / length}
    rate = (-DAMPING * V - spring).xreplace(scale) + push(gc.time / time)
    return gc.VectorField([Q, V], [V, rate * length / time**2], name="pushed", **parts).reduce()


@cache
def linear():
    return pushed(sp.cos)


@cache
def linear_orbit():
    return gc.find_periodic(linear(), [0, 0], forcing=2 * sp.pi)


def test_a_linear_oscillator_answers_as_it_must():
    """q = Re X e^(i t), X = 1/(1 + i/5): q(0) = 25/26 and q'(0) = 5/26; multipliers exp(2 pi r)."""
    orbit = linear_orbit()
    assert orbit.x == pytest.approx([25 / 26, 5 / 26], rel=1e-13)
    assert orbit.period == 2 * np.pi
    roots = np.roots([1, 0.2, 2])
    assert np.sort_complex(orbit.multipliers) == pytest.approx(
        np.sort_complex(np.exp(2 * np.pi * roots)), rel=1e-11
    )
    assert orbit.neutral == ()
    assert orbit.verdict.name == "NUMERICALLY_STABLE"
    assert "1 of the equations" in orbit.full()
    again = pickle.loads(pickle.dumps(orbit))
    assert again.forcing.period(again.params) == 2 * np.pi
    run = orbit.trajectory(41)
    assert run["q"] == pytest.approx((np.exp(1j * run.time) / (1 + 0.2j)).real, abs=1e-10)


def test_it_is_proved_with_the_time_as_an_angle():
    found = linear_orbit().enclose(128)
    assert found.verdict is gc.Verdict.PROVED_ASYMPTOTICALLY_STABLE
    assert "whole turns of clock (1)" in found.claim
    assert len(found.x) == 2
    assert found.neutral == ()
    for ball, exact in zip(found.x, (25, 5), strict=True):
        assert (26 * ball).contains(exact)
        assert ball.rad() < 1e-12
    assert checker.check(copy.deepcopy(found.data)).verdict == "PROVED_ASYMPTOTICALLY_STABLE"


def refused(system, words, **given):
    with pytest.raises(gc.InputError, match=words):
        gc.find_periodic(system, [0, 0], **given)


def test_what_is_no_period_is_refused():
    refused(linear(), "tell its period by forcing=", period=6.0)
    refused(linear(), "not proved to be a period", forcing=6.28)
    refused(linear(), "not proved to be a period", forcing=np.pi)
    refused(linear(), "must be positive", forcing=-2 * np.pi)
    refused(linear(), "whole multiple of forcing", period=9.0, forcing=2 * np.pi)
    two = pushed(lambda t: sp.cos(t) + sp.sin(sp.sqrt(2) * t))
    refused(two, "not proved to be a period", forcing=2 * np.pi)
    # 99/70 is next to the root of two: what is nearly a period of both is one of neither.
    refused(two, "not proved to be a period", forcing=140 * np.pi)
    refused(pushed(lambda t: t * sp.cos(t)), "time stands in them beside", forcing=2 * np.pi)
    still = gc.VectorField([Q, V], [V, -Q]).reduce()
    refused(still, "do not hold the time", period=6.0, forcing=6.0)
    refused(still, "period must be a number", period=None)


def test_a_number_stands_for_the_period_next_to_it():
    """Of cos(3 t/2) + sin(t): 4 pi, where 12.566370614 is told."""
    system = pushed(lambda t: sp.cos(sp.Rational(3, 2) * t) + sp.sin(t))
    from geoctrl.orbits.forcing import forcing_of

    forcing = forcing_of(system, 12.566370614, {})
    assert forcing.period({}) == 4 * np.pi
    assert sorted(forcing.turns) == [2, 3]


@LONG
@pytest.mark.parametrize(("time", "length"), [(sp.Rational(1, 1000), 1000), (1000, sp.Rational(1, 10**6))])
def test_in_other_units_it_is_the_same_orbit(time, length):
    cubic = pushed(lambda t: sp.cos(t) / 5, Q + Q**3)
    other = pushed(lambda t: sp.cos(t) / 5, Q + Q**3, time, length)
    here = gc.find_periodic(cubic, [0, 0], forcing=2 * np.pi)
    there = gc.find_periodic(other, [0, 0], forcing=2 * np.pi * float(time))
    units = [float(length), float(length / time)]
    assert there.x == pytest.approx(here.x * units, rel=1e-9)
    assert np.sort_complex(there.multipliers) == pytest.approx(np.sort_complex(here.multipliers), rel=1e-9)


@cache
def duffing():
    """q'' + q'/5 + q + q^3 = F cos(w t)."""
    w, F = gc.Parameter("w", 1.3), gc.Parameter("F", 0.1)
    rate = -DAMPING * V - Q - Q**3 + F.symbol * sp.cos(w.symbol * gc.time)
    return gc.VectorField([Q, V], [V, rate], parameters=[w, F], name="Duffing").reduce()


def duffing_by_scipy(w, F, x, cycles=1):
    def rate(t, x):
        return [x[1], -0.2 * x[1] - x[0] - x[0] ** 3 + F * np.cos(w * t)]

    times = 0, cycles * 2 * np.pi / w
    return solve_ivp(rate, times, x, method="DOP853", rtol=1e-12, atol=1e-13).y[:, -1]


@LONG
def test_the_resonance_of_duffings_oscillator_folds_twice():
    """The period follows the frequency; orbits are those of another integrator, and det = exp(-P/5)."""
    orbit = gc.find_periodic(duffing(), [0.43, 1.19], forcing=2 * np.pi / 1.3, params={"F": 0.3})
    branch = gc.follow(duffing(), orbit, along="w", span=(0.8, 2.2), points=9)
    assert branch.values[[0, -1]] == pytest.approx([0.8, 2.2])
    assert branch.periods == pytest.approx(2 * np.pi / branch.values, rel=1e-14)
    for w, found in zip(branch.values[::6], branch.orbits[::6], strict=True):
        assert duffing_by_scipy(w, 0.3, found.x) == pytest.approx(found.x, abs=1e-9)
        assert np.prod(found.multipliers) == pytest.approx(np.exp(-0.4 * np.pi / w), rel=1e-9)
    assert [change.kind for change in branch.changes] == ["fold", "fold"]
    # Between the folds three orbits have one frequency, of which that between is a saddle.
    low, high = sorted(change.value for change in branch.changes)
    between = [o for o in branch.orbits if low < o.params["w"] < high]
    assert {o.verdict.name for o in between} == {"NUMERICALLY_STABLE", "NUMERICALLY_UNSTABLE"}
    with pytest.raises(gc.EquilibriumError, match="from a fold"):
        branch.changes[0].branches()
    for fold in branch.changes[:1]:
        verdicts = {found.verdict for found in fold.enclose()}
        assert verdicts == {gc.Verdict.PROVED_ASYMPTOTICALLY_STABLE, gc.Verdict.PROVED_UNSTABLE}


@LONG
def test_a_swing_that_is_shortened_twice_a_period_leaves_its_rest():
    """q'' + q'/5 + (1 + a cos 2t) q + q^3 = 0: a multiplier of the rest is -1 where det(M + 1) = 0."""
    a = gc.Parameter("a", 0.2)
    rate = -DAMPING * V - (1 + a.symbol * sp.cos(2 * gc.time)) * Q - Q**3
    swing = gc.VectorField([Q, V], [V, rate], parameters=[a], name="swing").reduce()
    rest = gc.find_periodic(swing, [0, 0], forcing=sp.pi)
    assert np.abs(rest.x).max() < 1e-12
    (doubling,) = gc.follow(swing, rest, along="a", span=(0.2, 0.8), points=5).changes

    def defect(a):
        def rates(t, M):
            return np.array([[0, 1], [-1 - a * np.cos(2 * t), -0.2]]) @ M.reshape(2, 2)

        run = solve_ivp(
            lambda t, M: rates(t, M).ravel(), (0, np.pi), np.eye(2).ravel(), rtol=1e-12, atol=1e-12
        )
        return np.linalg.det(run.y[:, -1].reshape(2, 2) + np.eye(2))

    assert doubling.kind == "period doubling"
    assert doubling.value == pytest.approx(brentq(defect, 0.3, 0.5), abs=1e-9)
    before, after = doubling.enclose()
    assert before.verdict is gc.Verdict.PROVED_ASYMPTOTICALLY_STABLE
    assert after.verdict is gc.Verdict.PROVED_UNSTABLE
    (other,) = doubling.branches()
    last = other.orbits[-1]
    assert (last.cycles, last.period) == (2, 2 * np.pi)
    assert last.verdict.name == "NUMERICALLY_STABLE"
    assert last.params["a"] == 0.8


@LONG
def test_a_pendulum_that_is_driven_over_the_top_is_proved():
    phi = gc.Coordinate("phi", angle=True)
    force = -phi.rate / 10 + sp.Rational(3, 2) * sp.cos(gc.time)
    pendulum = gc.EulerPoincare(
        algebra=None, shape=[phi], inertia=[[1]], potential=-sp.cos(phi.symbol), forces=[force]
    ).reduce()
    orbit = gc.find_periodic(pendulum, [-1.0, 0.9], forcing=2 * np.pi)
    assert orbit.winding == {"phi": -1}
    assert np.prod(orbit.multipliers) == pytest.approx(np.exp(-0.2 * np.pi), rel=1e-10)
    found = orbit.enclose(128)
    assert found.verdict is gc.Verdict.PROVED_UNSTABLE
    assert "whole turns of phi (-1), up to whole turns of clock (1)" in found.claim


@LONG
def test_where_the_model_ends_is_asked_along_the_orbit():
    near = pushed(sp.cos, domain={"near": Q**2 < 1})
    orbit = gc.find_periodic(near, [0, 0], forcing=2 * np.pi)
    assert orbit.enclose(128).verdict is gc.Verdict.PROVED_ASYMPTOTICALLY_STABLE
    # The amplitude is 5/sqrt(26) = 0.98058.
    beyond = pushed(sp.cos, domain={"near": Q**2 < sp.Rational(24, 25)})
    with pytest.raises(gc.EquilibriumError, match="within the domain"):
        gc.find_periodic(beyond, [0, 0], forcing=2 * np.pi).enclose(128)
