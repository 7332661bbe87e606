"""The search for configurations at rest: Newton's steps of least norm within the tangent spaces."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from geoctrl.errors import EquilibriumError
from geoctrl.systems.regularity import require_derivative
from geoctrl.systems.tolerances import CONVERGED, LEAST_NORM, RESIDUAL, SHORT

__all__ = ["find_rest"]

_STEPS = 60
_LONGEST = 0.5
"""Radians that a body is turned by in one step."""


def find_rest(
    place: np.ndarray,
    slope: Callable[[np.ndarray], np.ndarray],
    derivative: Callable[[np.ndarray], np.ndarray],
    move: Callable[[np.ndarray, np.ndarray], np.ndarray],
    on_manifold: Callable[[np.ndarray], bool],
    scale: Callable[[np.ndarray], float],
) -> np.ndarray:
    """Configuration near ``place`` at which a slope vanishes; numbers of few decimals where they do as well.

    Parameters
    ----------
    place : array
        Configuration of all bodies.
    slope : callable
        ``slope(place)`` (k,), in tangent coordinates.
    derivative : callable
        ``derivative(place)`` (k, k) of it by tangent coordinates.
    move : callable
        ``move(place, y)``: the configuration with the bodies turned by tangent coordinates.
    on_manifold : callable
        Whether rounded entries are a configuration exactly: of exact numbers something can be proved.
    scale : callable
        ``scale(place)``: size of the terms of the slope.

    Raises
    ------
    EquilibriumError
        If none is found, or a derivative has no value on the way.
    """

    def size(at: np.ndarray) -> float:
        return float(np.max(np.abs(slope(at))))

    best, least = place, np.inf
    for _ in range(_STEPS):
        found = size(place)
        if found < least:
            best, least = place, found
        elif least < CONVERGED:
            break
        A = require_derivative(derivative(place))
        y = np.linalg.lstsq(A, -slope(place), rcond=LEAST_NORM)[0]
        place = move(place, y * min(1.0, _LONGEST / max(float(np.max(np.abs(y))), 1e-300)))
    decimals, distance = SHORT
    short = np.round(best, decimals) + 0.0
    if np.allclose(short, best, rtol=0, atol=distance) and on_manifold(short):
        best, least = short, size(short)
    if not least <= RESIDUAL * scale(best):
        raise EquilibriumError(f"no equilibrium found: residual {least:.3g}; try another guess", least)
    return best
