"""The result of a run on a manifold: samples, and what follows from them when asked for."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from geoctrl._checks import nearest
from geoctrl.errors import LabelError
from geoctrl.manifolds.conservation import kept, samples_of

if TYPE_CHECKING:
    from geoctrl.manifolds.forms import ManifoldForm
    from geoctrl.manifolds.system import ManifoldSystem

__all__ = ["ManifoldTrajectory"]


class ManifoldTrajectory(ABC):
    """Samples of a run.

    Parameters
    ----------
    driven : bool
        Whether inputs acted: nothing is counted as conserved then.
    seen : tuple of ManifoldForm and ndarray, optional
        The form that ran, and its states.
    """

    def __init__(
        self,
        system: ManifoldSystem,
        time: np.ndarray,
        configurations: np.ndarray,
        velocities: np.ndarray,
        *,
        params: Mapping[str, float],
        engine: str,
        status: str,
        success: bool,
        driven: bool = False,
        iterations: float = 0.0,
        events: Any = None,
        seen: tuple[ManifoldForm, np.ndarray] | None = None,
    ) -> None:
        self.system: Any = system
        self.time, self.params = time, dict(params)
        self.engine, self.status, self.success = engine, status, success
        self.iterations = iterations
        self.events = events or {}
        self._parts = configurations, velocities
        self._driven = driven
        self._seen = seen

    @property
    def states(self) -> np.ndarray:
        """States, a column for each time."""
        return self.system.pack(*self._parts) if self._seen is None else self._seen[1]

    @property
    def state_labels(self) -> tuple[str, ...]:
        """Labels of the states."""
        return self.system.state_labels if self._seen is None else self._seen[0].state_labels

    @cached_property
    def _mechanics(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return self.system.run(self.params).mechanics(*self._parts)

    @cached_property
    def energy(self) -> np.ndarray:
        """Energy (J), (nt,)."""
        return self.system.run(self.params).energies(*self._parts)

    @property
    def kinetic_energy(self) -> np.ndarray:
        """Kinetic energy (J), (nt,)."""
        return self._mechanics[0]

    @property
    def momentum(self) -> np.ndarray:
        """Momentum map of rotations, (nt, 3)."""
        return self._mechanics[2].sum(axis=1)

    @abstractmethod
    def defects(self) -> dict[str, float]:
        """Largest defects of the relations that hold on the manifold, by name."""

    @cached_property
    def conserved(self) -> tuple[str, ...]:
        """Names of energy, momenta and declared invariants that this run keeps; none where inputs acted.

        Judged by their rates, at random states and at samples of the run.
        """
        if self._driven:
            return ()
        return kept(self.system, self.params, samples_of(self.time, *self._parts))

    @property
    def drift(self) -> dict[str, float]:
        """Largest change of what is conserved in this run and largest defects of the manifold, absolute."""
        quantities = self.system.quantities(*self._parts, self.params)
        changes = {k: float(np.max(np.abs(quantities[k] - quantities[k][0]))) for k in self.conserved}
        return {**changes, **self.defects()}

    def __getitem__(self, label: str) -> np.ndarray:
        labels = self.state_labels
        if label not in labels:
            raise LabelError(f"no state {label!r}{nearest(str(label), labels)}")
        return self.states[labels.index(label)]

    def __len__(self) -> int:
        return self.time.size

    def __repr__(self) -> str:
        span = f"t = {self.time[0]:.6g} .. {self.time[-1]:.6g}, {self.time.size} samples"
        title = f"<{type(self).__name__} {self.system.name or 'unnamed'}: {span}>"
        return "\n".join([title, f"  status: {self.status}", f"  engine: {self.engine}"])
