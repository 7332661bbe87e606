"""Dormand-Prince 8(5,3) by scipy on the compiled program: runs everything, callables included."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

import numpy as np

from geoctrl.simulation.problem import Block, Outcome, Problem

__all__ = ["DEFAULT_TOLERANCE", "describe", "run"]

DEFAULT_TOLERANCE = 1e-12
_LEAST = 100 * np.finfo(float).eps
"""scipy's lower limit of the relative tolerance."""
_SHORT = 1e-6
"""Part of the longest step below which a step counts as short."""
_PATIENCE = 300
"""Short steps in a row with which a run is given up."""


def _tolerance(problem: Any) -> float:
    return max(DEFAULT_TOLERANCE if problem.rtol is None else problem.rtol, _LEAST)


def describe(problem: Any, reason: str | None = None) -> str:
    """Words for `Trajectory.engine`."""
    text = "scipy DOP853"
    if problem.rtol is not None:
        text += f", tolerance {_tolerance(problem):.3g}"
    return f"{text} ({reason})" if reason else text


class _Functions:
    """Field and events of the numbers t, x; what cannot be evaluated is NaN."""

    def __init__(self, problem: Problem) -> None:
        program = problem.right_hand_side
        self._value: Callable = program.scalar
        self._constants = program.constants(problem.params)
        self._n = len(problem.state_nodes)
        self._size = self._n + len(problem.events)
        self._inputs = problem.inputs
        self._callable = problem.inputs.kind == "callable"
        self._params = dict(problem.params)
        self.extra: tuple[float, ...] = ()

    def begin(self, t: float) -> None:
        """Set the numbers of the inputs' piece that begins at t."""
        self.extra = self._inputs.extra(t)

    def _all(self, t: float, x: np.ndarray) -> tuple:
        extra = self.extra
        if self._callable:
            extra = self._inputs.at(t, x[: self._inputs.system.nstates], self._params).tolist()
        try:
            return self._value([*x.tolist(), t, *extra], self._constants)
        except (ArithmeticError, ValueError):
            # Division by zero, overflow or a function outside its domain in Python's float arithmetic.
            return (float("nan"),) * self._size

    def field(self, t: float, x: np.ndarray) -> np.ndarray:
        return np.array(self._all(float(t), x)[: self._n])

    def events(self, t: float, x: np.ndarray) -> tuple:
        return self._all(float(t), x)[self._n :]


def _solver(functions: _Functions, t: float, x: np.ndarray, bound: float, tolerance: float) -> Any:
    from scipy.integrate import DOP853

    return DOP853(functions.field, t, x, bound, rtol=tolerance, atol=tolerance)


def run(problem: Any, functions: Any = None) -> Generator[Block, None, Outcome]:
    """Integrate, yielding the samples reached; see `Outcome` for what is returned.

    ``functions`` gives the field and the events where they are not those of the problem's program.
    """
    functions = functions or _Functions(problem)
    x = np.array(problem.x0, dtype=float)
    yield problem.times[:1], x[None, :]
    outcome = Outcome(float(problem.times[0]))
    for grid, known in problem.pieces():
        if known is not None:
            x = np.concatenate([known, x[known.size :]])
        functions.begin(float(grid[0]))
        outcome, x = yield from _piece(problem, functions, grid, x)
        if outcome.failure or problem.log.stopped is not None:
            break
    return outcome


def _piece(
    problem: Problem, functions: _Functions, grid: np.ndarray, x: np.ndarray
) -> Generator[Block, None, tuple[Outcome, np.ndarray]]:
    tolerance, longest, short = _tolerance(problem), 0.0, 0
    with np.errstate(all="ignore"):
        solver = _solver(functions, float(grid[0]), x, float(grid[-1]), tolerance)
        done = 1
        signs = functions.events(grid[0], x) if problem.events else ()
        while solver.status == "running":
            before = solver.t, solver.y.copy()
            solver.step()
            if solver.status == "failed" or not np.isfinite(solver.y).all():
                return Outcome(before[0], "the step size collapsed", before[1]), before[1]
            until = solver.t
            if problem.events:
                after = functions.events(solver.t, solver.y)
                until = _locate(problem, functions, solver, before, signs, after)
                signs = after
            reached = done + int(np.searchsorted(grid[done:], until, side="right"))
            yield grid[done:reached], _samples(solver, grid[done:reached])
            done = reached
            if problem.log.stopped is not None:
                return Outcome(until), x
            step = solver.t - before[0]
            longest = max(longest, step)
            # Near a singularity rounding errors exceed the tolerance: steps stay short and never fail.
            short = short + 1 if step < _SHORT * longest else 0
            if short == _PATIENCE:
                return Outcome(solver.t, "the step size collapsed", solver.y.copy()), solver.y
    return Outcome(solver.t), solver.y


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


def _advance(functions: _Functions, before: tuple, t: float, tolerance: float) -> np.ndarray:
    """State at `t` within a step, integrated from its beginning: as accurate as the steps themselves."""
    if t <= before[0]:
        return before[1]
    solver = _solver(functions, before[0], before[1], t, tolerance)
    while solver.status == "running":
        solver.step()
    return solver.y


def _locate(
    problem: Problem, functions: _Functions, solver: Any, before: tuple, first: tuple, last: tuple
) -> float:
    """Record the events in the last step; the time up to which the step counts."""
    from scipy.optimize import brentq

    tolerance = _tolerance(problem)
    dense = None
    found = []
    for i, event in enumerate(problem.events):
        rising, falling = first[i] <= 0 <= last[i], first[i] >= 0 >= last[i]
        if first[i] == last[i] or not (
            (rising and event.direction >= 0) or (falling and event.direction <= 0)
        ):
            continue
        dense = dense or solver.dense_output()

        def value(t: float, i: int = i, dense: Any = dense) -> float:
            return functions.events(t, dense(t))[i]

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
                x = _advance(functions, before, t, tolerance)
                rate = (value(t + small) - value(t - small)) / (2 * small)
                step = functions.events(t, x)[i] / rate if rate else 0.0
                if not abs(step) <= 1e-3 * width:
                    break
                t = min(max(t - step, before[0]), solver.t)
        found.append((t, i))
    for t, i in sorted(found):
        problem.log.add(i, float(t), _advance(functions, before, t, tolerance))
        if problem.events[i].terminal and not problem.log.at_start(t):
            problem.log.stopped = i
            return float(t)
    return solver.t
