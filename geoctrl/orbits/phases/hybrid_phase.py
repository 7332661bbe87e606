"""A phase of a motion through jumps in floats: where it ends, what the jump makes of that, derivatives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from geoctrl.simulation.derivatives.flow_derivative import FlowVariations
from geoctrl.systems import Transition

__all__ = ["Phase", "PhaseEnd", "state_sizes"]


class PhaseEnd(NamedTuple):
    """A phase at its end: states, derivatives, rates."""

    x: np.ndarray
    flow: np.ndarray
    rate: np.ndarray
    guard: float
    slope: np.ndarray
    reset: np.ndarray
    derivative: np.ndarray

    @property
    def speed(self) -> float:
        """dh f."""
        return float(self.slope @ self.rate)


@dataclass(frozen=True, eq=False)
class Phase:
    """One mode up to one jump."""

    transition: Transition
    params: dict[str, float]

    @property
    def system(self) -> Any:
        """That of the mode."""
        return self.transition.source.system

    @cached_property
    def _flow(self) -> FlowVariations:
        return FlowVariations(self.system, np.zeros(self.system.ninputs), self.params)

    @cached_property
    def _program(self) -> Any:
        g, t = self.system.graph, self.transition
        nodes = [t.guard, *t.reset]
        slopes = g.jacobian(nodes, self.system.state_nodes)
        return self.system.program([*nodes, *(e for row in slopes for e in row), *self.system.field_nodes])

    def rate(self, x: np.ndarray) -> np.ndarray:
        """Rate of a state of the mode."""
        own = {k: v for k, v in self.params.items() if k in self.system.params}
        return self.system.rhs(0.0, x, None, own)

    def end(self, x: np.ndarray, time: float) -> PhaseEnd:
        """What the phase makes of a state."""
        end, flow = self._flow(x, time)
        n, k = end.size, len(self.transition.reset) + 1
        arguments = [*end.tolist(), 0.0, *[0.0] * self.system.ninputs]
        values = np.array(self._program.scalar(arguments, self._program.constants(self.params)))
        slopes = values[k : k + k * n].reshape(k, n)
        return PhaseEnd(end, flow, values[k + k * n :], float(values[0]), slopes[0], values[1:k], slopes[1:])


def state_sizes(phases: Sequence[Phase], starts: Sequence[np.ndarray], times: np.ndarray) -> list[np.ndarray]:
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
