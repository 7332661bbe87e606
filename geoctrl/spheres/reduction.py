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
from typing import Any

import numpy as np
import sympy as sp

from geoctrl._checks import finite_array
from geoctrl._scalars import Node, Program
from geoctrl.algebra import AdvectedParameter, LieAlgebra, product
from geoctrl.manifolds.calculus import differences, rational
from geoctrl.spheres.description import SphereDescription
from geoctrl.systems import EulerPoincare, Lagrangian, ReducedSystem

__all__ = ["ReducedView", "description", "integral_gradients", "jacobians", "natural"]


def description(system: SphereDescription, spin: Sequence[float] | None = None) -> EulerPoincare:
    """Euler-Poincare description of a system given by expressions; seen from axes turning with ``spin``.

    Raises
    ------
    DescriptionError
        If the system is given by functions, or is too large to be written out.
    """
    system.require_symbolic()
    n, q = system.n, system.q
    epsilon = _levi_civita()
    algebra = product(
        *(
            LieAlgebra(
                -epsilon,
                [f"omega{i}_{k}" for k in (1, 2, 3)],
                momentum_labels=[f"mu{i}_{k}" for k in (1, 2, 3)],
            )
            for i in range(1, n + 1)
        )
    )
    directions = []
    for i in range(n):
        action = np.zeros((3, 3 * n, 3), dtype=int)
        action[:, 3 * i : 3 * i + 3, :] = epsilon.transpose(2, 0, 1) * -1
        directions.append(AdvectedParameter(f"q{i + 1}_", action=action, reference=(0, 0, 1)))
    M = system.mass_expression.applyfunc(rational)
    hats = [v.hat() for v in q]
    G = sp.zeros(3 * n, 3 * n)
    for i in range(n):
        for j in range(n):
            block = sp.eye(3) if i == j else hats[i].T * hats[j]
            G[3 * i : 3 * i + 3, 3 * j : 3 * j + 3] = M[i, j] * block
    potential, gyroscopic, tangent = system.potential_expression, None, list(system.omega)
    if spin is not None:
        W = _turn(spin)
        _, moments, amended = _turning(M, q, spin)
        gyroscopic = [e for v in moments for e in v]
        potential -= amended
        tangent = [w + W - v * v.dot(W) for v, w in zip(q, system.omega, strict=True)]
    table = {a: b for v, w in zip(system.omega, tangent, strict=True) for a, b in zip(v, w, strict=True)}
    forces = None
    if system.forced:
        turned = [sp.Matrix(f).xreplace(table) for f in system.forces_given]
        forces = [e for v, f in zip(q, turned, strict=True) for e in v.cross(f)]
    rows = sp.zeros(n, 3 * n)
    for i, v in enumerate(q):
        rows[i, 3 * i : 3 * i + 3] = v.T
    invariants: dict[str, Any] = {}
    if spin is None:
        invariants = {f"momentum{k + 1}": sum(algebra.mu[3 * i + k] for i in range(n)) for k in range(3)}
        invariants |= system.invariants_given
    else:
        invariants = {"momentum": sum(W.dot(sp.Matrix(algebra.mu[3 * i : 3 * i + 3])) for i in range(n))}
    return EulerPoincare(
        algebra=algebra,
        advected=directions,
        inertia=G,
        potential=potential,
        gyroscopic=gyroscopic,
        constraints=rows,
        leaf=[v.dot(v) - 1 for v in q],
        forces=forces,
        inputs=system.inputs,
        invariants=invariants,
        parameters=system.parameters,
        name=system.name,
        source=system.source,
    )


def natural(system: SphereDescription, spin: Sequence[float] | np.ndarray) -> Lagrangian:
    """Lagrangian of a symbolic system in the coordinates q, seen from axes that turn with ``spin``."""
    n, q = system.n, system.q
    M = system.mass_expression.applyfunc(rational)
    carried, _, amended = _turning(M, q, spin)
    entries = [(i, j, system.to_node(M[i, j])) for i in range(n) for j in range(n) if M[i, j] != 0]
    return Lagrangian(
        graph=system.graph,
        coordinates=dict(zip(system.state_labels[: 3 * n], system.configuration_nodes, strict=True)),
        parameters=system.parameter_nodes,
        mass=[(3 * i + k, 3 * j + k, node) for i, j, node in entries for k in range(3)],
        gyroscopic=[system.to_node(e) for v in carried for e in v],
        potential=system.to_node(system.potential_expression - amended),
        relations=[system.to_node(v.dot(v) - 1) for v in q],
    )


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


