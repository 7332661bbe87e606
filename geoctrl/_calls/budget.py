"""A time budget for searches in symbols, which return what they have when it is spent.

Factoring a polynomial or solving an inequality may take a millisecond or a year, and one call of sympy is
one step: a deadline that is looked at between steps does not end it. A signal reaches the main thread only.
A worker process can be ended anywhere, but starts in about a second, needs everything pickled, and takes
what it has found so far with it. sympy runs in Python throughout, so that an exception can be raised in the
thread that runs it, whichever that is, by a timer: this is what is done here, in one place, for every
search. The exception is a `BaseException` of the alarm's own, which nothing on the way takes for a failure of
its own and nested budgets do not take for theirs. What sympy remembers is forgotten when an alarm rings,
since it may have been in the middle of an inference; and what libraries change for a while, as numpy does
with its handling of invalid values around an inverse, is put back as it was. Ctrl-C works as ever.

Arithmetic in C (a product of very long integers) is not interrupted before it returns.
"""

from __future__ import annotations

import ctypes
import math
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

import flint
import numpy as np

from geoctrl._scalars.text.numbers import real, shown
from geoctrl.errors import BudgetError, ParameterError

__all__ = ["BUDGET", "Budget"]

BUDGET = 60.0
"""Seconds for a search in symbols unless others are given."""

_AGAIN = 0.05
"""Seconds between two rings of an alarm: short against the time that a search keeps for what comes after."""

_WAIT = 1000
"""Turns of a loop in which what was raised in a thread arrives."""

TOLD: list[Callable[[str], object]] = []
"""Who is told of each part that a search takes up."""

Result = TypeVar("Result")
Default = TypeVar("Default")


def seconds_of(budget: Any) -> float:
    """The seconds of a budget; ParameterError if it is not a positive number."""
    words = "budget must be a positive number of seconds (math.inf for no limit)"
    if isinstance(budget, float) and budget == math.inf:
        return budget
    try:
        seconds = real(budget, "budget", ParameterError)
    except ParameterError as error:
        raise ParameterError(f"{words}: {error}") from None
    if isinstance(budget, bool) or not seconds > 0:
        raise ParameterError(f"{words}, got {shown(budget)}")
    return seconds


class Budget:
    """Time for one search, spent by its parts.

    Parameters
    ----------
    seconds : float
        Positive; infinity for no limit.
    given : float, optional
        What was asked for, of which the seconds are a part; told in words.

    Attributes
    ----------
    cut : list of str
        Parts that were not finished, in order.

    Examples
    --------
    >>> import time
    >>> budget = Budget(0.05)
    >>> budget.attempt("a search without end", lambda: time.sleep(0.01) or 7, default=None)
    7
    """

    seconds: float
    _end: float

    def __init__(self, seconds: float, given: float | None = None) -> None:
        self.seconds = seconds_of(seconds)
        self._given = self.seconds if given is None else given
        self.cut: list[str] = []
        self._end = time.monotonic() + self.seconds

    @property
    def seconds_left(self) -> float:
        """Seconds left, zero where it is spent."""
        return max(0.0, self._end - time.monotonic())

    @property
    def words(self) -> str:
        """The seconds that were given."""
        return f"the budget of {self._given:g} s"

    @property
    def note(self) -> str:
        """What was not finished, in words; empty where all was."""
        if not self.cut:
            return ""
        return f"not finished within {self.words}: {', '.join(dict.fromkeys(self.cut))}"

    def attempt(
        self,
        part: str,
        search: Callable[[], Result],
        default: Default,
        share: float = 1.0,
        reserve: float = 0.0,
    ) -> Result | Default:
        """The result of a search, or the default where there is no time for it.

        Parameters
        ----------
        part : str
            What is searched for, for `note`.
        search : function without arguments
        share : float
            Part of the time left that may be spent on it.
        reserve : float
            Part of the whole time that is kept for what comes after it.
        """
        seconds = min(self.seconds_left * share, self.seconds_left - reserve * self.seconds)
        if seconds > 0:
            for listener in TOLD:
                listener(part)
            put_back = _settings()
            alarm = _Alarm(seconds)
            try:
                with _dropped_in_silence():
                    alarm.start()
                    try:
                        return search()
                    finally:
                        alarm.stop()
            except alarm.Rung:
                alarm.silence()
                put_back()
                _forget()
        self.cut.append(part)
        return default

    def demand(self, part: str, search: Callable[[], Result], remedy: str) -> Result:
        """The result of a search that there is no substitute for."""
        missing = object()
        found = self.attempt(part, search, missing)
        if found is missing:
            raise BudgetError(f"{self.note}; {remedy}, or give a larger budget=")
        return found  # type: ignore[return-value]


