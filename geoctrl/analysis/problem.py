"""A stability question as data: equations, leaf, invariants, parameters and a point.

A certificate stores it and nothing else of the system that it came from (`geoctrl.checker` reads it).
Velocities are not written as solved: their rates are unknowns z with ``K(x) z = b(x)``, which keeps
expressions small and identities short.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from geoctrl._scalars import STATE, Graph, Node, Program, exact
from geoctrl.analysis.consequences import consequences
from geoctrl.analysis.shape import ShapeIntegrals, find_shape_integrals
from geoctrl.analysis.table import Table
from geoctrl.systems import Equilibrium, ReducedSystem
from geoctrl.systems.elimination import solve_saddle

__all__ = ["Motion", "Problem", "labelled"]


@dataclass
class Motion:
    r"""Equations of motion: ``M w' - B^T lambda = h``, ``B w' = -d``, the rates of all other states explicit.

    Attributes
    ----------
    graph : Graph
    states, inputs, parameters : dict of label -> symbol node
    velocities : list of Node
        w, the states whose rates are unknowns.
    mass, force, rows, drift : M, h, B and d = B' w
    rates : dict of state symbol -> Node
        Of the other states.
    solved : list of Node
        The rates of all states, with the unknowns eliminated.
    leaf : dict of name -> Node
        Geometric relations, then those of the rows of B, B w = 0, in order.
    invariants : dict of name -> Node
        Candidates.
    energy : Node
        1/2 w.M w + U: its unknowns are eliminated by w itself.
    """

    graph: Graph
    states: dict[str, Node]
    inputs: dict[str, Node]
    parameters: dict[str, Node]
    velocities: list[Node]
    mass: list[list[Node]]
    force: list[Node]
    rows: list[list[Node]]
    drift: list[Node]
    rates: dict[Node, Node]
    solved: list[Node]
    leaf: dict[str, Node]
    energy: Node
    _weights: dict[Node, list[Node]] = field(default_factory=dict)
    _consequences: list[dict[str, Node]] | None = None
    _shapes: list[ShapeIntegrals | None] = field(default_factory=list)

    @classmethod
    def of(cls, system: ReducedSystem) -> Motion:
        """The equations of a reduced system, kept with it."""
        if "motion" not in system.cache:
            a = system.assembly
            rates = dict(zip(system.state_nodes, system.field_nodes, strict=True))
            system.cache["motion"] = cls(
                graph=system.graph,
                states=dict(zip(system.state_labels, system.state_nodes, strict=True)),
                inputs=dict(zip(system.input_labels, a.inputs, strict=True)),
                parameters=dict(a.parameters),
                velocities=list(a.velocity),
                mass=a.mass,
                force=a.force,
                rows=a.rows,
                drift=a.drift,
                rates={x: rate for x, rate in rates.items() if x not in a.velocity},
                solved=list(system.field_nodes),
                leaf=labelled(system.leaf.names, system.leaf.nodes),
                energy=a.energy,
            )
        return system.cache["motion"]

    @property
    def unknowns(self) -> dict[str, Node]:
        """Symbols of w' and lambda by name."""
        labels = {node: label for label, node in self.states.items()}
        names = [f"rate of {labels[v]}" for v in self.velocities]
        names += [f"multiplier {i + 1}" for i in range(len(self.rows))]
        return {name: self.graph.symbol(name, STATE) for name in names}

    def entries(self) -> list[tuple[int, int, Node]]:
        """K, where it is not zero."""
        k = len(self.velocities)
        cells = [(i, j, e) for i, row in enumerate(self.mass) for j, e in enumerate(row)]
        for a, row in enumerate(self.rows, k):
            for i, e in enumerate(row):
                cells += [(i, a, -e), (a, i, e)]
        return [(i, j, e) for i, j, e in cells if not e.is_zero]

    def weights(self, node: Node) -> list[Node]:
        """w with K^T w = dC/dz: they eliminate the unknowns from the rate C' of a function."""
        if node not in self._weights:
            zero = self.graph.zero
            geometric = len(self.leaf) - len(self.rows)
            rows = list(self.leaf.values())[geometric:]
            if node is self.energy:
                found = [*self.velocities, *[zero] * len(self.rows)]
            elif node in rows:
                one = [self.graph.one if row is node else zero for row in rows]
                found = [*[zero] * len(self.velocities), *one]
            else:
                slope = self.graph.gradient(node, self.velocities)
                if all(e.is_zero for e in slope):
                    found = [zero] * (len(slope) + len(rows))
                else:
                    w, multipliers, _ = solve_saddle(
                        self.graph, self.mass, slope, self.rows, [zero] * len(rows)
                    )
                    found = [*w, *(-m for m in multipliers)]
            self._weights[node] = found
        return self._weights[node]

    def consequences(self) -> list[dict[str, Node]]:
        """Combinations of the leaf relations that identities may need; found once."""
        if self._consequences is None:
            self._consequences = consequences(self.graph, list(self.states.values()), self.leaf)
        return self._consequences

    def shape(self) -> ShapeIntegrals | None:
        """The structure that makes linear integrals exist, for all parameters; found once."""
        if not self._shapes:
            leaf = list(self.leaf.values())
            found = None if self.inputs else find_shape_integrals(self.graph, self.states, self.solved, leaf)
            self._shapes.append(found)
        return self._shapes[0]


def labelled(names: Sequence[str], nodes: Sequence[Node]) -> dict[str, Node]:
    """Relations by name, a number added to names that occur again."""
    found: dict[str, Node] = {}
    for name, node in zip(names, nodes, strict=True):
        key, count = name, 1
        while key in found:
            count += 1
            key = f"{name} ({count})"
        found[key] = node
    return found


