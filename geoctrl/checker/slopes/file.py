"""Files of sets from which motions tend to an equilibrium, by slopes: their schema, and what is confirmed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from flint import arb, arb_mat, ctx, fmpq

from geoctrl.checker.enclosures.cells import inverse, matrix
from geoctrl.checker.enclosures.sets import OVER_A_SET, above_zero, leaf_dimension, levels_phrase
from geoctrl.checker.numbers import ball, rational
from geoctrl.checker.reader import label
from geoctrl.checker.slopes.fall import CELLS, Cell, SlopesFall
from geoctrl.checker.slopes.field import BITS, Field
from geoctrl.checker.verdicts import LEAF, Found
from geoctrl.checker.words.claims import leaf_at, limit_phrase, point_words, system_at
from geoctrl.checker.words.leaf import Dimension
from geoctrl.checker.words.texts import decimal, interval, listed, told

PIECES = 20
"""Of a side, in pictures."""
SLOPES = OVER_A_SET | {
    "function": [[rational]],
    "level": above_zero,
    "cells": lambda value: value if isinstance(value, str) and 0 < len(value) <= CELLS else None,
    "leaf?": LEAF,
    "levels?": [label],
    "multipliers?": [[rational]],
}
"""The lower triangle of P, the level, and the tree of cells; on a leaf its dimension, held functions, and
multipliers of these all.
"""


class SlopesSet(NamedTuple):
    """What is proved: the function with its level, the number of its cells, and the dimension of the leaf."""

    fall: SlopesFall
    number: int
    dimension: Dimension

    @property
    def matrix(self) -> list[list[fmpq]]:
        """P."""
        return self.fall.matrix

    @property
    def problem(self) -> dict[str, Any]:
        """The equations, with the domain, the limits of outputs and the dimension of the leaf."""
        problem = self.fall.field.question.problem
        own = {"leaf": problem["leaf"], "dimension": self.dimension}
        return problem | self.fall.field.given | own

    def claim(self, system: str) -> str:
        """What a file claims."""
        field, fall = self.fall.field, self.fall
        problem, free = self.problem, [field.question.labels[i] for i in field.free]
        point = point_words({k: v for k, v in problem["states"].items() if k not in free})
        extent = ", ".join(f"{told(k)} in {interval(a, b)}" for k, (a, b) in self.extent().items())
        turns = f", {' and '.join(map(told, field.turned))} up to whole turns" if field.turned else ""
        unread = f", whatever {' and '.join(map(told, free))} may be" if free else ""
        model = ", where the model holds" if problem["domain"] else ""
        held = levels_phrase(problem, field.given.get("levels", []))
        return (
            f"Motions of {system_at(system, problem)} that begin on "
            f"{leaf_at(problem)},{held} with V <= {decimal(fall.level)}, V a positive definite "
            f"{self.kind} the deviations of {listed(self.names)}, stay so for ever{model}, within {extent}, "
            f"and tend to the equilibrium {point or 'x = 0'}{turns}{unread}{limit_phrase(problem)}."
        )

    def extent(self) -> dict[str, tuple[fmpq, fmpq]]:
        """Intervals in which states of the set are, by their names."""
        with ctx.workprec(BITS):
            return {k: (a.fmpq(), b.fmpq()) for k, (a, b) in self._widened(self.fall.whole, ()).items()}

    def cells(self, pieces: int | None) -> list[dict[str, tuple[arb, arb]]]:
        """Intervals of states, box by box, with so many pieces of a state and of its rate, or of the first
        two: the set lies in their union.
        """
        labels, cells = self.names, [self.fall.whole]
        pairs = [(k, f"{k}_dot") for k in labels if f"{k}_dot" in labels]
        places = [labels.index(k) for k in (pairs[0] if pairs else labels[:2])]
        with ctx.workprec(BITS):
            for k in places:
                parts = (part for cell in cells for part in parts_of(cell, k, pieces or PIECES))
                cells = [part for part in parts if not self.fall.is_outside(part)]
            return [self._widened(cell, places) for cell in cells]

    def checks(self) -> tuple[str, ...]:
        """What was confirmed."""
        kept = [*self.problem["leaf"], *self.problem.get("levels", [])]
        checks = [
            *(
                [
                    "field and leaf relations vanish exactly at the point",
                    f"kept by the motion, identically: {listed(kept)}",
                ]
                if kept
                else ["the field vanishes exactly at the point"]
            ),
            f"a quadratic function V of {listed(self.names)}, positive definite",
            f"{self.number} cell{'s' * (self.number != 1)} around the set, over which rates have values, "
            "accelerations are determined, and V falls by the slopes of the rates",
        ]
        if self.problem["domain"]:
            checks.append("below the level the model holds")
        if limits := self.problem["limits"]:
            checks.append(f"below the level within its limit: {listed(limits)}")
        return tuple(checks)

    @property
    def names(self) -> list[str]:
        """Of what is measured."""
        field = self.fall.field
        return [field.question.labels[i] for i in field.measured]

    def _widened(self, cell: Cell, known: Sequence[int]) -> dict[str, tuple[arb, arb]]:
        r"""Intervals of what is measured over a cell of some of it: with y_a known, the rest is within
        :math:`|y_w + P_{ww}^{-1} P_{wa} y_a|_j^2 \le (c - V_a)\,(P_{ww}^{-1})_{jj}`.
        """
        fall, n = self.fall, len(self.names)
        around = [arb(m, r) for m, r in zip(cell.middle, cell.radius, strict=True)]
        rest = [k for k in range(n) if k not in known]
        if known and rest:
            P = self.matrix
            inner = inverse(matrix([[ball(P[i][j]) for j in rest] for i in rest], len(rest)))
            mixed = inner * matrix([[ball(P[i][j]) for j in known] for i in rest], len(known))
            y = arb_mat(len(known), 1, [around[k] for k in known])
            room = (arb(fall.level) - fall.least(cell).max(arb(0))).max(arb(0))
            middle = mixed * y
            for row, k in enumerate(rest):
                wide = (room * inner[row, row]).sqrt().upper()
                near = -middle[row, 0] + arb(0, 1) * wide
                if around[k].overlaps(near):  # next to the edge nothing of the set may be there
                    around[k] = around[k].intersection(near)
        point = [fall.field.point[i] for i in fall.field.measured]
        return {
            k: ((p + y).lower(), (p + y).upper()) for k, p, y in zip(self.names, point, around, strict=True)
        }

    @property
    def kind(self) -> str:
        """What V is."""
        return "quadratic function of"

    @property
    def powers(self) -> list[dict[int, int]]:
        """What V is made of, by the numbers of what is measured: this itself."""
        return [{k: 1} for k in range(len(self.names))]

    def ingredients(self) -> list[tuple[str, list[tuple[fmpq, list[int]]]]]:
        """What is measured, as a set by squares says it."""
        n = len(self.fall.field.question.labels)
        return [("", [(fmpq(1), [int(i == k) for k in range(n)])]) for i in self.fall.field.measured]

    def deviations_with_slopes(self, states: dict[str, arb]) -> list[tuple[arb, dict[str, arb]]]:
        """What V is made of at balls of states, with its slopes along these."""
        field = self.fall.field
        return [
            (states[k] - field.point[i], {k: arb(1)}) for k, i in zip(self.names, field.measured, strict=True)
        ]

    def holds(self, state: list[fmpq | arb], slack: fmpq) -> bool:
        """Whether a state is proved to be in the set; angles up to whole turns where these change nothing."""
        field = self.fall.field
        with ctx.workprec(BITS):
            y = field.deviations(state)
            ties = (field.jets(field.at(at, 1), field.ties, 1) for at in (y, [arb(0)] * len(y)))
            near = all(abs(a.value - b.value) <= arb(slack) for a, b in zip(*ties, strict=True))
            return near and self.fall.holds(y)


def parts_of(cell: Cell, k: int, pieces: int) -> list[Cell]:
    """Pieces of a cell along a side."""
    radius = (*cell.radius[:k], cell.radius[k] / pieces, *cell.radius[k + 1 :])

    def at(j: int) -> tuple[fmpq, ...]:
        middle = cell.middle[k] + cell.radius[k] * (fmpq(2 * j + 1, pieces) - 1)
        return (*cell.middle[:k], middle, *cell.middle[k + 1 :])

    return [Cell(at(j), radius) for j in range(pieces)]


def attraction_by_slopes(problem: dict[str, Any], witness: dict[str, Any], given: dict[str, Any]) -> Found:
    """The set of a function that falls by slopes; Refusal where something is not proved."""
    field = Field(problem, witness, given)
    everywhere = {"rows": [], "free": field.question.labels, "inverse": []}
    dimension = leaf_dimension(field.question, given.get("leaf", everywhere))
    fall = SlopesFall(field, given["function"], given["level"], given.get("multipliers", []))
    region = SlopesSet(fall, fall.require(given["cells"]), dimension)
    return Found("PROVED_ATTRACTED", "slopes", {"region": region})


THEOREMS = {"slopes": ({"theorem": SLOPES}, attraction_by_slopes)}
