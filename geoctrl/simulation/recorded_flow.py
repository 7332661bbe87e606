"""A flow as recorded equations with the inputs put in, and what a system keeps between runs."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import cached_property
from typing import Any

from geoctrl._scalars import Node, Program
from geoctrl.stepping.drive.flow import Flow

__all__ = ["DrivenEquations", "RecordedFlow", "Workspace"]

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


class DrivenEquations:
    """Rates and events with what drives the inputs put in: one for all flows that differ in numbers alone.

    Parameters
    ----------
    images : mapping from input node to node
    states, rates, events, extra : list of Node
        As of `RecordedFlow`; rates and events still in the inputs.
    kinds : sequence
        What else tells integrators of the events apart.
    """

    def __init__(
        self,
        system: Any,
        images: Mapping[Node, Node],
        states: list[Node],
        rates: list[Node],
        events: list[Node],
        extra: list[Node],
        kinds: Sequence[Hashable],
    ) -> None:
        self._system, self._images = system, images
        self.states, self.extra = states, extra
        self.rates = self.with_inputs(rates)
        # An input that is held leaves a constant here, which has no zeros.
        self.events = self.with_inputs(events)
        self.arguments = [*states, system.time_node, *extra]
        self._programs: dict[tuple[int, ...], Program] = {}
        told = zip(self.events, kinds, strict=True)
        self.key: Hashable = (
            tuple(n.index for n in self.arguments),
            tuple(n.index for n in self.rates),
            tuple((node.index, kind) for node, kind in told),
        )

    def with_inputs(self, nodes: list[Node]) -> list[Node]:
        """Nodes of the system with what drives the inputs put in."""
        return self._system.graph.substitute(nodes, self._images) if self._images else nodes

    def program(self, nodes: Sequence[Node]) -> Program:
        """Compiled function of `arguments`, kept."""
        key = tuple(n.index for n in nodes)
        if key not in self._programs:
            if len(self._programs) >= _KEPT:
                self._programs.clear()
            system = self._system
            self._programs[key] = Program(system.graph, self.arguments, system.parameter_nodes, nodes)
        return self._programs[key]

    @cached_property
    def right_hand_side(self) -> Program:
        """The field, followed by the events."""
        return self.program([*self.rates, *self.events])

    @cached_property
    def slopes(self) -> dict[tuple[int, int], Node]:
        """Derivatives of the events by the arguments, those that are not zero, by both numbers."""
        rows = self._system.graph.jacobian(self.events, self.arguments)
        return {(i, j): e for i, row in enumerate(rows) for j, e in enumerate(row) if not e.is_zero}


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
        images, extra = flow.drive.images(system)
        events = [(flow.events[i].node, (flow.events[i].terminal, i)) for i in self.watched]
        told = (
            tuple([node.index for node in (*images, *extra)]),
            tuple([(state.index, rate.index) for state, rate in flow.more]),
            tuple([(node.index, kind) for node, kind in events]),
        )
        self._equations: DrivenEquations = self.workspace.get(
            ("equations", *told),
            lambda: DrivenEquations(
                system,
                dict(zip(system.input_nodes, images, strict=True)),
                [*system.state_nodes, *(state for state, _ in flow.more)],
                [*system.evaluated_rates, *(rate for _, rate in flow.more)],
                [node for node, _ in events],
                extra,
                [kind for _, kind in events],
            ),
        )
        kept = self._equations
        self.state_nodes, self.rates, self.events = kept.states, kept.rates, kept.events
        self.extra, self.arguments = kept.extra, kept.arguments
        self.with_inputs, self.program = kept.with_inputs, kept.program

    def watching(self, watched: Sequence[int]) -> RecordedFlow:
        """The same, of which other events are watched."""
        return self if tuple(watched) == self.watched else RecordedFlow(self.flow, watched)

    def key(self, *more: Hashable) -> Hashable:
        """What the equations and events are, by content: nodes are equal where their values are."""
        return (self._equations.key, *more)

    @property
    def right_hand_side(self) -> Program:
        """The field, followed by the events."""
        return self._equations.right_hand_side

    @property
    def slopes(self) -> dict[tuple[int, int], Node]:
        """Derivatives of the events by the arguments, those that are not zero, by both numbers."""
        return self._equations.slopes
