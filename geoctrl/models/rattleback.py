"""Rattleback (celt): an ellipsoid that rolls without slipping, its axes of inertia skewed against its own."""

from __future__ import annotations

import sympy as sp

from geoctrl.algebra import AdvectedVector, se3
from geoctrl.systems import EulerPoincare, Family, Parameter

__all__ = ["rattleback"]


def rattleback() -> EulerPoincare:
    """Body axes along the ellipsoid's, the origin at the centre of mass; Gamma is the upward vertical.

    The ellipsoid of semi-axes a, b, c has its centre d E3 above the centre of mass, and the contact is at
    ``rho = d E3 - B Gamma/(Gamma . B Gamma)^(1/2)``, B = diag(a^2, b^2, c^2). The principal axes of inertia
    of J1 and J2 are turned by the angle delta about E3 against those of a and b: with
    ``Y = rho x Omega`` and ``M = J Omega + m rho x (Omega x rho)``,

        Mdot = M x Omega + m rhodot x (Omega x rho) + m g rho x Gamma.

    Family "spinning" about the vertical axis c at the rate Omega0: for delta not a multiple of a right angle
    one sense of the spin differs from the other. With delta = 0 it is a triaxial ellipsoid.

    Parameter sets: "kane-levinson" (without friction; mass 1 kg, to which they relate the moments) and
    "borisov-mamaev" (dimensionless).
    """
    algebra = se3()
    gamma = AdvectedVector("Gamma", reference=(0, 0, 1))
    parameters = (
        Parameter("m", 1.2, "kg", "mass", positive=True),
        Parameter("g", 9.81, "m/s^2", "gravity", positive=True),
        Parameter("a", 0.19, "m", "semi-axis along E1", positive=True),
        Parameter("b", 0.032, "m", "semi-axis along E2", positive=True),
        Parameter("c", 0.021, "m", "semi-axis along E3", positive=True),
        Parameter("d", 0.009, "m", "height of the ellipsoid's centre above the centre of mass"),
        Parameter("J1", 0.00026, "kg m^2", "moment of inertia about E1 at the centre of mass", positive=True),
        Parameter("J2", 0.0018, "kg m^2", "moment of inertia about E2", positive=True),
        Parameter("J3", 0.0019, "kg m^2", "moment of inertia about E3, a principal axis", positive=True),
        Parameter("D", -0.00008, "kg m^2", "entry (1, 2) of the inertia, minus the product of inertia"),
    )
    m, g, a, b, c, d, J1, J2, J3, D = (p.symbol for p in parameters)
    Omega, Y, G = sp.Matrix(algebra.xi[:3]), sp.Matrix(algebra.xi[3:]), sp.Matrix(gamma.symbols)
    B = sp.diag(a**2, b**2, c**2)
    rho = d * sp.Matrix([0, 0, 1]) - B * G / sp.sqrt(G.dot(B * G))
    inertia = sp.Matrix([[J1, D, 0], [D, J2, 0], [0, 0, J3]])
    Omega0 = sp.Symbol("Omega0", real=True)
    return EulerPoincare(
        algebra=algebra,
        advected=[gamma],
        inertia=sp.diag(inertia, m * sp.eye(3)),
        potential=-m * g * rho.dot(G),
        constraints=(Y + Omega.cross(rho)).jacobian(algebra.xi),
        contact=rho,
        equilibria={"spinning": Family({"Omega3": Omega0, "Gamma3": 1}, symbols=[Omega0])},
        parameters=parameters,
        name="rattleback",
    )
