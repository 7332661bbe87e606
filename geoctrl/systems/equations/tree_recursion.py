r"""Momenta and accelerations of coupled parts along their tree, without fill-in.

With the sums s of `inertia_tree` for accelerations, and a multiplier for the definition of each, the
equations are a saddle matrix that has blocks between a group and the next alone. Eliminated from the leaves
on it stays so. What is left of a subtree is a matrix Q and a vector z in its sums,

.. math::

    \tilde G_k &= G_{kk} - \sum_c V_c^T Q_c V_c, \quad \tilde W_k = W_k - \sum_c T_c^T Q_c V_c, \quad
    \tilde h_k = h_k + \sum_c V_c^T z_c, \\
    Q_k &= \sum_c T_c^T Q_c T_c + \tilde W_k \tilde G_k^{-1} \tilde W_k^T, \quad
    z_k = \sum_c T_c^T z_c - \tilde W_k \tilde G_k^{-1} \tilde h_k,

then, from the roots on, :math:`\ddot x_k = \tilde G_k^{-1} (\tilde h_k - \tilde W_k^T s_k)`. Pivots are those
of the mass matrix in this order. Values that are used more than once have names, or sums would be written
out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import chain

from geoctrl._scalars import PARAMETER, STATE, Graph, Node
from geoctrl._scalars.algebra.angle_paths import path_parents
from geoctrl._scalars.graph.symmetric_elimination import Factorisation, dot
from geoctrl.systems.equations.inertia_tree import Branch, entry_terms, inertia_tree, velocity_groups
from geoctrl.systems.equations.mechanism import Mechanism

__all__ = ["TreeMomenta", "Turns", "coupled_tree", "solve_along_tree", "spread"]

_MOST = 500
"""Terms of a product that is multiplied out."""

Matrix = list[list[Node]]

FEWEST = 5
"""Velocities from which on a tree is looked for."""


def _times(g: Graph, matrix: Matrix, x: Sequence[Node]) -> list[Node]:
    return [dot(g, row, x) for row in matrix]


def _columns(matrix: Matrix, width: int) -> Matrix:
    return [[row[i] for row in matrix] for i in range(width)]


def _children(branches: Sequence[Branch]) -> list[list[int]]:
    below: list[list[int]] = [[] for _ in branches]
    for k, branch in enumerate(branches):
        if branch.parent is not None:
            below[branch.parent].append(k)
    return below


class Turns:
    """Angles from a fixed direction, sums of angles that are counted from one part to the next.

    Attributes
    ----------
    symbols : dict of Node
        What stands for the turn of each angle that has one before it, or after it.
    place : dict of Node -> int
        The velocities of these angles.
    """

    def __init__(self, graph: Graph, parents: Mapping[Node, Node], place: Mapping[Node, int]) -> None:
        self._graph, self._parents, self.place = graph, parents, place
        held = {*parents, *parents.values()}
        self.symbols = {q: graph.symbol(f"turn {q.payload}", STATE) for q in place if q in held}
        self._above = {place[q]: place[up] for q, up in parents.items()}
        ups = {q: self.symbols[parents[q]] if q in parents else graph.zero for q in self.symbols}
        self._images = {q: turn - ups[q] for q, turn in self.symbols.items()}  # angles as differences

    def inertia(self, inertia: Matrix) -> Matrix:
        """That of the rates of turns."""
        if not self.symbols:
            return inertia
        g, n = self._graph, len(inertia)
        flat = iter(g.substitute([e for row in inertia for e in row], self._images))
        rows = [[[next(flat)] for _ in range(n)] for _ in range(n)]
        by_rows = [self.covector([rows[i][j] for i in range(n)]) for j in range(n)]
        return [[g.add(e) for e in self.covector([by_rows[j][i] for j in range(n)])] for i in range(n)]

    def covector(self, terms: Sequence[list[Node]]) -> list[list[Node]]:
        """Terms of what acts on the rates of turns, of those that act on the rates of angles."""
        if not self.symbols:
            return [*terms]
        g = self._graph
        found = [g.substitute(part, self._images) for part in terms]
        total = [[*part] for part in found]
        for k, up in self._above.items():
            total[up] += [-term for term in found[k]]
        return total

    def sums(self, rates: Sequence[Node]) -> list[Node]:
        """Rates of turns."""
        found = list(rates)
        for k in self._from_root:
            found[k] = self._graph.let(found[self._above[k]] + rates[k])
        return found

    @property
    def _from_root(self) -> list[int]:
        def depth(k: int) -> int:
            return 1 + depth(self._above[k]) if k in self._above else 0

        return sorted(self._above, key=depth)

    def differences(self, rates: Sequence[Node]) -> list[Node]:
        """Rates of angles."""
        up = self._above
        return [x - rates[up[k]] if k in up else x for k, x in enumerate(rates)]

    def by_angles(self, nodes: Sequence[Node]) -> list[Node]:
        """Nodes with the turns as the sums that they are."""
        if not self.symbols:
            return [*nodes]
        angle = {k: q for q, k in self.place.items()}
        values = {q: q for q in self.symbols}
        for k in self._from_root:
            values[angle[k]] = self._graph.let(values[angle[self._above[k]]] + angle[k])
        return self._graph.substitute(nodes, {turn: values[q] for q, turn in self.symbols.items()})


def coupled_tree(
    mechanism: Mechanism, graph: Graph, inertia: Matrix, gamma: Sequence[Node]
) -> tuple[list[Branch], Turns] | None:
    """An inertia as a tree, be it for the rates of turns; None where no tree saves instructions."""
    if len(inertia) < FEWEST:
        return None
    groups, group_of = velocity_groups(mechanism, len(inertia), gamma)
    positive = [node for node in graph.symbols(e for row in inertia for e in row) if node.level == PARAMETER]
    positive = [node for node in positive if node.payload in mechanism.positive]
    shape = mechanism.shape
    angles = {
        gamma[i - len(shape)]: mechanism.algebra.n + i - len(shape) for i, c in enumerate(shape) if c.angle
    }
    entries, terms = [e for row in inertia for e in row], entry_terms(graph, inertia)
    for parents in chain([{}], path_parents(graph, entries, list(angles))):
        turns = Turns(graph, parents, angles)
        group_of_turns = {turn: group_of[q] for q, turn in turns.symbols.items()}
        known = group_of | group_of_turns
        tree = inertia_tree(graph, turns.inertia(inertia), groups, known, positive, terms)
        if tree is not None:
            return tree, turns
    return None


class TreeMomenta:
    """Momenta G x of velocities along the tree.

    Attributes
    ----------
    momentum : list of Node
        G x, in the order of velocities.
    held : dict of Node
        Sums of the velocities above and of the momenta below a group, and their derivatives where they are
        held: zero.
    energies : list of Node
        One for each group, the derivatives of which by its symbols, with the names held, are those of
        ``x.G x/2``.
    """

    def __init__(self, graph: Graph, branches: Sequence[Branch], velocity: Sequence[Node]) -> None:
        g, below = graph, _children(branches)
        self._graph = graph
        x = [[velocity[p] for p in branch.velocities] for branch in branches]
        above: list[list[Node]] = []
        for branch in branches:
            rows = zip(branch.passed, branch.fed, strict=True)
            up = branch.parent
            above.append(
                []
                if up is None
                else [g.let(g.add([dot(g, t, above[up]), dot(g, v, x[up])])) for t, v in rows]
            )
        carried: list[list[Node]] = [[] for _ in branches]
        for k in reversed(range(len(branches))):
            branch = branches[k]
            terms = [[dot(g, row, x[k])] for row in branch.felt]
            for c in below[k]:
                for part, column in zip(terms, _columns(branches[c].passed, len(branch.felt)), strict=True):
                    part.append(dot(g, column, carried[c]))
            carried[k] = [g.let(g.add(part)) for part in terms]
        self.momentum = list(velocity)
        self.energies: list[Node] = []
        named = [node for part in (*above, *carried) for node in part]
        names = {atom for node in named for atom in g.factors(node)[1] if atom.kind == "let"}
        self.held: dict[Node, Node] = dict.fromkeys(names, g.zero)
        for k, branch in enumerate(branches):
            m = len(branch.velocities)
            own, felt = _times(g, branch.own, x[k]), _times(g, _columns(branch.felt, m), above[k])
            fed = [_times(g, _columns(branches[c].fed, m), carried[c]) for c in below[k]]
            for i, p in enumerate(branch.velocities):
                self.momentum[p] = g.add([own[i], felt[i], *(part[i] for part in fed)])
            coupled = [g.add([felt[i], *(part[i] for part in fed)]) for i in range(m)]
            self.energies.append(g.add([dot(g, own, x[k]) / 2, dot(g, coupled, x[k])]))

    def slopes(self, turns: Turns) -> dict[int, list[Node]]:
        """Terms of the derivatives of ``x.G x/2`` by turns, at the velocities that turn."""
        g = self._graph
        found: dict[int, list[Node]] = {}
        for energy in self.energies:
            within = {*g.reachable([energy], known=self.held)}
            for q, turn in turns.symbols.items():
                if turn in within:
                    slope = g.push_forward([energy], {**self.held, turn: g.one})
                    found.setdefault(turns.place[q], []).extend(spread(g, slope))
        return found


def spread(graph: Graph, nodes: Sequence[Node]) -> list[Node]:
    """Terms of nodes, products with sums multiplied out: what cancels in others is seen to. What would have
    too many, as the forces of a feedback may, stays as it is.
    """
    return [term for node in nodes for term in _terms_of(graph, node)]


def _terms_of(graph: Graph, node: Node) -> list[Node]:
    found, pending = list[Node](), [node]
    while pending:
        term = pending.pop()
        q, factors = graph.factors(term)
        sums = [atom for atom, e in factors.items() if atom.kind == "sum" and e == 1]
        if not sums:
            found.append(term)
            continue
        outer = graph.monomial(q, {atom: e for atom, e in factors.items() if atom is not sums[0]})
        pending += [outer * c * mono for c, mono in reversed(sums[0].payload)]
        if len(found) + len(pending) > _MOST:
            return [node]
    return found


def gather(graph: Graph, nodes: Sequence[Node]) -> Node:
    """The sum of nodes, with names that are multiplied by the same function added up before."""
    groups: dict[Node, list[Node]] = {}
    for term in spread(graph, nodes):
        q, factors = graph.factors(term)
        names = {atom: e for atom, e in factors.items() if atom.kind == "let"}
        single = list(names.values()) == [1]
        outer = {
            atom: e for atom, e in factors.items() if atom.level == STATE and not (single and atom in names)
        }
        inner = {atom: e for atom, e in factors.items() if atom not in outer}
        groups.setdefault(graph.monomial(Fraction(1), outer), []).append(graph.monomial(q, inner))
    return graph.add([outer * graph.let(graph.add(inner)) for outer, inner in groups.items()])


def solve_along_tree(
    graph: Graph, branches: Sequence[Branch], force: Sequence[Node]
) -> tuple[list[Node], dict[int, Node]]:
    """Solution of G x = force, and the pivot of each velocity, leaves first."""
    g, below, let = graph, _children(branches), graph.let
    left: list[tuple[Matrix, list[Node]]] = [([], []) for _ in branches]  # Q and z
    kept: list[tuple[Matrix, list[Node]]] = [([], []) for _ in branches]  # G^-1 W^T, G^-1 h
    pivots: dict[int, Node] = {}
    for k in reversed(range(len(branches))):
        branch = branches[k]
        m, r = len(branch.velocities), len(branch.felt)
        sides, sums = range(m), range(r)
        own = [[[branch.own[i][j]] for j in sides] for i in sides]
        felt = [[[branch.felt[a][i]] for i in sides] for a in sums]
        right = [[force[p]] for p in branch.velocities]
        rest: list[list[list[Node]]] = [[[] for _ in sums] for _ in sums]
        onward: list[list[Node]] = [[] for _ in sums]
        for c in below[k]:
            (Q, z), child = left[c], branches[c]
            fed, passed = _columns(child.fed, m), _columns(child.passed, r)
            pulled = [[let(e) for e in _times(g, Q, column)] for column in fed]
            for i in sides:
                right[i].append(dot(g, fed[i], z))
                for j in range(i + 1):
                    own[i][j].append(-dot(g, fed[i], pulled[j]))
                for a in sums:
                    felt[a][i].append(-dot(g, passed[a], pulled[i]))
            handed = [_times(g, Q, column) for column in passed]
            for a in sums:
                onward[a].append(dot(g, passed[a], z))
                for b in range(a + 1):
                    rest[a][b].append(dot(g, passed[a], handed[b]))
        G = [[let(g.add(own[max(i, j)][min(i, j)])) for j in sides] for i in sides]
        W = [[let(g.add(felt[a][i])) for i in sides] for a in sums]
        h = [let(gather(g, terms)) for terms in right]
        factored = Factorisation(g, G)
        pivots |= {branch.velocities[i]: e for i, e in zip(factored.order, factored.pivots, strict=True)}
        if factored.singular:
            return list(force), pivots
        drawn = [[let(e) for e in factored.solve(row)] for row in W]
        alone = [let(e) for e in factored.solve(h)]
        for a in sums:
            onward[a].append(-dot(g, W[a], alone))
            for b in range(a + 1):
                rest[a][b].append(dot(g, W[a], drawn[b]))
        Q = [[let(g.add(rest[max(a, b)][min(a, b)])) for b in sums] for a in sums]
        left[k] = Q, [let(g.add(terms)) for terms in onward]
        kept[k] = drawn, alone
    x = list(force)
    above: list[list[Node]] = []
    for k, branch in enumerate(branches):
        drawn, alone = kept[k]
        up = branch.parent
        if up is None:
            above.append([])
        else:
            known = [x[p] for p in branches[up].velocities]
            rows = zip(branch.passed, branch.fed, strict=True)
            above.append([let(g.add([dot(g, t, above[up]), dot(g, v, known)])) for t, v in rows])
        for i, p in enumerate(branch.velocities):
            x[p] = let(g.add([alone[i], *(-(row[i] * s) for row, s in zip(drawn, above[k], strict=True))]))
    return x, pivots
