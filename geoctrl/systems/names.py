"""Names of what a description holds: the time, inputs, and the check that no name stands for two things."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy as sp

from geoctrl.errors import DescriptionError, ParameterError
from geoctrl.systems.parameters import Parameter

__all__ = ["check_names", "input_symbol", "time"]

time = sp.Symbol("t", real=True)
"""The symbol of time in forces and inputs."""


def input_symbol(u: Any) -> sp.Symbol:
    """The symbol of an input, which may be given by its name.

    Raises
    ------
    DescriptionError
        For anything else.
    """
    if isinstance(u, str):
        return sp.Symbol(u, real=True)
    if isinstance(u, sp.Symbol):
        return u
    raise DescriptionError(f"inputs must be names or sympy symbols, got {u!r}")


def check_names(parameters: Sequence[Parameter], labels: Sequence[str], renamed: str) -> None:
    """Refuse names that stand for two things; ``renamed`` says what to rename where labels repeat.

    Raises
    ------
    ParameterError
        If parameter names repeat, or meet a label of a state, an input or the time.
    DescriptionError
        If labels repeat, or something else is given for a parameter.
    """
    for parameter in parameters:
        if not isinstance(parameter, Parameter):
            raise DescriptionError(f"parameters must be gc.Parameter objects, got {parameter!r}")
    names = [p.name for p in parameters]
    repeated = sorted({n for n in names if names.count(n) > 1})
    if repeated:
        raise ParameterError(f"parameter names repeat: {', '.join(repeated)}")
    twice = sorted({label for label in labels if labels.count(label) > 1})
    if twice:
        raise DescriptionError(f"labels repeat: {', '.join(twice)}; rename {renamed}")
    clash = sorted(set(names) & {*labels, time.name})
    if clash:
        raise ParameterError(f"parameter names meet state, input or time labels: {', '.join(clash)}")
