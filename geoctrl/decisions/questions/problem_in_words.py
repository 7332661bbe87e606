"""A problem of the search as the checker's words take it, with the dimension of its leaf.

Where the gradients of r relations are independent at e, their common zeros near e are a manifold of dimension
n - r.
"""

from __future__ import annotations

from typing import Any

from flint import arb, ctx, fmpq

from geoctrl.checker.numbers import Surd
from geoctrl.checker.words.leaf import Dimension
from geoctrl.decisions.functions.ball_jets import Balls, radii
from geoctrl.decisions.functions.derivatives import Jet, evaluate, reachable
from geoctrl.decisions.questions.krawczyk_boxes import PRECISION
from geoctrl.decisions.reading.problem_reader import Refusal

__all__ = ["dimension_of_leaf", "number_of_checker", "problem_in_words"]

ROLES = ("state", "input", "parameter")


def problem_in_words(problem: dict[str, Any]) -> dict[str, Any]:
    """A problem as the checker's words take it: its numbers, its box, the dimension of its leaf."""
    parts: dict[str, Any] = {
        part: {k: number_of_checker(q) for k, q in problem[part].items()}
        for part in ("states", "inputs", "parameters")
        if part in problem
    }
    if "leaf" in problem:
        parts["dimension"] = dimension_of_leaf(problem)
    if "box" in problem:
        held, states = problem["box"]["held"], list(problem["states"])
        around = dict(zip(states, radii(problem["box"]["bits"], len(states)), strict=True))
        parts["box"] = {"held": held, "radii": [around[k] for k in states if k not in held]}
    return problem | parts


def number_of_checker(q: Any) -> Any:
    """A number of the search as one of the checker."""
    if not hasattr(q, "root"):
        return q
    turn = len(q.root.below)
    return Surd((turn, number_of_checker(q.root.radicand)), number_of_checker(q.a), number_of_checker(q.b))


def dimension_of_leaf(problem: dict[str, Any]) -> Dimension:
    """Dimension of the leaf near the point, or near all points of the box of a problem as read.

    Commands of a law and states of a controller, of which no relation may depend, do not count.
    """
    held, box = problem.get("held", {}), problem.get("box")
    count = len(problem["states"].keys() - {*held.get("commands", ()), *held.get("own", ())})
    labels = list(problem["states"])
    around = radii(box["bits"], len(labels)) if box else [fmpq(0)] * len(labels)
    widths = [fmpq(0) if box and k in box["held"] else r for k, r in zip(labels, around, strict=True)]
    values = {(f"{role}s", k): q for role in ROLES for k, q in problem[f"{role}s"].items()}
    relations = list(problem["leaf"].values())
    try:
        with ctx.workprec(PRECISION):
            rank = _rank(_gradients(problem, relations, Balls(widths), values))
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
