"""Functions given for forces, laws, inputs and potentials: their arguments, and what they return.

Compiled code broadcasts what has a wrong shape and takes None as NaN, so that every function is called once
as Python runs it, at a generic state with the numbers of the first run, before it is compiled.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from geoctrl._checks import ParameterValues, as_python
from geoctrl.manifolds.description.description import Description
from geoctrl.manifolds.vectors.entries import examine_function, examine_potential

__all__ = [
    "examine",
    "functions_of_time",
    "holds_time",
]

_TIMES = (0.0, 0.37, 1.9, 23.0, 1e3)
"""Of no particular ratio, so that no period hides from all of them."""


def examine(system: Description, params: Mapping[str, float]) -> None:
    """Call potential, gradient, forces and law, where they are functions, at a generic state."""
    z, second = system.product.parts(system.generic_state())
    first = z.reshape(system.shape)
    values, m = np.array(list(params.values()), dtype=float), len(system.driven)
    if system.computed:
        examine_potential(system.potential_given, system.gradient_given, first, values)
    if callable(system.forces_given):
        examine_function(
            "forces", system.forces_given, (0.0, first, second, np.zeros(m), values), second.shape
        )
    if system.law is not None:
        x = np.concatenate([first.ravel(), second.ravel()])
        examine_function("the law", system.law, (0.0, x, ParameterValues(params)), (m,))


def functions_of_time(system: Description) -> str:
    """What is given by functions of the time, in words: of these, `holds_time` sees some times only."""
    given = {"forces": callable(system.forces_given), "a law": system.law is not None}
    return " and ".join(words for words, holds in given.items() if holds)


def holds_time(system: Description, x: np.ndarray, u: np.ndarray, params: Mapping[str, float]) -> bool:
    """Whether forces or law, where they are functions, are seen to change with time, or from call to call.

    Asked at the state x and at a generic one, at the times of `_TIMES`; what a function does at other times
    is not known.
    """
    values = np.array(list(params.values()), dtype=float)
    for state in (x, system.generic_state()):
        z, second = system.product.parts(state)
        first = z.reshape(system.shape)
        calls: list[tuple[Callable, tuple]] = []
        if callable(system.forces_given):
            held = u if u.size == len(system.driven) else np.zeros(len(system.driven))
            calls.append((system.forces_given, (first, second, held, values)))
        if system.law is not None:
            calls.append((system.law, (state, ParameterValues(params))))
        for function, arguments in calls:
            found = [_return_value(function, t, arguments) for t in _TIMES]
            if not all(np.array_equal(found[0], other, equal_nan=True) for other in found[1:]):
                return True
    return False


def _return_value(function: Callable, t: float, arguments: tuple) -> np.ndarray:
    """What a function returns at a time; nan where it raises, as it may at a state that nobody asked for."""
    copies = (a.copy() if isinstance(a, np.ndarray) else a for a in arguments)
    try:
        return np.asarray(as_python(function)(t, *copies), dtype=float)
    except Exception:
        return np.array(np.nan)
