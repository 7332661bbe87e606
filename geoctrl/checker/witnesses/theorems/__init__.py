"""Theorems beyond spectrum and energy-Casimir; each can be read by itself, after `verdicts`."""

from __future__ import annotations

from geoctrl.checker.witnesses.theorems.falling import FALLING, falling_energy
from geoctrl.checker.witnesses.theorems.family import ATTRACTION, DRIFT, attracting_family, drift

__all__ = ["THEOREMS"]

THEOREMS = {
    "family": (ATTRACTION, attracting_family),
    "drift": (DRIFT, drift),
    "falling": (FALLING, falling_energy),
}
"""By their names, what a file gives for them, and what proves them."""
