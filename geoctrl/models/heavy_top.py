"""Heavy top with a fixed point: so(3) with one advected vector and no constraint."""

from __future__ import annotations

import sympy as sp

from geoctrl.algebra import AdvectedVector, so3
from geoctrl.models.catalogue_parts import defaults
from geoctrl.systems import EulerPoincare, Family, Parameter
from geoctrl.systems.picture import Disk, Ellipsoid, Rod, Solid

__all__ = ["heavy_top"]


def heavy_top() -> EulerPoincare:
    """Rigid body about a fixed point, the centre of mass at l E3; Gamma is the upward vertical.

    The equations are ``Pidot = Pi x Omega - m g l E3 x Gamma``, ``Gammadot = Gamma x Omega``.
    Parameter sets: "generic" (three different moments) and "lagrange" (I1 = I2).
    """
    algebra = so3()
    gamma = AdvectedVector("Gamma", reference=(0, 0, 1))
    parameters = (
        Parameter("m", 1.3, "kg", "mass", positive=True),
        Parameter("l", 0.6, "m", "distance from the fixed point to the centre of mass", positive=True),
        Parameter("g", 9.81, "m/s^2", "gravity", positive=True),
        Parameter("I1", 0.9, "kg m^2", "moment of inertia about E1 at the fixed point", positive=True),
        Parameter("I2", 0.8, "kg m^2", "moment of inertia about E2 at the fixed point", positive=True),
        Parameter("I3", 0.5, "kg m^2", "moment of inertia about E3", positive=True),
    )
    m, l, g, *moments = (p.symbol for p in parameters)  # noqa: E741 - the length's name in the literature
    Omega0 = sp.Symbol("Omega0", real=True)
    Pi = algebra.mu
    G = gamma.symbols
    generic = defaults(parameters)
    return EulerPoincare(
        algebra=algebra,
        advected=[gamma],
        inertia=sp.diag(*moments),
        potential=m * g * l * G[2],
        # The third momentum is conserved only by the symmetric top; it is dropped for any other.
        invariants={"Pi3": Pi[2]},
        parameters=parameters,
        parameter_sets={"generic": generic, "lagrange": {**generic, "I2": 0.9}},
        equilibria={
            "sleeping": Family({"Omega3": Omega0, "Gamma3": 1}, symbols=[Omega0]),
            "hanging": Family({"Omega3": Omega0, "Gamma3": -1}, symbols=[Omega0]),
        },
        source="J. E. Marsden and T. S. Ratiu, Introduction to Mechanics and Symmetry, Springer 1999, ch. 15",
        picture=[
            Solid(
                "top",
                [
                    Rod((0, 0, 0), (0, 0, 3 * l / 2)),
                    Disk(3 * l / 4, at=(0, 0, l), thickness=l / 5),
                    Ellipsoid(l / 12),
                ],
            )
        ],
        name="heavy-top",
    )
