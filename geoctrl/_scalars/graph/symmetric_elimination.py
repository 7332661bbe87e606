"""Symmetric factorisation M = L D L^T on recorded scalars, and the saddle-point solve with multipliers."""

from __future__ import annotations

from collections.abc import Sequence

from geoctrl._scalars.graph.graph import NUMBER, STATE, Graph, Node

__all__ = ["Factorisation", "solve_general", "solve_saddle"]


class Factorisation:
    """M = P^T L D L^T P for a symmetric matrix of nodes.

    Pivots that depend on parameters only are taken first: they cannot vanish along a motion, and
    what they eliminate is computed once. Structural zeros are skipped.

    Parameters
    ----------
    matrix : symmetric, rows of nodes

    Attributes
    ----------
    order : list of int
        Pivot sequence.
    pivots : list of Node
        Diagonal D in that sequence.
    """

    def __init__(self, graph: Graph, matrix: Sequence[Sequence[Node]]) -> None:
        self.graph = graph
        work = {(i, j): matrix[i][j] for i in range(len(matrix)) for j in range(len(matrix))}
        remaining = list(range(len(matrix)))
        self.order: list[int] = []
        self.pivots: list[Node] = []
        self._lower: list[dict[int, Node]] = []
        while remaining:
            p = min(remaining, key=lambda i: (_rank(work[i, i]), self._fill(work, remaining, i)))
            if work[p, p].is_zero:
                # A structurally zero pivot in an indefinite matrix: the caller's check on random
                # points reports it as singular.
                self.order += remaining
                self.pivots += [graph.zero] * len(remaining)
                return
            remaining.remove(p)
            factors = {i: work[i, p] / work[p, p] for i in remaining if not work[i, p].is_zero}
            for i, factor in factors.items():
                for j in factors:
                    if j >= i:
                        work[i, j] = work[j, i] = work[i, j] - factor * work[p, j]
            self.order.append(p)
            self.pivots.append(work[p, p])
            self._lower.append(factors)

    @staticmethod
    def _fill(work: dict, remaining: list[int], i: int) -> int:
        return sum(not work[i, j].is_zero for j in remaining if j != i)

    @property
    def singular(self) -> bool:
        """Whether a pivot vanishes identically."""
        return any(p.is_zero for p in self.pivots)

    def solve(self, right: Sequence[Node]) -> list[Node]:
        """Solution x of M x = right."""
        x = list(right)
        for p, factors in zip(self.order, self._lower, strict=False):
            for i, factor in factors.items():
                x[i] = x[i] - factor * x[p]
        for p, pivot in zip(self.order, self.pivots, strict=True):
            x[p] = x[p] / pivot
        for p, factors in zip(reversed(self.order), reversed(self._lower), strict=False):
            x[p] = self.graph.add([x[p], *(-(factor * x[i]) for i, factor in factors.items())])
        return x


def _rank(pivot: Node) -> int:
    if pivot.is_zero:
        return 3
    return {NUMBER: 0, STATE: 2}.get(pivot.level, 1)


def solve_saddle(
    graph: Graph,
    mass: Sequence[Sequence[Node]],
    force: Sequence[Node],
    rows: Sequence[Sequence[Node]],
    drift: Sequence[Node],
) -> tuple[list[Node], list[Node], list[Node]]:
    """Solve ``M w' - B^T lambda = h, B w' = -d`` for w' and lambda.

    Parameters
    ----------
    mass, force : M (k x k) and h (k,)
    rows, drift : B (r x k) and d = Bdot w (r,); may be empty

    Returns
    -------
    acceleration, multipliers, pivots : lists of nodes
        ``pivots`` of M, or M + B^T S B where M is singular, and of B M^{-1} B^T with the same; or of the
        bordered matrix where the elimination of both meets zeros. The solution exists where none vanishes.
    """
    factorisation = Factorisation(graph, mass)
    if factorisation.singular and rows:
        mass, force = _augmented_system(graph, mass, force, rows, drift)
        factorisation = Factorisation(graph, mass)
    if factorisation.singular:
        return _solve_bordered(graph, mass, force, rows, drift)
    free = factorisation.solve(force)
    if not rows:
        return free, [], list(factorisation.pivots)
    columns = [factorisation.solve(row) for row in rows]
    schur = [[dot(graph, row, column) for column in columns] for row in rows]
    constraint = Factorisation(graph, schur)
    if constraint.singular:
        return free, [], [*factorisation.pivots, *constraint.pivots]
    right = [-(dot(graph, row, free) + d) for row, d in zip(rows, drift, strict=True)]
    multipliers = constraint.solve(right)
    acceleration = [
        graph.add([free[i], *(columns[a][i] * multipliers[a] for a in range(len(rows)))])
        for i in range(len(free))
    ]
    return acceleration, multipliers, [*factorisation.pivots, *constraint.pivots]


