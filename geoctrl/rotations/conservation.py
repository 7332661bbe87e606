"""What runs on rotations keep: judged by rates at random states, for functions as for expressions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from geoctrl.manifolds.trajectory import INSTANT, names_conserved
from geoctrl.rotations.attitudes import exp

if TYPE_CHECKING:
    from geoctrl.rotations.numerics import Run
    from geoctrl.rotations.system import RotationSystem

__all__ = ["conserved_names", "moment_about"]


def conserved_names(system: RotationSystem, params: Mapping[str, float]) -> tuple[str, ...]:
    """What runs without inputs keep, of the energy and the components of the momentum."""
    run = system.run(params)
    return names_conserved(_rates(run, *state) for state in _random_states(system.n))


def _rates(run: Run, R: np.ndarray, Omega: np.ndarray) -> list[float]:
    """Rates of energy and momentum, relative to the sizes of their terms."""
    moments, forces = run.moments(INSTANT, R, Omega)
    xi = Omega - np.swapaxes(R, 1, 2) @ run.spin
    spatial = np.einsum("iab,ib->ia", R, moments + forces)
    momentum = run.mechanics(R[None], Omega[None])[2][0].sum(axis=0)
    change = spatial.sum(axis=0) - np.cross(run.spin, momentum)
    size = float(np.abs(spatial).sum() + np.linalg.norm(run.spin) * np.abs(momentum).sum()) + 1e-300
    power, scale = float(np.sum(forces * xi)), float(np.abs(forces * xi).sum()) + 1e-300
    return [abs(power) / scale, *np.abs(change) / size]


def moment_about(system: RotationSystem, params: Mapping[str, float], axis: np.ndarray) -> float:
    """Largest moment about an axis of the reference, at random states, relative to the sum of their sizes."""
    run, found = system.run(params), []
    for R, Omega in _random_states(system.n):
        moments = np.einsum("iab,ib->ia", R, sum(run.moments(INSTANT, R, Omega)))
        size = float(np.linalg.norm(moments, axis=1).sum() * np.linalg.norm(axis))
        found.append(abs(float(moments.sum(axis=0) @ axis)) / (size + 1e-300))
    return max(found)


def _random_states(n: int) -> list[tuple[np.ndarray, np.ndarray]]:
    rng = np.random.default_rng(11)
    return list(zip(exp(rng.normal(size=(3, n, 3))), rng.normal(size=(3, n, 3)), strict=True))
