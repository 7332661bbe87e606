r"""What changes along a branch of periodic orbits: functions of the multipliers that vanish there.

With the multipliers :math:`\mu_i` that nothing forces to be one, and the value's rate along the branch v:

- fold: v;
- branch point: :math:`v \prod (\mu_i - 1)`, at which v does not vanish as well;
- period doubling: :math:`\prod (\mu_i + 1)`;
- torus: :math:`\prod_{i<j} (\mu_i \mu_j - 1)`, where a pair with an imaginary part leaves the unit circle. A
  real pair with the product one is a neutral saddle, and no change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from geoctrl.errors import GeoctrlError
from geoctrl.orbits.branches.orbit_arclength import OrbitCourse, OrbitPlace

__all__ = ["BRANCH", "DOUBLING", "FOLD", "TORUS", "OrbitEvent", "orbit_events"]

FOLD, DOUBLING, TORUS, BRANCH = "fold", "period doubling", "torus", "branch point"
_ROOT = 1e-12
"""To which, in parts of a chord, a function is solved."""
_BESIDE, _TURN = 2.0**-20, 2.0**-10
"""How far beside its zero the bracket's ends lie; of a fold, where the value changes with the square."""
_APART = 1e-6
"""Distance of two multipliers' product from one, and imaginary part of one, that count as none."""


@dataclass(frozen=True, eq=False)
class OrbitEvent:
    """A change: its kind, the place, places on both sides, and the multiplier that brings it."""

    kind: str
    place: OrbitPlace
    before: OrbitPlace
    after: OrbitPlace
    multiplier: complex


Measure = Callable[[OrbitPlace], float]


def _slope(place: OrbitPlace) -> float:
    return place.slope


def _crossing(place: OrbitPlace) -> float:
    if not len(place.orbit.others):
        return 1.0
    return place.slope * float(np.prod(place.orbit.others - 1).real)


def _doubling(place: OrbitPlace) -> float:
    return float(np.prod(place.orbit.others + 1).real)


def _torus(place: OrbitPlace) -> float:
    pairs = [a * b - 1 for a, b in combinations(place.orbit.others, 2)]
    return float(np.prod(pairs).real) if pairs else 1.0


_MEASURES: dict[str, Measure] = {FOLD: _slope, BRANCH: _crossing, DOUBLING: _doubling, TORUS: _torus}


def orbit_events(course: OrbitCourse, told: Callable[[int], None]) -> list[OrbitEvent]:
    """All changes that are seen between two places one after the other, in order; `told` hears how many."""
    found: list[OrbitEvent] = []
    for first, second in zip(course.places, course.places[1:], strict=False):
        between = sorted(_changes_between(course, first, second), key=lambda item: item[0])
        found += [event for _, event in between]
        told(len(found))
    return found


def _changes_between(
    course: OrbitCourse, first: OrbitPlace, second: OrbitPlace
) -> Iterator[tuple[float, OrbitEvent]]:
    if len(first.orbit.others) != len(second.orbit.others):
        return
    for kind, measure in _MEASURES.items():
        if measure(first) * measure(second) >= 0 or (kind == TORUS and not _leave_circle(first, second)):
            continue
        try:
            part = _zero(course, (first, second), measure)
            beside = _TURN if kind == FOLD else _BESIDE
            sides = [course.place_between(first, second, part + d) for d in (-beside, 0.0, beside)]
        except GeoctrlError:  # the corrector fails next to it: as near as the places are
            part, sides = 0.5, [first, first, second]
        before, place, after = sides
        multiplier = _multiplier(kind, place)
        if kind != TORUS or abs(multiplier.imag) > _APART:
            yield part, OrbitEvent(kind, place, before, after, multiplier)


def _zero(course: OrbitCourse, ends: tuple[OrbitPlace, OrbitPlace], measure: Measure) -> float:
    """The part of a chord at which a function vanishes."""
    from scipy.optimize import brentq

    def value(part: float) -> float:
        if part in (0.0, 1.0):
            return measure(ends[int(part)])
        return measure(course.place_between(*ends, part))

    return float(brentq(value, 0.0, 1.0, xtol=_ROOT))


def _leave_circle(first: OrbitPlace, second: OrbitPlace) -> bool:
    """Whether two multipliers come from the circle's inside to its outside or go back: of motions that keep a
    volume all pairs have the product one, up to rounding.
    """
    outside = [int(np.sum(np.abs(p.orbit.others) > 1 + p.orbit.margin)) for p in (first, second)]
    return abs(outside[0] - outside[1]) == 2


def _multiplier(kind: str, place: OrbitPlace) -> complex:
    """The one that is on the circle there."""
    others = place.orbit.others
    if not len(others):
        return complex(1.0)
    if kind == TORUS:
        pairs = [(abs(a * b - 1), a) for a, b in combinations(others, 2)]
        found = complex(min(pairs, key=lambda item: item[0])[1])
        return complex(found.real, abs(found.imag))
    target = -1.0 if kind == DOUBLING else 1.0
    return complex(others[np.argmin(np.abs(others - target))])
