"""The bicycle of Whipple (1899), nonlinear, with the parameters of the benchmark of 2007."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import sympy as sp

from geoctrl._checks import require_choice
from geoctrl._scalars.text.sympy_matrix import product_of
from geoctrl.algebra import Coordinate, product, rn, se2
from geoctrl.errors import ParameterError
from geoctrl.systems import EulerPoincare, Family, Parameter
from geoctrl.systems.picture import Disk, Ellipsoid, Rod, Solid

__all__ = ["whipple_bicycle"]

_SOURCE = (
    "J. P. Meijaard, J. M. Papadopoulos, A. Ruina and A. L. Schwab, Linearized dynamics equations for the "
    "balance and steer of a bicycle: a benchmark and review, Proc. R. Soc. A 463 (2007)"
)


Place = Callable[[Sequence[sp.Matrix]], sp.Matrix]
"""A point by the rotations of the plane of the rear wheel, the rear frame and the front frame."""

_ROWS = (
    "rear wheel rolling",
    "rear wheel sideways",
    "front wheel normal",
    "front wheel sideways",
    "front wheel rolling",
)


def _parameters(tilt: str) -> dict[str, Parameter]:
    def moment(name: str, default: float, of: str) -> Parameter:
        return Parameter(name, default, "kg m^2", of, positive=not name.endswith("xz") and name[1] != "H")

    tilts = {
        "lam": Parameter(
            "lam", math.pi / 10, "rad", "tilt of the steering axis, backwards from the vertical"
        ),
        "tau": Parameter("tau", math.tan(math.pi / 20), "", "tangent of half the tilt of the steering axis"),
    }
    listed = [
        Parameter("w", 1.02, "m", "wheel base", positive=True),
        Parameter("c", 0.08, "m", "trail"),
        tilts[tilt],
        Parameter("g", 9.81, "m/s^2", "gravity", positive=True),
        Parameter("rR", 0.3, "m", "radius of the rear wheel", positive=True),
        Parameter("mR", 2.0, "kg", "mass of the rear wheel", positive=True),
        moment("IRxx", 0.0603, "moment of inertia of the rear wheel about a diameter"),
        moment("IRyy", 0.12, "moment of inertia of the rear wheel about its axle"),
    ]
    for k, of, numbers in (
        ("B", "of rear frame and rider", (0.3, -0.9, 85.0, 9.2, 2.4, 11.0, 2.8)),
        ("H", "of the front frame", (0.9, -0.7, 4.0, 0.05892, -0.00756, 0.06, 0.00708)),
    ):
        x, z, m, *moments = numbers
        listed += [
            Parameter(f"x{k}", x, "m", f"place of the centre of mass {of}, ahead of the rear contact"),
            Parameter(
                f"z{k}", z, "m", f"depth of the centre of mass {of} below the ground (negative above it)"
            ),
            Parameter(f"m{k}", m, "kg", f"mass {of}", positive=k == "B"),
        ]
        listed += [
            moment(f"I{k}{axes}", value, f"{'product' if axes == 'xz' else 'moment'} of inertia {of}, {axes}")
            for axes, value in zip(("xx", "xz", "yy", "zz"), moments, strict=True)
        ]
    listed += [
        Parameter("rF", 0.35, "m", "radius of the front wheel", positive=True),
        Parameter("mF", 3.0, "kg", "mass of the front wheel", positive=True),
        moment("IFxx", 0.1405, "moment of inertia of the front wheel about a diameter"),
        moment("IFyy", 0.28, "moment of inertia of the front wheel about its axle"),
    ]
    return {p.name: p for p in listed}


def _rotation(axis: int, c: sp.Expr, s: sp.Expr, along: int = 1) -> sp.Matrix:
    """Rotation about a coordinate axis, by the cosine and sine of the angle; its derivative by these of the
    sine and cosine, with nothing along the axis.
    """
    i, j = (axis + 1) % 3, (axis + 2) % 3
    R = sp.diag(*(along if k == axis else 0 for k in range(3)))
    R[i, i], R[i, j], R[j, i], R[j, j] = c, -s, s, c
    return R


def _cross(a: sp.Matrix, b: sp.Matrix) -> sp.Matrix:
    return product_of(sp.Matrix([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]]), b)


def _cosine_and_sine(p: dict[str, sp.Symbol]) -> tuple[sp.Expr, sp.Expr]:
    """Of the tilt of the steering axis."""
    if "lam" in p:
        return sp.cos(p["lam"]), sp.sin(p["lam"])
    return (1 - p["tau"] ** 2) / (1 + p["tau"] ** 2), 2 * p["tau"] / (1 + p["tau"] ** 2)


def whipple_bicycle(tilt: str = "lam") -> EulerPoincare:
    r"""Two wheels with sharp edges, a rear frame with its rider, a front frame; nothing slips.

    The group SE(2) places the contact of the rear wheel and its heading, along E1; E2 is to the right, E3
    down. The coordinates are those of the source: the rear frame leans by ``phi`` about E1 and pitches by
    ``theta`` about the axle of the rear wheel, the front frame is steered by ``delta`` about its axis, and
    ``theta`` follows from the contact of the front wheel (leaf relation "front contact"). The wheels turn at
    the rates ``spin_R`` (seen from the plane that leans) and ``spin_F`` (from the front frame). With centres
    p, velocities V and angular velocities W of the four bodies

        l = sum (m |V|^2 + W . I W)/2 + m g p . E3.

    States are the rate of lean, the speed of the rear contact along its track, the rate of steer, and the
    coordinates; ``T_delta`` is a torque of the rider's arms, between the frames. Family "upright" rides
    straight ahead at the speed v.

    Parameter sets "benchmark" (the defaults) and "massless fork" (no mass but that of the wheel is steered).
    With ``tilt="tau"`` the steering axis is given by ``tau`` = tan(lam/2) in place of ``lam``: its sine and
    cosine are rational then, as is all else where the bicycle rides straight, and verdicts by the spectrum
    become proofs.

    Parameters
    ----------
    tilt : {"lam", "tau"}
        The parameter that gives the tilt of the steering axis.
    """
    require_choice("tilt", tilt, ("lam", "tau"), ParameterError)
    parameters = _parameters(tilt)
    benchmark: dict[str, Any] = {name: parameter.default for name, parameter in parameters.items()}
    p = {name: parameter.symbol for name, parameter in parameters.items()}
    shape = [
        Coordinate("phi", angle=True, description="lean of the rear frame, to the right"),
        Coordinate("theta", angle=True, description="pitch of the rear frame"),
        Coordinate("delta", angle=True, description="steer, to the right"),
    ]
    phi, theta, delta = (q.symbol for q in shape)
    group = product(se2(), rn(2)).relabelled(
        (*se2().labels, "spin_R", "spin_F"), (*se2().momentum_labels, "p_R", "p_F")
    )
    E1, E2, E3 = (sp.eye(3)[:, i] for i in range(3))
    turns = [_rotation(axis, sp.cos(q), sp.sin(q)) for axis, q in enumerate((phi, theta, delta))]
    slopes = [_rotation(axis, -sp.sin(q), sp.cos(q), along=0) for axis, q in enumerate((phi, theta, delta))]
    tilted = _rotation(1, *_cosine_and_sine(p))

    def rotations(turns: Sequence[sp.Matrix]) -> list[sp.Matrix]:
        """Of the plane of the rear wheel, the rear frame and the front frame."""
        leaning, pitched, steered = turns
        frame = product_of(leaning, pitched)
        return [leaning, frame, product_of(frame, tilted, steered, tilted.T)]

    at = leaning, frame, fork = rotations(turns)
    # The derivatives by each angle, which turns what comes after it.
    along = [rotations([*turns[:i], slopes[i], *turns[i + 1 :]]) for i in range(3)]
    along = [[sp.zeros(3, 3)] * i + turned[i:] for i, turned in enumerate(along)]
    axle, steering, front_axle = leaning[:, 1], product_of(frame, tilted)[:, 2], fork[:, 1]
    hub, head = sp.Matrix([0, 0, -p["rR"]]), sp.Matrix([p["w"] + p["c"], 0, 0])

    # Places are linear in the rotations.
    def on_frame(x: sp.Expr, z: sp.Expr) -> Place:
        arm = sp.Matrix([x, 0, z]) - hub
        return lambda R: product_of(R[0], hub) + product_of(R[1], arm)

    def on_fork(x: sp.Expr, z: sp.Expr) -> Place:
        steered, arm = on_frame(head[0], head[2]), sp.Matrix([x, 0, z]) - head
        return lambda R: steered(R) + product_of(R[2], arm)

    def moving(place: Place) -> sp.Matrix:
        """Its velocity, 3 x 8: of the velocities of the group, the wheels' rates, the rates of the shape."""
        rates = [place(turned) for turned in along]
        return sp.Matrix.hstack(_cross(E3, place(at)), E1, E2, sp.zeros(3, 2), *rates)

    def turning(*about: tuple[int, sp.Matrix]) -> sp.Matrix:
        """An angular velocity, 3 x 8: yaw and lean, and the axes about which further velocities turn."""
        W = sp.zeros(3, 8)
        for place, axis in ((0, E3), (5, E1), *about):
            W[:, place] = axis
        return W

    def wheel(k: str, axis: sp.Matrix) -> sp.Matrix:
        return p[f"I{k}xx"] * sp.eye(3) + (p[f"I{k}yy"] - p[f"I{k}xx"]) * product_of(axis, axis.T)

    def body(k: str, R: sp.Matrix) -> sp.Matrix:
        xx, xz, yy, zz = (p[f"I{k}{axes}"] for axes in ("xx", "xz", "yy", "zz"))
        return product_of(R, sp.Matrix([[xx, 0, xz], [0, yy, 0], [xz, 0, zz]]), R.T)

    pitch, steer, spin_R, spin_F = (6, axle), (7, steering), (3, axle), (4, front_axle)
    centre = on_fork(p["w"], -p["rF"])
    bodies = (
        (p["mR"], lambda R: product_of(R[0], hub), turning(spin_R), wheel("R", axle)),
        (p["mB"], on_frame(p["xB"], p["zB"]), turning(pitch), body("B", frame)),
        (p["mH"], on_fork(p["xH"], p["zH"]), turning(pitch, steer), body("H", fork)),
        (p["mF"], centre, turning(pitch, steer, spin_F), wheel("F", front_axle)),
    )
    inertia, depth = sp.zeros(8, 8), sp.Integer(0)
    for m, place, W, moments in bodies:
        V = moving(place)
        inertia += product_of(m * V.T, V) + product_of(W.T, moments, W)
        depth += m * place(at)[2]

    # The lowest point of the front wheel is on the ground (z = 0), and what is there rests.
    a1, a2, a3 = front_axle
    level = sp.sqrt(a1**2 + a2**2)
    lowest = p["rF"] * sp.Matrix([-a3 * a1, -a3 * a2, level**2]) / level
    touching = centre(at)[2] + lowest[2]
    sinking = []
    for turned in along:
        b1, b2, _ = turned[2][:, 1]
        sinking.append(centre(turned)[2] + p["rF"] * (a1 * b1 + a2 * b2) / level)
    across, ahead = sp.Matrix([[a1, a2, 0]]), sp.Matrix([[a2, -a1, 0]])
    W = bodies[3][2]
    W[:, 4] = sp.zeros(3, 1)
    carried = moving(centre) + sp.Matrix.hstack(*(_cross(W[:, j], lowest) for j in range(8)))
    rows = sp.Matrix.vstack(
        sp.Matrix([[0, 1, 0, p["rR"], 0, 0, 0, 0], [0, 0, 1, 0, 0, 0, 0, 0]]),
        sp.Matrix([[0] * 5 + sinking]),
        product_of(across, carried),
        product_of(ahead, carried),
    )
    rows[4, 4] = p["rF"] * level
    in_newtons = product_of(sp.diag(1, 1, -1, 1 / level, 1 / level), rows)
    return EulerPoincare(
        algebra=group,
        shape=shape,
        inertia=sp.Matrix(8, 8, lambda i, j: inertia[max(i, j), min(i, j)]),  # one form of equal entries
        potential=-p["g"] * depth,
        constraints=dict(zip(_ROWS, in_newtons.tolist(), strict=True)),
        frame=_frame(rows, states=(5, 1, 7), order=((0, 3), (1, 2), (2, 6), (3, 0), (4, 4))),
        velocities=("lean_rate", "speed", "steer_rate"),
        leaf={"front contact": touching},
        domain={"above the ground": sp.cos(phi) > 0},
        forces=[0, 0, 0, 0, 0, 0, 0, sp.Symbol("T_delta", real=True)],
        inputs=["T_delta"],
        equilibria={"upright": Family({"speed": sp.Symbol("v", real=True)}, symbols=["v"])},
        parameters=tuple(parameters.values()),
        parameter_sets={
            "benchmark": benchmark,
            "massless fork": dict.fromkeys(("mH", "IHxx", "IHxz", "IHyy", "IHzz"), 0.0),
        },
        source=_SOURCE,
        picture=_picture(p, leaning * hub, on_frame(head[0], head[2])(at), centre(at), shape),
        name="whipple-bicycle",
    )


