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

__all__ = ["Sides", "ordinary_starts", "sides_at"]

_NEAR = 2.0**-20
"""MembersPart of a run within which a passage counts as near its start."""


class Sides(NamedTuple):
    """Functions of the events, (g, k) each.

    Attributes
    ----------
    values : ndarray
    limits : ndarray
        Values up to which rounding of state and time leaves no sign.
    """

    values: np.ndarray
    limits: np.ndarray


def ordinary_starts(task: EnsembleTask, part: MembersPart) -> np.ndarray:
    """Whether members are run beside others, bool (k,)."""
    clear = _are_clearly_ordinary(task, part)
    good = np.isfinite(part.starts).all(axis=1)
    for i in np.flatnonzero(good & ~clear):
        good[i] = _is_ordinary(task, part, int(i))
    if task.located_events:
        good &= _is_aside(task, part)
    return good


def _are_clearly_ordinary(task: EnsembleTask, part: MembersPart) -> np.ndarray:
    """Whether a glance at all of them is enough to see it, bool (k,)."""
    system: Any = task.system
    try:
        params = system.member_parameters(part.params)
    except GeoctrlError:
        return np.zeros(len(part), bool)
    t, x, extra = float(task.times[0]), part.starts.T, list(task.extra_numbers(part, float(task.times[0])))
    clear = are_clearly_good(system, t, x, params)
    for values in params.values():
        clear &= np.isfinite(values)
    inputs = task.drive.images(system)[0]
    found = np.array(task.values([*task.equations.rates, *inputs], part, t, list(x), extra))
    with np.errstate(all="ignore"):
        clear &= np.isfinite(x.sum(axis=0)) & np.isfinite(found).all(axis=0)
        return clear & are_ordinary(x, found[: len(x)], SMALL)


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


def _is_aside(task: EnsembleTask, part: MembersPart) -> np.ndarray:
    """Whether starts are within the domain, and aside from the surfaces of all events: as `Flow.opening`."""
    t, span = float(task.times[0]), float(task.times[-1] - task.times[0])
    extra, events = task.extra_numbers(part, t), [event.node for event in task.located_events]
    nodes = task.equations.events
    rates = task.equations.rates
    x, step = part.starts.T, _NEAR * span
    rate = np.array(task.values(rates, part, t, list(x), list(extra)))
    with np.errstate(invalid="ignore"):
        second = x + step * rate
        third = second + step * np.array(task.values(rates, part, t + step, list(second), list(extra)))
    first = sides_at(task, part, np.full(len(part), t), part.starts)
    a = first.values
    b, c = (
        np.array(task.values(nodes, part, when, list(state), list(extra)))
        for when, state in ((t + step, second), (t + step, third))
    )
    with np.errstate(invalid="ignore"):
        aside = (np.abs(a) > 2 * np.abs(b - a)) & (np.abs(a) > 2 * np.abs(c - b)) & (np.abs(a) > first.limits)
        for k, event in enumerate(task.located_events):
            if event.edge is not None:
                aside[k] &= a[k] > 0
    return aside.reshape(len(events), -1).all(axis=0)


def sides_at(task: EnsembleTask, part: MembersPart, times: np.ndarray, states: np.ndarray) -> Sides:
    """Functions of the events at times (k,) and states (k, n), and what rounding changes in them."""
    recorded, system = task.equations, task.system
    arguments = [*recorded.state_nodes, system.time_node, *recorded.extra]
    slopes = [node for row in system.graph.jacobian(recorded.events, arguments) for node in row]
    extra = task.extra_numbers(part, float(task.times[-1]))
    given = [*states.T, times, *extra]
    found = np.array(
        task.values([*recorded.events, *slopes, *recorded.rates], part, times, list(states.T), list(extra))
    )
    g, m = len(recorded.events), len(arguments)
    values, rows, rates = found[:g], found[g : g + g * m].reshape(g, m, -1), found[g + g * m :]
    with np.errstate(invalid="ignore"):
        known = np.nansum(np.abs(rows) * np.abs(np.array(given)), axis=1)
        moved = np.einsum("gmk,mk->gk", rows[:, : len(rates)], rates) + rows[:, len(rates)]
    resolution = RELATIVE_ROUNDING * np.maximum(np.abs(times), abs(float(task.times[0])))
    return Sides(values, np.fmax(RELATIVE_ROUNDING * known, np.abs(moved) * resolution))
