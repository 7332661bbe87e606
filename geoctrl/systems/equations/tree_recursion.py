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

from collections.abc import Sequence

from geoctrl._scalars import Graph, Node
from geoctrl.systems.equations.inertia_tree import Branch
from geoctrl.systems.equations.velocity_elimination import Factorisation, dot

__all__ = ["TreeMomenta", "solve_along_tree", "spread"]

Matrix = list[list[Node]]


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


class TreeMomenta:
    """Momenta G x of velocities along the tree.

    Attributes
    ----------
    momentum : list of Node
        G x, in the order of velocities.
    names : set of Node
        Sums of the velocities above and of the momenta below a group.
    energies : list of Node
        One for each group, the derivatives of which by its symbols, with the names held, are those of
        ``x.G x/2``.
    """

    def __init__(self, graph: Graph, branches: Sequence[Branch], velocity: Sequence[Node]) -> None:
        g, below = graph, _children(branches)
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
        self.names = {atom for node in named for atom in g.factors(node)[1] if atom.kind == "let"}
        for k, branch in enumerate(branches):
            m = len(branch.velocities)
            own, felt = _times(g, branch.own, x[k]), _times(g, _columns(branch.felt, m), above[k])
            fed = [_times(g, _columns(branches[c].fed, m), carried[c]) for c in below[k]]
            for i, p in enumerate(branch.velocities):
                self.momentum[p] = g.add([own[i], felt[i], *(part[i] for part in fed)])
            coupled = [g.add([felt[i], *(part[i] for part in fed)]) for i in range(m)]
            self.energies.append(g.add([dot(g, own, x[k]) / 2, dot(g, coupled, x[k])]))


def spread(graph: Graph, nodes: Sequence[Node]) -> list[Node]:
    """Terms of nodes, products with one sum multiplied out: what cancels in others is seen to."""
    found = []
    for node in nodes:
        q, factors = graph.factors(node)
        sums = [atom for atom, e in factors.items() if atom.kind == "sum" and e == 1]
        if not sums:
            found.append(node)
            continue
        outer = graph.monomial(q, {atom: e for atom, e in factors.items() if atom is not sums[0]})
        found += spread(graph, [outer * c * mono for c, mono in sums[0].payload])
    return found


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
        h = [let(g.add(terms)) for terms in right]
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
