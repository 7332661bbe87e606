"""Bodies as sums see them: factors of a product, and the rows of the configuration that are theirs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from geoctrl._checks import nearest
from geoctrl.errors import DescriptionError
from geoctrl.manifolds.factors import Factor

__all__ = ["Bodies"]


@dataclass(frozen=True)
class Bodies:
    """Factors of a product, all of them or some.

    Attributes
    ----------
    first : ndarray (n,)
        First row of each in the configuration (N, 3).
    """

    factors: Sequence[Factor]
    first: np.ndarray

    @property
    def n(self) -> int:
        """Their number."""
        return len(self.factors)

    @property
    def kind(self) -> type[Factor]:
        """Their kind, where it is one."""
        return type(self.factors[0])

    @property
    def letter(self) -> str:
        """What stands for one of them in formulas."""
        return self.factors[0].name.rstrip("0123456789")

    def selection(self, of: Sequence[Any] | None, asked_by: str) -> Bodies:
        """Those that are named, all of one kind; all of them without names.

        Parameters
        ----------
        of : sequence of factors or their names
        asked_by : str
            What is summed over them, for messages.
        """
        chosen = self
        if of is not None:
            chosen = self._by_name([getattr(factor, "name", factor) for factor in of], asked_by)
        kinds = dict.fromkeys(map(type, chosen.factors))
        if len(kinds) > 1:
            words = " and ".join(f"{kind.__name__.lower()}s" for kind in kinds)
            raise DescriptionError(
                f"{asked_by} is a sum over bodies of one kind, and these are {words}; name those that are "
                "meant by of=[...]"
            )
        return chosen

    def _by_name(self, names: Sequence[Any], asked_by: str) -> Bodies:
        places = {factor.name: i for i, factor in enumerate(self.factors)}
        for name in names:
            if name not in places:
                raise DescriptionError(f"{asked_by} is of {name!r}, no body{nearest(str(name), places)}")
        if not names or len(set(names)) < len(names):
            raise DescriptionError(f"{asked_by} needs bodies, each named once in of=, got {list(names)}")
        chosen = [places[name] for name in names]
        return Bodies([self.factors[i] for i in chosen], self.first[chosen])
