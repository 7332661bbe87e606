"""The loop around an engine: progress, interruption, failure; what was computed is kept."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

import numpy as np

from geoctrl._calls.long_calls import LongCall
from geoctrl.errors import SimulationError
from geoctrl.stepping.drive.engine import Ending
from geoctrl.stepping.drive.flow import Block, Flow

__all__ = ["execute"]


def execute(
    flow: Flow,
    steps: Generator[Block, None, Ending],
    samples: Callable[..., Any],
    call: LongCall,
    throw: bool,
) -> Any:
    """Take the blocks that an engine yields and make a trajectory of them, however the run ends.

    ``samples(time, states, status=, success=, events=)`` makes it.
    """
    times = flow.times
    blocks: list[Block] = []
    end: tuple[float, np.ndarray] | None = None

    def trajectory(status: str, success: bool) -> Any:
        time, states = flow.joined_blocks(blocks, end)
        records = flow.log.records(len(flow.x0))
        return samples(time, states, status=status, success=success, events=records)

    interrupted = f"interrupted after t = {times[0]:.9g}"
    fraction = 0.0
    failure = None
    try:
        while failure is None:
            try:
                block = next(steps)
            except StopIteration as stop:
                ending = stop.value
                break
            kept, failure = flow.run.off_leaf(*block)
            block = block[0][:kept], block[1][:kept]
            if block[0].size:
                blocks.append(block)
                fraction = (block[0][-1] - times[0]) / (times[-1] - times[0])
                call.tell("running", f"t = {block[0][-1]:.6g}", float(fraction))
            if call.is_over:
                steps.close()
                reached = blocks[-1][0][-1] if blocks else times[0]
                return trajectory(
                    f"stopped after {call.budget.seconds:g} s of computing, at t = {reached:.9g}", False
                )
        call.report.finish(float(fraction))
    except KeyboardInterrupt as interrupt:
        if blocks:
            interrupted = f"interrupted after t = {blocks[-1][0][-1]:.9g}"
        interrupt.trajectory = trajectory(interrupted, False)  # type: ignore[attr-defined]
        raise
    if failure is None and ending.failure is not None:
        failure = _failure_words(flow, blocks, ending)
    if failure is not None:
        part = trajectory(f"failed: {failure}", False)
        if throw:
            raise SimulationError(f"{failure}; the part done is in .trajectory", part)
        return part
    if not flow.events:
        return trajectory("completed", True)
    end = flow.log.end
    last = end or (float(blocks[-1][0][-1]), blocks[-1][1][-1])
    flow.log.conclude(*last)
    words, success = flow.log.ending_words()
    end = flow.log.end
    return trajectory(words, success)


def _failure_words(flow: Flow, blocks: list[Block], ending: Ending) -> str:
    """Words about a failure; a sample that coincides with the break is taken away."""
    n = flow.system.nstates
    state = blocks[-1][1][-1] if ending.state is None else ending.state
    cause = flow.run.singularity(ending.time, state[:n])
    edge = ending.time - 1e-9 * (flow.times[-1] - flow.times[0])
    for i in range(1, len(blocks)):
        keep = blocks[i][0] < edge
        blocks[i] = blocks[i][0][keep], blocks[i][1][keep]
    words = f"{ending.failure} at t = {ending.time:.12g}"
    return f"{words}: {cause}" if cause else words
