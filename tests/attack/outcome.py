"""What a case of the attack came to, and cases run in a process that can be ended."""

from __future__ import annotations

import importlib
import multiprocessing
import os
import resource
import time
import traceback
import warnings
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import geoctrl as gc

FAULTS = ("contradiction", "accepted", "raw error", "time-out", "died", "memory")
"""Results that make the command fail."""
GRACE, BUSY = 10.0, 3.0
"""A case's process is ended after its limit times BUSY, and GRACE: making and judging a case take time too,
and other processes may want the processor."""


@dataclass
class Outcome:
    """One case.

    Attributes
    ----------
    kind : what was attacked, a row of the table
    result : "proved", "held", "refused", "unjudged" or one of FAULTS
    note : in words what happened
    seconds : of processor time, of the attacked calls alone
    detail : dict
    """

    kind: str
    result: str
    note: str = ""
    seconds: float = 0.0
    index: int = -1
    detail: dict[str, Any] = field(default_factory=dict)

    @property
    def fault(self) -> bool:
        return self.result in FAULTS

    def to_dict(self) -> dict[str, Any]:
        return {k: v for k, v in asdict(self).items() if v not in ("", {})}


def raw(kind: str, error: BaseException) -> Outcome:
    """An exception that is no worded refusal, with the last lines of its traceback."""
    where = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{Path(where.filename).name}:{where.lineno}"
    return Outcome(kind, "raw error", f"{type(error).__name__}: {str(error)[:200]} ({place})")


def worded(error: BaseException) -> bool:
    """Whether an exception says something: a refusal needs words."""
    return len(str(error).split()) >= 3


def on_purpose(error: BaseException) -> bool:
    """Whether an exception was raised by a statement in geoctrl, or by Python for a wrong signature."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    if isinstance(error, TypeError) and any(
        w in str(error) for w in ("keyword argument", "positional argument")
    ):
        return True
    package = Path(gc.__file__).parent
    return package in Path(last.filename).parents and (last.line or "").startswith("raise")


def refusal(kind: str, error: BaseException, also: tuple[type[BaseException], ...] = ()) -> Outcome:
    """Refused, if an exception is one of those promised, with words; else a raw error."""
    promised = isinstance(error, (gc.GeoctrlError, *also)) or (
        isinstance(error, TypeError) and on_purpose(error)
    )
    if promised and worded(error):
        return Outcome(kind, "refused", f"{type(error).__name__}: {str(error)[:200]}")
    return raw(kind, error)


def _serve(part: str, seed: int, options: dict[str, Any], pipe: Any) -> None:
    warnings.simplefilter("ignore")
    module = importlib.import_module(part)
    pipe.send(module.prepare(seed, options))
    while (index := pipe.recv()) is not None:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        outcome = module.case(seed, index, options)
        grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
        if grown > options.get("megabytes", 1000.0):
            outcome = Outcome(outcome.kind, "memory", f"{grown:.0f} MB; {outcome.note}", outcome.seconds)
        outcome.index = index
        pipe.send(outcome)


class Worker:
    """A process of its own for the cases of one part, begun again after each case that has to be ended."""

    def __init__(self, part: str, seed: int, options: dict[str, Any], grace: float = GRACE) -> None:
        self.arguments, self.name = (part, seed, options), part.rpartition(".")[2]
        self.prepared, self.grace = 0, grace
        self._begin()

    def _begin(self) -> None:
        # Branches of one process that has what most parts load: to load it takes longer than most cases.
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload([__name__, f"{__package__}.parts.certificates"])
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(*self.arguments, theirs), daemon=False)
        self.process.start()
        theirs.close()
        self.prepared = self.pipe.recv()

    def run(self, index: int, limit: float) -> Outcome:
        """The outcome of a case; a time-out where it takes longer than ``limit``."""
        self.pipe.send(index)
        try:
            if self.pipe.poll(BUSY * limit + self.grace):
                outcome = self.pipe.recv()
                if outcome.seconds > limit and not outcome.fault:
                    outcome.result, outcome.note = "time-out", f"{outcome.seconds:.1f} s; {outcome.note}"
                return outcome
            outcome = Outcome(self.name, "time-out", f"ended, with a limit of {limit:g} s", limit, index)
        except (EOFError, ConnectionError):
            outcome = Outcome(self.name, "died", "the process ended by itself", index=index)
        self.process.kill()
        self.process.join()
        self._begin()
        return outcome

    def close(self) -> None:
        self.pipe.send(None)
        self.process.join()


def run_part(
    part: str,
    seed: int,
    indices: list[int] | range | None,
    limit: float,
    until: float,
    options: dict[str, Any],
) -> Iterator[Outcome]:
    """Outcomes of cases one by one, until the clock says so, but of one; all of a part with a fixed number.

    Parameters
    ----------
    limit : float
        Seconds of processor time for one case.
    until : float
        `time.monotonic` at which no further case is begun.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # small matrices, on which threads only wait
    os.environ.setdefault("NUMBA_DISABLE_JIT", "1")  # a drawn system is asked for its rates once
    worker = Worker(f"{__package__}.parts.{part}", seed, options)
    try:
        for begun, index in enumerate(range(worker.prepared) if indices is None else indices):
            if begun and time.monotonic() > until:  # on a slow machine what is prepared takes all of the time
                return
            yield worker.run(index, limit)
    finally:
        worker.close()
