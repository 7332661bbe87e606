"""Ambient second derivatives of potentials in numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from geoctrl._scalars import Node, Program
from geoctrl.manifolds.calculus import STEP
from geoctrl.manifolds.description import ManifoldDescription

__all__ = ["by_differences", "second_derivatives"]


def by_differences(system: ManifoldDescription, z: np.ndarray, params: Mapping[str, float]) -> np.ndarray:
    """Second derivatives (3 N, 3 N) of a given potential: differences of its gradient."""
    run, flat = system.run(params), z.ravel()
    rows = [
        (run.slope((flat + e).reshape(z.shape)) - run.slope((flat - e).reshape(z.shape))).ravel() / (2 * STEP)
        for e in STEP * np.eye(flat.size)
    ]
    return (np.array(rows) + np.array(rows).T) / 2


def second_derivatives(
    system: ManifoldDescription,
    energy: Node,
    symbols: Sequence[Node],
    data: Sequence[Node],
    values: Sequence[Any],
    params: Mapping[str, float],
) -> np.ndarray:
    """Second derivatives (k, k, ...) of an expression by k symbols, at arrays of values."""
    graph, k = system.graph, len(symbols)
    key = ("second", energy.index)
    if key not in system.programs:
        gradient = graph.gradient(energy, list(symbols))
        lower = [e for i in range(k) for e in graph.gradient(gradient[i], list(symbols[: i + 1]))]
        where = [i for i, e in enumerate(lower) if not e.is_zero]
        program = Program(graph, [*symbols, *data], system.parameter_nodes, [lower[i] for i in where])
        system.programs[key] = where, program
    where, program = system.programs[key]
    shape = np.broadcast_shapes(*(np.shape(v) for v in values))
    flat = np.zeros((k * (k + 1) // 2, *shape))
    if where:
        flat[where] = program(list(values), params).reshape(len(where), *shape)
    out = np.zeros((k, k, *shape))
    rows, columns = np.tril_indices(k)
    out[rows, columns] = flat
    out[columns, rows] = flat
    return out
