"""Calls that may take long: what they tell on the way, and what they return when their time is up.

A public function that may take more than two seconds is a `long_call` with the arguments ``progress`` and
``seconds``. Its body tells stages to the call `under_way`, and says what it has so far; where the time is up
the best that is there is returned, or `BudgetError` raised with the stage that was reached.
"""

from __future__ import annotations

import functools
import inspect
import math
import os
import sys
import threading
import time
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from geoctrl._calls.budget import TOLD, Budget, seconds_of
from geoctrl._checks import accepts
from geoctrl._scalars.text.numbers import shown
from geoctrl.errors import BudgetError, InputError, ParameterError

__all__ = [
    "LongCall",
    "Progress",
    "is_under_way",
    "long_call",
    "paced_call",
    "seconds_given",
    "tell",
    "under_way",
]

QUIET, INTERVAL = 2.0, 0.5
"""Seconds before a line is shown that nobody asked for, and between two of them."""
_MOST = 0.8
"""Part of the time left that a search within a call may take, so that there is time to tell what it found."""
_WHOLE = "the whole"
_OFTEN = 0.1
"""Seconds between two reports to a callable."""

P = ParamSpec("P")
R = TypeVar("R")


class Progress:
    """Tells how far a call is: to a callable, in a line on stderr if that is a terminal, or to nobody.

    Parameters
    ----------
    target : bool or callable
        ``callable(stage, best, elapsed)``; one that takes a single argument gets the fraction done. With True
        the line is shown from the start, otherwise after two seconds.
    label : str
        Words before the line.
    silent : bool
        Show no line that was not asked for: a call within another one.
    """

    def __init__(self, target: bool | Callable[..., object], label: str, silent: bool = False) -> None:
        if not (callable(target) or isinstance(target, bool)):
            raise TypeError(
                f"progress must be True, False or a callable of (stage, best, elapsed), got {target!r}"
            )
        self.stage = self.best = ""
        self.fraction = 0.0
        self._label, self._begun, self._last = label, time.monotonic(), -math.inf
        self._target = target if callable(target) else None
        self._width = 0
        self._thread: threading.Thread | None = None
        asked = target is True
        if self._target is None and (asked or not silent) and sys.stderr is not None and sys.stderr.isatty():
            wait = 0.0 if asked else QUIET
            self._stop = threading.Event()
            self._thread = threading.Thread(target=self._lines, args=(wait,), name="progress", daemon=True)
            self._thread.start()

    def __call__(self, fraction: float, stage: str = "", best: str = "") -> None:
        """Tell of the fraction done, a stage and the best so far, unless this was just done."""
        changed = stage != self.stage
        self.fraction, self.stage, self.best = fraction, stage, best
        now = time.monotonic()
        if self._target is not None and (changed or now - self._last >= _OFTEN):
            self._last = now
            self._report()

    def finish(self, fraction: float) -> None:
        """Tell of the fraction reached at the end, however soon after the last time."""
        self.fraction = fraction
        if self._target is not None:
            self._report()

    def close(self) -> None:
        """Leave the line."""
        if self._thread is not None:
            self._stop.set()
            self._thread.join()
        if self._width:
            self._line()
            sys.stderr.write("\n")
            self._width = 0

    def _report(self) -> None:
        assert self._target is not None
        if accepts(self._target, 3):
            self._target(self.stage, self.best, time.monotonic() - self._begun)
        else:
            self._target(self.fraction)

    def _lines(self, wait: float) -> None:
        while not self._stop.wait(wait):
            self._line()
            wait = INTERVAL

    def _line(self) -> None:
        words = [f"{self._label} {time.monotonic() - self._begun:.0f} s"]
        if self.fraction:
            filled = min(int(20 * self.fraction), 20)
            words.append(f"[{'#' * filled}{'.' * (20 - filled)}] {self.fraction:4.0%}")
        words += [self.stage] * bool(self.stage) + [f"best: {self.best}"] * bool(self.best)
        text = "  ".join(words)[:110]
        sys.stderr.write("\r" + text.ljust(self._width))
        sys.stderr.flush()
        self._width = len(text)


