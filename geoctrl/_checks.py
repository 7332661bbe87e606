"""Checks of input that several packages share: finite arrays, shapes, names with the nearest match."""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Callable, Container, Iterable, Mapping
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np

from geoctrl._scalars.text.numbers import plain, real, shown
from geoctrl._scalars.text.spelling import nearest
from geoctrl.errors import DependencyError, DescriptionError, GeoctrlError, InputError, ParameterError

__all__ = [
    "ParameterValues",
    "accepts",
    "as_python",
    "entries",
    "file_path",
    "finite_array",
    "flag",
    "named_parameters",
    "nearest",
    "number_array",
    "pandas_library",
    "parameter_value",
    "quantity",
    "real_array",
    "require_choice",
    "require_declared",
    "require_printable",
    "resolve_parameters",
    "saved_text",
    "shape_of",
    "time_grid",
    "user_level",
    "whole_number",
]


LETTERS = 500
"""Of a name that is given, at most."""


def require_printable(what: str, texts: Iterable[Any], prose: bool = False) -> None:
    """Refuse names that are none: they stand in claims, in the comments of files and code, and in tables.

    Parameters
    ----------
    what : str
        Of which they are the names.
    texts : iterable
        What is no text is left to others.
    prose : bool
        Texts of several lines and any length, of words.
    """
    for text in texts:
        if not isinstance(text, str):
            continue
        line = " ".join(text.split()) if prose else text
        if wrong := next((c for c in line if not c.isprintable()), ""):
            raise DescriptionError(
                f"{what} {shown(text)} has the character {wrong!r}, which cannot be printed: leave it out"
            )
        if len(line) > LETTERS and not prose:
            raise DescriptionError(
                f"{what} {shown(text)} has {len(text)} letters: give a shorter one, of at most {LETTERS}"
            )


def require_choice(
    what: str, value: Any, known: Iterable[str], error: type[GeoctrlError] = InputError
) -> None:
    """Refuse, with an exception of class ``error``, what is not one of the known names."""
    if not isinstance(value, str) or value not in known:
        raise error(f"unknown {what} {shown(value)}{nearest(value, known)}")


def entries(what: str, given: Any, error: type[GeoctrlError] = InputError) -> tuple[Any, ...]:
    """The entries of a sequence; refused, with an exception of class ``error``, if it is text or none."""
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise error(f"{what} must be a sequence, got {shown(given)}")
    return tuple(given)


def flag(name: str, value: Any) -> bool:
    """True or false; InputError for anything else, as arrays have no truth."""
    if not isinstance(value, bool | np.bool_):
        raise InputError(f"{name} must be True or False, got {shown(value)}")
    return bool(value)


def whole_number(
    what: str, value: Any, least: int, most: int | None = None, error: type[GeoctrlError] = InputError
) -> int:
    """An integer within bounds, of Python or numpy; refused, with an exception of class ``error``, if not."""
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not whole or value < least or (most is not None and value > most):
        bounds = f"of at least {least}" if most is None else f"from {least} to {most}"
        raise error(f"{what} must be a whole number {bounds}, got {shown(value)}")
    return int(value)


def file_path(path: Any) -> Path:
    """The path of a file; TypeError for anything else: open() takes an integer for an open file."""
    if not isinstance(path, str | os.PathLike):
        raise TypeError(f"the path of a file is needed, got {shown(path)}")
    return Path(path)


def saved_text(text: str, path: Any) -> str:
    """A text, written to a file with a line's end where a path is given; TypeError for what is none."""
    if path is not None:
        file_path(path).write_text(f"{text.rstrip()}\n", encoding="utf-8")
    return text


def made_folder(path: Any) -> Path:
    """The path of a folder, which is made where it is not there; TypeError for what is no path."""
    folder = file_path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{str(folder)!r} cannot be made a folder: {error.strerror}") from None
    return folder


def finite_array(name: str, value, shape: tuple[int, ...] | None = None) -> np.ndarray:
    """`value` as a finite float array of the given shape."""
    array = real_array(name, value)
    if shape is not None and array.shape != shape:
        raise InputError(f"{name} must have shape {shape}, got {array.shape}")
    _require_finite(name, array)
    return array


def _require_finite(name: str, array: np.ndarray) -> None:
    if not np.isfinite(array).all():
        where = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise InputError(f"{name} must be finite, got {array[where]} at index {where}")


def real_array(name: str, value) -> np.ndarray:
    """`value` as a float array, which may hold NaN and infinity."""
    try:
        array = np.asarray(value)
    except (TypeError, ValueError):
        raise InputError(f"{name} must be an array of numbers, got {shown(value)}") from None
    if array.dtype.kind in "biuf":
        return array.astype(float, copy=False)
    if array.dtype.kind == "c":
        raise InputError(f"{name} must be real, got the complex {shown(value)}; take its real part")
    if array.dtype.kind not in "OUS" or (array.dtype.kind != "O" and not array.shape):
        # Dates, spans of time, records; or one text.
        raise InputError(f"{name} must be an array of numbers, got {shown(value)}")
    # Numbers of several types, and what is none: one by one through the gate.
    found = np.empty(array.shape)
    given = np.array(value, dtype=object)
    for index in np.ndindex(array.shape):
        found[index] = real(given[index], f"{name}[{', '.join(map(str, index))}]" if index else name)
    return found


def number_array(name: str, value) -> np.ndarray:
    """As `real_array`, but of complex numbers too: derivatives are taken by complex steps."""
    return value if isinstance(value, np.ndarray) and value.dtype.kind == "c" else real_array(name, value)


def shape_of(value: Any) -> tuple[int, ...] | None:
    """Shape of an array or nested list; None where rows have different lengths."""
    try:
        return np.shape(value)
    except ValueError:
        return None


