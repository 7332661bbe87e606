"""The stepping methods on spheres."""

from __future__ import annotations

from geoctrl.stepping import VARIATIONAL, Method, by_name

__all__ = ["METHODS"]

METHODS = by_name(
    VARIATIONAL,
    Method("rk2", order=2, implicit=False),
    Method("heun", order=2, implicit=False),
    Method("rk4", order=4, implicit=False),
)
"""By name: "variational" is `geoctrl.spheres.stepper`, explicit where inertia is diagonal and forces do not
depend on velocities; "rk2" (midpoint), "heun" and "rk4" are Runge-Kutta methods on (q, omega)."""
