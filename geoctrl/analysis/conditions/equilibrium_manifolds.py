r"""Manifolds of equilibria and drifts through the members of a family, in symbols.

Both are identities in rational functions. Equilibria are solved for: equations of rest and of the leaf, one
after the other, for states that they hold to the first power; where all that is left vanishes, what is left
free are the coordinates of a manifold. A drift is a motion on which the velocities are constant,

.. math::
    v = v_e + w c, \qquad X = X_e + w d + \frac{m\,(Z\,t + B Z\,t^2)}{1 + \beta t^2}, \qquad
    \dot w = 0, \quad \dot t = w\,(1 + \beta t^2)/m,

straight on (:math:`BZ = 0, \beta = 0, m = 1`) or round a circle (:math:`B^2 Z = -\beta Z, m = 2`): as slow as
one likes, it leaves the point.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from geoctrl._scalars import PARAMETER, Node
from geoctrl.analysis.conditions.family_point import FamilyFunctions, FamilyPoint
from geoctrl.analysis.symbolic.rational_functions import RationalField, RationalFunction

__all__ = ["Drift", "RestingStates", "drifts", "resting_manifold", "resting_states"]

Row = list[RationalFunction]


class _OtherFunctionsError(Exception):
    """A value holds a function that the members' field has not."""


class _Members:
    """Values of nodes at the members of a family, in the field of their functions."""

    def __init__(self, f: FamilyFunctions) -> None:
        self.at, self.f = f.at, f
        self._known = set(f.field.generators)

    def __call__(self, nodes: Sequence[Node]) -> Row:
        """Their rational functions; _OtherFunctionsError where these are not in the field."""
        found = self.at.at_members(list(nodes))
        leaves = (n for n in self.at.system.graph.reachable(found) if n.kind in ("sym", "fun"))
        if any(n not in self._known for n in leaves):
            raise _OtherFunctionsError
        return self.f.field.all(found)


class _MembersAlone:
    """The same without functions of the family: each time in the field that the values lie in."""

    def __init__(self, at: FamilyPoint) -> None:
        self.at = at

    def __call__(self, nodes: Sequence[Node]) -> Row:
        found = self.at.at_members(list(nodes))
        return RationalField([*found, found[0].graph.one], self.at.squares, self.at.positive).all(found)


# -- manifolds of equilibria ---------------------------------------------------------------------------


class RestingStates(NamedTuple):
    """States at which a manifold of equilibria is written: those left free, and the others by these."""

    free: list[Node]
    values: dict[Node, Node]


def resting_states(at: FamilyPoint) -> RestingStates | None:
    """Equilibria on the leaf near the members of a family, under its inputs; None where none are found."""
    solved = _Rest(_MembersAlone(at))
    return RestingStates(solved.free, solved.values) if solved.complete else None


def resting_manifold(f: FamilyFunctions, dimension: int) -> Row | None:
    """What must not vanish at the members for equilibria on the leaf, under their inputs, to form a manifold
    of a dimension through them; None where none is found.
    """
    try:
        solved = _Rest(_Members(f))
    except _OtherFunctionsError:
        return None
    return solved.nonzero if solved.complete and len(solved.free) == dimension else None


class _Rest:
    """Equations of rest, solved as far as they can be.

    Attributes
    ----------
    nonzero : row
        At the members: what is divided by, and factors left out.
    complete : bool
        Whether nothing is left to solve.
    free : list of Node
        States left free.
    values : dict of Node -> Node
        The others, by these.
    """

    def __init__(self, members: _Members | _MembersAlone) -> None:
        self._members, system = members, members.at.system
        self._graph = system.graph
        self.free, self.values = list(system.state_nodes), dict[Node, Node]()
        self.nonzero: Row = []
        equations = members.at.with_settings([*system.field_nodes, *system.leaf.nodes])
        while left := self._numerators(equations):
            found = next((step for field, top in left if (step := self._state_and_value(field, top))), None)
            if found is None:
                break
            state, value = found
            self.free.remove(state)
            earlier = self._graph.substitute(list(self.values.values()), {state: value})
            self.values = dict(zip(self.values, earlier, strict=True)) | {state: value}
            equations = self._graph.substitute([field.node(top) for field, top in left], {state: value})
        self.complete = not left

    def _numerators(self, equations: Sequence[Node]) -> list[tuple[RationalField, RationalFunction]]:
        """Numerators that do not vanish identically, the short ones first; without factors that are not zero
        at the members.
        """
        at = self._members.at
        field = RationalField([*equations, self._graph.one], at.squares, at.positive, branch=False)
        found = []
        for q in field.all(equations):
            if not q:
                continue
            top = field.one
            for factor, _ in q.top.factor()[1]:
                part = RationalFunction(field, factor, field.one.top)
                (value,) = self._members([field.node(part)])
                if value:
                    self.nonzero.append(value)
                else:
                    top = top * part
            found.append((field, top))
        return sorted(found, key=lambda pair: len(pair[1].top))

    def _state_and_value(self, field: RationalField, top: RationalFunction) -> tuple[Node, Node] | None:
        """A state that an equation holds to the first power, the last ones first, and its value."""
        degrees = dict(zip(field.generators, map(int, top.top.degrees()), strict=False))
        inside = self._graph.symbols(n for n, degree in degrees.items() if degree and n.kind == "fun")
        for state in reversed(self.free):
            if degrees.get(state) != 1 or state in inside:
                continue
            slope = RationalFunction(field, top.top.derivative(field.generators.index(state)), field.one.top)
            (value,) = self._members([field.node(slope)])
            if value:
                self.nonzero.append(value)
                (rest,) = self._graph.substitute([field.node(top)], {state: self._graph.zero})
                return state, -rest / field.node(slope)
        return None


