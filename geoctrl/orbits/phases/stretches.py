"""Phases cut into stretches: where a flow is unstable, one alone loses the digits by which its start is told.

A stretch ends on a plane across the motion of a guess, on which the next one begins. Next to a saddle it is
the time that changes most, and not where planes are passed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from geoctrl.orbits.phases.hybrid_phase import Phase, PhaseEnd

__all__ = [
    "Stretch",
    "Way",
    "end_of_way",
    "growth_of_part",
    "state_sizes",
    "stretches_of_part",
    "time_to_guard",
]

Way = tuple[tuple[np.ndarray, float], ...]
"""States along a phase, its start first, and times from each to the next, or to the jump."""

_TRIES, _ABOUT = 4, 1e-3
"""Steps at most, and the part of the time that the last one is."""


@dataclass(frozen=True, eq=False)
class Stretch:
    """A part of a phase up to a plane, across the motion that passes a point of it.

    Attributes
    ----------
    phase : Phase
    point, normal : ndarray (n,)
    """

    phase: Phase
    point: np.ndarray
    normal: np.ndarray

    @property
    def system(self) -> Any:
        """That of the mode."""
        return self.phase.system

    @property
    def params(self) -> dict[str, float]:
        """Those of the phase."""
        return self.phase.params

    @property
    def flow(self) -> Any:
        """That of the phase."""
        return self.phase.flow

    def rate(self, x: np.ndarray) -> np.ndarray:
        """Rate of a state of the mode."""
        return self.phase.rate(x)

    def end(self, x: np.ndarray, time: float) -> PhaseEnd:
        """What becomes of a state; nothing jumps."""
        end, flow = self.phase.flow(x, time)
        off = float(self.normal @ (end - self.point))
        return PhaseEnd(end, flow, self.rate(end), off, self.normal, end, np.eye(end.size))


def growth_of_part(part: Phase | Stretch, x: np.ndarray, time: float, sizes: np.ndarray) -> float:
    """How many times longer differences of states over their sizes become."""
    return float(np.linalg.norm(part.flow(x, time)[1] * sizes / sizes[:, None], 2))


def stretches_of_part(
    part: Phase | Stretch, x: np.ndarray, time: float, sizes: np.ndarray, count: int
) -> tuple[list[Stretch | Phase], list[np.ndarray]]:
    """A part in so many, of equal times along the motion from a state, and the states where they begin."""
    phase = part.phase if isinstance(part, Stretch) else part
    parts, states = list[Stretch | Phase](), [x]
    for _ in range(count - 1):
        x = part.flow(x, time / count)[0]
        parts.append(Stretch(phase, x, phase.rate(x) / sizes**2))
        states.append(x)
    return [*parts, part], states


def time_to_guard(part: Phase | Stretch, x: np.ndarray, time: float) -> float:
    """About when a motion passes the guard of a part, by a few steps from a time."""
    for _ in range(_TRIES):
        end = part.end(x, time)
        away = -end.guard / end.speed if end.speed else 0.0
        away = min(max(away, -time / 2), time / 2)
        time += away
        if not abs(away) > _ABOUT * time:
            break
    return time


def end_of_way(phase: Phase, way: Way) -> PhaseEnd:
    """The end of a phase, with the derivative by its start from state to state."""
    flow = np.eye(way[0][0].size)
    for x, time in way[:-1]:
        flow = phase.flow(x, time)[1] @ flow
    end = phase.end(*way[-1])
    return end._replace(flow=end.flow @ flow)


def state_sizes(
    phases: Sequence[Phase | Stretch], starts: Sequence[np.ndarray], times: np.ndarray
) -> list[np.ndarray]:
    """Largest values of each state over the phases that have it: at their starts, half way and at their ends,
    or on the way there.
    """
    found: dict[str, float] = {}
    for phase, x, time in zip(phases, starts, times, strict=True):
        middle, end = phase.end(x, float(time) / 2), phase.end(x, float(time))
        way = np.maximum(np.abs(middle.rate), np.abs(end.rate)) * time
        size = np.max(np.abs([x, middle.x, end.x, way]), axis=0)
        for label, value in zip(phase.system.state_labels, size.tolist(), strict=True):
            found[label] = max(found.get(label, 0.0), value)
    labels = [phase.system.state_labels for phase in phases]
    return [np.array([found[label] or 1.0 for label in own]) for own in labels]
