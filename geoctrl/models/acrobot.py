"""Acrobot: a double pendulum with a motor at the elbow alone."""

from __future__ import annotations

import sympy as sp

from geoctrl.algebra import Coordinate
from geoctrl.systems import EulerPoincare, Family, Parameter
from geoctrl.systems.picture import Ellipsoid, Rod, Solid

__all__ = ["acrobot"]


def acrobot() -> EulerPoincare:
    r"""Two links in a vertical plane, driven by the torque tau at the joint between them.

    q1 is the angle of the first link from the upward vertical, q2 that of the second relative to the first.
    With the centres of mass at the distances c1, c2 from the joints above them

    .. math::
        L = \tfrac12 (I_1 + m_1 c_1^2)\, \dot q_1^2 + \tfrac12 I_2 (\dot q_1 + \dot q_2)^2
        + \tfrac12 m_2 |\dot x_2|^2 - m_1 g c_1 \cos q_1 - m_2 g (l_1 \cos q_1 + c_2 \cos(q_1 + q_2))

    .. math::
        |\dot x_2|^2 = l_1^2 \dot q_1^2 + c_2^2 (\dot q_1 + \dot q_2)^2
        + 2 l_1 c_2 \cos q_2\, \dot q_1 (\dot q_1 + \dot q_2)

    Families "upright" and "hanging". The balanced postures are a curve through "upright" on which the torque
    ``tau = -m2 g c2 sin(q1 + q2)`` holds the elbow.
    """
    q1 = Coordinate("q1", angle=True, description="angle of the first link from the upward vertical")
    q2 = Coordinate("q2", angle=True, description="angle of the second link from the first")
    parameters = (
        Parameter("m1", 1.1, "kg", "mass of the first link", positive=True),
        Parameter("m2", 0.9, "kg", "mass of the second link", positive=True),
        Parameter("l1", 1.05, "m", "length of the first link", positive=True),
        Parameter("c1", 0.52, "m", "distance from the shoulder to the first centre of mass", positive=True),
        Parameter("c2", 0.97, "m", "distance from the elbow to the second centre of mass", positive=True),
        Parameter("I1", 0.085, "kg m^2", "moment of inertia of the first link, at its centre", positive=True),
        Parameter("I2", 0.31, "kg m^2", "moment of inertia of the second link, at its centre", positive=True),
        Parameter("g", 9.81, "m/s^2", "gravity", positive=True),
    )
    m1, m2, l1, c1, c2, I1, I2, g = (p.symbol for p in parameters)
    w1, w2 = q1.rate, q1.rate + q2.rate
    second = l1**2 * w1**2 + c2**2 * w2**2 + 2 * l1 * c2 * sp.cos(q2.symbol) * w1 * w2
    height1, height2 = sp.cos(q1.symbol), sp.cos(q1.symbol + q2.symbol)
    return EulerPoincare(
        shape=[q1, q2],
        lagrangian=((I1 + m1 * c1**2) * w1**2 + I2 * w2**2 + m2 * second) / 2
        - m1 * g * c1 * height1
        - m2 * g * (l1 * height1 + c2 * height2),
        forces=[0, sp.Symbol("tau", real=True)],
        inputs=["tau"],
        equilibria={"upright": Family({}), "hanging": Family({"q1": sp.pi})},
        parameters=parameters,
        source=(
            "M. W. Spong, The swing up control problem for the acrobot, IEEE Control Systems 15 (1995); "
            "R. M. Murray and J. Hauser, A case study in approximate linearization: the acrobot example, 1991"
        ),
        picture=(
            Solid(
                "first link",
                [Rod((0, 0, 0), (0, 0, l1), l1 / 30), Ellipsoid(l1 / 8)],
                of=None,
                turns=[((0, 1, 0), q1.symbol)],
            ),
            Solid(
                "second link",
                [Rod((0, 0, 0), (0, 0, 2 * c2), l1 / 40), Ellipsoid(l1 / 10)],
                of=None,
                place=(l1 * sp.sin(q1.symbol), 0, l1 * height1),
                turns=[((0, 1, 0), q1.symbol + q2.symbol)],
                colour="#D55E00",
            ),
        ),
        name="acrobot",
    )
