r"""Accelerations of points on links by the tensions of these.

Where every velocity moves along a line, or turns a direction in a plane, the kinetic energy may be that of
points,

.. math::

    T = \tfrac12\, \dot y \cdot K\, \dot y, \qquad \dot y_k = V_k \dot x_k, \quad V_k = (f_k, h_k), \quad
    f_k' = \sigma_k h_k, \quad h_k' = -\sigma_k f_k,

with K free of states, and :math:`f_k^2 + h_k^2 = \nu_k` constant on the leaf. With
:math:`N_k = (-h_k, f_k)`, along the link, and forces p that do the work of those given,
:math:`V_k \cdot p_k = F_k`,

.. math::

    K \ddot y = p + N \lambda, \qquad N_k \cdot \ddot y_k = -\sigma_k \nu_k \dot x_k^2, \qquad
    \nu_k \ddot x_k = V_k \cdot \ddot y_k .

The inverse of K couples neighbours alone where the masses are points at the ends of links, and so does
:math:`N^T K^{-1} N`: one pivot and one number for each link, in the
place of the matrix and the vector in :mod:`geoctrl.systems.equations.tree_recursion`. K is positive definite
where the inertia is at all states, since every :math:`\dot y` is that of some state.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from geoctrl._scalars import FLOAT, STATE, Graph, Node, evaluate
from geoctrl._scalars.arithmetic.residues import RandomFunctions, Residues, residues_of
from geoctrl._scalars.graph.symmetric_elimination import Factorisation, dot
from geoctrl.errors import GeoctrlError
from geoctrl.systems.equations.inertia_tree import Matrix, coupling_coefficients
from geoctrl.systems.equations.tree_recursion import spread

__all__ = ["LinkTensions", "link_tensions"]

_MOST_NEIGHBOURS = 2
"""Pairs that are coupled for each link, up to which tensions take less than a recursion along the tree."""

_SMALL = 1e-9
"""Entries of an inverse that are zero, relative to its diagonal, where its pattern is searched."""

_POINTS = 3
"""Random numbers modulo a prime at which an inverse is tried."""

_Columns = list[dict[int, Node]]


@dataclass(frozen=True)
class _Arm:
    """What a velocity moves: V, its sense of rotation (0 along a line), and the square of V."""

    functions: tuple[Node, ...]
    sense: int
    square: Node

    @property
    def along_link(self) -> tuple[Node, ...]:
        """N; of a line nothing."""
        return (-self.functions[1], self.functions[0]) if self.sense else ()


def link_tensions(
    graph: Graph, inertia: Matrix, moved: Sequence[Mapping[Node, Node]], start: Mapping[Node, Node]
) -> LinkTensions | None:
    """The tensions of an inertia that is one of points on links, or None.

    Parameters
    ----------
    inertia : n x n
    moved : for each velocity the symbols that it moves, with their rates at its unit
    start : numbers of these symbols at some place of the leaf
    """
    group_of = {symbol: k for k, rates in enumerate(moved) for symbol in rates}
    if len(group_of) < sum(len(rates) for rates in moved):
        return None  # two velocities move one symbol
    couplings = coupling_coefficients(graph, inertia, [[k] for k in range(len(moved))], group_of)
    if couplings is None:
        return None
    arms, own = list[_Arm](), list[Node]()
    for k, rates in enumerate(moved):
        arm = _arm_of(graph, [f for (p, f), row in couplings.items() if p == k and row], rates, start)
        inertia_of = _constant(graph, inertia[k][k], rates, start)
        if arm is None or inertia_of is None:
            return None
        arms.append(arm)
        own.append(inertia_of / arm.square)
    places = [(k, f) for k, arm in enumerate(arms) for f in arm.functions]
    matrix = [
        [own[k] if p == q else couplings.get(p, {}).get(q, graph.zero) for q in places]
        for p in places
        for k in p[:1]
    ]
    inverse = _sparse_inverse(graph, matrix)
    if inverse is None:
        return None
    found = LinkTensions(graph, arms, inverse)
    return found if found.pair_count <= _MOST_NEIGHBOURS * len(arms) else None


def _arm_of(
    graph: Graph, functions: Sequence[Node], rates: Mapping[Node, Node], start: Mapping[Node, Node]
) -> _Arm | None:
    """The arm of a velocity by functions of what it moves; None where they do not turn in a plane."""
    if all(f.level != STATE for f in functions):
        return _Arm((graph.one,), 0, graph.one) if {*functions} <= {graph.one} else None
    first = functions[0]
    (slope,) = graph.push_forward([first], rates)
    second = next((f for f in functions if f in (slope, -slope)), slope)
    (back,) = graph.push_forward([second], rates)
    sense = 1 if second is slope else -1
    square = _constant(graph, first**2 + second**2, rates, start)
    turns = back is sense * -first and {*functions} <= {first, second}
    return _Arm((first, second), sense, square) if turns and square is not None else None


def _constant(
    graph: Graph, value: Node, rates: Mapping[Node, Node], start: Mapping[Node, Node]
) -> Node | None:
    """What a function of the symbols that one velocity moves is all along the leaf; None where it changes."""
    states = {symbol for symbol in graph.symbols([value]) if symbol.level == STATE}
    (slope,) = graph.push_forward([value], rates)
    return graph.substitute([value], start)[0] if slope.is_zero and states <= {*rates} else None


def _sparse_inverse(graph: Graph, matrix: Matrix) -> _Columns | None:
    """Columns of the inverse of a positive definite matrix free of states; None where it is not seen.

    Numbers at random parameters tell which entries to solve for, and all rows are then multiplied out.
    """
    size, nodes = range(len(matrix)), [e for row in matrix for e in row]
    rng = np.random.default_rng(29)
    drawn = {symbol: rng.uniform(0.5, 2.0) for symbol in graph.symbols(nodes)}
    values = np.array(evaluate(nodes, drawn, FLOAT), dtype=float).reshape(len(matrix), -1)
    lengths = np.sqrt(np.maximum(np.diag(values), 0.0))
    if not lengths.all():
        return None
    try:
        guess = np.linalg.inv(values / np.outer(lengths, lengths))
    except np.linalg.LinAlgError:
        return None
    largest = np.sqrt(np.abs(np.outer(np.diag(guess), np.diag(guess))))
    columns, left = _Columns(), list[Node]()
    for j, felt in enumerate((np.abs(guess) > _SMALL * largest).T):
        rows = [int(i) for i in np.flatnonzero(felt)]
        part = Factorisation(graph, [[matrix[a][b] for b in rows] for a in rows])
        if part.singular:
            return None
        unit = [graph.one if i == j else graph.zero for i in size]
        column = part.solve([unit[i] for i in rows])
        left += [dot(graph, [matrix[i][b] for b in rows], column) - unit[i] for i in size]
        columns.append(dict(zip(rows, column, strict=True)))
    return columns if _vanish([e for e in left if not e.is_zero], rng) else None


def _vanish(nodes: Sequence[Node], rng: np.random.Generator) -> bool:
    """Whether functions of parameters are zero, at random numbers modulo a prime."""
    symbols = nodes[0].graph.symbols(nodes) if nodes else set()
    drawn = {symbol: Residues.draw(rng, (_POINTS,)) for symbol in symbols}
    try:
        return not any(r.values.any() for r in residues_of(nodes, drawn, RandomFunctions(rng, _POINTS)))
    except (GeoctrlError, ArithmeticError):
        return False


class LinkTensions:
    """Points on links with the inverse of K.

    Attributes
    ----------
    pair_count : int
        Pairs of velocities that the inverse couples.
    """

    def __init__(self, graph: Graph, arms: Sequence[_Arm], inverse: _Columns) -> None:
        self._graph, self._arms, self._inverse = graph, arms, inverse
        ends = np.cumsum([0, *(len(arm.functions) for arm in arms)]).tolist()
        self._places = [range(a, b) for a, b in pairwise(ends)]
        home = [k for k, places in enumerate(self._places) for _ in places]
        self._beside = [
            sorted({home[i] for p in places for i in inverse[p]} - {k})
            for k, places in enumerate(self._places)
        ]
        self.pair_count = sum(map(len, self._beside)) // 2

    def accelerations(
        self, rates: Sequence[Node], force: Sequence[Sequence[Node]], order: Sequence[int]
    ) -> list[Node]:
        """Of velocities at their rates under terms of forces; the order tells leaves first."""
        g, arms = self._graph, self._arms
        pulled = [p for arm, terms in zip(arms, force, strict=True) for p in self._force_on(arm, terms)]
        free = [
            g.let(g.add([c * pulled[i] for i, c in column.items()])) for column in self._inverse
        ]  # without tensions
        freely = [[free[i] for i in places] for places in self._places]
        bent = [k for k in order if arms[k].sense]
        right = {
            k: g.add(
                [-(arms[k].sense * arms[k].square * rates[k] ** 2), -dot(g, arms[k].along_link, freely[k])]
            )
            for k in bent
        }
        tension = self._tensions(self._in_rounds(bent), right)
        found = []
        for k, arm in enumerate(arms):
            pulls = [
                self._block_form(arm.functions, k, arms[j].along_link, j) * tension[j]
                for j in (k, *self._beside[k])
                if j in tension
            ]
            found.append(g.let(g.add([dot(g, arm.functions, freely[k]), *pulls]) / arm.square))
        return found

    def _force_on(self, arm: _Arm, terms: Sequence[Node]) -> list[Node]:
        """p: terms that are multiples of one function of V are forces along it, as weights are."""
        g = self._graph
        if not arm.sense:
            return [g.add(terms)]
        parts: dict[Node, list[Node]] = {f: [] for f in arm.functions}
        rest: list[Node] = []
        for term in spread(g, terms):
            factors = g.factors(term)[1]
            within = [f for f in arm.functions if f in factors]
            if len(within) == 1 and factors[within[0]] == 1:
                parts[within[0]].append(term / within[0])
            else:
                rest.append(term)
        turning = g.let(g.add(rest)) / arm.square
        return [g.add([*parts[f], f * turning]) for f in arm.functions]

    def _block_form(self, x: Sequence[Node], k: int, y: Sequence[Node], j: int) -> Node:
        """x.C y for the block C of the inverse between two velocities."""
        g = self._graph
        block = {
            (a, b): self._inverse[p][q]
            for a, p in enumerate(self._places[k])
            for b, q in enumerate(self._places[j])
            if q in self._inverse[p]
        }
        alike = {*block.values()}
        if k == j and len(alike) == 1 and {*block} == {(0, 0), (1, 1)}:
            # N or V, at a right angle. A length that rounding has changed enters as it is, as it does between
            # links: beside the sums that cancel there a run would be ten times less exact.
            return alike.pop() * g.let(g.add([e * e for e in x])) if x == y else g.zero
        if len(alike) == 1:
            return alike.pop() * g.let(g.add([x[a] * y[b] for a, b in block]))
        return g.let(g.add([c * x[a] * y[b] for (a, b), c in block.items()]))

    def _in_rounds(self, links: Sequence[int]) -> list[int]:
        """An order in rounds: those of one round have few neighbours and none among themselves.

        Along a row these are every second one, so that equations are as deep as the logarithm of its length:
        heyoka compiles a loop for each depth.
        """
        left = {k: {j for j in self._beside[k] if j in links} for k in links}
        order: list[int] = []
        while left:
            least = max(2, min(map(len, left.values())))
            chosen = list[int]()
            for k, others in left.items():
                if len(others) <= least and not others & {*chosen}:
                    chosen.append(k)
            for k in chosen:
                others = left.pop(k)
                for j in others:
                    left[j] |= others - {j}
                    left[j].remove(k)
            order += chosen
        return order

    def _tensions(self, order: Sequence[int], right: Mapping[int, Node]) -> dict[int, Node]:
        """Solution of N^T K^-1 N lambda = right."""
        g, let = self._graph, self._graph.let
        links = {k: self._arms[k].along_link for k in order}
        across = {
            k: {j: self._block_form(links[k], k, links[j], j) for j in self._beside[k] if j in links}
            for k in order
        }
        own = {k: [self._block_form(links[k], k, links[k], k)] for k in order}
        sides = {k: [right[k]] for k in order}
        kept: list[tuple[int, Node, dict[int, Node]]] = []
        for k in order:
            pivot, side, above = let(g.add(own[k])), let(g.add(sides[k])), across.pop(k)
            shares = {j: let(c / pivot) for j, c in above.items()}
            for j, share in shares.items():
                del across[j][k]
                own[j].append(-(share * above[j]))
                sides[j].append(-(share * side))
                for i in shares:
                    if i != j:
                        across[j][i] = let(g.add([across[j].get(i, g.zero), -(share * above[i])]))
            kept.append((k, side / pivot, shares))
        found: dict[int, Node] = {}
        for k, alone, shares in reversed(kept):
            found[k] = let(g.add([alone, *(-(share * found[j]) for j, share in shares.items())]))
        return found
