"""One initial value problem as the engines see it: a start, times, a field and what drives it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import isfinite, isnan, nan, sqrt
from typing import Any, NamedTuple

import numpy as np

from geoctrl._scalars import Node, Program
from geoctrl.errors import InputError, SingularMassError
from geoctrl.stepping.drive.drive import Drive
from geoctrl.stepping.drive.events import LocatedEvent
from geoctrl.stepping.drive.passages import RELATIVE_ROUNDING, Passages, Surfaces, early_times
from geoctrl.stepping.drive.run_sizes import Sizes, sizes_at
from geoctrl.systems import System
from geoctrl.systems.contract.run_field import RunField

__all__ = ["Block", "Flow"]

Block = tuple[np.ndarray, np.ndarray]
"""Times (k,) and states (k, n); both may be empty."""

_KEPT = 64
"""Gradients of events that a system keeps, at most."""

_LEAST, _MOST = float(np.finfo(float).tiny), float(np.finfo(float).max)

_NEAR = 2.0**-20
"""Part of a run within which a passage counts as near its start."""


class _Beginning(NamedTuple):
    """What acts at a time: inputs, the rate of the state, and the functions of the events."""

    t: float
    inputs: np.ndarray
    rate: np.ndarray
    switches: tuple[float, ...]


class _Function:
    """A program at one set of parameters; nan where it has no values."""

    def __init__(self, program: Program, params: Mapping[str, float]) -> None:
        self._value, self._constants = program.scalar, program.constants(params)
        self._none = (nan,) * len(program.tape.outputs)

    def __call__(self, arguments: list[float]) -> tuple[float, ...]:
        try:
            return self._value(arguments, self._constants)
        except (ArithmeticError, ValueError):
            # Division by zero, overflow or a function outside its domain in Python's float arithmetic.
            return self._none


@dataclass(frozen=True, eq=False)
class Flow:
    """States of a system, what drives them, and where samples are wanted.

    Attributes
    ----------
    params : dict
        All parameters by name.
    times : ndarray
        ``times[0]`` is the initial time.
    rtol : float or None
        The engine's default where None.
    more : tuple of (state, rate)
        Nodes of states that follow those of the system: of a reconstruction.
    follow : (ndarray (k,), ndarray (n, k)) or None
        Known samples of the system, from each of which the run starts anew: a chaotic motion that is computed
        again would leave them.
    optimised : bool
        Whether code is compiled to run fast from the first step on, as for one of many runs.
    """

    system: System
    drive: Drive
    params: Mapping[str, float]
    x0: np.ndarray
    times: np.ndarray
    rtol: float | None = None
    events: tuple[LocatedEvent, ...] = ()
    more: tuple[tuple[Node, Node], ...] = ()
    follow: Block | None = None
    optimised: bool = False
    log: Passages = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(
            self, "log", Passages(float(self.times[0]), self.events, self.surfaces, self.switches)
        )

    # -- where it is cut --------------------------------------------------------------------------

    @cached_property
    def _cuts(self) -> np.ndarray:
        """Times within the run which no step may cross."""
        if not self.drive.breaks.size and self.follow is None:
            return self.opening
        cuts = self.drive.breaks if self.follow is None else np.union1d(self.drive.breaks, self.follow[0])
        cuts = cuts[(cuts > self.times[0]) & (cuts < self.times[-1])]
        return np.union1d(cuts, self.opening) if self.opening.size else cuts

    @cached_property
    def opening(self) -> np.ndarray:
        """Times that the first steps may not cross, where the run begins on the surface of an event or near.

        Near is where two steps of Euler, each a millionth of the run, change the function by half of it.
        """
        if not self.events:
            return self.times[:0]
        begin = self._begin
        first, step = begin.switches, _NEAR * float(self.times[-1] - begin.t)
        with np.errstate(all="ignore"):
            t, x = begin.t + step, self.x0 + step * begin.rate
            second = self.switches(t, x)
            third = self.switches(t + step, x + step * self.field(t, x))
        near = [
            not (abs(a) > 2 * abs(b - a) and abs(a) > 2 * abs(c - b))
            for a, b, c in zip(first, second, third, strict=True)
        ]
        if not any(near):
            return self.times[:0]
        return early_times(begin.t, float(self.times[-1]), self._quiet_time(near, step))

    def _quiet_time(self, near: Sequence[bool], step: float) -> float:
        """Time after the start, within a step, in which no function of the events that are near changes by an
        eighth of itself, or of its rounding: until then it has no sign, or keeps its own.
        """
        begin = self._begin
        at = self.surfaces(begin.t, self.x0)
        later = self.surfaces(begin.t + step, self.x0 + step * begin.rate)
        times = [step]
        for close, value, rounding, rate, other in zip(near, *at, later.rates, strict=True):
            if close:
                most, bend = max(abs(value), rounding) / 16, abs(other - rate) / step
                times.append(min(most / max(abs(rate), _LEAST), sqrt(most / max(bend, _LEAST))))
                if isnan(rate + bend):
                    return 0.0
        return min(times)

    def pieces(self) -> Iterator[tuple[np.ndarray, np.ndarray | None]]:
        """Time grids to be run one after the other, with the first states to be set at their beginning."""
        if not self._cuts.size:
            yield self.times, self._known_state(float(self.times[0]))
            return
        edges = np.concatenate([self.times[:1], self._cuts, self.times[-1:]])
        firsts = np.searchsorted(self.times, edges[:-1], side="right")
        lasts = np.searchsorted(self.times, edges[1:], side="left")
        for k, (first, last) in enumerate(zip(firsts.tolist(), lasts.tolist(), strict=True)):
            grid = edges[k : k + 2]
            if first < last:
                grid = np.concatenate([grid[:1], self.times[first:last], grid[1:]])
            yield grid, self._known_state(float(grid[0]))

    @cached_property
    def _places(self) -> dict[float, int]:
        """Where each known time stands."""
        return {} if self.follow is None else {t: k for k, t in enumerate(self.follow[0].tolist())}

    def _known_state(self, t: float) -> np.ndarray | None:
        k = self._places.get(t)
        return None if self.follow is None or k is None else self.follow[1][:, k]

    def joined_blocks(self, blocks: Sequence[Block], end: tuple[float, np.ndarray] | None = None) -> Block:
        """Times (k,) and states (n, k) of the blocks of an engine, without the cuts that nobody asked for.

        ``end`` is the time and state of a terminal event, the last sample.
        """
        if not blocks:
            return self.times[:1], self.x0[:, None]
        time = np.concatenate([t for t, _ in blocks])
        states = np.empty((self.x0.size, time.size))
        np.concatenate([x.T for _, x in blocks], axis=1, out=states)
        if self._cuts.size:
            asked = np.isin(time, self.times)
            time, states = time[asked], states[:, asked]
        if end is not None:
            before = time.size - int(time.size > 1 and time[-1] == end[0])
            time, states = np.append(time[:before], end[0]), np.column_stack([states[:, :before], end[1]])
        return time, np.ascontiguousarray(states)

    # -- where it begins --------------------------------------------------------------------------

    @cached_property
    def _begin(self) -> _Beginning:
        """What acts at the start, which several ask for."""
        t = float(self.times[0])
        switches = self.switches(t, self.x0) if self.events else ()
        return _Beginning(t, self.inputs(t, self.x0), self.field(t, self.x0), switches)

    def require_start(self) -> None:
        """Refuse a start at which the equations are singular, inputs or events have no values, or that is
        outside the domain: before anything is compiled.
        """
        self.run.require_regular(float(self.times[0]), self.x0, "x0")
        u = self.inputs(float(self.times[0]), self.x0).tolist()
        if not all(map(isfinite, u)):
            raise InputError(f"inputs(t, x, params) must be finite, got {u} at timepts[0] and x0")
        t, _, rate, switches = self._begin
        value = [*rate.tolist(), *switches]
        if not all(map(isfinite, value)):
            raise InputError(f"the equations or events are not finite at x0 and t = {t:.9g}: {value}")
        for event, margin in zip(self.events, switches, strict=True):
            if event.edge is not None and not margin > 0:
                raise InputError(
                    f"x0 is outside the domain {event.name!r} of the model: {event.edge.words}; start inside"
                    ", or take domain=False",
                    key="outside-domain",
                )

    def on_recording(self) -> Flow:
        """The flow on the recorded equations of its system: itself, unless they are in other states."""
        system, other = self.system, self.system.recording
        if other is system:
            return self
        translate = system.in_recording
        numbers = {**system.params, **self.params}  # those of a flow of many members are not known yet
        events = [replace(e, node=other.expression(translate(e.expr))) for e in self.events]
        return Flow(
            system=other,
            drive=self.drive.translation(other, translate),
            params=self.params,
            x0=system.to_recording(self.x0, numbers),
            times=self.times,
            rtol=self.rtol,
            events=tuple(events),
            optimised=self.optimised,
        )

    # -- in numbers -------------------------------------------------------------------------------

    @cached_property
    def run(self) -> RunField:
        """The field with the numbers of this run."""
        return self.system.run(self.params)

    def _program(self, nodes: Sequence[Node]) -> Program:
        """Compiled function of states, time and inputs."""
        return self.system.program(nodes, [state for state, _ in self.more])

    @cached_property
    def _more(self) -> _Function:
        return _Function(self._program([rate for _, rate in self.more]), self.params)

    @cached_property
    def _switches(self) -> _Function:
        return _Function(self._program(self._nodes), self.params)

    def tolerance(self, own: float) -> float:
        """The tolerance asked for, or an engine's own."""
        return own if self.rtol is None else self.rtol

    def sizes_at(self, t: float, x: np.ndarray, least: float) -> Sizes | None:
        """Sizes in which a run goes on from a state, None for ordinary ones; see `Sizes`."""
        with np.errstate(all="ignore"):
            rates = self.field(t, x)
        return sizes_at(self.system, x, rates, self.params, self.inputs(t, x), least)

    def in_sizes(self, least: float) -> str:
        """Words about the sizes in which the run begins, for `Trajectory.engine`."""
        sizes = self.sizes(least)
        return "" if sizes is None else f", {sizes}"

    def sizes(self, least: float) -> Sizes | None:
        """Sizes in which the run begins."""
        if least not in self._first:
            _, u, rate, _ = self._begin
            self._first[least] = sizes_at(self.system, self.x0, rate, self.params, u, least)
        return self._first[least]

    @cached_property
    def _first(self) -> dict[float, Sizes | None]:
        """Those sizes, which the run and its description ask for."""
        return {}

    def begin(self) -> None:
        """Take up on which side of the surfaces of its events the run begins."""
        if self.events:
            self.log.begin(float(self.times[0]), self.x0)

    @cached_property
    def _slopes(self) -> _Function:
        """What is not zero in the gradients of the events, row after row, at places of `_sloping`."""
        return _Function(self._gradients[0], self.params)

    @cached_property
    def _gradients(self) -> tuple[Program, list[list[int]]]:
        """Gradients of the events by states, time and inputs where they are not zero, row after row, and in
        which of these arguments each of them is; kept with a recorded system.
        """
        system: Any = self.system
        kept = system.cache.setdefault("slopes of events", {}) if system.recorded else {}
        key = tuple(node.index for node in (*self._nodes, *(state for state, _ in self.more)))
        if key not in kept:
            if len(kept) >= _KEPT:
                kept.clear()
            arguments = [*system.state_nodes, *(state for state, _ in self.more), system.time_node]
            rows = system.graph.jacobian(self._nodes, [*arguments, *system.input_nodes])
            places = [[i for i, node in enumerate(row) if not node.is_zero] for row in rows]
            nodes = [row[i] for row, where in zip(rows, places, strict=True) for i in where]
            kept[key] = self._program(nodes), places
        return kept[key]

    @property
    def _nodes(self) -> list[Node]:
        return [event.node for event in self.events]

    def surfaces(self, t: float, x: np.ndarray) -> Surfaces:
        """The functions of the events at a state, their rounding and their rates."""
        arguments = [*x.tolist(), t, *self.inputs(t, x).tolist()]
        slopes = iter(self._slopes(arguments))
        if x is self.x0 and t == self._begin.t:
            values, rate = self._begin.switches, self._begin.rate
        else:
            with np.errstate(all="ignore"):
                values, rate = self._switches(arguments), self.field(t, x)
        rates = [*rate.tolist(), 1.0]
        rounding, changes = [], []
        for event, places in zip(self.events, self._gradients[1], strict=True):
            row = [(next(slopes), i) for i in places]
            known = sum([abs(slope * arguments[i]) for slope, i in row])
            if isnan(known):
                # Where a gradient has no value nothing is known of the rounding: the sign counts as it is.
                known = sum([0.0 if isnan(slope) else abs(slope * arguments[i]) for slope, i in row])
            rounding.append(0.0 if isnan(known) else min(RELATIVE_ROUNDING * known, _MOST))
            changing = event.of_inputs and not self.drive.constant
            along = [slope * rates[i] for slope, i in row if i < len(rates)]
            changes.append(nan if changing else sum(along))
        return Surfaces(values, rounding, changes)

    @cached_property
    def _constant_inputs(self) -> np.ndarray | None:
        """The inputs where they do not change; they are set once."""
        if not self.drive.constant:
            return None
        u = self.drive.inputs_at(0.0, self.x0[: self._size], self.params)
        self.run.hold(u)
        return u

    @cached_property
    def _size(self) -> int:
        """Number of states of the system; asked for at every evaluation."""
        return self.system.nstates

    def inputs(self, t: float, x: np.ndarray) -> np.ndarray:
        """Inputs (m,) that act at a state."""
        if self._constant_inputs is not None:
            return self._constant_inputs
        return self.drive.inputs_at(float(t), x[: self._size], self.params)

    def field(self, t: float, x: np.ndarray) -> np.ndarray:
        """Rate of a state; nan where it has none."""
        t, u = float(t), self.inputs(t, x)
        if self._constant_inputs is None:
            self.run.hold(u)
        try:
            rate = self.run.rate(t, x[: self._size])
        except SingularMassError:
            rate = np.full(self._size, np.nan)
        return np.concatenate([rate, self._more([*x.tolist(), t, *u.tolist()])]) if self.more else rate

    def switches(self, t: float, x: np.ndarray | list[float]) -> tuple[float, ...]:
        """Values of the events at a state; nan where they have none."""
        u = self.inputs(t, np.asarray(x)).tolist() if self._of_inputs else self._no_inputs
        return self._switches([*(x if isinstance(x, list) else x.tolist()), float(t), *u])

    @cached_property
    def _of_inputs(self) -> bool:
        return any(event.of_inputs for event in self.events)

    @cached_property
    def _no_inputs(self) -> list[float]:
        """In place of inputs where nothing depends on them."""
        return [0.0] * self.system.ninputs
