"""Checks of input that several packages share: finite arrays, shapes, names with the nearest match."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Container, Iterable, Mapping
from difflib import get_close_matches
from pathlib import Path

import numpy as np

from geoctrl.errors import DescriptionError, ParameterError

__all__ = [
    "ParameterValues",
    "accepts",
    "as_python",
    "finite_array",
    "nearest",
    "require_declared",
    "resolve_parameters",
    "time_grid",
    "user_level",
]


_LISTED = 40
"""More names than this are not listed in a message."""


def nearest(name: str, known: Iterable[str]) -> str:
    """Words to append to an error message: the nearest known name, or all of them up to a number."""
    known = list(known)
    match = get_close_matches(name, known, n=1)
    if match:
        return f"; did you mean {match[0]!r}?"
    if not known:
        return "; none is declared"
    more = f", ... ({len(known)} in all)" if len(known) > _LISTED else ""
    return f"; known are {', '.join(known[:_LISTED])}{more}"


def finite_array(name: str, value, shape: tuple[int, ...] | None = None) -> np.ndarray:
    """`value` as a finite float array of the given shape.

    Raises
    ------
    ValueError
        If it cannot be converted, has another shape, or holds NaN or infinity.
    """
    try:
        array = np.asarray(value, dtype=float)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must be an array of numbers, got {value!r}") from error
    if shape is not None and array.shape != shape:
        raise ValueError(f"{name} must have shape {shape}, got {array.shape}")
    if not np.all(np.isfinite(array)):
        where = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise ValueError(f"{name} must be finite, got {array[where]} at index {where}")
    return array


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


def time_grid(timepts) -> np.ndarray:
    """`timepts` as a strictly increasing grid of at least two finite times."""
    grid = finite_array("timepts", timepts)
    if grid.ndim != 1 or grid.size < 2:
        raise ValueError(f"timepts must hold at least two times in one dimension, got shape {grid.shape}")
    steps = np.diff(grid)
    if not np.all(steps > 0):
        k = int(np.argmax(steps <= 0))
        raise ValueError(
            f"timepts must be strictly increasing, got {grid[k]} followed by {grid[k + 1]} at index {k}"
        )
    return grid


def resolve_parameters(
    defaults: Mapping[str, float | None],
    params: Mapping[str, float] | None,
    positive: Container[str] = (),
) -> dict[str, float]:
    """Defaults overridden by `params`, both by name.

    Keys of `params` may be names or sympy symbols.

    Raises
    ------
    ParameterError
        For an unknown name (the nearest known one is suggested), a value that is missing, not a
        finite number, or not positive where the parameter was declared positive.
    """
    given = dict(defaults)
    if params is not None and not isinstance(params, Mapping):
        raise ParameterError(f"params must be a dict of name -> number, got {params!r}")
    for key, value in (params or {}).items():
        name = str(key)
        if name not in defaults:
            raise ParameterError(f"unknown parameter {name!r}{nearest(name, defaults)}")
        given[name] = value
    values: dict[str, float] = {}
    for name, number in given.items():
        if number is None:
            raise ParameterError(f"parameter {name!r} has no value; give it in params={{{name!r}: ...}}")
        try:
            finite = np.isfinite(float(number))
        except (TypeError, ValueError) as error:
            raise ParameterError(f"parameter {name!r} must be a number, got {number!r}") from error
        if not finite:
            raise ParameterError(f"parameter {name!r} must be finite, got {number!r}")
        if name in positive and not number > 0:
            raise ParameterError(f"parameter {name!r} must be positive, got {number!r}")
        values[name] = number
    return values


class ParameterValues(dict):
    """Parameters by name, as laws get them; a missing name raises ParameterError with the nearest known."""

    def __missing__(self, name: object) -> float:
        raise ParameterError(f"params has no {name!r}: it is a dict by name{nearest(str(name), self)}")


def require_declared(what: str, values: Iterable, allowed: set, remedy: str) -> None:
    """Refuse symbols in sympy expressions that are not among the ``allowed`` ones.

    Raises
    ------
    DescriptionError
        For an undeclared symbol, or one that differs from a declared one by its assumptions alone, of which
        ``remedy`` says where to take it from.
    """
    names = sorted(s.name for s in allowed)
    for value in values:
        for symbol in sorted(value.free_symbols - allowed, key=str):
            if symbol.name in names:
                raise DescriptionError(
                    f"{what} holds a symbol {symbol} with other assumptions than the declared one; {remedy}"
                )
            raise DescriptionError(
                f"{what} holds the undeclared symbol {symbol}{nearest(symbol.name, names)}"
            )


_PACKAGE = str(Path(__file__).parent)


def user_level() -> int:
    """The ``stacklevel`` of a warning given by the caller, which makes it point to the user's own line."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame, level = frame.f_back, level + 1
    return level
