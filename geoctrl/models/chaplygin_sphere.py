"""Chaplygin's sphere: a dynamically asymmetric balanced ball that rolls without slipping."""

from __future__ import annotations

import sympy as sp

from geoctrl.algebra import AdvectedVector, Height, se3
from geoctrl.models.catalogue_parts import no_slip
from geoctrl.models.catalogue_solids import turning_ball
from geoctrl.systems import EulerPoincare, Family, Parameter
from geoctrl.systems.picture import Solid

__all__ = ["chaplygin_sphere"]


def chaplygin_sphere() -> EulerPoincare:
    """Body axes are the principal axes at the ball's centre, its centre of mass; Gamma points upwards.

    The contact is at -a Gamma, the velocity of the centre Y = a Omega x Gamma, and the momentum about the
    contact ``K = J Omega + m a^2 Gamma x (Omega x Gamma)`` is constant in space: ``Kdot = K x Omega``.

    Invariants: "K.Gamma", "|K|^2". Families "about1", "about2", "about3": a principal axis vertical, the ball
    spinning in place at Omega0; stable about the axes of the least and of the greatest moment.
    """
    algebra = se3()
    gamma = AdvectedVector("Gamma", reference=(0, 0, 1))
    z = Height("z", along=gamma)
    parameters = (
        Parameter("m", 1.3, "kg", "mass", positive=True),
        Parameter("a", 0.35, "m", "radius", positive=True),
        Parameter("J1", 0.031, "kg m^2", "moment of inertia about E1 at the centre", positive=True),
        Parameter("J2", 0.052, "kg m^2", "moment of inertia about E2", positive=True),
        Parameter("J3", 0.074, "kg m^2", "moment of inertia about E3", positive=True),
        Parameter("g", 9.81, "m/s^2", "gravity, which moves nothing and presses on the plane", positive=True),
    )
    m, a, *moments, g = (p.symbol for p in parameters)
    Omega, Y, G = sp.Matrix(algebra.xi[:3]), sp.Matrix(algebra.xi[3:]), sp.Matrix(gamma.symbols)
    rho = -a * G
    K = sp.diag(*moments) * Omega + m * rho.cross(Omega.cross(rho))
    Omega0 = sp.Symbol("Omega0", real=True)
    return EulerPoincare(
        algebra=algebra,
        advected=[gamma, z],
        potential=m * g * z.symbol,
        leaf={"on the plane": z.symbol + rho.dot(G)},
        inertia=sp.diag(*moments, m, m, m),
        constraints=no_slip(algebra, Y + Omega.cross(rho)),
        reactions={"normal": [0, 0, 0, *G]},
        contact=rho,
        invariants={"K.Gamma": K.dot(G), "|K|^2": K.dot(K)},
        equilibria={
            f"about{i}": Family({f"Omega{i}": Omega0, f"Gamma{i}": 1}, symbols=[Omega0]) for i in (1, 2, 3)
        },
        parameters=parameters,
        source=(
            "S. A. Chaplygin, On a ball's rolling on a horizontal plane, 1903, translated in Regul. Chaotic "
            "Dyn. 7 (2002)"
        ),
        picture=[Solid("ball", turning_ball(a))],
        name="chaplygin-sphere",
    )
