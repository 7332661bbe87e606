"""Heavy top whose pivot rides on a base that slides on a horizontal plane without friction."""

from __future__ import annotations

import sympy as sp

from geoctrl.algebra import AdvectedVector, so3
from geoctrl.systems import EulerPoincare, Family, Parameter

__all__ = ["top_on_movable_base"]


def top_on_movable_base() -> EulerPoincare:
    """Top on a base that moves freely along the plane and does not turn; Gamma is the upward vertical.

    No horizontal force acts from outside: seen from axes that follow the common centre of mass, the velocity
    of the base is ``-m l/(m + M)`` times the horizontal part of ``Omega x E3``. The rotation is left, with
    ``2 T = Omega.I Omega - mu (|Omega x E3|^2 - (Gamma . Omega x E3)^2)``, ``mu = (m l)^2/(m + M)``, and
    ``U = m g l Gamma3``: I at the pivot, the centre of mass at l E3. A heavy base makes it the heavy top.

    The library finds Pi.Gamma; "Pi3" is kept where I1 = I2. Outputs ``base1 .. base3``: the base's velocity,
    in body axes. Families "sleeping" and "hanging". Parameter sets: "generic" and "lagrange" (I1 = I2).
    """
    algebra = so3()
    gamma = AdvectedVector("Gamma", reference=(0, 0, 1))
    parameters = (
        Parameter("m", 1.3, "kg", "mass of the top", positive=True),
        Parameter("M", 0.8, "kg", "mass of the base", positive=True),
        Parameter("l", 0.6, "m", "distance from the pivot to the top's centre of mass", positive=True),
        Parameter("g", 9.81, "m/s^2", "gravity", positive=True),
        Parameter("I1", 0.9, "kg m^2", "top's moment of inertia about E1 at the pivot", positive=True),
        Parameter("I2", 0.8, "kg m^2", "top's moment of inertia about E2 at the pivot", positive=True),
        Parameter("I3", 0.5, "kg m^2", "top's moment of inertia about E3", positive=True),
    )
    m, M, l, g, *moments = (p.symbol for p in parameters)  # noqa: E741 - the length's name in the literature
    Omega, G, E3 = algebra.xi, sp.Matrix(gamma.symbols), sp.Matrix([0, 0, 1])
    swing = Omega.cross(E3)  # velocity of the axis; its horizontal part is what the base takes up
    horizontal = swing - G.dot(swing) * G
    taken_up = (m * l) ** 2 / (m + M) * (swing.dot(swing) - G.dot(swing) ** 2)
    base = -m * l / (m + M) * horizontal
    Omega0 = sp.Symbol("Omega0", real=True)
    generic = {p.name: p.default for p in parameters if p.default is not None}
    return EulerPoincare(
        algebra=algebra,
        advected=[gamma],
        lagrangian=(Omega.dot(sp.diag(*moments) * Omega) - taken_up) / 2 - m * g * l * G[2],
        invariants={"Pi3": algebra.mu[2]},
        outputs={f"base{i}": v for i, v in enumerate(base, start=1)},
        parameters=parameters,
        parameter_sets={"generic": generic, "lagrange": {**generic, "I2": 0.9}},
        equilibria={
            "sleeping": Family({"Omega3": Omega0, "Gamma3": 1}, symbols=[Omega0]),
            "hanging": Family({"Omega3": Omega0, "Gamma3": -1}, symbols=[Omega0]),
        },
        source="E. J. Routh, Advanced Part of a Treatise on the Dynamics of a System of Rigid Bodies, 1905",
        name="top-on-movable-base",
    )
