"""A pendulum that meets a wall."""

from __future__ import annotations

import sympy as sp

from geoctrl.algebra import Coordinate
from geoctrl.models.catalogue_solids import DARK
from geoctrl.systems import EulerPoincare, Family, Impact, Parameter
from geoctrl.systems.picture import Block, Ellipsoid, Rod, Solid

__all__ = ["pendulum_at_wall"]


def pendulum_at_wall() -> EulerPoincare:
    r"""A point mass on a rod, which a wall at the angle w turns back with the part e of its rate.

    .. math:: L = \tfrac12 m l^2 \dot q^2 + m g l \cos q, \qquad \dot q^+ = -e\,\dot q^- \text{ at } q = w

    Family "hanging": the pendulum at rest, away from the wall.
    """
    angle = Coordinate("q", angle=True, description="angle of the pendulum from the downward vertical")
    parameters = (
        Parameter("m", 1.0, "kg", "mass of the bob", positive=True),
        Parameter("l", 1.0, "m", "length of the rod", positive=True),
        Parameter("g", 9.81, "m/s^2", "gravity", positive=True),
        Parameter("w", 0.3, "rad", "angle of the wall"),
        Parameter("e", 1.0, "", "restitution, from 0 to 1"),
    )
    m, l, g, w, e = (p.symbol for p in parameters)  # noqa: E741 - the length's name
    q = angle.symbol
    out = (0, 0, 1)
    return EulerPoincare(
        algebra=None,  # type: ignore[arg-type]
        shape=[angle],
        lagrangian=m * l**2 * angle.rate**2 / 2 + m * g * l * sp.cos(q),
        equilibria={"hanging": Family({})},
        parameters=parameters,
        jumps=[Impact("wall", when=q - w, direction=1, rows=[[-1]], restitution=e)],
        source=(
            "S. W. Shaw and R. H. Rand, The transition to chaos in a simple mechanical system, Int. J. "
            "Non-Linear Mechanics 24 (1989)"
        ),
        picture=[
            Solid(
                "wall",
                [Block((l / 20, l / 2, l / 4), at=(l / 40 + l / 12, -l, 0))],
                turns=[(out, w)],
                colour=DARK,
                up=(0, 1, 0),
            ),
            Solid(
                "pendulum",
                [Rod((0, 0, 0), (0, -l, 0), l / 60), Ellipsoid(l / 6, at=(0, -l, 0))],
                turns=[(out, q)],
            ),
        ],
        name="pendulum-at-wall",
    )
