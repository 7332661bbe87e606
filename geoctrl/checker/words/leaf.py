"""The leaf in words: its relations, and its dimension at the point, as far as that is proved.

Where the gradients of r relations are independent at e, their common zeros near e are a manifold of dimension
n - r. If these are all relations, that is the leaf; if others depend on them, the leaf is a part of it. With
r = n it is the point alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from flint import arb, ctx, fmpq

from geoctrl.checker.balls import Balls, radii
from geoctrl.checker.jets import Jet, evaluate, reachable
from geoctrl.checker.reading import Refusal
from geoctrl.checker.words.texts import Expressions

ROLES = ("state", "input", "parameter")
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
    if "dimension" in problem:
        found: Dimension = problem["dimension"]
        return found
    held, box = problem.get("held", {}), problem.get("box")
    count = len(problem["states"].keys() - {*held.get("commands", ()), *held.get("own", ())})
    labels = list(problem["states"])
    around = radii(box["bits"], len(labels)) if box else [fmpq(0)] * len(labels)
    widths = [fmpq(0) if box and k in box["held"] else r for k, r in zip(labels, around, strict=True)]
    values = {(f"{role}s", k): q for role in ROLES for k, q in problem[f"{role}s"].items()}
    return _dimension(problem, count, Balls(widths), lambda _: values)


def dimension_of_members(problem: dict[str, Any]) -> Dimension:
    """The same for the members of a map, at the middle of its axes."""
    given = {**problem["parameters"], **problem["symbols"]}
    given |= {k: (a + b) / 2 for k, (a, b) in problem["axes"].items()}

    def values(numbers: Balls) -> dict[tuple[str, str], Any]:
        table, known = problem["nodes"], dict[int, Jet]()
        for place, (kind, *parts) in enumerate(table):
            if kind == "sym" and parts[1] in ("parameter", "family"):
                known[place] = numbers.settled(Jet(given[parts[0]]))
        found: dict[tuple[str, str], Any] = {("parameters", k): q for k, q in given.items()}
        for part in ("states", "inputs"):
            jets = evaluate(table, list(problem[part].values()), known, numbers, 1)
            found |= {(part, k): jet.value for k, jet in zip(problem[part], jets, strict=True)}
        return found

    count = len(problem["states"])
    return _dimension(problem, count, Balls([fmpq(0)] * count), values)


def _dimension(
    problem: dict[str, Any],
    count: int,
    numbers: Balls,
    values: Callable[[Balls], dict[tuple[str, str], Any]],
) -> Dimension:
    """By the rank of the gradients where symbols have these values."""
    relations = list(problem["leaf"].values())
    try:
        with ctx.workprec(PRECISION):
            rank = _rank(_gradients(problem, relations, numbers, values(numbers)))
    except Refusal:  # no derivative is known there
        rank = 0
    return Dimension(max(0, count - rank), rank == len(relations))


def _gradients(
    problem: dict[str, Any], relations: list[int], numbers: Balls, values: dict[tuple[str, str], Any]
) -> list[list[arb]]:
    """Enclosures of the gradients of relations."""
    labels, known = list(problem["states"]), dict[int, Jet]()
    for place in reachable(problem["nodes"], relations):
        kind, *parts = problem["nodes"][place]
        if kind != "sym" or (f"{parts[1]}s", parts[0]) not in values:
            continue
        value = numbers.settled(Jet(values[f"{parts[1]}s", parts[0]])).value
        known[place] = Jet(value)
        if parts[1] == "state":
            i = labels.index(parts[0])
            known[place] = Jet(numbers.around(i, value), {i: arb(1)})
    jets = evaluate(problem["nodes"], relations, known, numbers, 1)
    return [[jet.first.get(i, arb(0)) for i in range(len(labels))] for jet in jets]


def _rank(rows: list[list[arb]]) -> int:
    """A number of rows that are certainly independent, by elimination with pivots that are not zero."""
    rank = 0
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
    if not relations:
        return f"the leaf of all states, of dimension {found}"
    alone = ": the point alone" if not found.most else ""
    return f"the leaf {', '.join(relations)}, a leaf of dimension {found}{at}{alone}"


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
