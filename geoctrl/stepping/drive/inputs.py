"""Inputs of a run as they are given, read in one way for every system, by `simulate` and by `integrate`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import sympy as sp

from geoctrl._checks import accepts, finite_array, nearest, real_array, shape_of, time_grid
from geoctrl._scalars import is_number, real, without_floats
from geoctrl.errors import ExpressionError, InputError
from geoctrl.stepping.drive.drive import Drive, DriveExpressions, Function, Held, Sampled
from geoctrl.systems import System

__all__ = ["read_inputs"]


def read_inputs(system: System, inputs: Any, timepts: np.ndarray | None = None) -> Drive:
    """Check and translate the argument ``inputs`` of a run.

    Parameters
    ----------
    timepts : ndarray (nt,), optional
        Times that samples without times of their own belong to.
    """
    labels = system.input_labels
    if inputs is None or (isinstance(inputs, Mapping) and not inputs):
        return Held(labels)
    if not labels:
        raise InputError("inputs were given, but this system has none; leave inputs out")
    if isinstance(inputs, Mapping):
        return _by_label(system, inputs)
    if callable(inputs):
        return Function(labels, inputs, _is_feedback(inputs))
    if isinstance(inputs, tuple) and len(inputs) == 2 and _timed(inputs, len(labels)):
        return _sampled(labels, time_grid(inputs[0]), inputs[1], "their times")
    return _by_number(labels, inputs, timepts)


def _by_label(system: System, inputs: Mapping[Any, Any]) -> Drive:
    labels = system.input_labels
    given = {str(key): value for key, value in inputs.items()}
    for label in given:
        if label not in labels:
            raise InputError(f"unknown input {label!r}{nearest(label, labels)}")
    drive = DriveExpressions(system, [_term(u, given.get(u, 0.0), system.inputs) for u in labels])
    return Held(labels) if drive.zero else drive


def _term(label: str, value: Any, inputs: Sequence[sp.Symbol]) -> Any:
    """A float, or an expression that holds no input."""
    if is_number(value):
        return real(value, f"input {label!r}")
    if isinstance(value, sp.MatrixBase) and value.shape == (1, 1):  # a product of vectors
        value = value[0]
    if not isinstance(value, sp.Expr):
        raise TypeError(
            f"input {label!r} must be a number or a sympy expression in states, geoctrl.time and parameters, "
            f"got {type(value).__name__}; samples and functions are given for all inputs at once: an array "
            "(m, nt), (times, values (m, nt)), or a callable as inputs=f with f(t) or f(t, x, params) -> (m,)"
        )
    if value.has(sp.nan, sp.oo, -sp.oo, sp.zoo):
        raise InputError(f"input {label!r} must be finite, got {value}")
    value = without_floats(value, f"input {label!r}", InputError)
    if value.free_symbols & set(inputs):
        raise ExpressionError(f"input {label!r} is given by {value}, which holds an input itself")
    return value


def _is_feedback(function: Callable) -> bool:
    """Whether a function is one of (t, x, params), not of the time alone."""
    of_time, of_state = accepts(function, 1), accepts(function, 3)
    if of_time and of_state:
        raise TypeError(
            "inputs as a function that takes any number of arguments, or one as well as three, may be f(t) "
            f"or f(t, x, params), got {function!r}: name the arguments, without defaults"
        )
    if not of_time and not of_state:
        raise TypeError(
            "inputs as a function must take (t, x, params), or be a function of time alone, f(t); got "
            f"{function!r}"
        )
    return not of_time


def _timed(pair: tuple[Any, Any], m: int) -> bool:
    """Whether two things are times and the values at them; two rows of samples are not."""
    times, values = map(shape_of, pair)
    return times is not None and len(times) == 1 and values is not None and len(values) >= min(m, 2)


def _sampled(labels: tuple[str, ...], times: np.ndarray, values: Any, where: str) -> Drive:
    m = len(labels)
    samples = finite_array("inputs", np.atleast_2d(values) if m == 1 else values).copy()
    if samples.shape != (m, times.size):
        raise InputError(
            f"inputs as samples must have shape (m, nt) = ({m}, {times.size}) for {', '.join(labels)} at "
            f"{where}, got {samples.shape}"
        )
    return Sampled(labels, times, samples)


def _by_number(labels: tuple[str, ...], inputs: Any, timepts: np.ndarray | None) -> Drive:
    """Constants (m,), or samples (m, nt) at ``timepts``."""
    m = len(labels)
    try:
        array = real_array("inputs", inputs)
    except InputError:
        if isinstance(inputs, (list, tuple, np.ndarray)):
            raise
        raise TypeError(
            "inputs must be a dict of label -> expression, a callable f(t) or f(t, x, params) -> (m,), an "
            f"array (m,) or (m, nt), or (times, values (m, nt)), got {type(inputs).__name__}"
        ) from None
    if array.shape == (m,) or (array.ndim < 2 and m > 1) or array.ndim == 0:
        return Held(labels, finite_array(f"inputs ({', '.join(labels)})", np.atleast_1d(array), (m,)).copy())
    if timepts is None:
        raise InputError(
            f"inputs of shape {array.shape} are samples, of which the times are needed: give (times, values)"
        )
    return _sampled(labels, timepts, array, "timepts")
