"""Ordinary members run in batches, and what speaks against the numbers that came out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import cached_property

import numpy as np

from geoctrl.simulation.batches.batch import WIDTH, Batch, Group, Piece
from geoctrl.simulation.batches.member_passages import MemberPassages
from geoctrl.simulation.batches.member_starts import sides_at
from geoctrl.simulation.lanes_engine import lanes_of, stops_of, tolerance_of
from geoctrl.simulation.members.ensemble_members import MembersPart
from geoctrl.simulation.members.ensemble_task import EnsembleTask, member_constants
from geoctrl.stepping.drive.run_sizes import SMALL

__all__ = ["Together", "TogetherInBatches", "TogetherInLanes", "pieces_with_columns"]

_ROUNDS = 100_000
"""Steps of the lanes, a state each, between two looks at what is to be told; passages may bring them back
before."""

_SHORT = 1e-3
"""Steps shorter than this part of the longest: a singularity may be near."""


def pieces_with_columns(task: EnsembleTask, part: MembersPart) -> list[tuple[Piece, np.ndarray]]:
    """Stretches between kinks of the inputs, each with the samples in it."""
    found = []
    for grid, _ in task.pattern_without_events.pieces():
        columns = np.flatnonzero((task.times >= grid[0]) & (task.times <= grid[-1]))
        found.append((Piece(grid, task.extra_numbers(part, float(grid[0]))), columns))
    return found


class Together(ABC):
    """Members of one part, from ordinary starts on sides (g, k) of the surfaces of events.

    Attributes
    ----------
    states : ndarray (k, n, nt)
        Nan beyond a member's end, once they are `settled_members`.
    end, last : ndarray (k,), (k, n)
    stop : ndarray of int (k,)
        The event that ended a member, or -1.
    passages : list of MemberPassages
        As they are found; `settled_passages` are those of all, in order.
    """

    def __init__(
        self, task: EnsembleTask, part: MembersPart, sides: np.ndarray, look: Callable[[int], None]
    ) -> None:
        self._task, self._part, self._sides, self._tell = task, part, sides, look
        k, n = part.starts.shape
        self.states, self.last = np.empty((k, n, task.times.size)), np.empty((k, n))
        self.end, self.stop = np.full(k, float(task.times[-1])), np.full(k, -1)
        self.passages: list[MemberPassages] = []
        self._finished, self._doubtful = np.zeros(k, bool), np.zeros(k, bool)

    @abstractmethod
    def run(self) -> None:
        """Run all of them."""

    def _look(self) -> None:
        self._tell(int(self._finished.sum()))

    def settled_members(self) -> np.ndarray:
        """Places of members that are done and of which nothing is in doubt; samples beyond ends are gone."""
        task, last = self._task, np.ascontiguousarray(self.last.T)
        doubt = ~self._finished | self._doubtful | ~np.isfinite(last).all(axis=0) | self._is_small()
        if task.located_events:
            extra = list(task.extra_numbers(self._part, float(task.times[-1])))
            at_end = sides_at(task, self._part, self.end, last, extra)
            doubt |= self.settled_passages.lost_sides(self._sides, at_end, self.stop)
        if task.keeps_rows:
            for i in np.flatnonzero(~doubt):
                doubt[i] = self._is_off_leaf(int(i))
        return np.flatnonzero(~doubt)

    @cached_property
    def settled_passages(self) -> MemberPassages:
        """Those before the ends of members, in order, of a run that has come to its end."""
        found = MemberPassages.of_parts(self.passages, self.last.shape[1])
        before = found.times <= self.end[found.members]
        return (found if before.all() else found.where(before)).in_order()

    def _is_small(self) -> np.ndarray:
        """Whether a member became small beside the sizes that doubles and tolerances are made for."""
        small = np.zeros(len(self.end), bool)
        if not small.size:
            return small
        # One state is never small, as mostly: that which is largest at the end.
        largest = np.abs(self.last).argmax(axis=1)
        row = np.abs(self.states[np.arange(small.size), largest])
        for i in np.flatnonzero(~(np.fmin.reduce(row, axis=1) >= SMALL)):
            size = np.abs(self.states[i]).max(axis=0)
            small[i] = ((size < SMALL) & (size > 0)).any()
        return small

    def _is_off_leaf(self, i: int) -> bool:
        """Whether a member drifts off rows that multipliers keep."""
        times = self._task.times
        inside = times <= self.end[i]
        field = self._task.system.run(self._part.params_of(i))
        return field.off_leaf(times[inside], self.states[i].T[inside])[1] is not None


class TogetherInBatches(Together):
    """Eight at a time in batches of heyoka."""

    def run(self) -> None:
        """Run all of them, those of like pace side by side."""
        task, part = self._task, self._part
        recorded, kept = task.equations, task.equations.workspace
        key = recorded.key("batch", task.tolerance)
        batch = kept.take(key) or Batch(recorded, task.tolerance)
        constants = np.array(
            [np.broadcast_to(c, len(part)) for c in member_constants(batch.program, part)], dtype=float
        ).reshape(-1, len(part))
        pieces = pieces_with_columns(task, part)
        lengths = batch.first_steps(float(task.times[0]), part.starts, constants, pieces[0][0].extra)
        order = np.argsort(lengths, kind="stable")
        grid = np.concatenate([piece.grid for piece, _ in pieces])
        places = np.searchsorted(grid, task.times)
        for first in range(0, len(part), WIDTH):
            left = order[first : first + WIDTH]
            while left.size:
                cut = [Piece(piece.grid, piece.extra[:, left]) for piece, _ in pieces]
                group = batch.run(part.starts[left], constants[:, left], cut, self._look)
                if not group.broken.any():
                    self._take(group, left, places)
                    break
                left = left[~group.broken]
            self._look()
        # A batch that an exception or an interrupt has left half way is dropped rather than given back.
        kept.give(key, batch)

    def settled_members(self) -> np.ndarray:
        """The same; samples of lanes that were held are gone first."""
        if (self.stop >= 0).any():
            beyond = self._task.times > self.end[:, None]
            self.states[np.broadcast_to(beyond[:, None, :], self.states.shape)] = np.nan
        return super().settled_members()

    def _take(self, group: Group, members: np.ndarray, places: np.ndarray) -> None:
        """Take up a group that has come to its end, with its samples at those places of the rows."""
        self.states[members] = group.rows[places].transpose(2, 1, 0)
        self.last[members] = group.rows[-1].T
        for lane, stop in group.stops.items():
            member = members[lane]
            self.end[member], self.last[member], self.stop[member] = stop.time, stop.state, stop.event
        if group.passages:
            lanes, *columns = map(np.array, zip(*group.passages, strict=True))
            self.passages.append(MemberPassages(members[lanes], *columns))
        self._finished[members], self._doubtful[members] = True, group.doubtful


class TogetherInLanes(Together):
    """In sixteen lanes, each of which takes up the next member when its own has come to its end."""

    def run(self) -> None:
        """Run all of them."""
        from geoctrl.stepping.lanes.lane_loop import LaneRun
        from geoctrl.stepping.lanes.lanes import members_at
        from geoctrl.stepping.lanes.rows import ARRIVED, NONE, STOPPED

        task, part, recorded = self._task, self._part, self._task.equations
        lanes = lanes_of(recorded)
        constants = [c for program in (lanes.field, lanes.watch) for c in member_constants(program, part)]
        pieces, count = pieces_with_columns(task, part), len(part)
        numbers = np.empty((len(constants) + len(recorded.extra), count))
        for row, constant in zip(numbers, constants, strict=False):
            row[:] = constant
        members = members_at(part.starts, self._sides.T, numbers, task.times.size)
        self.states, self.last, endings = members.rows, members.states, members.endings
        for piece, _ in pieces:
            members.numbers[len(constants) :] = piece.extra
            endings[endings == ARRIVED] = NONE
            run = LaneRun(
                tolerance=tolerance_of(task.pattern),
                begin=float(piece.grid[0]),
                end=float(piece.grid[-1]),
                least=SMALL,
                most=np.inf,
                size=np.ones(part.starts.shape[1]),
                grid=task.times,
                stops=stops_of(task.pattern),
            )
            lanes.begin(run, members, np.flatnonzero(endings == NONE))
            while not lanes.is_done:
                found = lanes.go_on(1 + _ROUNDS // part.starts.shape[1])
                member, event, sign = found.whose.T
                self.passages.append(MemberPassages(member, event, found.time, sign, found.state))
                # Told before one looks: an interrupt keeps what is done.
                arrived = (endings == ARRIVED) & (members.times >= task.times[-1])
                self._finished = arrived | (endings >= STOPPED)
                self.stop = np.where(endings >= STOPPED, endings - STOPPED, -1)
                self.end = np.where(self._finished, members.times, self.end)
                self._doubtful = members.paces[:, 0] < _SHORT * members.paces[:, 1]
                self._look()
        # Lanes that an exception or an interrupt has left half way are dropped rather than given back.
        recorded.workspace.give(recorded.key("lanes"), lanes)
