"""What a matching is: controlled Lagrangians of a mechanism, and the laws and gains that they make."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import sympy as sp

from geoctrl.synthesis.contract.gain_set import GainSet
from geoctrl.synthesis.contract.law import Law
from geoctrl.systems import EulerPoincare

__all__ = ["Matched"]


class Matched(ABC):
    """Controlled Lagrangians of a mechanism with free gains; made by `match`.

    Whatever the gains are called, ``law(**gains)`` makes a law of numbers or symbols for them, and
    ``design(eq)`` is the set of those that stabilise an equilibrium.

    Attributes
    ----------
    mechanism : EulerPoincare
    """

    mechanism: EulerPoincare

    @property
    @abstractmethod
    def gains(self) -> dict[str, sp.Symbol]:
        """Symbols of the free gains by name."""

    @property
    @abstractmethod
    def notes(self) -> tuple[str, ...]:
        """What is to be said of the solution besides."""

    @abstractmethod
    def law(self, *args: Any, **gains: Any) -> Law:
        """Feedback law for all of the `gains`."""

    @abstractmethod
    def design(self, eq: Any) -> GainSet:
        """Gains for which an equilibrium of the closed loop is stable."""
