"""Angles measured from exact ones: sines and cosines of a sum by the rational ones of its constant part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from geoctrl._scalars import STATE, Graph, Node
from geoctrl.systems.angles import ExactAngle

__all__ = ["Turn"]


class Turn:
    r"""Substitution of :math:`\phi_e + \phi` for angles :math:`\phi`.

    .. math::

        \cos(k(\phi_e + \phi) + \chi) = C \cos(k\phi + \chi) - S \sin(k\phi + \chi), \qquad
        C + i S = (\cos\phi_e + i \sin\phi_e)^k

    with integers k: what is rational at the exact angle is rational at :math:`\phi = 0`.

    Parameters
    ----------
    graph : Graph
    angles : mapping symbol -> ExactAngle
    """

    def __init__(self, graph: Graph, angles: Mapping[Node, ExactAngle]) -> None:
        self._graph, self._angles = graph, dict(angles)

    def __call__(self, nodes: Sequence[Node]) -> list[Node]:
        """The nodes with the angles measured from the exact ones."""
        nodes = list(nodes)
        return self._graph.substitute(nodes, self._images(nodes))

    def possible(self, nodes: Sequence[Node]) -> bool:
        """Whether the angles occur in sines and cosines of sums with whole multiples alone."""
        nodes = list(nodes)
        stand_in = self._graph.symbol("a sine", STATE)
        rest = self._graph.substitute(nodes, dict.fromkeys(self._images(nodes), stand_in))
        return not self._graph.symbols(rest) & set(self._angles)

    def _images(self, nodes: Sequence[Node]) -> dict[Node, Node]:
        """Sines and cosines that the angles turn, and what becomes of them."""
        g, found = self._graph, {}
        for node in g.reachable(nodes):
            if node.kind != "fun" or node.payload[0] not in ("cos", "sin"):
                continue
            name, (argument,) = node.payload
            turn = self._turn_of(argument)
            if turn is None:
                continue
            C, S = (g.number(q) for q in turn)
            cosine, sine = g.fun("cos", argument), g.fun("sin", argument)
            found[node] = C * cosine - S * sine if name == "cos" else S * cosine + C * sine
        return found

    def _turn_of(self, argument: Node) -> tuple[Fraction, Fraction] | None:
        """C and S of an argument; None where it holds no angle, or one otherwise than in whole multiples."""
        g = self._graph
        held = g.symbols([argument]) & set(self._angles)
        C, S = Fraction(1), Fraction(0)
        for symbol in held:
            (slope,) = g.derivatives([argument], symbol)
            if slope.kind != "num" or slope.payload.denominator != 1:
                return None
            c, s = self._angles[symbol].cosine, self._angles[symbol].sine
            if slope.payload < 0:
                s = -s
            for _ in range(abs(int(slope.payload))):
                C, S = C * c - S * s, C * s + S * c
        return (C, S) if held else None
