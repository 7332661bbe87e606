"""Theorems beyond spectrum and energy-Casimir, each as a decision."""

from __future__ import annotations

from geoctrl.decisions.theorems.falling_decision import falling_energy
from geoctrl.decisions.theorems.family_decision import attracting_family, drift
from geoctrl.decisions.theorems.focus_decision import weak_focus
from geoctrl.decisions.theorems.growing_decision import growing_function
from geoctrl.decisions.theorems.lowest_order import degenerate_minimum, one_zero_root
from geoctrl.decisions.theorems.orbit_decision import stable_orbit

__all__ = ["THEOREMS"]

THEOREMS = {
    "symmetries": stable_orbit,
    "drift": drift,
    "family": attracting_family,
    "falling": falling_energy,
    "growing": growing_function,
    "degenerate": degenerate_minimum,
    "critical": one_zero_root,
    "focus": weak_focus,
}
"""What a problem may hold besides its equations, and the theorem that it serves."""
