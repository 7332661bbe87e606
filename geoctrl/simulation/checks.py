"""Checks of a start before any work."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from geoctrl._scalars import real
from geoctrl.errors import InputError
from geoctrl.systems.projection import check_initial_state
from geoctrl.systems.singularity import require_regular

if TYPE_CHECKING:
    from geoctrl.systems import ReducedSystem

__all__ = ["check_start", "read_tolerance"]


def read_tolerance(rtol: float | None) -> float | None:
    """``rtol`` as a float between 0 and 1, or None."""
    if rtol is None:
        return None
    value = real(rtol, "rtol")
    if not 0.0 < value < 1.0:
        raise InputError(f"rtol must lie between 0 and 1, got {rtol!r}")
    return value


def check_start(system: ReducedSystem, t: float, x0, params: Mapping[str, float]) -> np.ndarray:
    """The initial state, checked together with frame, mass matrix and constraint rows there.

    Raises
    ------
    InputError, ConstraintError
        As `geoctrl.systems.projection.check_initial_state`; also where constraint rows are dependent.
    FrameError, SingularMassError, ParameterError
        As `geoctrl.systems.singularity.require_regular`.
    """
    x = check_initial_state(system, x0, params)
    require_regular(system, t, x, params, "x0")
    return x
