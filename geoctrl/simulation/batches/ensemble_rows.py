"""What is known of members while they are run: rows of arrays, filled in any order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from geoctrl.simulation.members.quantities import KeptQuantity
from geoctrl.simulation.members.reductions import Reduced

__all__ = ["NOT_RUN", "EnsembleRows", "lists_of"]

NOT_RUN = "not run"

_PASSAGES = {f"passage_{what}": "passage_member" for what in ("member", "event", "time", "state")}
_REDUCED = "reduced_member"


def lists_of(record: tuple[KeptQuantity, ...] | None) -> dict[str, str]:
    """Arrays of parts in which a member has any number of entries, by those of their members."""
    over = [
        f"recorded{i} {name}"
        for i, quantity in enumerate(record or ())
        if quantity.over
        for name in quantity.reduction(1).arrays()
    ]
    return _PASSAGES | dict.fromkeys([_REDUCED, *over], _REDUCED)


class EnsembleRows:
    """Rows of the members of an ensemble, or of a part of it.

    Attributes
    ----------
    states : ndarray (k, n, nt) or None
        Where states are kept, nan beyond a member's end.
    first : int
        Place of the first of them in the ensemble.
    recorded : list of ndarray (k, nt) or (k,), or Reduced
        What is kept instead, of each member or of all.
    status : ndarray of str objects (k,)
    success : ndarray of bool (k,)
    end : ndarray (k,)
        Times that members reached, nan of those that were refused.
    last : ndarray (k, n)
        States there.
    passages : list of (member, event, time, state)
    """

    def __init__(self, count: int, n: int, samples: int, record: tuple[KeptQuantity, ...] | None) -> None:
        self.states = np.full((count, n, samples), np.nan) if record is None else None
        self.first, self._record = 0, record or ()
        self.recorded: list[np.ndarray | Reduced] = [
            quantity.reduction(samples)
            if quantity.over
            else np.full((count, samples) if quantity.how == "all" else count, np.nan)
            for quantity in self._record
        ]
        self.status = np.full(count, NOT_RUN, dtype=object)
        self.success = np.zeros(count, bool)
        self.end, self.last = np.full(count, np.nan), np.full((count, n), np.nan)
        self.passages: list[tuple[int, int, float, np.ndarray]] = []

    def __len__(self) -> int:
        return len(self.end)

    def name_missing(self, words: str) -> None:
        """Say why members were not run."""
        self.status[self.status == NOT_RUN] = f"{NOT_RUN}: {words}"

    def arrays(self, events: int) -> dict[str, np.ndarray]:
        """Its numbers as arrays; passages by event, in the order of members and times."""
        found: dict[str, Any] = {
            "success": self.success,
            "end": self.end,
            "last": self.last,
        }
        if self.states is not None:
            found["states"] = self.states
        for i, (quantity, values) in enumerate(zip(self._record, self.recorded, strict=True)):
            if isinstance(values, Reduced):
                found |= {f"recorded{i} {name}": array for name, array in quantity.numbers(values).items()}
            else:
                found[f"recorded{i}"] = values
        for k in range(events):
            mine = sorted((p for p in self.passages if p[1] == k), key=lambda p: (p[0], p[2]))
            found[f"event{k}_member"] = np.array([p[0] for p in mine], dtype=int)
            found[f"event{k}_time"] = np.array([p[2] for p in mine], dtype=float)
            found[f"event{k}_states"] = (
                np.array([p[3] for p in mine]).reshape(len(mine), self.last.shape[1]).T
            )
        return found

    def part_arrays(self, first: int, usual: Sequence[str]) -> dict[str, np.ndarray]:
        """All of it for the runner of parts, the first member being that one; usual words are told by number.

        A row a member, and the lists of passages and of reductions (`lists_of`).
        """
        codes = {words: i + 1 for i, words in enumerate(usual)}
        code = np.array([codes.get(words, 0) for words in self.status])
        mine = sorted(self.passages, key=lambda p: (p[0], p[2]))
        found = {
            "code": code,
            "words": np.array(["" if c else words for c, words in zip(code, self.status, strict=True)]),
            "success": self.success,
            "end": self.end,
            "last": self.last,
            "passage_member": np.array([p[0] + first for p in mine], dtype=int),
            "passage_event": np.array([p[1] for p in mine], dtype=int),
            "passage_time": np.array([p[2] for p in mine], dtype=float),
            "passage_state": np.array([p[3] for p in mine], dtype=float).reshape(-1, self.last.shape[1]).T,
        }
        if self.states is not None:
            found["states"] = self.states
        for i, values in enumerate(self.recorded):
            if isinstance(values, Reduced):
                found |= {f"recorded{i} {name}": array[..., None] for name, array in values.arrays().items()}
            else:
                found[f"recorded{i}"] = values
        # What a part knows of all its members is an entry of its first one.
        return found | {_REDUCED: np.array([first])}

    def put(self, first: int, arrays: Mapping[str, np.ndarray], usual: Sequence[str]) -> None:
        """Take up a part from `part_arrays`."""
        place, known = slice(first, first + len(arrays["end"])), np.array(["", *usual], dtype=object)
        code = arrays["code"].astype(int)
        self.status[place] = np.where(code > 0, known[code], arrays["words"].astype(object))
        self.success[place], self.end[place] = arrays["success"], arrays["end"]
        self.last[place] = arrays["last"]
        if self.states is not None:
            self.states[place] = arrays["states"]
        for i, values in enumerate(self.recorded):
            if isinstance(values, Reduced):
                for entry in range(arrays[_REDUCED].size):
                    names = (name.partition(" ")[2] for name in arrays if name.startswith(f"recorded{i} "))
                    values.take({name: arrays[f"recorded{i} {name}"][..., entry] for name in names})
            else:
                values[place] = arrays[f"recorded{i}"]
        columns = (arrays[f"passage_{what}"].tolist() for what in ("member", "event", "time"))
        self.passages += [
            (member, event, t, state)
            for member, event, t, state in zip(*columns, arrays["passage_state"].T, strict=True)
        ]
