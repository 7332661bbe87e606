"""Theorems beyond spectrum and energy-Casimir; each can be read by itself, after `question`."""

from __future__ import annotations

from geoctrl.checker.theorems.degenerate import degenerate_minimum, one_zero_root
from geoctrl.checker.theorems.falling import falling_energy
from geoctrl.checker.theorems.family import attracting_family, drift
from geoctrl.checker.theorems.orbit import stable_orbit

__all__ = ["THEOREMS"]

THEOREMS = {
    "symmetries": stable_orbit,
    "drift": drift,
    "family": attracting_family,
    "falling": falling_energy,
    "degenerate": degenerate_minimum,
    "critical": one_zero_root,
}
"""What a problem may hold besides its equations, and the theorem that it serves."""
