"""One line of progress on a terminal, or a callable that is told the fraction done."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

__all__ = ["Progress"]

_INTERVAL = 0.1
"""Seconds between two reports."""


class Progress:
    """Reports the fraction done: to a callable, to stderr if that is a terminal, or to nobody.

    Parameters
    ----------
    target : bool or callable
        ``callable(fraction)`` with 0 <= fraction <= 1; the last call has the fraction reached.
    label : str
        Words before the bar.
    """

    def __init__(self, target: bool | Callable[[float], object], label: str = "simulate") -> None:
        self._label = label
        self._begin = time.monotonic()
        self._last = -float("inf")
        self._shown = False
        self._report: Callable[[float], object] | None = None
        if callable(target):
            self._report = target
        elif not isinstance(target, bool):
            raise TypeError(
                f"progress must be True, False or a callable of the fraction done, got {target!r}"
            )
        elif target and sys.stderr is not None and sys.stderr.isatty():
            self._report = self._line

    def __call__(self, fraction: float) -> None:
        """Report, unless the last report is less than a tenth of a second old."""
        if self._report is None:
            return
        now = time.monotonic()
        if now - self._last >= _INTERVAL:
            self._last = now
            self._report(fraction)

    def finish(self, fraction: float) -> None:
        """Report the fraction reached at the end, however soon after the last report."""
        if self._report is not None:
            self._report(fraction)

    def close(self) -> None:
        """Leave the line."""
        if self._shown:
            sys.stderr.write("\n")
            self._shown = False

    def _line(self, fraction: float) -> None:
        filled = int(30 * fraction)
        elapsed = time.monotonic() - self._begin
        sys.stderr.write(
            f"\r{self._label} [{'#' * filled}{'.' * (30 - filled)}] {fraction:4.0%} {elapsed:6.1f} s"
        )
        sys.stderr.flush()
        self._shown = True
