"""The leaf in words: its relations, and its dimension at the point, as far as that is proved.

Where the gradients of r relations are independent at e, their common zeros near e are a manifold of dimension
n - r. If these are all relations, that is the leaf; if others depend on them, the leaf is a part of it. With
r = n it is the point alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from flint import arb, ctx, fmpq

from geoctrl.checker.balls import Balls
from geoctrl.checker.jets import Jet, evaluate
from geoctrl.checker.reading import Refusal
from geoctrl.checker.words.texts import Expressions

PRECISION = 256
"""Bits of the middles of balls."""


class Dimension(NamedTuple):
    """At most ``most``, and exactly that where ``exact``."""

    most: int
    exact: bool

    def __str__(self) -> str:
        return f"{'' if self.exact or not self.most else 'at most '}{self.most}"


def dimension(problem: dict[str, Any]) -> Dimension:
    """Dimension of the leaf near the point, or near all points of the box of a problem as read.

    Commands of a law and states of a controller, of which no relation may depend, do not count.
    """
    held = problem.get("held", {})
    count = len(problem["states"].keys() - {*held.get("commands", ()), *held.get("own", ())})
    relations = list(problem["leaf"].values())
    try:
        rank = _rank(_gradients(problem, relations))
    except Refusal:  # no derivative is known there
        rank = 0
    return Dimension(max(0, count - rank), rank == len(relations))


def _gradients(problem: dict[str, Any], relations: list[int]) -> list[list[arb]]:
    """Enclosures of the gradients of relations over the box."""
    table, box = problem["nodes"], problem.get("box", {"held": list(problem["states"]), "bits": 0})
    labels = list(problem["states"])
    with ctx.workprec(PRECISION):
        radius = fmpq(1, 1 << box["bits"])
        numbers = Balls([fmpq(0) if label in box["held"] else radius for label in labels])
        known: dict[int, Jet] = {}
        for place, (kind, *parts) in enumerate(table):
            if kind != "sym" or parts[1] not in ("state", "input", "parameter"):
                continue
            value = numbers.settled(Jet(problem[f"{parts[1]}s"][parts[0]])).value
            if parts[1] == "state":
                i = labels.index(parts[0])
                known[place] = Jet(numbers.around(i, value), {i: arb(1)})
            else:
                known[place] = Jet(value)
        jets = evaluate(table, relations, known, numbers, 1)
        return [[jet.first.get(i, arb(0)) for i in range(len(labels))] for jet in jets]


def _rank(rows: list[list[arb]]) -> int:
    """A number of rows that are certainly independent, by elimination with pivots that are not zero."""
    rank = 0
    with ctx.workprec(PRECISION):
        while rows:
            sizes = {(i, j): c.abs_lower() for i, row in enumerate(rows) for j, c in enumerate(row)}
            i, j = max(sizes, key=sizes.__getitem__)
            if not sizes[i, j] > 0:
                break
            pivot = rows.pop(i)
            rows = [[c - row[j] / pivot[j] * p for c, p in zip(row, pivot, strict=True)] for row in rows]
            rank += 1
    return rank


def leaf_words(relations: Sequence[str], found: Dimension, at: str = "") -> str:
    """The leaf with its relations and its dimension, ``at`` the point or elsewhere."""
    which = f"the leaf {', '.join(relations)}, a leaf" if relations else "the leaf of all states,"
    alone = ": the point alone" if not found.most else ""
    return f"{which} of dimension {found}{at}{alone}"


def relations(problem: dict[str, Any]) -> list[str]:
    """The relations of the leaf as equations."""
    table, written = problem["nodes"], Expressions(problem["nodes"])
    found = []
    for place in problem["leaf"].values():
        node = table[place]
        if node[0] == "prod" and node[1] and [e for _, e in node[2]] == [1]:
            place = node[2][0][0]  # a constant factor changes nothing
        found.append(f"{written(place)} = 0")
    return found
