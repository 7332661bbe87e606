"""Files of maps: their schema, and what is confirmed of them."""

from __future__ import annotations

from typing import Any

from flint import fmpq

from geoctrl.checker.maps.region import CLASSES, judge_region
from geoctrl.checker.reading import (
    EQUATIONS,
    EXPONENT,
    VERSION,
    Refusal,
    conform,
    label,
    one_of,
    sentence,
)
from geoctrl.checker.words.claims import assigned, require_claim, system_words
from geoctrl.checker.words.leaf import dimension_of_members, leaf_words, relations
from geoctrl.checker.words.texts import below, decimal, listed, quoted, told

MAP_FORMAT, BY_CELLS = "geoctrl-map", "PROVED_BY_CELLS"
CELLS = 3_000_000
"""Letters of a tree."""

_schema: Any = EQUATIONS
_place, _rational = (_schema[part][...] for part in ("leaf", "parameters"))


def _index(value: Any) -> int | None:
    return value if type(value) is int and 0 <= value <= EXPONENT else None


def _tree(value: Any) -> str | None:
    return value if isinstance(value, str) and value.isascii() and 0 < len(value) <= CELLS else None


REGION = {
    **{k: EQUATIONS[k] for k in ("nodes", "unknowns", "matrix", "right", "field", "leaf", "invariants")},
    **{k: EQUATIONS[k] for k in ("weights", "consequences?")},
    "kind": one_of("region"),
    "states": {...: _place},
    "inputs": {...: _place},
    "domain": [_place],
    "parameters": {...: _rational},
    "symbols": {...: _rational},
    "axes": {...: (_rational, _rational)},
}
PROOF = {
    "verdict": one_of(*CLASSES),
    "by": one_of("energy", "growth", "roots"),
    "rows": [label],
    "omitted": [label],
    "multipliers?": {...: _place},
    "sense?": one_of(1, -1),
    "test?": (_index, one_of("coefficient", "hurwitz", "hermite"), _index),
    "tangents?": [label],
}
_NEEDED = {"energy": {"multipliers", "sense"}, "growth": {"test"}, "roots": set()}
MAP = {
    "format": one_of(MAP_FORMAT),
    "version": one_of(VERSION),
    "software": label,
    "system": label,
    "family": label,
    "claim": sentence,
    "problem": REGION,
    "proofs": [PROOF],
    "cells": _tree,
    "area": {f"{name}?": _rational for name in (*CLASSES, "undecided")},
    "digest": label,
}


def read_map(data: Any) -> dict[str, Any]:
    """A map's file as data with its numbers read; Refusal where it is none."""
    read = conform(data, MAP)
    for i, proof in enumerate(read["proofs"]):
        if not _NEEDED[proof["by"]] <= proof.keys():
            raise Refusal("a part of the proof is missing", f"proofs[{i}]")
    return read


def check_map(data: Any) -> tuple[str, str, tuple[str, ...]]:
    """Verdict, claim and what was confirmed, each cell's proof anew from the equations of the file."""
    read = read_map(data)
    problem = read["problem"]
    area = judge_region(problem, read["proofs"], read["cells"])
    given = {k: read["area"].get(k, fmpq(0)) for k in area}
    if given != area:
        raise Refusal("parts of the area are not those of the cells", "area")
    words = claim_of_map(read["system"], read["family"], problem, area)
    require_claim(data, words)
    count = sum(letter not in "+." for letter in read["cells"])
    checks = (
        "members are equilibria on the leaf, identically in the axes",
        f"kept by the motion, identically: {listed(problem['leaf']) or 'no leaf relations'}",
        f"{count} cells, each closed one by the signs of one of {len(read['proofs'])} proofs on all of it",
    )
    return BY_CELLS, words, checks


def claim_of_map(system: str, family: str, problem: dict[str, Any], area: dict[str, fmpq]) -> str:
    """What a map claims."""
    axes = ", ".join(f"{told(k)} in [{decimal(a)}, {decimal(b)}]" for k, (a, b) in problem["axes"].items())
    values = assigned({**problem["parameters"], **problem["symbols"]})
    words = {
        "stable": "are Lyapunov stable within the leaf",
        "unstable": "are unstable",
        "spectrum": "have no eigenvalue with a positive real part, nonlinear stability open",
    }
    parts = [f"on {below(100 * area[k])} percent of the area they {words[k]}" for k in CLASSES if area[k]]
    said = "; ".join(parts) or "nothing is proved of them"
    leaf = leaf_words(relations(problem), dimension_of_members(problem), " at the middle of the axes")
    return (
        f"Members of the family {quoted(family)} of {system_words(system)} with {axes}"
        f"{f' and {values}' if values else ''}, on {leaf}: {said}; by "
        "cells, each with its own proof."
    )
