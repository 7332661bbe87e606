"""An equilibrium of a loop as one of its plant, states beside it, and whether a held law keeps it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from geoctrl._checks import finite_array, nearest, quantity
from geoctrl._scalars import shown
from geoctrl.analysis.certificates.sampled_loop import linearize_held
from geoctrl.errors import GeoctrlError, InputError
from geoctrl.synthesis.shaped_laws.shaped_law import ShapedLaw
from geoctrl.systems import Equilibrium, ReducedSystem
from geoctrl.systems.states.tilted_system import tilted_states

__all__ = ["deviations", "held_stable", "plant_point", "states_beside"]


def plant_point(plant: ReducedSystem, loop: ReducedSystem, point: Any) -> Any:
    """An equilibrium of the plant, or a state of the loop without what the plant does not have."""
    if isinstance(point, Equilibrium):
        return point
    labels = loop.state_labels
    return np.array([point[labels.index(k)] if k in labels else 0.0 for k in plant.state_labels])


def states_beside(
    plant: ReducedSystem,
    x: np.ndarray,
    params: Mapping[str, float],
    tilt: Any,
    starts: Any,
    start: Any = None,
) -> np.ndarray:
    """States (S, n) of the plant from which gains have to hold x: by a tilt, as given, by a deviation."""
    found = [np.zeros((0, len(x)))]
    found += [] if tilt is None else [tilted_states(plant, x, tilt, params)]
    found += [] if starts is None else [_read_starts(plant, starts, params)]
    found += [] if start is None else [_state_deviating_by(plant, x, start)]
    return np.concatenate(found)


def deviations(
    plant: ReducedSystem, loop: ReducedSystem, point: Any, params: Mapping[str, float], tilt: Any, starts: Any
) -> list[np.ndarray]:
    """Deviations (n,) of the loop from a point of the plant; states that the plant does not have stay."""
    x = np.asarray(getattr(point, "x", point), dtype=float)
    away = states_beside(plant, x, params, tilt, starts) - x
    moved = dict(zip(plant.state_labels, away.T, strict=True))
    return list(np.array([moved.get(label, np.zeros(len(away))) for label in loop.state_labels]).T)


def held_stable(law: ShapedLaw, rate: float, point: Any, params: Mapping[str, float]) -> bool:
    """Whether the linear loop of a law that is held at a rate is stable at a point of its plant."""
    plant = law.mechanism.reduce()
    try:
        return linearize_held(plant, law.sampled(rate=rate, params=params), point, params).stable
    except GeoctrlError:  # it does not rest there, or grows beyond doubles within a hold
        return False


def _state_deviating_by(plant: ReducedSystem, x: np.ndarray, start: Any) -> np.ndarray:
    """The state (1, n) beside x by a deviation given by state."""
    if not isinstance(start, Mapping) or not start:
        raise InputError(f"start must be a dict of state -> deviation, got {shown(start)}")
    moved = np.array(x, dtype=float)
    for label, value in start.items():
        if label not in plant.state_labels:
            raise InputError(f"no state {label!r}{nearest(str(label), plant.state_labels)}")
        moved[plant.state_labels.index(label)] += quantity(f"the start of {label}", value)
    return moved[None]


def _read_starts(plant: ReducedSystem, starts: Any, params: Mapping[str, float]) -> np.ndarray:
    """States of the plant (S, n)."""
    given = finite_array("starts", starts)
    if given.ndim == 1:
        given = given[None]
    if given.ndim != 2 or given.shape[1] != plant.nstates or not len(given):
        raise InputError(
            f"starts must be states of the plant, (S, {plant.nstates}) in {', '.join(plant.state_labels)}, "
            f"got shape {given.shape}"
        )
    return np.array([plant.start(x, params) for x in given])
