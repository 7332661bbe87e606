"""A sublevel set as its question asks for it, and what a search has found of it."""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import copy_context
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

from flint import fmpq

from geoctrl._scalars.algebra.surds import rational
from geoctrl.analysis.regions.level_search import highest_levels
from geoctrl.checker.limits import Refusal, begin
from geoctrl.checker.numbers import set_roots
from geoctrl.checker.question import Question
from geoctrl.checker.reader import EQUATIONS, WITNESS, conform
from geoctrl.checker.sublevels.cover import CoverNode
from geoctrl.checker.sublevels.energy import Energy
from geoctrl.checker.sublevels.file import SUBLEVEL
from geoctrl.checker.sublevels.proved_equations import shown_question

__all__ = ["ClosedLevel", "Sublevel"]

SIDE, DOUBLINGS = 4, 6
"""Half a side of the box along a shape that nothing bounds, in its size, at first, and how often it is
doubled.
"""
DEPTHS, FEW = {1: 14, 2: 12}, 8
"""Halvings of each side of the box by the number of shapes; fewer for more of them."""

Sides = Mapping[str, tuple[Fraction, Fraction]]


class ClosedLevel(NamedTuple):
    """A level that closes in a box: its cells and their tree, and why it is no higher."""

    box: Sides
    level: fmpq
    inside: list[CoverNode]
    tree: str
    reason: str


@dataclass
class Sublevel:
    """The content of a file but for its box, which a search fills with the highest level that closes.

    Attributes
    ----------
    content : dict
    shapes : dict of label -> bound
        Of shapes that relations of the leaf hold within bounds, the bound; of the others None.
    middles : dict of label -> Fraction
        Of the box along these others: the point, a double next to it where it has roots.
    sizes : dict of label -> Fraction
        Of these others.
    step : Fraction
        The size of the function, by which levels are looked for at first.
    omitted : list of str
        Invariants that might be held, and why it is not known that they are conserved.
    """

    content: dict[str, Any]
    shapes: dict[str, Fraction | None]
    middles: dict[str, Fraction]
    sizes: dict[str, Fraction]
    step: Fraction
    omitted: list[str]
    best: ClosedLevel | None = None

    @property
    def words(self) -> str:
        """The function."""
        asked = self.content["theorem"]
        return f"{'-' if asked['sense'] < 0 else ''}{asked['energy']}"

    @cached_property
    def _question_and_theorem(self) -> tuple[Question, dict[str, Any]]:
        """The question with all that is shown in it, and the theorem but for its box, as the checker reads
        them.
        """
        return copy_context().run(self._read)

    def _read(self) -> tuple[Question, dict[str, Any]]:
        begin()
        set_roots(self.content.get("roots", []))
        problem, witness = (
            conform(self.content[part], shape, part)
            for part, shape in (("problem", EQUATIONS), ("witness", WITNESS))
        )
        shape = {k: part for k, part in SUBLEVEL.items() if k not in ("sides", "level", "cells")}
        given = conform(self.content["theorem"], shape, "theorem")
        return shown_question(problem, witness, given), given

    def highest(self, depth: int | None) -> list[ClosedLevel]:
        """The highest level of all boxes, behind it that of the others where it is one in a box of its own
        size; Refusal where none closes.
        """
        self._widen(depth)
        assert self.best is not None
        best = self.best
        if self._leaf_bounds_all or (nearer := self._nearer(best, depth)) is None:
            return [best]
        return [nearer, best]

    @property
    def _leaf_bounds_all(self) -> bool:
        """Whether the leaf bounds all shapes."""
        return None not in self.shapes.values()

    def _widen(self, depth: int | None) -> None:
        """Close levels in larger and larger boxes."""
        for doubled in range(DOUBLINGS):
            try:
                found = self._close(self._sides(SIDE << doubled), depth)
            except Refusal:
                if self.best is None:
                    raise
                return
            # In a larger box the cells are coarser, and the level may be lower.
            if found is not self.best or "reaches the side" not in found.reason or self._leaf_bounds_all:
                return

    def _close(self, box: Sides, depth: int | None) -> ClosedLevel:
        """The highest level in a box; the highest of all is kept."""
        return copy_context().run(self._closed_level, box, depth)

    def _closed_level(self, box: Sides, depth: int | None) -> ClosedLevel:
        begin()
        question, given = self._question_and_theorem
        sides = {k: (rational(a), rational(b)) for k, (a, b) in box.items()}
        energy, found = Energy(question, given | {"sides": sides}), None
        halvings = depth or DEPTHS.get(len(self.shapes), FEW)
        for level, inside, tree, reason in highest_levels(energy, halvings, self.step):
            found = ClosedLevel(box, level, inside, tree, reason)
            if self.best is None or level >= self.best.level:
                self.best = found
        assert found is not None
        return found

    def _nearer(self, best: ClosedLevel, depth: int | None) -> ClosedLevel | None:
        """A higher level in a box a little larger than the cells of the best one, where cells are smaller."""
        box = {}
        for label, sides in zip(self.shapes, zip(*(n.cell for n in best.inside), strict=True), strict=True):
            a, b = (Fraction(str(v)) for v in (min(a for a, _ in sides), max(b for _, b in sides)))
            box[label] = (9 * a - b) / 8, (9 * b - a) / 8
        try:
            found = self._close(box, depth)
        except Refusal:
            return None
        return found if found.level > best.level else None

    def _sides(self, side: int) -> Sides:
        """The box: of shapes that the leaf bounds by their bounds, of others about the point."""
        box = {}
        for label, bound in self.shapes.items():
            if bound is not None:
                box[label] = (-bound * Fraction(9, 8), bound * Fraction(9, 8))
            else:
                middle = self.middles[label]
                half = side * self.sizes[label]
                box[label] = (middle - half, middle + half)
        return box

    def with_level(self, closed: ClosedLevel) -> dict[str, Any]:
        """The content with a level in its box."""
        sides = {k: [str(a), str(b)] for k, (a, b) in closed.box.items()}
        found = {"sides": sides, "level": str(closed.level), "cells": closed.tree}
        return self.content | {"theorem": self.content["theorem"] | found}
