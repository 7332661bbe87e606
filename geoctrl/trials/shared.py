"""One number for several signals, inputs or velocities: shared as it is, or in the size of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from geoctrl.errors import UnitsError
from geoctrl.systems import System

__all__ = ["Shared"]


@dataclass(frozen=True)
class Shared:
    """What one number is for each of several labels.

    Where all have one unit, or a unit that is not known, it is the number itself; else it counts sizes, since
    one number of several units would be another imperfection in other units.

    Attributes
    ----------
    factors : dict of label -> float
    size : float
        Of the number itself: what is tried lies about it.
    relative : bool
        Whether it counts sizes.
    """

    factors: Mapping[str, float]
    size: float
    relative: bool

    @classmethod
    def of(cls, system: System, sizes: Mapping[str, float]) -> Shared:
        """For labels with these sizes; one stands for a size that is zero."""
        try:
            units = [system.measures.dimension(label) for label in sizes]
        except UnitsError:  # units that do not go together say nothing
            units = [None]
        if None in units or len(set(units)) <= 1:
            return cls(dict.fromkeys(sizes, 1.0), max(sizes.values(), default=0.0) or 1.0, False)
        return cls({label: size or 1.0 for label, size in sizes.items()}, 1.0, True)

    def values_at(self, value: float) -> dict[str, float]:
        """What each label gets."""
        return {label: factor * value for label, factor in self.factors.items()}

    def unit_words(self, unit: str) -> str:
        """The unit of the number."""
        return f"{unit}, in the size of each" if self.relative else unit
