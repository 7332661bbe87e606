"""What the bodies of the catalogue that roll without slipping share: the rows that say so."""

from __future__ import annotations

import sympy as sp

from geoctrl.algebra import LieAlgebra

__all__ = ["no_slip"]


def no_slip(algebra: LieAlgebra, velocity: sp.Matrix) -> dict[str, list[sp.Expr]]:
    """Constraint rows by name: the velocity (3 x 1, in body axes) of the point of contact vanishes.

    Their forces are the components of the force at the contact along the body's axes, in N.
    """
    rows = velocity.jacobian(algebra.xi).tolist()
    return {f"no slip along E{i}": row for i, row in enumerate(rows, start=1)}
