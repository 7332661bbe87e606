"""Where a motion goes on after jumps that accumulate: within the rows of a mode, by a plastic impact."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from geoctrl.systems.jumps.hybrid_system import HybridSystem
from geoctrl.systems.jumps.impact_transition import ImpactTransition
from geoctrl.systems.jumps.jump import Impact
from geoctrl.systems.jumps.transition import Landing, NamedMode, Transition

__all__ = ["at_rest"]


def at_rest(
    system: HybridSystem,
    transition: Transition,
    mode: str,
    x: np.ndarray,
    params: Mapping[str, Mapping[str, float]],
) -> Landing:
    """In the mode of rest, after a plastic impact on those of its rows that are not in force yet."""
    to = transition.rest
    assert to is not None
    source, target = system.modes[mode], system.modes[to]
    held = source.mechanism.row_names
    new = tuple(name for name in target.mechanism.row_names if name not in held)
    left = tuple(name for name in held if name not in target.mechanism.row_names)
    impact = Impact(f"rest in {to}", transition.jump.when, new, releases=left)
    jump = ImpactTransition(impact, NamedMode(mode, source), NamedMode(to, target))
    return jump.landing(0.0, x, np.zeros(source.ninputs), {**params[mode], **params[to]})
