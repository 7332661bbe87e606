"""States at which conserved functions have values that are given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from geoctrl._checks import finite_array, nearest
from geoctrl._scalars import Program, real
from geoctrl.errors import ConstraintError, InputError, LabelError
from geoctrl.systems.equations.recorded_system import Recorded
from geoctrl.systems.parts.description_entries import require_mechanism

__all__ = ["state_on_levels"]

STEPS = 50
CLOSE = 1e-12
"""To a level, beside its slope times the velocities, where steps no longer come nearer."""


def state_on_levels(system: Recorded, x: Any, levels: Any, params: Mapping[str, float]) -> np.ndarray:
    """The state next to x on levels of conserved functions; see `ReducedSystem.on_levels`."""
    require_mechanism(system.mechanism, "velocities", "solve for the states that have these values")
    y = finite_array("x", x, (system.nstates,)).copy()
    if not isinstance(levels, Mapping):
        raise InputError('levels must be a dict of names and values, such as {"C1": 2.0}')
    kept = system.conserved(params)
    for name in levels:
        if name not in kept:
            raise LabelError(f"nothing conserved goes by the name {name!r}{nearest(name, kept)}")
    wanted = np.array([real(value, f"levels[{name!r}]") for name, value in levels.items()])
    if not levels:
        return y
    a, width = system.assembly, len(system.assembly.velocity)
    nodes = [kept[name] for name in levels]
    slopes = [e for row in system.graph.jacobian(nodes, system.state_nodes[:width]) for e in row]
    rows = [e for row in a.rows for e in row]
    program = Program(system.graph, system.arguments, a.parameters, [*nodes, *slopes, *rows])
    k, last = len(nodes), np.inf
    for _ in range(STEPS):
        found = program(system.arguments_at(0.0, y, None), params)
        J, B = (part.reshape(-1, width) for part in (found[k : k + k * width], found[k + k * width :]))
        defect = wanted - found[:k]
        size = np.linalg.norm(J, axis=1) * np.linalg.norm(y[:width]) + np.abs(wanted)
        far = float(np.max(np.abs(defect) / np.maximum(size, 1e-300)))
        if far == 0 or (far <= CLOSE and far > last / 2):
            return y
        last = far
        # Velocities keep the rows that multipliers hold.
        left, right = np.vstack([J, B]), np.concatenate([defect, -B @ y[:width]])
        lengths = np.linalg.norm(left, axis=1)  # a level may hardly depend on velocities, or not at all
        lengths[lengths == 0] = 1.0
        y[:width] += np.linalg.lstsq(left / lengths[:, None], right / lengths, rcond=None)[0]
        if not np.all(np.isfinite(y)):
            break
    told = ", ".join(f"{name} = {value:.6g}" for name, value in zip(levels, wanted, strict=True))
    raise ConstraintError(
        f"no velocities near those given have {told} at these positions; give a nearer state, or fewer levels"
    )
