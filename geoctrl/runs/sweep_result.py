"""What a sweep found: values on a grid with names, and the points at which there are none."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib import import_module
from numbers import Number
from os import PathLike
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from geoctrl._checks import file_path, nearest, pandas_library
from geoctrl._printing.printed_lines import full_text, short_form
from geoctrl._scalars import shown
from geoctrl.errors import InputError, LabelError
from geoctrl.runs.storage import read_archive

if TYPE_CHECKING:
    import pandas

__all__ = ["VALUE", "FailedPoint", "SweepResult", "load_sweep"]

VALUE = "value"
"""Name of what a function returns that gives none."""
_FORMAT = "geoctrl sweep"


class FailedPoint(NamedTuple):
    """A point at which the function of a sweep raised.

    Attributes
    ----------
    point : dict of axis -> value
    error : str
        Class and words of the exception.
    """

    point: dict[str, Any]
    error: str


class SweepResult:
    """Values of a function on a grid.

    ``result["growth"]`` is the array of a value by name, the axes of the grid first, ``result[...]`` and
    ``result[2, :]`` that of a function that returned one number or array (named "value"), or a dict of
    arrays.

    Attributes
    ----------
    axes : dict of name -> array
    shape : tuple
        Of the grid.
    values : dict of name -> array (*shape, ...)
        nan (or an empty text) where there is none.
    done : array of bool
        Points with a value.
    failed : tuple of FailedPoint
        Where the function raised; points that are neither done nor here were not reached.
    """

    def __init__(
        self,
        axes: Mapping[str, np.ndarray],
        values: Mapping[str, np.ndarray],
        reached: np.ndarray,
        errors: Mapping[int, str],
    ) -> None:
        self.axes, self.values = dict(axes), dict(values)
        self.shape = tuple(len(array) for array in self.axes.values())
        self.done = reached.copy()
        self._errors = dict(sorted(errors.items()))
        for member in self._errors:
            self.done.flat[member] = False
        self.failed = tuple(FailedPoint(self._point(m), words) for m, words in self._errors.items())

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str):
            if key not in self.values:
                raise LabelError(f"no value {shown(key)}{nearest(key, self.values)}")
            return self.values[key]
        try:
            found = {name: array[key] for name, array in self.values.items()}
        except (IndexError, ValueError):
            raise InputError(f"{shown(key)} is no part of a grid of {self.shape} points") from None
        return found[VALUE] if set(found) == {VALUE} else found

    def value_at(self, **point: Any) -> Any:
        """Values where axes have these values, all of the others: as ``result[...]`` of that part.

        Raises
        ------
        LabelError, InputError
            For an axis that is none, or a value that is none of its.
        """
        index: list[Any] = [slice(None)] * len(self.axes)
        for name, value in point.items():
            if name not in self.axes:
                raise LabelError(f"no axis {shown(name)}{nearest(name, self.axes)}")
            values = self.axes[name].tolist()
            if not isinstance(value, str | Number | np.generic) or value not in values:
                raise InputError(f"{name} = {shown(value)} is no point of the grid")
            index[list(self.axes).index(name)] = values.index(value)
        return self[tuple(index)]

    def to_pandas(self) -> pandas.DataFrame:
        """One row a point: its axes, its values (of arrays each entry), "error".

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        pd = pandas_library()
        grids = np.meshgrid(*self.axes.values(), indexing="ij")
        columns = {name: grid.ravel() for name, grid in zip(self.axes, grids, strict=True)}
        for name, array in self.values.items():
            rows = array.reshape(self.done.size, -1)
            scalar = array.ndim == len(self.shape)
            for i in range(rows.shape[1]):
                index = ",".join(map(str, np.unravel_index(i, array.shape[len(self.shape) :])))
                columns[name if scalar else f"{name}[{index}]"] = rows[:, i]
        columns["error"] = np.array([self._errors.get(i, "") for i in range(self.done.size)], object)
        return pd.DataFrame(columns)

    def plot(self, name: str | None = None, ax: Any = None, title: str | None = None) -> Any:
        """One value over one or two axes: `geoctrl.viz.sweep`."""
        return import_module("geoctrl.viz").sweep(self, name, ax, title)  # figures are a floor above

    def to_npz(self, path: str | PathLike) -> None:
        """Write axes and values, as `geoctrl.load_sweep` reads them; "axis NAME" and "value NAME" each."""
        errors = {str(member): words for member, words in self._errors.items()}
        header = {"format": _FORMAT, "axes": list(self.axes), "values": list(self.values), "errors": errors}
        arrays = {f"axis {name}": array for name, array in self.axes.items()}
        arrays |= {f"value {name}": array for name, array in self.values.items()}
        reached = self.done.copy()
        for member in self._errors:
            reached.flat[member] = True
        with file_path(path).open("wb") as file:
            np.savez(file, **dict[str, Any](arrays, header=np.array(json.dumps(header)), reached=reached))

    def _point(self, member: int) -> dict[str, Any]:
        index = np.unravel_index(member, self.shape)
        return {name: a[i].item() for (name, a), i in zip(self.axes.items(), index, strict=True)}

    def _lines(self) -> list[str]:
        left = self.done.size - int(self.done.sum()) - len(self.failed)
        counts = f"{int(self.done.sum())} of {self.done.size} points"
        counts += f", {len(self.failed)} failed" * bool(self.failed) + f", {left} not reached" * bool(left)
        lines = [f"<SweepResult: {counts}>"]
        for name, array in self.axes.items():
            ends = [f"{v:.6g}" if array.dtype.kind in "iuf" else str(v) for v in (array[0], array[-1])]
            lines.append(f"  over {name}: {len(array)} from {' to '.join(ends)}")
        for name, array in self.values.items():
            shape = array.shape[len(self.shape) :]
            lines.append(f"  {name}" + f" {shape}" * bool(shape))
        lines += [f"  failed at {f.point}: {' '.join(str(f.error).split())}" for f in self.failed]
        return lines

    full = full_text
    __repr__ = short_form


def load_sweep(path: str | PathLike) -> SweepResult:
    """Read what `SweepResult.to_npz` wrote.

    Raises
    ------
    InputError
        If the file is none of these.
    FileNotFoundError
        If there is none.
    """
    wrong = f"{file_path(path)} is no sweep written by SweepResult.to_npz"
    arrays, header = read_archive(path, wrong)
    try:
        if header["format"] != _FORMAT:
            raise InputError(wrong)
        axes = {name: arrays[f"axis {name}"] for name in header["axes"]}
        values = {name: arrays[f"value {name}"] for name in header["values"]}
        errors = {int(member): str(words) for member, words in header["errors"].items()}
        return SweepResult(axes, values, arrays["reached"], errors)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError):
        raise InputError(wrong) from None
