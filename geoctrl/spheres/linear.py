"""Second derivatives of sums over sites and pairs, and their switches."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from geoctrl._scalars import Program
from geoctrl.manifolds.hessians import by_differences, second_derivatives
from geoctrl.spheres.description import SphereDescription
from geoctrl.spheres.potentials import Pairs, Sites

__all__ = ["hessian", "term_switches"]


def hessian(system: SphereDescription, q: np.ndarray, params: Mapping[str, float]) -> np.ndarray:
    """Ambient second derivatives of the potential, (3n, 3n)."""
    n = system.n
    if system.computed:
        return by_differences(system, q, params)
    H = np.zeros((n, 3, n, 3))
    for term in system.potential_terms:
        if not isinstance(term, (Sites, Pairs)):
            nodes = system.configuration_nodes
            H += second_derivatives(system, system.to_node(term), nodes, [], list(q.ravel()), params).reshape(
                n, 3, n, 3
            )
            continue
        vectors, data, energy = system.term_nodes(term)
        bodies, values = _instances(term, q)
        blocks = second_derivatives(system, energy, [s for v in vectors for s in v], data, values, params)
        for i, a in enumerate(bodies):
            for j, b in enumerate(bodies):
                block = np.broadcast_to(blocks[3 * i : 3 * i + 3, 3 * j : 3 * j + 3], (3, 3, len(a)))
                place: Any = (a, slice(None), b)
                np.add.at(H, place, block.transpose(2, 0, 1))
    return H.reshape(3 * n, 3 * n)


def _instances(term: Sites | Pairs, q: np.ndarray) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Bodies of the instances of a term, and values of its vectors and data there, instance by instance."""
    n = len(q)
    bodies = [np.arange(n)] if isinstance(term, Sites) else list(np.array(term.rows(n), dtype=int).T)
    if isinstance(term, Pairs) and term.cutoff is not None:
        near = np.linalg.norm(q[bodies[0]] - q[bodies[1]], axis=1) <= term.cutoff
        bodies = [b[near] for b in bodies]
    values = [*(q[b, k] for b in bodies for k in range(3))]
    return bodies, values + ([] if term.c is None else list(term.c.T))


def term_switches(system: SphereDescription, q: np.ndarray, params: Mapping[str, float]) -> list[np.ndarray]:
    """Arguments of Abs, sign and Piecewise in the sums of the potential, one array for each sum."""
    found = []
    for term in system.potential_terms:
        if not isinstance(term, (Sites, Pairs)):
            continue
        vectors, data, energy = system.term_nodes(term)
        switches = system.graph.switches([energy])
        if switches:
            symbols = [s for v in vectors for s in v]
            program = Program(system.graph, [*symbols, *data], system.parameter_nodes, switches)
            found.append(np.ravel(program(_instances(term, q)[1], params)))
    return found
