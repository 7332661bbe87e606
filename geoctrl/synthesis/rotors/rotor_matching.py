"""What laws of rotors, and their sets of gains, know of the matching that they are made of."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import sympy as sp

from geoctrl.synthesis.contract.gain_set import GainSet
from geoctrl.synthesis.contract.matched import Matched
from geoctrl.synthesis.rotors.rank_branches import Branch
from geoctrl.systems import Rotors

__all__ = ["RotorMatching"]


class RotorMatching(Matched):
    """Solutions of the matching conditions of rotors: what their laws and sets of gains are made of.

    Attributes
    ----------
    rotors : Rotors
        Of the mechanism.
    branches : tuple of Branch
        The trivial one first, the full one ([GO] 52) last.
    sigma : sympy matrix, s x s
        Symbols of the gain.
    """

    rotors: Rotors
    branches: tuple[Branch, ...]
    sigma: sp.ImmutableMatrix

    @abstractmethod
    def inertia(self, sigma: Any = None) -> sp.ImmutableMatrix:
        """Inertia (n x n) of the controlled Lagrangian for a gain."""

    @abstractmethod
    def law(self, sigma: Any = None, form: str = "feedforward", **entries: Any) -> Any:
        """Feedback law of the full branch for a gain."""

    @abstractmethod
    def family_design(self, family: str) -> GainSet:
        """The gains that stabilise a declared family."""
