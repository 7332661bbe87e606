"""Runs with jumps: a piece in each mode up to the next guard, what the jump makes of its end, and on."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from typing import Any, NamedTuple, Protocol

import numpy as np

from geoctrl._checks import whole_number
from geoctrl.errors import InputError, SimulationError
from geoctrl.runs import Samples
from geoctrl.simulation.jumps.accumulation import accumulation_point
from geoctrl.simulation.jumps.hybrid_trajectory import HybridTrajectory, JumpRecord, RunPiece
from geoctrl.simulation.jumps.mode_drives import ModeDrives
from geoctrl.stepping.drive.drive import Drive
from geoctrl.stepping.drive.events import LocatedEvent, read_events
from geoctrl.stepping.drive.passages import RELATIVE_ROUNDING
from geoctrl.systems import HybridSystem, Transition
from geoctrl.systems.jumps.resting import at_rest
from geoctrl.systems.jumps.transition import size_of

__all__ = ["Advance", "hybrid_run"]

_TIME = re.compile(r"\bt = (-?\d[-+.\de]*)")
_CLOSE = 2
_ROUNDING = 1e-14
"""Part of a phase's time within which rounding passes a guard that has been struck."""


class Advance(Protocol):
    """Runs one mode from a state, to its end or its first terminal event."""

    def __call__(
        self,
        system: Any,
        times: np.ndarray,
        x: np.ndarray,
        params: dict[str, float],
        drive: Drive,
        events: tuple[LocatedEvent, ...],
    ) -> Any:
        """The run, whatever becomes of it."""


class _Ending(NamedTuple):
    """How a run ends."""

    status: str
    success: bool
    failed: bool = False


def hybrid_run(
    system: HybridSystem,
    times: np.ndarray,
    x0: Any,
    params: Mapping[str, float] | None,
    driven: ModeDrives,
    events: Mapping[str, Any] | None,
    mode: str | None,
    max_jumps: int,
    domain: bool,
    advance: Advance,
    throw: bool,
) -> HybridTrajectory:
    """The run of a hybrid system; see `simulate`."""
    run = _HybridRun(
        system, times, params, driven, events, whole_number("max_jumps", max_jumps, 0), domain, advance
    )
    first = system.mode_name(mode)
    ending = run.whole(first, np.array(system.modes[first].start(x0, run.params[first]), dtype=float))
    driven.conclude()
    values = {k: v for own in run.params.values() for k, v in own.items()}
    made = HybridTrajectory.of_pieces(
        system,
        run.pieces,
        run.jumps,
        values,
        status=ending.status,
        success=ending.success,
        accumulation=run.accumulation,
    )
    if ending.failed and throw:
        raise SimulationError(f"{ending.status}; the part done is in .trajectory", made)
    return made


