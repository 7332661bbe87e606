"""Branches of periodic orbits: followed, with what changes along them."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from geoctrl._calls.long_calls import LongCall
from geoctrl._checks import nearest
from geoctrl.errors import EquilibriumError, GeoctrlError, InputError, LabelError
from geoctrl.orbits.branches.hybrid_arclength import HybridCourse, HybridPlace
from geoctrl.orbits.branches.hybrid_curve import HybridCurve
from geoctrl.orbits.branches.orbit_arclength import JumpBreak, OrbitCourse, OrbitPlace
from geoctrl.orbits.branches.orbit_branch import OrbitBranch, OrbitChange
from geoctrl.orbits.branches.orbit_changes import BRANCH, DOUBLING, FOLD, OrbitEvent, orbit_events
from geoctrl.orbits.branches.smooth_arclength import SmoothCourse
from geoctrl.orbits.enclosures.orbit_symmetries import Closing
from geoctrl.orbits.hybrid_orbit import HybridOrbit
from geoctrl.orbits.orbit import PeriodicOrbit
from geoctrl.orbits.shooting import Along, Shooting

__all__ = ["branch_of_course", "branch_of_jumps", "branch_of_orbit", "require_parameter"]

_SEGMENTS = 4
"""Parts into which periods are cut."""
_AWAY = 0.02, 0.005, 0.08
"""Distances from a change, in sizes of the unknowns, at which another branch is looked for."""
_NEAR = 10.0
"""How much farther away than that it may be found."""


def require_parameter(system: Any, along: str) -> None:
    """Refuse what is no parameter of a system."""
    if along not in system.params:
        kind = "a state: orbits have no one value of it" if along in system.state_labels else "no parameter"
        raise LabelError(
            f"branches of orbits go along a parameter or a conserved function, and {along!r} is {kind}"
            f"{nearest(along, system.params)}"
        )
    if along not in system.program(system.field_nodes).parameters:
        raise LabelError(f"the equations do not depend on {along!r}")


def branch_of_orbit(
    orbit: PeriodicOrbit, along: str, span: tuple[float, float], points: int, call: LongCall | None
) -> OrbitBranch:
    """The branch through an orbit, both ways."""
    level = along in orbit.system.conserved(orbit.params, u=orbit.u)
    if not level:
        require_parameter(orbit.system, along)
    value, width = (orbit.invariants if level else orbit.params)[along], span[1] - span[0]
    if not span[0] <= value <= span[1]:
        raise InputError(f"the orbit has {along} = {value:.9g}, outside the span ({span[0]:g}, {span[1]:g})")
    closes = Closing(orbit.S if orbit.angle is None else None, orbit.system)
    shooting = Shooting(
        *(orbit.system, orbit.x, orbit.u, dict(orbit.params), closes, _SEGMENTS, orbit.period),
        Along(along, width, level),
        *(2 * np.pi * np.array([orbit.winding.get(k, 0) for k in orbit.system.state_labels]), orbit.forcing),
        orbit.cycles,
    )
    if orbit.forcing is not None and not level:
        orbit.forcing.require_along(along, orbit.params)
    states = [orbit.x, *shooting.parts_of_motion(orbit.x, orbit.period)]
    y = shooting.unknowns(states, orbit.period, orbit.angle or 0.0, value)
    course = SmoothCourse(shooting, span, points)
    return branch_of_course(course, _first_place(course, y), 1.0 / (points - 1), call, one_way=False)


def branch_of_jumps(
    orbit: HybridOrbit, along: str, span: tuple[float, float], points: int, call: LongCall | None
) -> OrbitBranch:
    """The branch through an orbit that jumps, both ways."""
    curve, y = HybridCurve.curve_through(orbit, along, span[1] - span[0])
    value = curve.parts(y)[2]
    if not span[0] <= value <= span[1]:
        raise InputError(f"the orbit has {along} = {value:.9g}, outside the span ({span[0]:g}, {span[1]:g})")
    course = HybridCourse(curve, span, points)
    return branch_of_course(course, _first_place(course, y), 1.0 / (points - 1), call, one_way=False)


def _first_place(course: OrbitCourse, y: np.ndarray) -> OrbitPlace:
    """The place at an orbit, where its value can change."""
    normal = np.zeros(len(y))
    normal[-1] = 1.0
    try:
        return course.first_place(y, normal)
    except GeoctrlError as error:
        raise EquilibriumError(
            f"no branch begins at the orbit: {error}; take an orbit that is no fold of the value"
        ) from None


def branch_of_course(
    course: OrbitCourse, start: OrbitPlace, length: float, call: LongCall | None, *, one_way: bool
) -> OrbitBranch:
    """The branch of a course, walked and looked through; when the time is up, what is done of it."""
    changes: list[OrbitChange] = []

    def so_far() -> OrbitBranch | None:
        return _branch(course, changes) if course.places else None

    def report(value: float, part: float) -> None:
        if call is not None:
            call.tell("walking", f"{course.along} = {value:.4g}", 0.6 * part)

    def count(found: int) -> None:
        if call is not None:
            call.tell("looking for changes", f"{found} found", 0.8)

    if call is not None:
        call.otherwise = so_far
    course.walk(start, length, report, one_way=one_way)
    changes += [_change(course, event) for event in orbit_events(course, count)]
    for sense, found in course.breaks.items():
        changes.insert(len(changes) if sense > 0 else 0, _break(found, sense))
    return _branch(course, changes)


def _branch(course: OrbitCourse, changes: list[OrbitChange]) -> OrbitBranch:
    places = course.places
    return OrbitBranch(
        system=places[0].shooting.system,
        along=course.along,
        span=course.span,
        values=np.array([place.value for place in places]),
        periods=np.array([place.orbit.period for place in places]),
        orbits=tuple(place.orbit for place in places),
        changes=tuple(changes),
        ends=course.ends,
    )


def _change(course: OrbitCourse, event: OrbitEvent) -> OrbitChange:
    """The record of an event, with its bracket."""
    values = [event.before.value, event.place.value, event.after.value]
    low, high = min(values), max(values)
    if event.kind == FOLD:
        width = high - low
        low, high = values[1] - width, values[1] + width
    others = partial(_branches, course, event) if event.kind in (DOUBLING, BRANCH) else None
    return OrbitChange(
        kind=event.kind,
        value=values[1],
        bracket=(low, high),
        multiplier=event.multiplier,
        orbit=event.place.orbit,
        before=event.before.orbit.verdict,
        after=event.after.orbit.verdict,
        sides=(event.before.orbit, event.after.orbit),
        _others=others,
    )


def _break(found: JumpBreak, sense: float) -> OrbitChange:
    """The record of an end at which jumps are no longer those of the orbits."""
    orbit, ends = found.place.orbit, (found.place.value, found.beyond)
    verdicts = (orbit.verdict, None) if sense > 0 else (None, orbit.verdict)
    return OrbitChange(
        kind=found.kind,
        value=found.value,
        bracket=(min(ends), max(ends)),
        multiplier=None,
        orbit=orbit,
        before=verdicts[0],
        after=verdicts[1],
        sides=(orbit,),
    )


# -- other branches --------------------------------------------------------------------------------


def _branches(course: OrbitCourse, event: OrbitEvent, span: Any = None) -> list[OrbitBranch]:
    """`OrbitChange.branches`."""
    limits = course.span if span is None else (float(span[0]), float(span[1]))
    shooting, y, direction = _start_beside(event)
    other = type(course)(shooting, limits, course.points)
    for length in _AWAY:
        try:
            start = other.first_place(y + length * direction, direction)
        except GeoctrlError:
            continue
        if np.linalg.norm(start.y - y) < _NEAR * length:
            both = event.kind == BRANCH  # the other way from a doubling are the same orbits, a period on
            return [branch_of_course(other, start, length, None, one_way=not both)]
    raise EquilibriumError(f"no other branch was found near {course.along} = {event.place.value:.9g}")


def _start_beside(event: OrbitEvent) -> tuple[Any, np.ndarray, np.ndarray]:
    """Equations, unknowns and the direction of the orbits that are met at a change."""
    place = event.place
    if event.kind == BRANCH:
        return _crossing_start(place)
    return _crossing_start(place.two_rounds()) if isinstance(place, HybridPlace) else _doubling_start(place)


def _crossing_start(place: OrbitPlace) -> tuple[Any, np.ndarray, np.ndarray]:
    """Equations, unknowns and a direction, besides the course's own, in which they do not change."""
    J = place.shooting.equations(place.y)[1]
    kernel = np.linalg.svd(J)[2][-2:].T
    rest = kernel - np.outer(place.tangent, place.tangent @ kernel)
    return place.shooting, place.y, np.linalg.svd(rest, full_matrices=False)[0][:, 0]


