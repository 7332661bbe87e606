"""Runs of a sampled controller: piece by piece on an engine, exactly, without callbacks."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Sequence
from functools import partial

import numpy as np

from geoctrl.sampling import Hold
from geoctrl.simulation import heyoka_engine, heyoka_stepper
from geoctrl.stepping import dormand_prince
from geoctrl.stepping.flow import Block, EndedError, Ending, Flow

__all__ = ["holds_in", "run_held"]

_CLOSE = 8 * np.finfo(float).eps
"""Times that differ by less, relative to the largest, are the same: t0 + k h rounds otherwise than a grid."""

_ROWS = 1000
"""Samples between two returns to the loop, where an interrupt is noticed and progress told."""

_STEPPERS = {heyoka_engine.run: heyoka_stepper.Stepper, dormand_prince.run: dormand_prince.Stepper}


def holds_in(times: np.ndarray, hold: float) -> int:
    """Samples that a controller takes in a run."""
    return max(1, math.ceil((times[-1] - times[0]) / hold * (1 - _CLOSE)))


def run_held(engine: Callable, hold: Hold) -> Callable:
    """A function that runs a flow under a controller at work, by the stepper of an engine."""
    return partial(_run, hold=hold, stepper=_STEPPERS[engine])


def _run(flow: Flow, hold: Hold, stepper: Callable) -> Generator[Block, None, Ending]:
    """Integrate under the controller, yielding the samples asked for; see `Ending` for what is returned."""
    times, h = flow.times.tolist(), hold.hold
    count, close = len(times), _CLOSE * max(abs(times[0]), abs(times[-1]))
    sent, shift = [hold.first] * hold.late, hold.part * h
    t0 = t = times[0]
    x = flow.x0.tolist()
    done, k = 1, 0
    rows: list[list[float]] = []
    yield flow.times[:1], flow.x0[None, :]
    with stepper(flow) as engine:
        try:
            while done < count:
                sent.append(_decided(hold, t, x, flow))
                # A part of a hold late, the command before acts on up to there.
                for until, command in ((t0 + k * h + shift, None), (t0 + (k + 1) * h, sent.pop(0))):
                    if command is not None:
                        engine.command(t, command)
                    while done < count and times[done] < until - close:
                        t = times[done]
                        x = engine.advance(t)
                        rows.append(x)
                        done += 1
                    if done < count and until > t:
                        t = until
                        x = engine.advance(t)
                        if times[done] <= until + close:
                            rows.append(x)
                            done += 1
                k += 1
                if len(rows) >= _ROWS:
                    yield flow.times[done - len(rows) : done], np.array(rows)
                    rows = []
            ending = Ending(times[-1])
        except EndedError as ended:
            ending = ended.ending
    if rows:
        yield flow.times[done - len(rows) : done], np.array(rows)
    return ending


def _decided(hold: Hold, t: float, x: list[float], flow: Flow) -> Sequence[float]:
    """What the controller decides; the run ends where its law has no value."""
    try:
        # Sensors of forces see the inputs that act up to now.
        seen = (
            x
            if hold.read is None
            else [*x, *hold.read(t, x, flow.drive.at(t, flow.x0, flow.params).tolist())]
        )
        u = hold.decide(seen)
    except (ArithmeticError, ValueError) as error:
        raise EndedError(Ending(t, f"the law has no value ({error})", np.array(x))) from error
    if not math.isfinite(sum(u)):
        raise EndedError(Ending(t, "the law has no finite value", np.array(x)))
    return u
