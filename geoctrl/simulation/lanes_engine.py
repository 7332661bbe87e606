"""Dormand-Prince 8(5,3) in compiled lanes: for recorded equations where there is no heyoka."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from geoctrl.simulation.recorded_flow import RecordedFlow
from geoctrl.stepping.drive.engine import EndedError, Ending, Engine
from geoctrl.stepping.drive.flow import Block, Flow
from geoctrl.stepping.drive.run_sizes import SMALL, Sizes
from geoctrl.systems.states.singularity import breaks_down

__all__ = ["InLanes", "lanes_of", "numbers_of", "stops_of", "tolerance_of"]

_ROUNDS, _FEW = 400, 20
"""Steps between two returns to Python, where progress is reported; and where a singularity may be near, for
which one looks there."""

_SHORT = 1e-3
"""Steps shorter than this part of the longest one are looked at: a singularity may be near."""

_LEAST_SIZE = 2.0**-4
"""Size of a state from which on tolerances may be measured by one, and of its square in steps that follow."""


def tolerance_of(flow: Flow) -> float:
    """That of the lanes: the one asked for as far as doubles go, or their own."""
    from geoctrl.stepping.lanes.lanes import DEFAULT_TOLERANCE, LEAST_TOLERANCE

    return max(flow.tolerance(DEFAULT_TOLERANCE), LEAST_TOLERANCE)


def lanes_of(recorded: RecordedFlow) -> Any:
    """The lanes of recorded equations, to be given back under the same key."""
    from geoctrl.stepping.lanes.lanes import Lanes

    idle = recorded.workspace.take(recorded.key("lanes"))
    if idle is not None:
        return idle
    system = recorded.flow.system
    rows = system.graph.jacobian(recorded.events, [*recorded.state_nodes, system.time_node])
    watch = recorded.program([*recorded.events, *(node for row in rows for node in row)])
    return Lanes(recorded.program(recorded.rates), watch, len(recorded.extra))


def stops_of(flow: Flow) -> np.ndarray:
    """For each event the sign of the rate with which it ends a run, 0 for both, 2 for none."""
    return np.array([e.direction if e.terminal else 2 for e in flow.events], dtype=np.int64)


def numbers_of(lanes: Any, flow: Flow) -> list[float]:
    """Constants of the equations at the parameters of a run."""
    return [*lanes.field.constants(flow.params), *lanes.watch.constants(flow.params)]


class InLanes(Engine):
    """The engine: a run alone takes one lane."""

    @property
    def words(self) -> str:
        """Method, tolerance and sizes."""
        flow = self.flow
        text = f"DOP853 in lanes, tolerance {tolerance_of(flow):.3g}{flow.in_sizes(_LEAST_SIZE)}"
        return f"{text} ({self._reason})" if self._reason else text

    @property
    def obstacle(self) -> str | None:
        """Why it cannot run the flow, or None."""
        if not self.flow.system.recorded:
            return "the equations are not recorded"
        return self.flow.drive.obstacle

    @cached_property
    def _equations(self) -> RecordedFlow:
        return RecordedFlow(self.flow)

    def run(self) -> Generator[Block, None, Ending]:
        """Integrate, yielding the samples reached; see `Ending` for what is returned."""
        flow, lane = self.flow, _Lane(self._equations)
        x = np.array(flow.x0, dtype=float)
        yield flow.times[:1], x[None, :]
        flow.begin()
        for grid, known in flow.pieces():
            if known is not None:
                lane.x = np.concatenate([known, lane.x[known.size :]])
            ending = yield from lane.piece(grid)
            if ending.failure or flow.log.is_over:
                break
        lane.give()
        return ending

    def stepper(self) -> LaneStepper:
        """The same from command to command."""
        return LaneStepper(self._equations)


class _Lane:
    """One lane, and the state of a flow that runs in it."""

    def __init__(self, recorded: RecordedFlow) -> None:
        self._recorded, self._flow = recorded, recorded.flow
        self._lanes = lanes_of(recorded)
        self.x = np.array(self._flow.x0, dtype=float)
        self._t, self._step = float(self._flow.times[0]), 0.0
        self._sizes: Sizes | None = self._flow.sizes(_LEAST_SIZE)
        self._constants, self._stops = numbers_of(self._lanes, self._flow), stops_of(self._flow)
        self._tolerance = tolerance_of(self._flow)
        self._longest = 0.0

    def give(self) -> None:
        """Give the lanes back; those that an exception has left half way are dropped."""
        self._recorded.workspace.give(self._recorded.key("lanes"), self._lanes)

    def _begin(self, grid: np.ndarray) -> Any:
        """Put the state into a lane, to run along a grid; the member that it is."""
        from geoctrl.stepping.lanes.lane_loop import LaneRun
        from geoctrl.stepping.lanes.lanes import members_at

        flow, log, sizes = self._flow, self._flow.log, self._sizes
        sides = [log.side(i) for i in range(len(flow.events))]
        numbers = [*self._constants, *flow.drive.extra(float(grid[0]))]
        member = members_at(self.x[None, :], np.array(sides), np.array(numbers, dtype=float), grid.size)
        member.steps[0], member.paces[0, 1] = self._step, self._longest
        run = LaneRun(
            tolerance=self._tolerance,
            begin=self._t,
            end=float(grid[-1]),
            least=_LEAST_SIZE**2,
            most=np.inf if sizes is None else 1 / SMALL,
            size=np.ones(self.x.size) if sizes is None else sizes.state,
            grid=grid,
            stops=self._stops,
        )
        self._lanes.begin(run, member, np.zeros(1))
        return member

    def _take(self, member: Any) -> None:
        """Take up where the member has come to."""
        self._t, self._step = float(member.times[0]), float(member.steps[0])
        self.x, self._longest = member.states[0].copy(), float(member.paces[0, 1])

    def piece(self, grid: np.ndarray) -> Generator[Block, None, Ending]:
        """Run from the first time of a grid to its last; the ending."""
        from geoctrl.stepping.lanes.rows import ARRIVED, COLLAPSED, FAR, NONE

        flow, log = self._flow, self._flow.log
        if flow.events:
            log.again(float(grid[0]), self.x)
        ahead, member, near = grid, self._begin(grid), False
        while True:
            before, done, unwatched = self._t, int(member.sampled[0]), log.unwatched_count
            found = self._lanes.go_on(1 if unwatched else _FEW if near else _ROUNDS)
            self._take(member)
            reached, ending = int(member.sampled[0]), int(member.endings[0])
            begin_anew = ending != NONE
            near = bool(member.paces[0, 0] < _SHORT * self._longest)
            if near:
                self._lanes.forget_shortest()
                system: Any = flow.system
                if breaks_down(system, self._t, self.x[: system.nstates], flow.params):
                    return Ending(self._t, "the equations break down", self.x)
            for (_, event, sign), t, x in zip(found.whose, found.time, found.state, strict=True):
                if log.meets(int(event), float(t), int(sign)):
                    log.add(int(event), float(t), x.copy())
            yield ahead[done:reached], member.rows[0, :, done:reached].T
            if log.is_over:
                return Ending(self._t)
            if ending == COLLAPSED:
                return Ending(self._t, "the step size collapsed", self.x)
            if flow.events and self._t > before and (unwatched or ending == ARRIVED):
                log.give_up(log.settle(self._t, self.x), self._t, self.x)
                if log.is_over:
                    return Ending(self._t)
            if ending == ARRIVED:
                return Ending(self._t)
            if ending == FAR:
                self._sizes = flow.sizes_at(self._t, self.x, np.inf)
            if begin_anew or log.unwatched_count != unwatched:
                ahead = np.concatenate([[self._t], ahead[reached:]])
                member = self._begin(ahead)


class LaneStepper:
    """A flow from time to time, under commands that come in between; used as a context."""

    def __init__(self, recorded: RecordedFlow) -> None:
        self._flow, self._lane = recorded.flow, _Lane(recorded)
        self._t, self._early = float(self._flow.times[0]), self._flow.opening.tolist()
        self._flow.begin()

    def __enter__(self) -> LaneStepper:
        return self

    def __exit__(self, error: object, *_more: object) -> None:
        if error is None:
            self._lane.give()

    def command(self, t: float, u: Sequence[float]) -> None:
        """Hold the inputs u from t on, which is where the flow is."""
        self._flow.drive.command(t, u)

    def advance(self, t: float) -> list[float]:
        """State at a later time; `EndedError` if the run does not reach it."""
        while self._early and self._early[0] < t:
            self.advance(self._early.pop(0))
        steps = self._lane.piece(np.array([self._t, t]))
        while True:
            try:
                next(steps)
            except StopIteration as stop:
                ending = stop.value
                break
        if ending.failure or self._flow.log.is_over:
            raise EndedError(ending)
        self._t = t
        return self._lane.x.tolist()
