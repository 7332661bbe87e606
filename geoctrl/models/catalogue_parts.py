"""What descriptions of the catalogue share: parameters of vectors, components by label, rolling contacts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import sympy as sp

from geoctrl.algebra import LieAlgebra
from geoctrl.systems import Parameter

__all__ = ["LLM18", "components", "defaults", "no_slip", "per_axis"]

LLM18 = (
    "T. Lee, M. Leok and N. H. McClamroch, Global Formulations of Lagrangian and Hamiltonian Dynamics on "
    "Manifolds, Springer 2018"
)


def per_axis(
    name: str, values: Iterable[float], unit: str, description: str, positive: bool = False
) -> tuple[Parameter, ...]:
    """Parameters with numbers from 1 behind the name, and in the description in place of {0}."""
    return tuple(
        Parameter(f"{name}{i}", value, unit, description.format(i), positive=positive)
        for i, value in enumerate(values, start=1)
    )


def components(name: str, values: Iterable[Any]) -> dict[str, Any]:
    """Components of a vector by label, from 1."""
    return {f"{name}{i}": value for i, value in enumerate(values, start=1)}


def defaults(parameters: Sequence[Parameter]) -> dict[str, float]:
    """The set of parameters that the defaults make."""
    return {p.name: p.default for p in parameters if p.default is not None}


def no_slip(algebra: LieAlgebra, velocity: sp.Matrix) -> dict[str, list[sp.Expr]]:
    """Constraint rows by name: the velocity (3 x 1, in body axes) of the point of contact vanishes.

    Their forces are the components of the force at the contact along the body's axes, in N.
    """
    return components("no slip along E", velocity.jacobian(algebra.xi).tolist())
