"""What happens in a worker: what all parts share is kept, the parent is watched, versions are compared."""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import pickle
import socket
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing.connection import wait
from typing import Any

import numpy as np

from geoctrl.errors import WorkerError
from geoctrl.runs.fingerprints import versions

__all__ = ["Context", "Members", "UnknownContextError", "submit", "worker_count"]

_KEPT_CONTEXTS = 8
"""Contexts that a process keeps, those that were used last."""
_GLANCE = 1.0
"""Seconds between two looks at the parent."""
_THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")


class UnknownContextError(Exception):
    """A worker was sent the digest of what it does not know: it is sent whole."""


@dataclass(frozen=True)
class Members:
    """The members of a part.

    Attributes
    ----------
    first, count : int
        They are first, first + 1, ..., first + count - 1.
    arrays : dict of name -> array (count, ...)
        Their rows of what was given along all members.
    """

    first: int
    count: int
    arrays: Mapping[str, np.ndarray] = field(default_factory=dict)


class Context:
    """What all parts of a task share: pickled once, and unpickled once in each process that is sent it.

    In the process that made it, and in threads of that, it is the object itself.
    """

    def __init__(self, value: Any) -> None:
        self._here: list[Any] = [value]
        self._content: bytes | None = None
        self._digest = ""

    def value(self) -> Any:
        """The object, in whichever process."""
        return self._here[0] if self._here else _kept_value(self._digest, self._content)

    @property
    def is_here(self) -> bool:
        """Whether this is the process that made it."""
        return bool(self._here)

    @property
    def is_abroad(self) -> bool:
        """Whether it was pickled, to be sent to another process."""
        return self._content is not None

    def prepare(self) -> None:
        """Pickle the object; WorkerError where it cannot be."""
        if not self._digest:
            self._content = _pickle_of(self._here[0])
            self._digest = hashlib.sha256(self._content).hexdigest()

    def by_digest(self) -> Context:
        """The same without what it holds, for workers that know it."""
        self.prepare()
        light = Context(None)
        light._here, light._digest = self._here, self._digest
        return light

    def __getstate__(self) -> tuple[str, bytes | None]:
        self.prepare()
        return self._digest, self._content

    def __setstate__(self, state: tuple[str, bytes | None]) -> None:
        self._digest, self._content = state
        self._here = []


def _pickle_of(value: Any) -> bytes:
    """The pickle; of what stands in a script or at a prompt by value, where cloudpickle is installed."""
    content, reason = None, None
    try:
        content = pickle.dumps(value)
    except Exception as error:  # whatever the object's own methods raise
        reason = error
    if content is None or b"__main__" in content:
        try:
            import cloudpickle

            return cloudpickle.dumps(value)
        except ModuleNotFoundError:
            pass
        except Exception as error:
            reason = error
    if content is None:
        raise WorkerError(
            f"what is computed cannot be sent to other processes ({reason}): define the function in a module"
        )
    return content


_LOCK = threading.Lock()
_KEPT: OrderedDict[str, Any] = OrderedDict()


def _kept_value(digest: str, content: bytes | None) -> Any:
    with _LOCK:
        if digest not in _KEPT:
            if content is None:
                raise UnknownContextError(digest)
            try:
                _KEPT[digest] = pickle.loads(content)
            except Exception as error:
                raise WorkerError(
                    f"a worker on {socket.gethostname()} cannot read what it was sent "
                    f"({type(error).__name__}: {error}): define the function in a module that workers import"
                ) from None
            while len(_KEPT) > _KEPT_CONTEXTS:
                _KEPT.popitem(last=False)
        _KEPT.move_to_end(digest)
        return _KEPT[digest]


def compute(
    function: Callable[[Any, Members], Mapping[str, np.ndarray]],
    context: Context,
    members: Members,
    expected: Mapping[str, str],
) -> dict[str, np.ndarray]:
    """The results of some members, by whichever process; ``expected`` are the versions of who asks."""
    if not context.is_here:
        _watch_parent()
    if expected != versions():
        differ = {k for k, v in versions().items() if v != expected.get(k)}
        there, here = (", ".join(f"{k} {of.get(k)}" for k in sorted(differ)) for of in (versions(), expected))
        raise WorkerError(
            f"a worker on {socket.gethostname()} has {there}, this process {here}: results are the same to "
            f"the last bit with the same versions alone, install those"
        )
    return {name: np.asarray(values) for name, values in function(context.value(), members).items()}


_WATCHED: set[int] = set()
"""The process, once it watches: one that is forked off has to begin anew."""


def _watch_parent() -> None:
    """In a process of a pool: end with the process that made it, which may be killed and say nothing."""
    parent = multiprocessing.parent_process()
    if parent is None or os.getpid() in _WATCHED:
        return
    _WATCHED.add(os.getpid())
    threading.Thread(target=_end_with, args=(parent, os.getppid()), name="parent", daemon=True).start()


def _end_with(parent: Any, pid: int) -> None:
    # Where processes are forked, younger ones hold the other end of the sentinel: the parent's pid tells.
    while not wait([parent.sentinel], timeout=_GLANCE) and os.getppid() == pid:
        pass
    os._exit(1)


def submit(executor: Any, *job: Any) -> Future:
    """`compute` of a job, as a future."""
    if getattr(executor, "_client", None) is not None:
        # Dask would take two equal calls for one, and a second try for the first.
        return executor.submit(compute, *job, pure=False)
    with _one_thread_each(executor):
        return executor.submit(compute, *job)


@contextmanager
def _one_thread_each(executor: Any) -> Iterator[None]:
    """While processes are started: BLAS in one thread in each, unless the environment says otherwise.

    Threads that wait for each other's small matrices take most of the time of processes that share cores.
    """
    started = isinstance(executor, ProcessPoolExecutor)
    missing = [name for name in _THREADS if started and name not in os.environ]
    os.environ.update(dict.fromkeys(missing, "1"))
    try:
        yield
    finally:
        for name in missing:
            os.environ.pop(name, None)


def worker_count(executor: Any) -> int:
    """How many parts an executor computes at once: of a pool, of Dask's client, of MPI; else the cores."""
    client = getattr(executor, "_client", None)
    if client is not None:
        return sum(client.nthreads().values()) or 1
    for name in ("_max_workers", "num_workers"):
        found = getattr(executor, name, None)
        if isinstance(found, int) and found > 0:
            return found
    return os.cpu_count() or 1
