"""The space that a mechanism moves in, in words."""

from __future__ import annotations

from collections.abc import Sequence

from geoctrl.algebra import Coordinate, LieAlgebra

__all__ = ["space_words"]


def space_words(group: LieAlgebra | None, shape: Sequence[Coordinate]) -> str:
    """Its group and coordinates: ``se2 x R2 with phi, theta, delta``; coordinates alone without a group."""
    factors = () if group is None else group.factors
    named = " x ".join(f"R{f.size}" if f.group == "rn" else f.name or "?" for f in factors)
    coordinates = ", ".join(c.name for c in shape)
    return " with ".join(filter(None, [named, coordinates]))
