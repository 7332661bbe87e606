"""Compiled loops on several threads of one process."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numba

from geoctrl._checks import whole_number
from geoctrl.errors import InputError

__all__ = ["on_threads", "read_threads"]

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
