"""A phase of a motion through jumps in floats: where it ends, what the jump makes of that, derivatives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from geoctrl._scalars import Node
from geoctrl.simulation.derivatives.flow_derivative import FlowVariations
from geoctrl.systems import Transition

__all__ = ["Phase", "PhaseEnd"]

_KEPT = 1e-10
"""Part of a value that a jump keeps by which rounding changes it."""
_DOUBLINGS = 8
"""Of a step beyond a guard, that may be lost in the digits of the state."""


class PhaseEnd(NamedTuple):
    """A phase at its end: states, derivatives, rates; guard and reset after a start and a time that are held,
    by the parameter of a branch.
    """

    x: np.ndarray
    flow: np.ndarray
    rate: np.ndarray
    guard: float
    slope: np.ndarray
    reset: np.ndarray
    derivative: np.ndarray
    guard_by_value: float = 0.0
    reset_by_value: np.ndarray | float = 0.0

    @property
    def speed(self) -> float:
        """dh f."""
        return float(self.slope @ self.rate)


@dataclass(frozen=True, eq=False)
class Phase:
    """One mode up to one jump; along a branch with derivatives by a parameter."""

    transition: Transition
    params: dict[str, float]
    along: str | None = None

    def at_value(self, value: float) -> Phase:
        """The same with another value of the parameter of a branch."""
        assert self.along is not None
        other = replace(self, params=self.params | {self.along: value})
        known = {
            "flow": self.flow,
            "_program": self._program,
            "_symbols": self._symbols,
            "_programs": self._programs,
        }
        other.__dict__.update(known)
        return other

    @property
    def system(self) -> Any:
        """That of the mode."""
        return self.transition.source.system

    @cached_property
    def _symbols(self) -> list[Node]:
        """Symbols by which derivatives are taken: states, and the parameter where the mode has it."""
        named = self.system.parameter_nodes.get(self.along)
        return [*self.system.state_nodes, *([] if named is None else [named])]

    @cached_property
    def flow(self) -> FlowVariations:
        """States, and their derivatives by the start, after a time; along a branch by its parameter too."""
        moves = {*self._symbols[self.system.nstates :]} & {
            *self.system.graph.symbols(self.system.field_nodes)
        }
        along = self.along if moves else None
        return FlowVariations(self.system, np.zeros(self.system.ninputs), self.params, along)

    @cached_property
    def _program(self) -> Any:
        nodes = [self.transition.guard, *self.transition.reset]
        slopes = self.system.graph.jacobian(nodes, self._symbols)
        return self.system.program([*nodes, *self.system.field_nodes, *(e for row in slopes for e in row)])

    @cached_property
    def _programs(self) -> dict[tuple[Node, ...], Any]:
        return {}

    def values_and_slopes(
        self, nodes: Sequence[Node], x: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Values of nodes of the mode at a state, gradients (k, n), derivatives by the parameter."""
        k, n = len(nodes), x.size
        if not k:
            return np.zeros(0), np.zeros((0, n)), np.zeros(0)
        if tuple(nodes) not in self._programs:
            slopes = self.system.graph.jacobian(list(nodes), self._symbols)
            program = self.system.program([*nodes, *(e for row in slopes for e in row)])
            self._programs[tuple(nodes)] = program
        values = self._numbers(self._programs[tuple(nodes)], x)
        slopes = values[k:].reshape(k, -1)
        return values[:k], slopes[:, :n], slopes[:, n] if len(self._symbols) > n else np.zeros(k)

    def _numbers(self, program: Any, x: np.ndarray) -> np.ndarray:
        arguments = [*x.tolist(), 0.0, *[0.0] * self.system.ninputs]
        return np.array(program.scalar(arguments, program.constants(self.params)))

    def rate(self, x: np.ndarray) -> np.ndarray:
        """Rate of a state of the mode."""
        own = {k: v for k, v in self.params.items() if k in self.system.params}
        return self.system.rhs(0.0, x, None, own)

    def past_guard(self, x: np.ndarray, apart: np.ndarray) -> np.ndarray:
        """A state after the jump, on the side of its guard that the motion takes.

        What is on the guard up to ``apart``, by which states may be told wrong, passes it once more where it
        lies behind: in a run that is a strike.
        """
        guard = [self.transition.guard]
        if self.transition.target.name != self.transition.source.name:
            return x
        (h,), (slope,), _ = self.values_and_slopes(guard, x)
        rate = self.rate(x)
        speed = float(slope @ rate)
        if h * speed >= 0 or abs(h) > np.abs(slope) @ apart:
            return x
        step, moved = -h / speed, x
        for _ in range(_DOUBLINGS):
            step *= 2
            moved = x + step * rate
            if self.values_and_slopes(guard, moved)[0][0] * h <= 0:
                break
        return moved

    def end(self, x: np.ndarray, time: float) -> PhaseEnd:
        """What the phase makes of a state."""
        end, flow = self.flow(x, time, self.params.get(self.along or ""))
        n, k = end.size, len(self.transition.reset) + 1
        values = self._numbers(self._program, end)
        slopes = values[k + n :].reshape(k, -1)
        by_value = slopes[:, n] if len(self._symbols) > n else np.zeros(k)
        if flow.shape[1] > n:
            by_value = by_value + slopes[:, :n] @ flow[:, n]
        return PhaseEnd(
            x=end,
            flow=flow[:, :n],
            rate=values[k : k + n],
            guard=float(values[0]),
            slope=slopes[0, :n],
            reset=values[1:k],
            derivative=slopes[1:, :n],
            guard_by_value=float(by_value[0]),
            reset_by_value=by_value[1:],
        )

    def keeps(self, name: str, states: Sequence[np.ndarray]) -> bool:
        """Whether the jump keeps a function, at states on its guard."""
        t, target = self.transition, self.transition.target.system
        before = self.system.conserved(self.params)[name]
        after = target.conserved(self.params).get(name)
        if after is None or not states:
            return False
        here, there = self.system.program([before, *t.reset]), target.program([after])
        for x in states:
            value, *y = here.scalar([*x.tolist(), 0.0], here.constants(self.params))
            (other,) = there.scalar([*y, 0.0], there.constants(self.params))
            if abs(value - other) > _KEPT * (abs(value) + abs(other)):
                return False
        return True
