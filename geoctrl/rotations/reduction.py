r"""A system on rotations as Euler-Poincare equations with advected vectors, for every symbolic analysis.

The group is :math:`SO(3)^n` with body velocities; the rows of :math:`R_i` are three vectors fixed in the
reference frame and seen from the body, :math:`r_k = R^T e_k`, :math:`\dot r_k = r_k \times \xi`. In a frame
that turns with the rate w, :math:`\xi = \Omega - R^T w` and

.. math:: L = \tfrac12 \xi \cdot J \xi + (J b + a) \cdot \xi - (U - \tfrac12 b \cdot J b - a \cdot b),
    \qquad b = R^T w :

a gyroscopic covector and an amended potential, of which the energy is the Jacobi integral.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import sympy as sp

from geoctrl._checks import finite_array
from geoctrl.algebra import AdvectedVector, product, so3
from geoctrl.manifolds.calculus import rational
from geoctrl.rotations.description import RotationDescription
from geoctrl.systems import EulerPoincare, Lagrangian, ReducedSystem

__all__ = ["ReducedView", "description", "natural"]


def description(system: RotationDescription, spin: Sequence[float] | None = None) -> EulerPoincare:
    """Euler-Poincare description of a system given by expressions; seen from axes turning with ``spin`` more.

    The advected vectors of body i are ``R{i}_1``, ``R{i}_2``, ``R{i}_3``. With ``spin``, potential and linear
    terms must not change when all bodies turn about that axis, or they would depend on time.

    Raises
    ------
    DescriptionError
        If the system is given by functions, or is too large to be written out.
    """
    system.require_symbolic()
    n = system.n
    algebra = product(*[so3()] * n)
    vectors = [
        AdvectedVector(f"R{i}_{k}", reference=e, of=i)
        for i in range(1, n + 1)
        for k, e in zip((1, 2, 3), sp.eye(3).tolist(), strict=True)
    ]
    mu = [sp.Matrix(algebra.mu[3 * i : 3 * i + 3]) for i in range(n)]
    w = _rate(system, spin)
    b = [R.T * w for R in system.R]
    a = [rational(v) for v in system.linear or [sp.zeros(3, 1)] * n]
    J = [rational(M) for M in system.inertias]
    gyroscopic, potential = None, rational(system.potential_expression)
    if system.linear is not None or any(w):
        gyroscopic = [e for i in range(n) for e in J[i] * b[i] + a[i]]
        potential -= sum(b[i].dot(J[i] * b[i]) / 2 + a[i].dot(b[i]) for i in range(n))
    table = _inertial(system, algebra.xi, spin)
    forces = None
    if system.forced:
        forces = [rational(e.xreplace(table)) for f in system.forces_given for e in f]
    total = sum((R * m for R, m in zip(system.R, mu, strict=True)), sp.zeros(3, 1))
    momenta = {"momentum": w.dot(total)} if any(w) else {f"momentum{k}": total[k - 1] for k in (1, 2, 3)}
    declared = system.invariants_given if spin is None else {}
    return EulerPoincare(
        algebra=algebra,
        advected=vectors,
        inertia=sp.diag(*J),
        potential=potential,
        gyroscopic=gyroscopic,
        forces=forces,
        inputs=system.inputs,
        invariants=momenta | {k: rational(e).xreplace(table) for k, e in declared.items()},
        parameters=system.parameters,
        name=system.name,
        source=system.source,
    )


def _inertial(
    system: RotationDescription, xi: Sequence[sp.Symbol], spin: Sequence[float] | np.ndarray | None
) -> dict[sp.Symbol, sp.Expr]:
    """Omega = xi + R^T w, entry by entry."""
    w = _rate(system, spin)
    turned = [e for R in system.R for e in R.T * w]
    return {s: x + c for s, x, c in zip((s for v in system.Omega for s in v), xi, turned, strict=True)}


def _rate(system: RotationDescription, spin: Sequence[float] | np.ndarray | None) -> sp.Matrix:
    w = sp.zeros(3, 1) if system.frame_rate is None else rational(system.frame_rate)
    return w if spin is None else w + rational(sp.Matrix(finite_array("spin", spin, (3,))))


class ReducedView:
    r"""A system on rotations as a `ReducedSystem` with states (xi, R), and the maps between the states.

    ``Omega_i = xi_i + R_i^T w``, w the ``frame_rate`` at some parameters plus the ``spin`` of the axes.
    """

    def __init__(self, system: RotationDescription, spin: Sequence[float] | None = None) -> None:
        self.spin = np.zeros(3) if spin is None else np.array(spin, dtype=float)
        self._system, self._n = system, system.n
        self.reduced: ReducedSystem = description(system, spin if np.any(self.spin) else None).reduce()
        self._places = np.r_[3 * self._n : 12 * self._n, 0 : 3 * self._n]

    def _map(self, params: Mapping[str, float]) -> np.ndarray:
        """(R, Omega) of (R, xi): linear, (12n, 12n)."""
        n, w = self._n, self._system.frame_rate_at(params) + self.spin
        found = np.eye(12 * n)
        for i in range(n):
            for k in range(3):
                found[9 * n + 3 * i + k, 9 * i + k : 9 * i + 9 : 3] = w
        return found

    def into(self, x: np.ndarray, params: Mapping[str, float]) -> np.ndarray:
        """Reduced state of a state (R, Omega)."""
        y = np.empty(12 * self._n)
        y[self._places] = 2 * np.asarray(x) - self._map(params) @ x  # the inverse of I + N, N^2 = 0
        return y

    def out_of(self, y: np.ndarray, params: Mapping[str, float]) -> np.ndarray:
        """State (R, Omega) of a reduced state."""
        return self._map(params) @ np.asarray(y)[self._places]

    def expression(self, expr: Any) -> Any:
        """An expression in R and Omega in the symbols of the reduced equations, in axes at rest."""
        velocities = self.reduced.mechanism.algebra.xi
        return expr.xreplace(_inertial(self._system, list(velocities), None))

    def derivative(self, _y: np.ndarray, params: Mapping[str, float]) -> np.ndarray:
        """Derivative (12n, 12n) of `out_of`."""
        return self._map(params)[:, np.argsort(self._places)]


def natural(system: RotationDescription, spin: Sequence[float] | np.ndarray) -> Lagrangian:
    r"""Lagrangian of a symbolic system in the coordinates R, seen from axes that turn with ``spin``.

    .. math::

        L = \tfrac12 \mathrm{tr}(V J_d V^T) + \tfrac12 \mathrm{tr}\bigl((R \hat a)^T V\bigr) - U, \qquad
        V = \dot R + \hat w R, \quad J_d = \tfrac12 \mathrm{tr}(J) I - J .
    """
    W = _rate(system, spin).hat()
    mass, gyroscopic, potential = [], [], rational(system.potential_expression)
    for i, R in enumerate(system.R):
        J = rational(system.inertias[i])
        D = J.trace() / 2 * sp.eye(3) - J
        turned = R * rational(system.linear[i]).hat() / 2 if system.linear else sp.zeros(3, 3)
        gyroscopic += list(W * R * D + turned)
        potential -= sum(a * b for a, b in zip(W * R, W * R * D / 2 + turned, strict=True))
        for r in range(3):
            place = 9 * i + 3 * r
            mass += [(place + j, place + k, D[j, k]) for j in range(3) for k in range(3) if D[j, k] != 0]
    to_node = system.to_node
    orthogonal = [(R * R.T - sp.eye(3))[j, k] for R in system.R for j in range(3) for k in range(j + 1)]
    return Lagrangian(
        graph=system.graph,
        coordinates=dict(zip(system.state_labels[: 9 * system.n], system.configuration_nodes, strict=True)),
        parameters=system.parameter_nodes,
        mass=[(i, j, to_node(e)) for i, j, e in mass],
        gyroscopic=[to_node(e) for e in gyroscopic],
        potential=to_node(potential),
        relations=[to_node(e) for e in orthogonal],
    )
