r"""Derivatives of a system with constant inertia, without elimination: any number of bodies.

With :math:`a_j` the angular accelerations,
:math:`s_j = a_j \times q_j + \omega_j \times (\omega_j \times q_j)` and
:math:`S_i = \sum_j m_{ij} s_j + \partial_i V - f_i`, the equations of motion are

.. math:: r_i = q_i \times S_i = 0, \qquad q_i \cdot a_i = 0

(for diagonal inertia with :math:`m_{ii} a_i` in the place of its term, as fields have it off the spheres),

of which the derivatives are written down block by block and solved for those of a.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from geoctrl._scalars import Node, Program
from geoctrl.manifolds.calculus import STEP, differences
from geoctrl.manifolds.rest import find_rest
from geoctrl.spheres.description import SphereDescription
from geoctrl.spheres.potentials import Pairs, Sites

__all__ = [
    "hessian",
    "integral_gradients",
    "jacobians",
    "leaf_gradient",
    "rest_near",
    "stiffness",
    "tangent_basis",
    "term_switches",
    "turning",
]


def hats(v: np.ndarray) -> np.ndarray:
    """Matrices (n, 3, 3) of the products v_i x."""
    out = np.zeros((len(v), 3, 3))
    out[:, 2, 1], out[:, 0, 2], out[:, 1, 0] = v.T
    return out - out.transpose(0, 2, 1)


def hessian(system: SphereDescription, q: np.ndarray, params: Mapping[str, float]) -> np.ndarray:
    """Ambient second derivatives of the potential, (3n, 3n)."""
    n = system.n
    if callable(system.potential_given):
        run, flat = system.run(params), q.ravel()
        rows = [
            (run.slope((flat + e).reshape(n, 3)) - run.slope((flat - e).reshape(n, 3))).ravel() / (2 * STEP)
            for e in STEP * np.eye(3 * n)
        ]
        return (np.array(rows) + np.array(rows).T) / 2
    H = np.zeros((n, 3, n, 3))
    for term in system.potential_terms:
        if not isinstance(term, (Sites, Pairs)):
            nodes = system.configuration_nodes
            H += _second(system, system.to_node(term), nodes, [], list(q.ravel()), params).reshape(n, 3, n, 3)
            continue
        vectors, data, energy = system.term_nodes(term)
        bodies, values = _instances(term, q)
        blocks = _second(system, energy, [s for v in vectors for s in v], data, values, params)
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


def _second(
    system: SphereDescription,
    energy: Node,
    symbols: list[Node],
    data: list[Node],
    values: list,
    params: Mapping[str, float],
) -> np.ndarray:
    """Second derivatives (k, k, ...) by k symbols, at arrays of values."""
    graph, k = system.graph, len(symbols)
    key = ("second", energy.index)
    if key not in system.programs:
        gradient = graph.gradient(energy, symbols)
        upper = [graph.gradient(gradient[i], symbols[: i + 1]) for i in range(k)]
        lower = [e for row in upper for e in row]
        system.programs[key] = Program(graph, [*symbols, *data], system.parameter_nodes, lower)
    flat = np.asarray(system.programs[key](values, params))
    out = np.zeros((k, k, *flat.shape[1:]))
    rows, columns = np.tril_indices(k)
    out[rows, columns] = flat
    out[columns, rows] = flat
    return out


def force_jacobians(
    system: SphereDescription, t: float, x: np.ndarray, u: np.ndarray, params: Mapping[str, float]
) -> tuple[np.ndarray, np.ndarray]:
    """Derivatives of the generalised forces by the state (3n, 6n) and by the inputs (3n, m)."""
    n, m = system.n, len(u)
    if not system.forced:
        return np.zeros((3 * n, 6 * n)), np.zeros((3 * n, m))
    if callable(system.forces_given) or system.law is not None:
        run = system.run(params)

        def force(state: np.ndarray, inputs: np.ndarray) -> np.ndarray:
            run.hold(inputs)
            return run.forces(t, *system.unpack(state)).ravel()

        return differences(force, x, u)
    if "forces" not in system.programs:
        symbols = [*system.state_nodes, *system.input_nodes]
        jacobian = system.graph.jacobian(system.force_nodes, symbols)
        places = [(i, j) for i, row in enumerate(jacobian) for j, e in enumerate(row) if not e.is_zero]
        arguments = [*system.state_nodes, system.time_node, *system.input_nodes]
        nodes = [jacobian[i][j] for i, j in places]
        system.programs["forces"] = (
            places,
            Program(system.graph, arguments, system.parameter_nodes, nodes),
        )
    places, program = system.programs["forces"]
    J = np.zeros((3 * n, 6 * n + m))
    if places:
        J[tuple(np.array(places).T)] = program([*x, t, *u], params)
    return J[:, : 6 * n], J[:, 6 * n :]


def jacobians(
    system: SphereDescription, t: float, x: np.ndarray, u: np.ndarray, params: Mapping[str, float]
) -> tuple[np.ndarray, np.ndarray]:
    """Derivatives of the field by the state (6n, 6n) and by the inputs (6n, m), for constant inertia."""
    n, m = system.n, len(u)
    q, w = system.unpack(x)
    run = system.run(params)
    run.hold(u)
    v, a = run.field(t, q, w)
    f, own = run.forces(t, q, w), np.diag(run.M) * run.diagonal
    M = run.M - np.diag(own)
    Q, W, V = hats(q), hats(w), hats(v)
    carried = np.cross(a, q) + np.cross(w, v)
    S = M @ carried + run.slope(q) - f
    by_state, by_input = force_jacobians(system, t, x, u, params)
    inner = np.zeros((n, 3, 2, n, 3))  # derivative of S_i by q_j and omega_j
    inner[:, :, 0] = hessian(system, q, params).reshape(n, 3, n, 3)
    inner[:, :, 0] += np.einsum("ij,jkl->ikjl", M, hats(a) + W @ W)
    inner[:, :, 1] -= np.einsum("ij,jkl->ikjl", M, V + W @ Q)
    inner -= by_state.reshape(n, 3, 2, n, 3)
    D = np.einsum("ikl,ilsjm->iksjm", Q, inner)
    D[np.arange(n), :, 0, np.arange(n), :] -= hats(S)
    # q_i . a_i = 0 is differentiated too; its multipliers vanish.
    border = np.zeros((4 * n, 4 * n))
    blocks = -np.einsum("ij,ikl,jlm->ikjm", M, Q, Q)
    blocks[np.arange(n), :, np.arange(n), :] += own[:, None, None] * np.eye(3)
    border[: 3 * n, : 3 * n] = blocks.reshape(3 * n, 3 * n)
    for i in range(n):
        border[3 * n + i, 3 * i : 3 * i + 3] = q[i]
        border[3 * i : 3 * i + 3, 3 * n + i] = q[i]
    right = np.zeros((4 * n, 6 * n + m))
    right[: 3 * n, : 6 * n] = -D.reshape(3 * n, 6 * n)
    right[: 3 * n, 6 * n :] = np.einsum("ikl,ilm->ikm", Q, by_input.reshape(n, 3, m)).reshape(3 * n, m)
    for i in range(n):
        right[3 * n + i, 3 * i : 3 * i + 3] = -a[i]
    solved = np.linalg.solve(border, right)[: 3 * n]
    A = np.zeros((6 * n, 6 * n))
    for i in range(n):
        rows = slice(3 * i, 3 * i + 3)
        A[rows, rows] = W[i]
        A[rows, 3 * n + 3 * i : 3 * n + 3 * i + 3] = -Q[i]
    A[3 * n :] = solved[:, : 6 * n]
    return A, np.vstack([np.zeros((3 * n, m)), solved[:, 6 * n :]])


def turning(n: int, spin: np.ndarray) -> np.ndarray:
    """What axes that turn with W add to the derivative of the field: -W x of every vector, (6n, 6n)."""
    return -np.kron(np.eye(2 * n), hats(spin[None])[0])


def tangent_basis(q: np.ndarray, omega: np.ndarray) -> np.ndarray:
    """Orthonormal basis (6n, 4n) of the tangent space of (T S^2)^n: q.dq = 0, q.domega + omega.dq = 0."""
    n = len(q)
    columns = []
    for i in range(n):
        normals = np.zeros((2, 6))
        normals[0, :3] = q[i]
        normals[1, :3], normals[1, 3:] = omega[i], q[i]
        for row in np.linalg.svd(normals)[2][2:]:
            column = np.zeros((2, n, 3))
            column[0, i], column[1, i] = row[:3], row[3:]
            columns.append(column.ravel())
    # Variations of directions first: for a system at rest the leaf's coordinates are (dq, domega).
    order = sorted(range(4 * n), key=lambda k: float(np.linalg.norm(columns[k][3 * n :])) > 0.5)
    return np.array([columns[k] for k in order]).T


def leaf_gradient(q: np.ndarray, omega: np.ndarray) -> np.ndarray:
    """Gradients (2n, 6n) of q.q - 1 and q.omega, body by body."""
    n = len(q)
    out, bodies = np.zeros((n, 2, 2, n, 3)), np.arange(n)
    out[bodies, 0, 0, bodies] = 2 * q
    out[bodies, 1, 0, bodies], out[bodies, 1, 1, bodies] = omega, q
    return out.reshape(2 * n, 6 * n)


def integral_gradients(
    system: SphereDescription, x: np.ndarray, params: Mapping[str, float]
) -> tuple[np.ndarray, np.ndarray]:
    """Gradients by the state of the energy (6n,) and of the momenta (3, 6n), for constant inertia."""
    q, w = system.unpack(x)
    run = system.run(params)
    M, n = run.M, system.n
    v = np.cross(w, q)
    off = M - np.diag(np.diag(M))
    p = off @ v
    Q, W = hats(q), hats(w)
    # L_i = m_ii w_i + q_i x sum_j m_ij w_j x q_j
    by_q = np.einsum("ij,ikl,jlm->ikjm", off, Q, W)
    by_q[np.arange(n), :, np.arange(n), :] -= hats(p)
    by_w = -np.einsum("ij,ikl,jlm->ikjm", off, Q, Q)
    by_w[np.arange(n), :, np.arange(n), :] += np.diag(M)[:, None, None] * np.eye(3)
    J = np.concatenate([by_q.sum(axis=0).reshape(3, -1), by_w.sum(axis=0).reshape(3, -1)], axis=1)
    L = run.mechanics(q[None], w[None])[2][0]
    return np.concatenate([(run.slope(q) + np.cross(p, w)).ravel(), L.ravel()]), J


def stiffness(
    system: SphereDescription, x: np.ndarray, spin: np.ndarray, params: Mapping[str, float]
) -> np.ndarray:
    """Second variation (2n, 2n) of the amended potential in the tangent planes, at a point of rest."""
    q, _ = system.unpack(x)
    run, W = system.run(params), hats(spin[None])[0]
    K = hessian(system, q, params) + np.kron(run.M, W @ W)
    inner = _tangential(K, q, run.slope(q) + run.M @ q @ (W @ W).T)
    return (inner + inner.T) / 2


def _planes(q: np.ndarray) -> np.ndarray:
    """Orthonormal tangent vectors of all bodies as columns, (3n, 2n)."""
    n = len(q)
    B = np.zeros((n, 3, n, 2))
    B[np.arange(n), :, np.arange(n)] = np.linalg.svd(q[:, None, :])[2][:, 1:].transpose(0, 2, 1)
    return B.reshape(3 * n, 2 * n)


def _tangential(K: np.ndarray, q: np.ndarray, g: np.ndarray) -> np.ndarray:
    """K less the multipliers q.g of the unit lengths, in tangent coordinates."""
    B = _planes(q)
    return B.T @ (K - np.kron(np.diag(np.sum(q * g, axis=1)), np.eye(3))) @ B


def rest_near(
    system: SphereDescription, q: np.ndarray, spin: np.ndarray, u: np.ndarray, params: Mapping[str, float]
) -> np.ndarray:
    """Directions at which the system rests in axes that turn with ``spin``: there the slope of the amended
    potential is the force, within the tangent planes.

    Raises
    ------
    EquilibriumError
        If none is found from the guess.
    """
    n, run = system.n, system.run(params)
    run.hold(u)
    square = hats(spin[None])[0] @ hats(spin[None])[0]

    def slope(q: np.ndarray) -> np.ndarray:
        forces = run.forces(0.0, q, spin - q * (q @ spin)[:, None])
        return run.slope(q) + run.M @ q @ square.T - forces

    def derivative(q: np.ndarray) -> np.ndarray:
        x = np.concatenate([q.ravel(), (spin - q * (q @ spin)[:, None]).ravel()])
        F = force_jacobians(system, 0.0, x, u, params)[0]
        carried = (q @ spin)[:, None, None] * np.eye(3) + q[:, :, None] * spin  # -d omega_i / d q_i
        felt = np.einsum("kil,ilm->kim", F[:, 3 * n :].reshape(3 * n, n, 3), carried).reshape(3 * n, 3 * n)
        K = hessian(system, q, params) + np.kron(run.M, square) - F[:, : 3 * n] + felt
        return _tangential(K, q, slope(q))

    def move(q: np.ndarray, y: np.ndarray) -> np.ndarray:
        moved = q + (_planes(q) @ y).reshape(n, 3)
        return moved / np.linalg.norm(moved, axis=1)[:, None]

    return find_rest(
        q,
        slope=lambda q: _planes(q).T @ slope(q).ravel(),
        derivative=derivative,
        move=move,
        on_manifold=lambda q: bool(np.all(np.sum(q**2, axis=1) == 1.0)),
        scale=lambda q: max(1.0, float(np.max(np.abs(slope(q))))),
    )
