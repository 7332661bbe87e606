r"""The rate of the energy, with the elimination behind the accelerations undone.

Accelerations solve :math:`M \dot v = h` and stand in the field as quotients by the pivots of M; expanded as
rational functions they are too large for an identity to be seen in reasonable time. In the rate of
:math:`E = \tfrac12 v \cdot M v + U` they need not occur: :math:`\partial_v E \cdot \dot v` is
:math:`v \cdot (M \dot v)`, and the product with M, taken factor by factor, cancels the steps of the solution
one by one and leaves h.
"""

from __future__ import annotations

from functools import lru_cache

from geoctrl._scalars import Node
from geoctrl._scalars.ideal import LeafIdeal
from geoctrl.systems.elimination import Factorisation, dot

__all__ = ["power"]


@lru_cache(maxsize=32)
def power(states: tuple[Node, ...], field: tuple[Node, ...], leaf: tuple[Node, ...], energy: Node) -> Node:
    """Rate of a function of the states along the field, on the leaf; remembered, as sweeps ask it everywhere.

    True for any function, and short for the energy: its second derivatives by the velocities, which are the
    states that no leaf relation holds, are the mass matrix.
    """
    graph = energy.graph
    geometric = graph.symbols(leaf)
    gradient = graph.gradient(energy, list(states))
    moving = [i for i, s in enumerate(states) if s not in geometric]
    still = [i for i in range(len(states)) if i not in moving]
    velocity, momentum = [states[i] for i in moving], [gradient[i] for i in moving]
    mass = [graph.gradient(p, velocity) for p in momentum]
    factors = Factorisation(graph, mass)
    if not moving or factors.singular:
        return dot(graph, gradient, field)
    acceleration = [field[i] for i in moving]
    linear = [p - dot(graph, row, velocity) for p, row in zip(momentum, mass, strict=True)]
    ideal = LeafIdeal(leaf, linear)  # p = M v for the energy, which the nodes need not show
    linear = [e if ideal.remainder(e) else graph.zero for e in linear]
    return graph.add(
        [
            dot(graph, velocity, factors.multiply(acceleration)),
            dot(graph, linear, acceleration),
            dot(graph, [gradient[i] for i in still], [field[i] for i in still]),
        ]
    )
