"""What a search tells of itself while it goes on: its stage, and the best that it has proved."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable

from geoctrl._checks import accepts

__all__ = ["Stages"]

QUIET, INTERVAL = 2.0, 0.5
"""Seconds before a line is shown, and between two of them."""


class Stages:
    """Tells stages to a callable, or in a line on stderr if that is a terminal.

    Parameters
    ----------
    target : bool or callable
        ``callable(stage, best, elapsed)``; one that takes a single argument gets the fraction done. With True
        the line is shown from the start, otherwise after two seconds.
    label : str
        Words before the line.

    Raises
    ------
    TypeError
        For another target.
    """

    def __init__(self, target: bool | Callable[..., object], label: str) -> None:
        if not (callable(target) or isinstance(target, bool)):
            raise TypeError(
                f"progress must be True, False or a callable of (stage, best, elapsed), got {target!r}"
            )
        self._label, self._begun = label, time.monotonic()
        self._stage = self._best = ""
        self._target = target if callable(target) else None
        self._stop = threading.Event()
        self._width = 0
        self._thread: threading.Thread | None = None
        if self._target is None and sys.stderr is not None and sys.stderr.isatty():
            wait = 0.0 if target is True else QUIET
            self._thread = threading.Thread(target=self._lines, args=(wait,), name="stages", daemon=True)
            self._thread.start()

    def __call__(self, stage: str, best: str, fraction: float) -> None:
        """Tell of a stage, the best so far, and the fraction that is done."""
        self._stage, self._best = stage, best
        if self._target is None:
            return
        if accepts(self._target, 3):
            self._target(stage, best, time.monotonic() - self._begun)
        else:
            self._target(fraction)

    def close(self) -> None:
        """Leave the line."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join()
        if self._width:
            sys.stderr.write("\n")
            self._width = 0

    def _lines(self, wait: float) -> None:
        while not self._stop.wait(wait):
            best = f"; best: {self._best}" if self._best else ""
            text = f"{self._label} {time.monotonic() - self._begun:.0f} s: {self._stage}{best}"[:110]
            sys.stderr.write("\r" + text.ljust(self._width))
            sys.stderr.flush()
            self._width, wait = len(text), INTERVAL
