"""Chaplygin's sleigh: a knife edge in the plane, the centre of mass ahead of it."""

from __future__ import annotations

import sympy as sp

from geoctrl.algebra import se2
from geoctrl.systems import EulerPoincare, Family, Parameter
from geoctrl.systems.picture import Block, Ellipsoid, Solid

__all__ = ["chaplygin_sleigh"]


def chaplygin_sleigh() -> EulerPoincare:
    """Body in the plane whose edge, at the frame's origin along axis 1, does not slip sideways.

    ``Y1dot = a Omega^2``, ``Omegadot = -(m a/(I + m a^2)) Omega Y1``. Family "straight" at speed V: with the
    centre of mass ahead (V a > 0) turning dies out, going backwards it grows.
    """
    algebra = se2()
    parameters = (
        Parameter("m", 1.4, "kg", "mass", positive=True),
        Parameter("a", 0.35, "m", "distance of the centre of mass ahead of the edge", positive=True),
        Parameter("I", 0.27, "kg m^2", "moment of inertia about the centre of mass", positive=True),
    )
    m, a, inertia = (p.symbol for p in parameters)
    V = sp.Symbol("V", real=True)
    return EulerPoincare(
        algebra=algebra,
        inertia=sp.Matrix([[inertia + m * a**2, 0, m * a], [0, m, 0], [m * a, 0, m]]),
        constraints={"blade": [0, 0, 1]},
        equilibria={"straight": Family({"Y1": V}, symbols=[V])},
        parameters=parameters,
        source="A. M. Bloch, Nonholonomic Mechanics and Control, Springer 2003, section 1.7",
        picture=[
            Solid(
                "sleigh",
                [
                    Block((2 * a, a, a / 6), at=(a / 2, 0, a / 4)),
                    Block((a / 2, a / 20, a / 3)),
                    Ellipsoid(a / 5, at=(a, 0, a / 3)),
                ],
            )
        ],
        name="chaplygin-sleigh",
    )
