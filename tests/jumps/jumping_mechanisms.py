"""Mechanisms that jump, each built once."""

from dataclasses import replace
from functools import cache

import numpy as np
import sympy as sp

import geoctrl as gc

R = sp.Rational
GRAVITY = R(981, 100)
HOPPER = {"m": R(2), "k1": R(1000), "k2": R(1300), "r": R(4, 5)}
BLOCK = {"b": R(1, 4), "h": R(4, 5), "m": R(3)}
STARTS = {
    "compass-walker": [1.0928, 0.3782, -0.2177, 0.3244],
    "hopper": [-1.4, 0.4, 0, 1000],
    "pendulum-at-wall": [0, -1],
    "rimless-wheel": [1.6, -0.22],
    "rocking-block": [0, 0.2],
}
"""States of the catalogue's machines, in their first modes, from which a run of a second jumps."""


@cache
def machine(name):
    """One of the catalogue."""
    return gc.models.get(name)().hybrid()


@cache
def run_of(name):
    """A second and a half of it."""
    return gc.simulate(machine(name), np.linspace(0, 1.5, 31), STARTS[name])


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
    """The walker of the catalogue, with another sign of what its foot strikes, or other arguments."""
    mechanism = gc.models.get("compass-walker")()
    (strike,) = mechanism.jumps
    return mechanism.replace(jumps=[replace(strike, **{"rows": sign * strike.rows} | changes)])


@cache
def compass_walker():
    return gc.models.get("compass-walker")().hybrid()


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
    return gc.models.get("rimless-wheel")().hybrid()


@cache
def hopper():
    """Three systems at hand: a mass on a spring, stiffer on its way up, keeps the part r of its speed."""
    m, k1, k2, r = HOPPER.values()
    height = gc.Coordinate("z")
    z, v = height.symbol, height.rate

    def mode(k):
        potential = m * GRAVITY * z + k * z**2 / 2
        return gc.EulerPoincare(algebra=None, shape=[height], inertia=[[m]], potential=potential).reduce()

    return gc.HybridSystem(
        modes={"down": mode(k1), "up": mode(k2), "flight": mode(0)},
        jumps=[
            gc.Jump("lowest", when=v, direction=1, of="down", to="up"),
            gc.Jump("take off", when=z, direction=1, of="up", to="flight"),
            gc.Jump("landing", when=z, direction=-1, reset={"z_dot": r * v}, of="flight", to="down"),
        ],
        name="hopper",
    )


def block(**changes):
    """The rocking block with one mode, mirrored at each impact; changes are of its impact."""
    b, h, m = BLOCK.values()
    tilt = gc.Coordinate("th")
    th, w, plane = tilt.symbol, tilt.rate, gc.rn(2)
    corner = sp.Matrix(plane.xi)
    centre = sp.Matrix([-b * sp.cos(th) + h * sp.sin(th), b * sp.sin(th) + h * sp.cos(th)])
    velocity = corner + centre.diff(th) * w
    other = corner + w * sp.Matrix([-2 * b * sp.cos(th), 2 * b * sp.sin(th)]).diff(th)
    xi = sp.Matrix([*corner, w])
    energy = m * velocity.dot(velocity) / 2 + m * (b**2 + h**2) / 3 * w**2 / 2
    rock = {
        "when": th,
        "rows": other.jacobian(xi),
        "releases": ["corner x", "corner z"],
        "relabel": {"th": -th, "th_dot": -w},
        "normal": 1,
        "leaving": "corner z",
    }
    return gc.EulerPoincare(
        algebra=plane,
        shape=[tilt],
        inertia=sp.hessian(sp.expand(energy), list(xi)),
        potential=m * GRAVITY * centre[1],
        forces=[0, -m * GRAVITY, 0],
        constraints={"corner x": [1, 0, 0], "corner z": [0, 1, 0]},
        name="block",
        jumps=[gc.Impact("rock", **rock | changes)],
    )
