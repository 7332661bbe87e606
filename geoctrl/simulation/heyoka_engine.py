"""Taylor integration by heyoka: one compilation serves all parameter values, inputs and initial states."""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Generator
from functools import cache, cached_property
from typing import Any

import numpy as np

from geoctrl._scalars import STATE
from geoctrl.simulation.heyoka_compiled import DEFAULT_TOLERANCE, FUNCTIONS, Compiled, Taken
from geoctrl.simulation.heyoka_stepper import HeyokaStepper
from geoctrl.simulation.recorded_flow import RecordedFlow
from geoctrl.stepping.drive.engine import Ending, Engine
from geoctrl.stepping.drive.flow import Block, Flow
from geoctrl.stepping.drive.run_sizes import SMALL
from geoctrl.systems.states.singularity import breaks_down

__all__ = ["Heyoka", "available"]

_CHUNK = 20_000
"""Steps between two returns to Python, where an interrupt is noticed and progress reported."""

_SHORT = 1e-3
"""Steps shorter than this part of the longest one are looked at: a singularity may be near."""

_EFFORT = 2100.0
"""Instructions up to which equations are written out unasked: four links of a chain, eight bodies that their
inertia does not couple, some three seconds the first time. Ten links take minutes, and then run slower."""

_LOOSE = 1e-12
"""Tolerance above which multipliers let a manifold drift within some hundred seconds."""


@cache
def available() -> bool:
    """Whether heyoka is installed."""
    return importlib.util.find_spec("heyoka") is not None


