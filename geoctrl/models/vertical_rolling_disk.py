"""Disk that rolls upright on a plane, steered and driven (Bloch, Krishnaprasad, Marsden and Murray 1996)."""

from __future__ import annotations

import sympy as sp

from geoctrl.algebra import product, se2, so2
from geoctrl.systems import EulerPoincare, Family, Parameter
from geoctrl.systems.picture import Disk, Solid

__all__ = ["vertical_rolling_disk"]


def vertical_rolling_disk() -> EulerPoincare:
    """SE(2) x SO(2): axis 1 of the plane along the heading, the second factor the rolling of the disk.

    The rates ``heading = Omega`` and ``rolling = Omega_2`` make up the state, ``Y1 = R Omega_2``, ``Y2 = 0``:

        J headingdot = u_steer,     (I + m R^2) rollingdot = u_roll.

    Without torques both rates are kept, and the contact runs on a circle of radius R rolling/heading. Family
    "circling": all pairs of rates, heading omega and rolling Omega0.
    """
    algebra = product(se2(), so2())
    parameters = (
        Parameter("m", 1.7, "kg", "mass", positive=True),
        Parameter("R", 0.3, "m", "radius", positive=True),
        Parameter("I", 0.09, "kg m^2", "moment of inertia about the axis", positive=True),
        Parameter("J", 0.05, "kg m^2", "moment of inertia about a diameter", positive=True),
    )
    m, R, axial, diametral = (p.symbol for p in parameters)
    heading, _, _, rolling = algebra.xi
    steer, roll = sp.symbols("u_steer u_roll", real=True)
    omega, Omega0 = sp.symbols("omega Omega0", real=True)
    return EulerPoincare(
        algebra=algebra,
        inertia=sp.diag(diametral, m, m, axial),
        constraints={"rolling": [0, 1, 0, -R], "sideways": [0, 0, 1, 0]},
        frame=sp.Matrix([[1, 0], [0, R], [0, 0], [0, 1]]),
        velocities=["heading", "rolling"],
        forces=[steer, 0, 0, roll],
        inputs=[steer, roll],
        invariants={"heading": heading, "rolling": rolling},
        equilibria={"circling": Family({"heading": omega, "rolling": Omega0}, symbols=[omega, Omega0])},
        parameters=parameters,
        source=(
            "A. M. Bloch, P. S. Krishnaprasad, J. E. Marsden and R. M. Murray, Nonholonomic mechanical "
            "systems with symmetry, Arch. Rational Mech. Anal. 136 (1996); A. M. Bloch, Nonholonomic "
            "Mechanics and Control, Springer 2003, section 1.4"
        ),
        picture=[
            Solid(
                "disk",
                [Disk(R, axis=(0, 1, 0), thickness=R / 8)],
                place=(0, 0, R),
                turns=[((0, 1, 0), "Omega_2")],
            )
        ],
        name="vertical-rolling-disk",
    )
