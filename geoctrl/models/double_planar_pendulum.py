"""Double pendulum in a vertical plane, on SO(2) x SO(2): the inertia depends on advected vectors."""

from __future__ import annotations

import sympy as sp

from geoctrl.algebra import AdvectedVector, product, so2
from geoctrl.models.catalogue_parts import LLM18
from geoctrl.models.catalogue_solids import ACCENT
from geoctrl.systems import EulerPoincare, Family, Parameter
from geoctrl.systems.picture import Ellipsoid, Rod, Solid

__all__ = ["double_planar_pendulum"]


def double_planar_pendulum() -> EulerPoincare:
    """Two massless links with masses at their ends; Gamma, Delta: the downward vertical seen from them.

    The links lie along axis 1 of their frames, so that Gamma = Delta = (1, 0, 0) hangs. Families: "hanging",
    "inverted", "up-down" and "down-up" (first link, second link).
    """
    gamma = AdvectedVector("Gamma", reference=(1, 0, 0), of=1)
    delta = AdvectedVector("Delta", reference=(1, 0, 0), of=2)
    parameters = (
        Parameter("m1", 1.1, "kg", "mass at the end of the first link", positive=True),
        Parameter("m2", 0.7, "kg", "mass at the end of the second link", positive=True),
        Parameter("l1", 0.9, "m", "length of the first link", positive=True),
        Parameter("l2", 0.6, "m", "length of the second link", positive=True),
        Parameter("g", 9.81, "m/s^2", "gravity", positive=True),
    )
    m1, m2, l1, l2, g = (p.symbol for p in parameters)
    G, D = sp.Matrix(gamma.symbols), sp.Matrix(delta.symbols)
    coupling = m2 * l1 * l2 * G.dot(D)
    places = {"hanging": (1, 1), "inverted": (-1, -1), "up-down": (-1, 1), "down-up": (1, -1)}
    return EulerPoincare(
        algebra=product(so2(), so2()),
        advected=[gamma, delta],
        inertia=sp.Matrix([[(m1 + m2) * l1**2, coupling], [coupling, m2 * l2**2]]),
        potential=-(m1 + m2) * g * l1 * G[0] - m2 * g * l2 * D[0],
        equilibria={k: Family({"Gamma1": s, "Delta1": t}) for k, (s, t) in places.items()},
        parameters=parameters,
        source=LLM18,
        picture=[
            Solid(
                "first link",
                [Rod((0, 0, 0), (l1, 0, 0)), Ellipsoid(l1 / 6, at=(l1, 0, 0))],
                up=(-1, 0, 0),
            ),
            Solid(
                "second link",
                [Rod((0, 0, 0), (l2, 0, 0), l1 / 40), Ellipsoid(l1 / 7, at=(l2, 0, 0))],
                of=2,
                place=(l1 * G.dot(D), l1 * (G[0] * D[1] - G[1] * D[0]), 0),
                colour=ACCENT,
            ),
        ],
        name="double-planar-pendulum",
    )