def _settings() -> Callable[[], None]:
    """Puts the settings of libraries back as they are now.

    A ``with`` that changes one changes it back, unless what is raised arrives within its own first lines.
    """
    errors, called = np.geterr(), np.geterrcall()
    bits, terms = flint.ctx.prec, flint.ctx.cap
    # sympy brings it: where it is not loaded yet, a search begins with its first settings.
    mpmath = sys.modules.get("mpmath")
    digits = mpmath.mp.prec if mpmath else None

    def put_back() -> None:
        np.seterr(**errors)
        np.seterrcall(called)
        flint.ctx.prec, flint.ctx.cap = bits, terms
        if mpmath:
            mpmath.mp.prec = digits

    return put_back


def _forget() -> None:
    from sympy.core.cache import clear_cache

    clear_cache()


class _Ring(BaseException):
    """What alarms raise, each a class of its own; itself in place of a ring that has not arrived."""


@contextmanager
def _dropped_in_silence() -> Iterator[None]:
    """Rings that Python drops are not told as exceptions that somebody forgot: they come again."""
    told = sys.unraisablehook

    def hook(dropped: sys.UnraisableHookArgs) -> None:
        if not issubclass(dropped.exc_type, _Ring):
            told(dropped)

    sys.unraisablehook = hook
    try:
        yield
    finally:
        if sys.unraisablehook is hook:
            sys.unraisablehook = told


class _Watch:
    """One thread that rings all alarms.

    Started with the first alarm, and once: CPython gives what is raised in a thread to the thread that it is
    about to start, which would then never be seen to have started. Its locks are acquired by C alone, so
    that no ring arrives between their acquisition and the statement that releases them.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._woken = threading.Lock()
        self._woken.acquire()
        self._due: dict[_Alarm, float] = {}
        self._thread: threading.Thread | None = None

    def add(self, alarm: _Alarm, seconds: float) -> None:
        """Ring an alarm from so many seconds on."""
        with self._lock:
            self._due[alarm] = time.monotonic() + seconds
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="budget", daemon=True)
                self._thread.start()
        with suppress(RuntimeError):  # it is awake already
            self._woken.release()

    def remove(self, alarms: Sequence[_Alarm]) -> None:
        """Ring these no more."""
        with self._lock:
            for alarm in alarms:
                self._due.pop(alarm, None)

    def _run(self) -> None:
        while True:
            self._woken.acquire(timeout=self._ring())

    def _ring(self) -> float:
        """Ring what is due; the seconds until something will be, -1 where nothing is waited for."""
        with self._lock:
            now = time.monotonic()
            for alarm, due in self._due.items():
                if due <= now:
                    alarm.has_rung = True
                    alarm.throw(alarm.Rung)
                    # Again and again: an inner alarm that is put off in the same moment takes this one along,
                    # and Python drops what is raised while it runs the callback of a weak reference.
                    self._due[alarm] = now + _AGAIN
            wait = min(self._due.values(), default=now - 1) - now
        return min(wait, threading.TIMEOUT_MAX)


_WATCH = _Watch()


def _watch_anew() -> None:
    """In a process that was forked off nothing watches, and nothing rings."""
    global _WATCH
    _WATCH, _RUNNING.alarms = _Watch(), []


class _Running(threading.local):
    """The alarms of a thread that were started and not stopped, the inner ones last."""

    def __init__(self) -> None:
        self.alarms: list[_Alarm] = []


_RUNNING = _Running()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_watch_anew)


class _Alarm:
    """Raises an exception of its own in the thread that made it, from a time on until it is stopped."""

    def __init__(self, seconds: float) -> None:
        self.Rung: type[BaseException] = type("Rung", (_Ring,), {})
        self.has_rung = False
        self._thread = threading.get_ident()
        self._seconds = seconds

    def throw(self, exception: type[BaseException]) -> None:
        """Raise an exception in the thread, in place of one that was raised there and has not arrived."""
        thread, given = ctypes.c_ulong(self._thread), ctypes.py_object(exception)
        ctypes.pythonapi.PyThreadState_SetAsyncExc(thread, given)

    def start(self) -> None:
        _RUNNING.alarms.append(self)
        if math.isfinite(self._seconds):
            _WATCH.add(self, self._seconds)

    def stop(self) -> None:
        """Nothing rings any more, and what has rung and not yet arrived does not arrive.

        Nor do the alarms within: an outer one may have rung on the way into their stop.
        """
        alarms = _RUNNING.alarms
        place = alarms.index(self) if self in alarms else len(alarms)
        within = [self, *alarms[place:]]
        _WATCH.remove(within)
        if any(alarm.has_rung for alarm in within):
            self._replace()
        del alarms[place:]

    def _replace(self) -> None:
        """Wait for an exception in place of what has not arrived.

        To take that back instead, by raising none, leaves CPython 3.11 looking for it at every jump, and for
        ever at the first call within a profiler. An outer alarm that is taken for it rings again.
        """
        with suppress(_Ring):
            while True:  # until it is seen: Python drops some
                self.throw(_Ring)
                for _ in range(_WAIT):
                    pass

    def silence(self) -> None:
        """`stop`, although it may ring on the way there."""
        while True:
            try:
                return self.stop()
            except self.Rung:
                continue
