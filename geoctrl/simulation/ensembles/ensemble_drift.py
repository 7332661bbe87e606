"""What members conserve, and by how much it has changed: of all samples at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from geoctrl.simulation.members.ensemble_task import EnsembleTask

__all__ = ["drift_of"]

_ASKED = 3
"""Members of which it is asked what they conserve."""
_BLOCK = 1 << 22
"""Numbers that are looked at at once."""


def drift_of(
    task: EnsembleTask, states: np.ndarray, last: np.ndarray, run_of: Callable[[int], Any]
) -> dict[str, np.ndarray]:
    """Drift by name, (N,) each, of samples (N, n, nt) and the states (N, n) at the ends; nan without samples.

    ``run_of`` gives the run of a member.
    """
    count, n, samples = states.shape
    reached = np.flatnonzero(np.isfinite(last).all(axis=1))
    if task.obstacle is not None:
        return _one_by_one(count, {int(i): run_of(int(i)).drift for i in reached})
    system: Any = task.system
    kept = [list(run_of(int(i)).invariants) for i in reached[:_ASKED]]
    names = [name for name in (kept[0] if kept else ()) if all(name in others for others in kept)]
    nodes = [*(system.conservation.nodes[name] for name in names), *system.leaf.nodes]
    found = {name: np.full(count, np.nan) for name in [*names, *system.leaf.names]}
    size = _BLOCK // (n * samples) + 1
    for first in range(0, count, size):
        part = task.members.part(first, min(first + size, count))
        place = slice(first, first + len(part))
        block = np.concatenate([states[place], last[place, :, None]], axis=2)
        extra = task.extra_numbers(part, float(task.times[0]))
        times = np.append(task.times, task.times[-1])[None, :]
        values = task.values(nodes, part, times, list(block.swapaxes(0, 1)), list(extra[:, :, None]))
        for i, (name, value) in enumerate(zip(found, values, strict=True)):
            change = value - value[:, :1] if i < len(names) else value
            found[name][place] = np.fmax.reduce(np.abs(change), axis=1)
    return found


def _one_by_one(count: int, drifts: dict[int, dict[str, float]]) -> dict[str, np.ndarray]:
    found: dict[str, np.ndarray] = {}
    for i, values in drifts.items():
        for name, value in values.items():
            found.setdefault(name, np.full(count, np.nan))[i] = value
    return found
