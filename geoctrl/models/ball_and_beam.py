"""Ball that rolls along a beam which turns about its middle."""

from __future__ import annotations

import sympy as sp

from geoctrl.algebra import Coordinate
from geoctrl.models.catalogue_solids import DARK, turning_ball
from geoctrl.systems import EulerPoincare, Family, Parameter
from geoctrl.systems.picture import Block, Disk, Solid

__all__ = ["ball_and_beam"]


def ball_and_beam() -> EulerPoincare:
    r"""Ball at the place r along a beam at the angle theta, which the torque tau turns.

    .. math::
        L = \tfrac12 \Bigl(M + \frac{J_b}{R^2}\Bigr) \dot r^2 + \tfrac12 (J + J_b + M r^2)\, \dot\theta^2
        - M g r \sin\theta

    as in the source: the centre of the ball lies on the line through the pivot, and its rotation is
    rdot/R along the beam and thetadot with it, without their product. Both are coordinates, there is no
    group. Family "level": the ball at r0 on the level beam, held by tau = M g r0; it is unstable.
    """
    r = Coordinate("r", "m", description="place of the ball along the beam")
    theta = Coordinate("theta", angle=True, description="angle of the beam with the horizontal")
    parameters = (
        Parameter("M", 0.05, "kg", "mass of the ball", positive=True),
        Parameter("R", 0.01, "m", "radius of the ball", positive=True),
        Parameter("J_b", 2e-6, "kg m^2", "moment of inertia of the ball", positive=True),
        Parameter("J", 0.02, "kg m^2", "moment of inertia of the beam", positive=True),
        Parameter("g", 9.81, "m/s^2", "gravity", positive=True),
    )
    M, R, J_b, J, g = (p.symbol for p in parameters)
    r0 = sp.Symbol("r0", real=True)
    kinetic = (M + J_b / R**2) * r.rate**2 / 2 + (J + J_b + M * r.symbol**2) * theta.rate**2 / 2
    return EulerPoincare(
        shape=[r, theta],
        lagrangian=kinetic - M * g * r.symbol * sp.sin(theta.symbol),
        forces=[0, sp.Symbol("tau", real=True)],
        inputs=["tau"],
        equilibria={"level": Family({"r": r0}, symbols=[r0], inputs={"tau": M * g * r0})},
        parameters=parameters,
        source=(
            "J. Hauser, S. Sastry and P. Kokotovic, Nonlinear control via approximate input-output "
            "linearization: the ball and beam example, IEEE Transactions on Automatic Control 37 (1992)"
        ),
        picture=[
            Solid(
                "beam",
                [Block((60 * R, 4 * R, R), at=(0, 0, -3 * R / 2)), Disk(R, axis=(0, 1, 0), thickness=6 * R)],
                of=None,
                turns=[((0, -1, 0), theta.symbol)],
                colour=DARK,
            ),
            Solid(
                "ball",
                turning_ball(R),
                of=None,
                place=(r.symbol * sp.cos(theta.symbol), 0, r.symbol * sp.sin(theta.symbol)),
                turns=[((0, -1, 0), theta.symbol), ((0, 1, 0), r.symbol / R)],
            ),
        ],
        name="ball-and-beam",
    )
