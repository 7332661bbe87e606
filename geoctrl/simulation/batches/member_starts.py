"""Starts of many members at once: which of them are ordinary, and may be run beside others.

Those that are not are run alone, where they are refused in words or run with more care: off the leaf,
singular, outside the domain, small beside the sizes that doubles are made for, or on the surface of an event.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from geoctrl.errors import GeoctrlError
from geoctrl.simulation.members.ensemble_members import MembersPart
from geoctrl.simulation.members.ensemble_task import EnsembleTask
from geoctrl.stepping.drive.flow import Flow
from geoctrl.stepping.drive.passages import RELATIVE_ROUNDING
from geoctrl.stepping.drive.run_sizes import SMALL, are_ordinary
from geoctrl.systems.states.clear_states import are_clearly_good

__all__ = ["MemberStarts", "Sides", "member_starts", "sides_at"]

_NEAR = 2.0**-20
"""Part of a run within which a passage counts as near its start."""


class Sides(NamedTuple):
    """Functions of the events where members are, (g, k) each, and the rates of their states.

    Attributes
    ----------
    values : ndarray
    limits : ndarray
        Values up to which rounding of state and time leaves no sign.
    rates : ndarray (n, k)
    """

    values: np.ndarray
    limits: np.ndarray
    rates: np.ndarray


class MemberStarts(NamedTuple):
    """What the starts of members are.

    Attributes
    ----------
    ordinary : ndarray of bool (k,)
        Those that are run beside others.
    sides : ndarray of int (g, k)
        Signs of the functions of the events.
    """

    ordinary: np.ndarray
    sides: np.ndarray


def member_starts(task: EnsembleTask, part: MembersPart) -> MemberStarts:
    """Which members are ordinary, and on which sides of the surfaces of events all begin."""
    t, x = float(task.times[0]), np.ascontiguousarray(part.starts.T)
    extra = list(task.extra_numbers(part, t))
    begin = sides_at(task, part, t, x, extra)
    clear = _are_clearly_ordinary(task, part, x, extra, begin.rates)
    good = np.isfinite(x).all(axis=0)
    for i in np.flatnonzero(good & ~clear):
        good[i] = _is_ordinary(task, part, int(i))
    if task.located_events:
        good &= _is_aside(task, part, x, extra, begin)
    return MemberStarts(good, np.sign(begin.values).astype(int))


def _are_clearly_ordinary(
    task: EnsembleTask, part: MembersPart, x: np.ndarray, extra: list[Any], rates: np.ndarray
) -> np.ndarray:
    """Whether a glance at all of them is enough to see it, bool (k,)."""
    system: Any = task.system
    try:
        params = system.member_parameters(part.params)
    except GeoctrlError:
        return np.zeros(len(part), bool)
    t = float(task.times[0])
    clear = are_clearly_good(system, t, x, params)
    for values in params.values():
        clear &= np.isfinite(values)
    inputs = task.values(task.drive.images(system)[0], part, t, list(x), extra)
    with np.errstate(all="ignore"):
        for found in (x.sum(axis=0), *rates, *inputs):
            clear &= np.isfinite(found)
        return clear & are_ordinary(x, rates, SMALL)


def _is_ordinary(task: EnsembleTask, part: MembersPart, i: int) -> bool:
    """Whether `simulate` takes the start, and runs it in the units of the system."""
    system = task.system
    try:
        values = system.parameters_at(part.params_of(i))
        flow = Flow(
            system=system,
            drive=task.drive,
            params=values,
            x0=system.start(part.starts[i], values),
            times=task.times,
        )
        flow.require_start()
        return flow.sizes(SMALL) is None
    except GeoctrlError:
        return False


def _is_aside(
    task: EnsembleTask, part: MembersPart, x: np.ndarray, extra: list[Any], begin: Sides
) -> np.ndarray:
    """Whether starts are within the domain, and aside from the surfaces of all events: as `Flow.opening`."""
    t, span = float(task.times[0]), float(task.times[-1] - task.times[0])
    nodes, g, step = task.equations.events, len(task.equations.events), _NEAR * span
    a = begin.values
    with np.errstate(invalid="ignore"):
        second = x + step * begin.rates
        found = task.values([*nodes, *task.equations.rates], part, t + step, list(second), extra)
        third = second + step * np.array(found[g:])
        b, c = np.array(found[:g]), np.array(task.values(nodes, part, t + 2 * step, list(third), extra))
        aside = (np.abs(a) > 2 * np.abs(b - a)) & (np.abs(a) > 2 * np.abs(c - b)) & (np.abs(a) > begin.limits)
    for k, event in enumerate(task.located_events):
        if event.edge is not None:
            aside[k] &= a[k] > 0
    return aside.all(axis=0)


def sides_at(task: EnsembleTask, part: MembersPart, times: Any, x: np.ndarray, extra: list[Any]) -> Sides:
    """Functions of the events at times (k,) and states (n, k), and what rounding changes in them."""
    recorded, slopes = task.equations, task.equations.slopes
    g, n = len(recorded.events), len(recorded.rates)
    nodes = [*recorded.events, *recorded.rates, *slopes.values()]
    found = np.array(task.values(nodes, part, times, list(x), extra))
    values, rates = found[:g], found[g : g + n]
    given, moving = [*x, times, *extra], [*rates, 1.0]
    known, moved = np.zeros((2, g, len(part)))
    with np.errstate(invalid="ignore"):
        for (event, place), slope in zip(slopes, found[g + n :], strict=True):
            known[event] += np.fmax(
                np.abs(slope * given[place]), 0.0
            )  # of what is no number nothing is known
            if place <= n:
                moved[event] += slope * moving[place]
        resolution = RELATIVE_ROUNDING * np.maximum(np.abs(times), abs(float(task.times[0])))
        return Sides(values, np.fmax(RELATIVE_ROUNDING * known, np.abs(moved) * resolution), rates)
