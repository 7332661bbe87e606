r"""What is conserved about a periodic orbit, and the relations of the leaf, in balls.

An integral over a shape has no formula. With :math:`\dot\gamma = w\,g(\gamma)` on a leaf of dimension one and
:math:`\dot u = w\,B(\gamma)\,u`, where :math:`g_s \ne 0` for a coordinate s all along the orbit, s tells the
places apart that the orbit visits, and :math:`I_j = a_j(s)\cdot u` is conserved along it and its neighbours,

.. math::

    \frac{da_j}{ds} = -N^T a_j, \qquad a_j(s_0) = e_j, \qquad N = B/g_s ,

with N at the point of the leaf that has the coordinate s. That there is one near the start, and where, is
shown by Newton's method in balls. Over an interval h of s about :math:`s_0` in which :math:`q = |N||h| < 1`,
:math:`a_j` stays within q/(1 - q) of :math:`e_j` by Gronwall's lemma, and lies in
:math:`e_j - h N^T (e_j \pm q/(1 - q))` by the mean value theorem.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from flint import arb, arb_mat

from geoctrl._scalars import Node
from geoctrl._scalars.arithmetic.ball_matrices import ball_dot
from geoctrl.analysis.question.shape_integrals import ShapeIntegrals, shape_of
from geoctrl.orbits.enclosures.expressions_in_balls import BallProgram, Given, UnprovedError

__all__ = ["Levels"]

_FINE = 400
"""Exponent of a width that is added to those of zero."""


class Levels:
    """Functions that vanish on the leaf, and that are conserved.

    Parameters
    ----------
    system : System
    kept : dict of name -> node
    integrals : names of integrals over the shape
    given : as of `BallProgram`; states are over their sizes
    """

    def __init__(self, system: Any, kept: Mapping[str, Node], integrals: Sequence[str], given: Given) -> None:
        nodes = [*system.leaf.nodes, *kept.values()]
        gradients = [e for row in system.graph.jacobian(nodes, system.state_nodes) for e in row]
        self.relations = len(system.leaf.nodes)
        self._n, self._count = system.nstates, len(nodes)
        self._values = BallProgram(system, nodes, given)
        self._gradients = BallProgram(system, gradients, given)
        self._sizes = given.sizes
        shape = shape_of(system) if integrals else None
        self._integrals = None if shape is None else _Integrals(system, shape, integrals, given)

    def start_at(self, x: Sequence[arb]) -> None:
        """Levels are those of the state x, of which the entries are numbers."""
        self._wanted = self._values(x)
        if self._integrals is not None:
            self._integrals.start_at(x)

    def watch(self, tube: Sequence[arb]) -> None:
        """Take note of states that motions may pass; UnprovedError where integrals have no values there."""
        if self._integrals is not None:
            self._integrals.watch(tube)

    def values(self, x: Sequence[arb]) -> list[arb]:
        """Relations and differences from the levels, at x."""
        here = self._values(x)
        apart = [
            v - (w if i >= self.relations else 0)
            for i, (v, w) in enumerate(zip(here, self._wanted, strict=True))
        ]
        return apart if self._integrals is None else [*apart, *self._integrals.values(x)]

    def rows(self, x: Sequence[arb]) -> arb_mat:
        """Their gradients over a box."""
        entries = iter(self._gradients(x))
        rows = [[d * next(entries) for d in self._sizes] for _ in range(self._count)]
        rows += [] if self._integrals is None else self._integrals.rows(x)
        return arb_mat(len(rows), self._n, [e for row in rows for e in row])


class _Integrals:
    """Integrals over a shape, near the start of an orbit."""

    def __init__(self, system: Any, shape: ShapeIntegrals, names: Sequence[str], given: Given) -> None:
        self._shape, self._n = shape, system.nstates
        self._chosen = [shape.names.index(name) for name in names]
        self._places = list(shape.g)
        """Coordinates of which the slope has not been seen to vanish."""
        self._slope_program = BallProgram(system, list(shape.g.values()), given)
        self._rate_program = BallProgram(system, [b for row in shape.B for b in row], given)
        self._relations = BallProgram(system, system.leaf.nodes, given)
        symbols = [shape.symbols[i] for i in shape.g]
        entries = [e for row in system.graph.jacobian(system.leaf.nodes, symbols) for e in row]
        self._derivative_program = BallProgram(system, entries, given)
        places, velocities = ([given.sizes[i] for i in of] for of in (shape.g, shape.velocities))
        # In units of the states, but of no unit of time, which both of their rates have alike.
        self._of_slopes = [1 / d for d in places]
        self._of_rates = [e / d for d in velocities for e in velocities]
        self._of_derivatives = places * len(system.leaf.nodes)

    def _slopes(self, x: Sequence[arb]) -> list[arb]:
        return _products(self._slope_program(x), self._of_slopes)

    def _rates(self, x: Sequence[arb]) -> list[arb]:
        return _products(self._rate_program(x), self._of_rates)

    def _derivatives(self, x: Sequence[arb]) -> list[arb]:
        return _products(self._derivative_program(x), self._of_derivatives)

    def start_at(self, x: Sequence[arb]) -> None:
        """Choose the coordinate, and where the integrals are the velocities."""
        self.watch(x)
        slopes = dict(zip(self._shape.g, self._slopes(x), strict=True))
        self._along = max(self._places, key=lambda i: float(abs(slopes[i])))
        self._start = list(x)

    def watch(self, tube: Sequence[arb]) -> None:
        slopes = dict(zip(self._shape.g, self._slopes(tube), strict=True))
        self._places = [i for i in self._places if slopes[i] > 0 or slopes[i] < 0]
        if not self._places or not all(b.is_finite() for b in self._rates(tube)):
            raise UnprovedError(
                "no coordinate of the shape is shown to tell all places of the orbit apart, and integrals "
                "over the shape might have several values"
            )

    def values(self, x: Sequence[arb]) -> list[arb]:
        solutions, _, u = self._solutions(x)
        start = [self._start[i] for i in self._shape.velocities]
        return [ball_dot(a, u) - start[j] for j, a in zip(self._chosen, solutions, strict=True)]

    def rows(self, x: Sequence[arb]) -> list[list[arb]]:
        solutions, N, u = self._solutions(x)
        rows = []
        for a in solutions:
            row = [arb(0)] * self._n
            for place, e in zip(self._shape.velocities, a, strict=True):
                row[place] = e
            row[self._along] = -ball_dot(a, [ball_dot(r, u) for r in N])
            rows.append(row)
        return rows

    def _solutions(self, x: Sequence[arb]) -> tuple[list[list[arb]], list[list[arb]], list[arb]]:
        """a_j and N over all of the coordinate between the start and a box, and u over the box."""
        if self._along not in self._places:
            raise UnprovedError(
                "the coordinate of the shape is not shown to tell all places of the orbit apart"
            )
        u = [x[i] for i in self._shape.velocities]
        whole = self._start[self._along].union(x[self._along])
        at, k = self._on_leaf(whole, x), len(u)
        slope = dict(zip(self._shape.g, self._slopes(at), strict=True))[self._along]
        entries = [b / slope for b in self._rates(at)]
        N = [entries[i * k : (i + 1) * k] for i in range(k)]
        h = whole - self._start[self._along]
        columns = [sum((abs(N[i][j]) for i in range(k)), arb(0)) for j in range(k)]
        rows = [sum(map(abs, N[i]), arb(0)) for i in range(k)]
        q = max((c.abs_upper() for c in (*columns, *rows)), key=float) * h.abs_upper()
        if not q < arb(0.5):
            raise UnprovedError("the integrals over the shape change too much over the box")
        off = arb(0, (q / (1 - q)).abs_upper())
        solutions = []
        for j in self._chosen:
            near = [arb(int(i == j)) + off for i in range(k)]
            solutions.append(
                [int(i == j) - h * ball_dot([N[m][i] for m in range(k)], near) for i in range(k)]
            )
        return solutions, N, u

    def _on_leaf(self, whole: arb, x: Sequence[arb]) -> list[arb]:
        """The start, with coordinates of the leaf's points of which the chosen one lies in an interval.

        There is one point for each value of that, and no other with coordinates of the box x.
        """
        places = list(self._shape.g)
        others = [i for i in places if i != self._along]
        at = list(self._start)
        at[self._along] = whole
        if not others:
            return at
        first = self._correction(at, at, places, others)
        box = list(at)
        for i, d in zip(others, first, strict=True):
            apart = 2 * d.abs_upper() + 2 * abs(x[i] - at[i]).abs_upper() + arb(2) ** -_FINE
            box[i] = at[i] + arb(0, apart.abs_upper())
        for i, d in zip(others, self._correction(at, box, places, others), strict=True):
            if not box[i].contains_interior(at[i] - d):
                raise UnprovedError("the leaf is not shown to be a curve near the orbit's start")
        return box

    def _correction(
        self, at: Sequence[arb], box: Sequence[arb], places: list[int], others: list[int]
    ) -> list[arb]:
        """Newton's step for the other coordinates, from `at`, with the derivative over a box."""
        entries, k = self._derivatives(box), len(places)
        rows = [[entries[r * k + places.index(i)] for i in others] for r in range(len(others))]
        right = arb_mat(len(others), 1, self._relations(at))
        return arb_mat(rows).solve(right).entries()


def _products(a: Sequence[arb], b: Sequence[arb]) -> list[arb]:
    return [x * y for x, y in zip(a, b, strict=True)]
