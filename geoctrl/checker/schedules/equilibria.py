r"""Equilibria of a loop for every constant s of a range, cell by cell: what a file holds, and what it claims.

The loop has s among its states, at a rate that is zero. On a cell :math:`|s - s_0| \le h` the equations of
rest are G(x, s) = 0 in the other states x. Krawczyk's test with all of the cell in both parts,

.. math:: -Y (G(x_0, s_0) + G_s([x], [s])\, [-h, h]) + (1 - Y\, G_x([x], [s]))\, [-r, r] \subset (-r, r),

has for each s one zero in the box :math:`|x - x_0| < r`, and a form with P > 0 and -(P B + B'P) > 0 over box
and cell falls there along the linearisation in the states that the leaf, at this s, leaves free.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from flint import ctx

from geoctrl.checker.limits import require
from geoctrl.checker.numbers import BITS, rational
from geoctrl.checker.reader import EQUATIONS, WITNESS, label
from geoctrl.checker.theorems.boxes import BOX, Box
from geoctrl.checker.verdicts import Found, require_fall, tangent_motion
from geoctrl.checker.words.claims import assigned, system_words
from geoctrl.checker.words.leaf import Dimension, leaf_words, relations
from geoctrl.checker.words.texts import decimal, interval, listed, told

CELL = {
    "range": (rational, rational),
    "states": {...: rational},
    "inverse": [[rational]],
    **{key: BOX[key] for key in ("radii", "Y")},
    "chart": {"free": [label], "inverse": [[rational]]},
    "P": [[rational]],
}
"""Middle of the box and its radii by the states but for s, the inverse of K there, and of the gradients of
leaf and s by the states that these do not leave free."""
CELLS = {
    "name": label,
    "along": label,
    "range": (rational, rational),
    "cells": [CELL],
    "further?": [{"problem": EQUATIONS, "witness": WITNESS, "cells": [CELL]}],
}
"""``along`` is s; ``further`` are parts of the range that follow, each with equations of its own."""


class Part(NamedTuple):
    """Equations, what stands for them, and the cells on which they hold."""

    problem: dict[str, Any]
    witness: dict[str, Any]
    cells: list[dict[str, Any]]

    def require_attraction(self, cell: dict[str, Any], along: str) -> None:
        """Refused unless for each s of a cell one equilibrium is in its box, which attracts on its leaf."""
        low, high = cell["range"]
        states = {**cell["states"], along: (low + high) / 2}
        require(
            states.keys() == self.problem["states"].keys() and along not in cell["states"],
            "a cell needs the states but for what it is along",
            "theorem.cells",
        )
        rates = dict(zip(states_of(self.problem), self.problem["field"], strict=True))
        require(self.problem["nodes"][rates[along]] == ("num", 0), f"{along[:60]} moves", "theorem.along")
        own = {k: states[k] for k in self.problem["states"]}
        symbol = self.problem["nodes"].index(("sym", along, "state"))
        problem = self.problem | {"states": own, "invariants": {along: symbol}}
        given = {"held": [along], "radii": cell["radii"], "Y": cell["Y"]}
        box = Box(problem, self.witness | {"inverse": cell["inverse"]}, given, {along: (high - low) / 2})
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
            f"{', '.join(self._places())}, no other one is in the box of its cell, one of {count}, and it "
            f"is asymptotically stable within the leaf. Of {s} that moves nothing is said."
        )

    def _places(self) -> list[str]:
        """States with what the boxes of all cells span."""
        found = []
        labels = [k for k in states_of(self._parts[0].problem) if k != self._given["along"]]
        for i, k in enumerate(labels):
            ends = [(c["states"][k] - c["radii"][i], c["states"][k] + c["radii"][i]) for c in self._cells]
            found.append(f"{told(k)} in {interval(min(a for a, _ in ends), max(b for _, b in ends))}")
        return found

    def checks(self) -> tuple[str, ...]:
        """What was confirmed."""
        leaf = listed(self._parts[0].problem["leaf"])
        return (
            f"{len(self._cells)} cells that follow each other, from one end of the range to the other",
            f"kept by the motion, identically: {leaf or 'no leaf relations'}",
            f"for each {told(self._given['along'])} of a cell, one zero of field and leaf in its box "
            "(Krawczyk)",
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
