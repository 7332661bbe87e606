"""Dormand-Prince 8(5,3) by scipy: runs every flow, callables included."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any

import numpy as np

from geoctrl.stepping.flow import Block, EndedError, Ending, Flow

__all__ = ["DEFAULT_TOLERANCE", "Stepper", "describe", "run"]

DEFAULT_TOLERANCE = 1e-12
_LEAST = 100 * np.finfo(float).eps
"""scipy's lower limit of the relative tolerance."""
_SHORT = 1e-6
"""Part of the longest step below which a step counts as short."""
_PATIENCE = 300
"""Short steps in a row with which a run is given up."""


def _tolerance(flow: Flow) -> float:
    return max(DEFAULT_TOLERANCE if flow.rtol is None else flow.rtol, _LEAST)


def describe(flow: Flow, reason: str | None = None) -> str:
    """Words for `Trajectory.engine`."""
    text = "scipy DOP853"
    if flow.rtol is not None:
        text += f", tolerance {_tolerance(flow):.3g}"
    if flow.run.engine:
        text += f" on a field in {flow.run.engine}"
    return f"{text} ({reason})" if reason else text


def _solver(flow: Flow, t: float, x: np.ndarray, bound: float, tolerance: float) -> Any:
    from scipy.integrate import DOP853

    return DOP853(flow.field, t, x, bound, rtol=tolerance, atol=tolerance)


def run(flow: Flow) -> Generator[Block, None, Ending]:
    """Integrate, yielding the samples reached; see `Ending` for what is returned."""
    x = np.array(flow.x0, dtype=float)
    yield flow.times[:1], x[None, :]
    ending = Ending(float(flow.times[0]))
    for grid, known in flow.pieces():
        if known is not None:
            x = np.concatenate([known, x[known.size :]])
        flow.drive.begin(float(grid[0]))
        ending, x = yield from _piece(flow, grid, x)
        if ending.failure or flow.log.stopped is not None:
            break
    return ending


def _piece(flow: Flow, grid: np.ndarray, x: np.ndarray) -> Generator[Block, None, tuple[Ending, np.ndarray]]:
    tolerance, longest, short = _tolerance(flow), 0.0, 0
    with np.errstate(all="ignore"):
        solver = _solver(flow, float(grid[0]), x, float(grid[-1]), tolerance)
        done = 1
        signs = flow.switches(grid[0], x) if flow.events else ()
        while solver.status == "running":
            before = solver.t, solver.y.copy()
            solver.step()
            if solver.status == "failed" or not np.isfinite(solver.y).all():
                return Ending(before[0], "the step size collapsed", before[1]), before[1]
            until = solver.t
            if flow.events:
                after = flow.switches(solver.t, solver.y)
                until = _locate(flow, solver, before, signs, after)
                signs = after
            reached = done + int(np.searchsorted(grid[done:], until, side="right"))
            yield grid[done:reached], _samples(solver, grid[done:reached])
            done = reached
            if flow.log.stopped is not None:
                return Ending(until), x
            step = solver.t - before[0]
            longest = max(longest, step)
            # Near a singularity rounding errors exceed the tolerance: steps stay short and never fail.
            short = short + 1 if step < _SHORT * longest else 0
            if short == _PATIENCE:
                return Ending(solver.t, "the step size collapsed", solver.y.copy()), solver.y
    return Ending(solver.t), solver.y


class Stepper:
    """A flow from time to time, under commands that come in between; used as a context."""

    def __init__(self, flow: Flow) -> None:
        self._flow, self._t, self._x = flow, float(flow.times[0]), np.array(flow.x0, dtype=float)

    def __enter__(self) -> Stepper:
        return self

    def __exit__(self, *_error: object) -> None:
        """Nothing is kept."""

    def command(self, t: float, u: Sequence[float]) -> None:
        """Hold the inputs u from t on, which is where the flow is."""
        self._flow.drive.command(t, u)

    def advance(self, t: float) -> list[float]:
        """State at a later time; `EndedError` if the run does not reach it."""
        steps = _piece(self._flow, np.array([self._t, t]), self._x)
        while True:
            try:
                next(steps)
            except StopIteration as stop:
                ending, self._x = stop.value
                break
        if ending.failure or self._flow.log.stopped is not None:
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


def _advance(flow: Flow, before: tuple, t: float, tolerance: float) -> np.ndarray:
    """State at `t` within a step, integrated from its beginning: as accurate as the steps themselves."""
    if t <= before[0]:
        return before[1]
    solver = _solver(flow, before[0], before[1], t, tolerance)
    while solver.status == "running":
        solver.step()
    return solver.y


def _locate(flow: Flow, solver: Any, before: tuple, first: tuple, last: tuple) -> float:
    """Record the events in the last step; the time up to which the step counts."""
    from scipy.optimize import brentq

    tolerance = _tolerance(flow)
    dense = None
    found = []
    for i, event in enumerate(flow.events):
        rising, falling = first[i] <= 0 <= last[i], first[i] >= 0 >= last[i]
        if first[i] == last[i] or not (
            (rising and event.direction >= 0) or (falling and event.direction <= 0)
        ):
            continue
        dense = dense or solver.dense_output()

        def value(t: float, i: int = i, dense: Any = dense) -> float:
            return flow.switches(t, dense(t))[i]

        width = solver.t - before[0]
        t = before[0] if first[i] == 0 else solver.t if last[i] == 0 else None
        if t is None:
            low, high = value(before[0]), value(solver.t)
            t = (
                brentq(value, before[0], solver.t, xtol=4e-16 * max(1.0, abs(solver.t)))
                if low * high < 0
                else solver.t
            )
            small = 1e-4 * width
            # The interpolant is less accurate than the steps: correct the root on the integrated state.
            for _ in range(2):
                x = _advance(flow, before, t, tolerance)
                rate = (value(t + small) - value(t - small)) / (2 * small)
                step = flow.switches(t, x)[i] / rate if rate else 0.0
                if not abs(step) <= 1e-3 * width:
                    break
                t = min(max(t - step, before[0]), solver.t)
        found.append((t, i))
    for t, i in sorted(found):
        flow.log.add(i, float(t), _advance(flow, before, t, tolerance))
        if flow.events[i].terminal and not flow.log.at_start(t):
            flow.log.stopped = i
            return float(t)
    return solver.t
