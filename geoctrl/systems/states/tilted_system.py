"""States beside another, tilted along the leaf."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from geoctrl._scalars import real
from geoctrl.errors import InputError
from geoctrl.systems.contract.system_contract import System
from geoctrl.systems.equations.recorded_system import Recorded

__all__ = ["tilted_states"]

_ARC = 100
"""Steps along the leaf to a tilt: it is met to 1e-4 of its cube."""


def tilted_states(plant: System, x: Any, tilt: Any, params: Mapping[str, float] | None = None) -> np.ndarray:
    """States (2, n) with the configuration of x moved along the leaf by +- tilt, velocities as there."""
    angle = real(tilt, "tilt")
    if not 0 < angle < np.pi:
        raise InputError(f"tilt must be between 0 and pi, in rad, got {angle:g}")
    if not isinstance(plant, Recorded):
        raise InputError("a tilt needs a system of the general description; give starts of your own")
    labels, first = plant.state_labels, len(plant.assembly.velocity)
    last = first + len(plant.kept_index)
    nodes = plant.leaf.nodes[: plant.leaf.geometric]
    flat = [*nodes, *(e for row in plant.graph.jacobian(nodes, plant.state_nodes) for e in row)]
    program = plant.program(flat)
    values_of = plant.parameters_at(params)

    def relations(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        values = program(plant.arguments_at(0.0, x, None), values_of) if nodes else np.zeros(0)
        return values[: len(nodes)], values[len(nodes) :].reshape(len(nodes), x.size)[:, first:last]

    found = []
    for side in (1.0, -1.0):
        moved, before = np.array(x, dtype=float), None
        for _ in range(_ARC):
            _, gradient = relations(moved)
            spanned = np.linalg.svd(gradient)[2][len(nodes) :] if nodes else np.eye(last - first)
            if len(spanned) != 1:
                raise InputError(
                    f"tilt moves a configuration along a line, and {', '.join(labels[first:last])} can move "
                    f"in {len(spanned)} directions; give starts=[...], states of the plant"
                )
            along = spanned[0] * (1.0 if before is None or spanned[0] @ before > 0 else -1.0)
            if before is None:
                along *= side * np.sign(along[np.argmax(np.abs(along))])
            before = along
            moved[first:last] += angle / _ARC * along
            for _ in range(3):
                residual, gradient = relations(moved)
                moved[first:last] -= np.linalg.lstsq(gradient, residual, rcond=None)[0] if nodes else 0.0
        found.append(moved)
    return np.array(found)
