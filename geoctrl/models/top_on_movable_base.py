"""Heavy top whose pivot rides on a base that slides on a horizontal plane without friction."""

from __future__ import annotations

import sympy as sp

from geoctrl._checks import flag
from geoctrl.algebra import AdvectedVector, product, rn, so3
from geoctrl.models.catalogue_parts import components, defaults
from geoctrl.models.catalogue_solids import DARK
from geoctrl.systems import EulerPoincare, Family, Parameter
from geoctrl.systems.picture import Disk, Ellipsoid, Rod, Solid

__all__ = ["top_on_movable_base"]


def top_on_movable_base(pushed: bool = False) -> EulerPoincare:
    r"""Top on a base that moves freely along the plane and does not turn; Gamma is the upward vertical.

    No horizontal force acts from outside: seen from axes that follow the common centre of mass, the velocity
    of the base is ``-m l/(m + M)`` times the horizontal part of ``Omega x E3``. The rotation is left, with
    ``2 T = Omega.I Omega - mu (|Omega x E3|^2 - (Gamma . Omega x E3)^2)``, ``mu = (m l)^2/(m + M)``, and
    ``U = m g l Gamma3``: I at the pivot, the centre of mass at l E3. A heavy base makes it the heavy top.

    The library finds Pi.Gamma; "Pi3" is kept where I1 = I2. Outputs ``base1 .. base3``: the base's velocity,
    in body axes. Families "sleeping" and "hanging". Parameter sets: "generic" and "lagrange" (I1 = I2).

    ``pushed``: the base is driven along the plane by the forces u1, u2. Its velocity Y, in axes fixed in
    space, is then among the velocities, of the group SO(3) x R^2, and a, b, Gamma are the axes of space seen
    from the body; families "upright" and "hanging", at rest,

    .. math::
        T = \tfrac12 \Omega \cdot I \Omega + \tfrac12 (m + M)|Y|^2
        + m l\,(Y_1 a + Y_2 b) \cdot (\Omega \times E_3)

    Parameters
    ----------
    pushed : bool
        Whether forces act on the base.
    """
    algebra = so3()
    gamma = AdvectedVector("Gamma", reference=(0, 0, 1))
    parameters = (
        Parameter("m", 1.3, "kg", "mass of the top", positive=True),
        Parameter("M", 0.8, "kg", "mass of the base", positive=True),
        Parameter("l", 0.6, "m", "distance from the pivot to the top's centre of mass", positive=True),
        Parameter("g", 9.81, "m/s^2", "gravity", positive=True),
        Parameter("I1", 0.9, "kg m^2", "top's moment of inertia about E1 at the pivot", positive=True),
        Parameter("I2", 0.8, "kg m^2", "top's moment of inertia about E2 at the pivot", positive=True),
        Parameter("I3", 0.5, "kg m^2", "top's moment of inertia about E3", positive=True),
    )
    m, M, l, g, *moments = (p.symbol for p in parameters)  # noqa: E741 - the length's name in the literature
    Omega, G, E3 = algebra.xi, sp.Matrix(gamma.symbols), sp.Matrix([0, 0, 1])
    swing = Omega.cross(E3)  # velocity of the axis; its horizontal part is what the base takes up
    horizontal = swing - G.dot(swing) * G
    taken_up = (m * l) ** 2 / (m + M) * (swing.dot(swing) - G.dot(swing) ** 2)
    base = -m * l / (m + M) * horizontal
    Omega0 = sp.Symbol("Omega0", real=True)
    source = "E. J. Routh, Advanced Part of a Treatise on the Dynamics of a System of Rigid Bodies, 1905"
    generic = defaults(parameters)
    if flag("pushed", pushed):
        group = product(algebra, rn(2))
        axes = [AdvectedVector(name, reference=ref) for name, ref in (("a", (1, 0, 0)), ("b", (0, 1, 0)))]
        turn, push = group.xi[:3, :], group.xi[3:, :]
        swing = turn.cross(E3)
        carried = sum((y * sp.Matrix(axis.symbols).dot(swing) for y, axis in zip(push, axes, strict=True)), 0)
        kinetic = turn.dot(sp.diag(*moments) * turn) / 2 + (m + M) * push.dot(push) / 2 + m * l * carried
        return EulerPoincare(
            algebra=group,
            advected=[*axes, gamma],
            lagrangian=kinetic - m * g * l * G[2],
            forces=[0, 0, 0, *sp.symbols("u1 u2", real=True)],
            inputs=["u1", "u2"],
            parameters=parameters,
            parameter_sets={"generic": generic, "lagrange": {**generic, "I2": 0.9}},
            equilibria={
                name: Family({"a1": 1, "b2": up, "Gamma3": up})
                for name, up in (("upright", 1), ("hanging", -1))
            },
            source=source,
            name="top-on-movable-base",
        )
    return EulerPoincare(
        algebra=algebra,
        advected=[gamma],
        lagrangian=(Omega.dot(sp.diag(*moments) * Omega) - taken_up) / 2 - m * g * l * G[2],
        picture=[
            Solid(
                "top",
                [
                    Rod((0, 0, 0), (0, 0, 3 * l / 2), l / 30),
                    Disk(l / 2, at=(0, 0, l), thickness=l / 6),
                    Ellipsoid(l / 5, colour=DARK),
                ],
                place=-m * l / (m + M) * (E3 - G[2] * G),  # the pivot, from above the common centre of mass
            )
        ],
        invariants={"Pi3": algebra.mu[2]},
        outputs=components("base", base),
        parameters=parameters,
        parameter_sets={"generic": generic, "lagrange": {**generic, "I2": 0.9}},
        equilibria={
            "sleeping": Family({"Omega3": Omega0, "Gamma3": 1}, symbols=[Omega0]),
            "hanging": Family({"Omega3": Omega0, "Gamma3": -1}, symbols=[Omega0]),
        },
        source=source,
        name="top-on-movable-base",
    )
