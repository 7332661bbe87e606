"""Where events happened along a run."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from geoctrl._checks import nearest
from geoctrl._printing.printed_lines import full_text, short_form
from geoctrl.errors import LabelError

__all__ = ["EventRecord", "Events"]


@dataclass(frozen=True, eq=False)
class EventRecord:
    """Where an event happened.

    Attributes
    ----------
    time : ndarray, shape (k,)
    states : ndarray, shape (n, k)
    """

    time: np.ndarray
    states: np.ndarray

    def __len__(self) -> int:
        return self.time.size

    def _lines(self) -> list[str]:
        return [f"EventRecord({self.time.size} at t = {np.array2string(self.time, threshold=6)})"]

    full = full_text
    __repr__ = short_form


class Events(dict):
    """Event records by name; a missing name raises KeyError with the nearest known one."""

    def __missing__(self, name: str) -> EventRecord:
        raise LabelError(f"no event {name!r}{nearest(str(name), self)}")
