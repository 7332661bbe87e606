"""A system on rotations as questions of rest see it, in axes that may turn."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import numpy as np

from geoctrl.manifolds.conservation import refuse_spin
from geoctrl.manifolds.rest import find_rest
from geoctrl.manifolds.seen import SeenManifold
from geoctrl.rotations import linear, reduction
from geoctrl.rotations.attitudes import exp, hat, rotation_defect
from geoctrl.rotations.description import RotationDescription
from geoctrl.systems import Lagrangian
from geoctrl.systems.tolerances import UNIT

__all__ = ["SeenRotations"]


class SeenRotations(SeenManifold):
    """Attitudes seen from the axes; velocities are seen from the bodies."""

    system: RotationDescription

    def turning(self) -> np.ndarray:
        """-W x of the columns of R, (12n, 12n)."""
        n = self.system.n
        out = np.zeros((12 * n, 12 * n))
        out[: 9 * n, : 9 * n] = -np.kron(np.eye(n), np.kron(hat(self.spin), np.eye(3)))
        return out

    def at_rest(self, x: np.ndarray, params: Mapping[str, float]) -> np.ndarray:
        """The attitudes of a state, carried with frame and axes: Omega = R^T (frame_rate + W)."""
        R, _ = self.system.unpack(x)
        return self.system.pack(R, np.swapaxes(R, 1, 2) @ (self.frame_rate(params) + self.spin))

    def frame_rate(self, params: Mapping[str, float]) -> np.ndarray:
        """Rate (3,) of the frame in which attitudes are given."""
        return self.system.frame_rate_at(params)

    def require_axis(self, params: Mapping[str, float]) -> None:
        """DescriptionError where the frame turns about another axis."""
        frame, spin = self.frame_rate(params), self.spin
        if np.linalg.norm(np.cross(frame, spin)) > UNIT * np.linalg.norm(frame) * np.linalg.norm(spin):
            refuse_spin(spin, "the frame turns about another axis")

    def switches(self, x: np.ndarray, u: np.ndarray, params: Mapping[str, float]) -> np.ndarray:
        """Arguments of Abs, sign and Piecewise at a point, as far as the system is given by expressions."""
        system = self.system
        nodes = [*system.linear_nodes]
        if system.forced and not callable(system.forces_given):
            nodes += system.force_nodes
        return np.append(self.switch_values(nodes, x, u, params), self.potential_switches(x, params))

    def leaf_gradient(self, x: np.ndarray, _params: Mapping[str, float]) -> np.ndarray:
        """Gradients (6n, 12n) of the entries of R^T R - I on and above the diagonal."""
        n, pairs = self.system.n, np.transpose(np.triu_indices(3))
        out = np.zeros((n, 6, 12 * n))
        for i, R in enumerate(self.system.unpack(x)[0]):
            for k, (a, b) in enumerate(pairs):
                part = np.zeros((3, 3))
                part[:, a] += R[:, b]
                part[:, b] += R[:, a]
                out[i, k, 9 * i : 9 * i + 9] = part.ravel()
        return out.reshape(6 * n, 12 * n)

    def leaf_basis(self, x: np.ndarray, _params: Mapping[str, float]) -> np.ndarray:
        """Orthonormal basis (12n, 6n) of the tangent space of T SO(3)^n: turns of the bodies, then Omega."""
        n = self.system.n
        W = np.zeros((12 * n, 6 * n))
        W[: 9 * n, : 3 * n] = self._turns(x) / np.sqrt(2)
        W[9 * n :, 3 * n :] = np.eye(3 * n)
        return W

    def _turns(self, x: np.ndarray) -> np.ndarray:
        """Derivatives (9n, 3n) of the attitudes by turns of the bodies, R hat(e_k)."""
        n = self.system.n
        out = np.zeros((9 * n, 3 * n))
        for i, R in enumerate(self.system.unpack(x)[0]):
            for k, axis in enumerate(np.eye(3)):
                out[9 * i : 9 * i + 9, 3 * i + k] = (R @ hat(axis)).ravel()
        return out

    def vectors(self) -> list[tuple[list[int], float]]:
        """Places of rows and columns of the attitudes."""
        grids = np.arange(9 * self.system.n).reshape(-1, 3, 3)
        return [(list(map(int, line)), 1.0) for grid in grids for line in (*grid, *grid.T)]

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
        w, J = self.frame_rate(params) + self.spin, system.inertias_at(params)

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
        w = self.frame_rate(params) + self.spin
        A = linear.jacobians(system, 0.0, x, u, params)[0][9 * n :]
        turns = self._turns(x)
        carried = np.einsum("iabj,a->ibj", turns.reshape(n, 3, 3, 3 * n), w).reshape(3 * n, 3 * n)
        rates = (A @ np.vstack([turns, carried])).reshape(n, 3, 3 * n)
        return np.einsum("iab,ibj->iaj", system.inertias_at(params), rates).reshape(3 * n, 3 * n)

    @cached_property
    def natural(self) -> Lagrangian:
        """The Lagrangian in the attitudes."""
        return reduction.natural(self.system, self.spin)

    def stiffness(self, x: np.ndarray, u: np.ndarray, params: Mapping[str, float]) -> np.ndarray | None:
        """Second variation (3n, 3n) of the amended potential by turns of the bodies; None with forces."""
        if np.any(u) or not self.system.force_free:
            return None
        K = -self._moment_rate(x, np.zeros_like(u), params)
        return (K + K.T) / 2