# -- drifts --------------------------------------------------------------------------------------------


class Drift:
    """A way that velocities lead along.

    Attributes
    ----------
    change : row
        c and d: changes of all states with the speed.
    way, turned : row
        Z and B Z.
    square : Quotient
        beta.
    """

    def __init__(self, change: Row, way: Row, turned: Row, square: RationalFunction) -> None:
        self.change, self.way, self.turned, self.square = change, way, turned, square

    @property
    def nonzero_entries(self) -> Row:
        """What must not vanish: an entry of the way, and what entries are divided by."""
        entries = [*self.change, *self.way, *self.turned, self.square]
        below = [
            RationalFunction(q.field, q.below, q.field.one.top) for q in entries if not q.below.is_constant()
        ]
        return [next(q for q in self.way if q), *below]


def drifts(f: FamilyFunctions, changes: Sequence[Row]) -> Iterator[Drift]:
    """Those of some changes of the states with the speed that begin a drift: it solves the equations of
    motion and keeps the leaf, identically in w, t and all symbols.
    """
    members = _Members(f)
    for change in changes:
        try:
            drift = _drift(members, change)
        except _OtherFunctionsError:
            continue
        if drift is not None and _moves(members, drift):
            yield drift


def _drift(members: _Members, c: Row) -> Drift | None:
    """The way that a change leads along, where it is straight or a circle."""
    system, field = members.at.system, members.f.field
    graph, states, k = system.graph, system.state_nodes, len(system.assembly.velocity)
    zero = field.zero
    way = [field.dot(row, c) if i >= k else zero for i, row in enumerate(members.f.linearisation)]
    if not any(way):
        return None
    slopes = [e for row in graph.jacobian(system.field_nodes[k:], states) for e in row[k:]]
    moved = graph.push_forward(slopes, {x: field.node(q) for x, q in zip(states, c, strict=True)})
    entries, n = members(moved), len(states) - k
    B = [entries[i * n : (i + 1) * n] for i in range(n)]
    turned = [field.dot(row, way[k:]) for row in B]
    twice = [field.dot(row, turned) for row in B]
    full = [*[zero] * k, *turned]
    if not any(turned):
        return Drift(c, way, full, zero)
    lead = next((i for i in range(n) if way[k + i] and twice[i]), None)
    if lead is None:
        return None
    square = -twice[lead] / way[k + lead]
    if any(a + square * b for a, b in zip(twice, way[k:], strict=True)):
        return None
    return Drift(c, way, full, square)


def _moves(members: _Members, drift: Drift) -> bool:
    """Whether it solves the equations."""
    at, to_node = members.at, members.f.field.node
    system, graph = at.system, at.system.graph
    # No parameter has such a name.
    w, t = (graph.symbol(f"drift {name}", PARAMETER) for name in "wt")
    beta = to_node(drift.square)
    m = 2 if drift.square else 1
    below = 1 + beta * t * t
    parts = zip(at.at_members(system.state_nodes), drift.change, drift.way, drift.turned, strict=True)
    path = [e + w * to_node(c) + m * (to_node(z) * t + to_node(b) * t * t) / below for e, c, z, b in parts]
    image = dict(zip(system.state_nodes, path, strict=True))
    found = graph.substitute(at.with_settings([*system.field_nodes, *system.leaf.nodes]), image)
    speed = w * below / m
    rates: list[Any] = [speed * rate for rate in graph.derivatives(path, t)]
    rates += [graph.zero] * len(system.leaf.nodes)
    defects = [a - b for a, b in zip(found, rates, strict=True)]
    return not any(RationalField([*defects, graph.one], at.squares, at.positive, branch=False).all(defects))
