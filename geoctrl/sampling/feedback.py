"""A law with its numbers, apart from the system it was made of: what a controller computes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import sympy as sp

from geoctrl._checks import nearest, require_declared
from geoctrl._scalars import STATE, FromSympy, Graph, Node, Program
from geoctrl.errors import LabelError

__all__ = ["Feedback"]


@dataclass(frozen=True)
class Feedback:
    r"""Inputs of a plant as functions of its states, :math:`u = f(y, z)`, :math:`\dot z = g(y, z, u)`.

    Attributes
    ----------
    terms : dict of input label -> sympy expression
        f in measured states and states of the controller, with numbers for everything else.
    rates : dict of label -> sympy expression
        g for each state of the controller, which may hold the inputs as they are applied.
    rest : dict of input label -> float
        Inputs at the equilibrium that the law holds, zero where none is given.

    Raises
    ------
    DescriptionError
        If an expression holds a symbol that is no real number to be measured.
    """

    terms: Mapping[str, sp.Expr]
    rates: Mapping[str, sp.Expr] = field(default_factory=dict)
    rest: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        found = {s for e in (*self.terms.values(), *self.rates.values()) for s in e.free_symbols}
        real = {sp.Symbol(str(s), real=True) for s in found}
        require_declared("a law", (*self.terms.values(), *self.rates.values()), real, "declare it real")

    def __getstate__(self) -> dict:
        return {k: getattr(self, k) for k in ("terms", "rates", "rest")}

    # -- labels ---------------------------------------------------------------------------------

    @property
    def inputs(self) -> tuple[str, ...]:
        """Labels of the inputs that it sets."""
        return tuple(self.terms)

    @property
    def own(self) -> tuple[str, ...]:
        """Labels of the controller's states."""
        return tuple(self.rates)

    @cached_property
    def signals(self) -> tuple[str, ...]:
        """Labels of the states that it measures, in alphabetical order."""
        found = {str(s) for e in (*self.terms.values(), *self.rates.values()) for s in e.free_symbols}
        return tuple(sorted(found - {*self.own, *self.inputs}))

    def measured(self, labels: Sequence[str]) -> tuple[str, ...]:
        """Its `signals` in the order of a plant's states.

        Raises
        ------
        LabelError
            If the plant has no state of such a name.
        """
        for label in self.signals:
            if label not in labels:
                raise LabelError(
                    f"the law measures {label!r}, which is no state of this plant{nearest(label, labels)}"
                )
        return tuple(label for label in labels if label in self.signals)

    # -- compiled -------------------------------------------------------------------------------

    @cached_property
    def _graph(self) -> tuple[Graph, dict[str, Node], list[Node], list[Node]]:
        """Graph, symbols by label, nodes of the terms and of the rates."""
        graph = Graph()
        nodes = {label: graph.symbol(label, STATE) for label in (*self.signals, *self.own, *self.inputs)}
        read = FromSympy(graph, {sp.Symbol(label, real=True): node for label, node in nodes.items()})
        return graph, nodes, [read(e) for e in self.terms.values()], [read(e) for e in self.rates.values()]

    def law(self, signals: Sequence[str]) -> Program:
        """f as a function of (y, z), y in the order given."""
        graph, nodes, terms, _ = self._graph
        return Program(graph, [nodes[label] for label in (*signals, *self.own)], {}, terms)

    def update(self, signals: Sequence[str]) -> Program:
        """g as a function of (y, z, u), y in the order given."""
        graph, nodes, _, rates = self._graph
        return Program(graph, [nodes[label] for label in (*signals, *self.own, *self.inputs)], {}, rates)

    def jacobian(self, states: Mapping[str, float]) -> tuple[np.ndarray, np.ndarray]:
        """Derivatives of f (m, n + q) and of g (q, n + q + m) at states by label and z = 0, u at `rest`."""
        graph, nodes, terms, rates = self._graph
        order = [*states, *self.own, *self.inputs]
        rest = [self.rest.get(label, 0.0) for label in self.inputs]
        values = dict(zip(order, [*states.values(), *[0.0] * len(self.own), *rest], strict=True))
        used = [label for label in order if label in nodes]
        rows = [e for row in graph.jacobian([*terms, *rates], [nodes[k] for k in used]) for e in row]
        program = Program(graph, [nodes[label] for label in used], {}, rows)
        found = program([values[label] for label in used], {}).reshape(len(terms) + len(rates), len(used))
        full = np.zeros((len(found), len(order)))
        full[:, [order.index(label) for label in used]] = found
        return full[: len(terms), : len(order) - len(terms)], full[len(terms) :]
