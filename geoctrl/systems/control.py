"""A reduced system as python-control's kind of system."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from geoctrl._checks import entries, require_choice
from geoctrl.errors import ParameterError
from geoctrl.systems.equations.recorded_system import Recorded

__all__ = ["nonlinear_system"]


def nonlinear_system(system: Recorded, outputs: Sequence[str] | None, name: str | None):
    """The `control.NonlinearIOSystem` of a system; see `ReducedSystem.to_control`."""
    from geoctrl import interop

    labels = entries("outputs", system.state_labels if outputs is None else outputs, ParameterError)
    known = [*system.state_labels, *system.output_labels]
    for label in labels:
        require_choice("state or output", label, known, ParameterError)
    pick = [known.index(label) for label in labels]

    def output(t: float, x: np.ndarray, u: np.ndarray, params: dict) -> np.ndarray:
        signals = system.outputs(t, x, u, params) if system.output_labels else np.zeros(0)
        return np.concatenate([x, signals])[pick]

    return interop.nonlinear_system(
        system.rhs,
        output,
        states=system.state_labels,
        inputs=system.input_labels,
        outputs=labels,
        params=system.params,
        name=interop.system_name(name, system.name or "reduced"),
    )
