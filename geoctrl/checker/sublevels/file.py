"""The theorem of regions that motions do not leave: its shape in a file, and what is said of a region."""

from __future__ import annotations

from importlib import import_module
from typing import Any, NamedTuple

from flint import arb, ctx, fmpq

from geoctrl.checker.enclosures.sets import OVER_A_SET, above_zero
from geoctrl.checker.limits import Refusal, require
from geoctrl.checker.numbers import rational
from geoctrl.checker.reader import COFACTORS, label, one_of, place
from geoctrl.checker.sublevels.cover import CELLS, Cells, CoverNode, read_tree
from geoctrl.checker.sublevels.energy import BITS, Energy
from geoctrl.checker.sublevels.limited_outputs import require_limits
from geoctrl.checker.sublevels.proved_equations import require_equilibrium, shown_question
from geoctrl.checker.theorems.boxes import BOX
from geoctrl.checker.theorems.falling import FALL
from geoctrl.checker.verdicts import LEAF, Found
from geoctrl.checker.words.claims import (
    functions_of,
    leaf_at,
    limit_phrase,
    place_words,
    system_at,
)
from geoctrl.checker.words.leaf import Dimension
from geoctrl.checker.words.texts import combination, decimal, interval, listed, symbol, told

INVARIANT, ATTRACTED = "PROVED_INVARIANT", "PROVED_ATTRACTED"
ALONE = (
    "over these cells the equilibrium alone stays where the function does not fall: there velocities vanish, "
    "or what vanishes does so with its derivatives along the motion"
)


def _tree(value: Any) -> str | None:
    return value if isinstance(value, str) and value.isascii() and 0 < len(value) <= CELLS else None


SUBLEVEL = OVER_A_SET | {
    "leaf": LEAF,
    "rest?": LEAF | BOX,
    "fall?": FALL,
    "alone?": one_of(True),
    "energy": label,
    "sense": one_of(1, -1),
    "multipliers": {...: rational},
    "function": place,
    "cofactors": COFACTORS,
    "held": {...: {"function": place, "cofactors": COFACTORS, "width": above_zero}},
    "velocities": [label],
    "sides": {...: (rational, rational)},
    "level": rational,
    "cells": _tree,
}
"""``function`` is sense * energy + sum multiplier * invariant on the leaf, and the function of what is held
that invariant, written so that they are evaluated well. ``rest`` says where an equilibrium is that is known
up to a box; ``sides`` are those of the box of shapes that the tree ``cells`` halves. ``alone`` says that
nothing but the equilibrium stays where V does not fall."""


