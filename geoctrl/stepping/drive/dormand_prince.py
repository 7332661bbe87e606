"""Dormand-Prince 8(5,3) by scipy: runs every flow, callables included."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from geoctrl.stepping.drive.engine import EndedError, Ending, Engine
from geoctrl.stepping.drive.flow import Block, Flow
from geoctrl.stepping.drive.run_sizes import Sizes

__all__ = ["DEFAULT_TOLERANCE", "DormandPrince", "DormandPrinceStepper"]

DEFAULT_TOLERANCE = 1e-12
_LEAST = 100 * np.finfo(float).eps
"""scipy's lower limit of the relative tolerance."""
_SHORT = 1e-6
"""Part of the longest step below which a step counts as short."""
_PATIENCE = 300
"""Short steps in a row with which a run is given up."""
_CLOSE = 4.0
"""Changes from step to step within which a zero is looked for between two values of one sign."""
_LEAST_SIZE = 2.0**-4
"""Size of a state from which on tolerances may be measured by one, and of its square in steps that follow."""
_LASTING = 10
"""Steps in a row far from the sizes of a run after which it goes on in others."""


def _tolerance(flow: Flow) -> float:
    return max(flow.tolerance(DEFAULT_TOLERANCE), _LEAST)


class DormandPrince(Engine):
    """The engine."""

    @property
    def words(self) -> str:
        """Method, tolerance and sizes."""
        flow, text = self.flow, "scipy DOP853"
        if flow.rtol is not None:
            text += f", tolerance {_tolerance(flow):.3g}"
        if flow.run.engine:
            text += f" on a field in {flow.run.engine}"
        text += flow.in_sizes(_LEAST_SIZE)
        return f"{text} ({self._reason})" if self._reason else text

    def run(self) -> Generator[Block, None, Ending]:
        """Integrate, yielding the samples reached; see `Ending` for what is returned."""
        flow = self.flow
        x = np.array(flow.x0, dtype=float)
        yield flow.times[:1], x[None, :]
        ending, sizes = Ending(float(flow.times[0])), flow.sizes(_LEAST_SIZE)
        flow.begin()
        for grid, known in flow.pieces():
            if known is not None:
                x = np.concatenate([known, x[known.size :]])
            flow.drive.begin(float(grid[0]))
            ending, x, sizes = yield from _piece(flow, grid, x, sizes)
            if ending.failure or flow.log.is_over:
                break
        return ending

    def stepper(self) -> DormandPrinceStepper:
        """The same from command to command."""
        return DormandPrinceStepper(self.flow)


def _solver(flow: Flow, t: float, x: np.ndarray, bound: float, tolerance: float, sizes: Sizes | None) -> Any:
    from scipy.integrate import DOP853

    least = tolerance if sizes is None else tolerance * sizes.state
    return DOP853(flow.field, t, x, bound, rtol=tolerance, atol=least)


def _piece(
    flow: Flow, grid: np.ndarray, x: np.ndarray, sizes: Sizes | None
) -> Generator[Block, None, tuple[Ending, np.ndarray, Sizes | None]]:
    """The end, with the state and the sizes there."""
    tolerance, longest, short = _tolerance(flow), 0.0, 0
    apart = 0
    with np.errstate(all="ignore"):
        solver = _solver(flow, float(grid[0]), x, float(grid[-1]), tolerance, sizes)
        done = 1
        values: list[tuple[float, ...]] = []
        if flow.events:
            flow.log.again(float(grid[0]), x)
            values.append(flow.switches(float(grid[0]), x))
        while solver.status == "running":
            before = solver.t, solver.y.copy()
            solver.step()
            if solver.status == "failed" or not np.isfinite(solver.y).all():
                return Ending(before[0], "the step size collapsed", before[1]), before[1], sizes
            until = solver.t
            if flow.events:
                until = _locate(flow, solver, before, sizes, values)
                del values[:-3]
            reached = done + int(np.searchsorted(grid[done:], until, side="right"))
            yield grid[done:reached], _samples(solver, grid[done:reached])
            done = reached
            if flow.log.is_over:
                return Ending(until), x, sizes
            step = solver.t - before[0]
            longest = max(longest, step)
            apart = apart + 1 if _is_far(sizes, solver.y) else 0
            if apart == _LASTING and solver.status == "running":
                apart, sizes = 0, flow.sizes_at(solver.t, solver.y, np.inf)
                solver = _solver(flow, solver.t, solver.y, float(grid[-1]), tolerance, sizes)
                continue
            # Near a singularity rounding errors exceed the tolerance: steps stay short and never fail.
            short = short + 1 if step < _SHORT * longest else 0
            if short == _PATIENCE:
                return Ending(solver.t, "the step size collapsed", solver.y.copy()), solver.y, sizes
    return Ending(solver.t), solver.y, sizes


def _is_far(sizes: Sizes | None, x: np.ndarray) -> bool:
    """Whether a state is far from the sizes of the run."""
    if sizes is not None:
        return sizes.outgrown(x, _LEAST_SIZE**2)
    return bool(0 < np.max(np.abs(x)) < _LEAST_SIZE**2)


