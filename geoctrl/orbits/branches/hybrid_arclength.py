r"""Branches of orbits through jumps by pseudo-arclength, as far as their jumps are those that are met.

Of each orbit a run is asked for its jumps and what they promise. Where that breaks, the branch ends:

- grazing: :math:`dh\,f = 0` at a strike of the orbit, or another guard is touched;
- corner: two guards are met at one instant;
- contact: what a jump promises, or a contact that can only push, is kept no longer.

Next to a motion that comes to rest the time grows without bound while the value tends to a limit: where it
grows and the value stands still, the branch ends as well.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np

from geoctrl.errors import GeoctrlError
from geoctrl.orbits.branches.hybrid_curve import CORNER, GRAZING
from geoctrl.orbits.branches.orbit_arclength import JumpBreak, OrbitCourse, OrbitPlace
from geoctrl.orbits.hybrid_orbit import HybridOrbit

__all__ = ["HybridCourse", "HybridPlace"]

_HALVINGS = 40
"""Of a chord, at the end of which jumps break."""
_ROOT = 1e-12
_BESIDE = 2.0**-20
"""How far before the strike that grazes, in parts of a chord, the last orbit lies."""
_STILL, _LONGER = 1e-6, 1.25
"""Change of the value, in parts of the span, with the logarithm of the period, below which it stands still,
and how much longer orbits have become."""
_FAR = 1000
"""How much longer orbits are than the first that are followed no further."""
_NO_TIME = 1e-5
"""Part of its time at the guess below which a phase is about to have none."""


class HybridPlace(OrbitPlace):
    """An orbit through jumps of a course."""

    @property
    def value(self) -> float:
        """Of the parameter."""
        return self.shooting.parts(self.y)[2]

    @property
    def period(self) -> float:
        """Time of all phases."""
        return float(self.shooting.parts(self.y)[1].sum())

    @cached_property
    def speeds(self) -> np.ndarray:
        """Rates of the guards at their strikes."""
        return self.shooting.speeds(self.y)

    @cached_property
    def orbit(self) -> HybridOrbit:
        """With its multipliers; EquilibriumError where a run meets other jumps."""
        return self.shooting.orbit_at(self.y, self.residual)

    def with_sense_of(self, other: HybridPlace) -> HybridPlace:
        """The same place with its tangent in the sense of that of another next to it."""
        if self.tangent @ other.tangent > 0:
            return self
        return HybridPlace(self.y, -self.tangent, self.shooting, self.residual)

    def two_rounds(self) -> HybridPlace:
        """The orbit passed twice, a place of those that close up after two rounds."""
        curve, y = self.shooting.two_rounds(), self.shooting.unknowns_of_two_rounds(self.y)
        tangent = np.concatenate([np.tile(self.tangent[:-1], 2), self.tangent[-1:]])
        return HybridPlace(y, tangent / np.linalg.norm(tangent), curve, self.residual)


class HybridCourse(OrbitCourse):
    """Orbits through jumps on both sides of a first one, or on the side that its tangent shows."""

    @property
    def _rest_counts(self) -> bool:
        return False

    def _place(self, y: np.ndarray, tangent: np.ndarray, residual: float) -> HybridPlace:
        return HybridPlace(y, tangent, self._shooting, residual)

    def _one_way(
        self,
        start: OrbitPlace,
        sense: float,
        length: float,
        found: list[OrbitPlace],
        told: Callable[[float, float], None],
    ) -> str:
        end = super()._one_way(start, sense, length, found, told)
        last = found[-1] if found else start
        assert isinstance(last, HybridPlace)
        left = last.shooting.parts_of_times(last.y)
        k = int(np.argmin(left))
        if sense in self.breaks or left[k] > _NO_TIME:
            return end
        # As far on as the phase has time left: solutions beyond are none of motions.
        rate = last.shooting.parts_of_times(last.tangent)[k]
        value = last.value - left[k] / rate * last.slope * self._size
        self.breaks[sense] = JumpBreak(CORNER, last, value, 2 * value - last.value)
        phases = last.shooting.shooting.phases
        names = (repr(phases[i].transition.name) for i in np.flatnonzero(left <= _NO_TIME).tolist())
        return f"{self.along} = {value:.9g}, where no time is left before {' and '.join(names)}"

    def _end_between(self, here: OrbitPlace, there: OrbitPlace, sense: float, found: list[OrbitPlace]) -> str:
        assert isinstance(here, HybridPlace)
        assert isinstance(there, HybridPlace)
        strike = self._grazing_strike(here, there)
        if strike is None and _is_orbit(there):
            return self._without_bound(here, there, found)
        if strike is None:
            last, beyond = self._last_of_chord(here, there)
            kind, words = self._shooting.end_of_run(beyond.y)
            value = beyond.value
        else:
            name, part = strike
            kind, words = GRAZING, f"the strike of {name!r} grazes"
            value = self.place_between(here, there, part).value
            ends = (self.place_between(here, there, part + d) for d in (-_BESIDE, _BESIDE))
            last, beyond = (end for end in ends if isinstance(end, HybridPlace))
            if not _is_orbit(last):
                last, _ = self._last_of_chord(here, last)
        if last is not here:
            found.append(last.with_sense_of(here))
        if kind:
            self.breaks[sense] = JumpBreak(kind, last, value, beyond.value)
        return f"{self.along} = {value:.9g}, where {words}"

    def _grazing_strike(self, here: HybridPlace, there: HybridPlace) -> tuple[str, float] | None:
        """The jump whose guard is no longer passed first, and the part of the chord at which it is not."""
        from scipy.optimize import brentq

        found = []
        for k in np.flatnonzero(here.speeds * there.speeds <= 0).tolist():

            def speed(part: float, k: int = k) -> float:
                place = self.place_between(here, there, part) if part else here
                assert isinstance(place, HybridPlace)
                return float(place.speeds[k])

            found.append((float(brentq(speed, 0.0, 1.0, xtol=_ROOT)), k))
        if not found:
            return None
        part, k = min(found)
        return self._shooting.shooting.phases[k].transition.name, part

    def _last_of_chord(self, here: HybridPlace, there: HybridPlace) -> tuple[HybridPlace, HybridPlace]:
        """The last orbit and the first solution that is none, of a chord that is halved."""
        low, high, last, beyond = 0.0, 1.0, here, there
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            place = self.place_between(here, there, middle)
            assert isinstance(place, HybridPlace)
            if _is_orbit(place):
                low, last = middle, place
            else:
                high, beyond = middle, place
        return last, beyond

    def _without_bound(self, here: HybridPlace, there: HybridPlace, found: list[OrbitPlace]) -> str:
        """Words about a time that grows while the value stands still, or too far, if it does."""
        first = found[0].orbit.period if found else here.period
        growth = np.log(there.period / here.period)
        if there.period > _FAR * first:
            return f"{self.along} = {there.value:.9g}, where the period has grown {_FAR} times"
        if there.period < _LONGER * first or abs(there.y[-1] - here.y[-1]) > _STILL * growth:
            return ""
        return f"where the period grows and {self.along} stands still, near {there.value:.6g}"


def _is_orbit(place: HybridPlace) -> bool:
    """Whether a run meets its jumps."""
    try:
        _ = place.orbit
    except GeoctrlError:
        return False
    return True
