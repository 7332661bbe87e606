r"""Inertias of many coupled parts as trees: what lies beyond a part is felt through a few sums.

Velocities in groups, each with the symbols that they move, are put in an order of elimination, leaves first.
Groups that a group k is coupled to when its turn has come are above it in the tree; those eliminated through
it are its subtree. The couplings between the two,

.. math:: G_{ij} = \sum_{a,b} c_{ij}^{ab}\, f_a(\Gamma_i)\, f_b(\Gamma_j), \qquad i \text{ above } k,\ j
          \text{ in the subtree of } k,

are a matrix of the coefficients c, free of states, with a row for each (i, a) and a column for each (j, b).
If its rank :math:`r_k` stays small, rows of a basis give

.. math::

    s_c = T_c s_k + V_c(\Gamma_k)\, \dot x_k, \qquad
    \tfrac12 \dot x^T G \dot x
    = \sum_k \tfrac12 \dot x_k^T G_{kk} \dot x_k + s_k^T W_k(\Gamma_k)\, \dot x_k

from a group k to each next one c, root first: for a chain of bodies s is the velocity of the joint. Ranks are
those of exact elimination, by pivots that are numbers or positive.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from geoctrl._scalars import FLOAT, STATE, Graph, Node, evaluate
from geoctrl._scalars.algebra.separation import Separation
from geoctrl._scalars.graph.form_signs import form_signs
from geoctrl.systems.equations.mechanism import Mechanism

__all__ = ["Branch", "Matrix", "coupling_coefficients", "entry_terms", "inertia_tree", "velocity_groups"]

Matrix = list[list[Node]]
Place = tuple[int, Node]
"""A velocity, and a function of the symbols of its group."""
Couplings = dict[Place, dict[Place, Node]]

_MOST = 9
"""Sums that couple a group to what is above it."""

_SMALL = 1e-9
"""Singular values that are zero, relative to the largest, where an order is searched."""


@dataclass
class Branch:
    """A group of velocities in the tree.

    Attributes
    ----------
    velocities : list of int
    parent : int or None
        Place of the group above in the list of all, which begins with roots.
    own : m x m
        Inertia of the group.
    felt : r x m
        W: how the sums from above enter the momentum of the group.
    passed, fed : r x r', r x m'
        T and V: sums from those of the group above and from its velocities.
    """

    velocities: list[int]
    parent: int | None
    own: Matrix
    felt: Matrix = field(default_factory=list)
    passed: Matrix = field(default_factory=list)
    fed: Matrix = field(default_factory=list)


def velocity_groups(
    mechanism: Mechanism, count: int, gamma: Sequence[Node]
) -> tuple[list[list[int]], dict[Node, int]]:
    """Velocities that move one vector are a group, and so are all that such vectors link; the group of each
    symbol that moves.
    """
    moved: list[set[int]] = [set() for _ in gamma]
    for i, j, carrier, _ in mechanism.kinematics:
        for place in (i, carrier):
            if place < len(gamma):
                moved[place].add(j)
    group, start = list(range(count)), 0
    for size in [*(a.dimension for a in mechanism.advected), *[1] * len(mechanism.shape)]:
        block = slice(start, start + size)
        movers = set().union(*moved[block])
        moved[block] = [movers] * size
        felt = {group[j] for j in movers}
        group = [min(felt) if k in felt else k for k in group]
        start += size
    names = sorted(set(group))
    found = [[p for p in range(count) if group[p] == name] for name in names]
    pairs = zip(gamma, moved, strict=True)
    return found, {node: names.index(group[min(movers)]) for node, movers in pairs if movers}


def inertia_tree(
    graph: Graph,
    inertia: Matrix,
    groups: Sequence[Sequence[int]],
    group_of: Mapping[Node, int],
    positive: Iterable[Node],
    terms: float,
) -> list[Branch] | None:
    """The inertia as a tree that takes less than its elimination entry by entry, or None.

    Parameters
    ----------
    inertia : n x n, symmetric
    groups : velocities of each group
    group_of : mapping from symbols of states to the groups that move them
    positive : parameters that are positive
    terms : of an entry as it is given
    """
    couplings = coupling_coefficients(graph, inertia, groups, group_of)
    if couplings is None:
        return None
    moving = {
        (p, f): {(q, h): c for (q, h), c in columns.items() if STATE in (f.level, h.level)}
        for (p, f), columns in couplings.items()
    }
    # Constant entries are eliminated beforehand, once for all states.
    most = _work_entry_by_entry(_neighbours(moving, groups), groups, terms)
    for order in _orders(couplings, groups):
        found = _Tree(graph, inertia, groups, couplings, order, set(positive)).branches()
        if found is not None and _work(found) < most:
            return found
    return None


def coupling_coefficients(
    graph: Graph, inertia: Matrix, groups: Sequence[Sequence[int]], group_of: Mapping[Node, int]
) -> Couplings | None:
    """Coefficients of the entries between groups, both ways; None where an entry does not separate."""
    separation = Separation(graph, group_of)
    found: dict[Place, dict[Place, list[Node]]] = {}
    for i, group in enumerate(groups):
        for j, other in enumerate(groups[:i]):
            for p, q in ((p, q) for p in group for q in other):
                products = separation.products(inertia[p][q])
                if products is None:
                    return None
                for coefficient, factors in products:
                    if not factors.keys() <= {i, j}:
                        return None
                    here, there = (p, factors.get(i, graph.one)), (q, factors.get(j, graph.one))
                    found.setdefault(here, {}).setdefault(there, []).append(coefficient)
                    found.setdefault(there, {}).setdefault(here, []).append(coefficient)
    added = {row: {k: graph.add(c) for k, c in columns.items()} for row, columns in found.items()}
    return {row: {k: c for k, c in columns.items() if not c.is_zero} for row, columns in added.items()}


def _neighbours(couplings: Couplings, groups: Sequence[Sequence[int]]) -> list[set[int]]:
    """Groups that each group is coupled to."""
    home = {p: k for k, group in enumerate(groups) for p in group}
    linked: list[set[int]] = [set() for _ in groups]
    for (p, _), columns in couplings.items():
        linked[home[p]] |= {home[q] for q, _ in columns}
    return linked


def _orders(couplings: Couplings, groups: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """Orders of elimination: bodies are mostly numbered from the root on, or towards it."""
    yield list(reversed(range(len(groups))))
    yield list(range(len(groups)))
    if (found := _Shuffled(couplings, groups).order()) is not None:
        yield found


class _Shuffled:
    """The order of bodies that are numbered at random.

    In a tree of which each part is coupled to all above and below it, those with the same neighbours follow
    each other, and others lie above the more parts the more neighbours they have. Along a row of the first
    kind ranks tell who is next: they are searched in doubles at random parameters.
    """

    def __init__(self, couplings: Couplings, groups: Sequence[Sequence[int]]) -> None:
        self._linked = _neighbours(couplings, groups)
        home = {p: k for k, group in enumerate(groups) for p in group}
        rows = list(couplings)
        place = {row: i for i, row in enumerate(rows)}
        self._places = [[place[row] for row in rows if home[row[0]] == k] for k in range(len(groups))]
        nodes = [c for columns in couplings.values() for c in columns.values()]
        rng = np.random.default_rng(17)
        drawn = {n: rng.uniform(0.5, 2.0) for n in (nodes[0].graph.symbols(nodes) if nodes else ())}
        values = iter(evaluate(nodes, drawn, FLOAT))
        self._matrix = np.zeros((len(rows), len(rows)))
        for row, columns in couplings.items():
            for column in columns:
                self._matrix[place[row], place[column]] = next(values)

    def order(self) -> list[int] | None:
        """Leaves first; None where no order keeps the ranks small."""
        alike: dict[frozenset[int], list[int]] = {}
        for k, others in enumerate(self._linked):
            alike.setdefault(frozenset(others | {k}), []).append(k)
        most = max((self._rank(self._matrix[:, p]) for p in self._places if p), default=0)
        found: list[int] = []
        for neighbours, row in sorted(alike.items(), key=lambda item: len(item[0])):
            below = [k for k in found if k in neighbours]
            ends = [None] if below else row
            tried = (self._order_of_row(row, below, end, found, most) for end in ends)
            following = next((t for t in tried if t is not None), None)
            if following is None:
                return None
            found += following
        return found

    def _order_of_row(
        self, row: Sequence[int], below: Sequence[int], end: int | None, gone: Sequence[int], most: int
    ) -> list[int] | None:
        """The parts of a row, from one end on; None where the rank rises above the most."""
        seen = self._matrix[:, [i for k in below for i in self._places[k]]].copy()
        seen[[i for k in gone for i in self._places[k]]] = 0.0
        order: list[int] = []
        left = set(row)
        while left:
            ranks = {}
            for k in [end] if not order and end is not None else sorted(left):
                both = np.hstack([seen, self._matrix[:, self._places[k]]])
                both[[i for j in (*gone, *order, k) for i in self._places[j]]] = 0.0
                ranks[k] = self._rank(both), both
            k = min(ranks, key=lambda k: (ranks[k][0], k))
            rank, both = ranks[k]
            if rank > most:
                return None
            u, sizes, _ = np.linalg.svd(both, full_matrices=False)
            seen = u[:, :rank] * sizes[:rank]
            order.append(k)
            left.remove(k)
        return order

    @staticmethod
    def _rank(matrix: np.ndarray) -> int:
        return int(np.linalg.matrix_rank(matrix, rtol=_SMALL)) if matrix.size else 0


def _parents(linked: Sequence[set[int]], order: Sequence[int]) -> dict[int, int | None]:
    """The group above each, with those that elimination links."""
    turn = {k: i for i, k in enumerate(order)}
    left = [set(others) for others in linked]
    parents: dict[int, int | None] = {}
    for k in order:
        above = {j for j in left[k] if turn[j] > turn[k]}
        parents[k] = min(above, key=turn.__getitem__, default=None)
        for j in above:
            left[j] |= above - {j}
    return parents


class _Tree:
    """The realisation of couplings for one order of elimination."""

    def __init__(
        self,
        graph: Graph,
        inertia: Matrix,
        groups: Sequence[Sequence[int]],
        couplings: Couplings,
        order: Sequence[int],
        positive: set[Node],
    ) -> None:
        self._graph, self._inertia, self._groups = graph, inertia, groups
        self._couplings, self._positive = couplings, positive
        self._from_root = list(reversed(order))
        self._parents = _parents(_neighbours(couplings, groups), order)
        self._rows: dict[int, list[Place]] = {k: [] for k in range(len(groups))}
        home = {p: k for k, group in enumerate(groups) for p in group}
        for row in couplings:
            self._rows[home[row[0]]].append(row)
        self._below: dict[int, set[Place]] = {k: set(rows) for k, rows in self._rows.items()}
        for k in order:
            if (parent := self._parents[k]) is not None:
                self._below[parent] |= self._below[k]

    def branches(self) -> list[Branch] | None:
        """The groups from the roots on; None where a rank is large or a pivot might vanish."""
        place: dict[int, int] = {}
        bases: dict[int, list[Place]] = {}
        found: list[Branch] = []
        for k in self._from_root:
            group, parent = self._groups[k], self._parents[k]
            branch = Branch(list(group), None, [[self._inertia[p][q] for q in group] for p in group])
            bases[k] = []
            if parent is not None:
                reduced = self._basis_and_shares([*bases[parent], *self._rows[parent]], self._below[k])
                if reduced is None:
                    return None
                bases[k], shares = reduced
                branch.parent = place[parent]
                self._connect(branch, bases[k], shares, bases[parent], self._groups[parent])
            place[k] = len(found)
            found.append(branch)
        return found

    def _connect(
        self,
        branch: Branch,
        basis: list[Place],
        shares: dict[Place, list[Node]],
        above: list[Place],
        velocities: Sequence[int],
    ) -> None:
        """T, V and W of a branch: the sums from above are those of the rows of its basis."""
        g, none = self._graph, [self._graph.zero] * len(basis)
        own = [row for row in shares if row not in above]
        branch.passed = [[shares.get(row, none)[a] for row in above] for a in range(len(basis))]
        branch.fed = [
            [g.add([shares[row][a] * row[1] for row in own if row[0] == p]) for p in velocities]
            for a in range(len(basis))
        ]
        branch.felt = [
            [
                g.add([c * f for (q, f), c in self._couplings[row].items() if q == p])
                for p in branch.velocities
            ]
            for row in basis
        ]

    def _basis_and_shares(
        self, candidates: Sequence[Place], columns: set[Place]
    ) -> tuple[list[Place], dict[Place, list[Node]]] | None:
        """A basis of rows, restricted to columns, and every row that is not zero by those of the basis."""
        g = self._graph
        basis: list[Place] = []
        steps: list[tuple[Place, dict[Place, Node], list[Node]]] = []
        shares: dict[Place, list[Node]] = {}
        for row in candidates:
            left = {k: c for k, c in self._couplings[row].items() if k in columns}
            if not left:
                continue
            share = [g.zero] * len(basis)
            for pivot, reduced, of_basis in steps:
                if pivot not in left:
                    continue
                factor = left[pivot] / reduced[pivot]
                for k, c in reduced.items():
                    left[k] = left.get(k, g.zero) - factor * c
                left = {k: c for k, c in left.items() if not c.is_zero}
                share = [
                    a + factor * b for a, b in zip(share, of_basis + [g.zero] * len(share), strict=False)
                ]
            if left:
                pivot = min(left, key=lambda k: (self._cost(left[k]), k[0], k[1].index))
                if self._cost(left[pivot]) > 1 or len(basis) == _MOST:
                    return None
                basis.append(row)
                steps.append((pivot, left, [*(-s for s in share), g.one]))
                share = [*[g.zero] * len(share), g.one]
            shares[row] = share
        width = len(basis)
        return basis, {row: share + [g.zero] * (width - len(share)) for row, share in shares.items()}

    def _cost(self, pivot: Node) -> int:
        """Zero for numbers, one for what has one sign at all parameters, two for what may vanish."""
        if pivot.level == 0:
            return 0
        (signs,) = form_signs(self._graph, [pivot], self._positive)
        return 1 if len(signs) == 1 and 0 not in signs else 2


def _work(branches: Sequence[Branch]) -> int:
    """Instructions of a recursion, roughly."""
    total = 0
    for branch in branches:
        r, m = len(branch.felt), len(branch.velocities)
        total += m * (2 * r * r + 15 * r + 5 + m * (m - 1))
    return total


def _work_entry_by_entry(linked: Sequence[set[int]], groups: Sequence[Sequence[int]], terms: float) -> float:
    """Instructions of an elimination of all entries, of so many terms each, roughly."""
    left, total = {k: set(others) for k, others in enumerate(linked)}, 0.0
    while left:
        k = min(left, key=lambda k: sum(len(groups[j]) for j in left[k]))
        above, m = left.pop(k), len(groups[k])
        f = sum(len(groups[j]) for j in above)
        total += m * (f * f + (5 + 2 * terms) * f + (15 + m * (m - 1) if above else 0))
        for j in above:
            left[j] = (left[j] | above) - {j, k}
    return total


def entry_terms(graph: Graph, inertia: Matrix) -> float:
    """Terms of an entry beside the diagonal, on the average."""
    entries = [inertia[i][j] for i in range(len(inertia)) for j in range(i)]
    sums = [[a for a in graph.factors(e)[1] if a.kind == "sum"] for e in entries if e.level == STATE]
    lengths = [max((len(a.payload) for a in atoms), default=1) for atoms in sums]
    return sum(lengths) / len(lengths) if lengths else 1.0
