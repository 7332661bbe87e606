"""What drives the inputs of a run: numbers, samples, a function of time, a feedback law."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numba import njit

from geoctrl._checks import accepts, finite_array, time_grid
from geoctrl.errors import InputError

__all__ = ["read_drive", "sample", "table_of"]


@njit(cache=True, error_model="numpy")
def sample(table, t, j):
    """Input j at time t from a table (number of times, number of inputs, times, rows of values).

    Linear between samples, constant beyond them.
    """
    nt = int(table[0])
    values = 2 + nt * (1 + j)
    if nt == 1 or t <= table[2]:
        return table[values]
    if t >= table[1 + nt]:
        return table[values + nt - 1]
    low, high = 0, nt - 1
    while high - low > 1:
        middle = (low + high) // 2
        if table[2 + middle] <= t:
            low = middle
        else:
            high = middle
    part = (t - table[2 + low]) / (table[3 + low] - table[2 + low])
    return (1.0 - part) * table[values + low] + part * table[values + low + 1]


@njit(cache=True)
def table_of(u, m):
    """Table of m inputs that do not change; they are NaN where ``u`` has another size."""
    table = np.zeros(3 + m)
    table[0], table[1] = 1.0, m
    table[3:] = u if u.size == m else np.full(m, np.nan)
    return table


def read_drive(inputs: Any, labels: tuple[str, ...]) -> tuple[np.ndarray, Callable | None]:
    """Table of the inputs, and the function of time where they are one.

    Raises
    ------
    InputError
        For inputs of a system without any, expressions, a function of something else than the time, a wrong
        shape, times that do not increase, values that are not finite.
    """
    m = len(labels)
    if inputs is None:
        return table_of(np.zeros(m), m), None
    if not m:
        raise InputError("inputs were given, but this system has none; leave inputs out")
    if isinstance(inputs, Mapping) or (callable(inputs) and not accepts(inputs, 1)):
        raise InputError(
            f"inputs must be {m} numbers, a function of time alone or (times, values ({m}, nt)), got "
            f"{inputs!r}; for expressions and functions of the state take system.closed_loop(...)"
        )
    if callable(inputs):
        return table_of(np.zeros(m), m), inputs
    if isinstance(inputs, tuple) and len(inputs) == 2 and np.ndim(inputs[0]) == 1 and np.ndim(inputs[1]):
        times = time_grid(inputs[0])
        values = inputs[1] if m > 1 else np.atleast_2d(inputs[1])  # a single input may be a row
        values = finite_array("inputs", values, (m, times.size))
        return np.concatenate([[times.size, m], times, values.ravel()]), None
    constant = inputs if m > 1 else np.atleast_1d(inputs)  # and a constant one a number
    return table_of(finite_array(f"inputs ({', '.join(labels)})", constant, (m,)), m), None
