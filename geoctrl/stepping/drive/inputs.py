"""Inputs of a run as they are given: which kind of drive reads them, for `simulate` and `integrate` alike."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from geoctrl._checks import real_array, shape_of, time_grid
from geoctrl.errors import InputError
from geoctrl.stepping.drive.drive import Drive, DriveExpressions, Function, Held, Sampled
from geoctrl.systems import System

__all__ = ["read_inputs"]


def read_inputs(system: System, inputs: Any, timepts: np.ndarray | None = None) -> Drive:
    """What the argument ``inputs`` of a run says, read by the drive of its kind.

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
        return DriveExpressions.read(system, inputs)
    if callable(inputs):
        return Function.read(labels, inputs)
    if isinstance(inputs, tuple) and len(inputs) == 2 and _has_times(inputs, len(labels)):
        return Sampled.read(labels, time_grid(inputs[0]), inputs[1], "their times")
    array = _numbers(inputs)
    if array.shape == (len(labels),) or (array.ndim < 2 and len(labels) > 1) or array.ndim == 0:
        return Held.read(labels, array)
    if timepts is None:
        raise InputError(
            f"inputs of shape {array.shape} are samples, of which the times are needed: give (times, values)"
        )
    return Sampled.read(labels, timepts, array, "timepts")


def _has_times(pair: tuple[Any, Any], m: int) -> bool:
    """Whether two things are times and the values at them; two rows of samples are not."""
    times, values = map(shape_of, pair)
    return times is not None and len(times) == 1 and values is not None and len(values) >= min(m, 2)


def _numbers(inputs: Any) -> np.ndarray:
    try:
        return real_array("inputs", inputs)
    except InputError:
        if isinstance(inputs, (list, tuple, np.ndarray)):
            raise
        ahead = (
            "; a law goes by controller= of simulate, and many runs of it by sweep"
            if hasattr(inputs, "sampled") or hasattr(inputs, "require_plant")
            else ""
        )
        raise TypeError(
            "inputs must be a dict of label -> expression, a callable f(t) or f(t, x, params) -> (m,), an "
            f"array (m,) or (m, nt), or (times, values (m, nt)), got {type(inputs).__name__}{ahead}"
        ) from None
