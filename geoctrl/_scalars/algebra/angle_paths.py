"""Angles that are counted from one part to the next: sums along paths are angles from a fixed direction."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from geoctrl._scalars.graph.graph import Graph, Node

__all__ = ["path_parents"]


def path_parents(graph: Graph, nodes: Sequence[Node], angles: Sequence[Node]) -> Iterator[dict[Node, Node]]:
    """For each angle the one before it on its path, in ways that fit the sines and cosines below some nodes.

    Sums in these are over pieces of paths, in the order of the angles or against it. An angle in none of them
    is that of a root: nothing that parts do to each other depends on it.
    """
    place = {node: i for i, node in enumerate(angles)}
    pieces: list[list[int]] = []
    for node in graph.reachable(nodes):
        if node.kind == "fun" and node.payload[0] in ("sin", "cos"):
            (angle,) = node.payload[1]
            terms = angle.payload if angle.kind == "sum" else ((graph.one, angle),)
            if any(mono not in place for _, mono in terms) or len({c for c, _ in terms}) > 1:
                return
            pieces.append(sorted(place[mono] for _, mono in terms))
    if max(map(len, pieces), default=0) < 2:
        return
    seen = {i for piece in pieces for i in piece}
    roots = [i for i in range(len(angles)) if i not in seen]
    for step in (1, -1):
        before: dict[int, set[int]] = {}
        for piece in pieces:
            path = piece[::step]
            for i, j in pairwise(path):
                before.setdefault(j, set()).add(i)
        if all(len(found) == 1 for found in before.values()):
            parents = {j: min(found) for j, found in before.items()}
            if len(roots) == 1:
                parents |= {i: roots[0] for i in seen if i not in parents}
            yield {angles[j]: angles[i] for j, i in parents.items()}
