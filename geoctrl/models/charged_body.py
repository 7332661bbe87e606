"""Charged rigid body about its centre of mass in uniform electric and magnetic fields."""

from __future__ import annotations

import sympy as sp

from geoctrl._checks import require_choice
from geoctrl.algebra import AdvectedVector, so3
from geoctrl.errors import ParameterError
from geoctrl.models.catalogue_parts import LLM18, per_axis
from geoctrl.models.catalogue_solids import brick, pointer
from geoctrl.systems import EulerPoincare, Family, Parameter
from geoctrl.systems.picture import Solid

__all__ = ["charged_body"]

_DIPOLE = (0.25, -0.5, 0.5)  # of length 3/4
_CHARGE = (("11", 0.7), ("22", 0.5), ("33", 0.4), ("12", 0.11), ("13", -0.07), ("23", 0.05))


def charged_body(fields: str = "crossed") -> EulerPoincare:
    r"""Electric field -E e3 and magnetic field B e2 (or B e3), both constant in space.

    Of the charges dQ at rho the motion knows the dipole moment ``d = int rho dQ`` and the tensor
    ``Q = int (|rho|^2 I - rho rho^T) dQ``, which need not be positive. With Gamma = R^T e3, b = R^T e2

    .. math::
        \ell = \tfrac12 \Omega \cdot J \Omega + \tfrac{B}{2}\, \Omega \cdot Q\, b - E\, d \cdot \Gamma, \qquad
        J \dot\Omega = J \Omega \times \Omega + B\, \Omega \times (\tfrac12 \mathrm{tr}\, Q\, I - Q)\, b
        + E\, \Gamma \times d

    and the magnetic moment does no work. Families "aligned" (the dipole along the electric field) and
    "opposed". With crossed fields the body is at rest and the symbol t turns it about the dipole (which must
    not point along the negative axis 3). With parallel fields b = Gamma, and the symbol is the spin Omega0
    about the dipole; other than 0 it needs the dipole along a common principal axis of J and Q. Members
    are exact where ``|d|`` is rational, as it is by default.

    Parameters
    ----------
    fields : {"crossed", "parallel"}
    """
    require_choice("fields", fields, ("crossed", "parallel"), ParameterError)
    crossed = fields == "crossed"
    algebra = so3()
    gamma, b = AdvectedVector("Gamma", reference=(0, 0, 1)), AdvectedVector("b", reference=(0, 1, 0))
    parameters = (
        Parameter("E", 2.3, "V/m", "electric field", positive=True),
        Parameter("B", 1.7, "T", "magnetic field"),
        *per_axis("J", (0.45, 0.6, 0.35), "kg m^2", "principal moment of inertia {0}", positive=True),
        *per_axis("d", _DIPOLE, "C m", "dipole moment, component {0}"),
        *(Parameter(f"Q{k}", value, "C m^2", f"charge tensor, component {k}") for k, value in _CHARGE),
    )
    named = {p.name: p.symbol for p in parameters}
    E, B = named["E"], named["B"]
    J = sp.diag(*(named[f"J{i}"] for i in (1, 2, 3)))
    d = sp.Matrix([named[f"d{i}"] for i in (1, 2, 3)])
    Q = sp.Matrix(3, 3, lambda i, j: named[f"Q{min(i, j) + 1}{max(i, j) + 1}"])
    along = d / sp.sqrt(d.dot(d))
    if crossed:
        symbol = sp.Symbol("t", real=True)
        # Half a turn about the axis between them takes E3 to the dipole, hence E1, E2 to perpendiculars.
        middle = along + sp.Matrix([0, 0, 1])
        around = sp.Matrix([1 - symbol**2, 2 * symbol, 0]) / (1 + symbol**2)
        turned = {"b": 2 * middle.dot(around) / middle.dot(middle) * middle - around}
    else:
        symbol = sp.Symbol("Omega0", real=True)
        turned = {"Omega": symbol * along}
    places = {"aligned": {"Gamma": -along, **turned}, "opposed": {"Gamma": along, **turned}}
    return EulerPoincare(
        algebra=algebra,
        advected=[gamma, b] if crossed else [gamma],
        inertia=J,
        gyroscopic=list(B / 2 * Q * sp.Matrix((b if crossed else gamma).symbols)),
        potential=E * d.dot(gamma.symbols),
        # Of a body with an axis of symmetry; dropped for any other.
        invariants={"Pi3": algebra.mu[2]},
        equilibria={
            k: Family(
                {f"{name}{i}": v[i - 1] for name, v in vectors.items() for i in (1, 2, 3)}, symbols=[symbol]
            )
            for k, vectors in places.items()
        },
        parameters=parameters,
        source=f"{LLM18}, problem 6.12",
        picture=[
            Solid("body", brick([named[f"J{i}"] for i in (1, 2, 3)], opacity=0.35)),
            Solid("dipole", pointer(d)),
        ],
        name="charged-body",
    )
