"""The bodies of a system as sums see them: names, kinds, and their rows of the configuration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import asin, pi, sin, sqrt
from typing import Any

import numpy as np

from geoctrl._checks import nearest
from geoctrl.errors import DescriptionError

__all__ = ["Bodies"]

_ROWS = {"direction": 1, "place": 1, "attitude": 3}


@dataclass(frozen=True)
class Bodies:
    """Bodies in their order.

    Attributes
    ----------
    names : sequence of str
    kinds : sequence of "direction", "place" or "attitude"
    first : ndarray (n,)
        First row of each in the configuration (N, 3).
    """

    names: Sequence[str]
    kinds: Sequence[str]
    first: np.ndarray

    @classmethod
    def alike(cls, kind: str, letter: str, n: int) -> Bodies:
        """n bodies of one kind, letter1, letter2, ..., one after the other."""
        names = [f"{letter}{i + 1}" for i in range(n)]
        return cls(names, [kind] * n, _ROWS[kind] * np.arange(n))

    @classmethod
    def of(cls, names: Sequence[str], kinds: Sequence[str]) -> Bodies:
        """Bodies of any kinds, one after the other."""
        rows = [_ROWS[kind] for kind in kinds]
        return cls(names, kinds, np.cumsum([0, *rows])[:-1])

    @property
    def n(self) -> int:
        """Their number."""
        return len(self.names)

    @property
    def letter(self) -> str:
        """What stands for one of them in formulas."""
        return self.names[0].rstrip("0123456789")

    @property
    def kind(self) -> str:
        """Their kind, where it is one."""
        return self.kinds[0]

    @property
    def rows(self) -> int:
        """Rows of each, where all are of one kind."""
        return _ROWS[self.kind]

    def chosen(self, of: Sequence[Any] | None, asked_by: str) -> Bodies:
        """Those that are named, all of one kind; all of them without names.

        Parameters
        ----------
        of : sequence of names, or of factors that have a ``name``
        asked_by : str
            What is summed over them, for messages.

        Raises
        ------
        DescriptionError
            For a name that is unknown or comes twice, and bodies of several kinds.
        """
        chosen = (
            self if of is None else self._named([getattr(factor, "name", factor) for factor in of], asked_by)
        )
        if len(set(chosen.kinds)) > 1:
            kinds = " and ".join(f"{kind}s" for kind in dict.fromkeys(chosen.kinds))
            raise DescriptionError(
                f"{asked_by} is a sum over bodies of one kind, and these are {kinds}; name those that are "
                "meant by of=[...]"
            )
        return chosen

    def _named(self, names: Sequence[Any], asked_by: str) -> Bodies:
        places = {name: i for i, name in enumerate(self.names)}
        for name in names:
            if name not in places:
                raise DescriptionError(f"{asked_by} is of {name!r}, no body{nearest(str(name), self.names)}")
        if not names or len(set(names)) < len(names):
            raise DescriptionError(f"{asked_by} needs bodies, each named once in of=, got {list(names)}")
        chosen = [places[name] for name in names]
        return Bodies([self.names[i] for i in chosen], [self.kinds[i] for i in chosen], self.first[chosen])

    def share(self, distance: float) -> float:
        """The share of all pairs that are nearer than a distance, for bodies spread evenly.

        Of directions the area of a cap, of attitudes the measure of a ball in SO(3); places have no even
        spread: 0.
        """
        if self.kind == "direction":
            return min(1.0, distance**2 / 4)
        if self.kind == "attitude":
            angle = 2 * asin(min(1.0, distance / sqrt(8)))
            return (angle - sin(angle)) / pi
        return 0.0
