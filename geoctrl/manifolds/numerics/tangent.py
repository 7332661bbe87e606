r"""Derivatives of the equations of motion on a product of factors, without elimination: any number of bodies.

With the rates :math:`u = P(z) w` of all rows, :math:`s = \dot u`, and the kinetic energy split into each
body's own constant inertia I_b and the rest K(z, u), the equations of motion in the components of the
velocities are

.. math::

    r = I \dot w + \Omega \times I w + P^T \bigl( K_{uu} s + K_{uz} \dot z + F K_u - K_z
        + \partial V - f \bigr) - m = 0, \qquad \dot z = u - F z,

where Omega turns the axes in which a velocity is given, those of the body or of the reference frame, F turns
vectors with the rate of the frame, f are the forces on places and directions, m the moments of bodies. Their
derivatives are written down in blocks and solved for those of :math:`\dot w`; what holds velocities to
tangent spaces is differentiated too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from geoctrl._scalars import STATE, Node, Program
from geoctrl.manifolds.description.description import Description
from geoctrl.manifolds.factors.factor import cross
from geoctrl.manifolds.vectors.calculus import differences, hessian
from geoctrl.manifolds.vectors.turns import hat

__all__ = [
    "TangentMotion",
    "covector_slope",
    "covector_terms",
    "covector_values",
    "integral_gradients",
    "jacobians",
    "own_terms",
    "rest_momenta",
    "rest_slopes",
    "sized_jacobians",
    "speeds",
    "still_moments",
    "whole_inertia",
]


@dataclass(frozen=True)
class Rest:
    """K_uu s + K_uz zdot + F K_u - K_z of the rest of a kinetic energy, (3 N,), and its derivatives."""

    value: np.ndarray
    by_z: np.ndarray
    by_u: np.ndarray
    by_zdot: np.ndarray
    by_s: np.ndarray


def rest_of(
    system: Description,
    z: np.ndarray,
    u: np.ndarray,
    zdot: np.ndarray,
    s: np.ndarray,
    params: Mapping[str, float],
) -> Rest:
    """The rest of the kinetic energy at rates u, zdot and second derivatives s, (3 N,) each."""
    if not system.inertia_varies:
        F, G = system.product.turn(system.frame_rate_at(params)), coupling(system, params)
        zero = np.zeros_like(G)
        return Rest(G @ s + F @ (G @ u), zero, F @ G, zero, G)
    k = z.size
    if "rest" not in system.programs:
        system.programs["rest"] = _rest_program(system)
    places, program = system.programs["rest"]
    numbers = program([*z.ravel(), *u, *zdot, *s], params)
    D = np.zeros((k, 4 * k))
    D[places] = numbers[k:]
    return Rest(numbers[:k], *np.hsplit(D, 4))


def _rest_program(system: Description) -> tuple[Any, Program]:
    """Values and derivatives that are not identically zero, with their places."""
    g, z, u, K = system.graph, system.configuration_nodes, system.rate_nodes, system.rest_node
    labels = system.state_labels[: len(z)]
    speeds, s = ([g.symbol(f"{what} of {x}", STATE) for x in labels] for what in ("speed", "second"))
    W = [system.to_node(e) for e in system.frame_rate or [0, 0, 0]]
    p, slope = g.gradient(K, u), g.gradient(K, z)
    rates = g.push_forward(p, dict(zip([*z, *u], [*speeds, *s], strict=True)))
    value = [g.add([a, t, -e]) for a, t, e in zip(rates, _turned_vectors(system, W, p), slope, strict=True)]
    return _sparse(system, value, [*z, *u, *speeds, *s])


def _sparse(system: Description, value: Sequence[Node], arguments: Sequence[Node]) -> tuple[Any, Program]:
    """Program of some nodes and of their derivatives that are not identically zero, with their places."""
    rows = system.graph.jacobian(list(value), list(arguments))
    places = [(i, j) for i, row in enumerate(rows) for j, e in enumerate(row) if not e.is_zero]
    nodes = [*value, *(rows[i][j] for i, j in places)]
    where = tuple(np.array(places, dtype=int).reshape(-1, 2).T)
    return where, Program(system.graph, list(arguments), system.parameter_nodes, nodes)


def covector_terms(
    system: Description, z: np.ndarray, w: np.ndarray, zdot: np.ndarray, params: Mapping[str, float]
) -> tuple[np.ndarray, ...]:
    r"""What linear terms a(z).w add to r, (3 n,), and its derivatives by z, w and zdot.

    :math:`\mathrm{D}a\, \dot z + \Omega \times a - P^T \partial (a \cdot w)`.
    """
    n, k = w.size, z.size
    if not system.covector_nodes:
        return np.zeros(n), np.zeros((n, k)), np.zeros((n, n)), np.zeros((n, k))
    if "covectors" not in system.programs:
        system.programs["covectors"] = _covector_program(system)
    places, program = system.programs["covectors"]
    numbers = program([*z.ravel(), *w.ravel(), *zdot], params)
    D = np.zeros((n, 2 * k + n))
    D[places] = numbers[n:]
    return numbers[:n], D[:, :k], D[:, k : k + n], D[:, k + n :]


def _covector_program(system: Description) -> tuple[Any, Program]:
    g, z, w, a = system.graph, system.configuration_nodes, system.velocity_nodes, system.covector_nodes
    speeds = [g.symbol(f"speed of {x}", STATE) for x in system.state_labels[: len(z)]]
    rates = g.push_forward(a, dict(zip(z, speeds, strict=True)))
    slope = g.gradient(g.add([x * y for x, y in zip(a, w, strict=True)]), z)
    value: list[Node] = []
    for b, (f, row) in enumerate(zip(system.product.factors, system.product.first, strict=True)):
        part, places = slice(3 * b, 3 * b + 3), slice(3 * int(row), 3 * int(row) + 3 * f.rows)
        moments = f.moment_nodes(z[places], slope[places])
        turned = f.gyroscopic_nodes(w[part], a[part])
        value += [g.add([x, y, -m]) for x, y, m in zip(rates[part], turned, moments, strict=True)]
    return _sparse(system, value, [*z, *w, *speeds])


def _turned_vectors(system: Description, W: Sequence[Node], flat: Sequence[Node]) -> list[Node]:
    """W x every vector in nodes: rows of places and directions, columns of attitudes."""
    out = list(flat)
    for f, row in zip(system.product.factors, system.product.first, strict=True):
        for k in range(f.rows):
            at = [3 * int(row) + k + f.rows * j for j in range(3)]
            for i, e in zip(at, cross(W, [flat[i] for i in at]), strict=True):
                out[i] = e
    return out


class TangentMotion:
    """The equations of motion at a state with some accelerations, and their derivatives.

    Parameters
    ----------
    run : Run
        The system with its numbers.
    z, w, a : ndarray (N, 3), (n, 3), (n, 3)
        Configuration, velocities, accelerations.
    u : ndarray (m,)
        Constant inputs.

    Attributes
    ----------
    residual : ndarray (3 n,)
        r of the equations above.
    by_z, by_w, by_a, by_input : ndarray (3 n, ...)
        Its derivatives.
    sizes : ndarray (3 n,)
        Of the terms of r, added up.
    """

    def __init__(
        self, run: Any, t: float, z: np.ndarray, w: np.ndarray, a: np.ndarray, u: np.ndarray
    ) -> None:
        system, params, product, split = run.system, run.params, run.system.product, run.system.split
        run.hold(u)
        P, turned, Q = product.by_velocity(z), product.by_place(w), product.work(z)
        zdot, zdot_by_z = speeds(system, z, w, params)
        s = P @ a.ravel() + turned @ zdot
        rest = rest_of(system, z, product.rates(z, w).ravel(), zdot, s, params)
        E = rest.value + run.slope(z).ravel()
        s_by_z = product.by_place(a) + turned @ zdot_by_z
        s_by_w = turned @ P + product.carried_by(zdot.reshape(-1, 3))
        E_by_z = rest.by_z + rest.by_u @ turned + rest.by_zdot @ zdot_by_z + rest.by_s @ s_by_z
        E_by_z += hessian(run, z)
        E_by_w = (rest.by_u + rest.by_zdot) @ P + rest.by_s @ s_by_w
        c, c_by_z, c_by_w, c_by_zdot = covector_terms(system, z, w, zdot, params)
        f = run.forces(t, z, w)
        f_by_x, f_by_u = forces_by(run, t, product.state(z, w), u)
        own, gyroscopic, gyroscopic_by_w = own_terms(system, w, params)
        self.residual = own @ a.ravel() + gyroscopic + c + P.T @ E - Q @ f.ravel()
        self.by_z = P.T @ E_by_z + product.moment_gradient(E.reshape(-1, 3)) + c_by_z + c_by_zdot @ zdot_by_z
        self.by_z -= product.work_gradient(f) + Q @ f_by_x[:, :split]
        self.by_w = gyroscopic_by_w + c_by_w + c_by_zdot @ P + P.T @ E_by_w - Q @ f_by_x[:, split:]
        self.by_a = own + P.T @ rest.by_s @ P
        self.by_input = -Q @ f_by_u
        ambient = np.abs(rest.value) + np.abs(run.slope(z).ravel())
        self.sizes = np.abs(P).T @ ambient + np.abs(Q) @ np.abs(f.ravel()) + np.abs(gyroscopic) + np.abs(c)


def speeds(
    system: Description, z: np.ndarray, w: np.ndarray, params: Mapping[str, float]
) -> tuple[np.ndarray, np.ndarray]:
    """Rate (3 N,) of the configuration as seen in the reference frame, and its derivative by z."""
    product, turn = system.product, system.frame_rate_at(params)
    seen = w - product.still(z, turn)
    by_z = product.by_place(seen) - product.by_velocity(z) @ product.still_gradient(z, turn)
    return product.rates(z, seen).ravel(), by_z


def own_terms(
    system: Description, w: np.ndarray, params: Mapping[str, float]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The bodies' own inertias I (3 n, 3 n), what the turning of the axes of velocities adds to the rate of
    I w (3 n,), and its derivative by w: Omega x I Omega in the body, F x I w in the reference frame.
    """
    own, n = system.inertia_at(params)[0], system.n
    momenta = np.einsum("bij,bj->bi", own, w)
    in_body = np.array([f.rows == 3 for f in system.product.factors])[:, None]
    turn = np.where(in_body, w, system.frame_rate_at(params))
    by_w = hat(turn) @ own - hat(momenta * in_body)
    blocks = np.zeros((2, n, 3, n, 3))
    blocks[0, np.arange(n), :, np.arange(n)] = own
    blocks[1, np.arange(n), :, np.arange(n)] = by_w
    inertia, derivative = blocks.reshape(2, 3 * n, 3 * n)
    return inertia, np.cross(turn, momenta).ravel(), derivative


