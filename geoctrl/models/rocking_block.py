"""The rocking block: a slab that rocks from one corner to the other."""

from __future__ import annotations

import sympy as sp

from geoctrl.algebra import Coordinate, rn
from geoctrl.models.catalogue_solids import DARK
from geoctrl.systems import EulerPoincare, Impact, Parameter
from geoctrl.systems.picture import Block, Solid

__all__ = ["rocking_block"]


def rocking_block() -> EulerPoincare:
    r"""A homogeneous block, 2 b wide and 2 h high, on flat ground, in the plane of axis 1 and axis 2, up.

    The tilt theta is clockwise; the group is the velocity of the middle of the base. In each mode two rows
    hold the corner that the block stands on, and the other one strikes as theta passes zero:

    .. math::
        L = \tfrac12 m |Y + h\dot\theta (\cos\theta, -\sin\theta)|^2 + \tfrac16 m (b^2 + h^2) \dot\theta^2
        - m g h \cos\theta - m g\,z

    Of the rate :math:`1 - \tfrac32 b^2/(b^2 + h^2)` is left.
    """
    tilt = Coordinate("theta", angle=True, description="tilt of the block, clockwise")
    parameters = (
        Parameter("m", 3.0, "kg", "mass", positive=True),
        Parameter("b", 0.25, "m", "half the width", positive=True),
        Parameter("h", 0.8, "m", "half the height", positive=True),
        Parameter("g", 9.81, "m/s^2", "gravity", positive=True),
    )
    m, b, h, g = (p.symbol for p in parameters)
    th, w, plane = tilt.symbol, tilt.rate, rn(2)
    base, xi = sp.Matrix(plane.xi), sp.Matrix([*plane.xi, w])
    along, upwards = (
        sp.Matrix([sp.cos(th), -sp.sin(th)]),
        sp.Matrix([sp.sin(th), sp.cos(th)]),
    )
    square = base.dot(base) + 2 * h * w * base.dot(upwards.diff(th)) + h**2 * w**2
    corners = {"right": base + b * along.diff(th) * w, "left": base - b * along.diff(th) * w}
    held = {name: (f"{name} x", f"{name} z") for name in corners}
    rows = {
        row: list(sp.Matrix([corners[name][k]]).jacobian(xi))
        for name, both in held.items()
        for k, row in enumerate(both)
    }

    def landing(of: str, to: str, direction: int) -> Impact:
        return Impact(
            f"{to} corner",
            when=th,
            direction=direction,
            rows=held[to],
            releases=held[of],
            normal=1,
            leaving=held[of][1],
            of=of,
            to=to,
        )

    return EulerPoincare(
        algebra=plane,
        shape=[tilt],
        lagrangian=m * square / 2 + m * (b**2 + h**2) * w**2 / 6 - m * g * h * sp.cos(th),
        forces=[0, -m * g, 0],
        constraints=rows,
        modes=held,
        parameters=parameters,
        jumps=[landing("right", "left", -1), landing("left", "right", 1)],
        source=(
            "G. W. Housner, The behavior of inverted pendulum structures during earthquakes, Bull. "
            "Seismological Society of America 53 (1963)"
        ),
        picture=[
            Solid(
                "ground",
                [Block((6 * b, b / 25, 2 * b), at=(0, -b / 50, 0))],
                of=None,
                colour=DARK,
                up=(0, 1, 0),
            ),
            Solid("block", [Block((2 * b, 2 * h, b), at=(0, h, 0))], turns=[((0, 0, -1), th)]),
        ],
        name="rocking-block",
    )