class LongCall:
    """One call: its time, what it tells, and what it has so far.

    Attributes
    ----------
    budget : Budget
        Without an end unless seconds were given.
    otherwise : callable or None
        What is returned when the time is up, None where there is nothing yet; set by the body.
    """

    def __init__(self, label: str, progress: bool | Callable[..., object], seconds: Any) -> None:
        self._label = label
        self.budget = seconds_given(seconds)
        self.report = Progress(progress, label, silent=bool(_UNDER_WAY.calls))
        self.otherwise: Callable[[], Any] | None = None

    def tell(self, stage: str, best: str = "", fraction: float = 0.0) -> None:
        """Tell of a stage, the best so far and the fraction done."""
        self.report(fraction, stage, best)

    @property
    def is_over(self) -> bool:
        """Whether the time is up, for loops that look at it."""
        return not self.budget.seconds_left

    @property
    def late(self) -> str:
        """That the time was up, and in which stage, in words."""
        reached = f", in the stage {self.report.stage!r}" if self.report.stage else ""
        return f"not finished within {self.budget.seconds:g} s{reached}"

    def search_budget(self, budget: Any) -> Budget:
        """That of a search that may take so many seconds, or most of what is left; the smaller one of those
        that were given for the two is told.
        """
        whole, left = seconds_of(budget), _MOST * self.budget.seconds_left
        return Budget(left, self.budget.seconds) if 0 < left < whole else Budget(whole)

    def run(self, body: Callable[[], R], paced: bool = False) -> R:
        """The result of the body within the time, at which one that is ``paced`` looks itself."""
        _UNDER_WAY.calls.append(self)
        try:
            if paced or math.isinf(self.budget.seconds):
                return body()
            missing: Any = object()
            found = self.budget.attempt(_WHOLE, body, missing)
            if found is missing and self.otherwise is not None:
                found = self.otherwise()
            if found is missing or found is None:
                raise BudgetError(f"{self._label}: {self.late}, and there is nothing yet; give more seconds=")
            return found
        finally:
            del _UNDER_WAY.calls[_UNDER_WAY.calls.index(self) :]
            self.report.close()


class _UnderWay(threading.local):
    """The long calls of a thread, the inner ones last."""

    def __init__(self) -> None:
        self.calls: list[LongCall] = []


_UNDER_WAY = _UnderWay()


def _none_under_way() -> None:
    """A process that was forked off has none of the calls of the thread that did so."""
    _UNDER_WAY.calls = []


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_none_under_way)


def is_under_way() -> bool:
    """Whether this thread is within a long call: a worker's is not."""
    return bool(_UNDER_WAY.calls)


def under_way() -> LongCall:
    """The innermost call that is under way."""
    return _UNDER_WAY.calls[-1]


def tell(stage: str, best: str = "") -> None:
    """Tell of a stage to the innermost call that is under way, if one is."""
    if _UNDER_WAY.calls and stage != _WHOLE:
        call = _UNDER_WAY.calls[-1]
        call.tell(stage, best or call.report.best, call.report.fraction)


TOLD.append(tell)


def seconds_given(seconds: Any) -> Budget:
    """The time of a call: a positive number of seconds, or None for no end."""
    try:
        return Budget(math.inf if seconds is None else seconds)
    except ParameterError:
        raise InputError(
            f"seconds must be a positive number, or None for no limit; got {shown(seconds)}"
        ) from None


def long_call(function: Callable[P, R]) -> Callable[P, R]:
    """A function with the keywords ``progress`` and ``seconds``, which is ended when its time is up.

    Its body asks for the call by `under_way`.
    """
    return _wrapper(function, paced=False)


def paced_call(function: Callable[P, R]) -> Callable[P, R]:
    """As `long_call`, of a body that looks at the time itself and returns what it has."""
    return _wrapper(function, paced=True)


def _wrapper(function: Callable[P, R], paced: bool) -> Callable[P, R]:
    names = [*inspect.signature(function).parameters]

    @functools.wraps(function)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> R:
        given = {**dict(zip(names, args, strict=False)), **kwargs}
        progress, seconds = given.get("progress", False), given.get("seconds")
        call = LongCall(function.__name__, progress, seconds)  # type: ignore[arg-type]
        return call.run(lambda: function(*args, **kwargs), paced)

    return wrapper
