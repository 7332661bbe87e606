"""Disk or hoop rolling on a horizontal plane, in body axes; E3 is its axis, about which it is symmetric."""

from __future__ import annotations

import sympy as sp

from geoctrl.algebra import AdvectedVector, Height, se3
from geoctrl.models.catalogue_parts import no_slip
from geoctrl.systems import Axis, EulerPoincare, Family, Parameter
from geoctrl.systems.picture import Disk, Solid

__all__ = ["rolling_disk"]

_FLAT = sp.Rational(1, 1000)
"""Inclination to the plane below which the disk lies on it."""


def rolling_disk() -> EulerPoincare:
    """Thin circular body of moments ``A m a^2`` (a diameter) and ``C m a^2`` (the axis) that does not slip.

    Parameter sets "disk" (A = 1/4, C = 1/2) and "hoop" (A = 1/2, C = 1). All steady motions are equilibria of
    ``reduce().despun()``. Families: "rolling" straight ahead, "spinning" on a diameter, and "circling", in
    which the axis, inclined to the vertical by 2 arctan t (0 < t), turns about it at the rate omega:

        (C + 1) omega Omega3 sin = A omega^2 sin cos - (g/a) cos.

    A disk that lies flat touches the plane everywhere: the domain "on its rim" ends a milliradian before.
    """
    algebra = se3()
    gamma = AdvectedVector("Gamma", reference=(0, 0, 1))
    parameters = (
        Parameter("m", 1.7, "kg", "mass", positive=True),
        Parameter("a", 0.3, "m", "radius", positive=True),
        Parameter("g", 9.81, "m/s^2", "gravity", positive=True),
        Parameter("A", 0.25, "", "moment of inertia about a diameter over m a^2", positive=True),
        Parameter("C", 0.5, "", "moment of inertia about the axis over m a^2", positive=True),
    )
    m, a, g, A, C = (p.symbol for p in parameters)
    Omega, Y, G = sp.Matrix(algebra.xi[:3]), sp.Matrix(algebra.xi[3:]), sp.Matrix(gamma.symbols)
    z = Height("z", along=gamma)
    along = sp.Matrix([-G[1], G[0], 0]) / sp.sqrt(G[0] ** 2 + G[1] ** 2)
    contact = -a * sp.Matrix([G[0], G[1], 0]) / sp.sqrt(G[0] ** 2 + G[1] ** 2)
    Omega0, omega, t = sp.symbols("Omega0 omega t", real=True)
    sine, cosine = 2 * t / (1 + t**2), (1 - t**2) / (1 + t**2)
    spin = cosine * (A * omega - g / (a * omega * sine)) / (C + 1)
    return EulerPoincare(
        algebra=algebra,
        advected=[gamma, z],
        inertia=sp.diag(*(m * a**2 * sp.Matrix([A, A, C])), m, m, m),
        potential=m * g * z.symbol,
        leaf={"on the plane": z.symbol + contact.dot(G)},
        constraints=no_slip(algebra, Y + Omega.cross(contact)),
        reactions={
            "normal": [0, 0, 0, *G],
            "forward": [0, 0, 0, *along],
            "sideways": [0, 0, 0, *G.cross(along)],
        },
        contact=contact,
        domain={"on its rim": G[0] ** 2 + G[1] ** 2 > _FLAT**2},
        symmetry=Axis((0, 0, 1)),
        equilibria={
            "rolling": Family({"Omega3": Omega0, "Gamma2": 1}, symbols=[Omega0]),
            "spinning": Family({"Omega2": Omega0, "Gamma2": 1}, symbols=[Omega0]),
            "circling": Family(
                {"Omega2": omega * sine, "Omega3": spin, "Gamma2": sine, "Gamma3": cosine},
                symbols=[omega, t],
            ),
        },
        parameters=parameters,
        parameter_sets={"disk": {"A": 0.25, "C": 0.5}, "hoop": {"A": 0.5, "C": 1.0}},
        source="Ju. I. Neimark and N. A. Fufaev, Dynamics of Nonholonomic Systems, AMS 1972",
        picture=[Solid("disk", [Disk(a, thickness=a / 12)])],
        name="rolling-disk",
    )
