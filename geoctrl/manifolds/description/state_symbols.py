"""Symbols of states, time, inputs and parameters, and the nodes that stand for them in a graph."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from operator import attrgetter
from typing import Any

import sympy as sp

from geoctrl._scalars import PARAMETER, STATE, FromSympy, Graph, Node
from geoctrl.errors import ExpressionError
from geoctrl.systems import Parameter, time

__all__ = ["Letters", "part"]


def part(path: str) -> Any:
    """An attribute that is one of what an object holds: ``part("letters.states")``."""
    return property(attrgetter(path))


class Letters:
    """What expressions about states are written in.

    Parameters
    ----------
    labels : sequence of str
        Of the states.
    driven : sequence of symbols
        The inputs in the forces, those set by a law included.
    inputs : sequence of symbols
        Those that are left.
    """

    def __init__(
        self,
        graph: Graph,
        labels: Sequence[str],
        driven: Sequence[Any],
        inputs: Sequence[Any],
        parameters: Sequence[Parameter],
    ) -> None:
        self.graph, self.labels, self.parameters = graph, tuple(labels), parameters
        self.driven, self.inputs = driven, inputs

    @cached_property
    def states(self) -> tuple[sp.Symbol, ...]:
        """Symbols of the states, made when first asked for: systems of many bodies do without."""
        return tuple(sp.Symbol(label, real=True) for label in self.labels)

    @cached_property
    def state_nodes(self) -> list[Node]:
        """Nodes of the states."""
        return [self.graph.symbol(label, STATE) for label in self.labels]

    @cached_property
    def time_node(self) -> Node:
        """Node of the time."""
        return self.graph.symbol("t", STATE)

    @cached_property
    def parameter_nodes(self) -> dict[str, Node]:
        """Nodes of the parameters by name."""
        return {p.name: self.graph.symbol(p.name, PARAMETER) for p in self.parameters}

    @cached_property
    def driven_nodes(self) -> list[Node]:
        """Nodes of the inputs in the forces, those set by a law included."""
        return [self.graph.symbol(f"input {u}", STATE) for u in self.driven]

    @property
    def input_nodes(self) -> list[Node]:
        """Nodes of the inputs."""
        return self.driven_nodes[: len(self.inputs)]

    @cached_property
    def to_node(self) -> FromSympy:
        """Converter of expressions in states, inputs, time and parameters."""
        table: dict[Any, Node] = dict(zip(self.states, self.state_nodes, strict=True))
        table |= {p.symbol: self.parameter_nodes[p.name] for p in self.parameters}
        table |= dict(zip(self.driven, self.driven_nodes, strict=True))
        return FromSympy(self.graph, table | {time: self.time_node})

    def expression(self, expr: Any) -> Node:
        """Node of an expression in states, time, inputs and parameters."""
        node = self.to_node(expr)
        symbols = self.graph.symbols([node])
        lost = [str(s) for s, n in zip(self.driven, self.driven_nodes, strict=True) if n in symbols]
        lost = sorted(set(lost) - set(map(str, self.inputs)))
        if lost:
            raise ExpressionError(
                f"{expr} holds {', '.join(lost)}, which a law sets; write what it gives in states"
            )
        return node
