"""Heavy tops with an equatorial centre of mass: Kovalevskaya's, and Goryachev and Chaplygin's."""

from __future__ import annotations

import sympy as sp

from geoctrl.algebra import AdvectedVector, so3
from geoctrl.models.catalogue_solids import ACCENT, DARK
from geoctrl.systems import EulerPoincare, Family, Parameter
from geoctrl.systems.picture import Disk, Ellipsoid, Rod, Solid

__all__ = ["goryachev_chaplygin_top", "kovalevskaya_top"]


def _equatorial_top(ratio: int, **extra) -> EulerPoincare:
    """Top with moments (ratio, ratio, 1) I3, the centre of mass at l E1; Gamma is the upward vertical."""
    algebra = so3()
    gamma = AdvectedVector("Gamma", reference=(0, 0, 1))
    parameters = (
        Parameter("m", 1.3, "kg", "mass", positive=True),
        Parameter("l", 0.6, "m", "distance from the fixed point to the centre of mass", positive=True),
        Parameter("g", 9.81, "m/s^2", "gravity", positive=True),
        Parameter("I3", 0.5, "kg m^2", "moment of inertia about the axis of symmetry", positive=True),
    )
    m, l, g, I3 = (p.symbol for p in parameters)  # noqa: E741 - the length's name in the literature
    Omega0 = sp.Symbol("Omega0", real=True, nonzero=True)
    lean = m * g * l / ((ratio - 1) * I3 * Omega0**2)
    upright = sp.sqrt(1 - lean**2)
    staude = {"Gamma1": lean, "Gamma3": upright, "Omega1": Omega0 * lean, "Omega3": Omega0 * upright}
    return EulerPoincare(
        algebra=algebra,
        advected=[gamma],
        inertia=I3 * sp.diag(ratio, ratio, 1),
        potential=m * g * l * gamma.symbols[0],
        equilibria={
            "upright": Family({"Omega1": Omega0, "Gamma1": 1}, symbols=[Omega0]),
            "hanging": Family({"Omega1": Omega0, "Gamma1": -1}, symbols=[Omega0]),
            "staude": Family(staude, symbols=[Omega0]),
        },
        picture=[
            Solid(
                "top",
                [
                    Disk(3 * l / 4, thickness=l / 20, opacity=0.6),
                    Rod((0, 0, -3 * l / 4), (0, 0, 3 * l / 4), l / 40, colour=DARK),
                    Rod((0, 0, 0), (l, 0, 0), l / 30),
                    Ellipsoid(l / 5, at=(l, 0, 0), colour=ACCENT),
                ],
            )
        ],
        parameters=parameters,
        **extra,
    )


def kovalevskaya_top() -> EulerPoincare:
    """Integrable top with I1 = I2 = 2 I3 and ``|(Omega1 + i Omega2)^2 - (m g l/I3) (Gamma1 + i Gamma2)|^2``.

    Families, all rotating about the vertical at Omega0: "upright" and "hanging" about the axis through the
    centre of mass; "staude", about an axis between that one and the axis of symmetry, for
    Omega0^2 >= m g l/I3 (no real state below: EquilibriumError).
    """
    top = _equatorial_top(
        2,
        source=("S. Kovalevskaya, Acta Mathematica 12 (1889); O. Staude, J. reine angew. Math. 113 (1894)"),
        name="kovalevskaya-top",
    )
    m, l, g, I3 = (p.symbol for p in top.parameters)  # noqa: E741
    (W1, W2, _), (G1, G2, _) = top.algebra.xi, top.configuration_symbols
    k = m * g * l / I3
    real, imaginary = W1**2 - W2**2 - k * G1, 2 * W1 * W2 - k * G2
    return top.replace(invariants={"kovalevskaya": real**2 + imaginary**2})


def goryachev_chaplygin_top() -> EulerPoincare:
    """Top with I1 = I2 = 4 I3, integrable where Pi.Gamma = 0.

    ``Omega3 (Omega1^2 + Omega2^2) - (m g l/I3) Omega1 Gamma3`` is conserved on that level only. It is not
    declared: a leaf holds relations among advected vectors, no level of a momentum.

    Families as those of `kovalevskaya_top`, "staude" for Omega0^2 >= m g l/(3 I3).
    """
    return _equatorial_top(
        4,
        source="S. A. Chaplygin, 1901; D. N. Goryachev, Mat. Sbornik 21 (1900)",
        name="goryachev-chaplygin-top",
    )
