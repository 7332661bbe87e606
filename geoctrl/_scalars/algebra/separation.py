"""Expressions as sums of products, each factor of which depends on the symbols of one group alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from geoctrl._scalars.graph.graph import STATE, Graph, Node

__all__ = ["Separation"]

_MOST = 64
"""Terms that an expression may come to."""

_ANGLES = {"sin": (("sin", "cos", 1), ("cos", "sin", 1)), "cos": (("cos", "cos", 1), ("sin", "sin", -1))}
"""Addition theorems: functions of the first and of the second part of an angle, and the sign."""


class Separation:
    """Expressions of one graph, taken apart by the groups of the symbols in them.

    Parameters
    ----------
    group_of : mapping from symbol to group
        Of state level; those that are missing are a group of their own.
    """

    def __init__(self, graph: Graph, group_of: Mapping[Node, int]) -> None:
        self._graph, self._group_of = graph, group_of
        self._groups: dict[Node, frozenset[int]] = {}

    def groups(self, node: Node) -> frozenset[int]:
        """Groups of the symbols of a node."""
        for n in self._graph.reachable([node], known=self._groups):
            if n.kind == "sym" and n.level == STATE:
                self._groups[n] = frozenset([self._group_of.get(n, -1)])
            else:
                self._groups[n] = frozenset().union(*(self._groups[c] for c in self._graph.children(n)))
        return self._groups[node]

    def products(self, node: Node) -> list[tuple[Node, dict[int, Node]]] | None:
        """Coefficients that are free of states, with a factor of each group; None where it does not separate.

        Products of sums are multiplied out and sines of sums taken apart only where groups are mixed in them.
        """
        terms = self._terms(node)
        if terms is None:
            return None
        found = []
        for term in terms:
            coefficient, mono = self._graph.split(term, STATE)
            factors: dict[int, Node] = {}
            for atom, e in self._graph.factors(mono)[1].items():
                (group,) = self.groups(atom)
                factors[group] = factors.get(group, self._graph.one) * atom**e
            found.append((coefficient, factors))
        return found

    def _terms(self, node: Node) -> list[Node] | None:
        """Terms of which every atom is of one group."""
        if len(self.groups(node)) <= 1:
            return [node]
        if node.kind == "sum":
            parts = [self._terms(mono) for _, mono in node.payload]
            if any(part is None for part in parts):
                return None
            found = [c * t for (c, _), part in zip(node.payload, parts, strict=True) for t in part or ()]
            return found if len(found) <= _MOST else None
        if node.kind == "prod":
            return self._product_terms(*node.payload)
        if node.kind == "fun" and node.payload[0] in _ANGLES:
            return self._addition_theorem(*node.payload)
        return None

    def _product_terms(self, q: object, items: Sequence[tuple[Node, int]]) -> list[Node] | None:
        found = [self._graph.node(q)]
        for atom, e in items:
            if len(self.groups(atom)) <= 1:
                found = [term * atom**e for term in found]
                continue
            parts = self._terms(atom) if e > 0 else None
            if parts is None or len(found) * len(parts) ** e > _MOST:
                return None
            for _ in range(e):
                found = [term * part for term in found for part in parts]
        return found

    def _addition_theorem(self, name: str, args: Sequence[Node]) -> list[Node] | None:
        """A sine or cosine by those of the part of its angle that is of one group, and of the rest."""
        (angle,) = args
        terms = self._terms(angle)
        if terms is None or any(len(self.groups(term)) > 1 for term in terms):
            return None
        least = min(min(self.groups(term), default=-1) for term in terms)
        own = self._graph.add([t for t in terms if least in self.groups(t)])
        rest = self._graph.add([t for t in terms if least not in self.groups(t)])
        found = []
        for first, second, sign in _ANGLES[name]:
            parts = self._terms(self._graph.fun(second, rest))
            if parts is None:
                return None
            outer = sign * self._graph.fun(first, own)
            found += [outer * part for part in parts]
        return found if len(found) <= _MOST else None
