"""One initial value problem as the engines see it, and what a system keeps between runs."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from geoctrl._scalars import Node, Program
from geoctrl.simulation.events import EventLog, LocatedEvent
from geoctrl.simulation.inputs import Inputs

if TYPE_CHECKING:
    from geoctrl.systems import ReducedSystem

__all__ = ["Block", "Outcome", "Problem", "Workspace", "workspace"]

Block = tuple[np.ndarray, np.ndarray]
"""Times (k,) and states (k, n); both may be empty."""

_KEPT = 64


@dataclass
class Outcome:
    """How an engine ended: ``failure`` is None, or says what went wrong after the state at ``time``."""

    time: float
    failure: str | None = None
    state: np.ndarray | None = None
    """The last finite state, where the run failed."""


class Workspace:
    """What one system keeps between runs: substituted equations, programs, idle compiled integrators."""

    def __init__(self) -> None:
        self._kept: dict[Hashable, Any] = {}
        self._idle: dict[Hashable, list] = {}

    def get(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """The value kept under `key`, made where there is none."""
        try:
            return self._kept[key]
        except KeyError:
            if len(self._kept) >= _KEPT:
                self._kept.clear()
            value = self._kept[key] = make()
            return value

    def take(self, key: Hashable) -> Any | None:
        """An idle integrator; nobody else has it until it is given back (threads may share a system)."""
        try:
            return self._idle[key].pop()
        except (KeyError, IndexError):
            return None

    def give(self, key: Hashable, integrator: Any) -> None:
        """Give an integrator back."""
        if key not in self._idle and len(self._idle) >= _KEPT:
            self._idle.clear()
        self._idle.setdefault(key, []).append(integrator)


def workspace(system: ReducedSystem) -> Workspace:
    """The workspace of a system, made at the first run; it is left out when the system is pickled."""
    return system.cache.setdefault("simulation", Workspace())


@dataclass(frozen=True, eq=False)
class Problem:
    """States, their equations and what drives them.

    Attributes
    ----------
    state_nodes, rates : list of Node
        The system's, perhaps followed by those of a reconstruction.
    inputs : Inputs
    events : tuple of LocatedEvent
    params : dict
    x0 : ndarray
    times : ndarray
        ``times[0]`` is the initial time.
    rtol : float or None
        The engine's default where None.
    follow : ndarray or None
        Known values (n, nt) of the first states, from which each interval of the grid starts.
    """

    system: ReducedSystem
    state_nodes: list[Node]
    rates: list[Node]
    inputs: Inputs
    events: tuple[LocatedEvent, ...]
    params: Mapping[str, float]
    x0: np.ndarray
    times: np.ndarray
    rtol: float | None
    follow: np.ndarray | None = None
    log: EventLog = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "log", EventLog(float(self.times[0])))

    @classmethod
    def of(
        cls, system: ReducedSystem, inputs: Inputs, *, more: Sequence[tuple[Node, Node]] = (), **rest: Any
    ):
        """The equations of motion with the inputs put in, extended by (state, rate) pairs.

        Takes the remaining attributes by name.
        """
        states = [*system.state_nodes, *(state for state, _ in more)]
        nodes = [*system.field_nodes, *(rate for _, rate in more)]
        if any(node is not image for node, image in inputs.mapping.items()):
            key = (
                "field",
                *(n.index for n in nodes),
                *((a.index, b.index) for a, b in inputs.mapping.items()),
            )
            nodes = workspace(system).get(key, lambda: system.graph.substitute(nodes, inputs.mapping))
        return cls(system=system, state_nodes=states, rates=nodes, inputs=inputs, **rest)

    @cached_property
    def arguments(self) -> list[Node]:
        """States, time, further arguments of the inputs."""
        return [*self.state_nodes, self.system.assembly.time, *self.inputs.arguments]

    def key(self, *more: Hashable) -> Hashable:
        """What the equations and events are, by content: nodes are equal where their values are."""
        return (
            tuple(n.index for n in self.arguments),
            tuple(n.index for n in self.rates),
            tuple((e.node.index, e.terminal, e.direction) for e in self.events),
            *more,
        )

    def program(self, nodes: Sequence[Node]) -> Program:
        """Compiled function of `arguments`, kept with the system."""
        key = ("program", tuple(n.index for n in self.arguments), tuple(n.index for n in nodes))
        parameters = self.system.assembly.parameters
        return workspace(self.system).get(
            key, lambda: Program(self.system.graph, self.arguments, parameters, nodes)
        )

    @property
    def right_hand_side(self) -> Program:
        """The field, followed by the events."""
        return self.program([*self.rates, *(e.node for e in self.events)])

    def pieces(self) -> Iterator[tuple[np.ndarray, np.ndarray | None]]:
        """Time grids to be run one after the other, with the first states to be set at their beginning."""
        if self.follow is None and not self.inputs.piecewise:
            yield self.times, None
            return
        for k in range(self.times.size - 1):
            yield self.times[k : k + 2], None if self.follow is None else self.follow[:, k]