class DormandPrinceStepper:
    """A flow from time to time, under commands that come in between; used as a context."""

    def __init__(self, flow: Flow) -> None:
        self._flow, self._t, self._x = flow, float(flow.times[0]), np.array(flow.x0, dtype=float)
        self._early, self._sizes = flow.opening.tolist(), flow.sizes(_LEAST_SIZE)
        flow.begin()

    def __enter__(self) -> DormandPrinceStepper:
        return self

    def __exit__(self, *_error: object) -> None:
        """Nothing is kept."""

    def command(self, t: float, u: Sequence[float]) -> None:
        """Hold the inputs u from t on, which is where the flow is."""
        self._flow.drive.command(t, u)

    def advance(self, t: float) -> list[float]:
        """State at a later time; `EndedError` if the run does not reach it."""
        while self._early and self._early[0] < t:
            self.advance(self._early.pop(0))
        steps = _piece(self._flow, np.array([self._t, t]), self._x, self._sizes)
        while True:
            try:
                next(steps)
            except StopIteration as stop:
                ending, self._x, self._sizes = stop.value
                break
        if ending.failure or self._flow.log.is_over:
            raise EndedError(ending)
        self._t = t
        return self._x.tolist()


def _samples(solver: Any, times: np.ndarray) -> np.ndarray:
    """States at grid points within the last step."""
    if not times.size:
        return np.zeros((0, solver.y.size))
    if times.size == 1 and times[0] == solver.t:
        return solver.y[None, :].copy()
    rows = solver.dense_output()(times).T
    if times[-1] == solver.t:
        rows[-1] = solver.y
    return rows


def _advance(flow: Flow, before: tuple, t: float, sizes: Sizes | None) -> np.ndarray:
    """State at `t` within a step, integrated from its beginning: as accurate as the steps themselves."""
    if t <= before[0]:
        return before[1]
    solver = _solver(flow, before[0], before[1], t, _tolerance(flow), sizes)
    while solver.status == "running":
        solver.step()
    return solver.y


def _locate(
    flow: Flow, solver: Any, before: tuple, sizes: Sizes | None, values: list[tuple[float, ...]]
) -> float:
    """Record the events in the last step; the time up to which the step counts.

    ``values`` are those at the last ends of steps, to which those of this one are added.
    """
    log, end = flow.log, solver.t - before[0]
    values.append(flow.switches(solver.t, solver.y))
    last = values[-1]
    sides = [log.side(i) for i in range(len(last))]
    passed = [i for i, side in enumerate(sides) if side * last[i] < 0]
    turning = [i for i, side in enumerate(sides) if side * last[i] > 0 and _may_turn(values, i)]
    found: list[tuple[float, int, int]] = []
    if passed or turning:
        dense = solver.dense_output()

        def function(i: int) -> Callable[[float], float]:
            return lambda s: flow.switches(before[0] + s, dense(before[0] + s))[i]

        for i in passed:
            found.append((_zero(flow, solver, before, sizes, function(i), (0.0, end), i), i, -sides[i]))
        for i in turning:
            value, side = function(i), sides[i]
            small = 1e-4 * end
            if side * (value(small) - value(0.0)) < 0 < side * (value(end) - value(end - small)):
                turn = _turn(value, side, end)
                if side * value(turn) < 0:
                    for ends, slope in (((0.0, turn), -side), ((turn, end), side)):
                        found.append((_zero(flow, solver, before, sizes, value, ends, i), i, slope))
    for t, i, slope in sorted(found):
        if log.meets(i, t, slope):
            log.add(i, t, _advance(flow, before, t, sizes))
            if log.end is not None:
                return t
    if not all(sides):
        log.settle(solver.t, solver.y)
    return solver.t


def _may_turn(values: list[tuple[float, ...]], i: int) -> bool:
    """Whether a function may have gone through zero and back within a step, by the changes about it."""
    near = min(abs(v[i]) for v in values[-2:])
    change = max((abs(v[i] - w[i]) for v, w in pairwise(values[-3:])), default=0.0)
    return near < _CLOSE * change


def _turn(value: Callable[[float], float], side: int, width: float) -> float:
    """Where a function that falls and rises again within a step is least, times from its beginning."""
    from scipy.optimize import minimize_scalar

    return float(minimize_scalar(lambda s: side * value(s), bounds=(0.0, width), method="bounded").x)


def _zero(
    flow: Flow,
    solver: Any,
    before: tuple,
    sizes: Sizes | None,
    value: Callable[[float], float],
    ends: tuple,
    index: int,
) -> float:
    """Time of a zero between two times from the beginning of a step."""
    from scipy.optimize import brentq

    low, high = ends
    width = solver.t - before[0]
    if value(low) * value(high) < 0:
        s = float(brentq(value, low, high, xtol=np.finfo(float).tiny, rtol=4 * np.finfo(float).eps))
    else:  # by rounding the sign at an end is that of the other
        s = low if abs(value(low)) < abs(value(high)) else high
    small = 1e-4 * width
    # The interpolant is less accurate than the steps: correct the root on the integrated state.
    for _ in range(2):
        x = _advance(flow, before, before[0] + s, sizes)
        rate = (value(s + small) - value(s - small)) / (2 * small)
        step = flow.switches(before[0] + s, x)[index] / rate if rate else 0.0
        if not abs(step) <= 1e-3 * width:
            break
        s = min(max(s - step, low), high)
    return float(before[0] + s)
