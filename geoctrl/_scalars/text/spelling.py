"""Words for a name that is not known."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

__all__ = ["nearest"]

_LISTED = 12
"""More names than this are not listed in a message."""


def nearest(name: object, known: Iterable[str]) -> str:
    """Words to append to an error message: the nearest known name, or all of them up to a number."""
    known = [str(k) for k in known]
    match = get_close_matches(str(name), known, n=1)
    if match:
        return f"; did you mean {match[0]!r}?"
    if not known:
        return "; none is declared"
    more = f", ... ({len(known)} in all)" if len(known) > _LISTED else ""
    return f"; known are {', '.join(known[:_LISTED])}{more}"
