"""Where expressions are smooth, choices apart: what must not vanish in them, and what must be positive."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence

from geoctrl._scalars.graph.form_signs import POSITIVE, form_signs
from geoctrl._scalars.graph.graph import STATE, Graph, Node

__all__ = ["domain_of"]


def domain_of(graph: Graph, nodes: Sequence[Node], positive: Container[Node] = ()) -> list[tuple[Node, str]]:
    """Conditions ``(a, "!=")`` and ``(a, ">")`` on states, against zero, each once.

    Divisors, radicands, arguments of logarithms, the cuts of inverse functions. What is positive by its form
    is left out, and so is what holds parameters alone.
    """
    asked = list(dict.fromkeys(_conditions(graph, nodes)))
    signs = form_signs(graph, [node for node, _ in asked], positive)
    open_ones = [
        (node, relation)
        for (node, relation), found in zip(asked, signs, strict=True)
        if node.level == STATE and (0 in found or (relation == ">" and found != POSITIVE))
    ]
    return [pair for pair in open_ones if pair[1] == ">" or (pair[0], ">") not in open_ones]


def _conditions(graph: Graph, nodes: Sequence[Node]) -> Iterator[tuple[Node, str]]:
    for node in graph.reachable(nodes):
        if node.kind == "prod":
            for atom, e in node.payload[1]:
                if e < 0 and not (atom.kind == "fun" and atom.payload[0] == "sqrt"):
                    yield atom, "!="
        elif node.kind == "fun":
            yield from _of_function(graph, *node.payload)


def _of_function(graph: Graph, name: str, args: Sequence[Node]) -> Iterator[tuple[Node, str]]:
    x = args[0]
    if name in ("sqrt", "log"):
        yield x, ">"
    elif name in ("asin", "acos", "atanh"):
        yield 1 - x * x, ">"
    elif name == "acosh":
        yield x - 1, ">"
    elif name == "tan":
        yield graph.fun("cos", x), "!="
    elif name == "atan2":
        yield args[1] + graph.sqrt(x * x + args[1] * args[1]), "!="
    elif name == "quadrature":  # of 1/(a t^2 + b) from 0 to s
        a, b, s = args
        yield b * (a * s * s + b), ">"