def _picture(p: dict[str, sp.Symbol], hub: Any, head: Any, centre: Any, shape: Any) -> list[Solid]:
    """Wheels, frames and rider; E3 points down."""
    phi, theta, delta = (q.symbol for q in shape)
    c, s = _cosine_and_sine(p)
    E1, E2 = (1, 0, 0), (0, 1, 0)
    pitched = [(E1, phi), (E2, theta)]
    steered = [*pitched, ((s, 0, c), delta)]
    rear, front, thin = p["rR"], p["rF"], p["rR"] / 15

    def wheel(name: str, radius: Any, place: Any, turns: list[Any]) -> Solid:
        disk = Disk(radius, axis=E2, thickness=2 * thin, opacity=0.6)
        return Solid(name, [disk], place=place, turns=turns, colour="#64748b", up=(0, 0, -1))

    def on_fork(x: Any, z: Any) -> tuple[Any, ...]:
        return (x - p["w"] - p["c"], 0, z)

    rider, saddle = (p["xB"], 0, p["zB"] + rear), (p["xB"], 0, p["zB"] / 2 + rear)
    top = on_fork(p["w"] + p["c"] - s / c * 3 * front, -3 * front)
    axle = on_fork(p["w"], -front)
    neck = (p["w"] + p["c"] - s / c * 5 * front / 2, 0, rear - 5 * front / 2)
    left, right = ((top[0], side * rear, top[2]) for side in (-1, 1))
    return [
        wheel("rear wheel", rear, hub, [(E1, phi), (E2, "spin_R")]),
        wheel("front wheel", front, centre, [*steered, (E2, "spin_F")]),
        Solid(
            "rear frame and rider",
            [
                Rod((0, 0, 0), saddle, thin),
                Rod((0, 0, 0), neck, thin),
                Rod(saddle, neck, thin),
                Ellipsoid((rear, rear, 2 * rear), at=rider, colour="#D55E00"),
            ],
            place=hub,
            turns=pitched,
        ),
        Solid("front frame", [Rod(axle, top, thin), Rod(left, right, thin)], place=head, turns=steered),
    ]


def _frame(rows: sp.Matrix, states: tuple[int, ...], order: tuple[tuple[int, int], ...]) -> sp.Matrix:
    """The frame of some velocities: each row in turn gives one of the others."""
    columns = []
    for state in states:
        column = sp.zeros(rows.cols, 1)
        column[state] = 1
        for row, place in order:
            column[place] = -product_of(rows.row(row), column)[0] / rows[row, place]
        columns.append(column)
    return sp.Matrix.hstack(*columns)
