"""A system on spheres as questions of rest see it, in axes that may turn."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import sympy as sp

from geoctrl.manifolds.seen import SeenManifold
from geoctrl.spheres import linear, reduction
from geoctrl.spheres.description import SphereDescription

__all__ = ["SeenSpheres"]


class SeenSpheres(SeenManifold):
    """Directions and angular velocities, both seen from the axes."""

    system: SphereDescription

    def switches(self, x: np.ndarray, u: np.ndarray, params: Mapping[str, float]) -> np.ndarray:
        """Arguments of Abs, sign and Piecewise at a point, as far as the system is given by expressions."""
        system = self.system
        nodes = [system.to_node(t) for t in system.potential_terms if isinstance(t, sp.Expr)]
        nodes += [e for row in system.mass_nodes or () for e in row]
        if system.forced and not callable(system.forces_given):
            nodes += system.force_nodes
        sums = linear.term_switches(system, system.unpack(x)[0], params)
        return np.concatenate([self.switch_values(nodes, x, u, params), *sums])

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

    def stiffness(self, x: np.ndarray, u: np.ndarray, params: Mapping[str, float]) -> np.ndarray | None:
        """Second variation (2n, 2n) of the amended potential; None with forces or varying inertia."""
        if self.system.inertia_varies or np.any(u) or not self.system.force_free:
            return None
        return linear.stiffness(self.system, x, self.spin, params)
