"""Gradients and Hessians of everything conserved, in floats."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np

from geoctrl._scalars import Graph, Node
from geoctrl.analysis.shape import Jet, ShapeIntegrals, shape_of
from geoctrl.systems import Equilibrium, ReducedSystem

__all__ = ["jets_at", "jets_in_floats"]

Values = Callable[[Sequence[Node]], np.ndarray]


def jets_in_floats(
    graph: Graph,
    states: Sequence[Node],
    named: Mapping[str, Node],
    shape: ShapeIntegrals | None,
    point: np.ndarray,
    values: Values,
) -> list[Jet]:
    """Jets of named nodes, then of the integrals over the shape.

    Parameters
    ----------
    values : evaluates nodes at the point
    """
    symbols = list(states)
    n = len(symbols)
    rows = graph.jacobian(list(named.values()), symbols)
    gradients = np.asarray(values([e for row in rows for e in row])).reshape(len(named), n)

    def hessian(row: list[Node]) -> list[list]:
        flat = values([e for line in graph.jacobian(row, symbols) for e in line])
        return np.asarray(flat).reshape(n, n).tolist()

    jets = [
        Jet(name, gradient.tolist(), partial(hessian, row))
        for name, gradient, row in zip(named, gradients, rows, strict=True)
        if np.all(np.isfinite(gradient))  # others have no derivative at the point
    ]
    return jets + ([] if shape is None else shape.jets(values, point.tolist(), 0.0))


def jets_at(sys: ReducedSystem, point: Equilibrium) -> list[Jet]:
    """Jets at an equilibrium of all that is conserved: invariants, leaf relations, shape integrals."""
    params = dict(point.params)
    arguments = sys.arguments_at(0.0, point.x, point.u)
    named = {**sys.conserved(params, u=point.u), **dict(zip(sys.leaf.names, sys.leaf.nodes, strict=True))}

    def values(nodes: Sequence[Node]) -> np.ndarray:
        return sys.program(nodes)(arguments, params)

    return jets_in_floats(sys.graph, sys.state_nodes, named, shape_of(sys), point.x, values)
