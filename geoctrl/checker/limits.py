"""Why a certificate is refused, and what its check may take."""

from __future__ import annotations

from contextvars import ContextVar
from math import inf
from time import thread_time
from typing import Any

SECONDS, WORDS = 60.0, 60_000_000
"""The processor time that a check may take, and the words of the numbers that it may hold."""
_LEFT: ContextVar[list[float]] = ContextVar("left", default=[inf, inf])  # noqa: B039 - it stays endless


class Refusal(Exception):  # noqa: N818 - an answer rather than a failure
    """Why a certificate is refused: where the fault is, and what it is."""

    def __init__(self, fault: str, path: str = "") -> None:
        super().__init__(f"{path}: {fault}" if path else fault)


def require(holds: Any, fault: str, path: str = "") -> None:
    """Refuse a certificate unless something holds."""
    if not holds:
        raise Refusal(fault, path)


def begin() -> None:
    """What follows in this context has an end, that of what is around it where it comes sooner."""
    _LEFT.set([min(thread_time() + SECONDS, _LEFT.get()[0]), WORDS])


def spend(words: int = 0) -> None:
    """Refuse to go on beyond the end, or to hold more words than are left."""
    left = _LEFT.get()
    left[1] -= words
    if thread_time() > left[0] or left[1] < 0:
        raise Refusal(
            f"the check takes more than {SECONDS:g} s of the processor, or {WORDS} words of numbers"
        )
