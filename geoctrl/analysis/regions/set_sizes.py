"""Which of two sets about one equilibrium is the larger one, by rays in doubles."""

from __future__ import annotations

from typing import Any

import numpy as np

from geoctrl.analysis.regions.proved_set import ProvedSet

__all__ = ["is_larger"]

RAYS, STEPS, LARGEST = 24, 8, 8
"""Directions, halvings on each, and doublings."""


def is_larger(found: ProvedSet, than: ProvedSet) -> bool:
    """Whether the mean of r^n over rays of length r from the point to the edge is larger, with n directions.

    Directions are drawn in the states that both tell of; sets on a leaf or on levels that differ cannot be
    compared so: there the first one stays.
    """
    rays = _Rays(than, found)
    own = rays.lengths(than)
    if all(rays.holds(found, way, r) for way, r in zip(rays.ways, own, strict=True)):
        return True
    return bool(np.mean(rays.lengths(found) ** rays.count) > np.mean(own**rays.count))


class _Rays:
    """Rays from the common point of two sets."""

    def __init__(self, *sets: Any) -> None:
        labels = list(sets[0].point)
        sizes = np.zeros(len(labels))
        for k, label in enumerate(labels):
            for each in sets:
                low, high = each.extent.get(label, (0.0, 0.0))
                sizes[k] = max(sizes[k], (high - low) / 2)
        self.count = int(np.count_nonzero(sizes))
        self._point = np.array([sets[0].point[k] for k in labels])
        for i, angle in sets[0].angles.items():  # which the file measures from the point
            self._point[i] = float(angle)
        self.ways = np.random.default_rng(11).normal(size=(RAYS, len(labels))) * sizes

    def holds(self, each: ProvedSet, way: np.ndarray, r: float) -> bool:
        return bool(each.contains(self._point + r * way))

    def lengths(self, each: ProvedSet) -> np.ndarray:
        return np.array([self._length(each, way) for way in self.ways])

    def _length(self, each: ProvedSet, way: np.ndarray) -> float:
        high = 2.0**-LARGEST
        while high < 2.0**LARGEST and self.holds(each, way, high):
            high *= 2
        low = high / 2
        for _ in range(STEPS):
            middle = (low + high) / 2
            low, high = (middle, high) if self.holds(each, way, middle) else (low, middle)
        return low
