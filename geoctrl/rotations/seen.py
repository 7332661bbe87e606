"""A system on rotations as questions of rest see it, in axes that may turn."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from geoctrl.manifolds.rest import find_rest
from geoctrl.manifolds.seen import SeenManifold
from geoctrl.rotations import linear
from geoctrl.rotations.attitudes import exp, hat, rotation_defect
from geoctrl.rotations.description import RotationDescription

__all__ = ["SeenRotations"]


class SeenRotations(SeenManifold):
    """Attitudes seen from the axes; velocities are seen from the bodies."""

    system: RotationDescription

    def switches(self, x: np.ndarray, u: np.ndarray, params: Mapping[str, float]) -> np.ndarray:
        """Arguments of Abs, sign and Piecewise at a point, as far as the system is given by expressions."""
        system = self.system
        nodes = [system.to_node(system.potential_expression), *system.linear_nodes]
        if system.forced and not callable(system.forces_given):
            nodes += system.force_nodes
        return self.switch_values(nodes, x, u, params)

    def _turns(self, x: np.ndarray) -> np.ndarray:
        """Derivatives (9n, 3n) of the attitudes by turns of the bodies, R hat(e_k)."""
        n = self.system.n
        out = np.zeros((9 * n, 3 * n))
        for i, R in enumerate(self.system.unpack(x)[0]):
            for k, axis in enumerate(np.eye(3)):
                out[9 * i : 9 * i + 9, 3 * i + k] = (R @ hat(axis)).ravel()
        return out

    def integral_gradients(self, x: np.ndarray, params: Mapping[str, float]) -> tuple[np.ndarray, np.ndarray]:
        """Gradients of the energy (12n,) and of the momenta (3, 12n)."""
        return linear.integral_gradients(self.system, x, params)

    def rest_near(self, x: np.ndarray, u: np.ndarray, params: Mapping[str, float]) -> np.ndarray:
        """State near ``x`` that rests, where the moments vanish.

        Raises
        ------
        EquilibriumError
            If none is found.
        """
        system, n = self.system, self.system.n
        w, J = self.system.frame_rate_at(params) + self.spin, system.inertias_at(params)

        def still(R: np.ndarray) -> np.ndarray:
            return self.at_rest(system.pack(R, np.zeros((n, 3))), params)

        def moments(R: np.ndarray) -> np.ndarray:
            rates = system.rhs(0.0, still(R), u, params)[9 * n :].reshape(n, 3)
            return np.einsum("iab,ib->ia", J, rates).ravel()

        R = find_rest(
            system.unpack(x)[0],
            slope=moments,
            derivative=lambda R: self._moment_rate(still(R), u, params),
            move=lambda R, y: R @ exp(y.reshape(n, 3)),
            on_manifold=lambda R: not np.any(rotation_defect(R)),
            scale=lambda _: max(1.0, float(np.max(np.abs(J))) * float(w @ w)),
        )
        return still(R)

    def _moment_rate(self, x: np.ndarray, u: np.ndarray, params: Mapping[str, float]) -> np.ndarray:
        """Derivative (3n, 3n) of the moments at rest in these axes by turns of the bodies."""
        system, n = self.system, self.system.n
        w = self.system.frame_rate_at(params) + self.spin
        A = linear.jacobians(system, 0.0, x, u, params)[0][9 * n :]
        turns = self._turns(x)
        carried = np.einsum("iabj,a->ibj", turns.reshape(n, 3, 3, 3 * n), w).reshape(3 * n, 3 * n)
        rates = (A @ np.vstack([turns, carried])).reshape(n, 3, 3 * n)
        return np.einsum("iab,ibj->iaj", system.inertias_at(params), rates).reshape(3 * n, 3 * n)

    def stiffness(self, x: np.ndarray, u: np.ndarray, params: Mapping[str, float]) -> np.ndarray | None:
        """Second variation (3n, 3n) of the amended potential by turns of the bodies; None with forces."""
        if np.any(u) or not self.system.force_free:
            return None
        K = -self._moment_rate(x, np.zeros_like(u), params)
        return (K + K.T) / 2
