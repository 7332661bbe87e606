"""The search for sets from which motions tend to an equilibrium, by sums of squares."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from geoctrl.analysis.quadratics.falling_quadratic import MARGIN, FallingProof, FallingQuadratic
from geoctrl.analysis.quadratics.rounded_squares import BITS, in_exact_numbers
from geoctrl.analysis.quadratics.semidefinite import require_solver
from geoctrl.analysis.quadratics.setting_units import SettingUnits
from geoctrl.analysis.question.problem import Problem
from geoctrl.analysis.regions.attracted_set import AttractedSet
from geoctrl.analysis.regions.sublevel_problem import kept_functions, with_sides
from geoctrl.checker.reading import VERSION, Refusal
from geoctrl.checker.squares.file import (
    ATTRACTED,
    SQUARES,
    SQUARES_FORMAT,
    Attraction,
    claim_of_attraction,
    judge_attraction,
    measured_words,
    read_attraction,
)
from geoctrl.checker.squares.setting import Setting
from geoctrl.errors import CertificateError
from geoctrl.systems import Equilibrium, ReducedSystem
from geoctrl.systems.parts.angles import angles_at

__all__ = ["SquaresSets"]

SMALLER = (1.0, 1.05, 1.2, *[2.0] * 8)
"""By which levels are divided in turn, where rounding, rates or the domain do not allow more."""
_KEYS = [key.removesuffix("?") for key in SQUARES]


class SquaresSets:
    """Sets about an equilibrium, by squares of monomials of one degree after the other.

    Parameters
    ----------
    system : ReducedSystem
    point : Equilibrium
    limits : dict of output -> bound
    left : callable
        The seconds that are left.
    """

    def __init__(
        self,
        system: ReducedSystem,
        point: Equilibrium,
        limits: Mapping[str, Fraction],
        left: Callable[[], float],
    ) -> None:
        require_solver()
        self._name, self._angles, self._left = system.name, angles_at(point.exact), left
        self._scales = system.scales(point)
        self._latest: tuple[FallingQuadratic, dict[str, Any], FallingProof] | None = None
        problem = Problem.of(system.seen_from(point.spin), point)
        if problem is None:
            raise CertificateError("by squares, its equations are not recorded")
        stored, parts = with_sides(system, problem, problem.question(), limits)
        self._data = {k: v for k, v in stored.data.items() if k in _KEYS} | parts | {"kind": "attraction"}
        try:
            kept = kept_functions(stored)
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
                found = self._found(self._asked(levels), degree)
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
        if self._latest is None:
            return None
        search, data, proof = self._latest
        found = self._rounded(search, read_attraction(data), proof)
        return None if isinstance(found, str) else self._written(data, *found)

    def _asked(self, levels: Sequence[str]) -> dict[str, Any]:
        data, asked = self._data, self._data | {"levels": levels}
        for part in ("invariants", "weights"):
            asked[part] = {k: v for k, v in data[part].items() if k in levels or k in data["leaf"]}
        return asked

    def _found(self, data: dict[str, Any], degree: int) -> AttractedSet | str:
        """The set by monomials of a degree, or why these show none."""
        problem = read_attraction(data)
        setting = Setting(problem)
        reason = f"sums of squares of degree {degree} do not show the first function to fall in any set"
        units = SettingUnits.of(setting, self._scales)
        # What the solver does not resolve may be lost in rounding: then it is searched for with a margin.
        for margin in (0.0, MARGIN):
            search, exactly = (
                FallingQuadratic(setting, degree, margin, self._left, each)
                for each in (units.with_few_bits, units)
            )
            self._latest = None
            for proof in search.proofs():
                self._latest = exactly, data, proof
            if self._latest is None:
                break
            found = self._rounded(exactly, problem, self._latest[2])
            if not isinstance(found, str):
                return self._written(data, *found)
            reason = found
        return reason

    def _rounded(
        self, search: FallingQuadratic, problem: dict[str, Any], proof: FallingProof
    ) -> tuple[Attraction, dict[str, Any]] | str:
        """The set of a proof in doubles or of a smaller level, with its proposal; or why there is none."""
        found, function = _judged(search, problem, proof), proof.function
        for by in SMALLER:
            if not isinstance(found, str):
                break
            # What holds at the point holds near it.
            function = by * function
            if (shown := search.shown(function)) is not None:
                found = _judged(search, problem, shown[1])
        return found

    def _written(self, data: dict[str, Any], found: Attraction, proposal: dict[str, Any]) -> AttractedSet:
        from geoctrl import __version__

        content = {
            "format": SQUARES_FORMAT,
            "version": VERSION,
            "software": f"geoctrl {__version__}",
            "system": self._name,
            "verdict": ATTRACTED,
            "claim": claim_of_attraction(self._name, found.parts),
            "problem": data,
            "proof": proposal,
        }
        return AttractedSet(content, self._angles, _found=found)


def _judged(
    search: FallingQuadratic, problem: dict[str, Any], proof: FallingProof
) -> tuple[Attraction, dict[str, Any]] | str:
    """What is proved by a proof in exact numbers, with the proposal; or why nothing is."""
    reason = ""
    for bits in BITS:
        proposal = in_exact_numbers(search, proof, bits)
        if proposal is None:
            return "what rounding leaves is not in the sums of squares"
        proposal |= {"measured": measured_words(search.setting)}
        try:
            return judge_attraction(problem, proposal), proposal
        except Refusal as refusal:
            reason = str(refusal)
    return reason
