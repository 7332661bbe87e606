"""Potentials that several mechanisms have, in vectors as they are seen from the bodies."""

from __future__ import annotations

import sympy as sp

__all__ = ["attitude_spring", "gravity_gradient", "weight"]


def weight(size: sp.Expr, up: sp.Matrix, centre: sp.Matrix) -> sp.Expr:
    r"""A body in a uniform field: :math:`m g\, \Gamma \cdot \rho`, the upward vertical seen from the body."""
    return size * centre.dot(up)


def gravity_gradient(rate: sp.Expr, inertia: sp.Matrix, radius: sp.Matrix) -> sp.Expr:
    r"""A body in orbit: :math:`\tfrac32 n^2\, a \cdot J a`, the direction a to the centre seen from it."""
    return sp.Rational(3, 2) * rate**2 * radius.dot(inertia * radius)


def attitude_spring(stiffness: sp.Expr, first: sp.Matrix, second: sp.Matrix) -> sp.Expr:
    r"""Two attitudes held together: :math:`k\, \mathrm{tr}(I - R_1^T R_2)`."""
    return stiffness * (3 - (first.T * second).trace())
