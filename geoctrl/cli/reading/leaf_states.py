"""States of a command put on the leaf."""

from __future__ import annotations

import warnings
from typing import Any

__all__ = ["onto_the_leaf"]


def onto_the_leaf(system: Any, x: Any, params: dict) -> Any:
    """The nearest state on the leaf."""
    from geoctrl.errors import ProjectionWarning

    if not system.recorded:
        from geoctrl.spheres import project

        return system.pack(*project(*system.unpack(x)))
    gamma, advected, start = system.configuration(x), {}, 0
    for vector in system.mechanism.advected:
        advected[vector.name] = gamma[start : start + vector.dimension]
        start += vector.dimension
    advected |= {c.name: gamma[start + i] for i, c in enumerate(system.mechanism.variables)}
    rotors = system.mechanism.rotors
    k = len(system.assembly.velocity)
    rates = x[k - rotors.count : k] if rotors else None
    with warnings.catch_warnings():  # said below, in states
        warnings.simplefilter("ignore", ProjectionWarning)
        return system.project(system.velocity(x, params), advected, rates, params=params, nearest=True)
