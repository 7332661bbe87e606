"""Curves of equilibria that cross another one at a branch point."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from geoctrl.continuation.arclength import SolvedCourse
from geoctrl.continuation.changes import ChangeFunction
from geoctrl.continuation.curve import Course
from geoctrl.errors import EquilibriumError, GeoctrlError
from geoctrl.systems import System

__all__ = ["course_label", "crossing_courses"]

_AWAY = (0.02, 0.005, 0.08)
"""Distances from the crossing, in relative unknowns, at which another curve is looked for."""
_NEAR = 10.0
"""How much farther away than that it may be found."""


def crossing_courses(
    system: System, course: Course, event: ChangeFunction, span: tuple[float, float], points: int
) -> list[SolvedCourse]:
    """Courses through a branch point besides the one that it was met on, not yet walked."""
    along = course_label(system, course, event)
    if isinstance(course, SolvedCourse):
        fixed = list(course.held)
    else:  # where a family in closed form is one of several dimensions, the curve is cut from them
        fixed = list(SolvedCourse(system, event.before.point, along, (), span, points).held)
    first, directions = _cut(system, event, (along, fixed, span, points))
    found = []
    for direction in directions.T:
        for start in _crossing_points(first, direction):
            point = first.place(start, direction).point
            fixed = list(first.held)
            found.append(SolvedCourse(system, point, along, fixed, span, points, direction))
            break
    if not found:
        raise EquilibriumError(
            f"no other curve of equilibria was found near {along} = {event.place.value:.9g} within "
            f"[{span[0]:g}, {span[1]:g}]; give another span"
        )
    return found


def course_label(system: System, course: Course, event: ChangeFunction) -> str:
    """The state or parameter that another curve is followed along: instead of a symbol, the state it moves
    most.
    """
    labels = list(system.state_labels)
    if course.along in system.params or course.along in labels:
        return course.along
    moved = np.abs(event.after.point.x - event.before.point.x)
    return labels[int(np.argmax(moved))]


def _cut(
    system: System, event: ChangeFunction, asked: tuple[str, list[str], tuple[float, float], int]
) -> tuple[SolvedCourse, np.ndarray]:
    """Equations at the crossing with so many states held that curves are left, and the directions of these
    across the one that is known (columns, in relative unknowns).
    """
    from scipy.linalg import qr

    along, fixed, span, points = asked
    while True:
        course = SolvedCourse(system, event.place.point, along, fixed, span, points, np.zeros(0))
        ends = (course.unknowns(place.point) for place in (event.before, event.after))
        own = np.subtract(*ends) / course.scale
        across = course.directions_beside(course.unknowns(event.place.point), own / np.linalg.norm(own))
        if across.shape[1] < 2:
            return course, across
        order = qr(across[: len(system.state_labels)].T, pivoting=True, mode="r")[1]
        fixed = [*fixed, system.state_labels[int(order[0])]]


def _crossing_points(course: SolvedCourse, direction: np.ndarray) -> Iterator[np.ndarray]:
    """Points of the curve across, next to the crossing and within the span."""
    z = course.unknowns()
    for length in _AWAY:
        for sense in (1.0, -1.0):
            guess = z + sense * length * direction * course.scale
            try:
                found = course.zero_on_plane(guess, direction, float(direction @ (guess / course.scale)))
            except GeoctrlError:
                continue
            near = np.linalg.norm((found - z) / course.scale) < _NEAR * length
            if near and course.span[0] <= found[course.index] <= course.span[1]:
                yield found
