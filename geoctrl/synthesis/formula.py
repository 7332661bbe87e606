"""A law as formulas: for a notebook, and with numbers for everything but the states."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import sympy as sp

from geoctrl._scalars import exact
from geoctrl.systems import ReducedSystem
from geoctrl.systems.notebook import assignments

if TYPE_CHECKING:
    from geoctrl.synthesis.damping import DampedLaw
    from geoctrl.synthesis.law import FeedbackLaw

__all__ = ["law_latex", "with_numbers"]


def law_latex(law: FeedbackLaw | DampedLaw) -> str:
    """The torques in states, parameters and gains."""
    parameters = [p.symbol for p in (*law.mechanism.parameters, *law.gain_parameters)]
    torques = [sp.Symbol(label, real=True) for label in law.rotors.input_labels]
    states = sorted(law.expr.free_symbols - set(parameters), key=str)
    return assignments(list(zip(torques, law.expr, strict=True)), parameters, states)


def with_numbers(
    law: FeedbackLaw | DampedLaw,
    loop: ReducedSystem,
    torques: Sequence[sp.Expr],
    params: Mapping[str, float] | None,
) -> dict[str, sp.Expr]:
    """Torques by input label in the states of a loop, every parameter the rational number that it is.

    Raises
    ------
    ParameterError
        For an unknown parameter, or one without a value.
    """
    values = loop.parameters(params)
    numbers = {p.symbol: sp.Rational(exact(values[p.name])) for p in loop.mechanism.parameters}
    read = loop.to_sympy([loop.expression(e) for e in torques])
    return {k: e.xreplace(numbers) for k, e in zip(law.rotors.input_labels, read, strict=True)}
