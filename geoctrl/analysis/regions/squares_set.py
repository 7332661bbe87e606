"""The search for sets from which motions tend to an equilibrium, by sums of squares."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from geoctrl.analysis.certificates.proof_file import heading
from geoctrl.analysis.quadratics.falling_quadratic import MARGIN, FallingProof, FallingQuadratic
from geoctrl.analysis.quadratics.rounded_squares import BITS, in_exact_numbers
from geoctrl.analysis.quadratics.semidefinite import require_solver
from geoctrl.analysis.quadratics.setting import Setting
from geoctrl.analysis.quadratics.setting_content import SettingContent
from geoctrl.analysis.quadratics.setting_units import SettingUnits
from geoctrl.analysis.question.table import Stored
from geoctrl.analysis.regions.attracted_set import AttractedSet
from geoctrl.analysis.regions.proved_set import confirmed_set
from geoctrl.analysis.regions.set_question import SetQuestion, kept_functions
from geoctrl.checker.enclosures.sets import OVER_A_SET
from geoctrl.checker.reader import FORMAT, conform
from geoctrl.decisions.reading.problem_reader import Refusal
from geoctrl.errors import CertificateError

__all__ = ["SquaresSets"]

SMALLER = (1.0, 1.05, 1.2, *[2.0] * 8)
"""By which levels are divided in turn, where rounding, rates or the domain do not allow more."""


class _Shown(NamedTuple):
    """A proof in doubles, the search that has it, and what its file holds besides."""

    search: FallingQuadratic
    content: SettingContent
    proof: FallingProof


class SquaresSets:
    """Sets about an equilibrium, by squares of monomials of one degree after the other.

    Parameters
    ----------
    left : callable
        The seconds that are left.
    """

    def __init__(self, question: SetQuestion, left: Callable[[], float]) -> None:
        require_solver()
        self._question, self._left = question, left
        self._latest: _Shown | None = None
        if question.equations is None:
            raise CertificateError("by squares, its equations are not recorded")
        self._stored, self._asked = question.equations
        try:
            kept = kept_functions(self._stored)
        except Refusal as refusal:
            raise CertificateError(f"by squares, {refusal}") from None
        self._levels = ([], kept) if kept else ([],)
        self._over: set[int] = set()

    def __call__(self, degree: int) -> AttractedSet | list[str]:
        """The set by monomials of a degree, without levels that are held or on them; or why there is none."""
        reasons = []
        for number, levels in enumerate(self._levels):
            if number in self._over:
                continue
            held = f" on the levels of {', '.join(levels)}" if levels else ""
            try:
                found = self._search(levels, degree)
            except (CertificateError, Refusal) as reason:
                self._over.add(number)  # which no degree changes
                reasons.append(f"by squares{held}, {reason}")
                continue
            if isinstance(found, AttractedSet):
                return found
            reasons.append(f"by squares{held}, {found}")
        return reasons

    def latest(self) -> AttractedSet | None:
        """The set of the last function that was shown to fall, of a search that was cut; None where there is
        none.
        """
        found = self._latest and self._in_exact_numbers(self._latest)
        return found if isinstance(found, AttractedSet) else None

    def _setting(self, levels: Sequence[str]) -> tuple[Setting, SettingContent]:
        """The setting with some levels held, and what its file holds."""
        stored = self._stored
        held = {
            part: {k: v for k, v in stored.data[part].items() if k in levels or k in stored.data["leaf"]}
            for part in ("invariants", "weights")
        }
        problem = {k: v for k, v in (stored.data | held).items() if k != "spin"}
        asked = {k: conform(part, OVER_A_SET[k]) for k, part in self._asked.items()}
        setting = Setting(Stored.of(problem).read | asked | {"levels": list(levels)})
        own = heading(FORMAT, self._question.system.name)
        return setting, SettingContent(own, problem, self._asked | {"levels": list(levels)}, setting)

    def _search(self, levels: Sequence[str], degree: int) -> AttractedSet | str:
        """The set by monomials of a degree, or why these show none."""
        setting, content = self._setting(levels)
        reason = f"sums of squares of degree {degree} do not show the first function to fall in any set"
        units = SettingUnits.of(setting, self._question.scales)
        # What the solver does not resolve may be lost in rounding: then it is searched for with a margin.
        for margin in (0.0, MARGIN):
            search, exactly = (
                FallingQuadratic(setting, degree, margin, self._left, each)
                for each in (units.with_few_bits, units)
            )
            self._latest = None
            for proof in search.proofs():
                self._latest = _Shown(exactly, content, proof)
            if self._latest is None:
                break
            found = self._in_exact_numbers(self._latest)
            if not isinstance(found, str):
                return found
            reason = found
        return reason

    def _in_exact_numbers(self, shown: _Shown) -> AttractedSet | str:
        """The set of a proof in doubles or of a smaller level; or why there is none."""
        found, function = self._rounded_set(shown), shown.proof.function
        for by in SMALLER:
            if not isinstance(found, str):
                break
            # What holds at the point holds near it.
            function = by * function
            if (lower := shown.search.proof_of(function)) is not None:
                found = self._rounded_set(shown._replace(proof=lower[1]))
        return found

    def _rounded_set(self, shown: _Shown) -> AttractedSet | str:
        """What is proved by a proof in exact numbers; or why nothing is."""
        reason = ""
        for bits in BITS:
            proposal = in_exact_numbers(shown.search, shown.proof, bits)
            if proposal is None:
                return "what rounding leaves is not in the sums of squares"
            try:
                return confirmed_set(AttractedSet, self._question.angles, shown.content.with_proof(proposal))
            except Refusal as refusal:
                reason = str(refusal)
        return reason
