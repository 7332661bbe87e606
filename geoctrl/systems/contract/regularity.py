"""What equations of motion must be for equilibria to have a linearisation: free of time, differentiable."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from geoctrl.errors import EquilibriumError
from geoctrl.systems.contract.tolerances import KINK

__all__ = ["require_autonomous", "require_derivative", "require_range", "require_smooth", "require_values"]

_LEAST = 2.0**-500
"""Products of two such sizes are doubles, with all their digits."""


def require_autonomous(autonomous: bool, name: str) -> None:
    """Refuse equations of motion that hold the time explicitly."""
    if not autonomous:
        raise EquilibriumError(
            f"the equations of motion of {name or 'the system'} depend on the time explicitly: "
            "equilibria and their stability are defined without; take the time out of the forces and laws, "
            "or hold the inputs at zero that bring it in",
            key="time-dependent",
        )


def require_values(field: np.ndarray, labels: Sequence[str]) -> np.ndarray:
    """The field at a point, refused where it has no value."""
    bad = ~np.isfinite(field)
    if np.any(bad):
        label = labels[int(np.argmax(bad))]
        why = "zero is divided by zero there" if np.isnan(field[bad][0]) else "it is infinite there"
        raise EquilibriumError(
            f"the equations have no value at this point: in d/dt {label} {why}, or a number exceeds the "
            "doubles; write the formula without such a quotient, or take another point"
        )
    return field


def require_range(sizes: np.ndarray, labels: Sequence[str]) -> None:
    """Refuse states of which the squares vanish among the doubles: rates would as well, and say nothing."""
    outside = (sizes > 0) & (sizes < _LEAST)
    if np.any(outside):
        worst = int(np.argmax(outside))
        raise EquilibriumError(
            f"{labels[worst]} has the size {sizes[worst]:.3g} here, of which products vanish in doubles: "
            "nothing can be said there; take other units"
        )


def require_smooth(switches: np.ndarray, sizes: np.ndarray) -> None:
    """Refuse a point at which a switch vanishes beside the size of its terms.

    A linearisation says nothing at a kink, and would say it with a proof.
    """
    if np.any(np.abs(switches) <= KINK * sizes):
        raise EquilibriumError(
            "the equations are not differentiable at this point: Abs, sign, Min, Max or Piecewise switches "
            "there, so that no linearisation or Hessian decides stability"
        )


def require_derivative(A: np.ndarray) -> np.ndarray:
    """The derivative A of the equations at a point, refused where its formula has no value."""
    if not np.all(np.isfinite(A)):
        raise EquilibriumError(
            "the equations have no finite derivative at this point: a formula divides zero by zero there, as "
            "that of sqrt(x**2 + y**2) does at x = y = 0; write it without such a root or quotient (a power "
            "3/2 of x**2 + y**2 counts), or take another point"
        )
    return A
