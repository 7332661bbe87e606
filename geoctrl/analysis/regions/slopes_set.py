"""The search for sets from which motions tend to an equilibrium, or to members of a family of them, by slopes
of the rates.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

import numpy as np

from geoctrl.analysis.certificates.proof_file import heading
from geoctrl.analysis.families.falling_beside_family import BesideFamily, FallingBesideFamily
from geoctrl.analysis.proofs.equilibrium_family import family_of_rests
from geoctrl.analysis.quadratics.falling_by_slopes import FallingBySlopes, Shown
from geoctrl.analysis.question.generators import NotSolved
from geoctrl.analysis.regions.attracted_set import AttractedSet, FamilyRegion
from geoctrl.analysis.regions.proved_set import confirmed_set
from geoctrl.analysis.regions.set_question import SetQuestion, kept_functions
from geoctrl.analysis.witnesses.content import content_at_point, parts_as_read
from geoctrl.checker.enclosures.sets import OVER_A_SET
from geoctrl.checker.families.across_family import RestingFamily
from geoctrl.checker.limits import Refusal
from geoctrl.checker.reader import FORMAT, conform
from geoctrl.checker.slopes.field import Field
from geoctrl.checker.theorems.family import FAMILY
from geoctrl.errors import CertificateError

__all__ = ["FamilySets", "SlopesSets"]

INSIDE, LOWER = 1e-6, (1.0, 0.97, 0.9, 0.7)
"""Of a level, what rounding may take, and levels in turn where it takes more."""


class SlopesSets:
    """Sets about an equilibrium: at once, then larger ones. On the leaf, or where that does not decay on the
    levels of what is conserved as well.
    """

    def __init__(self, question: SetQuestion) -> None:
        self._question = question
        if question.equations is None:
            raise CertificateError("by slopes, its equations are not recorded")
        self._shown: Shown | None = None
        try:
            self._search = self._search_on([])
        except CertificateError as reason:
            try:
                kept = kept_functions(question.equations[0])
            except Refusal:
                raise reason from None
            if not kept:
                raise
            self._search = self._search_on(kept)

    def _search_on(self, levels: list[str]) -> FallingBySlopes:
        """The search where some functions are held."""
        assert self._question.equations is not None
        stored, asked = self._question.equations
        self._asked = asked | ({"levels": levels} if levels else {})
        leaf = stored.data["leaf"]
        held = {
            part: {k: v for k, v in stored.data[part].items() if k in levels or k in leaf}
            for part in ("invariants", "weights")
        }
        try:
            top = heading(FORMAT, self._question.system.name)
            self._content = content_at_point(top, stored.data | held, [*leaf, *levels], dimension_of=leaf)
            given = {k: conform(part, OVER_A_SET[k]) for k, part in asked.items()}
            field = Field(*parts_as_read(self._content), given | {"levels": levels})
        except Refusal as refusal:
            raise CertificateError(f"by slopes, {refusal}") from None
        scales = self._question.scales
        return FallingBySlopes(field, np.asarray(scales.column), scales.rate)

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
                theorem = {"name": "slopes"} | self._content["theorem"] | self._asked | proposal
                return confirmed_set(
                    AttractedSet, self._question.angles, self._content | {"theorem": theorem}
                )
        return None


class FamilySets:
    """Sets about a piece of the family of points of rest that the one of the question belongs to."""

    def __init__(self, question: SetQuestion) -> None:
        self._question = question
        self._shown: BesideFamily | None = None
        if question.equations is None:
            raise CertificateError("beside a family, its equations are not recorded")
        stored, self._asked = question.equations
        try:
            found = family_of_rests(stored)
            leaf = stored.data["leaf"]
            held = {
                part: {k: v for k, v in stored.data[part].items() if k in leaf}
                for part in ("invariants", "weights")
            }
            top = heading(FORMAT, question.system.name)
            self._content = content_at_point(top, found.data | held, [*leaf], dimension_of=leaf)
            given = {k: conform(part, OVER_A_SET[k]) for k, part in self._asked.items()}
            family = conform(self._content["theorem"]["family"], FAMILY)
            field = Field(*parts_as_read(self._content), given, lambda field: RestingFamily(field, family))
        except NotSolved:
            raise CertificateError(
                "beside a family, the points of rest are not found as rational functions of some states"
            ) from None
        except Refusal as refusal:
            raise CertificateError(f"beside a family, {refusal}") from None
        scales = question.scales
        self._search = FallingBesideFamily(field, np.asarray(scales.column), scales.rate)

    def largest(self) -> Iterator[None]:
        """Look for larger and larger sets; `latest` has the last one."""
        for shown in self._search.sets():
            if self._shown is None or shown.volume > self._shown.volume:
                self._shown = shown
            yield

    def latest(self) -> FamilyRegion | None:
        """The last set, with its file; None where exact numbers do not confirm it."""
        if (shown := self._shown) is None:
            return None
        for part in LOWER:
            proposal = self._search.proposal_beside(shown, part * (1 - INSIDE))
            with suppress(Refusal):
                theorem = (
                    {"name": "slopes beside a family"} | self._content["theorem"] | self._asked | proposal
                )
                return confirmed_set(
                    FamilyRegion, self._question.angles, self._content | {"theorem": theorem}
                )
        return None
