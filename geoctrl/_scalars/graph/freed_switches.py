"""Switches of recorded expressions freed from their conditions: what holds then, holds in every branch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from geoctrl._scalars.graph.graph import STATE, Graph, Node

__all__ = ["with_free_switches"]

_SWITCHES = ("abs", "sign", "select_positive", "select_nonnegative")


def with_free_switches(graph: Graph, nodes: Sequence[Node]) -> tuple[list[Node], dict[Node, Node]]:
    """Nodes with a free number s in place of every condition on states; and the symbols of these numbers by
    what is asked.

    ``abs(a)`` becomes ``s a``, ``sign(a)`` becomes s, and a choice between a and b by the same condition the
    mean ``t a + (1 - t) b`` with t = (1 + s) / 2: at s = 1 and s = -1 these are the two branches. One number
    for each argument and its negative, so that derivatives stay those of what they were taken of. What
    switches by parameters alone takes the branch that they choose.
    """
    image: dict[Node, Node] = {}
    numbers: dict[Node, Node] = {}
    changed = image.keys()
    for node in graph.reachable(nodes):
        if not changed.isdisjoint(graph.children(node)) or _switches(node):
            image[node] = _with_free_switch(graph, node, image, numbers)
    return [image.get(node, node) for node in nodes], numbers


def _switches(node: Node) -> bool:
    """Whether the node takes its branch by a condition on states."""
    if node.kind != "fun":
        return False
    name, args = node.payload
    return name in _SWITCHES and args[0].level == STATE


def _with_free_switch(
    graph: Graph, node: Node, image: Mapping[Node, Node], numbers: dict[Node, Node]
) -> Node:
    if not _switches(node):
        return graph.with_parts(node, image)
    name, args = node.payload
    values = [image.get(a, a) for a in args]
    s = _number(graph, args[0], numbers)
    if name == "sign":
        return s
    if name == "abs":
        return s * values[0]
    t = (1 + s) / 2
    return t * values[1] + (1 - t) * values[2]


def _number(graph: Graph, condition: Node, numbers: dict[Node, Node]) -> Node:
    """The number of a condition; that of the opposite one is its negative."""
    opposite = numbers.get(-condition)
    if opposite is not None:
        return -opposite
    return numbers.setdefault(condition, graph.symbol(f"branch of {condition.index}", STATE))
