"""What runs on spheres keep: judged by rates at random states, for functions as for expressions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from geoctrl.manifolds.trajectory import INSTANT, names_conserved

if TYPE_CHECKING:
    from geoctrl.spheres.numerics import Run
    from geoctrl.spheres.system import SphereSystem

__all__ = ["conserved_names", "moment_about"]


def conserved_names(system: SphereSystem, params: Mapping[str, float]) -> tuple[str, ...]:
    """What runs without inputs keep, of the energy and the components of the momentum."""
    run = system.run(params)
    return names_conserved(
        [_power(run, *state), *(_moment(run, *state, axis) for axis in np.eye(3))]
        for state in _random_states(system.n)
    )


def moment_about(system: SphereSystem, params: Mapping[str, float], axis: np.ndarray) -> float:
    """Largest moment of all forces about an axis, at random states, relative to the sum of their sizes."""
    run = system.run(params)
    return max(_moment(run, *state, axis) for state in _random_states(system.n))


def _moment(run: Run, q: np.ndarray, omega: np.ndarray, axis: np.ndarray) -> float:
    moments = np.cross(q, run.forces(INSTANT, q, omega) - run.slope(q)) @ axis
    # Variable inertia moves the momentum too; it keeps it if turning all q about the axis changes nothing.
    inertia = np.abs(run.inertia_rate(q, np.cross(axis, q))).max()
    if not moments.any() and not inertia:
        return 0.0
    return float((abs(moments.sum()) + inertia) / (np.abs(moments).sum() + 1e-300))


def _power(run: Run, q: np.ndarray, omega: np.ndarray) -> float:
    terms = run.forces(INSTANT, q, omega) * np.cross(omega, q)
    return float(abs(terms.sum()) / (np.abs(terms).sum() + 1e-300))


def _random_states(n: int) -> list[tuple[np.ndarray, np.ndarray]]:
    rng = np.random.default_rng(11)
    q = rng.normal(size=(3, n, 3))
    q /= np.linalg.norm(q, axis=2)[:, :, None]
    return list(zip(q, np.cross(q, rng.normal(size=q.shape)), strict=True))
