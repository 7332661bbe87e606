"""The field of a system with the numbers of one run: what engines evaluate, and where runs break off."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

__all__ = ["RunField"]


class RunField(ABC):
    r"""Rates :math:`\dot x = f(t, x, u)` at one set of parameters, for inputs that are set apart."""

    @property
    @abstractmethod
    def engine(self) -> str:
        """What evaluates the field, in a word; empty for the program of recorded equations."""

    @abstractmethod
    def hold(self, u: np.ndarray) -> None:
        """Set the inputs (m,)."""

    @abstractmethod
    def rate(self, t: float, x: np.ndarray) -> np.ndarray:
        """Rate (n,) of a state; nan or a SingularMassError where it has none."""

    def require_regular(self, t: float, x: np.ndarray, place: str) -> None:
        """Refuse a state at which the accelerations are not determined; ``place`` names it."""
        del t, x, place

    def singularity(self, t: float, x: np.ndarray) -> str:
        """Words about what is close to singular at a state, or ""."""
        del t, x
        return ""

    def off_leaf(self, times: np.ndarray, rows: np.ndarray) -> tuple[int, str | None]:
        """How many of the samples (k,), (k, n) a run may keep, and the words about the next one."""
        del rows
        return times.size, None
