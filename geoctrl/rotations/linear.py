"""Derivatives of a system on rotations by its states: of the field, and of what may be conserved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import sympy as sp

from geoctrl._scalars import Node, Program
from geoctrl.manifolds.calculus import differences
from geoctrl.rotations.description import RotationDescription

__all__ = ["integral_gradients", "jacobians"]


def jacobians(
    system: RotationDescription, t: float, x: np.ndarray, u: np.ndarray, params: Mapping[str, float]
) -> tuple[np.ndarray, np.ndarray]:
    """Derivatives of the field by the state (12n, 12n) and by the inputs (12n, m), ambient."""
    n, m = system.n, len(u)
    if not system.written:
        return differences(system.run(params).rate_with(t), x, u)
    if "field" not in system.programs:
        rows = system.graph.jacobian(_field_nodes(system), [*system.state_nodes, *system.input_nodes])
        places = [(i, j) for i, row in enumerate(rows) for j, e in enumerate(row) if not e.is_zero]
        arguments = [*system.state_nodes, system.time_node, *system.input_nodes]
        program = Program(system.graph, arguments, system.parameter_nodes, [rows[i][j] for i, j in places])
        system.programs["field"] = (tuple(np.array(places).T), program)
    places, program = system.programs["field"]
    D = np.zeros((12 * n, 12 * n + m))
    D[places] = program([*x, t, *u], params)
    K = np.linalg.inv(system.inertias_at(params))
    D[9 * n :] = np.einsum("iab,ibj->iaj", K, D[9 * n :].reshape(n, 3, -1)).reshape(3 * n, -1)
    return D[:, : 12 * n], D[:, 12 * n :]


def _field_nodes(system: RotationDescription) -> list[Node]:
    """Nodes of Rdot (9n) and of J Omegadot (3n), as in `geoctrl.stepping.apart`."""
    graph, n = system.graph, system.n
    w = [system.to_node(e) for e in (system.frame_rate or [0, 0, 0])]
    U = system.to_node(system.potential_expression)
    turns: list[Node] = []
    for i in range(n):
        rows, Omega = _rows(system, i)
        xi = [Omega[k] - graph.add([rows[r][k] * w[r] for r in range(3)]) for k in range(3)]
        turns += [e for row in rows for e in _cross(row, xi)]
    a = system.linear_nodes or [graph.number(0)] * (3 * n)
    if system.linear_nodes:
        U = U - graph.add([x * y for x, y in zip(a, system.velocity_nodes, strict=True)])
    slope = graph.gradient(U, system.configuration_nodes)
    rate = graph.push_forward(a, dict(zip(system.configuration_nodes, turns, strict=True)))
    moments: list[Node] = []
    for i in range(n):
        rows, Omega = _rows(system, i)
        J = [[system.to_node(e) for e in system.inertias[i].row(k)] for k in range(3)]
        Pi = [a[3 * i + k] + graph.add([x * y for x, y in zip(J[k], Omega, strict=True)]) for k in range(3)]
        terms = [_cross(Pi, Omega), [-e for e in rate[3 * i : 3 * i + 3]]]
        terms += [_cross(rows[r], slope[9 * i + 3 * r : 9 * i + 3 * r + 3]) for r in range(3)]
        if system.forced:
            terms.append(system.force_nodes[3 * i : 3 * i + 3])
        moments += [graph.add([term[k] for term in terms]) for k in range(3)]
    return [*turns, *moments]


def integral_gradients(
    system: RotationDescription, x: np.ndarray, params: Mapping[str, float]
) -> tuple[np.ndarray, np.ndarray]:
    """Gradients by the state of the energy (12n,) and of the momenta (3, 12n)."""
    n = system.n
    if "integrals" not in system.programs:
        rows = system.graph.jacobian(_integral_nodes(system), system.state_nodes)
        nodes = [e for row in rows for e in row]
        program = Program(system.graph, system.state_nodes, system.parameter_nodes, nodes)
        system.programs["integrals"] = program
    energy, *momenta = system.programs["integrals"](list(x), params).reshape(4, 12 * n)
    energy[: 9 * n] += system.run(params).slope(system.unpack(x)[0]).ravel()
    return energy, np.array(momenta)


def _integral_nodes(system: RotationDescription) -> list[Node]:
    """Nodes of the energy less the potential, and of the three components of the momentum."""
    w = sp.zeros(3, 1) if system.frame_rate is None else system.frame_rate
    linear = system.linear or [sp.zeros(3, 1)] * system.n
    Pi = [J * v for J, v in zip(system.inertias, system.Omega, strict=True)]
    kinetic = sum((v.dot(p) for v, p in zip(system.Omega, Pi, strict=True)), sp.S.Zero) / 2
    total = sum((R * (p + a) for R, p, a in zip(system.R, Pi, linear, strict=True)), sp.zeros(3, 1))
    return [system.to_node(e) for e in (kinetic - w.dot(total), *total)]


def _rows(system: RotationDescription, i: int) -> tuple[list[list[Node]], list[Node]]:
    """Nodes of the rows of R_i, and of Omega_i."""
    R = system.configuration_nodes[9 * i : 9 * i + 9]
    return [R[0:3], R[3:6], R[6:9]], system.velocity_nodes[3 * i : 3 * i + 3]


def _cross(a: Sequence[Node], b: Sequence[Node]) -> list[Node]:
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
