r"""The rate of the energy, with the elimination behind the accelerations undone.

Accelerations solve :math:`M \dot v = h`, and stand in the field as quotients by the pivots of M. Expanded as
rational functions they are large, and the powers of a large M's pivots do not cancel in reasonable time.
In the rate of :math:`E = \tfrac12 v \cdot M v + U` they need not occur:
:math:`\partial_v E \cdot \dot v = v \cdot (M \dot v)`, and the product with M, taken factor by factor, cancels
the steps of the solution one by one and leaves h.
"""

from __future__ import annotations

from collections.abc import Sequence

from geoctrl._scalars import Graph, Node
from geoctrl.analysis.ideal import LeafIdeal
from geoctrl.systems.elimination import Factorisation, dot

__all__ = ["power"]


def power(
    graph: Graph, states: Sequence[Node], field: Sequence[Node], leaf: Sequence[Node], energy: Node
) -> Node:
    """Rate of a function of the states along the field, on the leaf; an identity for any function.

    It is short where the function is the energy: its second derivatives by the velocities, which are the
    states that no leaf relation holds, are then the mass matrix.
    """
    geometric = graph.symbols(leaf)
    gradient = graph.gradient(energy, list(states))
    moving = [i for i, s in enumerate(states) if s not in geometric]
    velocity = [states[i] for i in moving]
    momentum = [gradient[i] for i in moving]
    mass = [graph.gradient(p, velocity) for p in momentum]
    factors = Factorisation(graph, mass)
    if factors.singular:
        return dot(graph, gradient, field)
    acceleration = [field[i] for i in moving]
    left = [p - dot(graph, row, velocity) for p, row in zip(momentum, mass, strict=True)]
    ideal = LeafIdeal(leaf, left) if left else None
    left = [graph.zero if not ideal.remainder(e) else e for e in left]
    rest = [i for i in range(len(states)) if i not in moving]
    return graph.add(
        [
            dot(graph, velocity, factors.multiply(acceleration)),
            dot(graph, left, acceleration),
            dot(graph, [gradient[i] for i in rest], [field[i] for i in rest]),
        ]
    )
