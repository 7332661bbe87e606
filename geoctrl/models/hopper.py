"""A hopper of two masses: a body on a springy leg, of which the foot stops at each landing."""

from __future__ import annotations

import sympy as sp

from geoctrl.algebra import Coordinate
from geoctrl.models.catalogue_solids import ACCENT, DARK
from geoctrl.systems import EulerPoincare, Impact, Jump, Parameter
from geoctrl.systems.picture import Block, Disk, Rod, Solid

__all__ = ["hopper"]


def hopper() -> EulerPoincare:
    r"""A body at the height z on a leg of length l with a foot at the height y; both move up and down alone.

    .. math::
        L = \tfrac12 m \dot z^2 + \tfrac12 m_f \dot y^2 - m g z - m_f g y, \qquad
        F = -k\,(z - y - l) \text{ along } \dot z - \dot y

    In stance a row holds the foot, in flight another the length of the leg. The foot stops as it lands; as
    the leg is at its length again it takes the foot along, and :math:`r = m/(m + m_f)` of the rate is left.
    The spring gives back more than it took: its stiffness, a state of the drive, is k1 until the body is at
    its lowest, and k2 from there to the top of the flight. The steady hop goes down by
    :math:`2 m g (1 - r^2)/(k_1 - r^2 k_2)`.
    """
    height = Coordinate("z", "m", description="height of the body")
    foot = Coordinate("y", "m", description="height of the foot")
    parameters = (
        Parameter("m", 2.0, "kg", "mass of the body", positive=True),
        Parameter("mf", 0.5, "kg", "mass of the foot", positive=True),
        Parameter("l", 0.4, "m", "length of the leg", positive=True),
        Parameter("k1", 1000.0, "N/m", "stiffness on the way down", positive=True),
        Parameter("k2", 1300.0, "N/m", "stiffness on the way up", positive=True),
        Parameter("g", 9.81, "m/s^2", "gravity", positive=True),
    )
    m, mf, l, k1, k2, g = (p.symbol for p in parameters)  # noqa: E741 - the length's name
    z, y, k = height.symbol, foot.symbol, sp.Symbol("k", real=True)
    push = -k * (z - y - l)
    landing = Impact(
        "landing", when=y, rows=["foot"], releases=["leg"], leaving="leg", of="flight", to="stance"
    )
    lift_off = Impact(
        "lift off",
        when=z - y - l,
        direction=1,
        rows=[[-1, 1]],
        releases=["foot"],
        of="stance",
        to="flight",
    )
    return EulerPoincare(
        algebra=None,  # type: ignore[arg-type]
        shape=[height, foot],
        lagrangian=(m * height.rate**2 + mf * foot.rate**2) / 2 - m * g * z - mf * g * y,
        forces=[push, -push],
        controller={"k": 0},
        constraints={"foot": [0, 1], "leg": [-1, 1]},
        modes={"stance": ("foot",), "flight": ("leg",)},
        parameters=parameters,
        jumps=[
            Jump("lowest", when=height.rate, direction=1, reset={"k": k2}, of="stance"),
            lift_off,
            Jump("top", when=height.rate, direction=-1, reset={"k": k1}, of="flight"),
            landing,
        ],
        source=(
            "M. H. Raibert, Legged robots that balance, MIT Press 1986; D. E. Koditschek and M. Buehler, "
            "Analysis of a simplified hopping robot, Int. J. Robotics Research 10 (1991)"
        ),
        picture=[
            Solid("ground", [Block((l, l / 50, l), at=(0, -l / 100, 0))], of=None, colour=DARK, up=(0, 1, 0)),
            Solid("body", [Block((l / 3, l / 4, l / 4))], of=None, place=(0, z, 0), colour=ACCENT),
            Solid(
                "foot",
                [
                    Disk(l / 12, axis=(0, 1, 0), at=(0, l / 60, 0), thickness=l / 30),
                    Rod((0, 0, 0), (0, l / 2, 0), l / 40),
                ],
                of=None,
                place=(0, y, 0),
            ),
            Solid("upper leg", [Rod((0, 0, 0), (0, -l / 2, 0), l / 25)], of=None, place=(0, z, 0)),
        ],
        name="hopper",
    )
