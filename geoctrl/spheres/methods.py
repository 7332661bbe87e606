"""The stepping methods on spheres."""

from __future__ import annotations

from geoctrl.stepping.methods import Method

__all__ = ["METHODS"]

METHODS = {
    m.name: m
    for m in (
        Method(
            "variational",
            order=2,
            implicit=True,
            preserves=("symplectic form", "momentum maps", "time reversal", "configuration manifold"),
        ),
        Method("rk2", order=2, implicit=False),
        Method("heun", order=2, implicit=False),
        Method("rk4", order=4, implicit=False),
    )
}
"""By name: "variational" is `geoctrl.spheres.stepper`, explicit where inertia is diagonal and forces do not
depend on velocities; "rk2" (midpoint), "heun" and "rk4" are Runge-Kutta methods on (q, omega)."""
