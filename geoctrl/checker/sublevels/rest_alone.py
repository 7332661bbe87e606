r"""That nothing but the equilibrium stays where a function does not fall (LaSalle 1960).

V falls by squares :math:`d_k\, l_k^2`. Over the cells of the set all :math:`d_k` that are used are positive,
and the :math:`l_k` are linear in the velocities, of full rank: on whatever stays the velocities w vanish, and
with them their rates. Their equations :math:`K z = b`, of which all unknowns z are rates of velocities, leave
:math:`b(s, 0) = 0`; with rates that are written as solved and the relations of the leaf these are functions F
of the shapes alone, which vanish at the equilibrium e.

Over a cell F does not vanish, or it has the slopes J over the hull H of the cell and e with
:math:`M^T J(H)` regular, M the slopes in the middle: from :math:`0 = F(s) - F(e) = \bar J (s - e)` follows
s = e then.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from flint import arb, arb_mat, ctx, fmpq

from geoctrl.checker.enclosures.cells import matrix, solution
from geoctrl.checker.jets import Jet
from geoctrl.checker.limits import Refusal, spend
from geoctrl.checker.numbers import ball
from geoctrl.checker.reader import children
from geoctrl.checker.sublevels.cover import CoverNode, is_off_leaf
from geoctrl.checker.sublevels.energy import BITS, Cell, Energy, dot, first

FURTHER = 8
"""Halvings of each side of a cell, at most, beyond those that it has."""


def require_rest_alone(energy: Energy, inside: Sequence[CoverNode], level: fmpq) -> None:
    """Refused where it is not proved that only the equilibrium stays where V does not fall."""
    with ctx.workprec(BITS):
        rest = _Rest(energy)
        if not rest.all_at_rest(rest.point):
            raise Refusal("motions may stay elsewhere than at the equilibrium", "theorem.alone")
        for node in inside:
            pending = [(node.cell, 0)]
            while pending:
                cell, halved = pending.pop()
                spend()
                if rest.is_apart(cell, level) or (rest.all_at_rest(cell) and rest.is_alone(cell)):
                    continue
                if halved >= FURTHER * len(cell):
                    raise Refusal("motions may stay elsewhere than at the equilibrium", "theorem.alone")
                pending += [(half, halved + 1) for half in _halves(cell, halved % len(cell))]


class _Rest:
    """What vanishes where all velocities do."""

    def __init__(self, energy: Energy) -> None:
        self._energy, q = energy, energy.question
        rates = [q.problem["field"][i] for i in energy.velocities]
        if not {*q.unknowns} <= {*rates}:
            raise Refusal("forces are unknown beside the rates of velocities", "theorem.alone")
        solved = [p for p in rates if p not in q.unknowns]
        self._functions = [*q.problem["right"], *solved, *energy.relations]
        self._linear = _linear_nodes(energy)
        self._sides = [b - a for a, b in energy.box]
        self.point = _point_of(energy)

    def is_apart(self, cell: Cell, level: fmpq) -> bool:
        """Whether nothing of the set is over a cell."""
        energy = self._energy
        if is_off_leaf(energy, cell):
            return True
        least = energy.least(energy.quadratic(cell))
        return least is not None and least > level

    def all_at_rest(self, cell: Cell) -> bool:
        """Whether all velocities vanish over a cell where V does not fall."""
        energy = self._energy
        places = [p for p in energy.falling_squares(cell) if p in self._linear]
        still = [fmpq(0)] * len(energy.velocities)
        over, at = (self._jets(part, places, still) for part in (cell, _middle(cell)))
        return self._regular(over, at, energy.velocities, [fmpq(1)] * len(energy.velocities)) is not None

    def is_alone(self, cell: Cell) -> bool:
        """Whether rest over a cell is at the equilibrium, or nowhere."""
        energy, still = self._energy, [fmpq(0)] * len(self._energy.velocities)
        over, at = (self._jets(part, self._functions, still) for part in (cell, _middle(cell)))
        steps = [arb(0, 1) * ((b - a) / 2) for a, b in cell]
        for whole, middle in zip(over, at, strict=True):
            near = middle.value + dot([first(whole, i) for i in energy.shapes], steps)
            if not whole.value.contains(0) or not near.contains(0):
                return True
        hull = [(a.min(arb(p)), b.max(arb(q))) for (a, b), (p, q) in zip(self.point, cell, strict=True)]
        try:
            over = self._jets(hull, self._functions, still)
        except Refusal:  # where a function has no value between the cell and the equilibrium
            return False
        return self._regular(over, at, energy.shapes, self._sides) is not None

    def _jets(self, cell: Sequence, places: Sequence[int], still: Sequence[fmpq]) -> list[Jet]:
        return self._energy.jets(cell, still, places, order=1)[3]

    @staticmethod
    def _regular(
        over: Sequence[Jet], at: Sequence[Jet], places: Sequence[int], sizes: Sequence[fmpq]
    ) -> arb_mat | None:
        """M^T J where it is regular, rows and columns in sizes of their own; else None."""
        rows = [[first(jet, i) * s for i, s in zip(places, sizes, strict=True)] for jet in at]
        largest = [sum((abs(c.mid()) for c in row), arb(0)) for row in rows]
        kept = [(k, 1 / size) for k, size in enumerate(largest) if size > 0]
        M = [[c.mid() * unit for c in rows[k]] for k, unit in kept]
        J = [[first(over[k], i) * s * unit for i, s in zip(places, sizes, strict=True)] for k, unit in kept]
        if len(kept) < len(places):
            return None
        product = matrix(M, len(places)).transpose() * matrix(J, len(places))
        try:
            solution(product, arb_mat(len(places), 1))
        except Refusal:
            return None
        return product


def _linear_nodes(energy: Energy) -> set[int]:
    """Nodes of which each term has one factor that is a velocity."""
    found: list[tuple[int, int] | None] = []
    q = energy.question
    moving = {q.states[i] for i in energy.velocities}
    for i, (kind, *parts) in enumerate(q.table):
        below = [found[j] for j in children((kind, *parts))]
        degrees: tuple[int, int] | None = (0, 0)
        if kind == "sym":
            degrees = None if i in q.unknowns else (int(i in moving),) * 2
        elif None in below or (kind == "fun" and any(d != (0, 0) for d in below)):
            degrees = None
        elif kind == "prod":
            powers = [(found[j], e) for j, e in parts[1]]
            still = all(d == (0, 0) for d, e in powers if e < 0)
            degrees = _degrees_of_product([(d[0] * e, d[1] * e) for d, e in powers]) if still else None
        elif kind == "sum":
            terms = [_degrees_of_product([found[a], found[b]]) for a, b in parts[0]]
            degrees = (min(t[0] for t in terms), max(t[1] for t in terms)) if terms else (0, 0)
        found.append(degrees)
    return {i for i, degrees in enumerate(found) if degrees == (1, 1)}


def _degrees_of_product(degrees: Iterable[tuple[int, int]]) -> tuple[int, int]:
    """Lowest and highest degree of a product."""
    low, high = 0, 0
    for a, b in degrees:
        low, high = low + a, high + b
    return low, high


def _point_of(energy: Energy) -> Any:
    """A cell in which the equilibrium is, with ends in balls."""
    labels, rest = energy.question.labels, energy.given.get("rest")
    free = [] if rest is None else [k for k in labels if k not in rest["held"]]
    radii = dict(zip(free, rest["radii"] if rest else [], strict=False))
    values = [ball(x) for x in energy.at_point(energy.shapes)]
    widths = [radii.get(labels[i], fmpq(0)) for i in energy.shapes]
    return tuple(((v - w).lower(), (v + w).upper()) for v, w in zip(values, widths, strict=True))


def _middle(cell: Cell) -> Cell:
    return tuple(((a + b) / 2,) * 2 for a, b in cell)


def _halves(cell: Cell, k: int) -> Iterator[Cell]:
    """Both halves along one side."""
    low, high = cell[k]
    for side in ((low, (low + high) / 2), ((low + high) / 2, high)):
        yield (*cell[:k], side, *cell[k + 1 :])
