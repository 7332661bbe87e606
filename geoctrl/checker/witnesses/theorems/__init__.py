"""Theorems beyond spectrum and energy-Casimir; each can be read by itself, after `verdicts`."""

from __future__ import annotations

from geoctrl.checker.witnesses.theorems.falling import FALLING, falling_energy
from geoctrl.checker.witnesses.theorems.family import ATTRACTION, DRIFT, attracting_family, drift
from geoctrl.checker.witnesses.theorems.shape import SHAPE, over_shape
from geoctrl.checker.witnesses.verdicts import THEOREMS as OF_POINTS

__all__ = ["THEOREMS"]

THEOREMS = {
    "family": (ATTRACTION, attracting_family),
    "drift": (DRIFT, drift),
    "falling": (FALLING, falling_energy),
} | {
    f"{name} over a shape": (OF_POINTS[name][0] | {"shape": SHAPE}, over_shape(OF_POINTS[name][1]))
    for name in ("attraction", "energy-Casimir")
}
"""By their names, what a file gives for them, and what proves them."""
