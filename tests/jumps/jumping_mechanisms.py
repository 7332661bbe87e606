"""Mechanisms that jump, each built once."""

from functools import cache

import sympy as sp

import geoctrl as gc
from studies import walking as study
from studies.walking import GRAVITY, R


def ball(e, **options):
    """A ball above the ground."""
    z = gc.Coordinate("z", unit="m")
    bounce = gc.Impact("bounce", when=z.symbol, rows=[[1]], restitution=e, **options)
    return gc.EulerPoincare(
        algebra=None, shape=[z], inertia=[[1]], potential=GRAVITY * z.symbol, jumps=[bounce], name="ball"
    )


@cache
def bouncing_ball(e):
    return ball(e).hybrid()


def walker(sign=1, **changes):
    """The walker of the study, with another sign of what its foot strikes, or other arguments."""
    (strike,) = study.compass_walker().jumps
    return study.compass_walker(**{"rows": sign * strike.rows} | changes)


@cache
def compass_walker():
    return study.compass_walker().hybrid()


@cache
def sliding_ball():
    """A ball that bounces along the ground until it slides."""
    x, z = gc.Coordinate("x"), gc.Coordinate("z")
    bounce = gc.Impact("bounce", when=z.symbol, rows=[[0, 1]], restitution=0.6, rest="ground", of="flight")
    return gc.EulerPoincare(
        algebra=None,
        shape=[x, z],
        inertia=[[1, 0], [0, 1]],
        potential=GRAVITY * z.symbol,
        constraints={"ground": [0, 1]},
        modes={"flight": (), "ground": ("ground",)},
        jumps=[bounce],
    )


@cache
def elastic_pendulum():
    """A pendulum that meets a wall at 0.3 rad without loss."""
    q = gc.Coordinate("q", angle=True)
    wall = gc.Impact("wall", when=q.symbol - R(3, 10), direction=1, rows=[[-1]], restitution=1)
    return gc.EulerPoincare(
        algebra=None, shape=[q], inertia=[[1]], potential=-GRAVITY * sp.cos(q.symbol), jumps=[wall]
    ).hybrid()


@cache
def hill():
    """A point on a ball of radius one that leaves it where nothing presses it down."""
    x, z = gc.Coordinate("x"), gc.Coordinate("z")
    leaves = gc.Jump("lift off", when=gc.reaction("surface"), direction=-1, of="slide", to="flight")
    return gc.EulerPoincare(
        algebra=None,
        shape=[x, z],
        inertia=[[1, 0], [0, 1]],
        potential=GRAVITY * z.symbol,
        constraints={"surface": [x.symbol / sp.sqrt(1 - x.symbol**2), 1]},
        modes={"slide": ("surface",), "flight": ()},
        jumps=[leaves],
    )


@cache
def rimless_wheel():
    return study.rimless_wheel().hybrid()


@cache
def hopper():
    return study.hopper()
