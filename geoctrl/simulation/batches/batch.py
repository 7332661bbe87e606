"""Eight members at once: Taylor integration by heyoka's batches, from groups of members of like pace.

A member's numbers are its own to the last bit, whoever runs beside it: lanes share nothing, samples are taken
from the series of steps that go on over them, and a lane pauses nowhere but at cuts and step counts of its
own. An event that ends a member does not end the batch, which would be such a pause: its lane is held, by a
factor of the field, until the others have ended. A group in which a lane turns to no number, which does end a
batch, is run again without it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from geoctrl.simulation.heyoka_compiled import heyoka_for, taylor_expressions
from geoctrl.simulation.recorded_flow import RecordedFlow

__all__ = ["WIDTH", "Batch", "Group", "Passage", "Piece"]

WIDTH = 8

_CHUNK = 20_000
"""Steps between two returns to Python, where an interrupt is noticed; every lane has made as many."""

_LARGE = 250
"""Instructions above which code is generated in compact mode: compiled ten times faster, run slower."""

_SHORT = 1e-3
"""Steps shorter than this part of the longest: a singularity may be near."""

_PART = 0.1
"""Longest step of a lane that was held, in terms of the mean one, which is known of it."""


class Piece(NamedTuple):
    """A stretch of a run without kinks of the inputs.

    Attributes
    ----------
    grid : ndarray (k,)
        Times from its beginning to its end.
    extra : ndarray (e, N)
        Numbers of what drives the inputs, for each member.
    """

    grid: np.ndarray
    extra: np.ndarray


class Passage(NamedTuple):
    """A zero of an event in one lane; ``sign`` is that of its rate."""

    lane: int
    event: int
    time: float
    sign: int
    state: np.ndarray


@dataclass
class Group:
    """What a run of some members left, the first lanes of a batch.

    Attributes
    ----------
    rows : ndarray (nt, n, k)
        States at all times of the pieces; of what was held those before are good alone.
    passages : list of Passage
    stops : dict of lane -> Passage
        What ended a member before its time.
    broken : ndarray of bool (k,)
        Where the run met what is no number, and the others are not finished.
    doubtful : ndarray of bool (k,)
        Where steps became so short that one has to look for a singularity.
    """

    rows: np.ndarray
    passages: list[Passage] = field(default_factory=list)
    stops: dict[int, Passage] = field(default_factory=dict)
    broken: np.ndarray = field(default_factory=lambda: np.zeros(0, bool))
    doubtful: np.ndarray = field(default_factory=lambda: np.zeros(0, bool))


class _Log:
    """Where the zeros of the group that runs are told; None while nothing is asked."""

    def __init__(self) -> None:
        self.group: Group | None = None
        self.count = 0
        self.resting: dict[int, tuple[np.ndarray, np.ndarray, np.ndarray]] = {}
        """Lanes that go along with others: their time, state and numbers where they have come to."""


class _ZeroWatch:
    """Told of the zeros of one event; heyoka copies callbacks, this one stays itself."""

    def __init__(self, log: _Log, index: int, directions: Sequence[int], held: int | None) -> None:
        self._log, self._index, self._directions, self._held = log, index, directions, held

    def __deepcopy__(self, memo: dict) -> Any:
        return self

    def __call__(self, integrator: Any, t: float, sign: int, lane: int) -> None:
        log, group = self._log, self._log.group
        if group is None or lane >= log.count or lane in log.resting:
            return
        if lane in group.stops and t >= group.stops[lane].time:  # zeros of one step come in any order
            return
        integrator.update_d_output(t)
        found = Passage(lane, self._index, t, sign, integrator.d_output[:, lane].copy())
        group.passages.append(found)
        if self._held is not None and sign in self._directions:
            group.stops[lane] = found
            integrator.pars[self._held, lane] = 0.0


class Batch:
    """A compiled integrator of eight lanes; starts and numbers are set anew for each group.

    Parameters
    ----------
    recorded : RecordedFlow
        The equations with inputs put in, and all events.
    tolerance : float
    """

    def __init__(self, recorded: RecordedFlow, tolerance: float) -> None:
        self.program = recorded.right_hand_side
        hy, events = heyoka_for(self.program), recorded.flow.events
        n, self._first = len(recorded.state_nodes), len(self.program.tape.constants)
        self._held = self._first + len(recorded.extra)
        self._log = _Log()
        self._not_finite = hy.taylor_outcome.err_nf_state
        variables = [hy.expression(f"x{i}") for i in range(n)]
        extra = [hy.par[self._first + i] for i in range(len(recorded.extra))]
        outputs = taylor_expressions(self.program, [*variables, hy.time, *extra])
        ends = any(event.terminal for event in events)
        moving = hy.par[self._held]
        rates = [moving * rate for rate in outputs[:n]] if ends else outputs[:n]
        watched = []
        for i, (event, expression) in enumerate(zip(events, outputs[n:], strict=True)):
            directions = (event.direction,) if event.direction else (-1, 0, 1)
            held = self._held if event.terminal else None
            watched.append(hy.nt_event_batch(expression, _ZeroWatch(self._log, i, directions, held)))
        self._integrator: Any = hy.taylor_adaptive_batch(
            list(zip(variables, rates, strict=True)),
            state=np.zeros((n, WIDTH)),
            tol=tolerance,
            pars=np.zeros((self._held + ends, WIDTH)),
            compact_mode=len(self.program.tape.instructions) > _LARGE,
            nt_events=watched,
        )

    def first_steps(
        self, t: float, starts: np.ndarray, constants: np.ndarray, extra: np.ndarray
    ) -> np.ndarray:
        """Lengths (N,) of the first steps of members from starts (N, n), by which paces are compared."""
        self._log.group = None
        lengths = np.empty(len(starts))
        for first in range(0, len(starts), WIDTH):
            lanes = np.minimum(np.arange(first, first + WIDTH), len(starts) - 1)
            self._set(t, starts[lanes], constants[:, lanes], extra[:, lanes])
            self._integrator.step()
            count = min(WIDTH, len(starts) - first)
            lengths[first : first + count] = self._integrator.last_h[:count]
        return lengths

    def run(
        self,
        starts: np.ndarray,
        constants: np.ndarray,
        pieces: Sequence[Piece],
        look: Callable[[], None],
    ) -> Group:
        """Run up to eight members from starts (k, n) along the pieces; ``look`` is called on the way."""
        count = len(starts)
        lanes = np.minimum(np.arange(WIDTH), count - 1)
        self._log.group = group = Group(np.empty((0, starts.shape[1], count)))
        self._log.count = count
        self._log.resting.clear()
        try:
            self._set(float(pieces[0].grid[0]), starts[lanes], constants[:, lanes], pieces[0].extra[:, lanes])
            steps = _Steps(count)
            found = []
            for piece in pieces:
                self._integrator.pars[self._first : self._held] = piece.extra[:, lanes]
                found.append(self._rows_along(piece.grid, steps, look))
                if any(steps.broken):
                    break
            group.rows = (found[0] if len(found) == 1 else np.concatenate(found))[:, :, :count]
            group.broken, group.doubtful = np.array(steps.broken), steps.doubtful(group.stops, pieces)
        finally:
            self._log.group = None
        return group

    def _set(self, t: float, starts: np.ndarray, constants: np.ndarray, extra: np.ndarray) -> None:
        ta = self._integrator
        ta.set_time(t)
        ta.state[:] = starts.T
        ta.pars[: self._first], ta.pars[self._first : self._held] = constants, extra
        ta.pars[self._held :] = 1.0
        if ta.with_events:
            ta.reset_cooldowns()

    def _rows_along(self, grid: np.ndarray, steps: _Steps, look: Callable[[], None]) -> np.ndarray:
        """States (k, n, 8) at the times of a piece.

        After a pause each lane has times of its own to come. Those that have fewer are asked for states
        before the first of them, which changes no step; one that has come to its end goes along with another.
        """
        ta, size = self._integrator, grid.size
        _, found = ta.propagate_grid(np.repeat(grid[:, None], WIDTH, axis=1), max_steps=_CHUNK)
        steps.count(ta.propagate_res, self._not_finite)
        if any(steps.broken) or (ta.time >= grid[-1]).all():
            return found
        rows = np.empty((size, ta.state.shape[0], WIDTH))
        left = np.full(WIDTH, size)
        while True:
            time, shift = ta.time, len(found) - size
            for lane in np.flatnonzero(left):
                begun, reached = size - left[lane], int(np.searchsorted(grid, time[lane], "right"))
                rows[begun:reached, :, lane] = found[begun + shift : reached + shift, :, lane]
                left[lane] = size - reached
            if any(steps.broken) or not left.any():
                break
            self._lead_on(left)
            look()
            _, found = ta.propagate_grid(self._times_to_come(grid, left), max_steps=_CHUNK)
            steps.count(ta.propagate_res, self._not_finite)
        self._lead_back()
        return rows

    def _lead_on(self, left: np.ndarray) -> None:
        """Let lanes that have come to the end of a piece go along with one that has not."""
        ta, runs = self._integrator, int(np.argmax(left))
        time = np.array(ta.dtime)
        for lane in np.flatnonzero(left == 0):
            at = time[:, lane].copy(), ta.state[:, lane].copy(), ta.pars[:, lane].copy()
            self._log.resting.setdefault(int(lane), at)
            time[:, lane], ta.state[:, lane], ta.pars[:, lane] = (
                time[:, runs],
                ta.state[:, runs],
                ta.pars[:, runs],
            )
        ta.set_dtime(*time)

    def _lead_back(self) -> None:
        """Set lanes that went along with others back to where they were."""
        ta, resting = self._integrator, self._log.resting
        if resting:
            time = np.array(ta.dtime)
            for lane, (at, state, numbers) in resting.items():
                time[:, lane], ta.state[:, lane], ta.pars[:, lane] = at, state, numbers
            ta.set_dtime(*time)
            resting.clear()

    def _times_to_come(self, grid: np.ndarray, left: np.ndarray) -> np.ndarray:
        """Times (k, 8) for lanes with so many rows to come, each from where it is."""
        more = np.where(left, left, left.max())
        ahead = np.empty((left.max() + 1, WIDTH))
        for lane, (time, rows) in enumerate(zip(self._integrator.time, more, strict=True)):
            before = len(ahead) - rows
            ahead[before:, lane] = grid[grid.size - rows :]
            ahead[:before, lane] = np.linspace(time, ahead[before, lane], before, endpoint=False)
        return ahead


class _Steps:
    """Steps that the lanes of a group have made; in lists, which are read and written one lane at a time."""

    def __init__(self, count: int) -> None:
        self._shortest, self._longest = [np.inf] * count, [0.0] * count
        self.broken = [False] * count

    def count(self, results: Sequence[tuple], not_finite: Any) -> None:
        """Take up what `propagate_grid` tells of each lane."""
        shortest, longest = self._shortest, self._longest
        for lane, (outcome, low, high, made) in zip(range(len(shortest)), results, strict=False):
            if outcome == not_finite:
                self.broken[lane] = True
            if made:
                if low < shortest[lane]:
                    shortest[lane] = low
                if high > longest[lane]:
                    longest[lane] = high

    def doubtful(self, stops: dict[int, Passage], pieces: Sequence[Piece]) -> np.ndarray:
        """Lanes in which a step was short beside the others."""
        longest = np.array(self._longest)
        for lane, stop in stops.items():  # the steps of a lane that is held are long
            longest[lane] = _PART * (stop.time - float(pieces[0].grid[0]))
        return np.array(self._shortest) < _SHORT * longest
