"""What is known of members while they are run: rows of arrays, filled in any order."""

from __future__ import annotations

from typing import Any

import numpy as np

from geoctrl.simulation.members.quantities import KeptQuantity

__all__ = ["NOT_RUN", "EnsembleRows"]

NOT_RUN = "not run"


class EnsembleRows:
    """Rows of the members of an ensemble, or of a part of it.

    Attributes
    ----------
    states : ndarray (k, n, nt) or None
        Where states are kept, nan beyond a member's end.
    recorded : list of ndarray (k, nt) or (k,)
        What is kept instead.
    status : ndarray of str objects (k,)
    success : ndarray of bool (k,)
    end : ndarray (k,)
        Times that members reached, nan of those that were refused.
    last : ndarray (k, n)
        States there.
    passages : list of (member, event, time, state)
    """

    def __init__(
        self, count: int, n: int, samples: int, record: tuple[KeptQuantity, ...] | None, first: int = 0
    ) -> None:
        self.first = first
        self.states = np.full((count, n, samples), np.nan) if record is None else None
        self.recorded = [
            np.full((count, samples) if quantity.how == "all" else count, np.nan) for quantity in record or ()
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
        """All of it as arrays that any file holds; passages by event, in the order of members and times."""
        found: dict[str, Any] = {
            "status": self.status.astype(str),
            "success": self.success,
            "end": self.end,
            "last": self.last,
        }
        if self.states is not None:
            found["states"] = self.states
        found |= {f"recorded{i}": values for i, values in enumerate(self.recorded)}
        for k in range(events):
            mine = sorted((p for p in self.passages if p[1] == k), key=lambda p: (p[0], p[2]))
            found[f"event{k}_member"] = np.array([p[0] + self.first for p in mine], dtype=int)
            found[f"event{k}_time"] = np.array([p[2] for p in mine], dtype=float)
            found[f"event{k}_states"] = (
                np.array([p[3] for p in mine]).reshape(len(mine), self.last.shape[1]).T
            )
        return found
