"""The result of a run on rotations: samples, and what follows from them when asked for."""

from __future__ import annotations

import numpy as np

from geoctrl.manifolds.trajectory import ManifoldTrajectory
from geoctrl.rotations.attitudes import rotation_defect

__all__ = ["RotationTrajectory"]


class RotationTrajectory(ManifoldTrajectory):
    r"""Samples of a run of `integrate` or `geoctrl.simulate`.

    Attributes
    ----------
    time : ndarray (nt,)
    R : ndarray (nt, n, 3, 3)
    Omega : ndarray (nt, n, 3)
        rad/s, body components.
    states : ndarray (12n, nt)
    energy, kinetic_energy : ndarray (nt,)
        J; with a ``frame_rate`` the energy is the Jacobi integral.
    momentum : ndarray (nt, 3)
        Sum of :math:`R_i (J_i \Omega_i + a_i)`.
    engine, status, success, iterations, params, events, system
        As of every `geoctrl.manifolds.trajectory.ManifoldTrajectory`.
    """

    @property
    def R(self) -> np.ndarray:
        """Attitudes (nt, n, 3, 3)."""
        z = self._parts[0]
        return z.reshape(len(z), -1, 3, 3)

    @property
    def Omega(self) -> np.ndarray:
        """Angular velocities (nt, n, 3), body components."""
        return self._parts[1]

    @property
    def orthogonality_error(self) -> np.ndarray:
        """Largest entry of ``|R^T R - I|`` over the bodies, (nt,)."""
        return rotation_defect(self.R).max(axis=1)

    @property
    def leaf_defects(self) -> dict[str, np.ndarray]:
        """Largest entry of ``|R^T R - I|`` over the bodies, (nt,)."""
        return {"R^T R - I": self.orthogonality_error}
