"""The stepping methods on rotations."""

from __future__ import annotations

from geoctrl.stepping import VARIATIONAL, Method, by_name

__all__ = ["METHODS"]

METHODS = by_name(VARIATIONAL, Method("rk4", order=4, implicit=False))
"""By name: "variational" is `geoctrl.rotations.stepper`, "rk4" the classical Runge-Kutta method."""
