"""What parts hold: arrays with a row a member, in memory or in a folder, and members that failed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

from geoctrl.errors import InputError
from geoctrl.runs.part_folder import PartFolder

__all__ = ["ERROR", "MemberRows", "PartsFound"]

ERROR = "error"
"""Name of the array of texts, empty where a member did not fail."""


class PartsFound:
    """What is known of the members of a task, in memory or in its folder.

    Attributes
    ----------
    failed : dict of member -> why
    done : array (members,) of bool
        Members with a row; those that failed alone have one, and stand in ``failed`` too.
    part : int
        Members in a part.
    """

    def __init__(self, members: int, part: int, folder: PartFolder | None) -> None:
        self.members, self.part = members, part
        self.failed: dict[int, str] = {}
        self.done = np.zeros(members, dtype=bool)
        self._folder = folder
        self._kept: dict[int, dict[str, np.ndarray]] = {}
        self._firsts: set[int] = set()
        if folder is not None:
            for first in folder.stored_parts() & set(range(0, members, part)):
                self._note(first, folder.load(first, only=ERROR))

    @property
    def place(self) -> Path | None:
        """The folder, where there is one."""
        return None if self._folder is None else self._folder.path

    def __len__(self) -> int:
        """How many parts are there."""
        return len(self._firsts)

    def __contains__(self, first: int) -> bool:
        return first in self._firsts

    def __iter__(self) -> Iterator[tuple[int, dict[str, np.ndarray]]]:
        """First member and arrays of the parts that are there, in order."""
        for first in sorted(self._firsts):
            yield first, self._part_arrays(first)

    def arrays(self) -> dict[str, np.ndarray]:
        """One row a member, nan of those that are not there; parts that were held in memory are let go."""
        rows = MemberRows(self.members)
        for first in sorted(self._firsts):
            rows.put(first, self._part_arrays(first))
            self._kept.pop(first, None)
        if self._folder is None:
            self._firsts.clear()
        return rows.arrays()

    def add(self, first: int, arrays: dict[str, np.ndarray]) -> None:
        """Keep a part, and store it where there is a folder."""
        if self._folder is None:
            self._kept[first] = arrays
        else:
            self._folder.store(first, arrays)
        self._note(first, arrays)

    def _part_arrays(self, first: int) -> dict[str, np.ndarray]:
        if self._folder is None:
            return self._kept[first]
        return self._folder.load(first)

    def _note(self, first: int, arrays: Mapping[str, np.ndarray]) -> None:
        count = min(self.part, self.members - first)
        self._firsts.add(first)
        self.done[first : first + count] = True
        for i in np.flatnonzero(arrays.get(ERROR, np.zeros(0, "U1")) != ""):
            self.failed[first + int(i)] = str(arrays[ERROR][i])


class MemberRows:
    """Arrays with a row a member, put together from those of some members; nan where none were put."""

    def __init__(self, members: int) -> None:
        self._members = members
        self._arrays: dict[str, np.ndarray] = {}
        self._has: dict[str, np.ndarray] = {}

    def put(self, first: int, arrays: Mapping[str, np.ndarray]) -> None:
        """MemberRows of the members from ``first`` on, in place of what was there."""
        for name, rows in arrays.items():
            if name not in self._arrays:
                self._arrays[name] = np.empty((self._members, *rows.shape[1:]), rows.dtype)
                self._has[name] = np.zeros(self._members, bool)
            target = self._arrays[name]
            if (target.dtype.kind == "U") != (rows.dtype.kind == "U"):
                raise InputError(f"{name} is a text for some members and a number for others")
            if target.shape[1:] != rows.shape[1:]:
                raise InputError(
                    f"{name} has shape {target.shape[1:]} for some members and {rows.shape[1:]} for others, "
                    f"from member {first} on: give arrays of one shape"
                )
            common = np.result_type(target.dtype, rows.dtype)
            if common != target.dtype:
                target = self._arrays[name] = target.astype(common)
            target[first : first + len(rows)] = rows
            self._has[name][first : first + len(rows)] = True

    def arrays(self) -> dict[str, np.ndarray]:
        """All of them."""
        for name, has in self._has.items():
            if not has.all():
                array = self._arrays[name]
                if array.dtype.kind in "biu":
                    array = self._arrays[name] = array.astype(float)
                array[~has] = "" if array.dtype.kind == "U" else np.nan
        return self._arrays
