"""What mechanisms of links and bodies look like."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import sympy as sp

from geoctrl.systems.picture import Ellipsoid, Rod, Shape, Solid

__all__ = ["ACCENT", "DARK", "arm", "link_solids", "most_drawn"]

ACCENT, DARK = "#D55E00", "#64748b"

most_drawn = 40
"""Links or bodies; more have no picture, for places of a chain are sums over all links before."""


def link_solids(start: Any, directions: Sequence[Any], lengths: Any, ends: bool = True) -> list[Solid]:
    """Rods one after the other from a point of space, each with a mass at its end."""
    found: list[Solid] = []
    point = sp.Matrix(start)
    if len(directions) > most_drawn:
        return found
    every = np.broadcast_to(lengths, len(directions))
    for i, (way, length) in enumerate(zip(directions, every, strict=True), 1):
        size = float(length)
        shapes: list[Shape] = [Rod((0, 0, 0), (0, 0, size), size / 40)]
        if ends:
            shapes.append(Ellipsoid(size / 5, at=(0, 0, size)))
        found.append(
            Solid(f"link {i}", shapes, of=None, place=point, along=way, colour=None if i % 2 else ACCENT)
        )
        point = point + size * sp.Matrix(way)
    return found


def arm(end: Any, size: float | None = None) -> list[Shape]:
    """A rod from a body's origin to a point of it, with a knob; nothing to a point at the origin."""
    length = float(np.linalg.norm(np.asarray(end, dtype=float)))
    if length == 0:
        return []
    knob = length / 5 if size is None else size
    return [Rod((0, 0, 0), [float(e) for e in end], length / 30), Ellipsoid(knob, at=[float(e) for e in end])]
