"""Veselova's system: a rigid body of which the spatial angular velocity has no component along gamma."""

from __future__ import annotations

import sympy as sp

from geoctrl._checks import require_choice
from geoctrl.algebra import AdvectedVector, so3
from geoctrl.errors import ParameterError
from geoctrl.models.catalogue_parts import components, defaults, per_axis
from geoctrl.models.catalogue_solids import brick
from geoctrl.systems import EulerPoincare, Family
from geoctrl.systems.picture import Solid

__all__ = ["veselova"]


def veselova(potential: str = "zero") -> EulerPoincare:
    """Nonholonomic LR system on SO(3): ``Gamma . Omega = 0`` ([GO] Example 10; Veselov and Veselova 1986).

    No frame exists at every Gamma (a tangent field of the sphere has zeros), so that the constraint is
    kept by a multiplier and belongs to the leaf.

    Invariant "momentum": ``|Pi|^2 - (Pi . Gamma)^2``, with the quadratic potential
    ``+ I3 (B2 - B1) Gamma2^2 + I2 (B3 - B1) Gamma3^2``, which is conserved where B is an affine function of I
    (parameter set "clebsch": B = I/2) and dropped elsewhere.

    Families, all at rest: "resting" (U = 0), "hanging" and "upright" along -b and b (linear), "upright" along
    E3 (quadratic).

    Parameters
    ----------
    potential : {"zero", "linear", "quadratic"}
        U = 0, U = b . Gamma, or U = (B1 Gamma1^2 + B2 Gamma2^2 + B3 Gamma3^2)/2.
    """
    algebra = so3()
    gamma = AdvectedVector("Gamma", reference=(0, 0, 1))
    G, Omega = gamma.symbols, algebra.xi
    moments = per_axis("I", (1.1, 1.7, 2.3), "kg m^2", "principal moment of inertia {0}", positive=True)
    linear = per_axis("b", (0.4, -0.7, 1.2), "J", "linear potential, component {0}")
    quadratic = per_axis("B", (0.9, -0.5, 1.6), "J", "quadratic potential, coefficient {0}")
    potentials = {
        "zero": (sp.Integer(0), ()),
        "linear": (sum(b.symbol * x for b, x in zip(linear, G, strict=True)), linear),
        "quadratic": (sum(B.symbol * x**2 for B, x in zip(quadratic, G, strict=True)) / 2, quadratic),
    }
    require_choice("potential", potential, potentials, ParameterError)
    U, extra = potentials[potential]
    inertia = sp.diag(*(p.symbol for p in moments))
    Pi = inertia * Omega
    invariants, families, sets = {}, {}, {}
    # With U = 0 the momentum less its part along the multiplier is constant in space: Pi + lambda Gamma.
    momentum = Pi.dot(Pi) - Pi.dot(G) ** 2
    if potential == "zero":
        invariants["momentum"] = momentum
        families["resting"] = Family({"Gamma3": 1})
    elif potential == "linear":
        b = sp.Matrix([p.symbol for p in linear])
        down = -b / sp.sqrt(b.dot(b))
        families["hanging"] = Family(components("Gamma", down))
        families["upright"] = Family(components("Gamma", -down))
    else:
        B1, B2, B3 = (p.symbol for p in quadratic)
        I2, I3 = (p.symbol for p in moments[1:])
        invariants["momentum"] = momentum + I3 * (B2 - B1) * G[1] ** 2 + I2 * (B3 - B1) * G[2] ** 2
        families["upright"] = Family({"Gamma3": 1})
        # Binary fractions, for which B = I/2 holds exactly.
        sets["clebsch"] = components("I", (1.125, 1.75, 2.25))
        sets["clebsch"] |= {f"B{i}": sets["clebsch"][f"I{i}"] / 2 for i in (1, 2, 3)}
        sets["generic"] = defaults((*moments, *quadratic))
    return EulerPoincare(
        algebra=algebra,
        advected=[gamma],
        inertia=inertia,
        potential=U,
        constraints={"no turn about gamma": list(G)},
        invariants=invariants,
        equilibria=families,
        parameters=(*moments, *extra),
        parameter_sets=sets,
        source=(
            "A. P. Veselov and L. E. Veselova, Funct. Anal. Appl. 20 (1986) and Math. Notes 44 (1988); "
            "Garcia and Ohsawa 2024, Example 10"
        ),
        picture=[Solid("body", brick([p.symbol for p in moments]))],
        name="veselova",
    )
