"""Which quantities one run conserves, with the inputs that it has, and their values."""

from __future__ import annotations

from typing import Any

import numpy as np

from geoctrl.stepping.flow import Flow

__all__ = ["conserved_names", "invariants"]


def conserved_names(flow: Flow) -> tuple[str, ...]:
    """Names of the invariants of the run.

    Without inputs those of the system; with inputs those that no input changes, and for inputs given by
    expressions also those of which the rate vanishes with these expressions put in.
    """
    system: Any = flow.system
    drive, params = flow.drive, flow.params
    if not drive.outside and drive.law is None:
        return tuple(system.conserved(params))
    always = system.conserved(params, all_inputs=True)
    if drive.outside or callable(drive.law):
        return tuple(always)
    rng = np.random.default_rng(19)
    x = np.stack([system.random_state(rng, params) for _ in range(5)], axis=1)
    t = rng.uniform(float(flow.times[0]), float(flow.times[-1]), size=5)
    u = drive.values(t, x, params)
    conservation = system.conservation
    return tuple(
        name
        for name, (_, program) in conservation.rates().items()
        if name in always or conservation.constant(program, t, x, u, params)
    )


def invariants(flow: Flow, x: np.ndarray) -> dict[str, np.ndarray]:
    """Values (nt,) of the invariants of the run at states (n, nt)."""
    system: Any = flow.system
    return system.conservation.values(conserved_names(flow), x, flow.params)
