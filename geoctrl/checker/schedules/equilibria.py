r"""Equilibria of a loop for every constant s of a range, cell by cell: what a file holds, and what it claims.

The loop has s among its states, at a rate that is zero. On a cell :math:`|s - s_0| \le h` the equations of
rest are G(x, s) = 0 in the other states, :math:`x = x_0 + v (s - s_0) + e`. With [x] and [s] all of these for
:math:`|e| \le r`, Krawczyk's test about the line (mean value theorem),

.. math:: -Y (G(x_0, s_0) + (G_s + G_x v)([x], [s])\, [-h, h]) + (1 - Y\, G_x([x], [s]))\, [-r, r]
    \subset (-r, r),

has for each s one zero with :math:`|e| < r`, whatever Y and v are; and a form with P > 0 and
-(P B + B'P) > 0 over all of [x] and [s] falls there along the linearisation in the states that the leaf, at
this s, leaves free.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from flint import arb, ctx, fmpq

from geoctrl.checker.definite import Rows
from geoctrl.checker.enclosures.balls import Balls
from geoctrl.checker.limits import require
from geoctrl.checker.numbers import BITS, rational
from geoctrl.checker.question import Question
from geoctrl.checker.reader import EQUATIONS, WITNESS, label
from geoctrl.checker.theorems.boxes import BOX, require_zero
from geoctrl.checker.verdicts import Found, require_fall, tangent_motion
from geoctrl.checker.words.claims import assigned, system_words
from geoctrl.checker.words.leaf import Dimension, leaf_words, relations
from geoctrl.checker.words.texts import decimal, interval, listed, told

CELL = {
    "range": (rational, rational),
    "states": {...: rational},
    "slopes": {...: rational},
    "inverse": [[rational]],
    **{key: BOX[key] for key in ("radii", "Y")},
    "chart": {"free": [label], "inverse": [[rational]]},
    "P": [[rational]],
}
"""x0, v and r by the states but for s, the inverse of K at x0, and of the gradients of leaf and s by the
states that these do not leave free."""
CELLS = {
    "name": label,
    "along": label,
    "range": (rational, rational),
    "cells": [CELL],
    "further?": [{"problem": EQUATIONS, "witness": WITNESS, "cells": [CELL]}],
}
"""``along`` is s; ``further`` are parts of the range that follow, each with equations of its own."""


class CellBox:
    """The equations in the box about the line of a cell: what is shown of them holds for each s.

    Attributes
    ----------
    given : dict
        The cell.
    whole, middle : Question
        In the box with all of the cell, and at its middle.
    """

    def __init__(
        self, problem: dict[str, Any], witness: dict[str, Any], cell: dict[str, Any], along: str
    ) -> None:
        self.given, labels, (low, high) = cell, states_of(problem), cell["range"]
        self._half, states = (high - low) / 2, {**cell["states"], along: (low + high) / 2}
        self._others = [i for i, k in enumerate(labels) if k != along]
        self._slopes = [fmpq(1) if k == along else cell["slopes"][k] for k in labels]
        widths = [abs(v) * self._half for v in self._slopes]
        for i, r in zip(self._others, cell["radii"], strict=True):
            widths[i] += r
        symbol = problem["nodes"].index(("sym", along, "state"))
        asked = problem | {"states": {k: states[k] for k in labels}, "invariants": {along: symbol}}
        own = witness | {"inverse": cell["inverse"]}
        none = [fmpq(0)] * len(labels)
        self.middle, self.whole = (Question(asked, own, Balls(c)) for c in (none, widths))

    def values(self, nodes: list[int]) -> list[Any]:
        """Functions on the line, for each s, by their derivatives along it over the box."""
        jets = self.whole.jets(nodes)
        rows = [zip(jet.gradient(len(self._slopes)), self._slopes, strict=True) for jet in jets]
        away = [sum((c * v for c, v in row), arb(0)) * arb(0, self._half) for row in rows]
        return [jet.value + c for jet, c in zip(self.middle.jets(nodes), away, strict=True)]

    def slopes(self, nodes: list[int]) -> Rows:
        """Their derivatives by the states but for s, over the box."""
        gradients = [jet.gradient(len(self._slopes)) for jet in self.whole.jets(nodes)]
        return [[row[i] for i in self._others] for row in gradients]

    def require_zero_of(self, nodes: list[int]) -> None:
        """Refused unless for each s some functions have one zero in the box."""
        require_zero(self.given, self.values(nodes), self.slopes(nodes))


class Part(NamedTuple):
    """Equations, what stands for them, and the cells on which they hold."""

    problem: dict[str, Any]
    witness: dict[str, Any]
    cells: list[dict[str, Any]]

    def require_attraction(self, cell: dict[str, Any], along: str) -> None:
        """Refused unless for each s of a cell one equilibrium is in its box, which attracts on its leaf."""
        labels = [k for k in states_of(self.problem) if k != along]
        require(
            along in self.problem["states"] and all([*cell[k]] == labels for k in ("states", "slopes")),
            "a cell needs the states but for what it is along",
            "theorem.cells",
        )
        rates = dict(zip(states_of(self.problem), self.problem["field"], strict=True))
        require(self.problem["nodes"][rates[along]] == ("num", 0), f"{along[:60]} moves", "theorem.along")
        box = CellBox(self.problem, self.witness, cell, along)
        problem = box.whole.problem
        free = cell["chart"]["free"]
        require(free, "the leaf is the point alone: nothing is attracted", "theorem.cells")
        box.require_zero_of([*(rates[k] for k in free), *problem["leaf"].values()])
        B = tangent_motion(box.whole, cell["chart"] | {"rows": [*problem["leaf"], along]})
        require_fall(B, cell["P"])


def states_of(problem: dict[str, Any]) -> list[str]:
    """Labels in the order of the field."""
    return list(problem["states"])


class CellWords:
    """The equilibria in words."""

    def __init__(self, parts: Sequence[Part], given: dict[str, Any]) -> None:
        self._parts, self._given = parts, given
        self._cells = [cell for part in parts for cell in part.cells]

    def claim(self, system: str) -> str:
        """What is claimed."""
        problem, s = self._parts[0].problem, told(self._given["along"])
        low, high = map(decimal, self._given["range"])
        values, count = assigned(problem["parameters"]), len(self._cells)
        ends = [(part.cells[0]["range"][0], part.cells[-1]["range"][1]) for part in self._parts]
        own = ", ".join(f"[{decimal(a)}, {decimal(b)}]" for a, b in ends)
        several = f", with equations of its own on each of {own}" if len(ends) > 1 else ""
        free = Dimension(len(self._cells[0]["chart"]["free"]), True)
        leaf = leaf_words(relations(problem), free, " at each of them")
        return (
            f"For every {s} in [{low}, {high}] that stands still, {system_words(system)}"
            f"{f' with {values}' if values else ''}{several}, on {leaf}, has an equilibrium with "
            f"{', '.join(self._places())}, in a box about a line in {s}, one of {count}, no other one is in "
            f"it, and it is asymptotically stable within the leaf. Of {s} that moves nothing is said."
        )

    def _places(self) -> list[str]:
        """States with what the boxes of all cells span."""
        found = []
        labels = [k for k in states_of(self._parts[0].problem) if k != self._given["along"]]
        for i, k in enumerate(labels):
            ends = []
            for c in self._cells:
                away = c["radii"][i] + abs(c["slopes"][k]) * (c["range"][1] - c["range"][0]) / 2
                ends += [c["states"][k] - away, c["states"][k] + away]
            found.append(f"{told(k)} in {interval(min(ends), max(ends))}")
        return found

    def checks(self) -> tuple[str, ...]:
        """What was confirmed."""
        leaf = listed(self._parts[0].problem["leaf"])
        return (
            f"{len(self._cells)} cells that follow each other, from one end of the range to the other",
            f"kept by the motion, identically: {leaf or 'no leaf relations'}",
            f"for each {told(self._given['along'])} of a cell, one zero of field and leaf in the box "
            "about its line (Krawczyk)",
            "a quadratic form is positive and falls along the linearisation, on the tangents of the leaf, "
            "over all of each box and cell",
        )


def equilibria_over_cells(problem: dict[str, Any], witness: dict[str, Any], given: dict[str, Any]) -> Found:
    """Equilibria that attract, for each s of a range that stands still; Refusal where one is not shown."""
    further = given.get("further", [])
    parts = [Part(problem, witness, given["cells"])]
    parts += [Part(part["problem"], part["witness"], part["cells"]) for part in further]
    require(all(part.cells for part in parts), "a part of the range has no cell", "theorem.cells")
    ranges = [cell["range"] for part in parts for cell in part.cells]
    follow = all(first[1] == second[0] for first, second in pairwise(ranges))
    require(
        follow and [ranges[0][0], ranges[-1][1]] == given["range"] and all(a < b for a, b in ranges),
        "the cells do not follow each other over the range",
        "theorem.cells",
    )
    for part in parts:
        require(not part.problem["inputs"], "a loop has no inputs", "problem.inputs")
        same = [(states_of(p), p["parameters"], relations(p)) for p in (problem, part.problem)]
        require(same[0] == same[1], "parts of the range have other states or leaves", "theorem.further")
        with ctx.workprec(BITS):
            for cell in part.cells:
                part.require_attraction(cell, given["along"])
    return Found("PROVED_BY_CELLS", "cells", {"region": CellWords(parts, given)})


THEOREMS = {"attraction over cells": ({"theorem": CELLS}, equilibria_over_cells)}
