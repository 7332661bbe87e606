"""Orbits through jumps that are proved, each once."""

from functools import cache

import numpy as np
import sympy as sp
from flint import arb, arb_mat

import geoctrl as gc
from studies.walking import PUBLISHED_STEP, PUBLISHED_TIME, STRIKE
from tests.jumps.jumping_mechanisms import compass_walker, elastic_pendulum, hopper

HALF = sp.Rational(1, 2)
BITS = 96
"""Of orbits of which the tests need no more digits."""


@cache
def heating():
    """On from 18 to 22 degrees, off from there down."""
    T = gc.Coordinate("T")
    on, off = (gc.VectorField([T], {"T": source - T.symbol / 10}).reduce() for source in (3, 0))
    warm = gc.Jump("warm", when=T.symbol - 22, direction=1, of="on", to="off")
    cold = gc.Jump("cold", when=T.symbol - 18, direction=-1, of="off", to="on")
    return gc.HybridSystem(modes={"on": on, "off": off}, jumps=[warm, cold], name="heating")


def swing(reset, *more, direction=1):
    """A mass on a spring that is kicked where it passes the middle upward; its guard vanishes at a start."""
    q, p = gc.Coordinate("q"), gc.Coordinate("p")
    spring = gc.VectorField([q, p], {"q": p.symbol, "p": -q.symbol}).reduce()
    kick = gc.Jump("kick", when=q.symbol, direction=direction, reset=reset)
    return gc.HybridSystem(modes={"swing": spring}, jumps=[kick, *more], name="swing")


@cache
def swung(factor=HALF):
    """A factor of what the speed is off from two is kept at a kick."""
    kicked = swing({"p": 2 + factor * (sp.Symbol("p", real=True) - 2)})
    return gc.find_periodic(kicked, [0, 2.0], 2 * np.pi).enclose(bits=BITS)


@cache
def heated():
    return gc.find_periodic(heating(), [18], [4, 2], jumps=["warm", "cold"]).enclose(bits=BITS)


@cache
def hopped():
    return gc.find_periodic(hopper(), [-1.4, 0.0], 0.5).enclose(bits=BITS)


@cache
def bounced():
    start = [-np.sqrt(2 * 9.81 * (np.cos(0.3) - np.cos(1))), 0.3]
    return gc.find_periodic(elastic_pendulum(), start, 1.27).enclose(bits=BITS)


@cache
def walked(degrees=3.0):
    """The walker on a slope."""
    gait = gc.find_periodic(compass_walker(), PUBLISHED_STEP, PUBLISHED_TIME, jumps=[STRIKE])
    for slope in (3.7, degrees) if degrees > 4 else (degrees,):
        params = {"slope": np.radians(slope)}
        gait = gc.find_periodic(compass_walker(), gait.x, gait.period, params=params, jumps=[STRIKE])
    return gait.enclose()


@cache
def impact_oscillator(time=1):
    """q'' + (3/5)^2 q = cos t, wall q >= 0, with the part 4/5 of the speed kept; in other units of time."""
    q = gc.Coordinate("q")
    wall = gc.Impact("wall", when=q.symbol, rows=[[1]], restitution=sp.Rational(4, 5))
    force = (-sp.Rational(9, 25) * q.symbol + sp.cos(gc.time / time)) / time**2
    return gc.EulerPoincare(
        algebra=None, shape=[q], inertia=[[1]], forces=[force], jumps=[wall], name="impact oscillator"
    ).hybrid()


@cache
def oscillation():
    return gc.find_periodic(impact_oscillator(), [2.0, 0.5], forcing=2 * sp.pi)


@cache
def wave_at_wall():
    """Its proof."""
    return oscillation().enclose(96)


def wave_and_wall(w, e):
    """In balls: when it strikes, and the speed after, where q = 0 a period apart."""
    begin = arb.pi() - (w * (1 - e) / (1 + e) * (arb.pi() * w).tan()).atan()
    times = [begin, begin + 2 * arb.pi()]
    free = arb_mat([[(w * t).cos(), (w * t).sin()] for t in times])
    A, B = free.solve(arb_mat([[t.cos() / (1 - w**2)] for t in times])).entries()
    return begin, w * (B * (w * begin).cos() - A * (w * begin).sin()) + begin.sin() / (1 - w**2)
