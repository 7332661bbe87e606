"""What a model file says beside the mechanism."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from geoctrl._printing.printed_lines import full_text, short_form

__all__ = ["Imported"]


@dataclass(frozen=True)
class Imported:
    """What a model file says beside the mechanism: `EulerPoincare.imported` of one that is read from a file.

    Attributes
    ----------
    limits : dict of input label -> (low, high)
        Infinite where there is no bound.
    ranges : dict of coordinate -> (low, high)
        Of joints (m, rad); sides of the domain too.
    keys : dict of name -> dict of label -> float
        Keyframes: states and inputs.
    sites : dict of name -> (link, place, turn)
        Named places on links, with their axes; ``tree.place`` and its like take their names.
    left_out : tuple of str
        What the file says and the mechanism does not.
    """

    limits: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    keys: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    sites: Mapping[str, tuple[str, Any, Any]] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()

    def _lines(self) -> list[str]:
        parts = [
            f"{len(given)} {name}"
            for name in ("limits", "ranges", "keys", "sites")
            if (given := getattr(self, name))
        ]
        parts += [f"{len(self.left_out)} left out"] * bool(self.left_out)
        return [f"<Imported: {', '.join(parts) or 'nothing beside the mechanism'}>"]

    full = full_text
    __repr__ = short_form
