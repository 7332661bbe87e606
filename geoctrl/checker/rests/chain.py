r"""Derivatives along the motion of what vanishes where a function does not fall.

Whole motions on which V does not change keep :math:`l_k = 0` where :math:`d_k > 0`. So all Taylor
coefficients of :math:`l_k` along the motion vanish at each of their states x, and the relations of the leaf
do with them. These functions G(x) vanish at the equilibrium e as well, at which a motion stands still. Over
a cell of all states G does not vanish, or it has the slopes J over the hull H of the cell and e with
:math:`M^T J(H)` regular: x = e then.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from flint import arb, arb_mat, arb_series, fmpq

from geoctrl.checker.flows.series import Motion, coefficient, terms_of_series
from geoctrl.checker.jets import Jet, reachable
from geoctrl.checker.limits import Refusal
from geoctrl.checker.numbers import ball
from geoctrl.checker.rests.zeros import hull_of, narrowed_cell, step_to_zero
from geoctrl.checker.sublevels.energy import Cell, Energy, interval, middle_of

NARROWED = 3
"""Times that a part of a cell is taken from it before it is halved."""


class Chain:
    """These functions over cells: sides of shapes first, then of velocities.

    Parameters
    ----------
    energy : Energy
    point : cell, with ends in balls
        In which the equilibrium is.
    level : of V, below which velocities are asked about
    """

    def __init__(self, energy: Energy, point: Any, level: fmpq) -> None:
        q, self._energy, self.point, self._level = energy.question, energy, point, level
        self._places = [*energy.shapes, *energy.velocities]
        self._count = len(q.labels)
        self._motion = Motion(q, [0] * (self._count + 1), self._count)
        self._falling = self._squares_over(point)
        sides = (*energy.box, *self.velocities(point[: len(energy.shapes)]))
        self._sizes = [b - a for a, b in sides]

    def _squares_over(self, cell: Any) -> list[int]:
        """Functions l of the states that vanish where V does not change over a cell."""
        q = self._energy.question
        found = self._energy.falling_squares(cell[: len(self._energy.shapes)])
        return [p for p in found if not {*q.unknowns} & {*reachable(q.table, [p])}]

    def velocities(self, cell: Cell) -> Any:
        """Sides in which velocities are where V is not above the level over a cell of shapes."""
        if (quadratic := self._energy.quadratic(cell)) is None:
            raise Refusal("velocities are not bounded over a cell", "theorem.alone")
        most = self._energy.reach(quadratic, ball(self._level))
        sides = []
        for i, w in enumerate(quadratic.start):
            row = [quadratic.frame[i, j] for j in range(quadratic.frame.ncols())]
            within = ball(w) + quadratic.shift[i, 0] + arb(0, 1) * sum((abs(c) for c in row), arb(0)) * most
            sides.append((within.lower(), within.upper()))
        return tuple(sides)

    def left_over(self, cell: Cell) -> Cell | None:
        """A part of a cell where something else than the equilibrium may stay; None where nothing does."""
        squares = [p for p in self._squares_over(cell) if p in self._falling]
        with suppress(Refusal, ValueError, ZeroDivisionError):  # something has no value over all of it
            for count in (1, *[self._count] * NARROWED):
                over, at = (self._coefficients(squares, part, count) for part in (cell, middle_of(cell)))
                if (found := narrowed_cell(over, at, self._places, cell)) is None:
                    return None
                cell = found
            parts = hull_of(self.point, cell), middle_of(cell)
            over, at = (self._coefficients(squares, part, self._count) for part in parts)
            if step_to_zero(over, at, self._places, self._sizes) is not None:
                return None
        return cell

    def _coefficients(self, squares: Sequence[int], cell: Any, count: int) -> list[Jet]:
        """Taylor coefficients of the l along motions from a cell, and the relations, with their slopes."""
        n, motion, found = self._count, self._motion, list[Jet]()
        where = dict(zip(self._places, map(interval, cell), strict=True))
        states = motion.coefficients([*(where[i] for i in range(n)), arb(1)], count - 1)
        slopes = motion.derivatives(states, count - 1) if count > 1 else [arb_mat(n, n, 1)]
        with terms_of_series(count):
            jets = motion.jets_along([*squares, *self._energy.relations], states)
            moved = [[arb_series([D[i, j] for D in slopes]) for j in range(n)] for i in range(n)]
            for k, jet in enumerate(jets):
                by_start = [
                    sum((jet.terms.get((i,), arb(0)) * moved[i][j] for i in range(n)), arb_series([0]))
                    for j in range(n)
                ]
                for m in range(count if k < len(squares) else 1):  # a relation is kept
                    terms: dict[tuple[int, ...], arb] = {(): coefficient(jet.value, m)}
                    terms |= {(j,): coefficient(c, m) for j, c in enumerate(by_start)}
                    found.append(Jet(terms, 1))
        return found
