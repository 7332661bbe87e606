"""An equilibrium of a loop as one of its plant, deviations from it, and whether a held law keeps it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from geoctrl.analysis import linearize_held
from geoctrl.errors import GeoctrlError
from geoctrl.synthesis.gains.motor import read_starts
from geoctrl.synthesis.shaped_laws.shaped_law import ShapedLaw
from geoctrl.systems import Equilibrium, ReducedSystem
from geoctrl.systems.states.tilted_system import tilted_states

__all__ = ["deviations", "held_stable", "plant_point"]


def plant_point(plant: ReducedSystem, loop: ReducedSystem, point: Any) -> Any:
    """An equilibrium of the plant, or a state of the loop without what the plant does not have."""
    if isinstance(point, Equilibrium):
        return point
    labels = loop.state_labels
    return np.array([point[labels.index(k)] if k in labels else 0.0 for k in plant.state_labels])


def deviations(
    plant: ReducedSystem, loop: ReducedSystem, point: Any, params: Mapping[str, float], tilt: Any, starts: Any
) -> list[np.ndarray]:
    """Deviations (n,) of the loop from a point of the plant; states that the plant does not have stay."""
    if tilt is None and starts is None:
        return []
    x = np.asarray(getattr(point, "x", point), dtype=float)
    states = [] if tilt is None else [tilted_states(plant, x, tilt, params)]
    states += [] if starts is None else [read_starts(plant, starts, params)]
    moved = dict(zip(plant.state_labels, (np.concatenate(states) - x).T, strict=True))
    still = np.zeros(sum(map(len, states)))
    return list(np.array([moved.get(label, still) for label in loop.state_labels]).T)


def held_stable(law: ShapedLaw, rate: float, point: Any, params: Mapping[str, float]) -> bool:
    """Whether the linear loop of a law that is held at a rate is stable at a point of its plant."""
    plant = law.mechanism.reduce()
    try:
        return linearize_held(plant, law.sampled(rate=rate, params=params), point, params).stable
    except GeoctrlError:  # it does not rest there, or grows beyond doubles within a hold
        return False
