"""The search for configurations at rest: Newton's steps of least norm within the tangent spaces."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from geoctrl.errors import EquilibriumError
from geoctrl.systems.contract.regularity import require_derivative
from geoctrl.systems.contract.scales import columns_of, shares
from geoctrl.systems.contract.tolerances import CONVERGED, LEAST_NORM, RESIDUAL, SHORT

__all__ = ["find_rest"]

_STEPS = 60
_LONGEST = 0.5
"""Radians that a body is turned by in one step, and part of its size that a place is moved by."""


def find_rest(
    place: np.ndarray,
    moments: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray, np.ndarray]],
    move: Callable[[np.ndarray, np.ndarray], np.ndarray],
    on_manifold: Callable[[np.ndarray], bool],
    sizes: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]],
) -> np.ndarray:
    """Configuration near ``place`` at which moments vanish; numbers of few decimals where they do as well.

    Parameters
    ----------
    place : array
        Configuration of all bodies.
    moments : callable
        ``moments(place)``: moments (k,) in tangent coordinates, their derivative (k, k), and the sizes of
        their terms (k,).
    move : callable
        ``move(place, y)``: the configuration moved by tangent coordinates.
    on_manifold : callable
        Whether rounded entries are a configuration exactly: of exact numbers something can be proved.
    sizes : callable
        ``sizes(place)``: sizes of the entries of the configuration and of the tangent coordinates (k,), one
        for turns, zero for what has none.
    """
    best, least, unit = place, np.inf, np.ones(place.shape)
    for _ in range(_STEPS):
        slope, derivative, terms = moments(place)
        K = require_derivative(derivative)
        entries, coordinates = sizes(place)
        rows = terms + np.abs(K) @ coordinates
        found = float(np.max(shares(slope, rows), initial=0.0))
        if found < least:
            best, least, unit = place, found, entries
        elif least < CONVERGED:
            break
        rows, columns = np.where(rows > 0, rows, 1.0), columns_of(K, rows, coordinates)
        y = np.linalg.lstsq(K * columns / rows[:, None], -slope / rows, rcond=LEAST_NORM)[0]
        longest = float(np.max(np.abs(y), initial=0.0))
        place = move(place, columns * y * (_LONGEST / longest if longest > _LONGEST else 1.0))
    decimals, distance = SHORT
    tens = 10.0 ** np.rint(np.log10(np.where(unit > 0, unit, 1.0)))
    short = np.round(best / tens, decimals) * tens + 0.0
    if np.all(np.abs(short - best) <= distance * tens) and on_manifold(short):
        slope, derivative, terms = moments(short)
        best, least = short, float(np.max(shares(slope, terms + np.abs(derivative) @ sizes(short)[1])))
    if not least <= RESIDUAL:
        residual = float(np.max(np.abs(moments(best)[0])))
        raise EquilibriumError(
            f"no equilibrium found: residual {residual:.3g}, {least:.2g} of the terms that make it; try "
            "another guess",
            residual,
        )
    return best
