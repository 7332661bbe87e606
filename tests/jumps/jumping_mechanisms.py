"""Mechanisms that jump, each built once."""

from functools import cache

import sympy as sp

import geoctrl as gc

R = sp.Rational
GRAVITY = R(981, 100)


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


def inertia_of(energy, velocities):
    """The matrix of a kinetic energy."""
    return sp.hessian(sp.expand(energy), list(velocities))


BLOCK = {"b": R(1, 4), "h": R(4, 5), "m": R(3)}


def block(**changes):
    """A homogeneous block that rocks from corner to corner; b and h are half its width and height."""
    b, h, m = BLOCK["b"], BLOCK["h"], BLOCK["m"]
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
        inertia=inertia_of(energy, xi),
        potential=m * GRAVITY * centre[1],
        forces=[0, -m * GRAVITY, 0],
        constraints={"corner x": [1, 0, 0], "corner z": [0, 1, 0]},
        name="block",
        jumps=[gc.Impact("rock", **rock | changes)],
    )


def walker(sign=1, **changes):
    """Two legs of 1 m on a slope: 5 kg half way of each, 10 kg at the hip (Goswami et al. 1998)."""
    slope = gc.Parameter("slope", 3 * 3.141592653589793 / 180, "rad")
    stance, swing = gc.Coordinate("st", angle=True), gc.Coordinate("sw", angle=True)
    st, sw, plane, g = stance.symbol, swing.symbol, gc.rn(2), R(98, 10)
    foot = sp.Matrix(plane.xi)

    def leg(angle, length):
        return sp.Matrix([length * sp.sin(angle), length * sp.cos(angle)])

    places = [leg(st, R(1, 2)), leg(st, 1), leg(st, 1) - leg(sw, R(1, 2)), leg(st, 1) - leg(sw, 1)]
    moves = [foot + p.diff(st) * stance.rate + p.diff(sw) * swing.rate for p in places]
    xi, masses = sp.Matrix([*foot, stance.rate, swing.rate]), (5, 10, 5)
    energy = sum(m * v.dot(v) for m, v in zip(masses, moves, strict=False)) / 2
    turn = sp.Matrix(
        [[sp.cos(slope.symbol), -sp.sin(slope.symbol)], [sp.sin(slope.symbol), sp.cos(slope.symbol)]]
    )
    strike = {
        "when": st + sw - 2 * slope.symbol,
        "direction": 1,
        "rows": sign * (turn * moves[3]).jacobian(xi),
        "releases": ["stance x", "stance z"],
        "relabel": {"st": "sw", "sw": "st", "st_dot": "sw_dot", "sw_dot": "st_dot"},
        "normal": 1,
        "leaving": "stance z",
    }
    return gc.EulerPoincare(
        algebra=plane,
        shape=[stance, swing],
        inertia=inertia_of(energy, xi),
        potential=sum(m * g * p[1] for m, p in zip(masses, places, strict=False)),
        forces=[0, -g * sum(masses), 0, 0],
        constraints={"stance x": [1, 0, 0, 0], "stance z": [0, 1, 0, 0]},
        parameters=[slope],
        name="compass walker",
        jumps=[gc.Impact("heel strike", **strike | changes)],
    )


@cache
def compass_walker():
    return walker().hybrid()


WALKER_STEP = (1.0918, 0.3772, -0.2187, 0.3234)
"""After a strike, as published; on the guard to the digits shown."""


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


WHEEL = {"m": R(13, 10), "I": R(1, 20), "l": R(7, 10), "a": R(2, 5), "slope": R(9, 50)}


@cache
def rimless_wheel():
    """A hub on spokes that rolls down a slope from spoke to spoke."""
    m, inertia, length, a, slope = WHEEL.values()
    spoke, plane = gc.Coordinate("th", angle=True), gc.rn(2)
    th, w = spoke.symbol, spoke.rate
    hub = sp.Matrix(plane.xi) + length * w * sp.Matrix([sp.cos(th), -sp.sin(th)])
    foot = hub - length * w * sp.Matrix([sp.cos(th - 2 * a), -sp.sin(th - 2 * a)])
    xi = sp.Matrix([*plane.xi, w])
    strike = gc.Impact(
        "spoke",
        when=th - slope - a,
        direction=1,
        rows=foot.jacobian(xi),
        releases=["foot x", "foot z"],
        relabel={"th": th - 2 * a},
    )
    return gc.EulerPoincare(
        algebra=plane,
        shape=[spoke],
        inertia=inertia_of(m * hub.dot(hub) / 2 + inertia * w**2 / 2, xi),
        potential=m * GRAVITY * length * sp.cos(th),
        forces=[0, -m * GRAVITY, 0],
        constraints={"foot x": [1, 0, 0], "foot z": [0, 1, 0]},
        name="rimless wheel",
        jumps=[strike],
    ).hybrid()


HOPPER = {"m": R(2), "k1": R(1000), "k2": R(1300), "r": R(4, 5)}


@cache
def hopper():
    """A mass on a spring that is stiffer on its way up, and keeps the part r of its speed at landing."""
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