def _doubling_start(place: OrbitPlace) -> tuple[Shooting, np.ndarray, np.ndarray]:
    """The orbit passed twice, and the direction that comes back as its opposite."""
    shooting, y = place.shooting, place.y
    if shooting.closing.turns:
        raise EquilibriumError("orbits with turns about an axis are not followed through a doubling")
    (states, T, _, value), m = shooting.parts(y), shooting.segments
    S = shooting.closing(0.0)
    roots, vectors = np.linalg.eig(place.orbit.monodromy)
    v = vectors[:, int(np.argmin(np.abs(roots + 1)))].real
    directions = [v]
    for i, x in enumerate(states[:-1]):
        Phi = shooting.flow(x, T / m, value, shooting.since(i * T / m))[1]
        directions.append(Phi[:, : len(x)] @ directions[-1])
    shift = np.zeros(len(v)) + shooting.offset
    twice = replace(
        shooting,
        closing=Closing(S @ S, shooting.system),
        offset=S @ shift + shift,
        segments=2 * m,
        period=2 * shooting.period,
        cycles=2 * shooting.cycles,
    )
    twice.__dict__.update(flow=shooting.flow, sizes=shooting.sizes, target_levels=shooting.target_levels)
    unknowns = twice.unknowns([*states, *(S @ x + shift for x in states)], 2 * T, 0.0, value)
    along = [*directions, *(-(S @ d) for d in directions)]
    direction = np.zeros(len(unknowns))
    direction[: 2 * m * len(v)] = np.concatenate([d / shooting.sizes for d in along])
    return twice, unknowns, direction / np.linalg.norm(direction)