def _augmented_system(
    graph: Graph,
    mass: Sequence[Sequence[Node]],
    force: Sequence[Node],
    rows: Sequence[Sequence[Node]],
    drift: Sequence[Node],
) -> tuple[list[list[Node]], list[Node]]:
    """M + B^T S B and h - B^T S d, S diagonal, which have the same w' and lambda, since B w' = -d.

    Where M is semidefinite and the bordered matrix regular the sum is positive definite, so that no pivot
    vanishes at a regular point; those of the bordered matrix may.
    """
    k, scaled = range(len(mass)), [[_inertia_of(mass, row) * e for e in row] for row in rows]
    pairs = list(zip(rows, scaled, strict=True))
    augmented = [[graph.add([mass[i][j], *(row[i] * s[j] for row, s in pairs)]) for j in k] for i in k]
    pulled = [graph.add([force[i], *(-(s[i] * d) for s, d in zip(scaled, drift, strict=True))]) for i in k]
    return augmented, pulled


def _inertia_of(mass: Sequence[Sequence[Node]], row: Sequence[Node]) -> Node | int:
    """An inertia along a row, by which it is weighed: the digits of a mass do not drown in those of a row."""
    felt = [i for i, e in enumerate(row) if not e.is_zero and not mass[i][i].is_zero]
    constant = [i for i in felt if mass[i][i].level != STATE]
    if plain := [i for i in constant if row[i].level != STATE]:
        return mass[plain[0]][plain[0]] / row[plain[0]] ** 2
    return mass[constant[0]][constant[0]] if constant else 1


def _solve_bordered(
    graph: Graph,
    mass: Sequence[Sequence[Node]],
    force: Sequence[Node],
    rows: Sequence[Sequence[Node]],
    drift: Sequence[Node],
) -> tuple[list[Node], list[Node], list[Node]]:
    """The same for a singular M, and M + B^T S B too: the bordered matrix is factored whole.

    Its diagonal zeros fill up as the other pivots are taken.
    """
    k, r = len(mass), len(rows)
    bordered = [
        *([*mass[i], *(rows[a][i] for a in range(r))] for i in range(k)),
        *([*rows[a], *[graph.zero] * r] for a in range(r)),
    ]
    factorisation = Factorisation(graph, bordered)
    if factorisation.singular:
        return list(force), [], list(factorisation.pivots)
    solution = factorisation.solve([*force, *(-d for d in drift)])
    return solution[:k], [-x for x in solution[k:]], list(factorisation.pivots)


def solve_general(
    graph: Graph, matrix: Sequence[Sequence[Node]], right: Sequence[Node]
) -> tuple[list[Node], list[Node]]:
    """Solution x of A x = b for a square matrix without symmetry, and the pivots, all on the diagonal."""
    work, n, pivots = [[*row, b] for row, b in zip(matrix, right, strict=True)], len(right), []
    for p in range(n):
        pivots.append(work[p][p])
        for i in range(p + 1, n):
            if not work[i][p].is_zero:
                factor = work[i][p] / work[p][p]
                work[i] = [a - factor * b for a, b in zip(work[i], work[p], strict=True)]
    x: list[Node] = []
    for p in reversed(range(n)):
        known = dot(graph, work[p][p + 1 : n], x)
        x.insert(0, (work[p][n] - known) / pivots[p])
    return x, pivots


def dot(graph: Graph, a: Sequence[Node], b: Sequence[Node]) -> Node:
    """Sum of products."""
    return graph.add([x * y for x, y in zip(a, b, strict=True)])
