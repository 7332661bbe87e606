"""The compass walker: two straight legs that walk down a slope by themselves."""

from __future__ import annotations

import sympy as sp

from geoctrl.algebra import Coordinate, rn
from geoctrl.models.catalogue_solids import ACCENT, DARK
from geoctrl.systems import EulerPoincare, Family, Impact, Parameter
from geoctrl.systems.picture import Block, Ellipsoid, Rod, Solid

__all__ = ["compass_walker"]


def compass_walker() -> EulerPoincare:
    r"""Two legs with a joint at the hip on a slope, in the plane of axis 1, ahead, and axis 2, up.

    The angles st and sw are those of the stance and the swing leg to the vertical; the group is the velocity
    of the stance foot, which two rows hold. With the leg :math:`e(\alpha) = (\sin\alpha, \cos\alpha)`,

    .. math::
        L = \tfrac12 m |Y + a\,\dot e(st)|^2 + \tfrac12 m_H |Y + l\,\dot e(st)|^2
        + \tfrac12 m |Y + l\,\dot e(st) - b\,\dot e(sw)|^2 - V, \qquad l = a + b.

    The swing foot strikes where st + sw = 2 slope, as the angle between the legs closes; then the legs change
    their names. That it scrapes over the ground as the legs pass is left out, as in the literature.

    Family "standing": both legs upright.
    """
    stance = Coordinate("st", angle=True, description="angle of the stance leg, clockwise from the vertical")
    swing = Coordinate("sw", angle=True, description="angle of the swing leg, clockwise from the vertical")
    parameters = (
        Parameter("m", 5.0, "kg", "mass of a leg", positive=True),
        Parameter("mH", 10.0, "kg", "mass at the hip", positive=True),
        Parameter("a", 0.5, "m", "distance from the foot to the mass of a leg", positive=True),
        Parameter("b", 0.5, "m", "distance from the hip to the mass of a leg", positive=True),
        Parameter("g", 9.8, "m/s^2", "gravity", positive=True),
        Parameter("slope", 0.05235987755982989, "rad", "angle of the slope, downwards"),
    )
    m, mH, a, b, g, slope = (p.symbol for p in parameters)
    st, sw, plane = stance.symbol, swing.symbol, rn(2)
    foot, xi = sp.Matrix(plane.xi), sp.Matrix([*plane.xi, stance.rate, swing.rate])

    def leg(angle: sp.Expr, length: sp.Expr) -> sp.Matrix:
        return length * sp.Matrix([sp.sin(angle), sp.cos(angle)])

    def velocity(stance_part: sp.Expr, swing_part: sp.Expr) -> sp.Matrix:
        """Of the point that parts of the legs lead to from the stance foot, up one and down the other."""
        return foot + leg(st, stance_part).diff(st) * stance.rate - leg(sw, swing_part).diff(sw) * swing.rate

    def square(p: sp.Expr, q: sp.Expr) -> sp.Expr:
        v, w = stance.rate, swing.rate
        turning = p**2 * v**2 + q**2 * w**2 - 2 * p * q * sp.cos(st - sw) * v * w
        return turning + foot.dot(foot) + 2 * foot.dot(velocity(p, q) - foot)

    length = a + b
    points = ((m, a, sp.Integer(0)), (mH, length, sp.Integer(0)), (m, length, b))
    hip, step = leg(st, length), leg(st, length) - leg(sw, length)
    along = sp.Matrix([[sp.cos(slope), -sp.sin(slope)], [sp.sin(slope), sp.cos(slope)]])
    strike = Impact(
        "heel strike",
        when=st + sw - 2 * slope,
        direction=1,
        rows=(along * velocity(length, length)).jacobian(xi),
        releases=["stance x", "stance z"],
        relabel={"st": "sw", "sw": "st", "st_dot": "sw_dot", "sw_dot": "st_dot"},
        normal=1,
        leaving="stance z",
        step=step,
    )
    kinetic = sum((mass * square(p, q) for mass, p, q in points), sp.Integer(0)) / 2
    weight = sum((mass * g * (leg(st, p) - leg(sw, q))[1] for mass, p, q in points), sp.Integer(0))
    down = (0, 0, -1)
    return EulerPoincare(
        algebra=plane,
        shape=[stance, swing],
        lagrangian=kinetic - weight,
        forces=[0, -g * (2 * m + mH), 0, 0],
        constraints={"stance x": [1, 0, 0, 0], "stance z": [0, 1, 0, 0]},
        equilibria={"standing": Family({})},
        parameters=parameters,
        jumps=[strike],
        source=(
            "A. Goswami, B. Thuilot and B. Espiau, A study of the passive gait of a compass-like biped "
            "robot: symmetry and chaos, Int. J. Robotics Research 17 (1998)"
        ),
        picture=[
            Solid(
                "ground",
                [Block((2 * length, length / 50, length / 2), at=(0, -length / 100, 0))],
                turns=[(down, slope)],
                colour=DARK,
                up=(0, 1, 0),
            ),
            Solid(
                "stance leg",
                [Rod((0, 0, 0), (0, length, 0), length / 60), Ellipsoid(length / 10, at=(0, a, 0))],
                turns=[(down, st)],
                colour=ACCENT,
            ),
            Solid("hip", [Ellipsoid(length / 6)], place=(hip[0], hip[1], 0), colour=DARK),
            Solid(
                "swing leg",
                [Rod((0, 0, 0), (0, -length, 0), length / 60), Ellipsoid(length / 10, at=(0, -b, 0))],
                place=(hip[0], hip[1], 0),
                turns=[(down, sw)],
            ),
        ],
        name="compass-walker",
    )
