"""Theorems beyond spectrum and energy-Casimir, each as a decision."""

from __future__ import annotations

from typing import Any

from geoctrl.decisions.questions.exact_question import Question
from geoctrl.decisions.theorems.falling_decision import falling_energy
from geoctrl.decisions.theorems.family_decision import attracting_family, drift
from geoctrl.decisions.theorems.focus_decision import weak_focus
from geoctrl.decisions.theorems.growing_decision import growing_function
from geoctrl.decisions.theorems.lowest_order import degenerate_minimum, falling_minimum, one_zero_root
from geoctrl.decisions.theorems.orbit_decision import stable_orbit

__all__ = ["THEOREMS"]


def falling(q: Question, proposal: dict[str, Any], findings: dict[str, Any]) -> tuple[str, str]:
    """What a function that falls proves: by its second variation, or by its lowest form."""
    theorem = falling_minimum if "degenerate" in q.problem else falling_energy
    return theorem(q, proposal, findings)


THEOREMS = {
    "symmetries": stable_orbit,
    "drift": drift,
    "family": attracting_family,
    "falling": falling,
    "growing": growing_function,
    "degenerate": degenerate_minimum,
    "critical": one_zero_root,
    "focus": weak_focus,
}
"""What a problem may hold besides its equations, and the theorem that it serves."""