class Heyoka(Engine):
    """The engine."""

    @cached_property
    def flow(self) -> Flow:
        """The one that is run, on recorded equations."""
        return self._asked.on_recording()

    @cached_property
    def _equations(self) -> RecordedFlow:
        return RecordedFlow(self.flow)

    @property
    def words(self) -> str:
        """Method, tolerance and sizes."""
        flow = self.flow
        return f"heyoka Taylor, tolerance {flow.tolerance(DEFAULT_TOLERANCE):.3g}{flow.in_sizes(SMALL)}"

    @property
    def drawback(self) -> str | None:
        """Why the field of a system that is not recorded serves it better; nothing is written out for it."""
        system, rtol = self._asked.system, self._asked.rtol
        if system.recorded:
            return None
        if math.isinf(system.recording_effort):
            return "it cannot be written out for heyoka"
        if system.recording_effort > _EFFORT:
            return "its equations are too long to write out for heyoka"
        if rtol is not None and rtol > _LOOSE:
            return "its equations written out hold the manifold by multipliers, for rtol up to 1e-12"
        return None

    @property
    def obstacle(self) -> str | None:
        """Why it cannot run the flow, or None."""
        if self._asked.drive.obstacle is not None:
            return self._asked.drive.obstacle
        flow, recorded = self.flow, self._equations
        key = recorded.key("obstacle", flow.drive.constant, tuple(event.name for event in flow.events))
        return recorded.workspace.get(key, lambda: self._constant_event() or self._unknown_function())

    def _constant_event(self) -> str | None:
        """Words about an event that no state changes."""
        flow, recorded = self.flow, self._equations
        held = {*recorded.extra} if flow.drive.constant else set()
        for event, node in zip(flow.events, recorded.events, strict=True):
            if not {s for s in flow.system.graph.symbols([node]) if s.level >= STATE} - held:
                return f"event {event.name!r} does not change along the run"
        return None

    def _unknown_function(self) -> str | None:
        """Words about a function that heyoka lacks."""
        recorded = self._equations
        parts = [("the equations of motion", recorded.rates)]
        parts += [
            (f"event {event.name!r}", [node])
            for event, node in zip(self.flow.events, recorded.events, strict=True)
        ]
        for what, nodes in parts:
            for op, *operands in recorded.program(nodes).tape.instructions:
                if op == "fun" and operands[0] not in FUNCTIONS:
                    return f"heyoka lacks the function {operands[0]!r} of {what}"
        return None

    def run(self) -> Generator[Block, None, Ending]:
        """Integrate on recorded equations, yielding the samples reached; see `Ending` for the rest."""
        flow = self.flow
        flow.begin()
        taken = Taken(self._equations)
        yield flow.times[:1], flow.x0[None, :]
        for grid, known in flow.pieces():
            if not taken.serves:
                taken.exchange()
            t, ta = float(grid[0]), taken.compiled.integrator
            if known is not None:
                taken.compiled.set(t, [*known, *ta.state[known.size :]])
            taken.compiled.held[:] = flow.drive.extra(t)
            if flow.events:
                flow.log.again(t, ta.state)
            ending = yield from self._piece(taken, grid)
            if ending.failure or flow.log.is_over:
                break
        # An integrator that an exception or an interrupt has left half way is dropped rather than given back.
        taken.give()
        return ending

    def _piece(self, taken: Taken, grid: np.ndarray) -> Generator[Block, None, Ending]:
        flow, log, rest = self.flow, self.flow.log, grid[1:]
        last = float(grid[0]), taken.compiled.integrator.state.copy()
        while True:
            if taken.left <= 0:
                taken.optimise()
            compiled = taken.compiled
            ta, measured = compiled.integrator, compiled.measured
            if measured is not None and measured.sizes.outgrown(ta.state):
                taken.resize(float(ta.time), ta.state)
            before, start, mark = float(ta.time), ta.state.copy(), log.mark()
            # Continued from where it is, the integrator takes the same steps as without a pause. In sizes of
            # its own it is looked at after each step.
            if measured is None and before == grid[0] and rest.size == grid.size - 1:
                ahead = grid
            else:
                ahead = np.concatenate([[before], rest if measured is None else rest[:_CHUNK]])
            chunk = _CHUNK if measured is None else 1
            outcome, shortest, longest, steps, _, rows = ta.propagate_grid(ahead, max_steps=chunk)
            rows = rows[1:]
            taken.left -= steps
            compiled.longest = max(compiled.longest, longest)
            if shortest < _SHORT * compiled.longest or (outcome == compiled.step_limit and chunk > 1):
                broken = self._breakdown(compiled, before, start, steps)
                if broken is not None:
                    log.forget_after(broken.time)
                    reached = int(np.searchsorted(rest[: len(rows)], broken.time))
                    yield rest[:reached], rows[:reached]
                    return broken
            if measured is None and (small := self._first_small(rest, rows)) is not None:
                # From the last sample on that is not small once more: errors are relative to the motion.
                t, x = (float(rest[small - 1]), rows[small - 1]) if small else (before, start)
                log.rewind(t, x)
                taken.resize(t, x)
                yield rest[:small], rows[:small]
                rest, last = rest[small:], (t, x)
                continue
            if flow.events and outcome != compiled.not_finite:
                taken.look_again(before, start, mark)
                if log.end is not None:
                    rows = rows[: int(np.searchsorted(rest[: len(rows)], log.end[0], side="right"))]
            finite = _all_finite(rows)
            if not finite:
                rows = rows[: int(np.argmin(np.isfinite(rows).all(axis=1)))]
            if len(rows):
                last = float(rest[len(rows) - 1]), rows[-1]
            yield rest[: len(rows)], rows
            rest = rest[len(rows) :]
            if not finite or outcome == compiled.not_finite:
                compiled.target.log = None
                return Ending(*_last_finite(compiled, *last))
            if log.is_over or (outcome == compiled.time_limit and not rest.size):
                return Ending(ta.time)
            if outcome == compiled.step_limit:
                size = max(abs(before), abs(ta.time), 1e-3 * abs(grid[-1] - grid[0]))
                floor = 16 * np.finfo(float).eps * size
                if ta.time == before or (chunk > 1 and abs(ta.time - before) <= floor * steps):
                    return Ending(ta.time, "the step size collapsed", ta.state.copy())
                last = ta.time, ta.state.copy()
                continue
            if outcome != compiled.time_limit:
                return Ending(ta.time)

    def _first_small(self, times: np.ndarray, rows: np.ndarray) -> int | None:
        """The first sample that is small beside the sizes that doubles and tolerances are made for."""
        if not len(rows):
            return None
        one = rows[:, np.abs(rows[-1]).argmax()]
        if one.min() >= SMALL or one.max() <= -SMALL:
            return None  # one state is never small, as mostly; the least of a column costs little
        largest = np.max(np.abs(rows), axis=1)
        small = (largest < SMALL) & (largest > 0)
        if not small.any():
            return None
        k = int(np.argmax(small))
        return k if self.flow.sizes_at(float(times[k]), rows[k], SMALL) is not None else None

    def _breakdown(self, compiled: Compiled, t: float, x: np.ndarray, steps: int) -> Ending | None:
        """Where a stretch that has been run from `x` at `t` met a state at which no run could start.

        An integrator may go on behind a singularity, or along it, with numbers that mean nothing.
        """
        system: Any = self.flow.system
        ta, n, log = compiled.integrator, system.nstates, compiled.target.log

        def singular() -> bool:
            return breaks_down(system, ta.time, ta.state[:n], self.flow.params)

        end = ta.time, ta.state.copy()
        limit = np.inf if singular() else _SHORT * compiled.longest
        compiled.target.log = None
        compiled.set(t, x)
        for _ in range(steps):
            _, h = ta.step()
            if h < limit and np.isfinite(ta.state).all() and singular():
                return Ending(ta.time, "the equations break down", ta.state.copy())
        compiled.set(*end)
        compiled.target.log = log
        return None

    def stepper(self) -> HeyokaStepper:
        """The same from command to command."""
        return HeyokaStepper(self._equations)


def _all_finite(rows: np.ndarray) -> bool:
    """Whether all entries are numbers; their sum says so at once, unless it exceeds the doubles."""
    with np.errstate(all="ignore"):
        return math.isfinite(rows.sum()) or bool(np.isfinite(rows).all())


def _last_finite(compiled: Compiled, t: float, x: np.ndarray) -> tuple[float, str, np.ndarray]:
    """Step again from a good state to the last finite one."""
    ta = compiled.integrator
    compiled.set(t, x)
    for _ in range(_CHUNK):
        ta.step()
        if not np.isfinite(ta.state).all():
            break
        t, x = ta.time, ta.state.copy()
    return t, "the state is no longer finite", x
