"""A law with its numbers, apart from the system it was made of: what a controller computes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property

import sympy as sp

from geoctrl._checks import nearest, require_declared
from geoctrl._scalars import STATE, FromSympy, Graph, Node, Program
from geoctrl.errors import LabelError
from geoctrl.sampling.sensors import Sensor

__all__ = ["HOLD", "Feedback"]

HOLD = sp.Symbol("the hold", real=True)
"""Time from one sample to the next, in `Feedback.steps`."""


@dataclass(frozen=True)
class Feedback:
    r"""Inputs of a plant as functions of its states, :math:`u = f(y, z)`, :math:`\dot z = g(y, z, u)`.

    States of the controller are summed by Euler's rule, or stepped by :math:`z_{k+1} = s(y_k, z_k, u_k, h)`.

    Attributes
    ----------
    terms : dict of input label -> sympy expression
        f in measured states and states of the controller, with numbers for everything else.
    rates : dict of label -> sympy expression
        g for each state of the controller, which may hold the inputs as they are applied.
    rest : dict of input label -> float
        Inputs at the equilibrium that the law holds, zero where none is given.
    steps : dict of label -> sympy expression
        s for each further state of the controller, which may hold `HOLD`.
    begin : dict of label -> float
        States of the controller at the first sample, zero where none is given.
    sensors : tuple of Sensor
        Of the signals that are no states of the plant.
    computed : dict of input label -> sympy expression
        f as doubles compute it, for inputs where ``terms`` holds roots and angles that are not rational, or
        terms that are rounding alone.
    beside : tuple of str
        Signals that are measured besides, for bounds of the inputs.
    estimates : dict of label -> sympy expression
        What a state of the controller estimates, in states of the plant: where it rests. Others rest at zero.
    """

    terms: Mapping[str, sp.Expr]
    rates: Mapping[str, sp.Expr] = field(default_factory=dict)
    rest: Mapping[str, float] = field(default_factory=dict)
    steps: Mapping[str, sp.Expr] = field(default_factory=dict)
    begin: Mapping[str, float] = field(default_factory=dict)
    sensors: tuple[Sensor, ...] = ()
    computed: Mapping[str, sp.Expr] = field(default_factory=dict)
    beside: tuple[str, ...] = ()
    estimates: Mapping[str, sp.Expr] = field(default_factory=dict)

    def __post_init__(self) -> None:
        real = {sp.Symbol(str(s), real=True) for s in self._symbols}
        require_declared("a law", self._expressions, real, "declare it real")

    def __getstate__(self) -> dict:
        return {k.name: getattr(self, k.name) for k in fields(self)}

    @property
    def _expressions(self) -> tuple[sp.Expr, ...]:
        return (*self.terms.values(), *self.rates.values(), *self.steps.values(), *self.computed.values())

    @property
    def _symbols(self) -> set[sp.Symbol]:
        return {s for e in self._expressions for s in e.free_symbols}

    # -- labels ---------------------------------------------------------------------------------

    @property
    def inputs(self) -> tuple[str, ...]:
        """Labels of the inputs that it sets."""
        return tuple(self.terms)

    @property
    def own(self) -> tuple[str, ...]:
        """Labels of the controller's states."""
        return (*self.rates, *self.steps)

    @property
    def sensor_labels(self) -> tuple[str, ...]:
        """Labels of the signals of its sensors."""
        return tuple(label for sensor in self.sensors for label in sensor.labels)

    @cached_property
    def signals(self) -> tuple[str, ...]:
        """Labels of what it measures, in alphabetical order."""
        known = {str(s) for s in self._symbols - {HOLD}} - {*self.own, *self.inputs}
        return tuple(sorted(known | {*self.beside}))

    def measured_labels(self, labels: Sequence[str]) -> tuple[str, ...]:
        """Its `signals` in the order of a plant's states, followed by those of its sensors."""
        known = (*labels, *self.sensor_labels)
        for label in self.signals:
            if label not in known:
                raise LabelError(
                    f"the law measures {label!r}, which is no state of this plant{nearest(label, labels)}"
                )
        return tuple(label for label in known if label in self.signals)

    # -- compiled -------------------------------------------------------------------------------

    @cached_property
    def _graph(self) -> tuple[Graph, dict[str, Node], FromSympy]:
        """Graph, symbols by label, and what reads expressions into it."""
        graph = Graph()
        labels = (*self.signals, *self.own, *self.inputs, HOLD.name)
        nodes = {label: graph.symbol(label, STATE) for label in labels}
        read = FromSympy(graph, {sp.Symbol(label, real=True): node for label, node in nodes.items()})
        return graph, nodes, read

    def _program(self, arguments: Sequence[str], outputs: Sequence[sp.Expr]) -> Program:
        graph, nodes, read = self._graph
        return Program(graph, [nodes[label] for label in arguments], {}, [read(e) for e in outputs])

    @property
    def in_doubles(self) -> Feedback:
        """The law with the numbers of its code: doubles in place of roots, angles and exact constants.

        A loop with it rests next to the point of the law; `geoctrl.certify` encloses where.

        Examples
        --------
        >>> from dataclasses import replace
        >>> import geoctrl as gc
        >>> plant = gc.models.get("cart-pendulum")().reduce()
        >>> exactly = gc.lqr(plant, plant.equilibrium("upright")).sampled(rate=100)
        >>> rounded = replace(exactly, feedback=exactly.feedback.in_doubles)
        >>> gc.certify(plant, plant.equilibrium("upright"), controller=rounded).verdict.value
        'PROVED_ASYMPTOTICALLY_STABLE'
        """
        return replace(self, terms={**self.terms, **self.computed}, computed={})

    def law(self, signals: Sequence[str]) -> Program:
        """f as a function of (y, z), y in the order given."""
        return self._program((*signals, *self.own), [*{**self.terms, **self.computed}.values()])

    def update(self, signals: Sequence[str]) -> Program:
        """g as a function of (y, z, u), y in the order given."""
        return self._program((*signals, *self.own, *self.inputs), [*self.rates.values()])

    def step(self, signals: Sequence[str]) -> Program:
        """The states at the next sample as a function of (y, z, u, h), y in the order given."""
        sums = [sp.Symbol(label, real=True) + HOLD * rate for label, rate in self.rates.items()]
        arguments = (*signals, *self.own, *self.inputs, HOLD.name)
        return self._program(arguments, [*sums, *self.steps.values()])
