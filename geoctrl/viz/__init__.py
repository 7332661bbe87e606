"""Figures of trajectories, spectra and connections.

Nothing is shown or saved: every function returns what it drew on. Matplotlib is imported by the first call.
"""

from geoctrl.viz.attraction import attraction
from geoctrl.viz.branches import branches
from geoctrl.viz.curvature import curvature
from geoctrl.viz.regions import stability_map
from geoctrl.viz.reports import robustness
from geoctrl.viz.sections import poincare
from geoctrl.viz.signals import drift, states
from geoctrl.viz.spectrum import eigenvalues
from geoctrl.viz.way import path

__all__ = [
    "attraction",
    "branches",
    "curvature",
    "drift",
    "eigenvalues",
    "path",
    "poincare",
    "robustness",
    "stability_map",
    "states",
]


def __dir__() -> list[str]:
    return sorted(__all__)
