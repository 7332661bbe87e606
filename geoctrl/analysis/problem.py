"""A stability question as exact data: equations, leaf, invariants, parameters and a point.

A certificate stores a problem and nothing else of the system it came from, so that it can be checked
without the catalogue, and by the same evaluation that produced it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import sympy as sp

from geoctrl._scalars import PARAMETER, RATIONAL, STATE, Graph, Node, evaluate, exact
from geoctrl.systems import Equilibrium, ReducedSystem

__all__ = ["Problem", "earlier", "read_nodes", "write_nodes"]

Vector = list[Fraction]


@dataclass
class Problem:
    """Equations ``xdot = f(x, u)`` with leaf relations and invariants, at one point.

    Attributes
    ----------
    graph : Graph
    states, inputs, parameters : dict of label -> symbol node
    field : list of Node
    leaf : dict of name -> Node
    invariants : dict of name -> Node
    numbers : dict of parameter name -> Fraction
    point, input_point : list of Fraction
    spin : tuple
        Empty: reduced equations are seen from the body.
    """

    spin: ClassVar[tuple[float, ...]] = ()

    graph: Graph
    states: dict[str, Node]
    inputs: dict[str, Node]
    parameters: dict[str, Node]
    field: list[Node]
    leaf: dict[str, Node]
    invariants: dict[str, Node]
    numbers: dict[str, Fraction]
    point: Vector
    input_point: Vector

    @classmethod
    def of(cls, system: ReducedSystem, equilibrium: Equilibrium) -> Problem:
        """The question whether an equilibrium of a system is stable; doubles are the rationals they are."""
        a = system.assembly
        x = equilibrium.exact if equilibrium.exact is not None else tuple(exact(v) for v in equilibrium.x)
        u = equilibrium.exact_u if equilibrium.exact_u is not None else tuple(exact(v) for v in equilibrium.u)
        return cls(
            graph=system.graph,
            states=dict(zip(system.state_labels, system.state_nodes, strict=True)),
            inputs=dict(zip(system.input_labels, a.inputs, strict=True)),
            parameters=dict(a.parameters),
            field=list(system.field_nodes),
            leaf=dict(zip(system.leaf.names, system.leaf.nodes, strict=True)),
            invariants=dict(system.conserved(equilibrium.params, u=equilibrium.u)),
            numbers={k: exact(v) for k, v in equilibrium.params.items()},
            point=list(x),
            input_point=list(u),
        )

    # -- evaluation -----------------------------------------------------------------------------

    @property
    def values(self) -> dict[Node, Fraction]:
        """Numbers of all symbols."""
        table = dict(zip(self.states.values(), self.point, strict=True))
        table |= dict(zip(self.inputs.values(), self.input_point, strict=True))
        table |= {node: self.numbers[name] for name, node in self.parameters.items()}
        return table

    def at_point(self, nodes: Sequence[Node]) -> Vector:
        """Exact values at the point; raises NotRationalError or ZeroDivisionError where there are none."""
        return evaluate(list(nodes), self.values, RATIONAL)

    def jacobian(self, nodes: Sequence[Node]) -> list[Vector]:
        """Exact derivatives by the states, one row per node."""
        symbols = list(self.states.values())
        flat = self.at_point([e for row in self.graph.jacobian(list(nodes), symbols) for e in row])
        n = len(symbols)
        return [flat[i * n : (i + 1) * n] for i in range(len(nodes))]

    def hessian(self, node: Node) -> list[Vector]:
        """Exact second derivatives by the states."""
        return self.jacobian(self.graph.gradient(node, list(self.states.values())))

    @property
    def field_with_inputs(self) -> list[Node]:
        """The field with the constant inputs put in."""
        g = self.graph
        held = {node: g.number(q) for node, q in zip(self.inputs.values(), self.input_point, strict=True)}
        return g.substitute(self.field, held) if held else self.field

    def rate(self, node: Node) -> Node:
        """Rate of a function of the state along the field."""
        g = self.graph
        gradient = g.gradient(node, list(self.states.values()))
        return g.add([d * f for d, f in zip(gradient, self.field_with_inputs, strict=True)])

    # -- storage --------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready form: a table of nodes in the order of dependence, and references into it."""
        outputs = [*self.field, *self.leaf.values(), *self.invariants.values()]
        symbols = [*self.states.values(), *self.inputs.values(), *self.parameters.values()]
        table, place = write_nodes(self.graph, [*outputs, *symbols])
        return {
            "nodes": table,
            "states": {k: place[v] for k, v in self.states.items()},
            "inputs": {k: place[v] for k, v in self.inputs.items()},
            "parameters": {k: place[v] for k, v in self.parameters.items()},
            "field": [place[v] for v in self.field],
            "leaf": {k: place[v] for k, v in self.leaf.items()},
            "invariants": {k: place[v] for k, v in self.invariants.items()},
            "numbers": {k: str(v) for k, v in self.numbers.items()},
            "point": [str(q) for q in self.point],
            "input_point": [str(q) for q in self.input_point],
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Problem:
        """Rebuild a stored problem; raises KeyError, ValueError or TypeError where the data are malformed."""
        g, nodes = read_nodes(data["nodes"])

        def named(key: str) -> dict[str, Node]:
            return {str(k): earlier(nodes, i) for k, i in data[key].items()}

        problem = cls(
            graph=g,
            states=named("states"),
            inputs=named("inputs"),
            parameters=named("parameters"),
            field=[earlier(nodes, i) for i in data["field"]],
            leaf=named("leaf"),
            invariants=named("invariants"),
            numbers={str(k): Fraction(v) for k, v in data["numbers"].items()},
            point=[Fraction(v) for v in data["point"]],
            input_point=[Fraction(v) for v in data["input_point"]],
        )
        if len(problem.point) != len(problem.states) or len(problem.field) != len(problem.states):
            raise ValueError("point, field and states have different lengths")
        if len(problem.input_point) != len(problem.inputs) or set(problem.numbers) != set(problem.parameters):
            raise ValueError("inputs or parameters do not fit their values")
        return problem

    @property
    def symbols(self) -> dict[Node, sp.Symbol]:
        """Sympy symbols for display."""
        named = {**self.states, **self.inputs, **self.parameters}
        return {node: sp.Symbol(label, real=True) for label, node in named.items()}


def write_nodes(graph: Graph, nodes: Sequence[Node]) -> tuple[list[list], dict[Node, int]]:
    """JSON-ready table of some nodes and all below them, in the order of dependence; and their places."""
    order = graph.reachable(list(nodes))
    place = {node: i for i, node in enumerate(order)}
    table: list[list] = []
    for node in order:
        if node.kind == "num":
            table.append(["num", str(node.payload)])
        elif node.kind == "sym":
            table.append(["sym", node.payload, node.level])
        elif node.kind == "fun":
            name, args = node.payload
            table.append(["fun", name, [place[a] for a in args]])
        elif node.kind == "prod":
            q, items = node.payload
            table.append(["prod", str(q), [[place[atom], e] for atom, e in items]])
        else:
            table.append(["sum", [[place[c], place[mono]] for c, mono in node.payload]])
    return table, place


def read_nodes(table: Sequence[Sequence[Any]]) -> tuple[Graph, list[Node]]:
    """Nodes of a table; raises KeyError, ValueError or TypeError where it is malformed."""
    g = Graph()
    nodes: list[Node] = []
    for kind, *rest in table:
        if kind == "num":
            node = g.number(Fraction(rest[0]))
        elif kind == "sym":
            if rest[1] not in (PARAMETER, STATE):
                raise ValueError(f"unknown level {rest[1]!r} of the symbol {rest[0]!r}")
            node = g.symbol(str(rest[0]), rest[1])
        elif kind == "fun":
            node = g.fun(str(rest[0]), *(earlier(nodes, i) for i in rest[1]))
        elif kind == "prod":
            parts = [g.power(earlier(nodes, i), int(e)) for i, e in rest[1]]
            node = g.mul([g.number(Fraction(rest[0])), *parts])
        elif kind == "sum":
            node = g.add([earlier(nodes, c) * earlier(nodes, m) for c, m in rest[0]])
        else:
            raise ValueError(f"unknown kind of node {kind!r}")
        nodes.append(node)
    return g, nodes


def earlier(nodes: Sequence[Node], index: Any) -> Node:
    """The node at a place of a table that has been read so far; ValueError for any other place."""
    if not isinstance(index, int) or not 0 <= index < len(nodes):
        raise ValueError(f"a node refers to {index!r}, which does not come before it")
    return nodes[index]
