"""The roller racer: two bodies on wheels, joined by a steering hinge and driven by it."""

from __future__ import annotations

import sympy as sp

from geoctrl.algebra import Coordinate, se2
from geoctrl.models.catalogue_solids import ACCENT, DARK
from geoctrl.systems import EulerPoincare, Family, Parameter
from geoctrl.systems.picture import Block, Disk, Rod, Solid

__all__ = ["roller_racer"]


def roller_racer() -> EulerPoincare:
    r"""Seat in the plane, axis 1 along it; steered part on a hinge, without mass.

    The seat's axle is at the origin, its centre of mass; the hinge is d1 ahead of it, and the steered axle d2
    behind the hinge.

    .. math::
        L = \tfrac12 m (Y_1^2 + Y_2^2) + \tfrac12 I_1 \Omega^2 + \tfrac12 I_2 (\Omega + \dot\phi)^2

    Neither axle slips sideways: ``Y2 = 0`` and
    ``-sin(phi) Y1 + (d1 cos(phi) - d2) Omega - d2 phi_dot = 0``. Family "straight" at the speed V: turning
    dies out where the steered axle trails (V > 0) and grows where it is pushed.
    """
    phi = Coordinate("phi", angle=True, description="angle of the steered part against the seat")
    parameters = (
        Parameter("m", 55.0, "kg", "mass of seat and rider", positive=True),
        Parameter("I1", 2.1, "kg m^2", "moment of inertia of seat and rider about the axle", positive=True),
        Parameter(
            "I2", 0.09, "kg m^2", "moment of inertia of the steered part about its axle", positive=True
        ),
        Parameter("d1", 0.42, "m", "distance from the axle to the hinge", positive=True),
        Parameter("d2", 0.11, "m", "distance from the hinge back to the steered axle", positive=True),
    )
    m, I1, I2, d1, d2 = (p.symbol for p in parameters)
    algebra = se2()
    Omega, Y1, Y2 = algebra.xi
    V = sp.Symbol("V", real=True)
    steer = sp.Symbol("u", real=True)
    return EulerPoincare(
        algebra=algebra,
        shape=[phi],
        lagrangian=(m * (Y1**2 + Y2**2) + I1 * Omega**2 + I2 * (Omega + phi.rate) ** 2) / 2,
        constraints={
            "seat": [0, 0, 1, 0],
            "steered": [d1 * sp.cos(phi.symbol) - d2, -sp.sin(phi.symbol), sp.cos(phi.symbol), -d2],
        },
        forces=[0, 0, 0, steer],
        inputs=[steer],
        equilibria={"straight": Family({"Y1": V}, symbols=[V])},
        parameters=parameters,
        source=(
            "P. S. Krishnaprasad and D. P. Tsakiris, Oscillations, SE(2)-snakes and motion control: a study "
            "of the roller racer, Dynamical Systems 16 (2001)"
        ),
        picture=[
            Solid(
                "seat",
                [
                    Block((d1, d1 / 2, d1 / 8), at=(d1 / 4, 0, d1 / 4)),
                    *(Disk(d1 / 6, (0, 1, 0), (0, side * d1 / 2, d1 / 6), d1 / 12, DARK) for side in (1, -1)),
                ],
            ),
            Solid(
                "steered part",
                [
                    Rod((-d2, 0, d1 / 6), (0, 0, d1 / 6), d1 / 30),
                    Rod((0, 0, d1 / 6), (0, 0, d1 / 2), d1 / 40),
                    Rod((0, -d1 / 3, d1 / 2), (0, d1 / 3, d1 / 2), d1 / 40),
                    *(Disk(d1 / 8, (0, 1, 0), (-d2, side * d1 / 4, d1 / 8), d1 / 12) for side in (1, -1)),
                ],
                place=(d1, 0, 0),
                turns=[((0, 0, 1), phi.symbol)],
                colour=ACCENT,
            ),
        ],
        name="roller-racer",
    )
