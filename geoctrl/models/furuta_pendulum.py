"""Furuta's pendulum: a rod on the end of an arm that turns about a vertical axis."""

from __future__ import annotations

import sympy as sp

from geoctrl.algebra import Coordinate, so2
from geoctrl.systems import EulerPoincare, Family, Parameter
from geoctrl.systems.picture import Disk, Ellipsoid, Rod, Solid

__all__ = ["furuta_pendulum"]


def furuta_pendulum() -> EulerPoincare:
    r"""Arm with the rate theta_dot, driven by the torque u, and a rod whose angle phi is zero upright.

    The rod swings across the arm; its centre of mass is at the distance l from the joint, its moment of
    inertia there is I across the rod and zero about it.

    .. math::
        L = \tfrac12 (J + m R^2 + (I + m l^2) \sin^2\phi)\, \dot\theta^2
        + m R l \cos\phi\, \dot\theta \dot\phi + \tfrac12 (I + m l^2)\, \dot\phi^2 - m g l \cos\phi

    The arm's angle is cyclic and no state. Families "upright" and "hanging", the arm turning at Omega0:
    upright is unstable at all rates, hanging where the rod is thrown out, ``(I + m l^2) Omega0^2 > m g l``.
    """
    phi = Coordinate("phi", angle=True, description="angle of the rod from the upward vertical")
    parameters = (
        Parameter("J", 0.0021, "kg m^2", "moment of inertia of the arm about its axis", positive=True),
        Parameter("R", 0.215, "m", "length of the arm", positive=True),
        Parameter("m", 0.125, "kg", "mass of the rod", positive=True),
        Parameter("l", 0.16, "m", "distance from the joint to the rod's centre of mass", positive=True),
        Parameter("I", 0.0012, "kg m^2", "moment of inertia of the rod about its centre", positive=True),
        Parameter("g", 9.81, "m/s^2", "gravity", positive=True),
    )
    J, R, m, l, inertia, g = (p.symbol for p in parameters)  # noqa: E741 - the length's name
    algebra = so2().relabelled(["theta_dot"], ["p_theta"])
    arm, turn, angle = algebra.xi[0], phi.rate, phi.symbol
    rod = inertia + m * l**2
    kinetic = (J + m * R**2 + rod * sp.sin(angle) ** 2) * arm**2 / 2
    kinetic += m * R * l * sp.cos(angle) * arm * turn + rod * turn**2 / 2
    Omega0 = sp.Symbol("Omega0", real=True)
    return EulerPoincare(
        algebra=algebra,
        shape=[phi],
        lagrangian=kinetic - m * g * l * sp.cos(angle),
        forces=[sp.Symbol("u", real=True), 0],
        inputs=["u"],
        equilibria={
            "upright": Family({"theta_dot": Omega0}, symbols=[Omega0]),
            "hanging": Family({"theta_dot": Omega0, "phi": sp.pi}, symbols=[Omega0]),
        },
        parameters=parameters,
        source=(
            "K. Furuta, M. Yamakita and S. Kobayashi, Swing-up control of inverted pendulum using pseudo-"
            "state feedback, Journal of Systems and Control Engineering 206 (1992)"
        ),
        picture=(
            Solid(
                "arm", [Rod((0, 0, 0), (R, 0, 0)), Disk(R / 5), Rod((0, 0, -R), (0, 0, 0))], colour="#64748b"
            ),
            Solid(
                "rod",
                [Rod((0, 0, 0), (0, 0, 2 * l)), Ellipsoid(l / 6)],
                place=(R, 0, 0),
                turns=[((-1, 0, 0), angle)],
            ),
        ),
        name="furuta-pendulum",
    )
