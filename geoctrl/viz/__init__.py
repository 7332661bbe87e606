"""Figures of trajectories, spectra and connections.

Nothing is shown or saved: every function returns what it drew on. Matplotlib is imported by the first call.
"""

from geoctrl.viz.branch_diagram import branches, orbit_branches
from geoctrl.viz.curvature_field import curvature
from geoctrl.viz.loops.period_picture import period
from geoctrl.viz.loops.robustness_picture import robustness
from geoctrl.viz.quantile_bands import bands
from geoctrl.viz.region_picture import attraction
from geoctrl.viz.regions import box, stability_map
from geoctrl.viz.scenes import Scene, scene
from geoctrl.viz.section_picture import poincare
from geoctrl.viz.signals_over_time import drift, states
from geoctrl.viz.spectrum_picture import eigenvalues
from geoctrl.viz.sweep_picture import sweep
from geoctrl.viz.way import path

__all__ = [
    "Scene",
    "attraction",
    "bands",
    "box",
    "branches",
    "curvature",
    "drift",
    "eigenvalues",
    "orbit_branches",
    "path",
    "period",
    "poincare",
    "robustness",
    "scene",
    "stability_map",
    "states",
    "sweep",
]


def __dir__() -> list[str]:
    return sorted(__all__)
