"""What the analysis of equilibria asks of a system on rotations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from geoctrl._scalars import Program
from geoctrl.errors import EquilibriumError
from geoctrl.manifolds.analysis import differences
from geoctrl.manifolds.conservation import has_no_moment, refuse_spin, require_symmetry
from geoctrl.rotations import analysis
from geoctrl.rotations.attitudes import exp, hat, rotation_defect
from geoctrl.systems.regularity import require_derivative, switch_values

if TYPE_CHECKING:
    from geoctrl.rotations.system import RotationSystem

__all__ = ["LocalAnalysis"]

_CONVERGED = 1e-11


class LocalAnalysis:
    """Derivatives, tangent spaces and rest positions of one system.

    Attributes
    ----------
    direct : bool
        Whether derivatives need no elimination: always.
    """

    direct = True

    def __init__(self, system: RotationSystem) -> None:
        self.system = system

    def jacobians(
        self, t: float, x: np.ndarray, u: np.ndarray, params: Mapping[str, float]
    ) -> tuple[np.ndarray, np.ndarray]:
        """Derivatives of the field by the state (12n, 12n) and by the inputs (12n, m), ambient."""
        system, n, m = self.system, self.system.n, len(u)
        if not system.written:
            return differences(system.run(params).rate_with(t), x, u)
        if "field" not in system.programs:
            rows = system.graph.jacobian(
                analysis.field_nodes(system), [*system.state_nodes, *system.input_nodes]
            )
            places = [(i, j) for i, row in enumerate(rows) for j, e in enumerate(row) if not e.is_zero]
            arguments = [*system.state_nodes, system.time_node, *system.input_nodes]
            program = Program(
                system.graph, arguments, system.parameter_nodes, [rows[i][j] for i, j in places]
            )
            system.programs["field"] = (tuple(np.array(places).T), program)
        places, program = system.programs["field"]
        D = np.zeros((12 * n, 12 * n + m))
        D[places] = program([*x, t, *u], params)
        K = np.linalg.inv(system.inertias_at(params))
        D[9 * n :] = np.einsum("iab,ibj->iaj", K, D[9 * n :].reshape(n, 3, -1)).reshape(3 * n, -1)
        return D[:, : 12 * n], D[:, 12 * n :]

    def switches(self, x: np.ndarray, u: np.ndarray, params: Mapping[str, float]) -> np.ndarray:
        """Arguments of Abs, sign and Piecewise at a point, as far as the system is given by expressions."""
        system = self.system
        nodes = [system.to_node(system.potential_expression), *system.linear_nodes]
        if system.forced and not callable(system.forces_given):
            nodes += system.force_nodes
        return switch_values(system, nodes, x, u, params)

    def check_symmetry(self, spin: np.ndarray, params: Mapping[str, float], x: np.ndarray) -> None:
        """DescriptionError unless turning all bodies about the axis of the spin keeps the system."""
        frame = self.system.frame_rate_at(params)
        if np.linalg.norm(np.cross(frame, spin)) > 1e-12 * np.linalg.norm(frame) * np.linalg.norm(spin):
            refuse_spin(spin, "the frame turns about another axis")
        require_symmetry(self.system, params, spin, x)

    def turning(self, spin: np.ndarray) -> np.ndarray:
        """What axes that turn with ``spin`` add to the derivative of the field: -spin x R, (12n, 12n)."""
        n = self.system.n
        out = np.zeros((12 * n, 12 * n))
        out[: 9 * n, : 9 * n] = -np.kron(np.eye(n), np.kron(hat(spin), np.eye(3)))
        return out

    def tangent_basis(self, x: np.ndarray) -> np.ndarray:
        """Orthonormal basis (12n, 6n) of the tangent space of T SO(3)^n: turns of the bodies, then Omega."""
        n = self.system.n
        W = np.zeros((12 * n, 6 * n))
        for i, R in enumerate(self.system.unpack(x)[0]):
            for k, axis in enumerate(np.eye(3)):
                W[9 * i : 9 * i + 9, 3 * i + k] = (R @ hat(axis)).ravel() / np.sqrt(2)
        W[9 * n :, 3 * n :] = np.eye(3 * n)
        return W

    def defect(self, x: np.ndarray) -> float:
        """Largest entry of ``|R^T R - I|``."""
        return float(rotation_defect(self.system.unpack(x)[0]).max())

    def invariant_gradients(
        self, x: np.ndarray, params: Mapping[str, float], spin: np.ndarray
    ) -> dict[str, np.ndarray]:
        """Gradients by the state of what is conserved, seen from axes that turn.

        The momentum along the spin, and the energy less its product with the spin.
        """
        system, n = self.system, self.system.n
        if "integrals" not in system.programs:
            rows = system.graph.jacobian(analysis.integral_nodes(system), system.state_nodes)
            nodes = [e for row in rows for e in row]
            system.programs["integrals"] = Program(
                system.graph, system.state_nodes, system.parameter_nodes, nodes
            )
        energy, *momenta = system.programs["integrals"](list(x), params).reshape(4, 12 * n)
        energy[: 9 * n] += system.gradient(system.unpack(x)[0], params).ravel()
        names, momenta = system.conserved(params), np.array(momenta)
        if np.any(spin):
            found = {"momentum": spin @ momenta}
        else:
            found = {f"momentum{k + 1}": momenta[k] for k in range(3) if f"momentum{k + 1}" in names}
            w = system.frame_rate_at(params)
            if np.any(w) and has_no_moment(system, params, w, x):
                found = {"momentum": w @ momenta}
        if "energy" in names:
            found["energy"] = energy - spin @ momenta
        return found

    def rest_near(
        self, x: np.ndarray, spin: np.ndarray, u: np.ndarray, params: Mapping[str, float]
    ) -> np.ndarray:
        """State near ``x`` that rests in axes turning with ``spin``: Omega = R^T (frame_rate + spin).

        Newton's steps of least norm, as turns of the bodies, on the moments.

        Raises
        ------
        EquilibriumError
            If none is found.
        DescriptionError
            If the system has no symmetry about the spin.
        """
        system, n = self.system, self.system.n
        if np.any(spin):
            self.check_symmetry(spin, params, x)
        w, J = system.frame_rate_at(params) + spin, system.inertias_at(params)
        R, best, least = system.unpack(x)[0], x, np.inf

        def moments(R: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
            state = system.pack(R, np.swapaxes(R, 1, 2) @ w)
            moment = np.einsum("iab,ib->ia", J, system.rhs(0.0, state, u, params)[9 * n :].reshape(n, 3))
            return state, moment, float(np.max(np.abs(moment)))

        for _ in range(60):
            state, moment, size = moments(R)
            if size < least:
                best, least = state, size
            elif least < _CONVERGED:
                break
            derivative = require_derivative(self._moment_rate(state, w, u, params))
            step = np.linalg.lstsq(derivative, -moment.ravel(), rcond=1e-12)[0]
            step *= min(1.0, 0.5 / max(float(np.max(np.abs(step))), 1e-300))
            R = R @ exp(step.reshape(n, 3))
        snapped = np.round(system.unpack(best)[0], 9) + 0.0
        if not np.any(rotation_defect(snapped)) and np.allclose(
            snapped, system.unpack(best)[0], rtol=0, atol=1e-11
        ):
            best, _, least = moments(snapped)  # exact numbers, of which something can be proved
        if not least <= 1e-9 * max(1.0, float(np.max(np.abs(J))) * float(w @ w)):
            raise EquilibriumError(f"no equilibrium found: residual {least:.3g}; try another guess", least)
        return best

    def _moment_rate(
        self, x: np.ndarray, w: np.ndarray, u: np.ndarray, params: Mapping[str, float]
    ) -> np.ndarray:
        """Derivative (3n, 3n) of the moments at rest in axes turning with w by turns of the bodies."""
        system, n = self.system, self.system.n
        A = self.jacobians(0.0, x, u, params)[0][9 * n :]
        move = np.zeros((12 * n, 3 * n))
        for i, R in enumerate(system.unpack(x)[0]):
            for k, axis in enumerate(np.eye(3)):
                turned = R @ hat(axis)
                move[9 * i : 9 * i + 9, 3 * i + k] = turned.ravel()
                move[9 * n + 3 * i : 9 * n + 3 * i + 3, 3 * i + k] = turned.T @ w
        rates = (A @ move).reshape(n, 3, 3 * n)
        return np.einsum("iab,ibj->iaj", system.inertias_at(params), rates).reshape(3 * n, 3 * n)

    def natural(self, spin: Sequence[float]) -> dict[str, Any] | None:
        """Nodes of the Lagrangian in turning axes, for exact proofs; None where there is none."""
        return analysis.natural(self.system, spin)

    def stiffness(self, x: np.ndarray, spin: np.ndarray, params: Mapping[str, float]) -> np.ndarray | None:
        """Second variation (3n, 3n) of the amended potential by turns of the bodies; None with forces."""
        if not self.system.force_free:
            return None
        w = self.system.frame_rate_at(params) + spin
        K = -self._moment_rate(x, w, np.zeros(len(self.system.input_labels)), params)
        return (K + K.T) / 2
