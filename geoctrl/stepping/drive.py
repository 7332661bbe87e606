"""What drives the inputs of a run on spheres: numbers, samples, a function of time, a feedback law."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import sympy as sp
from numba import njit

from geoctrl._checks import finite_array, time_grid
from geoctrl.errors import DescriptionError

__all__ = ["law_terms", "read_drive", "sample", "signals", "table_of"]


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
def table_of(u):
    """Table of inputs that do not change."""
    table = np.zeros(3 + u.size)
    table[0], table[1] = 1.0, u.size
    table[3:] = u
    return table


def signals(labels: tuple[str, ...], t: Any, u: Any, count: int) -> list[tuple[float, np.ndarray]]:
    """Time and inputs (m,) of each of ``count`` columns; ``t`` is a number or (count,), ``u`` (m,) or
    (m, count).

    Raises
    ------
    ValueError
        For a wrong number of inputs.
    """
    m = len(labels)
    inputs = np.zeros(m) if u is None else np.atleast_1d(np.asarray(u, dtype=float))
    if inputs.shape[:1] != (m,):
        raise ValueError(f"u must have {m} entries ({', '.join(labels) or 'no input'})")
    times = np.broadcast_to(np.asarray(t, dtype=float), (count,))
    columns = np.broadcast_to(inputs.reshape(m, -1), (m, count)) if m else np.zeros((0, count))
    return list(zip(times.tolist(), columns.T, strict=True))


def law_terms(law: Any, labels: tuple[str, ...]) -> list[sp.Expr]:
    """Expressions of a law in the order of the inputs: given in it, or by name.

    Raises
    ------
    DescriptionError
        Unless there is one for each input.
    """
    if isinstance(law, Mapping):
        named = {str(u): e for u, e in law.items()}
        if set(named) != set(labels):
            raise DescriptionError(f"the law must give {', '.join(labels)}, got {', '.join(named)}")
        law = [named[label] for label in labels]
    terms = [sp.sympify(e) for e in sp.Matrix([law])]
    if len(terms) != len(labels):
        raise DescriptionError(f"the law must give {len(labels)} inputs, got {len(terms)}")
    return terms


def read_drive(inputs: Any, labels: tuple[str, ...]) -> tuple[np.ndarray, Callable | None]:
    """Table of the inputs, and the function of time where they are one.

    Raises
    ------
    ValueError
        For inputs of a system without any, a wrong shape, times that do not increase, values that are not
        finite.
    """
    m = len(labels)
    if inputs is None:
        return table_of(np.zeros(m)), None
    if not m:
        raise ValueError("inputs were given, but this system has none; leave inputs out")
    if callable(inputs):
        return table_of(np.zeros(m)), inputs
    if isinstance(inputs, tuple) and len(inputs) == 2 and np.ndim(inputs[0]) == 1 and np.ndim(inputs[1]) == 2:
        times = time_grid(inputs[0])
        values = finite_array("inputs", inputs[1], (m, times.size))
        return np.concatenate([[times.size, m], times, values.ravel()]), None
    return table_of(finite_array(f"inputs ({', '.join(labels)})", inputs, (m,))), None
