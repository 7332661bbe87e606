"""Pendulum skate: free, with a rotor (Garcia and Ohsawa 2024), off balance (Gzenda and Putkaradze 2020).

A blade on ice carries a rigid pendulum. Body axes: E1 along the blade, the origin at the contact
point, the centre of mass at l E3; Gamma is the upward vertical seen from the body.
"""

from __future__ import annotations

import sympy as sp

from geoctrl.algebra import AdvectedVector, Height, se3
from geoctrl.models.catalogue_parts import defaults
from geoctrl.systems import EulerPoincare, Family, Parameter, Rotors
from geoctrl.systems.picture import Block, Disk, Ellipsoid, Rod, Solid

__all__ = ["pendulum_skate", "pendulum_skate_offset", "pendulum_skate_rotor"]

_SOURCE = (
    "J. S. Garcia and T. Ohsawa, Controlled Lagrangians and stabilization of Euler-Poincare equations with "
    "symmetry breaking nonholonomic constraints, 2024; "
    "V. Gzenda and V. Putkaradze, J. Nonlinear Sci. 30 (2020)"
)

_PARAMETERS = (
    Parameter("m", 2.0, "kg", "total mass", positive=True),
    Parameter("l", 0.8, "m", "height of the centre of mass above the blade", positive=True),
    Parameter("g", 9.8, "m/s^2", "gravity", positive=True),
    Parameter("I1", 0.35, "kg m^2", "moment of inertia about the blade's direction", positive=True),
    Parameter("I2", 0.35, "kg m^2", "moment of inertia about the lateral axis", positive=True),
    Parameter("I3", 0.004, "kg m^2", "moment of inertia about the pendulum's axis", positive=True),
)
_ROTOR_PARAMETERS = (
    Parameter(
        "J1", 0.005, "kg m^2", "rotor's moment of inertia about its axis, along the blade", positive=True
    ),
    Parameter("J2", 0.0025, "kg m^2", "rotor's moment of inertia about the lateral axis", positive=True),
    Parameter("J3", 0.0025, "kg m^2", "rotor's moment of inertia about the pendulum's axis", positive=True),
)


def _skate(moments, offset=0, wheels=(), families=None, **extra) -> EulerPoincare:
    """The skate whose body, everything locked, has these moments of inertia about its centre of mass.

    ``offset`` is the distance of the centre of mass ahead of the contact, along the blade.
    """
    algebra = se3()
    gamma = AdvectedVector("Gamma", reference=(0, 0, 1))
    z = Height("z", along=gamma)
    m, l, g = (p.symbol for p in _PARAMETERS[:3])  # noqa: E741 - the length's name in the literature
    G, E1, E3 = gamma.symbols, sp.Matrix([1, 0, 0]), sp.Matrix([0, 0, 1])
    Omega, Y = sp.Matrix(algebra.xi[:3]), sp.Matrix(algebra.xi[3:])
    rho = offset * E1 + l * E3
    centre = Y + Omega.cross(rho)
    lateral, zero = E1.cross(G), sp.zeros(3, 1)
    Pi, P = sp.Matrix(algebra.mu[:3]), sp.Matrix(algebra.mu[3:])
    s = sp.Symbol("s", real=True)
    _, M2, M3 = moments
    # [GO] (36) and (37) in momenta: p2 - l Gamma2 p3 = (I2 Gamma2^2 + I3 Gamma3^2) v2, and p3/m plus the
    # quadrature, which is an arctan, linear or an artanh by the sign of I2 - I3.
    C1 = G.dot(Pi) - l * G[1] * P[0]
    C2 = P[0] / m + l * C1 * sp.Integral(1 / ((M2 - M3) * s**2 + M3), (s, 0, G[1]))
    Omega0, Y0 = sp.symbols("Omega0 Y0", real=True)
    spinning = {} if offset else {"spinning": Family({"v2": Omega0, "Gamma3": 1}, symbols=[Omega0])}
    skater = Solid(
        "skater",
        [
            Block((4 * l / 5, l / 30, l / 10), at=(0, 0, l / 20), colour="#64748b"),
            Rod((0, 0, 0), rho, l / 40),
            Ellipsoid((l / 4, l / 4, 2 * l / 5), at=rho),
        ],
    )
    return EulerPoincare(
        algebra=algebra,
        picture=[skater, *wheels],
        advected=[gamma, z],
        lagrangian=(Omega.dot(sp.diag(*moments) * Omega) + m * centre.dot(centre)) / 2
        - m * g * (z.symbol + rho.dot(sp.Matrix(G))),
        constraints={
            "pitching": [*lateral, *zero],
            "normal": [*zero, *G],
            "sideways": [*zero, *lateral],
        },
        frame=sp.Matrix.hstack(
            *(sp.Matrix([*a, *b]) for a, b in ((E1, zero), (G, zero), (zero, E1))),
            *(sp.Matrix([*a, *b]) for a, b in ((lateral, zero), (zero, G), (zero, lateral))),
        ),
        leaf=[G[0], z.symbol],
        invariants={"C1": C1, "C2": C2},
        equilibria={**spinning, "sliding": Family({"v3": Y0, "Gamma3": 1}, symbols=[Y0]), **(families or {})},
        domain={"above the ice": G[2] > 0},
        contact=[0, 0, 0],
        source=_SOURCE,
        **extra,
    )


