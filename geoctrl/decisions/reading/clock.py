"""The time that a check may take: one end for all that it does, looked at within its loops."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from math import inf
from time import monotonic

from geoctrl.decisions.reading.problem_reader import Refusal

SECONDS = 60.0
_END: ContextVar[float] = ContextVar("end", default=inf)


@contextmanager
def limited(seconds: float = SECONDS) -> Iterator[None]:
    """What is done within has an end, that of what is around it where it comes sooner."""
    token = _END.set(min(_END.get(), monotonic() + seconds))
    try:
        yield
    finally:
        _END.reset(token)


def require_time(deadline: float = inf) -> None:
    """Refuse to go on beyond the end, or beyond a deadline that comes sooner."""
    if (now := monotonic()) > deadline or now > _END.get():
        raise Refusal(f"the check takes more than {SECONDS:g} s")
