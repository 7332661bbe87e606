"""A flow as recorded equations with the inputs put in, and what a system keeps between runs."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import cached_property
from typing import Any

from geoctrl._scalars import Node, Program
from geoctrl.stepping.drive.flow import Flow

__all__ = ["RecordedFlow", "Workspace"]

_KEPT = 64


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


class RecordedFlow:
    """Nodes of a flow on recorded equations.

    Parameters
    ----------
    flow : Flow
        Of a recorded system; its inputs must be no functions.
    watched : sequence of int, optional
        The events that are watched; by default all.

    Attributes
    ----------
    workspace : Workspace
        What the system keeps between runs; it is left out when that is pickled.
    state_nodes, rates, events : list of Node
        The system's states, followed by those of a reconstruction; their rates and the events, with what
        drives the inputs put in.
    extra : list of Node
        Further arguments of these, of which `Drive.extra` gives the numbers.
    """

    def __init__(self, flow: Flow, watched: Sequence[int] | None = None) -> None:
        system: Any = flow.system
        self.flow, self._system = flow, system
        self.workspace: Workspace = system.cache.setdefault("simulation", Workspace())
        self.watched = tuple(range(len(flow.events)) if watched is None else watched)
        images, self.extra = flow.drive.images(system)
        self.state_nodes: list[Node] = [*system.state_nodes, *(state for state, _ in flow.more)]
        rates = [*system.field_nodes, *(rate for _, rate in flow.more)]
        self._images = dict(zip(system.input_nodes, images, strict=True))
        self.rates: list[Node] = self._nodes_with_inputs("field", rates)
        # An input that is held leaves a constant here, which has no zeros.
        self.events: list[Node] = self._nodes_with_inputs(
            "events", [flow.events[i].node for i in self.watched]
        )
        self.arguments = [*self.state_nodes, system.time_node, *self.extra]

    def watching(self, watched: Sequence[int]) -> RecordedFlow:
        """The same, of which other events are watched."""
        return self if tuple(watched) == self.watched else RecordedFlow(self.flow, watched)

    def with_inputs(self, nodes: list[Node]) -> list[Node]:
        """Nodes of the system with what drives the inputs put in, as functions of `arguments`."""
        return self._nodes_with_inputs("others", nodes)

    def _nodes_with_inputs(self, what: str, nodes: list[Node]) -> list[Node]:
        mapping = self._images
        if not mapping:
            return nodes
        key = (what, *(n.index for n in nodes), *((a.index, b.index) for a, b in mapping.items()))
        return self.workspace.get(key, lambda: self._system.graph.substitute(nodes, mapping))

    def key(self, *more: Hashable) -> Hashable:
        """What the equations and events are, by content: nodes are equal where their values are."""
        return (self._key, *more)

    @cached_property
    def _key(self) -> Hashable:
        events = self.flow.events
        return (
            tuple([n.index for n in self.arguments]),
            tuple([n.index for n in self.rates]),
            tuple(
                (node.index, events[i].terminal, i) for i, node in zip(self.watched, self.events, strict=True)
            ),
        )

    def program(self, nodes: Sequence[Node]) -> Program:
        """Compiled function of `arguments`, kept with the system."""
        system = self._system
        key = ("program", tuple(n.index for n in self.arguments), tuple(n.index for n in nodes))
        return self.workspace.get(
            key, lambda: Program(system.graph, self.arguments, system.parameter_nodes, nodes)
        )

    @property
    def right_hand_side(self) -> Program:
        """The field, followed by the events."""
        return self.program([*self.rates, *self.events])
