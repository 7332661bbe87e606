r"""That nothing but the equilibrium stays where a function does not fall (LaSalle 1960).

V falls by squares :math:`d_k\, l_k^2`. Over the cells of the set all :math:`d_k` that are used are positive,
and the :math:`l_k` are linear in the velocities, of full rank: on whatever stays the velocities w vanish, and
with them their rates. Their equations :math:`K z = b`, of which all unknowns z are rates of velocities, leave
:math:`b(s, 0) = 0`; with rates that are written as solved and the relations of the leaf these are functions F
of the shapes alone, which vanish at the equilibrium e.

Over a cell F does not vanish, or it has the slopes J over the hull H of the cell and e with
:math:`M^T J(H)` regular, M the slopes in the middle: from :math:`0 = F(s) - F(e) = \bar J (s - e)` follows
s = e then.

Where the :math:`l_k` leave velocities, they vanish all along what stays, and so do their derivatives along
the motion: these, and the relations of the leaf, are F then, over cells of all states.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from flint import ctx, fmpq

from geoctrl.checker.enclosures.degrees import ONE, degrees_in
from geoctrl.checker.jets import Jet
from geoctrl.checker.limits import Refusal, spend
from geoctrl.checker.numbers import ball
from geoctrl.checker.rests.chain import Chain
from geoctrl.checker.rests.zeros import hull_of, narrowed_cell, step_to_zero
from geoctrl.checker.sublevels.cover import CELLS, CoverNode, is_off_leaf
from geoctrl.checker.sublevels.energy import BITS, Cell, Energy, halves_of, middle_of

FURTHER = 8
"""Halvings of each side of a cell, at most, beyond those that it has."""
PARTS = 1000
"""Of all cells, at most, where derivatives along the motion are asked about: tens of milliseconds each."""


def require_rest_alone(energy: Energy, inside: Sequence[CoverNode], level: fmpq) -> None:
    """Refused where it is not proved that only the equilibrium stays where V does not fall."""
    with ctx.workprec(BITS):
        rest = _Rest(energy)
        if rest.all_at_rest(rest.point):
            _cover([node.cell for node in inside], lambda cell: rest.left_over(cell, level), CELLS)
            return
        chain = Chain(energy, point_of(energy, [*energy.shapes, *energy.velocities]), level)
        if chain.left_over(chain.point) is not None:
            raise Refusal("motions may stay elsewhere than at the equilibrium", "theorem.alone")
        _cover([(*node.cell, *chain.velocities(node.cell)) for node in inside], chain.left_over, PARTS)


def _cover(cells: Sequence[Cell], left_over: Callable[[Cell], Cell | None], most: int) -> None:
    """Refused unless nothing is left over of parts of all cells, which are halved for it."""
    pending = [(cell, 0) for cell in cells]
    while pending:
        whole, halved = pending.pop()
        spend()
        most -= 1
        if (cell := left_over(whole)) is None:
            continue
        if halved >= FURTHER * len(cell) or most < len(pending):
            raise Refusal("motions may stay elsewhere than at the equilibrium", "theorem.alone")
        pending += [(half, halved + 1) for half in halves_of(cell, halved % len(cell))]


class _Rest:
    """What vanishes where all velocities do."""

    def __init__(self, energy: Energy) -> None:
        self._energy, q = energy, energy.question
        rates = [q.problem["field"][i] for i in energy.velocities]
        if not {*q.unknowns} <= {*rates}:
            raise Refusal("forces are unknown beside the rates of velocities", "theorem.alone")
        solved = [p for p in rates if p not in q.unknowns]
        self._functions = [*q.problem["right"], *solved, *energy.relations]
        moving = dict.fromkeys(q.unknowns) | {q.states[i]: ONE for i in energy.velocities}
        self._linear = [i for i, degrees in enumerate(degrees_in(q.table, moving)) if degrees == ONE]
        self._sides = [b - a for a, b in energy.box]
        self.point = point_of(energy, energy.shapes)

    def left_over(self, cell: Cell, level: fmpq) -> Cell | None:
        """A cell where something else than the equilibrium may stay; None where nothing does."""
        done = self.is_apart(cell, level) or (self.all_at_rest(cell) and self.is_alone(cell))
        return None if done else cell

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
        over, at = (self._jets(part, places, still) for part in (cell, middle_of(cell)))
        return step_to_zero(over, at, energy.velocities, [fmpq(1)] * len(energy.velocities)) is not None

    def is_alone(self, cell: Cell) -> bool:
        """Whether rest over a cell is at the equilibrium, or nowhere."""
        energy, still = self._energy, [fmpq(0)] * len(self._energy.velocities)
        over, at = (self._jets(part, self._functions, still) for part in (cell, middle_of(cell)))
        if narrowed_cell(over, at, energy.shapes, cell) is None:
            return True
        hull = hull_of(self.point, cell)
        try:
            over = self._jets(hull, self._functions, still)
        except Refusal:  # where a function has no value between the cell and the equilibrium
            return False
        return step_to_zero(over, at, energy.shapes, self._sides) is not None

    def _jets(self, cell: Sequence, places: Sequence[int], still: Sequence[fmpq]) -> list[Jet]:
        return self._energy.jets(cell, still, places, order=1)[3]


def point_of(energy: Energy, places: Sequence[int]) -> Any:
    """A cell in which the equilibrium is, with ends in balls, by places of states."""
    labels, rest = energy.question.labels, energy.given.get("rest")
    free = [] if rest is None else [k for k in labels if k not in rest["held"]]
    radii = dict(zip(free, rest["radii"] if rest else [], strict=False))
    values = [ball(x) for x in energy.at_point(places)]
    widths = [radii.get(labels[i], fmpq(0)) for i in places]
    return tuple(((v - w).lower(), (v + w).upper()) for v, w in zip(values, widths, strict=True))
