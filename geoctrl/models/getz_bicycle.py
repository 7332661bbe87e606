"""The bicycle of Getz (1994): a point mass on a massless frame that leans, and a track that is steered."""

from __future__ import annotations

import sympy as sp

from geoctrl.algebra import Coordinate, se2
from geoctrl.models.catalogue_solids import ACCENT
from geoctrl.systems import EulerPoincare, Family, Parameter
from geoctrl.systems.picture import Disk, Ellipsoid, Rod, Solid

__all__ = ["getz_bicycle"]


def getz_bicycle() -> EulerPoincare:
    r"""A leaning point mass over two contacts, of which the front one is steered.

    The group SE(2) places the contact of the rear wheel and its heading, along E1; E2 is to the left. The
    frame leans to the right by ``alpha``, and ``sigma`` is the curvature of the track to the left, the
    tangent of the steering angle over the wheel base. With the mass at the height p, a distance c ahead,

        l = m ((Y1 + p sin(alpha) Omega)^2 + (Y2 + c Omega - p cos(alpha) alpha')^2
            + (p sin(alpha) alpha')^2)/2 + J sigma'^2/2 - m g p cos(alpha),

    and nothing slips: Omega = sigma Y1, Y2 = 0. Inputs are the force ``F_r`` along the track
    and the torque ``u_sigma`` on the steering. Families: "upright" rides straight ahead at the speed v;
    "turning" rides a circle of the curvature kappa with a lean of 2 arctan(s), at the speed v for which

        g sin(alpha) + (1 + p kappa sin(alpha)) cos(alpha) kappa v^2 = 0.
    """
    algebra = se2()
    alpha = Coordinate("alpha", angle=True, description="lean, to the right")
    sigma = Coordinate("sigma", unit="1/m", description="curvature of the track, to the left")
    parameters = (
        Parameter("m", 81.0, "kg", "mass", positive=True),
        Parameter("p", 0.94, "m", "height of the mass", positive=True),
        Parameter("c", 0.42, "m", "distance of the mass ahead of the rear contact"),
        Parameter("J", 0.37, "kg m^4", "inertia of the steering, of its energy J sigma'^2/2", positive=True),
        Parameter("g", 9.81, "m/s^2", "gravity", positive=True),
    )
    m, p, c, J, g = (q.symbol for q in parameters)
    (Omega, Y1, Y2), leaning = algebra.xi, alpha.rate
    base = sp.Rational(5, 4) * p  # of the wheels in the picture; the equations have none
    cosine, sine = sp.cos(alpha.symbol), sp.sin(alpha.symbol)
    ahead, left = Y1 + p * sine * Omega, Y2 + c * Omega
    square = ahead**2 + left**2 - 2 * p * cosine * left * leaning + p**2 * leaning**2
    v, kappa, s = sp.symbols("v kappa s", real=True)
    lean = {"sin": 2 * s / (1 + s**2), "cos": (1 - s**2) / (1 + s**2)}
    return EulerPoincare(
        algebra=algebra,
        shape=[alpha, sigma],
        lagrangian=(m * square + J * sigma.rate**2) / 2 - m * g * p * cosine,
        constraints={"front wheel": [1, -sigma.symbol, 0, 0, 0], "rear wheel": [0, 0, 1, 0, 0]},
        domain={"above the ground": cosine > 0},
        forces=[0, sp.Symbol("F_r", real=True), 0, 0, sp.Symbol("u_sigma", real=True)],
        inputs=["F_r", "u_sigma"],
        equilibria={
            "upright": Family({"Y1": v}, symbols=[v]),
            "turning": Family(
                {"Y1": v, "alpha": 2 * sp.atan(s), "sigma": kappa},
                symbols=[v, kappa, s],
                relations=[g * lean["sin"] + (1 + p * kappa * lean["sin"]) * lean["cos"] * kappa * v**2],
            ),
        },
        parameters=parameters,
        source="N. H. Getz, Control of balance for a nonlinear nonholonomic non-minimum phase model of a "
        "bicycle, American Control Conference 1994; N. H. Getz and J. E. Marsden, Control for an autonomous "
        "bicycle, ICRA 1995",
        picture=[
            Solid(
                "frame",
                [
                    Disk(p / 3, axis=(0, 1, 0), at=(0, 0, p / 3), thickness=p / 25, opacity=0.6),
                    Rod((0, 0, p / 3), (c, 0, p), p / 40),
                    Rod((c, 0, p), (base, 0, p / 3), p / 40),
                    Ellipsoid(p / 4, at=(c, 0, p), colour=ACCENT),
                ],
                turns=[((1, 0, 0), alpha.symbol)],
            ),
            Solid(
                "front wheel",
                [Disk(p / 3, axis=(0, 1, 0), at=(0, 0, p / 3), thickness=p / 25, opacity=0.6)],
                place=(base, 0, 0),
                turns=[((1, 0, 0), alpha.symbol), ((0, 0, 1), sp.atan(base * sigma.symbol))],
            ),
        ],
        name="getz-bicycle",
    )
