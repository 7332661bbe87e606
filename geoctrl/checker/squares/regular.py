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
from geoctrl.checker.boxes import is_invertible
from geoctrl.checker.clock import require_time
from geoctrl.checker.jets import ENTIRE, Jet, evaluate, reachable
from geoctrl.checker.matrices import inverse
from geoctrl.checker.reading import Refusal, children
from geoctrl.checker.squares.identity import Fall
from geoctrl.checker.surds import ball, middle

BITS, PARTS = 80, 20_000
"""Of the middles of balls; of the box, at most."""
COARSE, ROUNDS, SIDES = 12, 4, 3
"""Cells of a side, and how often the box is made smaller, before bounds of states are found; sides from which
the box alone bounds them.
"""


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
        self._motion = q.nodes_of_identities(problem["levels"])
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
                require_time()
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
        entries = ((i, j, v) for (i, j, _), v in zip(problem["matrix"], found[d:], strict=False))
        if n and not is_invertible(n, entries):
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
        near = Near(self, box, sides)
        return bool(near.places) and bool(near.least > arb(self.fall.level))

    def cells(self, pieces: int) -> list[dict[str, tuple[arb, arb]]]:
        r"""Intervals of states, cell by cell of those that functions or the leaf depend on: the set lies
        in their union.

        With :math:`y = (y_s, y_w)`, :math:`y_s` known over a cell,
        :math:`|y_w + P_{ww}^{-1} P_{ws}\, y_s|_j^2 \le (c - \min_{y_w} V)\,(P_{ww}^{-1})_{jj}`.
        """
        with ctx.workprec(BITS):
            reach, at = bounds_of(self.fall), self._states()
            box = {k: at[k] + arb(0, 1) * reach[k] for k in reach}
            curved = self._sides if len(self._sides) <= SIDES else []
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
        near, around = Near(self, cell, sides), dict(cell)
        labels = dict(zip(self.setting.states, self.question.labels, strict=True))
        states = self._states()
        for k, (centre, radius) in near.rest().items():
            label = labels[self.setting.measured[k]]
            around[label] = states[label] + centre + arb(0, 1) * radius
        return {k: (v.lower(), v.upper()) for k, v in around.items()}

    def deviations(self, values: dict[str, arb]) -> list[arb | None]:
        """What is measured, at some states; None where it depends on others."""
        return [None if found is None else found[0] for found in self.measured(values)]

    def measured(self, values: dict[str, arb]) -> list[tuple[arb, dict[str, arb]] | None]:
        """The same with slopes along the states."""
        setting = self.setting
        labels = dict(zip(setting.states, self.question.labels, strict=True))
        at = self._states()
        found: list[tuple[arb, dict[str, arb]] | None] = []
        for i in setting.measured:
            if i in labels:
                k = labels[i]
                found.append((values[k] - at[k], {k: arb(1)}) if k in values else None)
            else:
                found.append(setting.angle(i, values))
        return found

    def settled(self) -> list[str]:
        """States that are at their values all along."""
        labels = dict(zip(self.setting.states, self.question.labels, strict=True))
        return [labels[i] for i in self.setting.still if i in labels]

    @cached_property
    def forms(self) -> dict[tuple[int, ...], tuple[arb_mat, arb_mat, arb_mat]]:
        """By what is known of y: the matrix of the least V, that of the rest's place, and its inverse
        form.
        """
        return {}

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


class Near:
    r"""V over a cell of some states: in mean value form from its middle, for what is known of y is bent.

    With :math:`y_s` known, :math:`\min_{y_w} V = y_s^T ((P^{-1})_{ss})^{-1} y_s`, taken at
    :math:`y_w = -P_{ww}^{-1} P_{ws}\, y_s`.

    Attributes
    ----------
    places : list of int
        Of what is measured those that are known.
    least : arb
        The least value of V.
    """

    def __init__(self, parts: Parts, cell: dict[str, arb], sides: Sequence[str]) -> None:
        self._parts = parts
        over = {k: cell[k] for k in (*sides, *parts.settled())}
        found = parts.measured(over)
        self.places = [k for k, y in enumerate(found) if y is not None]
        if not self.places:
            return
        known = [y for y in found if y is not None]
        at = parts.deviations({k: v.mid() for k, v in over.items()})
        self._at = _column([at[k] for k in self.places])
        y = _column([v for v, _ in known])
        self._steps = {k: v - v.mid() for k, v in over.items()}
        self._slopes = {k: _column([slopes.get(k, arb(0)) for _, slopes in known]) for k in over}
        form, self._place, self._inner = self._forms()
        self.least = (self._at.transpose() * form * self._at)[0, 0]
        for k, step in self._steps.items():
            self.least += 2 * (y.transpose() * (form * self._slopes[k]))[0, 0] * step

    def _forms(self) -> tuple[arb_mat, arb_mat, arb_mat]:
        fall, forms, s = self._parts.fall, self._parts.forms, self.places
        if tuple(s) not in forms:
            P, n = fall.matrix, len(fall.matrix)
            w = [k for k in range(n) if k not in s]
            form = inverse([[fall.inverse[i, j] for j in s] for i in s])
            inner = inverse([[P[i][j] for j in w] for i in w]) if w else fmpq_mat(0, 0)
            mixed = inner * fmpq_mat(len(w), len(s), [P[i][j] for i in w for j in s])
            forms[tuple(s)] = arb_mat(form), arb_mat(mixed), arb_mat(inner)
        return forms[tuple(s)]

    def rest(self) -> dict[int, tuple[arb, arb]]:
        """By what is measured and not known, where its middle is below the level, and how far it is from
        it.
        """
        n = len(self._parts.fall.matrix)
        w = [k for k in range(n) if k not in self.places]
        if not self.places or not w:
            return {}
        middle = self._place * self._at
        for k, step in self._steps.items():
            middle += self._place * self._slopes[k] * step
        room = (arb(self._parts.fall.level) - self.least).upper().max(arb(0))
        return {
            k: (-middle[row, 0], (room * self._inner[row, row]).sqrt().upper()) for row, k in enumerate(w)
        }


def _column(values: Sequence[arb | None]) -> arb_mat:
    entries = [v for v in values if v is not None]
    return arb_mat(len(entries), 1, entries)


def _hull(intervals: Sequence[arb]) -> arb:
    """A ball around some balls."""
    low = arb(min(middle(x.lower()) for x in intervals))
    high = arb(max(middle(x.upper()) for x in intervals))
    return (low + high) / 2 + arb(0, 1) * ((high - low) / 2)
