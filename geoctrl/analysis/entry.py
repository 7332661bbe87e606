"""What every question asks first: a point in words that can be read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from geoctrl._checks import finite_array
from geoctrl._scalars import exact, shown
from geoctrl.errors import InputError
from geoctrl.systems import Equilibrium, ReducedSystem

__all__ = ["read_point", "require_held"]


def require_held(fixed: Any) -> None:
    """TypeError unless the held coordinates are given by label, or not at all."""
    if fixed is not None and not isinstance(fixed, Mapping):
        raise TypeError(f"fixed must be a dict of label -> value, got {shown(fixed)}")


def read_point(
    system: ReducedSystem, given: Any, name: str
) -> tuple[np.ndarray, np.ndarray, tuple | None, tuple | None]:
    """State and constant inputs of ``x`` or ``(x, u)`` as floats, and as the rationals they are.

    Raises
    ------
    TypeError
        For a name or a dict, with the remedy.
    InputError
        For a wrong shape or what is no finite real number.
    """
    if isinstance(given, str):
        raise TypeError(
            f"{name} must be an equilibrium or a state, got {given!r}; take sys.equilibrium({given!r}, ...)"
        )
    if isinstance(given, Mapping):
        raise TypeError(
            f"{name} must be an equilibrium, a state or (x, u), got a dict; a state is an array in the order "
            f"of {', '.join(system.state_labels)}; sys.project(xi, {{name: vector}}) makes one, and "
            "find_equilibrium(sys, fixed={label: value}) looks for one"
        )
    if isinstance(given, Equilibrium):
        return given.x.copy(), given.u.copy(), given.exact, given.exact_u
    pair = isinstance(given, tuple) and len(given) == 2 and np.ndim(_first(given)) == 1
    x, u = given if pair else (given, np.zeros(system.ninputs))
    state, inputs = finite_array(name, x), np.atleast_1d(finite_array(f"{name} (inputs)", u))
    for values, labels, what in ((state, system.state_labels, "x"), (inputs, system.input_labels, "u")):
        if values.shape != (len(labels),):
            raise InputError(
                f"{name} needs {what} of shape ({len(labels)},), {', '.join(labels) or 'no input'}; "
                f"got shape {values.shape}"
            )
    return state, inputs, _rationals(x), _rationals(u)


def _first(given: Any) -> Any:
    """The first of two, or a number where numpy makes no array of it."""
    try:
        return np.asarray(given[0], dtype=object)
    except ValueError:
        return 0


def _rationals(values: Any) -> tuple | None:
    """All entries exactly; None where one is irrational, and the doubles stand for them."""
    try:
        return tuple(exact(v) for v in np.ravel(np.array(values, dtype=object)))
    except InputError:
        return None
