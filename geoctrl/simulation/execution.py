"""The loop around an engine: progress, interruption, failure; what was computed is kept."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

import numpy as np

from geoctrl.errors import SimulationError
from geoctrl.simulation.problem import Block, Outcome
from geoctrl.stepping import Progress

__all__ = ["execute"]


def execute(
    problem: Any,
    steps: Generator[Block, None, Outcome],
    made: Callable[..., Any],
    report: Progress,
    throw: bool,
    watch: Callable | None = None,
    explain: Callable | None = None,
) -> Any:
    """Take the blocks that an engine yields and make a trajectory of them, however the run ends.

    ``made(time, states, status=, success=, events=)`` makes it. ``watch(problem, block)`` cuts a block where
    the run must not go on, with words; ``explain(problem, blocks, outcome)`` finds words for a failure.
    """
    times = problem.times
    blocks: list[Block] = []

    def trajectory(status: str, success: bool) -> Any:
        time, states = _joined(problem, blocks)
        records = problem.log.records(tuple(e.name for e in problem.events), len(problem.x0))
        return made(time, states, status=status, success=success, events=records)

    interrupted = f"interrupted after t = {times[0]:.9g}"
    fraction = 0.0
    failure = None
    try:
        while failure is None:
            try:
                block = next(steps)
            except StopIteration as stop:
                outcome = stop.value
                break
            if watch is not None:
                block, failure = watch(problem, block)
            if block[0].size:
                blocks.append(block)
                fraction = (block[0][-1] - times[0]) / (times[-1] - times[0])
                report(float(fraction))
        report.finish(float(fraction))
    except KeyboardInterrupt as interrupt:
        if blocks:
            interrupted = f"interrupted after t = {blocks[-1][0][-1]:.9g}"
        interrupt.trajectory = trajectory(interrupted, False)  # type: ignore[attr-defined]
        raise
    finally:
        report.close()
    if failure is None and outcome.failure is not None:
        words = f"{outcome.failure} at t = {outcome.time:.12g}"
        failure = words if explain is None else explain(problem, blocks, outcome)
    if failure is not None:
        part = trajectory(f"failed: {failure}", False)
        if throw:
            raise SimulationError(f"{failure}; the part done is in .trajectory", part)
        return part
    if problem.log.stopped is not None:
        event = problem.events[problem.log.stopped]
        when, state = problem.log.entries[-1][1:]
        blocks.append((np.array([when]), state[None, :]))
        return trajectory(f"stopped by the event {event.name!r} at t = {when:.12g}", True)
    return trajectory("completed", True)


def _joined(problem: Any, blocks: list[Block]) -> tuple[np.ndarray, np.ndarray]:
    if not blocks:
        return problem.times[:1], problem.x0[:, None]
    time = np.concatenate([t for t, _ in blocks])
    states = np.concatenate([x for _, x in blocks])
    if problem.log.stopped is not None and time.size > 1 and time[-2] == time[-1]:
        time, states = time[:-1], states[:-1]
    return time, np.ascontiguousarray(states.T)
