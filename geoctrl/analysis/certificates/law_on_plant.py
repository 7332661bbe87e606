"""What a controller computes, on the graph of its plant.

An estimate is a state of the controller that is stepped from what sensors show. These see the inputs that act
up to the sample, which are remembered as further states of the controller: those of whole holds before it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from geoctrl._scalars import STATE, FromSympy, Graph, Node, evaluate, exact
from geoctrl._scalars.arithmetic.arithmetics import FLOAT
from geoctrl._scalars.arithmetic.magnitudes import magnitudes
from geoctrl.sampling import HOLD, SampledController
from geoctrl.systems import Equilibrium

__all__ = ["LawAtRest", "LawOnPlant", "law_on_plant"]


class LawOnPlant(NamedTuple):
    r"""A law as sums of nodes, of which the numbers can be read.

    Attributes
    ----------
    own : dict of label -> Node
        States of the controller.
    rest : dict of label -> Node
        Where they rest, by states and inputs of the plant.
    terms : dict of input label -> list of Node
    rates : dict of label -> list of Node
        g of :math:`z_{k+1} = z_k + h\,g`.
    """

    own: dict[str, Node]
    rest: dict[str, Node]
    terms: dict[str, list[Node]]
    rates: dict[str, list[Node]]


def law_on_plant(
    system: Any, controller: SampledController, states: Mapping[str, Node], sent: Mapping[str, Node]
) -> LawOnPlant:
    """The law of a controller.

    Parameters
    ----------
    system : with recorded equations
    states : nodes of the plant's states by the labels that the law has for them
    sent : nodes of the inputs by label, as the controller's own states see them at a sample
    """
    law, graph = controller.feedback, system.graph
    inputs = dict(zip(system.input_labels, system.input_nodes, strict=True))
    own = {label: graph.symbol(f"{label} of the controller", STATE) for label in law.own}
    signals = [node for sensor in law.sensors for node in sensor.nodes(system)]
    waiting = {} if controller.lag else _waiting(graph, controller, signals, inputs)
    acting = {inputs[u]: nodes[-1] for u, nodes in waiting.items()}
    shown = dict(zip(law.sensor_labels, graph.substitute(signals, acting), strict=True))
    known = {**states, **own, **{k: sent[k] for k in law.inputs}, **shown}
    rate = graph.number(exact(controller.rate))
    read = FromSympy(graph, {_symbol(label): node for label, node in known.items()} | {HOLD: 1 / rate})

    def parts(e: sp.Expr) -> list[Node]:
        # Steps of an estimate have no numbers to be read, and would be long.
        return [read(part) for part in sp.Add.make_args(e if law.steps else sp.expand(e))]

    rates = {label: parts(e) for label, e in law.rates.items()}
    rates |= {label: [rate * read(step), -rate * own[label]] for label, step in law.steps.items()}
    rest = dict.fromkeys(own, graph.zero) | {label: read(e) for label, e in law.estimates.items()}
    for u, nodes in waiting.items():
        for j, (node, before) in enumerate(zip(nodes, [sent[u], *nodes], strict=False), start=1):
            label = f"{u} of {j} holds before"
            own[label], rest[label], rates[label] = node, inputs[u], [rate * before, -rate * node]
    return LawOnPlant(own, rest, {label: parts(e) for label, e in law.terms.items()}, rates)


def _waiting(
    graph: Graph, controller: SampledController, signals: list[Node], inputs: Mapping[str, Node]
) -> dict[str, list[Node]]:
    """Symbols of the inputs of one hold before, of two, and so on, up to those that sensors see."""
    seen, count = set(graph.symbols(signals)), controller.holds_late[0] + 1
    return {
        u: [graph.symbol(f"{u} of {j} holds before", STATE) for j in range(1, count + 1)]
        for u in controller.feedback.inputs
        if inputs[u] in seen
    }


def _symbol(label: str) -> sp.Symbol:
    return sp.Symbol(label, real=True)


class LawAtRest:
    """A law in numbers, at a point of rest of its plant.

    Parameters
    ----------
    system : with recorded equations
    controller : SampledController
    point : Equilibrium

    Attributes
    ----------
    own : tuple of str
        States of the controller.
    estimates : ndarray (q, n)
        Derivatives of where they rest by states of the plant.
    """

    def __init__(self, system: Any, controller: SampledController, point: Equilibrium) -> None:
        self._graph: Graph = system.graph
        self._sent = {u: system.graph.symbol(f"{u} sent", STATE) for u in controller.feedback.inputs}
        self._states, self._acting = list(system.state_nodes), list(system.input_nodes)
        states = dict(zip(system.state_labels, self._states, strict=True))
        self._law = law_on_plant(system, controller, states, self._sent)
        self.own, self._held = (
            tuple(self._law.own),
            dict(zip(system.input_labels, point.u.tolist(), strict=True)),
        )
        self._at: dict[Node, float] = {
            node: float(point.params[k]) for k, node in system.parameter_nodes.items()
        }
        self._at |= {system.time_node: 0.0} | {node: self._held[u] for u, node in self._sent.items()}
        self._at |= dict(zip(self._acting, point.u.tolist(), strict=True))
        self._at |= dict(zip(self._states, point.x.tolist(), strict=True))
        rest = list(self._law.rest.values())
        self._at |= dict(zip(self._law.own.values(), self._numbers(rest), strict=True))
        self.estimates = self._slopes(rest, self._states)

    def _numbers(self, nodes: Sequence[Node]) -> list[float]:
        return [float(v) for v in evaluate(list(nodes), self._at, FLOAT)]

    def _slopes(self, nodes: Sequence[Node], by: Sequence[Node]) -> np.ndarray:
        rows = self._graph.jacobian(list(nodes), list(by))
        return np.array(self._numbers([e for row in rows for e in row])).reshape(len(rows), len(by))

    def _sums(self, part: Mapping[str, list[Node]]) -> list[Node]:
        return [self._graph.add(nodes) for nodes in part.values()]

    def inputs_asked_for(
        self, column: np.ndarray, inputs: np.ndarray
    ) -> dict[str, tuple[float, float, float]]:
        """What the law asks for, what holds the point, and the size of the terms that make the former.

        Parameters
        ----------
        column, inputs : sizes of states and inputs where they are larger than their values
        """
        found = self._sizes(self._law.terms, column, inputs)
        return {k: (value, self._held[k], mu) for k, (value, mu) in found.items()}

    def rates_of_own(self, column: np.ndarray, inputs: np.ndarray) -> dict[str, tuple[float, float]]:
        """Rates of the controller's states, and the sizes of the terms that make them."""
        return self._sizes(self._law.rates, column, inputs)

    def _sizes(
        self, part: Mapping[str, list[Node]], column: np.ndarray, inputs: np.ndarray
    ) -> dict[str, tuple[float, float]]:
        large = dict(zip([*self._states, *self._acting], [*column, *inputs], strict=True))
        values, mu = magnitudes(self._graph, self._sums(part), self._at, large)
        return dict(zip(part, zip(values.tolist(), mu.tolist(), strict=True), strict=True))

    def derivatives(self, is_lagging: bool) -> tuple[np.ndarray, np.ndarray]:
        """Of f by states, what actuators that lag give, and states of the controller, (m, n + l + q); of g by
        these and by the inputs as they are sent (q, n + l + q + m).
        """
        acting = [node for node, u in zip(self._acting, self._held, strict=True) if u in self._sent]
        by = [*self._states, *(acting if is_lagging else []), *self._law.own.values()]
        terms, rates = self._sums(self._law.terms), self._sums(self._law.rates)
        return self._slopes(terms, by), self._slopes(rates, [*by, *self._sent.values()])
