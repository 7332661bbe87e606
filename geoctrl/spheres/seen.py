"""A system on spheres as questions of rest see it, in axes that may turn."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import numpy as np

from geoctrl.manifolds.seen import SeenManifold
from geoctrl.spheres import linear, reduction
from geoctrl.spheres.description import SphereDescription
from geoctrl.systems import Lagrangian

__all__ = ["SeenSpheres"]


class SeenSpheres(SeenManifold):
    """Directions and angular velocities, both seen from the axes."""

    system: SphereDescription

    def turning(self) -> np.ndarray:
        """-W x of every vector, (6n, 6n)."""
        return linear.turning(self.system.n, self.spin)

    def at_rest(self, x: np.ndarray, _params: Mapping[str, float]) -> np.ndarray:
        """The directions of a state, carried with the axes: omega = W - q (q.W)."""
        q, _ = self.system.unpack(x)
        return self.system.pack(q, self.spin - q * (q @ self.spin)[:, None])

    def frame_rate(self, _params: Mapping[str, float]) -> np.ndarray:
        """Zero: directions are given in the reference."""
        return np.zeros(3)

    def switches(self, x: np.ndarray, u: np.ndarray, params: Mapping[str, float]) -> np.ndarray:
        """Arguments of Abs, sign and Piecewise at a point, as far as the system is given by expressions."""
        system = self.system
        nodes = [e for row in system.mass_nodes or () for e in row]
        if system.forced and not callable(system.forces_given):
            nodes += system.force_nodes
        return np.append(self.switch_values(nodes, x, u, params), self.potential_switches(x, params))

    def leaf_gradient(self, x: np.ndarray, _params: Mapping[str, float]) -> np.ndarray:
        """Gradients (2n, 6n) of q.q - 1 and q.omega."""
        return linear.leaf_gradient(*self.system.unpack(x))

    def leaf_basis(self, x: np.ndarray, _params: Mapping[str, float]) -> np.ndarray:
        """Orthonormal basis (6n, 4n) of the tangent space of (T S^2)^n."""
        return linear.tangent_basis(*self.system.unpack(x))

    def vectors(self) -> list[tuple[list[int], float]]:
        """Places of the directions."""
        return [(list(range(3 * i, 3 * i + 3)), 1.0) for i in range(self.system.n)]

    def integral_gradients(self, x: np.ndarray, params: Mapping[str, float]) -> tuple[np.ndarray, np.ndarray]:
        """Gradients of the energy (6n,) and of the momenta (3, 6n)."""
        gradients = reduction if self.system.inertia_varies else linear
        return gradients.integral_gradients(self.system, x, params)

    def rest_near(self, x: np.ndarray, u: np.ndarray, params: Mapping[str, float]) -> np.ndarray | None:
        """State near ``x`` that rests; None where the inertia varies.

        Raises
        ------
        EquilibriumError
            If none is found.
        """
        system = self.system
        if system.inertia_varies:
            return None
        q = linear.rest_near(system, system.unpack(x)[0], self.spin, u, params)
        return self.at_rest(system.pack(q, np.zeros_like(q)), params)

    @cached_property
    def natural(self) -> Lagrangian:
        """The Lagrangian in the directions."""
        return reduction.natural(self.system, self.spin)

    def stiffness(self, x: np.ndarray, u: np.ndarray, params: Mapping[str, float]) -> np.ndarray | None:
        """Second variation (2n, 2n) of the amended potential; None with forces or varying inertia."""
        if self.system.inertia_varies or np.any(u) or not self.system.force_free:
            return None
        return linear.stiffness(self.system, x, self.spin, params)
