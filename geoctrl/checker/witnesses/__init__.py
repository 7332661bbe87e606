"""Certificates with witnesses: read, multiplied out and compared; nothing in them is searched for.

Read in this order: `limits` (what a check may take), `numbers` (rationals and square roots), `reader` (what a
file may hold), `jets` (derivatives), `identities` (what is conserved), `definite` (matrices), `question`
(what is proved of the equations), `verdicts` (what follows).
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import copy_context
from typing import Any

from geoctrl.checker.witnesses.limits import Refusal, begin
from geoctrl.checker.witnesses.numbers import set_roots
from geoctrl.checker.witnesses.question import Question
from geoctrl.checker.witnesses.reader import FILE, conform
from geoctrl.checker.witnesses.theorems import ENCLOSED
from geoctrl.checker.witnesses.theorems import THEOREMS as FURTHER
from geoctrl.checker.witnesses.verdicts import THEOREMS, Found


def check(data: Any) -> Found:
    """What a certificate's content proves; Refusal where it proves nothing."""
    try:
        return copy_context().run(_check, data)
    except (
        AttributeError,
        LookupError,
        ValueError,
        TypeError,
        ArithmeticError,
        RecursionError,
        MemoryError,
    ) as error:
        fault = f"{type(error).__name__} {str(error)[:60]}"
        raise Refusal(f"its parts do not fit each other, or are too large: {fault}") from None


def _check(data: Any) -> Found:
    begin()
    set_roots(data.get("roots", []))
    content = conform(data, FILE)
    name = data["theorem"]["name"]
    entries: dict[str, tuple[Any, Callable[..., Found]]] = {**THEOREMS, **FURTHER, **ENCLOSED}
    shape, theorem = entries[name]
    given = conform(data["theorem"], shape, "theorem")
    if name in ENCLOSED:
        return theorem(content["problem"], content["witness"], given)
    q = Question(content["problem"], content["witness"])
    q.require_kept([])
    q.require_rest()
    return theorem(q, given)