class _HybridRun:
    """What a run has made so far."""

    def __init__(
        self,
        system: HybridSystem,
        times: np.ndarray,
        params: Mapping[str, float] | None,
        driven: ModeDrives,
        events: Mapping[str, Any] | None,
        max_jumps: int,
        domain: bool,
        advance: Advance,
    ) -> None:
        self._system, self._times, self._most, self._advance = system, times, max_jumps, advance
        self.params = system.parameters_at(params)
        self.pieces: list[RunPiece] = []
        self.jumps: list[JumpRecord] = []
        self.accumulation = np.nan
        self._driven, self._given, self._domain = driven, events, domain
        self._watched: dict[str, tuple[LocatedEvent, ...]] = {}
        for name in system.modes:
            self._watched[name] = self._events_of(name)

    def _events_of(self, mode: str) -> tuple[LocatedEvent, ...]:
        """Events that are asked for, guards, and the edges of the domain."""
        own = self._system.modes[mode]
        asked = read_events(own, self._given, edges=self._domain)
        guards = self._system.cache.setdefault(("guards", mode), self._guards(mode))
        if clash := {event.name for event in asked} & {guard.name for guard in guards}:
            raise InputError(f"an event is named as a jump: {', '.join(sorted(clash))}; rename the event")
        return (*asked, *guards)

    def _guards(self, mode: str) -> tuple[LocatedEvent, ...]:
        return tuple(
            LocatedEvent(t.name, t.jump.when, t.guard, True, int(t.jump.direction))
            for t in self._system.leaving(mode)
        )

    # -- piece after piece --------------------------------------------------------------------------

    def whole(self, mode: str, x: np.ndarray) -> _Ending:
        """Run until the last time, or what ends it before."""
        t, end = float(self._times[0]), float(self._times[-1])
        while True:
            run = self._piece(mode, t, x)
            struck = self._struck(mode, run)
            last = float(run.time[-1])
            if struck:
                last = self._onto_guard(struck[0], run)
            self._keep(mode, run, t)
            if not struck:
                if not run.success or last < end:
                    self._ending(run.status)
                return _Ending(run.status, run.success, run.status.startswith("failed"))
            if len(struck) > 1:
                names = " and ".join(repr(transition.name) for transition in struck)
                return self._ending(f"the jumps {names} are at one instant, t = {last:.12g}: none is chosen")
            if len(self.jumps) >= self._most:
                return self._ending(
                    f"stopped before the jump {struck[0].name!r} at t = {last:.12g}: max_jumps={self._most}"
                )
            broken = self._jump(struck[0], last, run.states[:, -1])
            if broken:
                return self._ending(f"failed: {broken}, at t = {last:.12g}", failed=True)
            t, mode = last, struck[0].target.name
            x = self._past_guard(struck[0], mode, t, self.jumps[-1].after)
            limit = accumulation_point(
                [jump.name for jump in self.jumps],
                [jump.time for jump in self.jumps],
                float(self._times[0]),
                partial(self._time_of_rounding, struck[0], last, self.jumps[-1].before),
            )
            if limit is not None and limit < end:
                self.accumulation = limit
                if struck[0].rest is None:
                    name = struck[0].name
                    return self._ending(f"jumps {name!r} accumulate at t = {limit:.12g}")
                landing = at_rest(self._system, struck[0], mode, x, self.params)
                begun = self._moved_on(struck[0].rest, t, landing.state, limit)
                t, mode = limit, struck[0].rest
                record = JumpRecord(t, f"rest in {mode}", mode, x, begun, landing.impulse, landing.lost)
                self.jumps.append(record)
                x = begun
            if t >= end:
                return _Ending("completed", True)

    def _moved_on(self, mode: str, t: float, x: np.ndarray, end: float) -> np.ndarray:
        """The state of a mode at a time that is so near that one step is exact to rounding."""
        u = self._driven.of[mode].inputs_at(t, x, self.params[mode])
        return x + (end - t) * self._system.modes[mode].rhs(t, x, u, self.params[mode])

    def _ending(self, status: str, failed: bool = False) -> _Ending:
        """Words about an end that was not asked for; the state there is the last sample."""
        last = self.pieces[-1]
        columns = np.union1d(last.columns, [last.run.time.size - 1])
        self.pieces[-1] = RunPiece(last.mode, last.run, columns)
        return _Ending(status, False, failed)

    def _piece(self, mode: str, t: float, x: np.ndarray) -> Samples:
        """The run of a mode from a state; where nothing holds the time its clock begins at zero."""
        system, drive = self._system.modes[mode], self._driven.of[mode]
        rest = self._times[self._times > t]
        begun = t if self._holds_time(mode) else 0.0
        grid = np.concatenate([[t], rest]) - (t - begun)
        grid[1:] = np.where(np.diff(grid) > 0, grid[1:], np.nextafter(grid[:-1], np.inf))
        self._driven.enter(mode)
        run = self._advance(system, grid, x, self.params[mode], drive, self._watched[mode])
        return _run_by_clock(run, grid, np.concatenate([[t], rest]), t - begun)

    def _holds_time(self, mode: str) -> bool:
        """Whether equations, inputs or events of a mode depend on the time."""
        system, drive = self._system.modes[mode], self._driven.of[mode]
        nodes = [event.node for event in self._watched[mode]]
        return system.holds_time or not drive.constant or system.time_node in system.graph.symbols(nodes)

    def _struck(self, mode: str, run: Samples) -> list[Transition]:
        """Jumps whose guards are passed where the run ended."""
        found = []
        for transition in self._system.leaving(mode):
            record = run.events[transition.name]
            if record.time.size and record.time[-1] == run.time[-1]:
                found.append(transition)
        return found

    def _onto_guard(self, transition: Transition, run: Samples) -> float:
        """The time of the strike once more, to the last digit: steps of Newton along the motion."""
        t, x = float(run.time[-1]), run.states[:, -1].copy()
        for _ in range(_CLOSE):
            step, rate = self._time_to_guard(transition, t, x)
            if not np.isfinite(step):
                break
            t, x = t + step, x + step * rate
        if run.time.size == 1 or t > run.time[-2]:
            run.time[-1] = t
        run.states[:, -1] = x
        return float(run.time[-1])

    def _time_to_guard(self, transition: Transition, t: float, x: np.ndarray) -> tuple[float, np.ndarray]:
        """-h/h' and the rates at a state; zero where the motion goes along the guard."""
        h, speed, rate = self._at_guard(transition, t, x)
        return (-h / speed if speed else 0.0), rate

    def _time_of_rounding(self, transition: Transition, t: float, x: np.ndarray) -> float:
        """By how much the rounding of a guard's terms moves its strike: more at a wall far from zero."""
        system, params = transition.source.system, self.params[transition.source.name]
        u = self._driven.of[transition.source.name].inputs_at(t, x, params)
        rounding = RELATIVE_ROUNDING * size_of(system, transition.guard, t, x, u, params)
        _, speed, _ = self._at_guard(transition, t, x)
        return rounding / abs(speed) if speed else np.inf

    def _at_guard(self, transition: Transition, t: float, x: np.ndarray) -> tuple[float, float, np.ndarray]:
        """The guard h at a state, h' along the motion, and the rates."""
        system, params = transition.source.system, self.params[transition.source.name]
        slopes = system.graph.gradient(transition.guard, system.state_nodes)
        program, n = system.program([transition.guard, *slopes, *system.field_nodes]), system.nstates
        u = self._driven.of[transition.source.name].inputs_at(t, x, params)
        h, *more = program.scalar([*x.tolist(), t, *u.tolist()], program.constants(params))
        rate = np.array(more[n:])
        return h, float(np.array(more[:n]) @ rate), rate

    def _past_guard(self, transition: Transition, mode: str, t: float, x: np.ndarray) -> np.ndarray:
        """The state after a jump, on the side of its guard that the motion takes.

        A reset that leaves the guard as it is leaves the rounding of a strike, from where it is passed once
        more in a time that is nothing beside that of the phase before.
        """
        if transition.source.name != mode:
            return x
        phase, (left, rate) = self.pieces[-1].run.time, self._time_to_guard(transition, t, x)
        return x + 2 * left * rate if 0 < left <= _ROUNDING * (phase[-1] - phase[0]) else x

    def _keep(self, mode: str, run: Samples, t: float) -> None:
        """Put a piece away, with the samples in it that were asked for."""
        columns = np.flatnonzero(np.isin(run.time, self._times[self._times > t]))
        if not self.pieces:
            columns = np.union1d([0], columns)
        self.pieces.append(RunPiece(mode, run, columns))

    def _jump(self, transition: Transition, t: float, x: np.ndarray) -> str:
        """Make the jump and record it; words about a promise that is broken."""
        of = transition.source.name
        u = self._driven.of[of].inputs_at(t, x, self.params[of])
        values = self.params[of] | self.params[transition.target.name]
        landing = transition.landing(t, x, u, values)
        record = JumpRecord(
            t, transition.name, transition.target.name, x.copy(), landing.state, landing.impulse, landing.lost
        )
        self.jumps.append(record)
        return landing.broken


def _run_by_clock(run: Any, grid: np.ndarray, asked: np.ndarray, offset: float) -> Any:
    """A run with its times those that were asked for, and others by the offset of its clock."""
    if not offset:
        return run
    return run.clock_change(partial(_in_run_time, grid, asked, offset), partial(_in_run_words, offset))


def _in_run_time(grid: np.ndarray, asked: np.ndarray, offset: float, times: np.ndarray) -> np.ndarray:
    places = np.minimum(np.searchsorted(grid, times), grid.size - 1)
    return np.where(grid[places] == times, asked[places], times + offset)


def _in_run_words(offset: float, words: str) -> str:
    """Words with the times in them moved."""
    return _TIME.sub(lambda found: f"t = {float(found[1]) + offset:.12g}", words)
