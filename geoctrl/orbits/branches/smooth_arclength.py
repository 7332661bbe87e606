"""Branches of periodic orbits of equations that do not jump, by pseudo-arclength."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from geoctrl.orbits.branches.orbit_arclength import OrbitCourse, OrbitPlace
from geoctrl.orbits.multiple_shooting import orbit_of
from geoctrl.orbits.orbit import PeriodicOrbit

__all__ = ["SmoothCourse", "SmoothPlace"]


class SmoothPlace(OrbitPlace):
    """An orbit of a course."""

    @property
    def value(self) -> float:
        """Of the parameter."""
        value = self.shooting.parts(self.y)[3]
        assert value is not None
        return value

    @cached_property
    def orbit(self) -> PeriodicOrbit:
        """With its multipliers."""
        return orbit_of(self.shooting, self.y, self.residual)


class SmoothCourse(OrbitCourse):
    """Orbits on both sides of a first one, or on the side that its tangent shows."""

    def _place(self, y: np.ndarray, tangent: np.ndarray, residual: float) -> SmoothPlace:
        states, _, _, value = self._shooting.parts(y)
        beside = self._shooting.next_to_state(states[0], self._shooting.params_at(value))
        return SmoothPlace(y, tangent, beside, residual)

    @property
    def _rest_counts(self) -> bool:
        return self._shooting.forcing is not None

    def _point_between(self, here: OrbitPlace, there: OrbitPlace) -> bool:
        if self._rest_counts:
            return False
        rates = [s.rate(s.guess) / here.shooting.sizes for s in (here.shooting, there.shooting)]
        return bool(rates[0] @ rates[1] < 0)
