"""A law as formulas: for a notebook, and with numbers for everything but the states."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sympy as sp

from geoctrl.systems.notebook import assignments

if TYPE_CHECKING:
    from geoctrl.synthesis.damping import DampedLaw
    from geoctrl.synthesis.law import FeedbackLaw

__all__ = ["law_latex"]


def law_latex(law: FeedbackLaw | DampedLaw) -> str:
    """The torques in states, parameters and gains."""
    parameters = [p.symbol for p in (*law.mechanism.parameters, *law.gain_parameters)]
    torques = [sp.Symbol(label, real=True) for label in law.rotors.input_labels]
    states = sorted(law.expr.free_symbols - set(parameters), key=str)
    return assignments(list(zip(torques, law.expr, strict=True)), parameters, states)
