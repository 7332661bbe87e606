"""Parameters of many members at once: numbers, and arrays (N,) of a number a member, beside states (n, N)."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from typing import Any

import numpy as np

from geoctrl._checks import named_parameters, real_array, resolve_parameters, shape_of
from geoctrl.errors import InputError, ParameterError

__all__ = [
    "between_members",
    "member_arrays",
    "member_count",
    "member_mean",
    "member_values",
    "numbers_of_members",
]


def member_arrays(params: Any) -> dict[str, Any]:
    """What is given as one number a member, by name; empty where all are numbers."""
    given = named_parameters(params)
    return {k: v for k, v in given.items() if isinstance(v, np.ndarray | list | tuple) and shape_of(v) != ()}


def numbers_of_members(given: Mapping[str, Any], place: str) -> dict[str, np.ndarray]:
    """Arrays (N,) by name; ParameterError for others, told with a place in which {} is the name."""
    arrays = {}
    for name, value in given.items():
        what = place.replace("{}", repr(name))
        try:
            arrays[name] = real_array(what, value)
        except InputError as error:
            raise ParameterError(str(error)) from None
        if arrays[name].ndim != 1:
            raise ParameterError(
                f"{what} must be a number or an array (N,), one number a member; got shape "
                f"{arrays[name].shape}"
            )
    return arrays


def member_count(arrays: Mapping[str, np.ndarray], states: Any = None) -> int:
    """The number N of members of arrays (N,), and of states (n, N) where those are several."""
    counts = {f"parameter {k!r}": v.size for k, v in arrays.items()}
    shape = np.shape(states)
    if states is not None and len(shape) == 1:
        raise ParameterError(
            f"{', '.join(counts)} must be one number beside one state x (n,); an array (N,) of N members "
            "goes beside states (n, N), or one for all as (n, 1)"
        )
    if len(shape) == 2:
        counts["x"] = shape[1]
    several = {k: count for k, count in counts.items() if count != 1}
    if len(set(several.values())) > 1:
        found = ", ".join(f"{count} of {k}" for k, count in several.items())
        raise InputError(f"members are as many in all arrays, got {found}")
    return next(iter(several.values()), 1)


def member_values(
    params: Any,
    states: Any,
    defaults: Mapping[str, float | None],
    positive: Container[str],
    passing: Callable[[Mapping[str, Any], np.ndarray], np.ndarray],
) -> dict[str, Any]:
    """Numbers and arrays (N,) of parameters by name; nan for members that a single call would refuse.

    Parameters
    ----------
    states : array (n,) or (n, N)
    defaults, positive : as `resolve_parameters` takes them
    passing : callable
        Which of the members pass, of those that are good: (values, good (N,)) -> (N,).
    """
    arrays = numbers_of_members(member_arrays(params), "parameter {}")
    values: dict[str, Any] = resolve_parameters(
        defaults, named_parameters(params) | dict.fromkeys(arrays, 1.0), positive
    )
    count, values = member_count(arrays, states), values | arrays
    good = np.ones(count, dtype=bool)
    for name, array in arrays.items():
        good &= np.isfinite(array) & ((array > 0) | (name not in positive))
    good = passing(values, good)
    return values if good.all() else values | {k: np.where(good, v, np.nan) for k, v in arrays.items()}


def between_members(values: Mapping[str, Any]) -> Mapping[str, Any]:
    """One set of numbers that is a mean of the members: equal parameters stay equal; itself without arrays.

    What holds for it holds for all members, but for what some of them have by chance.
    """
    arrays = {k: v for k, v in values.items() if isinstance(v, np.ndarray)}
    if not arrays:
        return values
    good = np.isfinite(np.broadcast_arrays(*arrays.values())).all(axis=0)
    if not good.any():
        raise ParameterError("no member has parameters that the description admits")
    return {**values, **{k: member_mean(np.broadcast_to(v, good.shape)[good]) for k, v in arrays.items()}}


def member_mean(values: np.ndarray) -> float:
    """A mean of numbers (N,), by the same weights for all such arrays; that number, if all are equal."""
    if values.min() == values.max():
        return float(values[0])
    weights = np.random.default_rng(17).uniform(0.5, 1.5, values.size)
    return float(values @ weights / weights.sum())
