"""What every class of controlled Lagrangians offers: its gains, and the Lagrangian that they make."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import sympy as sp

from geoctrl._printing.printed_lines import full_text, short_form
from geoctrl._printing.record_lines import record_lines
from geoctrl._scalars import shown
from geoctrl.errors import MatchingError
from geoctrl.synthesis.shaping.controlled_lagrangian import NOTHING, Controlled, Further
from geoctrl.synthesis.shaping.plant import Plant
from geoctrl.systems import Parameter

__all__ = ["KINDS", "KINETIC", "POTENTIAL", "Gain", "Shaping"]

KINETIC, POTENTIAL = "kinetic", "potential"
KINDS = (KINETIC, POTENTIAL, "both")


@dataclass(frozen=True)
class Gain:
    """A free constant of a class.

    Attributes
    ----------
    name, unit, description : str
    """

    name: str
    unit: str = ""
    description: str = ""

    @property
    def symbol(self) -> sp.Symbol:
        """The gain, real."""
        return sp.Symbol(self.name, real=True)

    _lines = record_lines
    full = full_text
    __repr__ = short_form


class Shaping(ABC):
    """A class of controlled Lagrangians of a plant; a plant that has none in it is refused when it is made.

    Attributes
    ----------
    plant : Plant
    kind : {"kinetic", "potential", "both"}
        What of the Lagrangian is changed.
    title : str
        The class in words.
    """

    plant: Plant
    kind: str
    title: str

    @property
    @abstractmethod
    def gains(self) -> Sequence[Gain]:
        """The free constants."""

    @property
    def matrices(self) -> Mapping[str, sp.ImmutableMatrix]:
        """Gains that are entries of symmetric matrices: the symbols in their places, zero where none is."""
        return {}

    @property
    def notes(self) -> tuple[str, ...]:
        """What is to be said of the solution besides."""
        return ()

    def _lines(self) -> list[str]:
        gains = [f"  {gain.name}: {gain.description}" for gain in self.gains]
        return [
            f"<{type(self).__name__} of {self.plant.mechanism.name or 'a mechanism'}: {self.title}>",
            *gains,
        ]

    full = full_text
    __repr__ = short_form

    @abstractmethod
    def controlled(self, values: Mapping[str, sp.Expr], parameters: tuple[Parameter, ...]) -> Controlled:
        """The Lagrangian for values of the gains by name, numbers or symbols of ``parameters``.

        Raises
        ------
        MatchingError
            For values at which there is none.
        """

    def drawn(self, rng: np.random.Generator, draws: int, decades: float) -> np.ndarray:
        """Rows of gains of either sign, within so many decades from one, for a search."""
        shape = draws, len(self.gains)
        return 10.0 ** rng.uniform(-decades, decades, shape) * rng.choice([-1.0, 1.0], shape)

    def alike(self, sizes: np.ndarray) -> np.ndarray:
        """Sizes of gains by which draws are multiplied, such that what is drawn definite stays so."""
        places, found = {g.name: i for i, g in enumerate(self.gains)}, sizes.copy()
        for matrix in self.matrices.values():
            diagonal = [sizes[places[str(matrix[a, a])]] for a in range(matrix.rows)]
            for a in range(matrix.rows):
                for b in range(a):
                    if matrix[a, b] != 0:
                        found[places[str(matrix[a, b])]] = np.sqrt(diagonal[a] * diagonal[b])
        return found

    def proved(
        self,
        values: Mapping[str, sp.Expr],
        parameters: tuple[Parameter, ...],
        further: Further = NOTHING,
    ) -> Controlled:
        """`controlled`, with what is added to it, its matching proved: once for the same symbols.

        Raises
        ------
        MatchingError
            If the conditions leave a remainder, or the positions are not those of ``further``.
        """
        made = further.added_to(self.controlled(values, parameters))
        key = (further, *values.items())
        if key not in self._proofs:
            made.require_matched()
            self._proofs.add(key)
        return made

    @cached_property
    def _proofs(self) -> set[tuple]:
        return set()

    def require_free(self, gains: Sequence[Gain]) -> None:
        """MatchingError where a gain has the name of something else."""
        taken = sorted({g.name for g in gains} & self.plant.mechanism.taken)
        if taken:
            raise MatchingError(
                f"{', '.join(taken)}: the mechanism uses this name, which is that of a gain; rename it there"
            )


def require_class(shaping: Any, what: str) -> None:
    """TypeError unless a matching or a law is made of a class of Lagrangians."""
    if not isinstance(shaping, Shaping):
        raise TypeError(
            f"a {what} is made of a class of Lagrangians, got {shown(shaping)}; take "
            "match(mechanism, shaping=...)"
        )


def as_dict(values: Any, what: str) -> dict:
    """A dict by name; TypeError for anything else."""
    if not isinstance(values, Mapping):
        raise TypeError(f"{what} must be a dict by name, got {shown(values)}")
    return dict(values)
