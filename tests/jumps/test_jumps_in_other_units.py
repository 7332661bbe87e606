"""Jumps in other units of mass, length and time; signs that rounding makes; guards that it passes again."""

import warnings
from functools import cache

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from tests.jumps.jumping_mechanisms import machine

POWERS = {
    "": (0, 0, 0),
    "rad": (0, 0, 0),
    "kg": (1, 0, 0),
    "m": (0, 1, 0),
    "m/s^2": (0, 1, -2),
    "kg m^2": (1, 2, 0),
    "N/m": (1, 0, -2),
}
"""Of mass, length and time, by unit."""
ANGLE, TURNING, SPEED = (0, 0, 0), (0, 0, -1), (0, 1, -1)
ORBITS = {
    "compass-walker": ([1.0918, 0.3772, -0.2187, 0.3234], [TURNING, TURNING, ANGLE, ANGLE], 0.7347),
    "hopper": ([-1.4, 0.4, 0, 1000], [SPEED, (0, 1, 0), (0, 1, 0), POWERS["N/m"]], 0.42),
    "pendulum-at-wall": ([-1.8, 0.3], [TURNING, ANGLE], 1.2),
    "rimless-wheel": ([1.6, -0.22], [TURNING, ANGLE], 0.4),
}
OTHERS = [(1e9, 1e-6, 1e-5), (1e-12, 1e4, 1e6), (1, 1e-9, 1)]
CASES = [
    pytest.param(name, by, marks=[] if (name, k) in (("hopper", 1), ("compass-walker", 0)) else [LONG])
    for LONG in [pytest.mark.long(reason="another machine, or other units, are asked")]
    for name in ORBITS
    for k, by in enumerate(OTHERS)
]


def factor(powers, by):
    return float(np.prod(np.array(by, dtype=float) ** powers))


@cache
def orbit_of(name):
    guess, _, period = ORBITS[name]
    return gc.find_periodic(machine(name), guess, period)


@pytest.mark.parametrize(("name", "by"), CASES)
def test_an_orbit_in_other_units_is_the_orbit(name, by):
    h, own = machine(name), orbit_of(name)
    guess, powers, period = ORBITS[name]
    sizes = np.array([factor(p, by) for p in powers])
    params = {p.name: p.default * factor(POWERS[p.unit], by) for p in h.mechanism.parameters}
    found = gc.find_periodic(h, np.array(guess) * sizes, period * by[2], params=params)
    assert np.allclose(found.periods / by[2], own.periods, rtol=1e-13, atol=0)
    assert np.allclose(found.x / sizes, own.x, rtol=0, atol=1e-12)
    assert np.allclose(found.multipliers, own.multipliers, rtol=0, atol=1e-11)
    assert (found.neutral, found.verdict, found.jumps) == (own.neutral, own.verdict, own.jumps)
    joule = factor((1, 2, -2), by)
    assert np.allclose(found.lost / joule, own.lost, rtol=0, atol=1e-11, equal_nan=True)
    run = gc.simulate(h, np.linspace(0, 2.2, 5) * period * by[2], found.x, params=params)
    same = gc.simulate(h, np.linspace(0, 2.2, 5) * period, own.x)
    assert np.allclose(run.states / sizes[:, None], same.states, rtol=0, atol=1e-10)
    assert [jump.name for jump in run.jumps] == [jump.name for jump in same.jumps]


def test_what_leaves_with_rounding_alone_does_not_sink_in():
    """The struck row does not reach the released one: what is left of its velocity has no sign."""
    q, p, c = (gc.Coordinate(name) for name in "qpc")
    angle = c.symbol
    mechanism = gc.EulerPoincare(
        algebra=None,
        shape=[q, p, c],
        inertia=[[2, sp.sin(2 * angle) / 2, 0], [sp.sin(2 * angle) / 2, 2, 0], [0, 0, 1]],
        constraints={"held": [1, 0, 0]},
        modes={"on": ("held",), "off": ()},
        jumps=[
            gc.Impact(
                "hit",
                when=p.symbol,
                rows=[[sp.sin(angle) * sp.cos(angle), 2, 0]],
                releases=["held"],
                leaving="held",
                restitution=sp.Rational(3, 10),
                of="on",
                to="off",
            )
        ],
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the guard tells another distance than the row
        (hit,) = mechanism.hybrid().transitions
    rng, left = np.random.default_rng(0), []
    for _ in range(60):
        x = hit.source.system.random_state(rng)
        x[0] = -abs(x[0])
        landing = hit.landing(0.0, x, np.zeros(0), {})
        assert landing.broken == ""
        left.append(landing.state[0])
    assert min(left) < 0 < 1e-14 > np.abs(left).max()


def test_an_oscillator_that_is_driven_meets_its_wall_once_a_period():
    """q'' + w^2 q = cos t, q >= 0: the phase of the strike in closed form; time goes on."""
    w, e = 0.6, 0.8
    q = gc.Coordinate("q")
    wall = gc.Impact("wall", when=q.symbol, rows=[[1]], restitution=sp.Rational(4, 5))
    driven = gc.EulerPoincare(
        algebra=None,
        shape=[q],
        inertia=[[1]],
        potential=sp.Rational(9, 50) * q.symbol**2,
        forces=[sp.cos(gc.time)],
        jumps=[wall],
    ).hybrid()
    begun = np.pi + np.arctan(-w * (1 - e) / (1 + e) * np.tan(np.pi * w))
    speed = 2.5123975117322263
    run = gc.simulate(driven, begun + np.linspace(0, 14, 3), [speed, 0], max_jumps=2)
    assert np.allclose([jump.time - begun for jump in run.jumps], [2 * np.pi, 4 * np.pi], rtol=1e-12)
    assert np.allclose([jump.after[0] for jump in run.jumps], speed, rtol=1e-12)
    assert np.allclose([jump.before[0] for jump in run.jumps], -speed / e, rtol=1e-12)
    with pytest.raises(gc.InputError, match="hold the time"):
        gc.find_periodic(driven, [2.0, 0], 6.28)
