"""The search for sets from which motions tend to an equilibrium, by slopes of the rates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

import numpy as np

from geoctrl.analysis.quadratics.falling_by_slopes import FallingBySlopes, Shown
from geoctrl.analysis.question.problem import Problem
from geoctrl.analysis.regions.attracted_set import AttractedSet
from geoctrl.analysis.regions.sublevel_problem import with_sides
from geoctrl.checker.reading import VERSION, Refusal
from geoctrl.checker.slopes.field import Field
from geoctrl.checker.slopes.file import (
    SLOPES,
    SLOPES_FORMAT,
    claim_of_slopes,
    judge_slopes,
    read_slopes,
)
from geoctrl.checker.squares.file import ATTRACTED
from geoctrl.errors import CertificateError
from geoctrl.systems import Equilibrium, ReducedSystem
from geoctrl.systems.parts.angles import angles_at

__all__ = ["SlopesSets"]

INSIDE, LOWER = 1e-6, (1.0, 0.97, 0.9, 0.7)
"""Of a level, what rounding may take, and levels in turn where it takes more."""
_KEYS = [key.removesuffix("?") for key in SLOPES]


class SlopesSets:
    """Sets about an equilibrium of a system without a leaf: at once, then larger ones.

    Parameters
    ----------
    system : ReducedSystem
    point : Equilibrium
    limits : dict of output -> bound
    """

    def __init__(self, system: ReducedSystem, point: Equilibrium, limits: Mapping[str, Fraction]) -> None:
        self._name, self._angles = system.name, angles_at(point.exact)
        problem = Problem.of(system.seen_from(point.spin), point)
        if problem is None:
            raise CertificateError("by slopes, its equations are not recorded")
        stored, parts = with_sides(system, problem, problem.question(), limits)
        data = {k: v for k, v in stored.data.items() if k in _KEYS} | parts
        self._data = data | {"kind": "slopes", "invariants": {}, "weights": {}}
        try:
            self._problem = read_slopes(self._data)
            field = Field(self._problem)
        except Refusal as refusal:
            raise CertificateError(f"by slopes, {refusal}") from None
        scales = system.scales(point)
        self._search = FallingBySlopes(field, np.asarray(scales.column), scales.rate)
        self._shown: Shown | None = None

    def at_once(self) -> AttractedSet:
        """A set of one cell."""
        self._shown = self._search.at_once()
        if self._shown is None or (found := self.found()) is None:
            raise CertificateError("by slopes, no function is shown to fall in any set")
        return found

    def larger(self) -> Iterator[None]:
        """Look for larger sets, by other functions, then in more cells, from the last one on; `found`
        has it.
        """
        best = self._shown
        for shown in self._search.weighted():
            if best is None or shown.volume > best.volume:
                self._shown = best = shown
                yield
        if best is not None:
            for shown in self._search.grown(best):
                self._shown = shown
                yield

    def found(self) -> AttractedSet | None:
        """The last set, with its file; None where exact numbers do not confirm it."""
        from geoctrl import __version__

        if (shown := self._shown) is None:
            return None
        for lower in LOWER:
            proposal = self._search.proposal(shown._replace(level=shown.level * lower * (1 - INSIDE)))
            try:
                proved = judge_slopes(self._problem, proposal)
            except Refusal:
                continue
            content = {
                "format": SLOPES_FORMAT,
                "version": VERSION,
                "software": f"geoctrl {__version__}",
                "system": self._name,
                "verdict": ATTRACTED,
                "claim": claim_of_slopes(self._name, proved),
                "problem": self._data,
                "proof": proposal,
            }
            return AttractedSet(content, self._angles, _found=proved)
        return None
