"""Tippe top: a ball off its balance that slides on a plane with viscous friction."""

from __future__ import annotations

import sympy as sp

from geoctrl.algebra import AdvectedVector, Height, se3
from geoctrl.models.catalogue_solids import ACCENT, turning_ball
from geoctrl.systems import EulerPoincare, Family, Parameter
from geoctrl.systems.picture import Rod, Solid

__all__ = ["tippe_top"]


def tippe_top() -> EulerPoincare:
    r"""Ball of radius R whose centre of mass lies epsilon R below its centre on its axis E3; Gamma is up.

    Body axes at the centre of mass, which has the velocity Y. The contact at ``r = R (epsilon E3 - Gamma)``
    stays on the plane and is dragged by the force ``F = -c V``, where ``V = Y + Omega x r`` is its velocity:

    .. math::
        L = \tfrac12 \Omega \cdot I \Omega + \tfrac12 m |Y|^2 + m g\, \epsilon\, R\, \Gamma_3, \qquad
        \Gamma \cdot V = 0

    "jellett", ``Pi . (epsilon E3 - Gamma)``, is conserved, and the energy falls until nothing slides.
    Families "bottom", the centre of mass low, and "top", spinning at n about the vertical. They are stable
    where they have least energy on their level of Jellett's integral, and unstable with the opposite signs:

        bottom:  n^2 (I1 - I3 (1 - epsilon)) < m g R epsilon (1 - epsilon)^2,
        top:     n^2 (I3 (1 + epsilon) - I1) > m g R epsilon (1 + epsilon)^2.

    Where ``1 - epsilon < I1/I3 < 1 + epsilon`` both change, at n_1 and n_2: a fast top turns over.
    """
    algebra = se3()
    gamma = AdvectedVector("Gamma", reference=(0, 0, 1))
    z = Height("z", along=gamma)
    parameters = (
        Parameter("m", 0.015, "kg", "mass", positive=True),
        Parameter("R", 0.025, "m", "radius of the ball", positive=True),
        Parameter("epsilon", 0.2, "", "distance of the centre of mass from the centre over R", positive=True),
        Parameter("I1", 3.9e-6, "kg m^2", "central moment of inertia across the axis", positive=True),
        Parameter("I3", 4.1e-6, "kg m^2", "moment of inertia about the axis", positive=True),
        Parameter("c", 0.06, "N s/m", "friction: force over velocity of sliding", positive=True),
        Parameter("g", 9.81, "m/s^2", "gravity", positive=True),
    )
    m, R, epsilon, I1, I3, c, g = (p.symbol for p in parameters)
    Omega, Y, G = sp.Matrix(algebra.xi[:3]), sp.Matrix(algebra.xi[3:]), sp.Matrix(gamma.symbols)
    E3 = sp.Matrix([0, 0, 1])
    r = R * (epsilon * E3 - G)
    sliding = Y + Omega.cross(r)
    n = sp.Symbol("n", real=True)
    return EulerPoincare(
        algebra=algebra,
        advected=[gamma, z],
        inertia=sp.diag(I1, I1, I3, m, m, m),
        potential=m * g * z.symbol,
        leaf={"on the plane": z.symbol + r.dot(G)},
        constraints={"normal": list(sp.Matrix([sliding.dot(G)]).jacobian(algebra.xi))},
        forces=-c * sp.Matrix.vstack(r.cross(sliding), sliding),
        invariants={"jellett": sp.Matrix(algebra.mu[:3]).dot(epsilon * E3 - G)},
        equilibria={
            "bottom": Family({"Omega3": n, "Gamma3": 1}, symbols=[n]),
            "top": Family({"Omega3": n, "Gamma3": -1}, symbols=[n]),
        },
        contact=r,
        parameters=parameters,
        source=(
            "N. M. Bou-Rabee, J. E. Marsden and L. A. Romero, Tippe top inversion as a dissipation-induced "
            "instability, SIAM Journal on Applied Dynamical Systems 3 (2004)"
        ),
        picture=[
            Solid(
                "top",
                [*turning_ball(R, at=epsilon * R * E3), Rod(epsilon * R * E3, 2 * R * E3, R / 4, ACCENT)],
            )
        ],
        name="tippe-top",
    )
