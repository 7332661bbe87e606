"""What parts hold: arrays with a row a member, in memory or in a folder, and members that failed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import numpy as np

from geoctrl.errors import InputError
from geoctrl.runs.part_folder import PartFolder

__all__ = ["ERROR", "MemberRows", "PartsFound", "cut_rows"]

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
    put : callable or None
        Given the first member and the arrays of each part that is there, which are not held in memory then.
    """

    def __init__(
        self,
        members: int,
        part: int,
        folder: PartFolder | None,
        lists: Mapping[str, str],
        put: Callable[[int, Mapping[str, np.ndarray]], object] | None,
    ) -> None:
        self.members, self.part, self._lists = members, part, lists
        self.failed: dict[int, str] = {}
        self.done = np.zeros(members, dtype=bool)
        self._folder, self._put = folder, put
        self._kept: dict[int, dict[str, np.ndarray]] = {}
        self._firsts: set[int] = set()
        if folder is not None:
            for first in sorted(folder.stored_parts() & set(range(0, members, part))):
                arrays = folder.load(first, only=ERROR if put is None else None)
                self._note(first, arrays)
                if put is not None:
                    put(first, arrays)

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
        rows = MemberRows(0, self.members, self._lists)
        for first in sorted(self._firsts):
            rows.put(first, self.count_in(first), self._part_arrays(first))
            self._kept.pop(first, None)
        if self._folder is None:
            self._firsts.clear()
        return rows.arrays()

    def count_in(self, first: int) -> int:
        """Members of the part that begins there: the last one may have fewer."""
        return min(self.part, self.members - first)

    def add(self, first: int, arrays: dict[str, np.ndarray]) -> None:
        """Keep a part, and store it where there is a folder."""
        if self._folder is not None:
            self._folder.store(first, arrays)
        elif self._put is None:
            self._kept[first] = arrays
        self._note(first, arrays)
        if self._put is not None:
            self._put(first, arrays)

    def _part_arrays(self, first: int) -> dict[str, np.ndarray]:
        if self._folder is None:
            return self._kept[first]
        return self._folder.load(first)

    def _note(self, first: int, arrays: Mapping[str, np.ndarray]) -> None:
        self._firsts.add(first)
        self.done[first : first + self.count_in(first)] = True
        for i in np.flatnonzero(arrays.get(ERROR, np.zeros(0, "U1")) != ""):
            self.failed[first + int(i)] = str(arrays[ERROR][i])


class MemberRows:
    """Arrays put together from those of some members: a row a member, nan where none were put; and lists.

    Parameters
    ----------
    first, count : int
        Of the members.
    lists : dict of name -> name
        Arrays along whose last axis a member has any number of entries, by the array of their members.
    """

    def __init__(self, first: int, count: int, lists: Mapping[str, str]) -> None:
        self._first, self._count, self._lists = first, count, lists
        self._arrays: dict[str, np.ndarray] = {}
        self._has: dict[str, np.ndarray] = {}
        self._entries: list[dict[str, np.ndarray]] = []

    def put(self, first: int, count: int, arrays: Mapping[str, np.ndarray]) -> None:
        """What some members have, in place of what they had."""
        place = slice(first - self._first, first - self._first + count)
        found = {name: rows for name, rows in arrays.items() if name in self._lists}
        for name, rows in arrays.items():
            if name not in found:
                self._put_rows(name, rows, place)
        if found:
            self._entries.append(found)

    def _put_rows(self, name: str, rows: np.ndarray, place: slice) -> None:
        if name not in self._arrays:
            self._arrays[name] = np.empty((self._count, *rows.shape[1:]), rows.dtype)
            self._has[name] = np.zeros(self._count, bool)
        target = self._arrays[name]
        if (target.dtype.kind == "U") != (rows.dtype.kind == "U"):
            raise InputError(f"{name} is a text for some members and a number for others")
        if target.shape[1:] != rows.shape[1:]:
            raise InputError(
                f"{name} has shape {target.shape[1:]} for some members and {rows.shape[1:]} for others, "
                f"from member {self._first + place.start} on: give arrays of one shape"
            )
        common = np.result_type(target.dtype, rows.dtype)
        if common != target.dtype:
            target = self._arrays[name] = target.astype(common)
        target[place] = rows
        self._has[name][place] = True

    def arrays(self) -> dict[str, np.ndarray]:
        """All of them; entries of lists by member, those of one in the order that they had."""
        for name, has in self._has.items():
            if not has.all():
                array = self._arrays[name]
                if array.dtype.kind in "biu":
                    array = self._arrays[name] = array.astype(float)
                array[~has] = "" if array.dtype.kind == "U" else np.nan
        lists = {name: [found[name] for found in self._entries if name in found] for name in self._lists}
        joined = {name: np.concatenate(found, axis=-1) for name, found in lists.items() if found}
        order = {
            name: np.argsort(joined[name], kind="stable") for name in {*self._lists.values()} & joined.keys()
        }
        return self._arrays | {
            name: entries[..., order[self._lists[name]]] for name, entries in joined.items()
        }


def cut_rows(
    arrays: Mapping[str, np.ndarray], first: int, low: int, high: int, lists: Mapping[str, str]
) -> dict[str, np.ndarray]:
    """What the members from ``low`` to ``high`` have, of arrays that begin with the member ``first``."""
    found = {}
    for name, rows in arrays.items():
        if name in lists:
            members = arrays[lists[name]]
            found[name] = rows[..., (members >= low) & (members < high)]
        else:
            found[name] = rows[low - first : high - first]
    return found
