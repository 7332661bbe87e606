"""Which quantities one run conserves, with the inputs that it has, and their values."""

from __future__ import annotations

from typing import Any

import numpy as np

from geoctrl.stepping.drive.flow import Flow

__all__ = ["conserved_names", "invariants"]


def conserved_names(flow: Flow) -> tuple[str, ...]:
    """Names of the invariants of the run.

    Without inputs those of the system; under expressions those of which the rate vanishes with these put in;
    else those that no input changes.
    """
    system: Any = flow.system
    drive, params = flow.drive, flow.params
    if not drive.outside and drive.law is None:
        return tuple(system.conserved(params))
    if drive.outside or drive.obstacle is not None:
        return tuple(system.conserved(params, all_inputs=True))
    images, extra = drive.images(system)
    numbers = [system.graph.node(e) for e in drive.extra(0.0)]
    given = system.graph.substitute(images, dict(zip(extra, numbers, strict=True)))
    return tuple(system.conservation.kept_under(given, params))


def invariants(flow: Flow, x: np.ndarray) -> dict[str, np.ndarray]:
    """Values (nt,) of the invariants of the run at states (n, nt)."""
    system: Any = flow.system
    return system.conservation.values(conserved_names(flow), x, flow.params)
