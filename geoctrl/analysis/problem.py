"""A stability question as data: equations, leaf, invariants, parameters and a point.

A certificate stores it and nothing else of the system that it came from (`geoctrl.checker` reads it).
Velocities are not written as solved: their rates are unknowns z with ``K(x) z = b(x)``, which keeps
expressions small and identities short.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from geoctrl._scalars import Node, Program, exact
from geoctrl.analysis.motion import Motion
from geoctrl.analysis.shape import ShapeIntegrals
from geoctrl.analysis.table import Table
from geoctrl.systems import Equilibrium, ReducedSystem

__all__ = ["Problem"]


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
