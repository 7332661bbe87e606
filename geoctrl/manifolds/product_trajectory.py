"""The result of a run on a product: samples by the names of factors."""

from __future__ import annotations

from typing import Any

import numpy as np

from geoctrl.manifolds.trajectory import ManifoldTrajectory

__all__ = ["ProductTrajectory"]


class ProductTrajectory(ManifoldTrajectory):
    """Samples of a run of `integrate` or `geoctrl.simulate`; ``run["q"]`` is a configuration by name.

    Attributes
    ----------
    time : ndarray (nt,)
    states : ndarray (size, nt)
    energy, kinetic_energy : ndarray (nt,)
        J; in a frame that turns the energy is the Jacobi integral.
    momentum : ndarray (nt, 3)
        Moment about the origin of the momenta of all bodies.
    engine, status, success, iterations, params, events, system
        As of every `geoctrl.manifolds.trajectory.ManifoldTrajectory`.
    """

    def __getitem__(self, label: Any) -> np.ndarray:
        """Configuration (nt, ...) or velocity (nt, 3) of a factor by its name, else what a label names."""
        z, w = self._parts
        for b, f in enumerate(self.system.product.factors):
            row = int(self.system.product.first[b])
            if label == f.name:
                return z[:, row : row + f.rows].reshape(len(z), *f.shape)
            if label == f.velocity_name:
                return w[:, b]
        return super().__getitem__(label)

    @property
    def leaf_defects(self) -> dict[str, np.ndarray]:
        """Defects of the relations of all factors by name, (nt,) each."""
        values = self.system.product.relation_defects(*self._parts)
        return dict(zip(self.system.leaf.names, np.abs(values).T, strict=True))
