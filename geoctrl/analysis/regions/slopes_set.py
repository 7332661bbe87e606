"""The search for sets from which motions tend to an equilibrium, by slopes of the rates."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

import numpy as np

from geoctrl.analysis.quadratics.falling_by_slopes import FallingBySlopes, Shown
from geoctrl.analysis.regions.attracted_set import AttractedSet
from geoctrl.analysis.regions.proved_set import proved_set
from geoctrl.analysis.regions.set_question import SetQuestion
from geoctrl.checker.reading import Refusal
from geoctrl.checker.slopes.field import Field
from geoctrl.checker.slopes.file import SLOPES, SLOPES_FORMAT, read_slopes
from geoctrl.errors import CertificateError

__all__ = ["SlopesSets"]

INSIDE, LOWER = 1e-6, (1.0, 0.97, 0.9, 0.7)
"""Of a level, what rounding may take, and levels in turn where it takes more."""
_KEYS = [key.removesuffix("?") for key in SLOPES]


class SlopesSets:
    """Sets about an equilibrium of a system without a leaf: at once, then larger ones."""

    def __init__(self, question: SetQuestion) -> None:
        self._question = question
        if question.equations is None:
            raise CertificateError("by slopes, its equations are not recorded")
        stored, parts = question.equations
        data = {k: v for k, v in stored.data.items() if k in _KEYS} | parts
        self._data = data | {"kind": "slopes", "invariants": {}, "weights": {}}
        try:
            field = Field(read_slopes(self._data))
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
                return proved_set(
                    AttractedSet, self._question, SLOPES_FORMAT, self._data, {"proof": proposal}
                )
        return None
