"""A periodic orbit through jumps that is proved, with its times and multipliers in balls."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from flint import acb, arb, arb_mat, ctx

from geoctrl import checker
from geoctrl._calls.long_calls import tell
from geoctrl._checks import whole_number
from geoctrl._printing.printed_lines import full_text, short_form
from geoctrl.analysis.certificates.proof_file import ProofFile
from geoctrl.analysis.question.generators import NotSolved
from geoctrl.checker.words.point_words import words_of
from geoctrl.errors import EquilibriumError
from geoctrl.orbits.enclosures.enclosure import eigenvalue_balls
from geoctrl.orbits.enclosures.expressions_in_balls import UnprovedError
from geoctrl.orbits.phases.hybrid_modes import WrittenOrbit
from geoctrl.orbits.phases.hybrid_orbit_file import HybridOrbitFile
from geoctrl.systems import HybridSystem
from geoctrl.verification import Verdict

__all__ = ["HybridOrbitEnclosure", "hybrid_orbit_enclosure"]

LEAST, MOST = 96, 4096
"""Of bits."""
SEARCHES = (8 / 3, 9 / 16), (8 / 3, 3 / 8), (5, 9 / 16), (8, 9 / 16)
"""Bits to one coefficient of the series, and exponents of the radius of the box relative to the bits, tried
in turn: a larger box, and shorter steps, whose pieces tell guards better.
"""
_REFUSED = "the orbit is not proved"


@dataclass(frozen=True, eq=False, repr=False)
class HybridOrbitEnclosure(ProofFile):
    """A periodic orbit through jumps that exists, with its stability; made by `HybridOrbit.enclose`.

    All of it is what `geoctrl.checker` finds in the file that `to_json` writes. Balls are those of
    python-flint.

    Attributes
    ----------
    system : HybridSystem
    states : tuple of tuple of arb
        The state after each jump, that at which the first phase begins first.
    modes, jumps : tuple of str
        Of the phases, and the jumps at their ends.
    periods : tuple of arb
        Time of each phase (s).
    radius : float
        Of the box in which there is no other: times powers of two next to the sizes of states and times.
    multipliers : tuple of acb
        Of the return map on the level of what is conserved, zeros of the strike and of impacts among them;
        empty where they are not told apart.
    neutral : tuple of str
        What forces others to be one.
    verdict : Verdict
        PROVED_UNSTABLE with a multiplier outside the unit circle. With all inside
        PROVED_ASYMPTOTICALLY_STABLE, or PROVED_STABLE where functions are conserved.
    claim : str
        The checker's sentence. It says what is ignored, and of which starts it speaks.
    hypotheses : tuple of str
        What the checker confirmed, one after the other.
    bits : int
    begin : arb
        The time at which the first phase begins, in equations that hold it (s).
    cycles : int
        How many periods of these one of the orbit has; zero where they do not hold the time. The file is
        about the equations with a clock in its place, which goes round so often.
    """

    system: HybridSystem
    states: tuple[tuple[arb, ...], ...]
    modes: tuple[str, ...]
    jumps: tuple[str, ...]
    periods: tuple[arb, ...]
    radius: float
    multipliers: tuple[acb, ...]
    neutral: tuple[str, ...]
    verdict: Verdict
    claim: str
    hypotheses: tuple[str, ...]
    bits: int
    data: dict[str, Any]
    begin: arb
    cycles: int

    @property
    def period(self) -> arb:
        """Time of all phases (s)."""
        with ctx.workprec(self.bits):
            return sum(self.periods, arb(0))

    @property
    def x(self) -> tuple[arb, ...]:
        """The state at which the first phase begins."""
        return self.states[0]

    def _lines(self) -> list[str]:
        found = ", ".join(z.str(12) for z in self.multipliers) or "not told apart"
        phases = (f"{t.str(24)} s to {name!r}" for t, name in zip(self.periods, self.jumps, strict=True))
        return [
            f"<HybridOrbitEnclosure of {self.system.name or 'a system'}: {self.verdict.value}>",
            f"  period: {self.period.str(24)} s",
            *([f"  begins at t = {self.begin.str(24)} s"] if self.cycles else []),
            *(f"  phase: {words}" for words in phases),
            f"  multipliers: {found}",
            f"  {self.claim}",
            "  confirmed by: the checker, from a file",
        ]

    full = full_text
    __repr__ = short_form

    def __reduce__(self):
        # Balls are not pickled: what is loaded is proved again from its file.
        return enclosure_by_file, (self.system, self.data)


def hybrid_orbit_enclosure(system: HybridSystem, orbit: WrittenOrbit, bits: int) -> HybridOrbitEnclosure:
    """The enclosure of a `HybridOrbit` of a system; see `HybridOrbit.enclose`."""
    bits = whole_number("bits", bits, LEAST, MOST)
    reason = "no steps, boxes and forms were found for it"
    try:
        for terms, radius in SEARCHES:
            data = HybridOrbitFile(orbit, bits, int(bits / terms)).content(radius)
            tell("the checker")
            try:
                return enclosure_by_file(system, data)
            except checker.Refusal as refusal:
                reason = f"the checker refuses it, {refusal}"
    except (NotSolved, checker.Refusal, ZeroDivisionError, ValueError) as error:
        reason = f"the checker refuses it, {error}" if isinstance(error, checker.Refusal) else reason
    raise EquilibriumError(f"{_REFUSED}: {reason}; take the orbit of find_periodic, or more bits")


def enclosure_by_file(system: HybridSystem, data: dict[str, Any]) -> HybridOrbitEnclosure:
    """What the checker finds in a file about a system."""
    found = checker.prove(data)
    proved, bits = found.told["region"].orbit, data["theorem"]["bits"]
    claim, checks = words_of(data, found)
    with ctx.workprec(bits):
        boxes = [
            [x * d for x, d in zip(phase.box, phase.motion.sizes, strict=True)] for phase in proved.phases
        ]
        known = [phase.mode.question.labels for phase in proved.phases]
        begin, cycles = arb(0), 0
        for clock, cycles in proved.turns.items():
            begin = (
                boxes[0][known[0].index(clock)]
                * sum((box[-1] for box in boxes), arb(0))
                / (2 * cycles * arb.pi())
            )
        try:
            multipliers = eigenvalue_balls(arb_mat(proved.multipliers))
        except UnprovedError:
            multipliers = ()
    return HybridOrbitEnclosure(
        system=system,
        states=tuple(
            tuple(x for x, k in zip(box, labels, strict=False) if k not in proved.turns)
            for box, labels in zip(boxes, known, strict=True)
        ),
        modes=tuple(phase["mode"] for phase in data["theorem"]["phases"]),
        jumps=tuple(phase.name for phase in proved.phases),
        periods=tuple(box[-1] for box in boxes),
        radius=float(proved.given["radius"]),
        multipliers=multipliers,
        neutral=tuple(proved.kept),
        verdict=Verdict(found.verdict),
        claim=claim,
        hypotheses=checks,
        bits=bits,
        data=data,
        begin=begin,
        cycles=cycles,
    )