def jacobians(run: Any, t: float, x: np.ndarray, u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Derivatives of the field by the state (size, size) and by the inputs (size, m).

    Central differences where a Lagrangian given by functions leaves nothing to derive.
    """
    return sized_jacobians(run, t, x, u)[:2]


def sized_jacobians(
    run: Any, t: float, x: np.ndarray, u: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """`jacobians`, and the sizes (size,) of the terms that the field is made of."""
    system, params, product = run.system, run.params, run.system.product
    run.hold(u)
    z, w = product.parts(x)
    _, a = run.field(t, z, w)
    motion, turn = TangentMotion(run, t, z, w, a, u), system.frame_rate_at(params)
    C, C_by_z, C_by_w = product.holding(z, w, a, turn)
    border = np.block([[motion.by_a, C.T], [C, np.zeros((len(C), len(C)))]])
    right = np.block(
        [[motion.by_z, motion.by_w, motion.by_input], [C_by_z, C_by_w, np.zeros((len(C), u.size))]]
    )
    terms = np.vstack([np.diag(motion.sizes), np.zeros((len(C), w.size))])
    solved = -np.linalg.solve(border, np.hstack([right, terms]))[: w.size]
    upper = np.hstack([speeds(system, z, w, params)[1], product.by_velocity(z)])
    A = np.vstack([upper, solved[:, : x.size]])
    B = np.vstack([np.zeros((z.size, u.size)), solved[:, x.size : x.size + u.size]])
    sizes = np.concatenate([np.zeros(z.size), np.sum(np.abs(solved[:, x.size + u.size :]), axis=1)])
    return A, B, sizes


def still_moments(
    run: Any, z: np.ndarray, spin: np.ndarray, u: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What moves a configuration that is carried with axes of this ``spin``, in tangent coordinates.

    Returns
    -------
    moments : ndarray (k,)
        Of the amended potential and the forces.
    derivative : ndarray (k, k)
        By tangent coordinates; exact where the moments vanish.
    sizes : ndarray (k,)
        Of their terms, added up.
    """
    product = run.system.product
    turn, W = run.spin + spin, product.turn(spin)
    zdot = (W @ z.ravel()).reshape(-1, 3)
    carried = product.still_gradient(z, turn)
    w, a = product.still(z, turn), (carried @ zdot.ravel()).reshape(-1, 3)
    motion = TangentMotion(run, 0.0, z, w, a, u)
    a_by_z = carried @ W + product.still_bend(zdot, turn)
    turns, T = product.turns(z), product.tangent(z)
    derivative = motion.by_z + motion.by_w @ carried + motion.by_a @ a_by_z
    return turns.T @ motion.residual, turns.T @ derivative @ T, np.abs(turns).T @ motion.sizes


def integral_gradients(run: Any, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Gradients by the state of the energy (size,), and of the momenta about the axes and of moving all
    places along them, (6, size).
    """
    system, params, product, split = run.system, run.params, run.system.product, run.system.split
    z, w = product.parts(x)
    u = product.rates(z, w).ravel()
    P, turned, turn = product.by_velocity(z), product.by_place(w), system.frame_rate_at(params)
    own = own_terms(system, w, params)[0]
    slope, p, p_by_z, p_by_u = rest_momenta(system, z, u, params)
    momenta = own @ w.ravel() + P.T @ p
    by_z = P.T @ (p_by_z + p_by_u @ turned) + product.moment_gradient(p.reshape(-1, 3))
    a, a_by_z = covector_values(system, z, params)
    momenta, by_z = momenta + a, by_z + a_by_z
    by_w = own + P.T @ p_by_u @ P
    place, moment = product.spatial_gradient(z, momenta.reshape(-1, 3))
    total = np.hstack([place + moment @ by_z, moment @ by_w]).reshape(-1, 3, x.size).sum(axis=0)
    linear = np.hstack([by_z, by_w]).reshape(-1, 3, x.size)[product.kinds == 0].sum(axis=0)
    energy = np.empty(x.size)
    energy[:split] = p_by_z.T @ u - slope + turned.T @ (p_by_u @ u) + run.slope(z).ravel()
    energy[split:] = own @ w.ravel() + P.T @ (p_by_u @ u)
    return energy - turn @ total, np.vstack([total, linear])


def whole_inertia(run: Any, x: np.ndarray) -> np.ndarray:
    """Inertia (3 n, 3 n) of all velocities at a state."""
    system, params, product = run.system, run.params, run.system.product
    z, w = product.parts(x)
    P = product.by_velocity(z)
    p_by_u = rest_momenta(system, z, product.rates(z, w).ravel(), params)[3]
    return own_terms(system, w, params)[0] + P.T @ p_by_u @ P


def covector_values(
    system: Description, z: np.ndarray, params: Mapping[str, float]
) -> tuple[np.ndarray, np.ndarray]:
    """The linear terms a (3 n,) in components of the velocities, and their derivative (3 n, 3 N)."""
    if not system.covector_nodes:
        return np.zeros(3 * system.n), np.zeros((3 * system.n, z.size))
    if "covector values" not in system.programs:
        nodes, places = system.covector_nodes, system.configuration_nodes
        system.programs["covector values"] = _sparse(system, nodes, places)
    where, program = system.programs["covector values"]
    numbers, n = program(list(z.ravel()), params), len(system.covector_nodes)
    D = np.zeros((n, z.size))
    D[where] = numbers[n:]
    return numbers[:n], D


def rest_momenta(
    system: Description, z: np.ndarray, u: np.ndarray, params: Mapping[str, float]
) -> tuple[np.ndarray, ...]:
    """K_z and K_u (3 N,), K_uz and K_uu (3 N, 3 N) of the rest K of the kinetic energy."""
    k = z.size
    if not system.inertia_varies:
        G = coupling(system, params)
        return np.zeros(k), G @ u, np.zeros((k, k)), G
    if "momenta" not in system.programs:
        g, K, places, rates = system.graph, system.rest_node, system.configuration_nodes, system.rate_nodes
        p = g.gradient(K, rates)
        second = [e for row in g.jacobian(p, [*places, *rates]) for e in row]
        nodes = [*g.gradient(K, places), *p, *second]
        system.programs["momenta"] = Program(g, [*places, *rates], system.parameter_nodes, nodes)
    numbers = system.programs["momenta"]([*z.ravel(), *u], params)
    second = numbers[2 * k :].reshape(k, 2 * k)
    return numbers[:k], numbers[k : 2 * k], second[:, :k], second[:, k:]


def coupling(system: Description, params: Mapping[str, float]) -> np.ndarray:
    """Constant inertia (3 N, 3 N) of the rates besides the bodies' own."""
    G = system.inertia_at(params)[1]
    return np.zeros((system.split, system.split)) if G is None else G


def rest_slopes(
    system: Description, z: np.ndarray, u: np.ndarray, params: Mapping[str, float]
) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    """K (nt,), K_z and K_u (nt, N, 3) of the rest of the kinetic energy at nt configurations and rates.

    None where there is no such rest: many bodies that are not coupled need no array of them all.
    """
    if not system.inertia_varies:
        G = system.inertia_at(params)[1]
        if G is None:
            return None
        p = u.reshape(len(u), -1) @ G
        return np.sum(p * u.reshape(len(u), -1), axis=1) / 2, np.zeros_like(u), p.reshape(u.shape)
    if "rest slopes" not in system.programs:
        g, K, places, rates = system.graph, system.rest_node, system.configuration_nodes, system.rate_nodes
        nodes = [K, *g.gradient(K, places), *g.gradient(K, rates)]
        system.programs["rest slopes"] = Program(g, [*places, *rates], system.parameter_nodes, nodes)
    flat = [*z.reshape(len(z), -1).T, *u.reshape(len(u), -1).T]
    value, *slopes = np.broadcast_arrays(*system.programs["rest slopes"](flat, params), flat[0])[:-1]
    both = np.array(slopes).T.reshape(len(z), 2, -1, 3)
    return value, both[:, 0], both[:, 1]


def covector_slope(
    system: Description, z: np.ndarray, w: np.ndarray, params: Mapping[str, float]
) -> np.ndarray:
    """Slope (N, 3) by the configuration of the linear terms a(z).w."""
    by_z = covector_values(system, z, params)[1]
    return (w.ravel() @ by_z).reshape(z.shape)


def forces_by(run: Any, t: float, x: np.ndarray, u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Derivatives of the generalised forces by the state (3 n, size) and by the inputs (3 n, m)."""
    system, n, m = run.system, run.system.n, len(u)
    if not system.has_forces:
        return np.zeros((3 * n, x.size)), np.zeros((3 * n, m))
    if callable(system.forces_given) or system.law is not None:

        def force(state: np.ndarray, inputs: np.ndarray) -> np.ndarray:
            run.hold(inputs)
            return run.forces(t, *system.product.parts(state)).ravel()

        found = differences(force, x, u)
        run.hold(u)
        return found
    if "forces" not in system.programs:
        symbols = [*system.state_nodes, *system.input_nodes]
        rows = system.graph.jacobian(system.force_nodes, symbols)
        places = [(i, j) for i, row in enumerate(rows) for j, e in enumerate(row) if not e.is_zero]
        arguments = [*system.state_nodes, system.time_node, *system.input_nodes]
        nodes = [rows[i][j] for i, j in places]
        where = tuple(np.array(places, dtype=int).reshape(-1, 2).T)
        system.programs["forces"] = where, Program(system.graph, arguments, system.parameter_nodes, nodes)
    where, program = system.programs["forces"]
    J = np.zeros((3 * n, x.size + m))
    if where[0].size:
        J[where] = program([*x, t, *u], run.params)
    return J[:, : x.size], J[:, x.size :]
