"""Switches of recorded expressions freed from their conditions: what holds then, holds in every branch."""

from __future__ import annotations

from collections.abc import Sequence

from geoctrl._scalars.graph import STATE, Graph, Node

__all__ = ["freed"]

_CHOICES = ("select_positive", "select_nonnegative")


def freed(graph: Graph, nodes: Sequence[Node]) -> tuple[list[Node], list[Node]]:
    """Nodes with a free number s in place of every condition on states; and the symbols of these numbers.

    ``abs(a)`` becomes ``s a``, ``sign(a)`` becomes s, and a choice between a and b the mean ``s a + (1 - s)
    b``; one number for each argument, so that derivatives stay those of what they were taken of. What
    switches by parameters alone takes the branch that they choose.
    """
    image: dict[Node, Node] = {}
    numbers: dict[Node, Node] = {}
    for node in graph.reachable(nodes):
        image[node] = _freed(graph, node, image, numbers)
    return [image[node] for node in nodes], list(numbers.values())


def _freed(graph: Graph, node: Node, image: dict[Node, Node], numbers: dict[Node, Node]) -> Node:
    if node.kind == "prod":
        q, items = node.payload
        return graph.mul([graph.number(q), *(graph.power(image[atom], e) for atom, e in items)])
    if node.kind == "sum":
        return graph.add([image[c] * image[mono] for c, mono in node.payload])
    if node.kind != "fun":
        return node
    name, args = node.payload
    values = [image[a] for a in args]
    if name not in ("abs", "sign", *_CHOICES) or args[0].level < STATE:
        return graph.fun(name, *values)
    condition = args[0]
    s = numbers.setdefault(condition, graph.symbol(f"branch of {condition.index}", STATE))
    if name == "sign":
        return s
    return s * values[0] if name == "abs" else s * values[1] + (1 - s) * values[2]