@dataclass
class Problem:
    """Whether an equilibrium of a motion is stable.

    Attributes
    ----------
    motion : Motion
    invariants : dict of name -> Node
        Candidates: what is used of them has to be proved.
    numbers : dict of parameter name -> Fraction
    point, input_point : list of Fraction
    spin : tuple of float
        Rate of the axes from which it is seen; empty for reduced equations, which are seen from the body.
    compiled : callable, optional
        Nodes -> function of (states and inputs, parameters), where a system keeps compiled functions.
    """

    motion: Motion
    invariants: dict[str, Node]
    numbers: dict[str, Fraction]
    point: list[Fraction]
    input_point: list[Fraction]
    spin: tuple[float, ...] = ()
    compiled: Callable[[Sequence[Node]], Callable] | None = None

    @classmethod
    def of(cls, system: ReducedSystem, equilibrium: Equilibrium) -> Problem:
        """The question about an equilibrium of a system; doubles are the rationals they are."""
        x, u = equilibrium.exact, equilibrium.exact_u
        motion = Motion.of(system)
        kept = system.conserved(equilibrium.params, u=equilibrium.u)
        return cls(
            motion=motion,
            invariants={k if k not in motion.leaf else f"{k} (invariant)": node for k, node in kept.items()},
            numbers={k: exact(v) for k, v in equilibrium.params.items()},
            point=list(x) if x is not None else [exact(float(v)) for v in equilibrium.x],
            input_point=list(u) if u is not None else [exact(float(v)) for v in equilibrium.u],
            compiled=lambda nodes: _without_time(system, nodes),
        )

    @property
    def values(self) -> dict[Node, Fraction]:
        """Numbers of all symbols."""
        m = self.motion
        table = dict(zip(m.states.values(), self.point, strict=True))
        table |= dict(zip(m.inputs.values(), self.input_point, strict=True))
        return table | {node: self.numbers[name] for name, node in m.parameters.items()}

    def in_floats(self, nodes: Sequence[Node]) -> np.ndarray:
        """Values at the point in floats."""
        m = self.motion
        where = [float(q) for q in (*self.point, *self.input_point)]
        params = {k: float(q) for k, q in self.numbers.items()}
        if self.compiled is not None:
            return self.compiled(nodes)(where, params)
        return Program(m.graph, [*m.states.values(), *m.inputs.values()], m.parameters, nodes)(where, params)

    # -- storage --------------------------------------------------------------------------------

    def to_dict(self, shape: ShapeIntegrals | None = None, further: bool = False) -> dict[str, Any]:
        """JSON-ready form: a table of nodes in the order of dependence, and references into it.

        With a shape, the rates of velocities are written as solved, which its structure is about; if
        further, with the consequences of the leaf relations.
        """
        m = self.motion
        unknowns = {} if shape is not None else m.unknowns
        roles = {"state": m.states, "input": m.inputs, "parameter": m.parameters, "unknown": unknowns}
        table = Table(m.graph, {n: (k, role) for role, named in roles.items() for k, n in named.items()})
        rates = m.rates | dict(zip(m.velocities, unknowns.values(), strict=False))
        field_nodes = m.solved if shape is not None else [rates[x] for x in m.states.values()]
        functions = {**m.leaf, **self.invariants}
        entries = m.entries() if unknowns else []
        right = [*m.force, *(-d for d in m.drift)] if unknowns else []
        weights = {k: m.weights(node) for k, node in functions.items()} if unknowns else {}
        data = {
            "kind": "equations",
            "states": _texts(m.states, self.point),
            "inputs": _texts(m.inputs, self.input_point),
            "parameters": {k: str(self.numbers[k]) for k in m.parameters},
            "unknowns": list(unknowns),
            "matrix": [[i, j, *table.places([e])] for i, j, e in entries],
            "right": table.places(right),
            "field": table.places(field_nodes),
            "leaf": dict(zip(m.leaf, table.places(list(m.leaf.values())), strict=True)),
            "invariants": dict(
                zip(self.invariants, table.places(list(self.invariants.values())), strict=True)
            ),
            "weights": {k: table.places(w) for k, w in weights.items() if any(not e.is_zero for e in w)},
        }
        if shape is not None:
            data["shape"] = _shape(shape, list(m.states), table)
        if further:
            data["consequences"] = [
                {name: table.places([c])[0] for name, c in row.items()} for row in m.consequences()
            ]
        if any(self.spin):
            data["spin"] = list(self.spin)
        return data | {"nodes": table.rows}


def _without_time(system: ReducedSystem, nodes: Sequence[Node]) -> Callable:
    """A compiled function of states and inputs, the time being zero."""
    program, n = system.program(nodes), system.nstates
    return lambda where, params: program([*where[:n], 0.0, *where[n:]], params)


def _texts(symbols: Mapping[str, Node], values: Sequence[Fraction]) -> dict[str, str]:
    return {label: str(q) for label, q in zip(symbols, values, strict=True)}


def _shape(shape: ShapeIntegrals, labels: list[str], table: Table) -> dict[str, Any]:
    velocities = [labels[i] for i in shape.velocities]
    moving = next(k for i, k in enumerate(labels) if i not in shape.g and i not in shape.velocities)
    return {
        "velocity": moving,
        "slopes": {labels[i]: table.places([node])[0] for i, node in shape.g.items()},
        "rates": {k: table.places(row) for k, row in zip(velocities, shape.B, strict=True)},
    }
