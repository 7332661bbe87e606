"""The loop around a compiled step: records, progress, interruption; what was computed is kept.

Compiled loops on several threads of one process.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numba
import numpy as np

from geoctrl._calls.long_calls import LongCall
from geoctrl._checks import whole_number
from geoctrl.errors import ConvergenceError, InputError

__all__ = [
    "BEYOND",
    "FORCES",
    "INDEFINITE",
    "INFINITE",
    "NEWTON",
    "StepsTaken",
    "on_threads",
    "read_threads",
    "record_steps",
    "record_times",
    "result_of_run",
]

_ONE_AT_A_TIME = threading.Lock()
"""Of numba's layers of threads one bears no calls from two threads at once: it would end the process."""


def read_threads(threads: Any) -> int:
    """A number of threads; InputError for more than numba has."""
    count, most = whole_number("threads", threads, 1), vars(numba.config)["NUMBA_NUM_THREADS"]
    if count > most:
        raise InputError(
            f"threads must be at most {most}, the processors that numba counts here (NUMBA_NUM_THREADS), got "
            f"{count}"
        )
    return count


@contextmanager
def on_threads(count: int) -> Iterator[None]:
    """Let parallel loops run on some threads; on more than one for one caller at a time."""
    if count == 1:
        yield
        return
    with _ONE_AT_A_TIME:
        before = numba.get_num_threads()
        numba.set_num_threads(count)
        try:
            yield
        finally:
            numba.set_num_threads(before)


BEYOND, NEWTON, INDEFINITE, FORCES, INFINITE = 1, 2, 3, 4, 5
"""Codes of what can go wrong in a step."""

_FAILURES = {
    BEYOND: "the step leaves the method's domain (a right angle and more): take a smaller h",
    NEWTON: "Newton's iteration did not converge: take a smaller h",
    INDEFINITE: "the inertia is not positive definite at this configuration",
    FORCES: "the forces at the end of the step were not solved for: take a smaller h",
    INFINITE: "the state is no longer finite: take a smaller h",
}

_PATIENCE = 0.05
"""Seconds that compiled code may run before Python looks at signals and progress again."""


@dataclass
class StepsTaken:
    """How a run of steps ended.

    Attributes
    ----------
    steps : int
        Steps done.
    records : int
        Rows written, the initial one included.
    iterations : int
        Iterations of the solver in all.
    failure : int
        0, or the code of the step that could not be done.
    residual : float
        Its residual.
    """

    steps: int = 0
    records: int = 1
    iterations: int = 0
    failure: int = 0
    residual: float = 0.0
    interrupt: KeyboardInterrupt | None = None
    late: float = 0.0
    """Seconds that were given, where they ended it."""


Advance = Callable[[int, int, int], tuple[int, int, int, float]]
"""``advance(first, steps, row)``: do ``steps`` steps from step ``first`` on, write records from ``row`` on;
returns steps done, iterations, failure code, residual."""


def record_steps(advance: Advance, steps: int, record: int, call: LongCall) -> StepsTaken:
    """Run ``steps`` steps in pieces of whole records, each short enough to be interrupted.

    Row 0 is the caller's; row k is step ``k record``. The pieces grow until one takes about a twentieth of a
    second, so that the calls themselves cost nothing.
    """
    outcome = StepsTaken()
    piece = record
    try:
        while outcome.steps < steps and not outcome.failure and not outcome.late:
            count = min(piece, steps - outcome.steps)
            begin = time.perf_counter()
            done, iterations, outcome.failure, outcome.residual = advance(
                outcome.steps, count, outcome.records
            )
            elapsed = time.perf_counter() - begin
            outcome.steps += done
            outcome.records = 1 + outcome.steps // record
            outcome.iterations += iterations
            call.tell("steps", f"{outcome.steps} of {steps}", outcome.steps / steps)
            outcome.late = call.budget.seconds if call.is_over else 0.0
            if elapsed < _PATIENCE / 2:
                piece *= 2
            elif elapsed > 2 * _PATIENCE:
                piece = max(record, piece // 2 // record * record)
        call.report.finish(outcome.steps / steps)
    except KeyboardInterrupt as interrupt:
        outcome.interrupt = interrupt
    return outcome


def record_times(t0: float, h: float, steps: int, record: int) -> np.ndarray:
    """Times of the records 0, record, 2 record, ... of a run."""
    return t0 + h * np.arange(0, steps + 1, record)


def result_of_run(outcome: StepsTaken, h: float, part: Callable[[str, bool], Any], throw: bool) -> Any:
    """The result of a run, or the exception that carries the part done."""
    reached = outcome.steps * h
    if outcome.interrupt is not None:
        outcome.interrupt.trajectory = part(f"interrupted after t = {reached:.9g}", False)  # type: ignore[attr-defined]
        raise outcome.interrupt
    if outcome.late and not outcome.failure:
        return part(f"stopped after {outcome.late:g} s of computing, at t = {reached:.9g}", False)
    if not outcome.failure:
        return part("completed", True)
    words = f"step {outcome.steps + 1} from t = {reached:.9g}: {_FAILURES[outcome.failure]}"
    words += f" (residual {outcome.residual:.3g})"
    done = part(f"failed: {words}", False)
    if not throw:
        return done
    raise ConvergenceError(
        f"{words}; the part done is in .trajectory", done, outcome.steps + 1, reached, outcome.residual
    )
