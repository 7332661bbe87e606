"""Solids that pictures of the catalogue share: bricks with given moments, balls whose turn is seen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy as sp

from geoctrl.systems.picture import Block, Disk, Ellipsoid, Rod, Shape

__all__ = ["ACCENT", "DARK", "brick", "brick_edges", "pointer", "turning_ball"]

ACCENT, DARK = "#D55E00", "#64748b"
_AXES = ("#0072B2", "#009E73", "#D55E00")
"""Colours of the axes 1, 2, 3 of a frame."""


def brick_edges(moments: Sequence[Any]) -> list[sp.Expr]:
    """Edges of a homogeneous brick with these principal moments, of a mass that makes them about one (m)."""
    total = sum(moments)
    return [sp.sqrt(3 * sp.Abs(total - 2 * moment) / total) for moment in moments]


def brick(moments: Sequence[Any], at: Any = (0, 0, 0), opacity: float = 0.8) -> list[Shape]:
    """A brick with these principal moments and its axes: what is known of a body by its inertia alone."""
    edges, middle = brick_edges(moments), sp.Matrix(at)
    tips = [middle + edge * sp.eye(3).col(k) for k, edge in enumerate(edges)]
    rods = [Rod(middle, tip, sp.Rational(1, 60), colour=_AXES[k]) for k, tip in enumerate(tips)]
    return [Block(edges, at=middle, opacity=opacity), *rods]


def turning_ball(radius: Any, at: Any = (0, 0, 0)) -> list[Shape]:
    """A ball with three great circles, by which its turn is seen."""
    rings = [
        Disk(radius * sp.Rational(101, 100), axis=sp.eye(3).col(k), at=at, thickness=radius / 20, colour=c)
        for k, c in enumerate(_AXES)
    ]
    return [Ellipsoid(2 * radius, at=at, colour="#cbd5e1"), *rings]


def pointer(end: Any, colour: str = ACCENT) -> list[Shape]:
    """A rod from the origin to a point, with a knob there."""
    length = sp.sqrt(sum(e**2 for e in sp.Matrix(end)))
    return [Rod((0, 0, 0), end, length / 30, colour=colour), Ellipsoid(length / 5, at=end, colour=colour)]
