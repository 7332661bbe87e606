"""Members run: in batches where they are ordinary, else alone; a part of them at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from geoctrl._calls.long_calls import is_under_way, under_way
from geoctrl.errors import GeoctrlError
from geoctrl.simulation.batches.batch import WIDTH
from geoctrl.simulation.batches.ensemble_rows import NOT_RUN, EnsembleRows
from geoctrl.simulation.batches.member_starts import member_starts
from geoctrl.simulation.batches.together import (
    Together,
    TogetherInBatches,
    TogetherInLanes,
    pieces_with_columns,
)
from geoctrl.simulation.members.ensemble_members import MembersPart
from geoctrl.simulation.members.ensemble_task import EnsembleTask
from geoctrl.simulation.members.quantities import node_of, reduced_values
from geoctrl.simulation.members.reductions import Reduced
from geoctrl.simulation.run import simulate
from geoctrl.stepping.drive.passages import stop_words

__all__ = ["empty_rows", "run_rows"]

_MOST, _LARGEST = 4096, 1 << 25
"""Members whose states are held at once, and bytes of these."""

_LEAST = 1e-3
"""Seconds of a run that begins when the time is up."""


def empty_rows(task: EnsembleTask, count: int) -> EnsembleRows:
    """Rows of members that were not run."""
    return EnsembleRows(count, task.system.nstates, task.times.size, task.record)


def run_rows(task: EnsembleTask, rows: EnsembleRows, look: Callable[[int], None]) -> None:
    """Fill rows; ``look`` is told how many members are done, and may end it by an exception."""
    n, samples = task.system.nstates, task.times.size
    size = int(np.clip(_LARGEST // (8 * n * samples), WIDTH, _MOST))
    for first in range(0, len(rows), size):
        last = min(first + size, len(rows))
        part = task.members.part(first, last)
        _Block(task, part, rows, first, look).run()


def _seconds_left() -> float | None:
    """Seconds that a run alone may take, where the call that it is part of has an end in this thread."""
    left = under_way().budget.seconds_left if is_under_way() else np.inf
    return None if left == np.inf else left or _LEAST


class _Block:
    """Members whose states are held at once."""

    def __init__(
        self,
        task: EnsembleTask,
        part: MembersPart,
        rows: EnsembleRows,
        first: int,
        look: Callable[[int], None],
    ) -> None:
        self._task, self._part, self._rows, self._first = task, part, rows, first
        self._tell = look
        k, n, samples = len(part), task.system.nstates, task.times.size
        self._place = slice(first, first + k)
        self._states = np.full((k, n, samples), np.nan) if rows.states is None else rows.states[self._place]
        self._status, self._success = rows.status[self._place], rows.success[self._place]
        self._end, self._last = rows.end[self._place], rows.last[self._place]
        self._known: list[list[np.ndarray] | None] = [None] * k
        """Of members that ran alone in an ensemble without batches: what is kept."""

    def run(self) -> None:
        """Run all of them; what was done is kept, however it ends."""
        task = self._task
        try:
            alone = np.ones(len(self._part), bool)
            if task.obstacle is None:
                starts = member_starts(task, self._part)
                good = np.flatnonzero(starts.ordinary)
                alone[good] = self._run_together(good, starts.sides[:, good])
            for i in np.flatnonzero(alone):
                self._run_alone(int(i))
                self._tell(self._first + int((self._status != NOT_RUN).sum()))
        finally:
            self._keep()

    def _run_together(self, places: np.ndarray, sides: np.ndarray) -> np.ndarray:
        """Run ordinary members in batches; which of them have to be run alone, bool (k,)."""
        if not places.size:
            return np.zeros(0, bool)
        kind = TogetherInLanes if self._task.runs_in_lanes else TogetherInBatches
        part = self._part.subset(places)
        together = kind(self._task, part, sides, lambda done: self._tell(self._first + done))
        try:
            together.run()
        finally:
            left = self._take(together, places)
        return left

    def _take(self, together: Together, places: np.ndarray) -> np.ndarray:
        """Take up members that were run in batches; which of them have to be run alone."""
        task, good = self._task, together.settled_members()
        here = places[good]
        self._states[here] = together.states[good]
        self._end[here], self._last[here] = together.end[good], together.last[good]
        words = np.array(task.usual_words, dtype=object)
        edges = np.array([False, *(event.edge is not None for event in task.located_events)])
        self._status[here] = words[together.stop[good] + 1]
        self._success[here] = ~edges[together.stop[good] + 1]
        taken = np.zeros(places.size, bool)
        taken[good] = True
        if task.located_events:
            found, way = together.settled_passages, np.array([e.direction for e in task.located_events])
            ways = way[found.events]
            found = found.where(
                ~edges[found.events + 1] & taken[found.members] & ((ways == 0) | (ways == found.signs))
            )
            for member, event, t, _, state in zip(*found, strict=True):
                self._add_passage(int(places[member]), int(event), float(t), state)
        return ~taken

    def _add_passage(self, i: int, event: int, t: float, state: np.ndarray) -> None:
        self._rows.passages.append((self._first + i, event, t, state))

    def _run_alone(self, i: int) -> None:
        task, part = self._task, self._part
        try:
            run = simulate(
                task.system,
                task.times,
                part.starts[i],
                params=part.params_of(i),
                inputs=task.inputs_of(part, i),
                engine=task.engine,
                rtol=task.rtol,
                events=task.events,
                throw=False,
                domain=task.domain,
                seconds=_seconds_left(),
            )
        except GeoctrlError as error:
            self._status[i] = f"refused: {error}"
            return
        end, last = float(run.time[-1]), run.states[:, -1]
        asked = np.isin(run.time, task.times)
        words = run.status
        for event in task.located_events:
            if words == stop_words(event, end):
                words = stop_words(event)
        states = run.states[:, asked]
        self._states[i, :, : states.shape[1]] = states
        self._end[i], self._last[i], self._status[i], self._success[i] = end, last, words, run.success
        for k, event in enumerate(task.located_events):
            if event.edge is None:
                found = run.events[event.name]
                for t, state in zip(found.time.tolist(), found.states.T, strict=True):
                    self._add_passage(i, k, t, state.copy())
        if task.record is not None and task.obstacle is not None:
            self._known[i] = self._values_of(run, asked, part.params_of(i))

    def _values_of(self, run: Any, asked: np.ndarray, params: Any) -> list[np.ndarray]:
        """What is kept of a member that was run alone, (nt + 1) each: at the samples, and at its end."""
        system, times = self._task.system, self._task.times
        nodes = [node_of(system, quantity) for quantity in self._task.record]
        values = {**dict.fromkeys(system.params), **params}
        found = system.program(nodes)([*run.states, run.time, *run.inputs], values)
        rows = np.full((len(nodes), times.size + 1), np.nan)
        rows[:, : int(asked.sum())], rows[:, -1] = found[:, asked], found[:, -1]
        return list(rows)

    def _keep(self) -> None:
        """Put what is kept instead of states into the rows."""
        task, done = self._task, self._status != NOT_RUN
        if task.record is None or not done.any():
            return
        if task.obstacle is None:
            values = self._all_values()
        else:
            empty = [np.full(task.times.size + 1, np.nan)] * len(task.record)
            values = np.array([known or empty for known in self._known]).swapaxes(0, 1)
        for quantity, kept, found in zip(task.record, self._rows.recorded, values, strict=True):
            own = reduced_values(quantity, found)
            if isinstance(kept, Reduced):
                kept.add(own.reshape(len(done), -1), self._rows.first + self._first, done)
            else:
                kept[self._place][done] = own[done]

    def _all_values(self) -> np.ndarray:
        """What is kept of all members, (q, k, nt + 1)."""
        task, part = self._task, self._part
        k, _, samples = self._states.shape
        nodes = task.record_nodes
        states = np.concatenate([self._states, self._last[:, :, None]], axis=2)
        times = np.concatenate([np.broadcast_to(task.times, (k, samples)), self._end[:, None]], axis=1)
        found = np.empty((len(nodes), k, samples + 1))
        for piece, columns in pieces_with_columns(task, part):
            place = np.append(columns, samples)
            found[:, :, place] = task.values(
                nodes,
                part,
                times[:, place],
                list(states[:, :, place].swapaxes(0, 1)),
                list(piece.extra[:, :, None]),
            )
        return found
