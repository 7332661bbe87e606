"""Equations of motion with their accelerations unsolved, and what eliminates those from a rate."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import chain, islice
from typing import Any

import sympy as sp

from geoctrl._calls.budget import Budget
from geoctrl._scalars import STATE, Graph, Node
from geoctrl._scalars.arithmetic.choices import Branch, Choices, UnknownSwitch
from geoctrl._scalars.graph.symmetric_elimination import solve_saddle
from geoctrl.analysis.question.consequences import consequences
from geoctrl.analysis.question.exact_angles import Turn
from geoctrl.analysis.question.shape_integrals import ShapeIntegrals, find_shape_integrals
from geoctrl.analysis.question.table import Stored, Table
from geoctrl.decisions.arithmetic.tower import Surd
from geoctrl.systems import ReducedSystem
from geoctrl.systems.parts.angles import ExactAngle, distance_label

__all__ = ["EquationsOfMotion", "momenta_of", "relations_by_label"]

SHAPE_SECONDS = 5.0
"""Time for the search for a shape along which linear integrals exist; most take milliseconds."""


@dataclass
class EquationsOfMotion:
    r"""Equations of motion: ``M w' - B^T lambda = h``, ``B w' = -d``, the rates of all other states explicit.

    Attributes
    ----------
    states, inputs, parameters : dict of label -> symbol node
    velocities : list of Node
        w, the states whose rates are unknowns.
    mass, force, rows, drift : M, h, B and d = B' w
    rates : dict of state symbol -> Node
        Of the other states.
    solve : callable
        Gives the rates of all states, with the unknowns eliminated.
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
    solve: Callable[[], list[Node]]
    leaf: dict[str, Node]
    energy: Node
    _weights: dict[Node, list[Node]] = field(default_factory=dict)
    _written: dict[tuple, Stored] = field(default_factory=dict)
    _consequences: list[dict[str, Node]] | None = None
    _shapes: list[ShapeIntegrals | None] = field(default_factory=list)
    _turned: dict[tuple, EquationsOfMotion | None] = field(default_factory=dict)
    _turn: Turn | None = None

    @classmethod
    def of(cls, system: ReducedSystem, off: Sequence[bool] = ()) -> EquationsOfMotion:
        """The equations of a reduced system, kept with it.

        Where they hold the time, inputs that are ``off`` are put in as zero: the time may go with them.
        """
        a, g = system.assembly, system.graph
        zero: dict[Node, Node] = {}
        if any(off) and system.holds_time:
            zero = {node: g.zero for node, is_off in zip(a.inputs, off, strict=False) if is_off}
        key = " ".join(["motion without", *(str(node.payload) for node in zero)])
        if key not in system.cache:
            field = g.substitute(system.field_nodes, zero)
            rates = dict(zip(system.state_nodes, field, strict=True))
            system.cache[key] = cls(
                graph=g,
                states=dict(zip(system.state_labels, system.state_nodes, strict=True)),
                inputs=dict(zip(system.input_labels, a.inputs, strict=True)),
                parameters=dict(a.parameters),
                velocities=list(a.velocity),
                mass=a.mass,
                force=g.substitute(a.force, zero),
                rows=a.rows,
                drift=a.drift,
                rates={x: rate for x, rate in rates.items() if x not in a.velocity},
                solve=lambda: list(field),
                leaf=_relations(system),
                energy=a.energy,
            )
            for expr in (*system.candidate_invariants.values(), *momenta_of(system)):
                _remember_momenta(system, system.cache[key], expr)
        return system.cache[key]

    def image(self, node: Node) -> Node:
        """A node of the system in the states of this motion."""
        return node if self._turn is None else self._turn([node])[0]

    def with_angles(self, angles: Mapping[str, ExactAngle]) -> EquationsOfMotion | None:
        """The same motion with some angles measured from exact ones; None where they are not only in sines.

        A label says from where: ``phi - pi``, ``phi - atan2(sine, cosine)``. Kept for the same angles.
        """
        key = tuple(distance_label(label, q) for label, q in angles.items())
        if key not in self._turned:
            self._turned[key] = self._turned_by(angles)
        return self._turned[key]

    def _turned_by(self, angles: Mapping[str, ExactAngle]) -> EquationsOfMotion | None:
        turn = Turn(self.graph, {self.states[label]: q for label, q in angles.items()})
        if not turn.possible([*self.nodes, self.energy]):
            return None

        names = {label: distance_label(label, q) for label, q in angles.items()}
        states = {names.get(label, label): node for label, node in self.states.items()}
        return replace(self._image(turn), states=states, _turn=turn)

    def where(self, image: Mapping[Node, Node]) -> EquationsOfMotion:
        """The motion with nodes put in for parameters and inputs; what they depend on are parameters then."""
        graph = self.graph
        left = {k: node for k, node in self.parameters.items() if node not in image}
        new = (s for s in graph.symbols(image.values()) if s not in left.values())
        return replace(
            self._image(lambda nodes: graph.substitute(list(nodes), image)),
            inputs={k: node for k, node in self.inputs.items() if node not in image},
            parameters=left | {s.payload: s for s in new},
        )

    def in_branch(self, choices: Choices, branch: Branch) -> EquationsOfMotion:
        """The motion with all choices made as in one branch."""
        if not choices.any:
            return self
        bare, energy = replace(self, energy=self.graph.zero, _weights={}), self.energy
        with suppress(UnknownSwitch):  # of the potential alone: it is not asked for
            (energy,) = choices.in_branch([energy], branch)
        return replace(bare._image(lambda nodes: choices.in_branch(nodes, branch)), energy=energy)

    @property
    def nodes(self) -> list[Node]:
        """All that the equations are made of: what is said of motions is said where these are."""
        matrices = [e for row in (*self.mass, *self.rows) for e in row]
        return [*matrices, *self.force, *self.drift, *self.rates.values(), *self.leaf.values()]

    def _image(self, image: Callable[[Sequence[Node]], list[Node]]) -> EquationsOfMotion:
        """The motion with the image of each of its nodes, which are asked for together."""
        found = iter(image([*self._weights, *chain(*self._weights.values()), *self.nodes, self.energy]))

        def part(count: int) -> list[Node]:
            return list(islice(found, count))

        keys = part(len(self._weights))
        weights = [part(len(w)) for w in self._weights.values()]
        mass, rows = ([part(len(row)) for row in matrix] for matrix in (self.mass, self.rows))
        return replace(
            self,
            mass=mass,
            rows=rows,
            force=part(len(self.force)),
            drift=part(len(self.drift)),
            rates=dict(zip(self.rates, part(len(self.rates)), strict=True)),
            solve=lambda: image(self.all_rates),
            leaf=dict(zip(self.leaf, part(len(self.leaf)), strict=True)),
            energy=next(found),
            _weights=dict(zip(keys, weights, strict=True)),
            _written={},
            _consequences=None,
            _shapes=[],
            _turned={},
        )

    @cached_property
    def all_rates(self) -> list[Node]:
        """The rates of all states."""
        return self.solve()

    @cached_property
    def unknowns(self) -> dict[str, Node]:
        """Symbols of w' and lambda by name."""
        labels = {node: label for label, node in self.states.items()}
        names = [f"rate of {labels[v]}" for v in self.velocities]
        names += [f"multiplier {i + 1}" for i in range(len(self.rows))]
        return {name: self.graph.symbol(name, STATE) for name in names}

    @cached_property
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

    def question(
        self,
        numbers: Mapping[str, Fraction | Surd],
        functions: Mapping[str, Node],
        states: Mapping[str, Node] | None = None,
        rates: Mapping[Node, Node] | None = None,
        further: bool = False,
    ) -> Stored:
        """The problem about the rates of some functions of the states.

        Parameters
        ----------
        numbers : of states, inputs and parameters by label
        functions : dict of name -> Node
        states, rates : further states by label, and the rates of their symbols
        further : bool
            With the consequences of the leaf relations.
        """
        key = (tuple(functions.items()), tuple(states or ()), further)
        if key not in self._written:
            data, _ = self.equations_data(functions, states or {}, rates or {}, further)
            self._written[key] = Stored.of(data)
        return self._written[key].with_numbers(numbers)

    def equations_data(
        self,
        functions: Mapping[str, Node],
        states: Mapping[str, Node],
        rates: Mapping[Node, Node],
        further: bool,
    ) -> tuple[dict[str, Any], Table]:
        """`question` as data, all numbers zero, and its table, which further nodes may be written to."""
        unknowns, moving = self.unknowns, {**self.states, **states}
        roles = {"state": moving, "input": self.inputs, "parameter": self.parameters, "unknown": unknowns}
        table = Table(self.graph, {n: (k, role) for role, named in roles.items() for k, n in named.items()})
        data = self._equations(table, functions, further, moving, rates)
        data |= {f"{role}s": dict.fromkeys(roles[role], "0") for role in ("state", "input", "parameter")}
        return data | {"kind": "equations", "nodes": table.rows}, table

    def family_data(
        self,
        members: Mapping[str, Sequence[Node]],
        symbols: Mapping[Node, str],
        functions: Mapping[str, Node],
        further: bool,
        shape: ShapeIntegrals | None = None,
    ) -> dict[str, Any]:
        """The equations, and functions of the states, in a table with other nodes by name, which may hold
        symbols of a family. With a shape, the rates of velocities are written as solved for.
        """
        roles = {"state": self.states, "input": self.inputs, "parameter": self.parameters}
        roles |= {} if shape else {"unknown": self.unknowns}
        named = {n: (k, role) for role, held in roles.items() for k, n in held.items()}
        table = Table(self.graph, named | {node: (name, "family") for node, name in symbols.items()})
        if shape is None:
            data = self._equations(table, functions, further, self.states, {})
        else:
            data = self._solved_equations(table, functions, shape)
        return data | {part: table.places(nodes) for part, nodes in members.items()} | {"nodes": table.rows}

    def _equations(
        self,
        table: Table,
        functions: Mapping[str, Node],
        further: bool,
        moving: Mapping[str, Node],
        rates: Mapping[Node, Node],
    ) -> dict[str, Any]:
        """All but states, inputs, parameters and the table itself."""
        unknowns = self.unknowns
        rate = {**self.rates, **rates, **dict(zip(self.velocities, unknowns.values(), strict=False))}
        weights = {k: self.weights(node) for k, node in {**self.leaf, **functions}.items()}
        data = {
            "unknowns": list(unknowns),
            "matrix": [[i, j, *table.places([e])] for i, j, e in self.entries],
            "right": table.places([*self.force, *(-d for d in self.drift)]),
            "field": table.places([rate[x] for x in moving.values()]),
            "leaf": dict(zip(self.leaf, table.places(list(self.leaf.values())), strict=True)),
            "invariants": dict(zip(functions, table.places(list(functions.values())), strict=True)),
            "weights": {k: table.places(w) for k, w in weights.items() if any(not e.is_zero for e in w)},
        }
        if further:
            data["consequences"] = [
                {name: table.places([c])[0] for name, c in row.items()} for row in self.consequences()
            ]
        return data

    def solved_question(
        self, numbers: Mapping[str, Fraction | Surd], functions: Mapping[str, Node], shape: ShapeIntegrals
    ) -> Stored:
        """The problem with the rates of velocities solved for, which the structure of a shape is about."""
        key = (tuple(functions.items()), "shape")
        if key not in self._written:
            self._written[key] = Stored.of(self._write_solved(functions, shape))
        return self._written[key].with_numbers(numbers)

    def _write_solved(self, functions: Mapping[str, Node], shape: ShapeIntegrals) -> dict[str, Any]:
        roles = {"state": self.states, "input": self.inputs, "parameter": self.parameters}
        table = Table(self.graph, {n: (k, role) for role, named in roles.items() for k, n in named.items()})
        data = {
            "kind": "equations",
            **{f"{role}s": dict.fromkeys(named, "0") for role, named in roles.items()},
            **self._solved_equations(table, functions, shape),
        }
        return data | {"nodes": table.rows}

    def _solved_equations(
        self, table: Table, functions: Mapping[str, Node], shape: ShapeIntegrals
    ) -> dict[str, Any]:
        """All but states, inputs, parameters and the table itself."""
        labels = list(self.states)
        return {
            "unknowns": [],
            "matrix": [],
            "right": [],
            "field": table.places(self.all_rates),
            "leaf": dict(zip(self.leaf, table.places(list(self.leaf.values())), strict=True)),
            "invariants": dict(zip(functions, table.places(list(functions.values())), strict=True)),
            "weights": {},
            "shape": {
                "velocity": labels[shape.velocity],
                "slopes": {labels[i]: table.places([node])[0] for i, node in shape.g.items()},
                "rates": {
                    labels[i]: table.places(row) for i, row in zip(shape.velocities, shape.B, strict=True)
                },
            },
        }

    def shape(self) -> ShapeIntegrals | None:
        """The structure that makes linear integrals exist where no input acts, for all parameters; found
        once.

        None as well where looking for it takes too long: bases of ideals may take for ever.
        """
        if not self._shapes:
            leaf = list(self.leaf.values())
            off = dict.fromkeys(self.inputs.values(), self.graph.zero)

            def search() -> ShapeIntegrals | None:
                solved = self.graph.substitute(self.all_rates, off)
                return find_shape_integrals(self.graph, self.states, solved, leaf)

            budget = Budget(SHAPE_SECONDS)
            self._shapes.append(budget.attempt("a shape", search, None))
        return self._shapes[0]