class SublevelRegion(NamedTuple):
    """What is proved: the function, the cells of K, and the level."""

    energy: Energy
    inside: list[CoverNode]
    level: fmpq

    def claim(self, system: str) -> str:
        """What its file claims."""
        given, problem = self.energy.given, self._problem_in_words
        there = "the middle of the box below" if "box" in problem else "the equilibrium"
        held = "".join(
            f", {told(k)} within {decimal(row['width'])} of its value at {there}"
            for k, row in given["held"].items()
        )
        used = [given["energy"], *(k for k, m in given["multipliers"].items() if m), *given["held"]]
        extent = ", ".join(f"{told(k)} in {interval(a, b)}" for k, (a, b) in self.extent().items())
        model = ", where the model holds" if given["domain"] else ""
        return (
            f"Motions of {system_at(system, problem)} that begin on "
            f"{leaf_at(problem)}, with {self.function_words} <= {decimal(self.level)}{held}, where "
            f"{functions_of(problem, used)}, over {len(self.inside)} cells about the equilibrium "
            f"{place_words(problem)} that lie within {extent}, stay so for "
            f"ever{model}{f', and tend to {self.tends}' if self.tends else ''}{limit_phrase(problem)}."
        )

    @property
    def _problem_in_words(self) -> dict[str, Any]:
        """The problem, with what the theorem says of the point and the leaf."""
        given, problem = self.energy.given, self.energy.question.problem
        rows, relations = given["leaf"]["rows"], problem["leaf"]
        found = Dimension(len(problem["states"]) - len(rows), len(rows) == len(relations))
        box = {"box": given["rest"]} if "rest" in given else {}
        return problem | box | {"dimension": found, "limits": given["limits"]}

    def checks(self) -> tuple[str, ...]:
        """What was confirmed."""
        given, problem = self.energy.given, self.energy.question.problem
        kept = [*problem["leaf"], *given["held"], *given["multipliers"]]
        limited = f"over these cells below the level within its limit: {listed(given['limits'])}"
        return (
            "an equilibrium lies in the box"
            if "rest" in given
            else "field and leaf relations vanish exactly at the point",
            f"kept by the motion, identically: {listed(kept) or 'nothing'}",
            f"{'falls' if 'fall' in given else 'conserved'}, identically: {self.function_words}",
            f"{len(self.inside)} cells of shapes, around which the function lies above the level; over them "
            "the rates have values, and the model holds",
            *([ALONE] if self.attracts else []),
            *([limited] if given["limits"] else []),
        )

    @property
    def attracts(self) -> bool:
        """Whether motions of the region tend to the equilibrium."""
        return "alone" in self.energy.given

    @property
    def function_words(self) -> str:
        """V by the names of its parts."""
        given = self.energy.given
        terms = [(fmpq(given["sense"]), given["energy"])]
        terms += [(m, k) for k, m in given["multipliers"].items() if m]
        return combination([(c, [symbol(k)]) for c, k in terms])

    @property
    def tends(self) -> str:
        r"""What motions of the region tend to, where V falls; empty where it is conserved (LaSalle 1960).

        The region is compact, motions do not leave it, and :math:`\dot V = -\sum_k d_k l_k^2` with all
        :math:`d_k \ge 0` over it: all limit points of a motion lie in the largest set of whole motions on
        which V keeps its value. Where that is not proved to be the point alone, this set is told.
        """
        if self.attracts:
            return "the equilibrium"
        set_of_rest = f"the largest invariant set in it on which {self.function_words} does not change"
        return set_of_rest if "fall" in self.energy.given else ""

    def extent(self) -> dict[str, tuple[fmpq, fmpq]]:
        """Intervals in which the cells of K lie, by the names of shapes."""
        labels = [self.energy.question.labels[i] for i in self.energy.shapes]
        sides = zip(*(node.cell for node in self.inside), strict=True)
        return {k: (min(a for a, _ in s), max(b for _, b in s)) for k, s in zip(labels, sides, strict=True)}

    def holds(self, state: list[fmpq | arb], slack: fmpq) -> bool:
        """Whether a state is proved to be in the region, relations of the leaf holding up to a slack."""
        energy = self.energy
        shape: list[Any] = [state[i] for i in energy.shapes]
        velocities = [state[i] for i in energy.velocities]
        if not any(
            all(a <= x <= b for x, (a, b) in zip(shape, node.cell, strict=True)) for node in self.inside
        ):
            return False
        with ctx.workprec(BITS):
            try:
                V, held, relations, _ = energy.jets([(x, x) for x in shape], velocities, order=1)
            except Refusal:
                return False
            on_leaf = all(abs(g.value) <= slack for g in relations)
            levels = zip(held, energy.levels, energy.widths, strict=True)
            return bool(
                on_leaf and all(abs(C.value - c) <= w for C, c, w in levels) and V.value <= arb(self.level)
            )


def judge_sublevel(problem: dict[str, Any], witness: dict[str, Any], given: dict[str, Any]) -> SublevelRegion:
    """The region of a theorem as read; Refusal where something is not proved."""
    q, level = shown_question(problem, witness, given), given["level"]
    require_equilibrium(q, witness, given)
    energy = Energy(q, given)
    cells = Cells(energy)
    require(energy.value_at_point < level, "the level is not above the value at the point", "level")
    inside = cells.cover(level, read_tree(cells.top, given["cells"]))
    require_limits(energy, inside, level)
    if "alone" in given:  # a theorem of its own, above this one
        import_module("geoctrl.checker.rests.rest_alone").require_rest_alone(energy, inside, level)
    return SublevelRegion(energy, inside, level)


def sublevel(problem: dict[str, Any], witness: dict[str, Any], given: dict[str, Any]) -> Found:
    """Motions do not leave the part over K of a set below a level."""
    region = judge_sublevel(problem, witness, given)
    return Found(ATTRACTED if region.attracts else INVARIANT, "energy", {"region": region})


THEOREMS = {"sublevel": ({"theorem": SUBLEVEL}, sublevel)}