def _turning(
    M: sp.Matrix, q: Sequence[sp.Matrix], spin: Sequence[float] | np.ndarray
) -> tuple[list[sp.Matrix], list[sp.Matrix], sp.Expr]:
    """What axes turning with W add: ambient covectors a_i, the same as moments q_i x a_i, and half W.I W.

    a_i = sum_j m_ij W x q_j, half W.I W = 1/2 sum m_ij (W x q_i).(W x q_j).
    """
    W = _turn(spin)
    moved = [W.cross(v) for v in q]
    covectors = [_weighted(M, i, moved) for i in range(len(q))]
    half = sum((a.dot(b) for a, b in zip(covectors, moved, strict=True)), sp.S.Zero) / 2
    return covectors, [v.cross(a) for v, a in zip(q, covectors, strict=True)], half


def _turn(spin: Sequence[float] | np.ndarray) -> sp.Matrix:
    return sp.Matrix([rational(w) for w in finite_array("spin", spin, (3,))])


def _weighted(M: sp.Matrix, i: int, vectors: Sequence[sp.Matrix]) -> sp.Matrix:
    total = sp.zeros(3, 1)
    for j, v in enumerate(vectors):
        total += M[i, j] * v
    return total


def _levi_civita() -> np.ndarray:
    epsilon = np.zeros((3, 3, 3), dtype=int)
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        epsilon[i, j, k], epsilon[j, i, k] = 1, -1
    return epsilon


class ReducedView:
    r"""A system on spheres as a `ReducedSystem` with states (xi, q), and the maps between the states.

    ``omega_i = xi_i + W - q_i (q_i.W)`` for axes that turn with W; ``xi = omega`` without.
    """

    def __init__(self, system: SphereDescription, spin: Sequence[float] | None = None) -> None:
        self.spin = np.zeros(3) if spin is None else np.array(spin, dtype=float)
        self._n = system.n
        self.reduced: ReducedSystem = description(system, spin if np.any(self.spin) else None).reduce()

    def into(self, x: np.ndarray, _params: Mapping[str, float]) -> np.ndarray:
        """Reduced state of a state (q, omega)."""
        q, omega = np.asarray(x).reshape(2, self._n, 3)
        xi = omega - self.spin + q * (q @ self.spin)[:, None]
        return np.concatenate([xi.ravel(), q.ravel()])

    def out_of(self, y: np.ndarray, _params: Mapping[str, float]) -> np.ndarray:
        """State (q, omega) of a reduced state."""
        xi, q = np.asarray(y).reshape(2, self._n, 3)
        omega = xi + self.spin - q * (q @ self.spin)[:, None]
        return np.concatenate([q.ravel(), omega.ravel()])

    def expression(self, expr: Any) -> Any:
        """An expression in q and omega in the symbols of the reduced equations, in axes at rest."""
        return expr

    def derivative(self, y: np.ndarray, _params: Mapping[str, float]) -> np.ndarray:
        """Derivative (6n, 6n) of `out_of`."""
        n, W = self._n, self.spin
        q = np.asarray(y)[3 * n :].reshape(n, 3)
        T = np.zeros((6 * n, 6 * n))
        T[: 3 * n, 3 * n :] = np.eye(3 * n)
        T[3 * n :, : 3 * n] = np.eye(3 * n)
        for i in range(n):
            part = slice(3 * n + 3 * i, 3 * n + 3 * i + 3)
            T[part, part] = -(q[i] @ W) * np.eye(3) - np.outer(q[i], W)
        return T


def jacobians(
    system: SphereDescription, t: float, x: np.ndarray, u: np.ndarray, params: Mapping[str, float]
) -> tuple[np.ndarray, np.ndarray]:
    """Derivatives of the field by the state (6n, 6n) and by the inputs (6n, m), for inertia that varies."""
    if system.symbolic:
        view = system.view()
        y = view.into(x, params)
        T = view.derivative(y, params)
        A = T @ view.reduced.jacobian(t, y, u, params) @ T.T  # T only reorders
        return A, T @ view.reduced.input_jacobian(t, y, u, params)
    return differences(system.run(params).rate_with(t), x, u)