def momenta_of(system: ReducedSystem) -> tuple[sp.Symbol, ...]:
    """Symbols of the momenta of the group, which may be conserved one by one; none with constraints."""
    mechanism = system.mechanism
    free = mechanism.constraints is None and mechanism.algebra is not None
    return tuple(mechanism.algebra.mu) if free else ()


def _remember_momenta(system: ReducedSystem, motion: EquationsOfMotion, expr: Any) -> None:
    """For a function C(mu, Gamma) of momenta mu = G xi + A the weights are dC/dmu, and nothing is
    inverted.
    """
    algebra, frame = system.mechanism.algebra, system.frame
    if not isinstance(expr, sp.Expr) or system.mechanism.constraints is not None:
        return
    held = expr.free_symbols
    if frame.matrix != sp.eye(algebra.n) or held & set(algebra.xi) or not held & set(algebra.mu):
        return
    terms = [(term, term.free_symbols) for term in sp.Add.make_args(expr)]
    slopes = [sp.Add(*(sp.diff(term, m) for term, symbols in terms if m in symbols)) for m in algebra.mu]
    weights = [system.expression(slope) for slope in slopes]
    rest = [motion.graph.zero] * (len(motion.velocities) - len(weights))
    motion._weights[system.expression(expr)] = [*weights, *rest]


def _relations(system: ReducedSystem) -> dict[str, Node]:
    """Relations of the leaf, those of a controller before constraint rows, which are the last."""
    leaf = system.leaf
    names, nodes = list(leaf.names), list(leaf.nodes)
    names[leaf.geometric : leaf.geometric] = leaf.of_controller
    nodes[leaf.geometric : leaf.geometric] = leaf.of_controller.values()
    return relations_by_label(names, nodes)


def relations_by_label(names: Sequence[str], nodes: Sequence[Node]) -> dict[str, Node]:
    """Relations by name, a number added to names that occur again."""
    found: dict[str, Node] = {}
    for name, node in zip(names, nodes, strict=True):
        key, count = name, 1
        while key in found:
            count += 1
            key = f"{name} ({count})"
        found[key] = node
    return found
