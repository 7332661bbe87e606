"""A declared axis of symmetry."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from geoctrl._checks import whole_number
from geoctrl._printing.printed_lines import full_text, short_form
from geoctrl._scalars import exact
from geoctrl.errors import DescriptionError

__all__ = ["Axis"]


class Axis:
    """An axis of the body about which turning changes nothing.

    Parameters
    ----------
    direction : three numbers
        Components in the body frame, not all zero; rationals or floats taken as the rationals they are.
    of : int
        Number of the factor, from 1.

    Raises
    ------
    DescriptionError
        If the direction is not three finite numbers or zero.

    Examples
    --------
    >>> Axis((0, 0, 1)).unit
    (0.0, 0.0, 1.0)
    """

    def __init__(self, direction: Sequence[Any], of: int = 1) -> None:
        try:
            entries = tuple(exact(d, "an entry of an axis") for d in direction)
        except (TypeError, ValueError):
            raise DescriptionError(f"an axis needs three finite numbers, got {direction!r}") from None
        if len(entries) != 3 or not any(entries):
            raise DescriptionError(f"an axis needs three numbers, not all zero, got {direction!r}")
        self.direction: tuple[Fraction, ...] = entries
        self.of = whole_number("of, the number of a factor,", of, 1, error=DescriptionError)

    @property
    def unit(self) -> tuple[float, ...]:
        """The direction with length one."""
        size = float(sum(d * d for d in self.direction)) ** 0.5
        return tuple(float(d) / size for d in self.direction)

    def __reduce__(self):
        return Axis, (self.direction, self.of)

    def _lines(self) -> list[str]:
        return [f"Axis({tuple(map(str, self.direction))}, of={self.of})"]

    full = full_text
    __repr__ = short_form
