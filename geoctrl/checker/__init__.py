"""Certificates with witnesses: read, multiplied out and compared; nothing in them is searched for.

The package imports nothing else of geoctrl, nothing but the standard library and python-flint, and shares no
code with the search for proofs. Read in this order: `limits` (what a check may take), `numbers` (rationals
and square roots), `reader` (what a file may hold), `jets` (derivatives), `identities` (what is conserved),
`definite` (matrices), `question` (what is proved of the equations), `verdicts` (three theorems). Then, as
needed: `balls` and `cells` (numbers up to a radius), a file of `theorems`, `sublevels`, `squares`, `slopes`
or `maps`, and `words` (the sentence).
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import copy_context
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from geoctrl.checker.limits import Refusal, begin
from geoctrl.checker.numbers import set_roots
from geoctrl.checker.question import Question
from geoctrl.checker.reader import FILE, FORMAT, VERSION, conform, digest_of, load, require_this_format
from geoctrl.checker.theorems import ENCLOSED, PARTS, REGIONS
from geoctrl.checker.theorems import THEOREMS as FURTHER
from geoctrl.checker.verdicts import THEOREMS, Found
from geoctrl.checker.words.point_words import checks_of_point, claim_of_point

__all__ = [
    "FORMAT",
    "VERSION",
    "Refusal",
    "Report",
    "check",
    "check_file",
    "digest_of",
    "prove",
]

T = TypeVar("T")


@dataclass(frozen=True)
class Report:
    """What a file proves: the verdict, by which method, the claim in words, and what was checked for it."""

    verdict: str
    method: str
    claim: str
    checks: tuple[str, ...]


def check(data: Any) -> Report:
    """What a certificate's content proves, in words; Refusal where it proves nothing."""
    return _answer_within_limits(_report, data)


def check_file(path: str | Path) -> Report:
    """The same of a file."""
    return check(load(path))


def prove(data: Any) -> Found:
    """What a certificate's content proves; Refusal where it proves nothing."""
    return _answer_within_limits(lambda given: _proof(given)[1], data)


def _answer_within_limits(asked: Callable[[Any], T], data: Any) -> T:
    """The answer, within limits, with the errors of parts that do not fit as refusals."""
    try:
        return copy_context().run(asked, data)
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


def _report(data: Any) -> Report:
    require_this_format(data)
    if data.get("digest") != digest_of(data):
        raise Refusal("it was changed after it was written: its digest does not fit its content")
    content, (verdict, method, told) = _proof(data)
    if region := told.get("region"):
        return Report(verdict, method, region.claim(content["system"]), region.checks())
    claim = claim_of_point(content, verdict, method, told)
    return Report(verdict, method, claim, checks_of_point(content, told))


def _proof(data: Any) -> tuple[dict[str, Any], Found]:
    """The content as read, and what its theorem proves."""
    begin()
    set_roots(data.get("roots", []))
    name = data["theorem"]["name"]
    content = conform(data, FILE | PARTS.get(name, {}))
    shape, theorem = (THEOREMS | FURTHER | ENCLOSED | REGIONS)[name]
    given = content["theorem"] = conform(data["theorem"], shape, "theorem")
    if name in ENCLOSED or name in REGIONS:
        return content, theorem(content["problem"], content["witness"], given)
    q = Question(content["problem"], content["witness"])
    q.require_kept([])
    q.require_rest()
    return content, theorem(q, given)
