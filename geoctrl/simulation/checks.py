"""Checks of a start before any work."""

from __future__ import annotations

from typing import TYPE_CHECKING

from geoctrl._scalars import real
from geoctrl.errors import InputError

if TYPE_CHECKING:
    pass

__all__ = ["read_tolerance"]


def read_tolerance(rtol: float | None) -> float | None:
    """``rtol`` as a float between 0 and 1, or None."""
    if rtol is None:
        return None
    value = real(rtol, "rtol")
    if not 0.0 < value < 1.0:
        raise InputError(f"rtol must lie between 0 and 1, got {rtol!r}")
    return value
