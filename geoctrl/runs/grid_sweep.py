"""A function at all points of a grid, by any executor, stored as it goes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from geoctrl._calls.long_calls import paced_call, under_way
from geoctrl._checks import entries, file_path
from geoctrl._scalars import shown
from geoctrl.errors import InputError, WorkerError
from geoctrl.runs.fingerprints import array_fingerprint, function_fingerprint
from geoctrl.runs.part_rows import ERROR, PartsFound
from geoctrl.runs.part_runner import Members, Task, run_parts
from geoctrl.runs.sweep_result import VALUE, SweepResult

__all__ = ["sweep"]

_KINDS = "biufcU"
"""Of arrays: numbers and texts."""


@paced_call
def sweep(
    function: Callable[..., Any],
    axes: Mapping[str, Any],
    executor: Any = None,
    out: str | Path | None = None,
    progress: bool | Callable[..., object] = False,  # noqa: ARG001
    part: int | None = None,
    retries: int = 1,
    *,
    seconds: float | None = None,  # noqa: ARG001
) -> SweepResult:
    """Call a function at all points of a grid.

    Points are computed in parts of neighbours, of which at most four for each worker are under way. Results
    are the same to the last bit for any executor and any size of parts, if the function's are.

    Parameters
    ----------
    function : callable
        ``function(name=value, ...)`` with a value of each axis; returns a number, an array of numbers, a
        text, or a dict of these, alike at all points. For other processes it has to stand in a module, or at
        the top of a script.
    axes : dict of name -> sequence of numbers or texts
    executor : concurrent.futures.Executor, optional
        Of threads, processes (``mp_context`` "spawn"), MPI (`mpi4py.futures`) or Dask
        (``client.get_executor()``); this thread by default.
    out : str or Path, optional
        A folder, written as parts are done: a sweep that was killed goes on from there. It holds the
        question as well: text of the function (with those of its module that it calls), axes, versions.
    progress : bool or callable
        Told (stage, best, elapsed), or the fraction done if it takes one argument. A line is shown on a
        terminal after two seconds, with True from the start.
    part : int, optional
        Points in a part; by default as many as take two seconds, by the first points.
    retries : int
        How often a point at which the function raises is tried again, on whichever worker.
    seconds : float, optional
        Time for the points; those that are not reached are nan, and not in `SweepResult.done`.

    Returns
    -------
    SweepResult
        Points at which the function raised are nan, and stand in `SweepResult.failed`.

    Raises
    ------
    InputError
        For axes that are empty, or no numbers or texts; results that are not alike.
    FolderError
        If ``out`` cannot be written, or holds another sweep: in words what differs.
    WorkerError
        If a worker dies, or cannot read the function; what was done is its ``result``.
    TypeError
        For a function or an executor that is none.

    Examples
    --------
    >>> import geoctrl as gc
    >>> def period(length, g):
    ...     return {"period": 2 * 3.141592653589793 * (length / g) ** 0.5}
    >>> found = gc.sweep(period, {"length": [0.5, 1.0, 2.0], "g": [1.62, 9.81]})
    >>> found["period"].shape, round(float(found.value_at(length=1.0, g=9.81)["period"]), 3)
    ((3, 2), 2.006)
    """
    if not callable(function):
        raise TypeError(f"function must be callable with the names of the axes, got {shown(function)}")
    values = _axis_values(axes)
    task = Task(
        _values_at_points,
        (function, tuple((name, array.tolist()) for name, array in values.items())),
        int(np.prod([len(array) for array in values.values()])),
        {
            "what": "sweep",
            "function": function_fingerprint(function),
            "axes": {name: array_fingerprint(array) for name, array in values.items()},
        },
        noun="point",
    )
    folder = None if out is None else file_path(out)
    try:
        found = run_parts(task, under_way(), executor, folder, part, retries)
    except (WorkerError, KeyboardInterrupt) as error:
        if isinstance(reached := getattr(error, "result", None), PartsFound):
            error.result = _result(values, reached)  # type: ignore[union-attr]
        raise
    return _result(values, found)


def _axis_values(axes: Any) -> dict[str, np.ndarray]:
    """Values of the axes as arrays of numbers or texts."""
    if not isinstance(axes, Mapping) or not axes:
        raise InputError(f"axes must be a dict of name -> values with at least one name, got {shown(axes)}")
    found = {}
    for name, given in axes.items():
        if not isinstance(name, str) or not name.isidentifier():
            raise InputError(f"the name of an axis must be that of an argument, got {shown(name)}")
        try:
            array = np.array(entries(f"axes[{name!r}]", given))
        except ValueError:  # rows of several lengths
            array = np.zeros(0)
        if array.ndim != 1 or not array.size or array.dtype.kind not in _KINDS:
            raise InputError(f"axes[{name!r}] must be a sequence of numbers or of texts, got {shown(given)}")
        found[name] = array
    return found


def _result(axes: dict[str, np.ndarray], found: PartsFound) -> SweepResult:
    shape = tuple(len(array) for array in axes.values())
    values = {
        name: array.reshape(*shape, *array.shape[1:])
        for name, array in found.arrays().items()
        if name != ERROR
    }
    return SweepResult(axes, values, found.done.reshape(shape), found.failed)


def _values_at_points(shared: Any, members: Members) -> dict[str, np.ndarray]:
    """A part: values of the function, and why there are none where it raised."""
    function, axes = shared
    shape = tuple(len(values) for _, values in axes)
    rows: list[dict[str, np.ndarray] | None] = []
    errors: list[str] = []
    first: dict[str, np.ndarray] | None = None
    for member in range(members.first, members.first + members.count):
        index = np.unravel_index(member, shape)
        point = {name: values[i] for (name, values), i in zip(axes, index, strict=True)}
        try:
            row = _row_of(function(**point))
            first = first or row
            _require_alike(row, first)
        except Exception as error:
            rows.append(None)
            errors.append(f"{type(error).__name__}: {error}")
        else:
            rows.append(row)
            errors.append("")
    found = {ERROR: np.array(errors)} if any(errors) else {}
    return found | {
        name: _values_along([None if row is None else row[name] for row in rows]) for name in first or ()
    }


def _row_of(given: Any) -> dict[str, np.ndarray]:
    """The values at one point by name."""
    named = given if isinstance(given, Mapping) else {VALUE: given}
    row = {}
    for name, value in named.items():
        if not isinstance(name, str) or not name or name == ERROR:
            raise InputError(f"a value cannot go by the name {shown(name)}")
        array = np.asarray(value)
        if array.dtype.kind == "O":
            array = np.asarray(value, float) if np.ndim(value) or hasattr(value, "__float__") else array
        if array.dtype.kind not in _KINDS:
            raise InputError(
                f"the function returned {shown(value)}: a number, an array of numbers, a text or a dict of "
                f"these is needed"
            )
        row[name] = array
    if not row:
        raise InputError("the function returned an empty dict")
    return row


def _require_alike(row: dict[str, np.ndarray], first: dict[str, np.ndarray]) -> None:
    """Refuse values that are not those of the first point in number, name or shape."""
    for what, own, other in (
        ("the names", sorted(row), sorted(first)),
        ("shapes", *({k: v.shape for k, v in sorted(r.items())} for r in (row, first))),
        ("texts", *({k for k, v in r.items() if v.dtype.kind == "U"} for r in (row, first))),
    ):
        if own != other:
            raise InputError(f"the function returned {what} {own} here, {other} at another point")


def _values_along(values: list[np.ndarray | None]) -> np.ndarray:
    """Values of one name along the members, nan or an empty text where there is none."""
    known = [value for value in values if value is not None]
    dtype = np.result_type(*known)
    if len(known) == len(values):
        return np.array(values, dtype)
    if dtype.kind in "biu":
        dtype = np.result_type(dtype, float)
    empty = np.full(known[0].shape, "" if dtype.kind == "U" else np.nan, dtype)
    return np.array([empty if value is None else value for value in values], dtype)
