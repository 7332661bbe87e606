"""Files of equilibria for each value of what stands still, with other cells, boxes, numbers and nodes.

What is confirmed of one is judged without geoctrl, in floats at places of its range: by Newton's steps into
the box, and by differences of the field on the leaf.
"""

from __future__ import annotations

import copy
import time
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

import geoctrl as gc
from geoctrl import checker
from geoctrl.analysis.schedules.equilibria_over_cells import LoopPart, equilibria_over_cells
from tests.attack.forge.mutations import Mutator, pick
from tests.attack.forge.other_witnesses import move_number, other_node, scale_block, scale_number
from tests.attack.oracle.equilibria_over_cells import falsehood_over_cells
from tests.attack.oracle.tables import NotJudgedError
from tests.attack.outcome import Outcome, raw
from tests.attack.parts.certificates import words
from tests.attack.parts.moving import compass, pulled

STREAM = 50023
"""Of the dice."""


def other_cell(data: dict, rng: np.random.Generator) -> str:
    """A cell that is longer, comes twice or not at all, with another box, or with equations of others."""
    cells = data["theorem"]["cells"]
    k = int(rng.integers(len(cells)))
    change = pick(rng, ("end", "both ends", "twice", "none", "place", "radius", "equations", "order"))
    low, high = map(Fraction, cells[k]["range"])
    if change in ("end", "both ends"):
        share = Fraction(pick(rng, ("-1/50", "1/50", "1/2")))
        cells[k]["range"][1] = str(high + share * (high - low))
        if change == "both ends" and k + 1 < len(cells):
            cells[k + 1]["range"][0] = cells[k]["range"][1]
    elif change == "twice":
        cells.insert(k, copy.deepcopy(cells[k]))
    elif change == "none":
        cells.pop(k)
    elif change == "order":
        cells.reverse()
    elif change == "equations":
        other = data["theorem"]["further"][0]
        data["problem"], other["problem"] = other["problem"], data["problem"]
    else:
        i = int(rng.integers(len(cells[k]["radii"])))
        radius, share = (
            Fraction(cells[k]["radii"][i]),
            Fraction(pick(rng, ("1/4", "9/10", "3/2", "1000000000"))),
        )
        if change == "radius":
            cells[k]["radii"][i] = str(radius * share)
        else:
            label = [*cells[k]["states"]][i]
            cells[k]["states"][label] = str(Fraction(cells[k]["states"][label]) + radius * share)
    return f"cell {k} {change}"


CHANGES: tuple[Mutator, ...] = (scale_number, scale_block, move_number, other_node, *[other_cell] * 4)


@cache
def genuine() -> list[dict[str, Any]]:
    """Files of equilibria for each value that stands still, to begin with."""

    def part(loop: gc.ReducedSystem, low: str, high: str, near: Any) -> LoopPart:
        return LoopPart(loop, (Fraction(low), Fraction(high)), near, {})

    def spring(s: float) -> np.ndarray:
        return np.array([0.0, s])

    def direction(s: float) -> np.ndarray:
        return np.array([0.0, np.sin(s), np.cos(s)])

    found = [
        [part(pulled(), "-1", "1/2", spring), part(pulled(damping=3), "1/2", "2", spring)],
        [part(compass(), "-1/2", "1/2", direction)],
    ]
    return [equilibria_over_cells(parts, "s", cells=4).to_dict() for parts in found]


def prepare(seed: int, options: dict[str, Any]) -> int:
    del seed, options
    return len(genuine())


def case(seed: int, index: int, options: dict[str, Any] | None = None) -> Outcome:
    """One file with one or two changes."""
    del options
    rng = np.random.default_rng([seed + STREAM, index])
    data, told = copy.deepcopy(genuine()[index % len(genuine())]), []
    for _ in range(int(rng.integers(1, 3))):
        try:
            told.append(pick(rng, CHANGES)(data, rng))
        except (LookupError, AttributeError, StopIteration, TypeError, ValueError, ZeroDivisionError):
            continue  # there is nothing of the kind
    kind, note, begun = "equilibria over cells", "; ".join(told)[:200], time.process_time()
    try:
        data["digest"] = checker.digest_of(data)
        report = checker.check(data)
    except checker.Refusal as refusal:
        told_of = {"words": words(str(refusal))}
        seconds = time.process_time() - begun
        return Outcome(kind, "refused", f"{note} -> {refusal}"[:300], seconds, detail=told_of)
    except Exception as error:
        return raw(kind, error)
    seconds = time.process_time() - begun
    try:
        wrong = falsehood_over_cells(data, rng)
    except (NotJudgedError, ArithmeticError, KeyError, np.linalg.LinAlgError) as error:
        return Outcome(kind, "unjudged", f"{note} -> {error}", seconds)
    return Outcome(
        kind, "contradiction" if wrong else "held", f"{note} -> {wrong or report.verdict}", seconds
    )
