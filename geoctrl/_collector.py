"""The collector of cycles, which looks at everything again and again while equations are recorded.

Recorded equations, and the modules that are loaded for them, are hundreds of thousands of small objects that
stay: nothing of them is a cycle that could go, and to find this out takes a fifth of the time of a first use.
"""

from __future__ import annotations

import functools
import gc
import os
import threading
from collections.abc import Callable
from importlib import import_module
from typing import ParamSpec, TypeVar

__all__ = ["load", "rare_collections"]

SELDOM = 200_000
"""Objects more than are gone before young ones are looked at; Python's own number is 700, or 2,000."""

P = ParamSpec("P")
R = TypeVar("R")


class _Calls:
    """Calls that are under way in all threads, and the thresholds before the first of them."""

    def __init__(self) -> None:
        self._lock, self._count = threading.Lock(), 0
        self._before = self._ours = gc.get_threshold()

    def begin(self) -> None:
        with self._lock:
            if not self._count:
                self._before = gc.get_threshold()
                young, *older = self._before
                if 0 < young < SELDOM:  # zero: somebody has it off
                    gc.set_threshold(SELDOM, *older)
                self._ours = gc.get_threshold()
            self._count += 1

    def end(self) -> None:
        with self._lock:
            self._count -= 1
            if not self._count and gc.get_threshold() == self._ours:  # else somebody has set them since
                gc.set_threshold(*self._before)


_CALLS = _Calls()


def _none_under_way() -> None:
    """A process that was forked off has none of the calls of other threads."""
    global _CALLS
    _CALLS = _Calls()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_none_under_way)


def rare_collections(function: Callable[P, R]) -> Callable[P, R]:
    """A function that loads, records or judges, during which the collector of cycles seldom looks."""

    @functools.wraps(function)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> R:
        calls = _CALLS
        calls.begin()
        try:
            return function(*args, **kwargs)
        finally:
            calls.end()

    return wrapper


load = rare_collections(import_module)
"""A module by its name, loaded where it is not yet."""
