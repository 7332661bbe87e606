"""The search for sets from which motions tend to an equilibrium, by slopes of the rates."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

import numpy as np

from geoctrl.analysis.certificates.proof_file import heading
from geoctrl.analysis.quadratics.falling_by_slopes import FallingBySlopes, Shown
from geoctrl.analysis.regions.attracted_set import AttractedSet
from geoctrl.analysis.regions.proved_set import confirmed_set
from geoctrl.analysis.regions.set_question import SetQuestion
from geoctrl.analysis.witnesses.content import content_at_point, parts_as_read
from geoctrl.checker.enclosures.sets import OVER_A_SET
from geoctrl.checker.limits import Refusal
from geoctrl.checker.reader import FORMAT, conform
from geoctrl.checker.slopes.field import Field
from geoctrl.errors import CertificateError

__all__ = ["SlopesSets"]

INSIDE, LOWER = 1e-6, (1.0, 0.97, 0.9, 0.7)
"""Of a level, what rounding may take, and levels in turn where it takes more."""


class SlopesSets:
    """Sets about an equilibrium of a system without a leaf: at once, then larger ones."""

    def __init__(self, question: SetQuestion) -> None:
        self._question = question
        if question.equations is None:
            raise CertificateError("by slopes, its equations are not recorded")
        stored, self._asked = question.equations
        alone = stored.data | {"invariants": {}, "weights": {}}
        try:
            self._content = content_at_point(heading(FORMAT, question.system.name), alone)
            asked = {k: conform(part, OVER_A_SET[k]) for k, part in self._asked.items()}
            field = Field(*parts_as_read(self._content), asked)
        except Refusal as refusal:
            raise CertificateError(f"by slopes, {refusal}") from None
        scales = question.scales
        self._search = FallingBySlopes(field, np.asarray(scales.column), scales.rate)
        self._shown: Shown | None = None

    def at_once(self) -> AttractedSet:
        """A set of one cell."""
        self._shown = self._search.at_once()
        if self._shown is None or (found := self.latest()) is None:
            raise CertificateError("by slopes, no function is shown to fall in any set")
        return found

    def larger(self) -> Iterator[None]:
        """Look for larger sets, by other functions, then in more cells, from the last one on; `found`
        has it.
        """
        best = self._shown
        for shown in self._search.sets_by_weights():
            if best is None or shown.volume > best.volume:
                self._shown = best = shown
                yield
        if best is not None:
            for shown in self._search.sets_in_cells(best):
                self._shown = shown
                yield

    def latest(self) -> AttractedSet | None:
        """The last set, with its file; None where exact numbers do not confirm it."""
        if (shown := self._shown) is None:
            return None
        for lower in LOWER:
            proposal = self._search.proposal(shown._replace(level=shown.level * lower * (1 - INSIDE)))
            with suppress(Refusal):
                theorem = {"name": "slopes"} | self._asked | proposal
                return confirmed_set(
                    AttractedSet, self._question.angles, self._content | {"theorem": theorem}
                )
        return None