def pendulum_skate() -> EulerPoincare:
    """The skate of [GO] section 5; parameter set "7.2"."""
    return _skate(
        [p.symbol for p in _PARAMETERS[3:]],
        parameters=_PARAMETERS,
        parameter_sets={"7.2": defaults(_PARAMETERS)},
        name="pendulum-skate",
    )


def pendulum_skate_offset() -> EulerPoincare:
    """The skate with its centre of mass at b E1 + l E3, ahead of the contact where b > 0.

    With b = 0 it is "pendulum-skate" with its invariants C1 and C2. Any other b breaks both: the motion is
    not integrable, and turning accelerates the blade as it does Chaplygin's sleigh, so that there are no
    steady turns. Family "sliding" at the speed Y0 falls at every speed, with eigenvalues 0 and the roots of

        ((I1 + m l^2) s^2 - m g l) ((I3 + m b^2) s + m b Y0) = m^2 l^2 b s^2 (b s + Y0).
    """
    b = Parameter("b", 0.07, "m", "distance of the centre of mass ahead of the contact, along the blade")
    return _skate(
        [p.symbol for p in _PARAMETERS[3:]],
        offset=b.symbol,
        parameters=(*_PARAMETERS, b),
        name="pendulum-skate-offset",
    )


def pendulum_skate_rotor() -> EulerPoincare:
    """The skate with a rotor about the blade's direction, [GO] Example 18; parameter set "7.3".

    I1, I2, I3 exclude the rotor, m includes it. Family "turning" has all steady turns near "sliding", which
    it meets at Omega0 = 0: it leans by the angle phi with tan(phi/2) = tilt Omega0 =: p and goes at

        v3 = 2 tilt (g/(1 - p^2) + (m l^2 + I2 + J2 - I3 - J3) Omega0^2/(m l (1 + p^2))).
    """
    moments = [p.symbol + q.symbol for p, q in zip(_PARAMETERS[3:], _ROTOR_PARAMETERS, strict=True)]
    mass, *rest = _PARAMETERS
    total = Parameter(mass.name, 3.0, mass.unit, "total mass, rotor included", positive=True)
    parameters = (total, *rest, *_ROTOR_PARAMETERS)
    J1, (m, height, g) = _ROTOR_PARAMETERS[0].symbol, (p.symbol for p in _PARAMETERS[:3])
    Omega0, tilt, spin = sp.symbols("Omega0 tilt spin", real=True)
    p, flattened = tilt * Omega0, m * height**2 + moments[1] - moments[2]
    turning = {
        "v2": Omega0,
        "v3": 2 * tilt * (g / (1 - p**2) + flattened * Omega0**2 / (m * height * (1 + p**2))),
        "theta_dot": spin,
        "Gamma2": -2 * p / (1 + p**2),
        "Gamma3": (1 - p**2) / (1 + p**2),
    }
    return _skate(
        moments,
        wheels=[
            Solid(
                "rotor",
                [Disk(height / 4, axis=(1, 0, 0))],
                place=(height / 5, 0, height),
                turns=[((1, 0, 0), "theta")],
                colour="#D55E00",
            )
        ],
        rotors=Rotors(coupling=[J1, 0, 0, 0, 0, 0], inertia=J1, names=["theta"]),
        families={"turning": Family(turning, symbols=[Omega0, tilt, spin])},
        parameters=parameters,
        parameter_sets={"7.3": defaults(parameters)},
        name="pendulum-skate-rotor",
    )
