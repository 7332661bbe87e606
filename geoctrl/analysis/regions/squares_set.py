"""The search for sets from which motions tend to an equilibrium, by sums of squares."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from flint import fmpq

from geoctrl.analysis.certificates.proof_file import heading
from geoctrl.analysis.higher_degrees.falling_polynomial import FallingPolynomial, lowest_factor
from geoctrl.analysis.higher_degrees.given_function import GivenFunction, short_level
from geoctrl.analysis.higher_degrees.polynomial_function import PolynomialFunction
from geoctrl.analysis.higher_degrees.sharp_level import sharp_proof
from geoctrl.analysis.programs.semidefinite import require_solver
from geoctrl.analysis.quadratics.falling_identity import FallingIdentity, FallingProof
from geoctrl.analysis.quadratics.falling_quadratic import MARGIN, FallingQuadratic
from geoctrl.analysis.quadratics.rounded_squares import BITS, ExactFunction, in_exact_numbers
from geoctrl.analysis.quadratics.setting import Setting
from geoctrl.analysis.quadratics.setting_content import SettingContent
from geoctrl.analysis.quadratics.setting_units import SettingUnits
from geoctrl.analysis.question.table import Stored
from geoctrl.analysis.regions.attracted_set import AttractedSet
from geoctrl.analysis.regions.proved_set import confirmed_set
from geoctrl.analysis.regions.set_question import SetQuestion, kept_functions
from geoctrl.analysis.set_witnesses.quotient_unknowns import with_quotient_unknowns
from geoctrl.checker.enclosures.sets import OVER_A_SET
from geoctrl.checker.reader import FORMAT, conform
from geoctrl.decisions.reading.problem_reader import Refusal
from geoctrl.errors import CertificateError

__all__ = ["SquaresSets"]

SMALLER, SLIGHTLY = (1.0, 1.05, 1.2, *[2.0] * 8), (1.0, 1.0001, 1.001, 1.01)
"""By which levels are divided in turn, where rounding, rates or the domain do not allow more; first, of
functions that are not quadratic.
"""


class _Shown(NamedTuple):
    """A proof in doubles, the search that has it, and what its file holds besides; how a lower level is
    shown, and the function where it is given.
    """

    search: FallingIdentity
    content: SettingContent
    proof: FallingProof
    lower: Callable[[float], _Shown | None]
    given: ExactFunction | None = None


class SquaresSets:
    """Sets about an equilibrium, by squares of monomials of one degree after the other.

    Parameters
    ----------
    left : callable
        The seconds that are left.
    tell : callable
        Given the stage of a search at each larger set.
    """

    def __init__(
        self,
        question: SetQuestion,
        left: Callable[[], float],
        tell: Callable[[str], object] = lambda stage: None,
    ) -> None:
        require_solver()
        self._question, self._left, self._tell = question, left, tell
        self._latest: _Shown | None = None
        self._finely = False
        if question.equations is None:
            raise CertificateError("by squares, its equations are not recorded")
        stored, self._asked = question.equations
        self._stored = with_quotient_unknowns(stored)
        self._explicit = not stored.data["unknowns"]
        try:
            kept = kept_functions(self._stored)
        except Refusal as refusal:
            raise CertificateError(f"by squares, {refusal}") from None
        self._levels = ([], kept) if kept else ([],)
        self._over: set[int] = set()

    def __call__(self, monomials: int) -> AttractedSet | list[str]:
        """The set of a quadratic function by monomials of a degree, without levels that are held or on them;
        or why there is none.
        """
        return self._on_levels(partial(self._quadratic, monomials))

    def of_degree(self, degree: int, multiplier: int | None) -> AttractedSet | list[str]:
        """The set of a function of a degree, and of a factor of c - V of another one."""
        return self._on_levels(partial(self._rising, degree, multiplier))

    def of_function(self, multiplier: int | None) -> AttractedSet | list[str]:
        """The set of the function that is given."""
        return self._on_levels(partial(self._of_given, multiplier))

    def _on_levels(self, search: Callable[[Sequence[str]], AttractedSet | str]) -> AttractedSet | list[str]:
        reasons = []
        for number, levels in enumerate(self._levels):
            if number in self._over:
                continue
            held = f" on the levels of {', '.join(levels)}" if levels else ""
            try:
                found = search(levels)
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
        found = self._latest and self._in_exact_numbers(self._latest, self._finely)
        return found if isinstance(found, AttractedSet) else None

    def _setting(self, levels: Sequence[str]) -> tuple[Setting, SettingContent]:
        """The setting with some levels held, and what its file holds."""
        stored = self._stored
        held = {
            part: {k: v for k, v in stored.data[part].items() if k in levels or k in stored.data["leaf"]}
            for part in ("invariants", "weights")
        }
        problem = {k: v for k, v in (stored.data | held).items() if k != "spin"}
        own = {k: part for k, part in self._asked.items() if k in OVER_A_SET}
        asked = self._asked | {k: conform(part, OVER_A_SET[k]) for k, part in own.items()}
        setting = Setting(
            Stored.of(problem).read | asked | {"levels": list(levels), "explicit": self._explicit}
        )
        top = heading(FORMAT, self._question.system.name)
        return setting, SettingContent(top, problem, own | {"levels": list(levels)}, setting)

    def _quadratic(self, monomials: int, levels: Sequence[str]) -> AttractedSet | str:
        """The set by monomials of a degree, or why these show none."""
        setting, content = self._setting(levels)
        reason = f"sums of squares of degree {monomials} do not show the first function to fall in any set"
        # What the solver does not resolve may be lost in rounding: then it is searched for with a margin.
        for margin in (0.0, MARGIN):
            shown = self._last_quadratic(setting, content, monomials, margin)
            if shown is None:
                break
            found = self._in_exact_numbers(shown)
            if not isinstance(found, str):
                return found
            reason = found
        return reason

    def _last_quadratic(
        self, setting: Setting, content: SettingContent, monomials: int, margin: float
    ) -> _Shown | None:
        """The last quadratic function that is shown to fall."""
        units = SettingUnits.of(setting, self._question.scales)
        search, exactly = (
            FallingQuadratic(setting, monomials, margin, self._left, each)
            for each in (units.with_few_bits, units)
        )

        def shown_proof(proof: FallingProof) -> _Shown:
            def lower(by: float) -> _Shown | None:
                found = exactly.proof_of(by * proof.function)
                return None if found is None else shown_proof(found[1])

            return _Shown(exactly.identity, content, proof, lower)

        self._latest = None
        for proof in search.proofs():
            self._latest = shown_proof(proof)
        return self._latest

    def _rising(self, degree: int, multiplier: int | None, levels: Sequence[str]) -> AttractedSet | str:
        """The set of a function of a degree, by functions of degree two, four, ..., each from the last."""
        setting, content = self._setting(levels)
        units = SettingUnits.of(setting, self._question.scales)
        self._finely = True
        first = self._last_quadratic(setting, content, 2, 0.0)
        shape = None if first is None else first.proof.function
        V: PolynomialFunction | None = None
        best = 0.0
        for d in range(4, degree + 1, 2):
            factor = lowest_factor(setting, d) if multiplier is None else multiplier
            search, exactly = (
                FallingPolynomial(setting, d, factor, shape, self._left, each)
                for each in (units.with_few_bits, units)
            )
            if V is None:
                if shape is None:
                    search.identity.leaf.require_decay()
                V = search.quadratic(search.identity.leaf.first_function() if shape is None else shape)
                best = search.volume(V) if first is not None else 0.0
            for larger, proof in search.proofs(V):
                V = larger
                if (volume := search.volume(V)) > best:
                    best, self._latest = volume, _shown_polynomial(exactly, content, V, proof)
                    self._tell(f"functions of degree {d}")
        if self._latest is None:
            return "sums of squares do not show the first function to fall in any set"
        return self._in_exact_numbers(self._latest, self._finely)

    def _of_given(self, multiplier: int | None, levels: Sequence[str]) -> AttractedSet | str:
        """The set of the function that is given, at the highest level that is shown."""
        setting, content = self._setting(levels)
        units = SettingUnits.of(setting, self._question.scales)
        self._finely = True
        search = GivenFunction(setting, multiplier, self._left, units)

        def shown_proof(level: float, proof: FallingProof) -> _Shown:
            def lower(by: float) -> _Shown | None:
                found = search.proof_at(short := short_level(level / by))
                return None if found is None else shown_proof(short, found)

            given = search.exact._replace(level=fmpq(*level.as_integer_ratio()))
            return _Shown(search.identity, content, proof, lower, given)

        for level, proof in search.levels():
            self._latest = shown_proof(level, proof)
            self._tell("levels of the function")
        if self._latest is None:
            return "sums of squares do not show the function to fall below any level"
        return self._open_set(search, level, content) or self._in_exact_numbers(self._latest, True)

    def _open_set(self, search: GivenFunction, level: float, content: SettingContent) -> AttractedSet | None:
        """The set below the highest level, where that is a rational number next to one that is shown."""
        self._tell("the highest level of the function")
        if math.isinf(search.not_shown) or (proposal := sharp_proof(search, level, search.not_shown)) is None:
            return None
        try:
            return confirmed_set(AttractedSet, self._question.angles, content.with_proof(proposal))
        except Refusal:
            return None

    def _in_exact_numbers(self, shown: _Shown, finely: bool = False) -> AttractedSet | str:
        """The set of a proof in doubles or of a smaller level; or why there is none."""
        found, last = self._rounded_set(shown), shown
        for by in (*SLIGHTLY, *SMALLER[1:]) if finely else SMALLER:
            if not isinstance(found, str):
                break
            # What holds at the point holds near it.
            if (lower := last.lower(by)) is not None:
                last = lower
                found = self._rounded_set(last)
        return found

    def _rounded_set(self, shown: _Shown) -> AttractedSet | str:
        """What is proved by a proof in exact numbers; or why nothing is."""
        reason = ""
        for bits in BITS:
            proposal = in_exact_numbers(shown.search, shown.proof, bits, shown.given)
            if proposal is None:
                return "what rounding leaves is not in the sums of squares"
            try:
                return confirmed_set(AttractedSet, self._question.angles, shown.content.with_proof(proposal))
            except Refusal as refusal:
                reason = str(refusal)
        return reason


def _shown_polynomial(
    search: FallingPolynomial, content: SettingContent, V: PolynomialFunction, proof: FallingProof
) -> _Shown:
    def lower(by: float) -> _Shown | None:
        own = V.at_level(1 / by)
        found = search.proof_of(own)
        return None if found is None else _shown_polynomial(search, content, own, found[1])

    return _Shown(search.identity, content, proof, lower)
