"""The result of a run on spheres: samples, and what follows from them when asked for."""

from __future__ import annotations

import numpy as np

from geoctrl.manifolds.trajectory import ManifoldTrajectory

__all__ = ["SphereTrajectory"]


class SphereTrajectory(ManifoldTrajectory):
    r"""Samples of a run of `integrate` or `geoctrl.simulate`.

    Attributes
    ----------
    time : ndarray (nt,)
    q, omega : ndarray (nt, n, 3)
    states : ndarray (6n, nt)
    energy, kinetic_energy : ndarray (nt,)
        J.
    momentum : ndarray (nt, 3)
        Sum of :math:`q_i \times p_i`.
    engine, status, success, iterations, params, events, system
        As of every `geoctrl.manifolds.trajectory.ManifoldTrajectory`.
    """

    @property
    def q(self) -> np.ndarray:
        """Directions (nt, n, 3)."""
        return self._parts[0]

    @property
    def omega(self) -> np.ndarray:
        """Angular velocities (nt, n, 3)."""
        return self._parts[1]

    @property
    def length_error(self) -> np.ndarray:
        """Mean over the bodies of the defect of unit length, ``abs(|q| - 1)``, (nt,)."""
        return np.abs(np.linalg.norm(self.q, axis=2) - 1).mean(axis=1)

    @property
    def leaf_defects(self) -> dict[str, np.ndarray]:
        """Defects of unit length and of q.omega = 0, the largest of the bodies, (nt,) each."""
        return {
            "|q| - 1": np.max(np.abs(np.linalg.norm(self.q, axis=2) - 1), axis=1),
            "q.omega": np.max(np.abs(np.sum(self.q * self.omega, axis=2)), axis=1),
        }
