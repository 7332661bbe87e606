"""Runs of a sampled controller: piece by piece on an engine, exactly, without callbacks."""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Generator
from math import isfinite

import numpy as np

from geoctrl.errors import InputError
from geoctrl.sampling import HeldCourse
from geoctrl.stepping.drive.engine import EndedError, Ending, Engine
from geoctrl.stepping.drive.flow import Block, Flow

__all__ = ["holds_in", "run_held"]

_CLOSE = 8 * np.finfo(float).eps
"""Times that differ by less, relative to the largest, are the same: t0 + k h rounds otherwise than a grid."""

_ROWS = 1000
"""Samples between two returns to the loop, where an interrupt is noticed and progress told."""


def holds_in(times: np.ndarray, hold: float) -> int:
    """Samples that a controller takes in a run."""
    least = _CLOSE * max(abs(times[0]), abs(times[-1]))
    if not hold > least:
        raise InputError(
            f"a hold of {hold:g} s is shorter than doubles resolve the times of this run, {least:.2g} s; "
            "lower the rate, in samples a second"
        )
    return max(1, math.ceil((times[-1] - times[0]) / hold * (1 - _CLOSE)))


def run_held(engine: Engine, course: HeldCourse) -> Generator[Block, None, Ending]:
    """Integrate under a controller at work, yielding the samples asked for; see `Ending` for the rest."""
    flow, hold, t0, sent = engine.flow, course.hold, course.begun, course.sent
    times, h = flow.times.tolist(), hold.hold
    count, close = len(times), _CLOSE * max(abs(times[0]), abs(times[-1]))
    k, decided, waits, shift = course.number, course.decided, course.waits, hold.part * h
    decide, sensed = hold.decide, None if hold.read is None else _sensing(hold.read, flow)
    t = times[0]
    x = flow.x0.tolist()
    done, most = 1, _ROWS * len(x)
    numbers, width = array("d"), len(x)

    def block() -> Block:
        found = np.array(numbers).reshape(-1, width)
        return flow.times[done - len(found) : done], found

    yield flow.times[:1], flow.x0[None, :]
    with engine.stepper() as stepper:
        command, advance = stepper.command, stepper.advance
        try:
            while done < count:
                if not decided:
                    try:
                        u = decide(x if sensed is None else sensed(t, x))
                    except (ArithmeticError, ValueError) as error:
                        raise EndedError(Ending(t, f"the law has no value ({error})", np.array(x))) from None
                    if not isfinite(sum(u)):
                        raise EndedError(Ending(t, "the law has no finite value", np.array(x)))
                    sent.append(u)
                    # A part of a hold late, the command before acts on up to there.
                    decided, waits = True, shift > 0
                    if not waits:
                        command(t, sent.popleft())
                until = t0 + k * h + shift if waits else t0 + (k + 1) * h
                while True:
                    while done < count and times[done] < until - close:
                        t = times[done]
                        x = advance(t)
                        numbers.extend(x)
                        done += 1
                    if done < count and until > t:
                        t = until
                        x = advance(t)
                        if times[done] <= until + close:
                            numbers.extend(x)
                            done += 1
                    if not waits:
                        break
                    waits, until = False, t0 + (k + 1) * h
                    command(t, sent.popleft())
                k, decided = k + 1, False
                if len(numbers) >= most:
                    yield block()
                    del numbers[:]
            ending = Ending(times[-1])
        except EndedError as ended:
            ending = ended.ending
    course.number, course.decided, course.waits = k, decided, waits
    if numbers:
        yield block()
    return ending


def _sensing(read: Callable, flow: Flow) -> Callable[[float, list[float]], list[float]]:
    """The state, and what sensors show at it: those of forces see the inputs that act up to now."""
    drive, x0, params = flow.drive, flow.x0, flow.params
    return lambda t, x: [*x, *read(t, x, drive.inputs_at(t, x0, params).tolist())]
