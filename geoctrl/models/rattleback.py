"""Rattleback (celt): an ellipsoid that rolls without slipping, its axes of inertia skewed against its own."""

from __future__ import annotations

import sympy as sp

from geoctrl.algebra import AdvectedVector, Height, se3
from geoctrl.models.catalogue_parts import no_slip
from geoctrl.systems import EulerPoincare, Family, Parameter
from geoctrl.systems.picture import Ellipsoid, Solid

__all__ = ["rattleback"]


def rattleback() -> EulerPoincare:
    """Body axes along the ellipsoid's, the origin at the centre of mass; Gamma is the upward vertical.

    The ellipsoid of semi-axes a, b, c has its centre d E3 above the centre of mass, and the contact is at
    ``rho = d E3 - B Gamma/(Gamma . B Gamma)^(1/2)``, B = diag(a^2, b^2, c^2). With ``Y = rho x Omega`` and
    ``M = J Omega + m rho x (Omega x rho)``,

        Mdot = M x Omega + m rhodot x (Omega x rho) + m g rho x Gamma.

    D, an off-diagonal entry of J, turns its axes by delta against the ellipsoid's:
    tan 2 delta = 2 D/(J1 - J2). With D = 0 it is a triaxial ellipsoid. The energy is the only integral.

    Family "spinning" about the vertical at the rate Omega0. One sense is unstable. The other, which has
    D Omega0 (a^2 - b^2) < 0, attracts on its level of energy where Omega0 exceeds Bondi's critical spin, with
    h = c - d, R1 = a^2/c - h, R2 = b^2/c - h and S = J1 + J2 - J3 + m h^2

        Omega0^2 > m g R1 R2/(S (R1 + R2) - 2 m h R1 R2),

    and is unstable at every spin where the denominator is negative, as in the parameter set "kane-levinson"
    (without their friction, for a mass of 1 kg).
    """
    algebra = se3()
    gamma = AdvectedVector("Gamma", reference=(0, 0, 1))
    z = Height("z", along=gamma)
    parameters = (
        Parameter("m", 1.2, "kg", "mass", positive=True),
        Parameter("g", 9.81, "m/s^2", "gravity", positive=True),
        Parameter("a", 0.09, "m", "semi-axis along E1", positive=True),
        Parameter("b", 0.05, "m", "semi-axis along E2", positive=True),
        Parameter("c", 0.04, "m", "semi-axis along E3", positive=True),
        Parameter("d", 0.003, "m", "height of the ellipsoid's centre above the centre of mass"),
        Parameter("J1", 0.0011, "kg m^2", "moment of inertia about E1 at the centre of mass", positive=True),
        Parameter("J2", 0.0022, "kg m^2", "moment of inertia about E2", positive=True),
        Parameter("J3", 0.0025, "kg m^2", "moment of inertia about E3, a principal axis", positive=True),
        Parameter("D", -0.00015, "kg m^2", "entry (1, 2) of the inertia, minus the product of inertia"),
    )
    m, g, a, b, c, d, J1, J2, J3, D = (p.symbol for p in parameters)
    Omega, Y, G = sp.Matrix(algebra.xi[:3]), sp.Matrix(algebra.xi[3:]), sp.Matrix(gamma.symbols)
    B = sp.diag(a**2, b**2, c**2)
    rho = d * sp.Matrix([0, 0, 1]) - B * G / sp.sqrt(G.dot(B * G))
    Omega0 = sp.Symbol("Omega0", real=True)
    return EulerPoincare(
        algebra=algebra,
        advected=[gamma, z],
        inertia=sp.diag(sp.Matrix([[J1, D, 0], [D, J2, 0], [0, 0, J3]]), m * sp.eye(3)),
        potential=m * g * z.symbol,
        leaf={"on the plane": z.symbol + rho.dot(G)},
        constraints=no_slip(algebra, Y + Omega.cross(rho)),
        reactions={"normal": [0, 0, 0, *G]},
        contact=rho,
        equilibria={"spinning": Family({"Omega3": Omega0, "Gamma3": 1}, symbols=[Omega0])},
        parameters=parameters,
        parameter_sets={
            "kane-levinson": {
                **{"m": 1.0, "g": 9.81, "a": 0.2, "b": 0.03, "c": 0.02, "d": 0.01},
                **{"J1": 2e-4, "J2": 1.6e-3, "J3": 1.7e-3, "D": -2e-5},
            }
        },
        source=(
            "T. R. Kane and D. A. Levinson, Realistic mathematical modeling of the rattleback, Int. J. "
            "Non-Linear Mech. 17 (1982); H. Bondi, The rigid body dynamics of unidirectional spin, "
            "Proc. R. Soc. Lond. A 405 (1986)"
        ),
        picture=[Solid("stone", [Ellipsoid((2 * a, 2 * b, 2 * c), at=(0, 0, d))])],
        name="rattleback",
    )
