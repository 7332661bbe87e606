r"""Over a set :math:`V \le c` everything has values, accelerations are determined, the domain of the model
does not end.

Measured deviations are within :math:`|y_i| \le \sqrt{c\,(P^{-1})_{ii}}`, angles that are told by sine and
cosine alone within a turn. The box of the states on which matrices, divisors, functions and the domain depend
is halved until over each part all of that holds, or nothing of the set lies there: relations of the leaf
vanish nowhere in it, or :math:`y_s^T ((P^{-1})_{ss})^{-1} y_s > c` for what of y depends on these states, the
least value that V has with the rest of y free.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from flint import arb, arb_mat, ctx, fmpq, fmpq_mat

from geoctrl.checker.balls import Balls
from geoctrl.checker.boxes import unit, well_solved
from geoctrl.checker.jets import Jet, evaluate, reachable
from geoctrl.checker.reading import Refusal, children
from geoctrl.checker.squares.identity import Fall
from geoctrl.checker.surds import ball

BITS, PARTS = 80, 20_000
"""Of the middles of balls; of the box, at most."""
COARSE, ROUNDS = 12, 4
"""Cells of a side, and how often the box is made smaller, before bounds of states are found."""
ENTIRE = ("sin", "cos", "exp", "atan")
"""Functions that have a value everywhere."""


def bounds_of(fall: Fall) -> dict[str, arb]:
    """How far states may be from the point: of what is measured by V, of angles half a turn."""
    setting = fall.setting
    labels = dict(zip(setting.states, setting.question.labels, strict=True))
    found = {}
    for k, i in enumerate(setting.measured):
        if i in labels:
            found[labels[i]] = (arb(fall.level) * arb(fall.inverse[k, k])).sqrt().upper()
    found |= {labels[i]: arb(0) for i in setting.still if i in labels}
    return found | dict.fromkeys(setting.turned, arb.pi().upper())


class Parts:
    """Parts of the box in which a set lies.

    Parameters
    ----------
    fall : Fall
    """

    def __init__(self, fall: Fall) -> None:
        self.fall, self.setting = fall, fall.setting
        q = self.question = fall.setting.question
        problem = q.problem
        self._entries = [p for *_, p in problem["matrix"]]
        weights = [problem["weights"].get(k, []) for k in (*problem["leaf"], *problem["levels"])]
        self._motion = [*problem["field"], *problem["right"], *(p for row in weights for p in row)]
        self._motion += [problem["invariants"][k] for k in problem["levels"]]
        self._motion += [p for row in problem.get("consequences", []) for p in row.values()]
        self._motion += [row["input"] for row in problem["limits"].values()]
        self._leaf = list(problem["leaf"].values())
        self._require_entire()
        critical = self.setting.symbols([*self._entries, *problem["domain"], *self._leaf, *self._delicate()])
        critical |= self.setting.labels_of(self.setting.cofactors)
        self.shapes = [k for k in q.labels if k in critical]
        self._nodes = [*problem["domain"], *self._entries, *self._leaf, *self._motion]

    def _require_entire(self) -> None:
        """Nothing that may fail depends on what is free, or on unknowns."""
        critical = [*self._entries, *self.question.problem["domain"], *self._leaf, *self._delicate()]
        if self.setting.symbols(critical) & set(self.setting.free):
            raise Refusal("a rate, the matrix, the leaf or the domain may fail with what is free", "problem")
        unknowns = {self.question.place["unknown", k] for k in self.question.problem["unknowns"]}
        still = [*critical, *self.question.problem["right"]]
        if unknowns & set(reachable(self.question.table, still)):
            raise Refusal("the accelerations are not solved from linear equations", "problem")

    def _delicate(self) -> list[int]:
        """Nodes that are divided by, and arguments of functions that have no value everywhere."""
        table = self.question.table
        found = []
        for i in reachable(table, self._motion):
            kind, *parts = table[i]
            if kind == "prod":
                found += [j for j, e in parts[1] if e < 0]
            elif kind == "fun" and parts[0] not in ENTIRE:
                found += children(table[i])
        return found

    def require(self) -> int:
        """The number of parts; Refusal where one is not proved to be regular."""
        with ctx.workprec(BITS):
            around = bounds_of(self.fall)
            values = self._states()
            whole = {k: values[k] + arb(0, 1) * around[k] for k in around}
            # What is free has no part in anything that may fail.
            whole |= {k: values[k] for k in self.setting.free}
            pending, count = [whole], 0
            while pending:
                box = pending.pop()
                count += 1
                if count > PARTS:
                    raise Refusal(f"more than {PARTS} parts would be needed", "level")
                fault = self._fault(box)
                if not fault:
                    continue
                sides = {
                    k: float(box[k].rad()) / min(float(around[k]), 1.0) for k in self.shapes if around[k] > 0
                }
                if not sides or max(sides.values()) < 2.0**-30:
                    raise Refusal(f"below the level {fault}", "level")
                k = max(sides, key=lambda k: sides[k])
                half = box[k].rad() / 2
                for sign in (-1, 1):
                    pending.append(box | {k: box[k].mid() + sign * half + arb(0, 1) * half})
            return count

    def _states(self) -> dict[str, arb]:
        return {k: ball(v) for k, v in self.question.problem["states"].items()}

    def _fault(self, box: dict[str, arb]) -> str:
        """Why a part may not be regular; empty where it is, or nothing of the set lies in it."""
        if self._outside(box):
            return ""
        problem = self.question.problem
        try:
            found = self._evaluated(self._nodes, box)
        except Refusal:
            return "a rate may have no value"
        y = self.deviations(box)
        cofactors = [self.setting.at_deviations(p, y) for p in self.setting.cofactors]
        if any(v is None or v.contains(0) for v in cofactors):
            return "what a relation holds still may move"
        d, n = len(problem["domain"]), len(problem["unknowns"])
        if not all(v > 0 for v in found[:d]):
            return "the domain of the model may end"
        if n:
            K = arb_mat(n, n)
            for (i, j, _), v in zip(problem["matrix"], found[d:], strict=False):
                K[i, j] = v
            try:
                well_solved(K, unit(n))
            except Refusal:
                return "accelerations may not be determined"
        return ""

    def _outside(self, box: dict[str, arb], sides: Sequence[str] | None = None) -> bool:
        """Whether nothing of the set lies in a part."""
        sides = self.shapes if sides is None else sides
        try:
            if any(not v.contains(0) for v in self._evaluated(self._leaf, box)):
                return True
        except Refusal:
            return False
        known = self.deviations({k: box[k] for k in sides})
        return any(y is not None for y in known) and bool(self._least(known) > arb(self.fall.level))

    def cells(self, pieces: int) -> list[dict[str, tuple[arb, arb]]]:
        r"""Intervals of states, cell by cell of those that functions or the leaf depend on: the set lies
        in their union.

        With :math:`y = (y_s, y_w)`, :math:`y_s` known over a cell,
        :math:`|y_w + P_{ww}^{-1} P_{ws}\, y_s|_j^2 \le (c - \min_{y_w} V)\,(P_{ww}^{-1})_{jj}`.
        """
        with ctx.workprec(BITS):
            reach, at = bounds_of(self.fall), self._states()
            box = {k: at[k] + arb(0, 1) * reach[k] for k in reach}
            curved = self._sides
            for _ in range(ROUNDS if curved else 0):
                kept = self._halved(box, curved, COARSE)
                if not kept:
                    raise Refusal("nothing of the set is found", "level")
                box |= {k: _hull([cell[k] for cell in kept]) for k in curved}
            found = self._halved(box, curved, pieces) if curved else [box]
            return [self._widened(cell, curved) for cell in found]

    @cached_property
    def _sides(self) -> list[str]:
        """States that functions among what is measured, or the leaf, depend on."""
        functions = [
            g for g in map(self.setting.generator, self.setting.measured) if self.setting.is_function(g)
        ]
        curved = self.setting.labels_of(functions) | self.setting.symbols(self._leaf)
        reach = bounds_of(self.fall)
        return [k for k in self.question.labels if k in curved and k in reach and reach[k] > 0]

    @property
    def curved(self) -> int:
        """How many sides cells have."""
        return len(self._sides)

    def _halved(self, box: dict[str, arb], sides: list[str], pieces: int) -> list[dict[str, arb]]:
        """Cells of a box, of which some part of the set may lie in each."""
        cells = [box]
        for k in sides:
            middle, radius = box[k].mid(), box[k].rad()
            parts = [
                middle + radius * (fmpq(2 * j + 1, pieces) - 1) + arb(0, 1) * radius / pieces
                for j in range(pieces)
            ]
            cells = [
                cell | {k: part}
                for cell in cells
                for part in parts
                if not self._outside(cell | {k: part}, sides)
            ]
        return cells

    def _widened(self, cell: dict[str, arb], sides: list[str]) -> dict[str, tuple[arb, arb]]:
        """Intervals of all states over a cell."""
        known = self.deviations({k: cell[k] for k in sides})
        n = len(known)
        s, w = [k for k in range(n) if known[k] is not None], [k for k in range(n) if known[k] is None]
        around = dict(cell)
        if s and w:
            P = self.fall.matrix
            inner = fmpq_mat(len(w), len(w), [P[i][j] for i in w for j in w]).inv()
            mixed = inner * fmpq_mat(len(w), len(s), [P[i][j] for i in w for j in s])
            y = arb_mat(len(s), 1, [v for v in known if v is not None])
            middle = -(arb_mat(mixed) * y)
            room = (arb(self.fall.level) - self._least(known)).upper().max(arb(0))
            labels = dict(zip(self.setting.states, self.question.labels, strict=True))
            for row, k in enumerate(w):
                label = labels[self.setting.measured[k]]
                radius = (room * arb(inner[row, row])).sqrt()
                around[label] = self._states()[label] + middle[row, 0] + arb(0, 1) * radius
        return {k: (v.lower(), v.upper()) for k, v in around.items()}

    def _least(self, known: Sequence[arb | None]) -> arb:
        """The least value of V where a part of what is measured is known."""
        places = [k for k, y in enumerate(known) if y is not None]
        P = self.fall.inverse
        inner = fmpq_mat(len(places), len(places), [P[i, j] for i in places for j in places]).inv()
        y = arb_mat(len(places), 1, [v for v in known if v is not None])
        return (y.transpose() * arb_mat(inner) * y)[0, 0]

    def deviations(self, values: dict[str, arb]) -> list[arb | None]:
        """What is measured, at some states; None where it depends on others."""
        setting = self.setting
        labels = dict(zip(setting.states, self.question.labels, strict=True))
        at = self._states()
        found: list[arb | None] = []
        for i in setting.measured:
            if i in labels:
                k = labels[i]
                found.append(values[k] - at[k] if k in values else None)
            else:
                found.append(setting.angle(i, values))
        return found

    def on_leaf(self, states: dict[str, arb]) -> list[arb]:
        """Values of the relations of the leaf."""
        return self._evaluated(self._leaf, states)

    def levels(self, states: dict[str, arb]) -> list[arb]:
        """How far held invariants are from their levels."""
        problem = self.question.problem
        nodes = [problem["invariants"][k] for k in problem["levels"]]
        pairs = zip(self._evaluated(nodes, states), self._evaluated(nodes, self._states()), strict=True)
        return [a - b for a, b in pairs]

    def _evaluated(self, nodes: Sequence[int], states: dict[str, arb]) -> list[arb]:
        q, numbers = self.question, Balls([])
        at = {q.place["state", k]: Jet(v, {}, {}) for k, v in states.items()}
        for part in ("input", "parameter"):
            at |= {q.place[part, k]: Jet(ball(v), {}, {}) for k, v in q.problem[f"{part}s"].items()}
        # Nothing of unknowns is divided by, nor an argument of a function.
        at |= {q.place["unknown", k]: Jet(arb(0), {}, {}) for k in q.problem["unknowns"]}
        return [jet.value for jet in evaluate(q.table, list(nodes), at, numbers, 0)]


def _hull(intervals: Sequence[arb]) -> arb:
    """A ball around some balls."""
    low = arb(min(x.lower().fmpq() for x in intervals))
    high = arb(max(x.upper().fmpq() for x in intervals))
    return (low + high) / 2 + arb(0, 1) * ((high - low) / 2)
