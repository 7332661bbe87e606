"""A time budget for searches in symbols, which return what they have when it is spent.

Factoring a polynomial or solving an inequality may take a millisecond or a year, and one call of sympy is
one step: a deadline that is looked at between steps does not end it. A signal reaches the main thread only.
A worker process can be ended anywhere, but starts in about a second, needs everything pickled, and takes
what it has found so far with it. sympy runs in Python throughout, so that an exception can be raised in the
thread that runs it, whichever that is, by a timer: this is what is done here, in one place, for every
search. The exception is a `BaseException` of the alarm's own, which nothing on the way takes for a failure of
its own and nested budgets do not take for theirs. What sympy remembers is forgotten when an alarm rings,
since it may have been in the middle of an inference. Ctrl-C works as ever.

Arithmetic in C (a product of very long integers) is not interrupted before it returns.
"""

from __future__ import annotations

import ctypes
import math
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from geoctrl._scalars.numbers import real, shown
from geoctrl.errors import BudgetError, ParameterError

__all__ = ["BUDGET", "Budget"]

BUDGET = 60.0
"""Seconds for a search in symbols unless others are given."""

_AGAIN = 0.05
"""Seconds between two rings of an alarm: short against the time that a search keeps for what comes after."""

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

    Attributes
    ----------
    seconds : float
    cut : list of str
        Parts that were not finished, in order.

    Raises
    ------
    ParameterError
        If it is not a positive number.

    Examples
    --------
    >>> import time
    >>> budget = Budget(0.05)
    >>> budget.attempt("a search without end", lambda: time.sleep(0.01) or 7, default=None)
    7
    """

    seconds: float
    _end: float

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds_of(seconds)
        self.cut: list[str] = []
        self._end = time.monotonic() + self.seconds

    @property
    def left(self) -> float:
        """Seconds left, zero where it is spent."""
        return max(0.0, self._end - time.monotonic())

    @property
    def note(self) -> str:
        """What was not finished, in words; empty where all was."""
        if not self.cut:
            return ""
        return f"not finished within the budget of {self.seconds:g} s: {', '.join(dict.fromkeys(self.cut))}"

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
        default : object
        share : float
            Part of the time left that may be spent on it.
        reserve : float
            Part of the whole time that is kept for what comes after it.
        """
        seconds = min(self.left * share, self.left - reserve * self.seconds)
        if seconds > 0:
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
                _forget()
        self.cut.append(part)
        return default

    def demand(self, part: str, search: Callable[[], Result], remedy: str) -> Result:
        """The result of a search that there is no substitute for.

        Raises
        ------
        BudgetError
            If there is no time for it, with a remedy.
        """
        missing = object()
        found = self.attempt(part, search, missing)
        if found is missing:
            raise BudgetError(f"{self.note}; {remedy}, or give a larger budget=")
        return found  # type: ignore[return-value]


def _forget() -> None:
    from sympy.core.cache import clear_cache

    clear_cache()


class _Ring(BaseException):
    """What alarms raise, each a class of its own."""


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


class _Running(threading.local):
    """The alarms of a thread that were started and not stopped, the inner ones last."""

    def __init__(self) -> None:
        self.alarms: list[_Alarm] = []


_RUNNING = _Running()


class _Alarm:
    """Raises an exception of its own in the thread that made it, from a time on until it is stopped."""

    def __init__(self, seconds: float) -> None:
        self.Rung: type[BaseException] = type("Rung", (_Ring,), {})
        self._thread = threading.get_ident()
        self._lock = threading.Lock()
        self._gone = threading.Event()
        self._seconds = seconds

    def _raise(self, exception: Any) -> None:
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self._thread), exception)

    def _watch(self) -> None:
        seconds = min(self._seconds, threading.TIMEOUT_MAX)
        # Again and again: an inner alarm that is put off in the same moment takes this one along, and Python
        # drops what is raised while it runs the callback of a weak reference.
        while not self._gone.wait(seconds):
            with self._lock:
                if not self._gone.is_set():
                    self._raise(ctypes.py_object(self.Rung))
            seconds = _AGAIN

    def start(self) -> None:
        _RUNNING.alarms.append(self)
        if math.isfinite(self._seconds):
            threading.Thread(target=self._watch, name="budget", daemon=True).start()

    def stop(self) -> None:
        """Nothing rings any more, and what has rung and not yet arrived does not arrive.

        Nor do the alarms within: an outer one may have rung on the way into their stop.
        """
        alarms = _RUNNING.alarms
        place = alarms.index(self) if self in alarms else len(alarms)
        for alarm in (self, *alarms[place:]):
            with alarm._lock:
                alarm._gone.set()
        self._raise(None)
        del alarms[place:]

    def silence(self) -> None:
        """`stop`, although it may ring on the way there."""
        while True:
            try:
                return self.stop()
            except self.Rung:
                continue
