"""Unicycle with a rotor: a disk that rolls on a plane, and a rider with a rotor along the heading."""

from __future__ import annotations

import sympy as sp

from geoctrl.algebra import Coordinate, product, rn, se2
from geoctrl.models.catalogue_solids import ACCENT
from geoctrl.systems import EulerPoincare, Family, Parameter, Rotors
from geoctrl.systems.picture import Disk, Ellipsoid, Rod, Solid

__all__ = ["unicycle_with_rotor"]


def unicycle_with_rotor() -> EulerPoincare:
    r"""Disk of radius R that does not slip, a rider that keeps to its plane, and a rotor driven by u_chi.

    On SE(2) x R, with the lean theta as a coordinate: e1 is the heading, which turns at the rate Omega, Y the
    velocity of the point of contact, psi_dot the rate of the disk relative to the rider. From the contact
    ``E3 = cos(theta) e3 - sin(theta) e2`` points to the disk's centre at R E3 and the rider's at h E3; the
    disk's axis is ``E2 = E3 x e1``. With ``w = Omega e3 + theta_dot e1`` and ``w_i = w . E_i``

    .. math::
        L = \tfrac12 m |Y + w \times R E_3|^2 + \tfrac12 \mu |Y + w \times h E_3|^2
        + \tfrac12 \bigl(A (w_1^2 + w_3^2) + B (w_2 + \dot\psi)^2\bigr) + \tfrac12 \sum_i K_i w_i^2
        + \tfrac12 J (w_1 + \dot\chi)^2 - (m R + \mu h)\, g \cos\theta

    under ``Y1 = R psi_dot``, ``Y2 = 0``. The rider's moments K include the rotor's, but for J about its axis.
    The momentum of a free rotor, "rotor", is conserved.

    Family "upright": straight ahead at the speed V0, the rotor at rest. With ``S = m R + mu h`` it is stable
    without control where ``B (B + R S) V0^2 > (A + K3) S g R^2``.
    """
    theta = Coordinate("theta", angle=True, description="lean of the disk, about the heading")
    parameters = (
        Parameter("m", 2.4, "kg", "mass of the disk", positive=True),
        Parameter("mu", 3.1, "kg", "mass of rider and rotor", positive=True),
        Parameter("R", 0.3, "m", "radius of the disk", positive=True),
        Parameter("h", 0.75, "m", "distance from the contact to the rider's centre of mass", positive=True),
        Parameter("A", 0.055, "kg m^2", "moment of inertia of the disk about a diameter", positive=True),
        Parameter("B", 0.11, "kg m^2", "moment of inertia of the disk about its axis", positive=True),
        Parameter(
            "K1", 0.21, "kg m^2", "rider's moment along the heading, rotor's J excluded", positive=True
        ),
        Parameter("K2", 0.24, "kg m^2", "rider's moment along the disk's axis", positive=True),
        Parameter("K3", 0.07, "kg m^2", "rider's moment along the rod", positive=True),
        Parameter("J", 0.035, "kg m^2", "moment of inertia of the rotor about its axis", positive=True),
        Parameter("g", 9.81, "m/s^2", "gravity", positive=True),
    )
    m, mu, R, h, A, B, K1, K2, K3, J, g = (p.symbol for p in parameters)
    plane = se2()
    algebra = product(plane, rn(1)).relabelled([*plane.labels, "psi_dot"], [*plane.momentum_labels, "p_psi"])
    Omega, Y1, Y2, spin = algebra.xi
    sine, cosine = sp.sin(theta.symbol), sp.cos(theta.symbol)
    E1, E2, E3 = sp.Matrix([1, 0, 0]), sp.Matrix([0, cosine, sine]), sp.Matrix([0, -sine, cosine])
    w = sp.Matrix([theta.rate, 0, Omega])
    disk, rider = (sp.Matrix([Y1, Y2, 0]) + w.cross(s * E3) for s in (R, h))
    w1, w2, w3 = (w.dot(e) for e in (E1, E2, E3))
    twice = m * disk.dot(disk) + mu * rider.dot(rider)
    twice += A * (w1**2 + w3**2) + B * (w2 + spin) ** 2
    twice += (K1 + J) * w1**2 + K2 * w2**2 + K3 * w3**2
    rotor = Rotors(coupling=[0, 0, 0, 0, J], inertia=J, names=["chi"])
    leaning = [(E1, theta.symbol)]
    V0 = sp.Symbol("V0", real=True)
    return EulerPoincare(
        algebra=algebra,
        shape=[theta],
        lagrangian=twice / 2 - (m * R + mu * h) * g * cosine,
        constraints={"rolling": [0, 1, 0, -R, 0], "sideways": [0, 0, 1, 0, 0]},
        domain={"above the ground": cosine > 0},
        rotors=rotor,
        invariants={"rotor": J * (theta.rate + rotor.rates[0])},
        equilibria={"upright": Family({"Y1": V0}, symbols=[V0])},
        parameters=parameters,
        source=(
            "D. V. Zenkov, A. M. Bloch and J. E. Marsden, Stabilization of the unicycle with rider, IEEE "
            "Conference on Decision and Control 1999; with N. E. Leonard, Matching and stabilization of "
            "low-dimensional nonholonomic systems, the same 2000"
        ),
        picture=[
            Solid(
                "disk",
                [Disk(R, axis=(0, 1, 0), thickness=R / 10)],
                place=R * E3,
                turns=[*leaning, ((0, 1, 0), "psi")],
            ),
            Solid(
                "rider", [Rod((0, 0, R), (0, 0, h), R / 12), Ellipsoid(R / 2, at=(0, 0, h))], turns=leaning
            ),
            Solid(
                "rotor",
                [Disk(R, axis=(1, 0, 0), thickness=R / 10)],
                place=R / 3 * E1 + h * E3,
                turns=[*leaning, ((1, 0, 0), "chi")],
                colour=ACCENT,
            ),
        ],
        name="unicycle-with-rotor",
    )