def as_python(function: Callable) -> Callable:
    """The function as Python runs it: of one that numba compiled already, what it was compiled from."""
    return getattr(function, "py_func", function)


def accepts(function: Callable, count: int) -> bool:
    """Whether a function can be called with so many positional arguments; true where it does not tell."""
    try:
        inspect.signature(as_python(function)).bind(*range(count))
    except TypeError:
        return False
    except ValueError:  # functions of compiled modules have no signature
        return True
    return True


_SAMPLES = 501
"""Times of a run of which only the end is given."""


def time_grid(timepts) -> np.ndarray:
    """`timepts` as a strictly increasing grid of two or more finite times; of an end alone 501 from 0."""
    grid = real_array("timepts", timepts)
    if grid.ndim == 1 and grid.size > 1 and (grid[1:] > grid[:-1]).all():
        if isfinite(grid[0]) and isfinite(grid[-1]):
            return grid  # as nearly always: what rises from number to number is finite
    _require_finite("timepts", grid)
    if grid.ndim == 0:
        end = quantity("timepts, the end of a run that begins at 0,", timepts)
        if not end > 0:
            raise InputError(f"timepts, the end of a run that begins at 0, must be positive, got {end:g}")
        return np.linspace(0.0, end, _SAMPLES)
    if grid.ndim != 1 or grid.size < 2:
        raise InputError(f"timepts must hold at least two times in one dimension, got shape {grid.shape}")
    rising = grid[1:] > grid[:-1]
    if not rising.all():
        k = int(np.argmin(rising))
        raise InputError(
            f"timepts must be strictly increasing, got {grid[k]} followed by {grid[k + 1]} at index {k}"
        )
    return grid


_CHANGING = "; what changes with time is an input, which goes into inputs="


def resolve_parameters(
    defaults: Mapping[str, float | None],
    params: Mapping[str, float] | None,
    positive: Container[str] = (),
) -> dict[str, float]:
    """Defaults overridden by `params`, both by name.

    Keys of `params` may be names or sympy symbols.
    """
    given = dict(defaults)
    for name, value in named_parameters(params).items():
        if name not in defaults:
            hint = _CHANGING if callable(value) else nearest(name, defaults)
            raise ParameterError(f"unknown parameter {name!r}{hint}", key="parameter-unknown")
        given[name] = value
    values: dict[str, Any] = {}
    for name, number in given.items():
        if number is None:
            raise ParameterError(
                f"parameter {name!r} has no value; give it in params={{{name!r}: ...}}", key="parameter-value"
            )
        values[name] = parameter_value(f"parameter {name!r}", number, name in positive)
    return values


def named_parameters(params: Any) -> dict[str, Any]:
    """What is given for parameters, by name; ParameterError unless it is a dict, or nothing."""
    if params is None:
        return {}
    if not isinstance(params, Mapping):
        raise ParameterError(f"params must be a dict of name -> number, got {shown(params)}")
    return {str(key): value for key, value in params.items()}


def parameter_value(what: str, value: Any, positive: bool = False) -> Any:
    """A parameter as a number of Python."""
    if callable(value):
        raise ParameterError(f"{what} must be a number, got {shown(value)}{_CHANGING}")
    number = plain(value, what, ParameterError)
    if positive and not number > 0:
        raise ParameterError(f"{what} must be positive, got {shown(value)}")
    return number


class ParameterValues(dict):
    """Parameters by name, as laws get them; a missing name raises ParameterError with the nearest known."""

    def __missing__(self, name: object) -> float:
        raise ParameterError(f"params has no {name!r}: it is a dict by name{nearest(str(name), self)}")


def require_declared(
    what: str,
    values: Iterable,
    allowed: set,
    remedy: str,
    hint: Callable[[str], str] = lambda name: "",
) -> None:
    """Refuse symbols in sympy expressions that are not among the ``allowed`` ones."""
    names = sorted(s.name for s in allowed)
    for value in values:
        for symbol in sorted(value.free_symbols - allowed, key=str):
            if symbol.name in names:
                raise DescriptionError(
                    f"{what} holds a symbol {symbol} with other assumptions than the declared one; {remedy}"
                )
            near = nearest(symbol.name, names) + hint(symbol.name)
            raise DescriptionError(
                f"{what} holds the undeclared symbol {symbol}{near}", key="symbol-undeclared"
            )


def quantity(what: str, value: Any) -> float:
    """A number that measures something; InputError for True and False too, which are numbers elsewhere."""
    if isinstance(value, bool | np.bool_) or getattr(value, "dtype", None) == np.dtype(bool):
        raise InputError(f"{what} must be a number, got {shown(value)}: write 1.0 or 0.0 if that is meant")
    return float(real(value, what))


def sampling_rate(value: Any, hint: str = "") -> float:
    """Samples a second; InputError, with what to try in ``hint``, unless it is a positive number."""
    rate = quantity("rate", value)
    if not rate > 0:
        raise InputError(f"rate must be positive, in samples a second, got {shown(value)}{hint}")
    if rate * sys.float_info.max < 1:
        raise InputError(f"rate must be at least 1e-308: the hold 1/{rate:g} is no double{hint}")
    return rate


_PASSED = (__name__.partition(".")[0], "dataclasses")
"""Packages whose lines are not the user's: this one, and what makes and copies its descriptions."""


def pandas_library() -> Any:
    """The module that tables are made by; DependencyError where it is not installed."""
    try:
        import pandas
    except ImportError:
        raise DependencyError("to_pandas needs pandas: pip install pandas") from None
    return pandas


def user_level() -> int:
    """The ``stacklevel`` of a warning given by the caller, which makes it point to the user's own line."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in _PASSED:
        frame, level = frame.f_back, level + 1
    return level
