r"""A system on spheres as Euler-Poincare equations with advected directions, for every symbolic analysis.

The group is :math:`SO(3)^n` acting from the left with spatial velocities: the bracket is
:math:`[\omega, \eta] = -\omega \times \eta`, the advected :math:`\dot q_i = \omega_i \times q_i`. Rotations
about q_i change nothing; they are held by the constraints :math:`q_i \cdot \omega_i = 0`, of which the
multipliers are zero. The inertia of :math:`\omega` has the blocks :math:`m_{ii} I` and
:math:`m_{ij}\, \hat q_i^T \hat q_j`.

Seen from axes that turn with a constant rate W, with :math:`\omega_i = \xi_i + W - q_i (q_i \cdot W)`,

.. math:: L = T(q, \xi \times q + W \times q) - V :

a gyroscopic term :math:`q_i \times \sum_j m_{ij} W \times q_j` and the amended potential
:math:`V - \tfrac12 \sum m_{ij} (W \times q_i) \cdot (W \times q_j)`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import sympy as sp

from geoctrl._scalars import Node, Program
from geoctrl.manifolds.calculus import differences
from geoctrl.spheres.description import SphereDescription

__all__ = ["integral_gradients", "jacobians"]


def integral_gradients(
    system: SphereDescription, x: np.ndarray, params: Mapping[str, float]
) -> tuple[np.ndarray, np.ndarray]:
    """Gradients by the state of the energy (6n,) and of the momenta (3, 6n), for inertia that varies."""
    if "integrals" not in system.programs:
        rows = system.graph.jacobian(_integral_nodes(system), system.state_nodes)
        nodes = [e for row in rows for e in row]
        program = Program(system.graph, system.state_nodes, system.parameter_nodes, nodes)
        system.programs["integrals"] = program
    kinetic, *momenta = system.programs["integrals"](list(x), params).reshape(4, x.size)
    slope = system.run(params).slope(system.unpack(x)[0]).ravel()
    return kinetic + np.concatenate([slope, np.zeros(slope.size)]), np.array(momenta)


def _integral_nodes(system: SphereDescription) -> list[Node]:
    """Nodes of the kinetic energy, and of the three components of the momentum."""
    M, rates = system.mass_expression, [w.cross(v) for v, w in zip(system.q, system.omega, strict=True)]
    momenta = [_weighted(M, i, rates) for i in range(system.n)]
    kinetic = sum((a.dot(p) for a, p in zip(rates, momenta, strict=True)), sp.S.Zero) / 2
    total = sum((v.cross(p) for v, p in zip(system.q, momenta, strict=True)), sp.zeros(3, 1))
    return [system.to_node(e) for e in (kinetic, *total)]


def _weighted(M: sp.Matrix, i: int, vectors: Sequence[sp.Matrix]) -> sp.Matrix:
    total = sp.zeros(3, 1)
    for j, v in enumerate(vectors):
        total += M[i, j] * v
    return total


def jacobians(
    system: SphereDescription, t: float, x: np.ndarray, u: np.ndarray, params: Mapping[str, float]
) -> tuple[np.ndarray, np.ndarray]:
    """Derivatives of the field by the state (6n, 6n) and by the inputs (6n, m), for inertia that varies."""
    if system.symbolic:
        view = system.view()
        y = view.into(x, params)
        T = np.eye(y.size)[np.r_[3 * system.n : 6 * system.n, 0 : 3 * system.n]]
        A = T @ view.reduced.jacobian(t, y, u, params) @ T.T  # T only reorders
        return A, T @ view.reduced.input_jacobian(t, y, u, params)
    return differences(system.run(params).rate_with(t), x, u)
