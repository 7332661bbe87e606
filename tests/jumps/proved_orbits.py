"""Orbits through jumps that are proved, each once."""

from functools import cache

import numpy as np
import sympy as sp

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
