"""Equations with laws in place of their inputs, and two problems in one table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from geoctrl.checker.limits import Refusal, require
from geoctrl.checker.reader import ENTRIES, children

Table = list[tuple]
PARTS = "right", "field"


def loop(problem: dict[str, Any], laws: Mapping[str, int]) -> tuple[dict[str, Any], list[int]]:
    """The problem whose inputs are functions of the states, and where nodes are in its table.

    Laws come first, as inputs are used before they are made; a law that depends on an input or an unknown is
    refused.
    """
    table, inputs = problem["nodes"], problem["inputs"]
    require({*laws} == {*inputs}, "a law is needed for each input, and for nothing else", "theorem.laws")
    moved, found = dict[int, int](), Table()

    def put(i: int, node: tuple) -> None:
        moved[i] = len(found)
        found.append(node_elsewhere(node, moved))

    first = set[int]()
    for i in sorted(laws.values(), reverse=True):
        pending = [i]
        while pending:
            k = pending.pop()
            if k not in first:
                first.add(k)
                pending += children(table[k])
    for i in sorted(first):
        if table[i][0] == "sym" and table[i][2] not in ("state", "parameter"):
            raise Refusal("a law depends on an input or an acceleration", "theorem.laws")
        put(i, table[i])
    for i, node in enumerate(table):
        if node[0] == "sym" and node[2] == "input":
            moved[i] = moved[laws[node[1]]]
        elif i not in first:
            put(i, node)
    return with_table(problem, found, moved) | {"inputs": {}}, [moved[i] for i in range(len(table))]


def one_table(first: dict[str, Any], second: dict[str, Any]) -> tuple[Table, list[int]]:
    """One table for two problems, that of the first continued; and where nodes of the second are in it.

    States and the like that have one name in both are one symbol.
    """
    found: Table = list(first["nodes"])
    known = {node: i for i, node in enumerate(found) if node[0] == "sym"}
    moved = dict[int, int]()
    for i, node in enumerate(second["nodes"]):
        if node[0] == "sym" and node in known:
            moved[i] = known[node]
        else:
            moved[i] = len(found)
            found.append(node_elsewhere(node, moved))
    if len(found) > ENTRIES:
        raise Refusal("too many nodes", "theorem.region")
    return found, [moved[i] for i in range(len(second["nodes"]))]


def with_table(problem: dict[str, Any], table: Table, moved: Mapping[int, int]) -> dict[str, Any]:
    """A problem in another table, without what is conserved."""
    return problem | {
        "nodes": table,
        "matrix": [(i, j, moved[p]) for i, j, p in problem["matrix"]],
        "leaf": {k: moved[p] for k, p in problem["leaf"].items()},
        "invariants": {},
        "weights": {k: [moved[p] for p in v] for k, v in problem["weights"].items() if k in problem["leaf"]},
        **{part: [moved[p] for p in problem[part]] for part in PARTS},
    }


def node_elsewhere(node: tuple, moved: Mapping[int, int]) -> tuple:
    """A node whose parts are elsewhere."""
    kind, *parts = node
    if kind == "fun":
        return kind, parts[0], [moved[j] for j in parts[1]]
    if kind == "prod":
        return kind, parts[0], [(moved[j], e) for j, e in parts[1]]
    return (kind, [(moved[a], moved[b]) for a, b in parts[0]]) if kind == "sum" else node
