"""The stepping methods on rotations."""

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
        Method("rk4", order=4, implicit=False),
    )
}
"""By name: "variational" is `geoctrl.rotations.stepper`, "rk4" the classical Runge-Kutta method."""
