"""What changes along a course: turning points, crossings of curves, eigenvalues that come to the axis."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from geoctrl.continuation.curve import Course, CurvePlace
from geoctrl.continuation.eigenvalue_changes import Spectrum
from geoctrl.errors import GeoctrlError

__all__ = ["BRANCH", "FOLD", "HOPF", "MEETING", "ZERO", "ChangeFunction", "events"]

FOLD, BRANCH, HOPF = "fold", "branch point", "Hopf point"
ZERO, MEETING = "zero eigenvalue", "meeting eigenvalues"

_FINE = 2.0**-14
"""Length, in places, to which a change of the numbers of eigenvalues beside the axis is halved before a
smooth function of them is solved."""
_FINEST = 2.0**-44
"""The same where there is no such function."""
_ROOT = 1e-14
"""To which, in places, such a function is solved."""
_LEVEL = 1e-9
"""Slope of a curve along which the value stays the same, up to rounding."""
_BESIDE = 0.02
"""Distance, in places, at which eigenvalues before and after a change are compared; what is nearer to another
than that is one change."""


@dataclass(frozen=True, eq=False)
class ChangeFunction:
    """A change along a course.

    Attributes
    ----------
    way : float
        Where, in places.
    before, after : Place
        Beside it.
    eigenvalue : complex or None
        On the axis.
    """

    kind: str
    way: float
    place: CurvePlace
    before: CurvePlace
    after: CurvePlace
    eigenvalue: complex | None


@dataclass(frozen=True)
class _Crossing:
    """Eigenvalues that come to the axis or leave it: where, what kind, and which."""

    way: float
    kind: str
    eigenvalue: complex


def events(course: Course) -> list[ChangeFunction]:
    """All changes that are seen between two places one after the other, in order.

    Two of them that undo each other between neighbouring places are not seen.
    """
    if len(course.places) < 2:
        return []
    folds = list(_turns(course))
    found: list[tuple[float, str, complex | None]] = []
    for crossing in _crossings(course):
        near = [way for way in folds if abs(way - crossing.way) < _BESIDE]
        folds = [way for way in folds if way not in near]
        kind = FOLD if near and crossing.kind == ZERO else crossing.kind
        way = near[0] if kind == FOLD else crossing.way
        if crossing.kind == ZERO and course.other_directions(course.place_at(way)).shape[1]:
            kind = BRANCH
        found.append((way, kind, crossing.eigenvalue))
    found += [
        (way, BRANCH if course.other_directions(course.place_at(way)).shape[1] else FOLD, None)
        for way in folds
    ]
    return [_event(course, *item) for item in sorted(found, key=lambda item: item[0])]


def _event(course: Course, way: float, kind: str, eigenvalue: complex | None) -> ChangeFunction:
    before, after = (course.place_at(w) for w in _wider_interval(course, way, way))
    return ChangeFunction(kind, way, course.place_at(way), before, after, eigenvalue)


def _wider_interval(course: Course, low: float, high: float) -> tuple[float, float]:
    last = len(course.places) - 1.0
    return max(0.0, low - _BESIDE), min(last, high + _BESIDE)


def _turns(course: Course) -> Iterator[float]:
    """Where the value turns."""
    for i, (a, b) in enumerate(zip(course.places, course.places[1:], strict=False)):
        if max(abs(a.slope), abs(b.slope)) < _LEVEL:
            continue
        if a.slope * b.slope < 0 or (b.slope == 0 and i + 2 < len(course.places)):
            yield _root(lambda way: course.place_at(way).slope, float(i), i + 1.0)


def _root(f: Callable[[float], float], low: float, high: float) -> float:
    """The root of a function of the way between two at which it has different signs."""
    from scipy.optimize import brentq

    if f(high) == 0:
        return high
    try:
        return float(brentq(f, low, high, xtol=_ROOT, rtol=4 * np.finfo(float).eps))
    except GeoctrlError:  # next to a crossing the steps of a corrector may fail: as near as they do not
        return _nearest(f, low, high)


def _nearest(f: Callable[[float], float], low: float, high: float) -> float:
    """The root by halving, as long as the function can be computed."""
    below = f(low) < 0
    while high - low > _FINEST:
        middle = (low + high) / 2
        try:
            same = (f(middle) < 0) == below
        except GeoctrlError:
            break
        low, high = (middle, high) if same else (low, middle)
    return low


# -- eigenvalues -------------------------------------------------------------------------------------


def _crossings(course: Course) -> Iterator[_Crossing]:
    """Where eigenvalues come to the imaginary axis or leave it."""
    intervals: list[tuple[float, float]] = []
    for i in range(len(course.places) - 1):
        for low, high in _change_intervals(course, float(i), i + 1.0):
            if intervals and low - intervals[-1][1] < _BESIDE:
                intervals[-1] = intervals[-1][0], high
            else:
                intervals.append((low, high))
    for low, high in intervals:
        ends = _wider_interval(course, low, high)
        if course.place_at(ends[0]).spectrum.counts != course.place_at(ends[1]).spectrum.counts:
            yield _crossing(course, low, high, ends)


def _change_intervals(
    course: Course, low: float, high: float, least: float = _FINE
) -> list[tuple[float, float]]:
    """Short intervals over which the numbers of eigenvalues beside the axis change."""
    if course.place_at(low).spectrum.counts == course.place_at(high).spectrum.counts:
        return []
    if high - low <= least:
        return [(low, high)]
    middle = (low + high) / 2
    try:
        return [
            *_change_intervals(course, low, middle, least),
            *_change_intervals(course, middle, high, least),
        ]
    except GeoctrlError:  # the course has no place there that can be computed: that is where it is
        return [(low, high)]


def _crossing(course: Course, low: float, high: float, ends: tuple[float, float]) -> _Crossing:
    """What crosses within an interval, located by a function that is smooth there."""
    first, second = (course.place_at(way).spectrum for way in ends)
    if first.growing == second.growing:  # what leaves the axis to the left, seen with the time reversed
        first, second = (Spectrum(-s.values, s.margin) for s in (first, second))
    more, less = (first, second) if first.growing > second.growing else (second, first)
    count = more.growing - less.growing
    leaving = sorted(more.values[more.values.real > more.margin], key=lambda v: v.real)[:count]
    frequency = max(abs(v.imag) for v in leaving)
    if frequency <= more.margin:
        zeros = min(first.zeros, second.zeros)
        way = _zero(course, lambda s: s.product(zeros), low, high, ends)
        return _Crossing(way, ZERO, 0j)
    near = complex(0.0, frequency)
    if less.decaying >= more.decaying + count:
        way = _zero(course, lambda s: s.growth(near), low, high, ends)
        at = course.place_at(way).spectrum.values
        return _Crossing(way, HOPF, complex(0.0, abs(at[np.argmin(np.abs(at - near))].imag)))
    way = _zero(course, lambda s: s.distance(near), low, high, ends)
    at = course.place_at(way).spectrum.values
    return _Crossing(way, MEETING, complex(0.0, abs(at[np.argmin(np.abs(at - near))].imag)))


def _zero(
    course: Course,
    measure: Callable[[Spectrum], float],
    low: float,
    high: float,
    ends: tuple[float, float],
) -> float:
    """The zero of a function of the spectrum next to an interval; by halving where no sign changes."""

    def f(way: float) -> float:
        return measure(course.place_at(way).spectrum)

    begun = low
    try:
        width = high - low
        while True:
            if f(low) * f(high) <= 0:
                return _root(f, low, high)
            if low == ends[0] and high == ends[1]:
                break
            low, high, width = max(ends[0], low - width), min(ends[1], high + width), 2 * width
    except GeoctrlError:  # the course has no place there: the numbers tell
        pass
    fine = _change_intervals(course, *ends, least=_FINEST)
    return fine[0][0] if fine else begun
