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
    moments: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray, float]],
    move: Callable[[np.ndarray, np.ndarray], np.ndarray],
    on_manifold: Callable[[np.ndarray], bool],
) -> np.ndarray:
    """Configuration near ``place`` at which moments vanish; numbers of few decimals where they do as well.

    Parameters
    ----------
    place : array
        Configuration of all bodies.
    moments : callable
        ``moments(place)``: moments (k,) in tangent coordinates, their derivative (k, k), and the size of
        their terms.
    move : callable
        ``move(place, y)``: the configuration moved by tangent coordinates.
    on_manifold : callable
        Whether rounded entries are a configuration exactly: of exact numbers something can be proved.

    Raises
    ------
    EquilibriumError
        If none is found, or a derivative has no value on the way.
    """
    best, least, scale = place, np.inf, 1.0
    for _ in range(_STEPS):
        slope, derivative, terms = moments(place)
        found = float(np.max(np.abs(slope)))
        if found < least:
            best, least, scale = place, found, max(1.0, terms)
        elif least < CONVERGED:
            break
        y = np.linalg.lstsq(require_derivative(derivative), -slope, rcond=LEAST_NORM)[0]
        place = move(place, y * min(1.0, _LONGEST / max(float(np.max(np.abs(y))), 1e-300)))
    decimals, distance = SHORT
    short = np.round(best, decimals) + 0.0
    if np.allclose(short, best, rtol=0, atol=distance) and on_manifold(short):
        best, least = short, float(np.max(np.abs(moments(short)[0])))
    if not least <= RESIDUAL * scale:
        raise EquilibriumError(f"no equilibrium found: residual {least:.3g}; try another guess", least)
    return best
