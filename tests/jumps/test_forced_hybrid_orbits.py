"""An oscillator that a wave pushes against a wall: its orbit with one impact a period is known by hand."""

import pickle
from functools import cache

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from tests.jumps.jumping_mechanisms import bouncing_ball

R = sp.Rational
LONG = pytest.mark.long(reason="modes with a clock are compiled for each system")


@cache
def impact_oscillator(time=1):
    """q'' + (3/5)^2 q = cos t, wall q >= 0, with the part 4/5 of the speed kept; in other units of time."""
    q = gc.Coordinate("q")
    wall = gc.Impact("wall", when=q.symbol, rows=[[1]], restitution=R(4, 5))
    force = (-R(9, 25) * q.symbol + sp.cos(gc.time / time)) / time**2
    return gc.EulerPoincare(
        algebra=None, shape=[q], inertia=[[1]], forces=[force], jumps=[wall], name="impact oscillator"
    ).hybrid()


@cache
def orbit():
    return gc.find_periodic(impact_oscillator(), [2.0, 0.5], forcing=2 * sp.pi)


def test_the_orbit_with_one_impact_a_period():
    """tan(phase) = -w (1 - e)/(1 + e) tan(pi w), and the speed after the impact from that; det = e^2."""
    w, e = 0.6, 0.8
    phase = np.arctan(-w * (1 - e) / (1 + e) * np.tan(np.pi * w)) + np.pi
    found = orbit()
    assert found.x == pytest.approx([2.51239751173222632, 0], abs=1e-12)
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


@LONG
def test_other_units_of_time_and_two_periods_are_the_same_orbit():
    there = gc.find_periodic(
        impact_oscillator(time=R(1, 1000)), [2000.0, 0.5], forcing=sp.pi / 500, jumps=["wall"]
    )
    assert there.x[0] == pytest.approx(1000 * orbit().x[0], rel=1e-10)
    assert there.begin == pytest.approx(orbit().begin / 1000, rel=1e-10)
    twice = gc.find_periodic(
        impact_oscillator(), [2.0, 0.5], 4 * np.pi, forcing=2 * np.pi, jumps=["wall", "wall"]
    )
    assert twice.cycles == 2
    assert twice.periods == pytest.approx([2 * np.pi] * 2, rel=1e-9)
    assert np.prod(twice.multipliers) == pytest.approx(0.8**4, rel=1e-9)


@LONG
def test_a_ball_on_a_table_that_shakes():
    """Up at the speed pi, back after 2 pi with g = 1; with w = cos(t)/2 it has (1 - e) pi = (1 + e) w'."""
    z, e = gc.Coordinate("z"), R(4, 5)
    table = sp.cos(gc.time) / 2
    after = -e * z.rate + (1 + e) * sp.diff(table, gc.time)
    bounce = gc.Jump("bounce", when=z.symbol - table, direction=-1, reset={"z_dot": after})
    flight = gc.EulerPoincare(algebra=None, shape=[z], inertia=[[1]], potential=z.symbol).reduce()
    ball = gc.HybridSystem(modes={"flight": flight}, jumps=[bounce])
    found = gc.find_periodic(ball, [2.37, 2.49], forcing=2 * sp.pi)
    begin = 2 * np.pi - np.arcsin(np.pi / 4.5)
    assert found.begin == pytest.approx(begin, rel=1e-10)
    assert found.x == pytest.approx([np.pi, np.cos(begin) / 2], rel=1e-10)
    # Of the speed beside the table's the part e is kept, and flights keep areas.
    assert np.prod(found.multipliers) == pytest.approx(0.64, rel=1e-9)


def test_it_is_not_enclosed():
    with pytest.raises(gc.InputError, match="hold the time"):
        orbit().enclose()
