"""What simulation and analysis ask of a system that lives on a manifold of unit vectors or rotations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

import numpy as np

__all__ = ["ManifoldSystem"]


@runtime_checkable
class ManifoldSystem(Protocol):
    """A system with a compiled field on vectors x, of which only those on the manifold are states."""

    def start(self, x0: Any) -> np.ndarray:
        """Checked initial state of a pair, a state or an equilibrium."""

    def run(self, params: Mapping[str, float] | None, inputs: Any = None) -> Any:
        """Numbers and kernels of one run, with ``rate(t, x)``."""

    def trajectory(self, time: np.ndarray, states: np.ndarray, driven: bool, **rest: Any) -> Any:
        """Trajectory of samples."""

    def view(self, spin: Any = None) -> Any:
        """The reduced equations, in axes that turn with ``spin``, and the maps between the states."""
