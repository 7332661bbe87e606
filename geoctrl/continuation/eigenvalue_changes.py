"""What the eigenvalues at a point of a branch say, and functions of them that vanish where they cross."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from geoctrl.analysis.linear.linearization import linearization_at
from geoctrl.systems import Equilibrium, Seen
from geoctrl.verification import Verdict

__all__ = ["Spectrum"]

_MARGIN = 1e-7
"""Real part, relative to the linearisation in sizes of states, that counts as none: where two eigenvalues
meet, each has half the digits of a double."""


@dataclass(frozen=True, eq=False)
class Spectrum:
    """Eigenvalues on the level sets of the invariants, within the leaf.

    Attributes
    ----------
    values : ndarray
        Without the zeros that invariants force.
    margin : float
        Distance from the imaginary axis that counts as none.
    """

    values: np.ndarray
    margin: float

    @classmethod
    def of(cls, seen: Seen, point: Equilibrium, sizes: np.ndarray) -> Spectrum:
        """That of an equilibrium in floats; sizes (n,) of states are those along the course."""
        found = linearization_at(seen, point)
        forced = sum(name != "family" for name in found.zero_modes)
        size = float(np.linalg.norm(found.A * sizes / sizes[:, None], 2)) if found.A.size else 0.0
        return cls(found.eigenvalues[forced:], _MARGIN * size)

    @property
    def growing(self) -> int:
        """How many lie to the right of the axis."""
        return int(np.sum(self.values.real > self.margin))

    @property
    def decaying(self) -> int:
        """How many lie to the left of it."""
        return int(np.sum(self.values.real < -self.margin))

    @property
    def zeros(self) -> int:
        """How many are zero."""
        return int(np.sum(np.abs(self.values) <= self.margin))

    @property
    def counts(self) -> tuple[int, int]:
        """What changes where eigenvalues come to the axis or leave it."""
        return self.growing, self.decaying

    @property
    def verdict(self) -> Verdict:
        """In floats, by the spectrum alone."""
        if self.growing:
            return Verdict.NUMERICALLY_UNSTABLE
        every = self.decaying == len(self.values)
        return Verdict.NUMERICALLY_STABLE if every else Verdict.SPECTRALLY_STABLE_ONLY

    # -- functions that change their sign at a crossing ------------------------------------------

    def product(self, zeros: int) -> float:
        """Product of the eigenvalues but for as many of the smallest as are zero all along.

        A real one that crosses zero changes its sign, and so does a pair that meets there.
        """
        by_size = self.values[np.argsort(np.abs(self.values), kind="stable")]
        return float(np.prod(by_size[zeros:] / (self.margin / _MARGIN or 1.0)).real)

    def growth(self, near: complex) -> float:
        """Real part of the eigenvalue nearest to one on the axis."""
        return float(self.values[np.argmin(np.abs(self.values - near))].real)

    def distance(self, near: complex) -> float:
        """Square of the difference of the two eigenvalues nearest to one on the axis.

        Negative where both lie on the axis, positive where they have met and left it.
        """
        first, second = self.values[np.argsort(np.abs(self.values - near), kind="stable")[:2]]
        return float(((first - second) ** 2).real)
