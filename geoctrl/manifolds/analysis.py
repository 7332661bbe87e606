"""What the analysis of equilibria does alike for all systems on manifolds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import sympy as sp

from geoctrl._scalars import exact, expression
from geoctrl.errors import DescriptionError
from geoctrl.manifolds.system import ManifoldSystem

__all__ = ["STEP", "differences", "rational", "require_symbolic"]

STEP = 1e-6
"""Of central differences, where there are no expressions: their error is about 1e-9 of the field."""


def rational(value: Any) -> Any:
    """Floats in an expression or matrix as the rationals they are."""
    if not isinstance(value, sp.Basic | sp.MatrixBase):
        value = expression(value, "the value")
    return value.xreplace({f: sp.Rational(exact(f)) for f in value.atoms(sp.Float)})


def differences(
    function: Callable[[np.ndarray, np.ndarray], np.ndarray], x: np.ndarray, u: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Derivatives of ``function(x, u)``, an array, by x and by u: central differences."""
    A = [(function(x + e, u) - function(x - e, u)).ravel() for e in STEP * np.eye(x.size)]
    B = [(function(x, u + e) - function(x, u - e)).ravel() for e in STEP * np.eye(u.size)]
    return np.array(A).T / (2 * STEP), np.array(B).reshape(u.size, A[0].size).T / (2 * STEP)


def require_symbolic(system: ManifoldSystem) -> None:
    """DescriptionError unless a system can be written out in symbols."""
    if system.obstacles:
        reason = ", as its inertia depends on the configuration" if system.inertia_varies else ""
        raise DescriptionError(
            f"this needs the system written out in expressions ({system.written_limits}){reason}; but "
            f"{', and '.join(system.obstacles)}. Give expressions, or fewer of them; numbers alone come from "
            "rhs, jacobian, energy and runs"
        )
