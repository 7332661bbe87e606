"""Lanes of one system: what is compiled for it, and members that run in them."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from geoctrl._scalars import Program
from geoctrl.stepping.lanes.lane_loop import NEXT, PASSED, LaneMembers, LanePassages, LaneRun, compiled_loop
from geoctrl.stepping.lanes.lane_source import compiled_equations, compiled_stages
from geoctrl.stepping.lanes.rows import KNOWN, MEMBER, SHORTEST, VECTOR, WIDTH, size_of_rows

__all__ = ["DEFAULT_TOLERANCE", "LEAST_TOLERANCE", "Lanes", "members_at"]

DEFAULT_TOLERANCE = 3e-15
"""Of the method's error, with which runs are right to some 1e-12."""

LEAST_TOLERANCE = 1e-15

_PASSAGES = 8192
"""Passages after which the loop comes back to Python, at least."""


def members_at(starts: np.ndarray, sides: np.ndarray, numbers: np.ndarray, samples: int) -> LaneMembers:
    """LaneMembers that begin at states (N, n), on the sides (N, g) of their events."""
    count, n = starts.shape
    rows = np.full((count, n, samples), np.nan)
    rows[:, :, 0] = starts
    return LaneMembers(
        states=np.array(starts, order="C"),
        steps=np.zeros(count),
        sides=np.array(sides, dtype=float, order="C").reshape(count, -1),
        numbers=np.ascontiguousarray(numbers).reshape(-1, count),
        times=np.full(count, np.nan),
        endings=np.zeros(count, np.int64),
        paces=np.tile([np.inf, 0.0], (count, 1)),
        sampled=np.ones(count, np.int64),
        rows=rows,
    )


class Lanes:
    """A system's equations compiled, and sixteen lanes in which its members run.

    Parameters
    ----------
    field : Program
        Rates of the states, from states, time and further numbers.
    watch : Program
        Events, then for each its gradient by states and time, from the same.
    extra : int
        How many further numbers there are.
    """

    def __init__(self, field: Program, watch: Program, extra: int) -> None:
        self.field, self.watch = field, watch
        self.n = len(field.tape.outputs)
        self.g = len(watch.tape.outputs) // (self.n + 2)
        self._kernels = *compiled_equations(field, watch, extra), *compiled_stages()
        constants = len(field.tape.constants) + len(watch.tape.constants)
        self._rows = np.zeros(size_of_rows(self.n, self.g, constants + extra))
        self._lane, self._counts = np.zeros(KNOWN * WIDTH, np.int64), np.zeros(2, np.int64)
        size = max(_PASSAGES, 2 * WIDTH * self.g)
        self._found = LanePassages(np.zeros((size, 3), np.int64), np.zeros(size), np.zeros((size, self.n)))

    @cached_property
    def _loop(self) -> Any:
        return compiled_loop()

    def begin(self, run: LaneRun, members: LaneMembers, queue: np.ndarray) -> None:
        """Take up members, those of the queue in its order; those that were in the lanes are forgotten."""
        self._run, self._members, self._queue = run, members, np.ascontiguousarray(queue, dtype=np.int64)
        self._lane[MEMBER : MEMBER + WIDTH] = -1
        self._counts[:] = 0
        self._used = VECTOR if len(queue) <= VECTOR else WIDTH

    def go_on(self, rounds: int) -> LanePassages:
        """Run members for so many rounds; the passages that were found."""
        found, counts = self._found, self._counts
        counts[PASSED] = 0
        self._loop(
            *self._kernels,
            rounds,
            self._used,
            self.n,
            self.g,
            self._rows,
            self._lane,
            counts,
            self._queue,
            self._run,
            self._members,
            found,
        )
        return LanePassages(*(part[: counts[PASSED]].copy() for part in found))

    def forget_shortest(self) -> None:
        """Measure the shortest steps anew."""
        self._rows[SHORTEST : SHORTEST + WIDTH] = np.inf

    @property
    def is_done(self) -> bool:
        """Whether all members have come to an end."""
        return bool(
            self._counts[NEXT] == self._queue.size and (self._lane[MEMBER : MEMBER + WIDTH] < 0).all()
        )
