"""A phase of a motion through jumps in floats: where it ends, what the jump makes of that, derivatives."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from geoctrl.simulation.derivatives.flow_derivative import FlowVariations
from geoctrl.systems import Transition

__all__ = ["Phase", "PhaseEnd"]


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
    def flow(self) -> FlowVariations:
        """States, and their derivatives by the start, after a time."""
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
        end, flow = self.flow(x, time)
        n, k = end.size, len(self.transition.reset) + 1
        arguments = [*end.tolist(), 0.0, *[0.0] * self.system.ninputs]
        values = np.array(self._program.scalar(arguments, self._program.constants(self.params)))
        slopes = values[k : k + k * n].reshape(k, n)
        return PhaseEnd(end, flow, values[k + k * n :], float(values[0]), slopes[0], values[1:k], slopes[1:])
