"""Certificates with witnesses: read, multiplied out and compared; nothing in them is searched for.

The package imports nothing else of geoctrl, nothing but the standard library and python-flint, and shares no
code with the search for proofs. Read in this order: `limits` (what a check may take), `numbers` (rationals
and square roots), `reader` (what a file may hold), `jets` (derivatives), `identities` (what is conserved),
`definite` (matrices), `question` (what is proved of the equations), `verdicts` (three theorems). Certificates
by one of these rest on nothing else: other files are imported where a certificate names a theorem of theirs,
a file of `theorems`, `orbits`, `hybrid_orbits` or `cycles` (on `flows`, an integrator), `sublevels` (with
`rests` above it), `squares`, `slopes` (with `families` above it), `catches`, `maps`, `ranges` or `schedules`,
with `enclosures` (numbers up to a radius). `words` writes the sentence.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import copy_context
from importlib import import_module
from pathlib import Path
from typing import Any

from geoctrl.checker.limits import Refusal, begin
from geoctrl.checker.numbers import set_roots
from geoctrl.checker.reader import FILE, FORMAT, VERSION, conform, load
from geoctrl.checker.verdicts import Found
from geoctrl.checker.words.point_words import Report, words_of
from geoctrl.checker.words.refused_files import digest_of, require_certificate

__all__ = [
    "FORMAT",
    "THEOREMS",
    "VERSION",
    "Refusal",
    "Report",
    "check",
    "check_file",
    "digest_of",
    "prove",
    "theorem_by_name",
]

THEOREMS = {
    **dict.fromkeys(("attraction", "growth", "energy-Casimir"), "verdicts"),
    **dict.fromkeys(("family", "drift"), "theorems.family"),
    **dict.fromkeys(("lowest form", "falling lowest form", "zero root"), "theorems.lowest_form"),
    **dict.fromkeys(("orbit", "growth across an orbit"), "theorems.orbit"),
    **dict.fromkeys(("loop that attracts", "loop that repels"), "theorems.held_loop"),
    **dict.fromkeys(("loop that attracts in a box", "loop that repels in a box"), "theorems.held_loop"),
    **dict.fromkeys(("loop with fixed points", "loop that rests on a manifold"), "theorems.held_loop"),
    **dict.fromkeys(("attraction over a shape", "energy-Casimir over a shape"), "theorems.shape"),
    **dict.fromkeys(("attraction in a box", "growth in a box", "energy-Casimir in a box"), "theorems.boxes"),
    **dict.fromkeys(("attraction beside what is idle", "growth beside what is idle"), "theorems.idle"),
    **dict.fromkeys(("family in balls", "growth in balls"), "theorems.family_in_balls"),
    **dict.fromkeys(("periodic orbit that attracts", "periodic orbit that repels"), "orbits.file"),
    **dict.fromkeys(("hybrid orbit that attracts", "hybrid orbit that repels"), "hybrid_orbits.file"),
    **dict.fromkeys(("held cycle that attracts", "held cycle that repels"), "cycles.file"),
    "falling": "theorems.falling",
    "growing": "theorems.growing",
    "weak focus": "theorems.weak_focus",
    "turning point": "theorems.turning_point",
    "sublevel": "sublevels.file",
    "squares": "squares.file",
    "slopes": "slopes.file",
    "slopes beside a family": "families.file",
    "map": "maps.file",
    "over": "ranges.file",
    "forms over cells": "ranges.cells_by_forms",
    "moving member": "schedules.file",
    "attraction over cells": "schedules.equilibria",
    "catch": "catches.file",
}
"""By the names of theorems, the files that prove them."""


def check(data: Any) -> Report:
    """What a certificate's content proves, in words; Refusal where it proves nothing."""
    return _within_limits(_report, data)


def check_file(path: str | Path) -> Report:
    """The same of a file."""
    return check(load(path))


def prove(data: Any) -> Found:
    """What a certificate's content proves; Refusal where it proves nothing."""
    return _within_limits(lambda given: _proof(given)[1], data)


def theorem_by_name(name: str) -> tuple[dict[str, Any], Callable[..., Found]]:
    """What a file gives for a theorem, and what proves it."""
    return import_module(f"{__name__}.{THEOREMS[name]}").THEOREMS[name]


def _within_limits(answer: Callable[[Any], Any], data: Any) -> Any:
    """The answer, within limits, with the errors of parts that do not fit as refusals."""
    try:
        return copy_context().run(answer, data)
    except (
        AttributeError,
        LookupError,
        ValueError,
        TypeError,
        ArithmeticError,
        RecursionError,
        MemoryError,
    ) as error:
        raise Refusal(
            f"its parts do not fit each other, or are too large: {type(error).__name__} {str(error)[:60]}"
        ) from None


def _report(data: Any) -> Report:
    require_certificate(data)
    content, found = _proof(data)
    return Report(found.verdict, found.method, *words_of(content, found))


def _proof(data: Any) -> tuple[dict[str, Any], Found]:
    """The content as read, and what its theorem proves."""
    begin()
    set_roots(data.get("roots", []))
    shape, theorem = theorem_by_name(data["theorem"]["name"])
    content = conform(data, FILE | shape)
    return content, theorem(content["problem"], content["witness"], content["theorem"])
