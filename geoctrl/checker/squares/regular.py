r"""Over a set :math:`V \le c` everything has values, accelerations are determined, the domain of the model
does not end.

With :math:`V = u^T P u` monomials are within :math:`|u_j| \le \sqrt{c\,(P^{-1})_{jj}}`, and so are measured
deviations y by their powers among them, angles that are told by sine and cosine alone within a turn. The box
of the states on which matrices, divisors, functions and the domain depend is halved until over each part all
of that holds, or nothing of the set lies there: relations of the leaf
vanish nowhere in it, or :math:`u_s^T ((P^{-1})_{ss})^{-1} u_s > c` for what of u depends on these states, the
least value that V has with the rest of u free.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property
from typing import NamedTuple

from flint import arb, arb_mat, ctx, fmpq

from geoctrl.checker.enclosures.balls import ENTIRE, Balls
from geoctrl.checker.enclosures.cells import constants, inverse, matrix, require_regular
from geoctrl.checker.jets import Jet, evaluate, reachable
from geoctrl.checker.limits import Refusal, require, spend
from geoctrl.checker.numbers import ball
from geoctrl.checker.reader import children
from geoctrl.checker.squares.identity import Fall
from geoctrl.checker.squares.polynomial_motion import at, occurring

BITS, PARTS = 80, 20_000
"""Of the middles of balls; of the box, at most."""
COARSE, ROUNDS, SIDES = 12, 4, 3
"""Cells of a side, and how often the box is made smaller, before bounds of states are found; sides from which
the box alone bounds them.
"""

Box = dict[str, arb]
"""States of a part, by their labels."""


class Parts:
    """Parts of the box in which a set lies.

    Parameters
    ----------
    fall : Fall

    Attributes
    ----------
    reach : dict of label -> arb
        How far states may be from the point: of what is measured by V, of angles half a turn.
    shapes : list of str
        States that the box is halved along.
    settled : list of str
        States that are at their values all along.
    """

    def __init__(self, fall: Fall) -> None:
        self.fall, self.motion, self.question = fall, fall.motion, fall.motion.question
        self._known_forms: dict[tuple[int, ...], tuple[arb_mat, arb_mat, arb_mat]] = {}
        q, problem = self.question, self.question.problem
        self._entries, self._leaf = [p for *_, p in problem["matrix"]], list(problem["leaf"].values())
        self._domain, self._identities = self.motion.given["domain"], self.motion.identities
        delicate = [*self._entries, *self._domain, *self._leaf, *self._delicate()]
        critical = self._labels(delicate)
        require(
            critical.isdisjoint(self.motion.free),
            "a rate, the matrix, the leaf or the domain may fail with what is free",
            "problem",
        )
        require(
            {*q.unknowns}.isdisjoint(reachable(q.table, [*delicate, *problem["right"]])),
            "the accelerations are not solved from linear equations",
            "problem",
        )
        critical |= self.motion.labels_of(self.motion.cofactors)
        self.shapes = [k for k in q.labels if k in critical]
        with ctx.workprec(BITS):
            self._still = constants(q, 0)
            self.point = {k: +ball(v) for k, v in problem["states"].items()}
            self.settled = [q.labels[i] for i in self.motion.still if i < len(q.labels)]
            # Those that say where the set is before it is known that what is still does not move.
            self._leaf_alone = [p for p in self._leaf if not self._labels([p]) & {*self.settled}]
            states = [(k, i) for k, i in enumerate(self.motion.measured) if i not in self.motion.made]
            self.reach = {q.labels[i]: fall.reach(k) for k, i in states}
            self.reach |= dict.fromkeys(self.settled, arb(0))
            self.reach |= dict.fromkeys(self.motion.turned, arb.pi().upper())

    def _delicate(self) -> list[int]:
        """Nodes that are divided by, and arguments of functions that have no value everywhere."""
        found, table = list[int](), self.question.table
        for i in reachable(table, self._identities):
            kind, *parts = table[i]
            if kind == "prod":
                found += [j for j, e in parts[1] if e < 0]
            elif kind == "fun" and parts[0] not in ENTIRE:
                found += children(table[i])
        return found

    def _labels(self, nodes: list[int]) -> set[str]:
        """Labels of the states that nodes depend on."""
        places = dict(zip(self.question.states, self.question.labels, strict=True))
        return {places[p] for p in reachable(self.question.table, nodes) if p in places}

    def require(self) -> int:
        """The number of parts; Refusal where one is not proved to be regular."""
        with ctx.workprec(BITS):
            pending, count = [self._whole], 0
            while pending:
                box = pending.pop()
                count += 1
                spend()
                require(count <= PARTS, f"more than {PARTS} parts would be needed", "theorem.level")
                if not (fault := self._fault(box)):
                    continue
                sides = {
                    k: float(box[k].rad()) / min(float(self.reach[k]), 1.0)
                    for k in self.shapes
                    if self.reach[k] > 0
                }
                require(
                    sides and max(sides.values()) >= 2.0**-30, f"below the level {fault}", "theorem.level"
                )
                k = max(sides, key=lambda k: sides[k])
                pending += [box | {k: half} for half in _pieces(box[k], 2)]
            return count

    @property
    def _whole(self) -> Box:
        """Around the set; what is free has no part in anything that may fail."""
        return self.point | {k: self.point[k] + arb(0, 1) * r for k, r in self.reach.items()}

    def _fault(self, box: Box) -> str:
        """Why a part may not be regular; empty where it is, or nothing of the set lies in it."""
        if self._is_above(box, self.shapes) or self._is_off(self._leaf_alone, box):
            return ""
        y = dict(zip(self.motion.measured, self._measured_deviations(box), strict=True))
        known = {i: c[0] for i, c in y.items() if c is not None}
        for p in self.motion.cofactors:
            if not occurring(p) <= {*known} or at(p, known).contains(0):
                return "what a relation holds still may move"
        if self._is_off(self._leaf, box):
            return ""
        try:
            values = self.values([*self._domain, *self._entries, *self._identities], box)
        except Refusal:
            return "a rate may have no value"
        d = len(self._domain)
        if not all(v > 0 for v in values[:d]):
            return "the domain of the model may end"
        with suppress(Refusal):
            require_regular(self.question, values[d : d + len(self._entries)])
            return ""
        return "accelerations may not be determined"

    def _is_above(self, box: Box, sides: Sequence[str]) -> bool:
        """Whether V lies above the level over a part."""
        near = self._nearest(box, sides)
        if near is None or near.least > self.fall.level:
            return near is not None
        labels = [self.question.labels[i] for i in self.motion.measured if i not in self.motion.made]
        if self.fall.is_quadratic or len(labels) < len(self.motion.measured) or not {*labels} <= {*sides}:
            return False
        return bool(self._least_of_terms(box, labels) > self.fall.level)

    def _least_of_terms(self, box: Box, labels: Sequence[str]) -> fmpq:
        """A bound of V from below by its terms about the middle of a part, of which even ones keep their
        sign.
        """
        moved = list(self.motion.gens)
        for k, i in zip(labels, self.motion.measured, strict=True):
            away = box[k] - self.point[k]
            moved[i] = moved[i] * away.rad().fmpq() + away.mid().fmpq()
        found = fmpq(0)
        for m, c in self.fall.function.compose(*moved).terms():
            even = not any(int(e) & 1 for e in m)
            found += (c if not any(m) else min(c, fmpq(0))) if even else -abs(c)
        return found

    def _is_off(self, relations: list[int], box: Box) -> bool:
        """Whether one of some relations of the leaf vanishes nowhere in a part."""
        try:
            return not all(v.contains(0) for v in self.values(relations, box))
        except Refusal:
            return False

    # -- where the set lies -------------------------------------------------------------------------

    def cells(self, pieces: int) -> list[dict[str, tuple[arb, arb]]]:
        r"""Intervals of states, cell by cell of those that functions or the leaf depend on: the set lies
        in their union.

        With :math:`u = (u_s, u_w)`, :math:`u_s` known over a cell,
        :math:`|u_w + P_{ww}^{-1} P_{ws}\, u_s|_j^2 \le (c - \min_{u_w} V)\,(P_{ww}^{-1})_{jj}`.
        """
        with ctx.workprec(BITS):
            box = {k: v for k, v in self._whole.items() if k in self.reach}
            curved = self.curved if len(self.curved) <= SIDES else []
            for _ in range(ROUNDS if curved else 0):
                kept = self._halved(box, curved, COARSE)
                require(kept, "nothing of the set is found", "theorem.level")
                box |= {k: _hull([cell[k] for cell in kept]) for k in curved}
            found = self._halved(box, curved, pieces) if curved else [box]
            return [self._widened(cell, curved) for cell in found]

    @cached_property
    def curved(self) -> list[str]:
        """States that functions among what is measured, or the leaf, depend on; where V is not quadratic, and
        they are few, all that it depends on.
        """
        functions = [self.motion.gens[i] for i in self.motion.measured if i in self.motion.made]
        held = self.motion.labels_of(functions) | self._labels(self._leaf)
        within = [k for k in self.question.labels if k in self.reach and self.reach[k] > 0]
        all_of_few = not self.fall.is_quadratic and len(within) <= SIDES
        return [k for k in within if all_of_few or k in held]

    def _halved(self, box: Box, sides: list[str], pieces: int) -> list[Box]:
        """Cells of a box, of which some part of the set may lie in each."""
        cells = [box]
        for k in sides:
            parts = [cell | {k: part} for cell in cells for part in _pieces(box[k], pieces)]
            cells = [c for c in parts if not (self._is_off(self._leaf, c) or self._is_above(c, sides))]
        return cells

    def _widened(self, cell: Box, sides: list[str]) -> dict[str, tuple[arb, arb]]:
        """Intervals of all states over a cell."""
        around, near = dict(cell), self._nearest(cell, sides)
        for j, away in (near.beside if near is not None else {}).items():
            (k, a), *others = self.fall.powers[j].items()
            if others or (i := self.motion.measured[k]) in self.motion.made:
                continue
            label = self.question.labels[i]
            bound = away if a == 1 else arb(0, 1) * away.abs_upper().root(a).upper()
            if a == 1 or bound.rad() < around[label].rad():
                around[label] = self.point[label] + bound
        return {k: (v.lower(), v.upper()) for k, v in around.items()}

    # -- values -------------------------------------------------------------------------------------

    def deviations(self, states: Box) -> list[arb | None]:
        """What V is made of, u, at some states; None where it depends on others."""
        return [None if y is None else y[0] for y in self.deviations_with_slopes(states)]

    def deviations_with_slopes(self, states: Box) -> list[tuple[arb, Box] | None]:
        """The same with slopes along the states."""
        y = self._measured_deviations(states)
        return [_monomial([(y[k], e) for k, e in m.items()]) for m in self.fall.powers]

    def _measured_deviations(self, states: Box) -> list[tuple[arb, Box] | None]:
        """What is measured, y, so."""
        return [self._deviation(i, states) for i in self.motion.measured]

    def _deviation(self, i: int, states: Box) -> tuple[arb, Box] | None:
        if i in self.motion.made:
            return self.motion.angle(i, states)
        k = self.question.labels[i]
        return (states[k] - self.point[k], {k: arb(1)}) if k in states else None

    def is_on_leaf(self, states: Box, slack: arb) -> bool:
        """Whether relations vanish, and held invariants are at their levels, up to a slack."""
        held = [self.question.problem["invariants"][k] for k in self.motion.given["levels"]]
        away = [a - b for a, b in zip(self.values(held, states), self.values(held, self.point), strict=True)]
        return all(abs(v) <= slack for v in [*self.values(self._leaf, states), *away])

    def values(self, nodes: Sequence[int], states: Box) -> list[arb]:
        """Nodes at balls of states: nothing of unknowns is divided by, nor an argument of a function."""
        q = self.question
        known = self._still | {p: Jet({(): arb(0)}, 0) for p in q.unknowns}
        known |= {p: Jet({(): states[k]}, 0) for p, k in zip(q.states, q.labels, strict=True) if k in states}
        return [jet.value for jet in evaluate(q.table, nodes, known, Balls(order=0))]

    def _nearest(self, cell: Box, sides: Sequence[str]) -> Near | None:
        r"""V over a cell of some states, in mean value form from its middle, for what is known of u is bent;
        None where nothing is known.

        With :math:`u_s` known, :math:`\min_{u_w} V = u_s^T ((P^{-1})_{ss})^{-1} u_s`, taken at
        :math:`u_w = -P_{ww}^{-1} P_{ws}\, u_s`.
        """
        over = {k: cell[k] for k in (*sides, *self.settled)}
        found = self.deviations_with_slopes(over)
        places = [k for k, y in enumerate(found) if y is not None]
        if not places:
            return None
        y = _column([y[0] for y in found if y is not None])
        middle = self.deviations({k: v.mid() for k, v in over.items()})
        at_middle = _column([y for y in middle if y is not None])
        form, place, inner = self._forms(tuple(places))
        least, rest = (at_middle.transpose() * form * at_middle)[0, 0], place * at_middle
        for k, v in over.items():
            slopes = _column([y[1].get(k, arb(0)) for y in found if y is not None])
            least += 2 * (y.transpose() * (form * slopes))[0, 0] * (v - v.mid())
            rest += place * slopes * (v - v.mid())
        room = (self.fall.level - least).upper().max(arb(0))
        others = [k for k in range(len(found)) if k not in places]
        beside = {
            k: arb(0, 1) * (room * inner[row, row]).sqrt().upper() - rest[row, 0]
            for row, k in enumerate(others)
        }
        return Near(least, beside)

    def _forms(self, places: tuple[int, ...]) -> tuple[arb_mat, arb_mat, arb_mat]:
        """By what is known of u: matrices of the least V, and of where and how large the rest is there."""
        if places not in self._known_forms:
            P, others = self.fall.matrix, [k for k in range(len(self.fall.matrix)) if k not in places]
            known = matrix([[self.fall.inverse[i, j] for j in places] for i in places], len(places))
            inner = inverse(matrix([[ball(P[i][j]) for j in others] for i in others], len(others)))
            mixed = matrix([[ball(P[i][j]) for j in places] for i in others], len(places))
            self._known_forms[places] = inverse(known), inner * mixed, inner
        return self._known_forms[places]


class Near(NamedTuple):
    """The least value of V over a cell, and where what is not known of u is below the level."""

    least: arb
    beside: dict[int, arb]


def _pieces(x: arb, count: int) -> list[arb]:
    """Parts of a ball."""
    middle, radius = x.mid(), x.rad()
    around = arb(0, 1) * radius / count
    return [middle + radius * (fmpq(2 * j + 1, count) - 1) + around for j in range(count)]


def _monomial(factors: list[tuple[tuple[arb, Box] | None, int]]) -> tuple[arb, Box] | None:
    """A product of powers of values with slopes; None where one of them is not known.

    Powers are products: those of a ball around zero are not numbers.
    """
    total, slopes = arb(1), Box()
    for factor, e in factors:
        if factor is None:
            return None
        value, own = factor
        for _ in range(e):
            slopes = {
                k: slopes.get(k, arb(0)) * value + total * own.get(k, arb(0)) for k in {**slopes, **own}
            }
            total *= value
    return total, slopes


def _column(values: list[arb]) -> arb_mat:
    return arb_mat(len(values), 1, values)


def _hull(intervals: Sequence[arb]) -> arb:
    """A ball around some balls."""
    low, high = min(x.lower() for x in intervals), max(x.upper() for x in intervals)
    return (low + high) / 2 + arb(0, 1) * ((high - low) / 2)
