"""The one runner of many members: parts computed by any executor, each stored as soon as it is done.

A `Task` is what is to be computed: a function of a module of the package, what all members share, and how
many there are. ``function(shared, members)`` is given the members ``first`` to ``first + count - 1`` with
their rows of the task's arrays (`Members`), and returns a dict of arrays whose first axis runs along these
members. What one member gives may not depend on which others are with it: then the results are the same to
the last bit for parts of any size and any executor. ``shared`` is pickled once, sent to a worker under its
digest once, and unpickled there once: what is made of it (a system, its compiled code) can be kept with it.

    task = Task(compute_runs, (system, times), len(x0s), {"equations": text_fingerprint(...)}, {"x0": x0s})
    found = run_parts(task, executor=executor, out=folder, call=under_way())
    found.arrays()["states"], found.failed, found.done

`PartsFound.arrays` has one row a member; those of members that are not there are nan. Members are those of a
part that raised (`PartsFound.failed`: why), and those that time or an interruption left (not in
`PartsFound.done`). A function may give an array "error" of texts as well, of members that fail alone: these
are tried again, and stored like all others, where a part that raised is not stored and tried anew by the
next call. `KeyboardInterrupt` and `WorkerError` carry what was found as ``.result``.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Future, wait
from contextlib import closing, nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from geoctrl._calls.long_calls import LongCall
from geoctrl._checks import whole_number
from geoctrl._scalars import shown
from geoctrl.errors import FolderError, WorkerError
from geoctrl.runs.fingerprints import array_fingerprint, versions
from geoctrl.runs.part_folder import PartFolder
from geoctrl.runs.part_rows import ERROR, MemberRows, PartsFound, cut_rows
from geoctrl.runs.workers import Context, Members, UnknownContextError, submit, worker_count

__all__ = ["ERROR", "Members", "PartsFound", "Task", "TimeIsUpError", "run_parts"]

IN_FLIGHT = 4
"""Parts that are submitted and not done, for each worker: more would hold their results back."""
PART_SECONDS = 2.0
"""Work of a part: what Dask takes to send it is below a hundredth of this."""
_PILOT, _PILOT_SECONDS = 64, 0.5
"""Members and seconds, at most, after which it is known what a member takes."""


class TimeIsUpError(Exception):
    """Raised by a function in the thread of the call, which looks at the time itself."""


@dataclass(frozen=True)
class Task:
    """What is to be computed.

    Attributes
    ----------
    function : callable
        ``function(shared, members) -> {name: array (members.count, ...)}``, of a module of the package.
    shared : object
        What all members share; pickled where workers are other processes.
    members : int
    question : dict of name -> text, number or dict of these
        What the numbers depend on besides the arrays, as text; versions are added.
    arrays : dict of name -> array (members, ...)
        Of which each part is sent its rows.
    noun : str
        What a member is called.
    lists : dict of name -> name
        Arrays without rows, of which a member has any number of entries along the last axis (events), by the
        array, itself one of them, that tells the member of each, in a task of all; one that fails has none.
    is_strict : bool
        Whether a part that raises, after it was tried again, ends the call with its exception.
    """

    function: Callable[[Any, Members], Mapping[str, np.ndarray]]
    shared: Any
    members: int
    question: Mapping[str, Any]
    arrays: Mapping[str, np.ndarray] = field(default_factory=dict)
    noun: str = "member"
    lists: Mapping[str, str] = field(default_factory=dict)
    is_strict: bool = False

    def whole_question(self) -> dict[str, Any]:
        """All that the numbers depend on."""
        return {
            **self.question,
            "members": self.members,
            "arrays": {name: array_fingerprint(array) for name, array in self.arrays.items()},
            "versions": versions(),
        }

    def rows(self, first: int, count: int) -> Members:
        """The members of a part, with their rows of the arrays."""
        return Members(first, count, {name: a[first : first + count] for name, a in self.arrays.items()})


@dataclass(frozen=True)
class _Job:
    """Members of one part that are computed together, for the first time or again."""

    part: int
    first: int
    count: int
    tries: int = 0


class _Assembly:
    """Parts that are under way: their rows so far, and which jobs are left."""

    def __init__(
        self,
        task: Task,
        found: PartsFound,
        retries: int,
        words: Callable[[Mapping[str, np.ndarray]], str],
    ) -> None:
        self._task, self._found, self._retries = task, found, retries
        self._words_of, self.words = words, ""
        self._pieces: dict[int, list[tuple[_Job, Mapping[str, np.ndarray]]]] = {}
        self._open: dict[int, int] = {}
        self.jobs: deque[_Job] = deque()
        for first in range(0, found.members, found.part):
            if first not in found:
                self._open[first] = count = found.count_in(first)
                self.jobs.append(_Job(first, first, count))

    def count_done(self) -> int:
        """How many members are done, or have failed."""
        return self._found.members - sum(self._open.values())

    def take_pilot(self, first: int, count: int, outcome: Any) -> None:
        """Rows of members that were computed before parts were made; jobs are what is left."""
        for job in list(self.jobs)[: 1 + (first + count) // self._found.part]:
            low, high = max(job.first, first), min(job.first + job.count, first + count)
            if low < high:
                self.jobs.remove(job)
                if high < job.first + job.count:
                    self.jobs.appendleft(_Job(job.part, high, job.first + job.count - high))
                cut = outcome
                if not isinstance(outcome, Exception):
                    cut = cut_rows(outcome, first, low, high, self._task.lists)
                self.take(_Job(job.part, low, high - low), cut)

    def take(self, job: _Job, outcome: Mapping[str, np.ndarray] | Exception) -> None:
        """The outcome of a job: rows are kept, and what failed is a job again while it may be."""
        again = job.tries < self._retries
        if isinstance(outcome, Exception):
            if again:
                self.jobs.append(_Job(job.part, job.first, job.count, job.tries + 1))
            elif self._task.is_strict:
                raise outcome
            else:
                words = f"{type(outcome).__name__}: {outcome}"
                self._found.failed.update(dict.fromkeys(range(job.first, job.first + job.count), words))
                self._pieces.pop(job.part, None)
                self._open.pop(job.part, None)
                self.jobs = deque(other for other in self.jobs if other.part != job.part)
            return
        if job.part not in self._open:  # it failed meanwhile
            return
        self._pieces.setdefault(job.part, []).append((job, outcome))
        left = job.count
        if again:
            for i in np.flatnonzero(outcome.get(ERROR, np.zeros(0, "U1")) != ""):
                self.jobs.append(_Job(job.part, job.first + int(i), 1, job.tries + 1))
                left -= 1
        self._open[job.part] -= left
        if self._open[job.part] == 0:
            self._close(job.part)

    def _close(self, part: int) -> None:
        """All rows of a part are there: it is stored. What was tried again comes later, and stays."""
        rows = MemberRows(part, self._found.count_in(part), self._task.lists)
        for job, arrays in self._pieces.pop(part):
            rows.put(job.first, job.count, arrays)
        del self._open[part]
        found = rows.arrays()
        self._found.add(part, found)
        self.words = self._words_of(found)


class _Here:
    """The thread of the call as an executor: what is submitted is done at once."""

    _max_workers = 1

    def submit(self, function: Callable[..., Any], *args: Any) -> Future:
        future: Future = Future()
        try:
            future.set_result(function(*args))
        except Exception as error:
            future.set_exception(error)
        return future


def run_parts(
    task: Task,
    call: LongCall,
    executor: Any = None,
    out: Path | None = None,
    part: int | None = None,
    retries: int = 1,
    words: Callable[[Mapping[str, np.ndarray]], str] = lambda arrays: "",
    put: Callable[[int, Mapping[str, np.ndarray]], object] | None = None,
) -> PartsFound:
    """Compute the members of a task, those that the folder has not, as far as the time of the call goes.

    Parameters
    ----------
    call : LongCall
        Told of the members that are done, and asked whether the time is up.
    executor : concurrent.futures.Executor, optional
        Any object with its ``submit``; None for this thread.
    out : Path, optional
        Folder that the parts are written to as they are done, and read from.
    part : int, optional
        Members in a part; by default that of the folder, or as many as take two seconds.
    retries : int
        How often a part or a member that fails is tried again.
    words : callable
        Shown each part as it is done, it says what was found so far.
    put : callable, optional
        Given the first member and the arrays of each part, stored ones too, as soon as it is there; parts
        are then held in memory by nobody else.
    """
    if executor is not None and not callable(getattr(executor, "submit", None)):
        raise TypeError(f"executor must be a concurrent.futures.Executor, got {shown(executor)}")
    whole_number("retries", retries, 0)
    if part is not None:
        whole_number("part", part, 1)
    folder = None if out is None else PartFolder(out, task.whole_question())
    with nullcontext() if folder is None else closing(folder):
        context = Context(task.shared)
        pilot: list[tuple[int, int, Any]] = []
        if part is None and folder is not None:
            part = folder.part
        if part is None:
            part, pilot = _part_and_pilot(task, context, call)
        if folder is not None:
            folder.begin(part)
        found = PartsFound(task.members, part, folder, task.lists, put)
        assembly = _Assembly(task, found, retries, words)
        run = _PartsRun(task, context, call, executor or _Here(), assembly, found)
        for piece in pilot:
            run.assembly.take_pilot(*piece)
        run.finish()
    return found


def _outcome(future: Future) -> Any:
    """What a job gave, or the exception that it raised."""
    try:
        error = future.exception()
    except CancelledError as cancelled:  # not by us: its executor is gone
        return cancelled
    return future.result() if error is None else error


def _part_and_pilot(task: Task, context: Context, call: LongCall) -> tuple[int, list[tuple[int, int, Any]]]:
    """Members in a part, a power of two nearest to the seconds of one; and the members that told so.

    The first member alone tells nothing: what is compiled is compiled for it.
    """
    pieces: list[tuple[int, int, Any]] = []
    first, took, spent = 0, 0.0, 0.0
    while first < min(task.members, _PILOT) and spent < _PILOT_SECONDS and not call.is_over:
        count = min(first or 1, task.members - first)
        start = time.perf_counter()
        outcome = _outcome(submit(_Here(), task.function, context, task.rows(first, count), versions()))
        if isinstance(outcome, TimeIsUpError):
            break
        took = time.perf_counter() - start
        spent += took if first else 0.0
        took /= count
        pieces.append((first, count, outcome))
        first += count
        if isinstance(outcome, Exception):
            break
    size = 2 ** max(0, round(np.log2(PART_SECONDS / max(took, PART_SECONDS / 2**20))))
    return min(size, task.members), pieces


class _PartsRun:
    """One call of the runner: jobs are submitted while few enough are in flight, and taken when done."""

    def __init__(
        self,
        task: Task,
        context: Context,
        call: LongCall,
        executor: Any,
        assembly: _Assembly,
        found: PartsFound,
    ) -> None:
        self._task, self._context, self._call, self._executor = task, context, call, executor
        self.assembly, self._found = assembly, found
        self._flying: dict[Future, _Job] = {}
        self._answers = 0

    def finish(self) -> None:
        """All jobs, or those that the time allows."""
        try:
            most = 1 if isinstance(self._executor, _Here) else IN_FLIGHT * worker_count(self._executor)
            self._tell()
            while self.assembly.jobs or self._flying:
                while self.assembly.jobs and len(self._flying) < most:
                    self._submit(self.assembly.jobs.popleft())
                left = self._call.budget.seconds_left
                done, _ = wait(self._flying, None if left == np.inf else left, FIRST_COMPLETED)
                for future in done:
                    self._take(future)
                self._tell()
                if self._call.is_over:
                    break
        except TimeIsUpError:
            pass
        except (FolderError, WorkerError, KeyboardInterrupt) as error:
            error.result = self._found  # type: ignore[union-attr]
            raise
        finally:
            for future in self._flying:
                future.cancel()
        self._call.report.finish(self.assembly.count_done() / self._task.members)

    def _submit(self, job: _Job) -> None:
        # Once a worker has answered, most know what they were sent; one that does not says so.
        known = self._context.is_abroad and self._answers > 0
        self._send(job, self._context.by_digest() if known else self._context)

    def _send(self, job: _Job, context: Context) -> None:
        rows = self._task.rows(job.first, job.count)
        try:
            future = submit(self._executor, self._task.function, context, rows, versions())
        except RuntimeError as error:  # it was shut down, or its processes died
            raise self._words_of_death(error) from None
        self._flying[future] = job

    def _take(self, future: Future) -> None:
        job = self._flying.pop(future)
        outcome = _outcome(future)
        if isinstance(outcome, UnknownContextError):
            self._send(job, self._context)
        elif _is_of_dead(outcome):
            raise self._words_of_death(outcome)
        elif isinstance(outcome, TimeIsUpError | WorkerError):
            raise outcome
        else:
            self._answers += 1
            self.assembly.take(job, outcome)

    def _words_of_death(self, error: BaseException) -> WorkerError:
        """A worker died: what others have done is taken, and words say how to go on."""
        for future in [future for future in self._flying if future.done()]:
            outcome, job = _outcome(future), self._flying.pop(future)
            if not isinstance(outcome, Exception):
                with suppress(FolderError):
                    self.assembly.take(job, outcome)
        done, members = self.assembly.count_done(), self._task.members
        told = f"{done} of {members} {self._task.noun}s are done"
        if self._found.place is None:
            go_on = f"{told}; with out= they are kept, and the same call goes on from there"
        else:
            go_on = f"{told} and kept in {self._found.place}: call again with another executor to go on"
        return WorkerError(f"the workers died ({type(error).__name__}: {error}); {go_on}", self._found)

    def _tell(self) -> None:
        done, members = self.assembly.count_done(), self._task.members
        self._call.tell(f"{self._task.noun} {done} of {members}", self.assembly.words, done / members)


def _is_of_dead(outcome: Any) -> bool:
    """Whether an outcome says that workers died: of a pool, or of Dask after some tries."""
    dead = isinstance(outcome, BrokenExecutor | CancelledError)
    return dead or (isinstance(outcome, Exception) and type(outcome).__name__ == "KilledWorker")
