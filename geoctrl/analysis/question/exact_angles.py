"""Angles measured from exact ones: sines and cosines of a sum by the rational ones of its constant part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from geoctrl._scalars import RATIONAL, FromSympy, Graph, Node, NotRationalError, evaluate
from geoctrl._scalars.algebra.angle_sums import sum_of_multiples
from geoctrl.systems.parts.angles import ExactAngle

__all__ = ["Turn"]


class Turn:
    r"""Substitution of :math:`\phi_e + \phi` for angles :math:`\phi`.

    .. math::

        \cos(k(\phi_e + \phi) + \chi) = C \cos(k\phi + \chi) - S \sin(k\phi + \chi), \qquad
        C + i S = (\cos\phi_e + i \sin\phi_e)^k

    with integers k: what is rational at the exact angle is rational at :math:`\phi = 0`. An angle between
    -pi and pi may also stand by itself where it is measured from the exact one, as laws do: its arctangent
    goes.

    Parameters
    ----------
    angles : mapping symbol -> ExactAngle
    """

    def __init__(self, graph: Graph, angles: Mapping[Node, ExactAngle]) -> None:
        self._graph, self._angles = graph, dict(angles)

    def __call__(self, nodes: Sequence[Node]) -> list[Node]:
        """The nodes with the angles measured from the exact ones."""
        nodes = list(nodes)
        images = self._images(nodes)
        return self._graph.substitute(nodes, images | self._measures(self._alone(nodes, images)))

    def values(self, nodes: Sequence[Node], numbers: Mapping[Node, Fraction]) -> list[Fraction]:
        """Rational values (k,) of nodes at the exact angles, by those of all other symbols.

        Sines and cosines are put in as numbers where angles occur in nothing else: nodes are not made anew.
        NotRationalError where one is not rational, or an angle occurs otherwise than in `possible` ways.
        """
        nodes, still = list(nodes), {**numbers, **dict.fromkeys(self._angles, Fraction(0))}
        images = self._images(nodes)
        if not self._alone(nodes, images):
            turned = evaluate(list(images.values()), still, RATIONAL)
            return evaluate(nodes, still | dict(zip(images, turned, strict=True)), RATIONAL)
        if not self.possible(nodes):
            raise NotRationalError("an angle occurs otherwise than in sines and cosines")
        return evaluate(self(nodes), still, RATIONAL)

    def possible(self, nodes: Sequence[Node]) -> bool:
        """Whether the angles occur in sines and cosines of sums with whole multiples, or measured from the
        exact ones, alone.
        """
        nodes = list(nodes)
        images = self._images(nodes)
        alone = self._alone(nodes, images)
        if not alone:
            return True
        if any(self._angles[node].turns for node in alone):
            return False
        g, measured = self._graph, self._measures(alone)
        arctangents = {n for n in g.reachable(measured.values()) if n.kind == "fun"}
        return not arctangents & set(g.reachable(g.substitute(nodes, images | measured)))

    def _alone(self, nodes: list[Node], images: dict[Node, Node]) -> set[Node]:
        """Angles that occur otherwise than in sines and cosines that turn."""
        return set(self._graph.reachable(nodes, known=images)) & set(self._angles)

    def _measures(self, alone: set[Node]) -> dict[Node, Node]:
        """Angles as sums of the exact ones and what they are measured by."""
        read = FromSympy(self._graph, {})
        return {node: node + read(self._angles[node].expr) for node in alone if not self._angles[node].turns}

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
        slopes = {symbol: g.derivatives([argument], symbol)[0] for symbol in held}
        if not held or any(q.kind != "num" or q.payload.denominator != 1 for q in slopes.values()):
            return None
        exact = {symbol: (self._angles[symbol].cosine, self._angles[symbol].sine) for symbol in held}
        terms = [(exact[symbol], int(q.payload)) for symbol, q in slopes.items()]
        return sum_of_multiples(terms, (Fraction(1), Fraction(0)))
