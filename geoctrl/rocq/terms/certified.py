"""A proof as the checker confirms it: the only file here that knows how certificates are stored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from geoctrl.checker import check, theorem_by_name
from geoctrl.checker.numbers import Number, number_text, set_roots
from geoctrl.checker.question import Question
from geoctrl.checker.reader import FILE, conform
from geoctrl.errors import CertificateError

BALLS = (
    "the equilibrium is known up to a box: the library has no intervals, and no theorem by which there is an "
    "equilibrium in a box"
)
INTEGRALS = (
    "integrals over a shape are held: the library has no functions that are given by a linear differential "
    "equation along a curve"
)
FAMILY = (
    "it rests on a family of equilibria (Malkin's theorem): the library has no theorem by which motions "
    "beside a manifold of equilibria converge to its points"
)
FALLING = (
    "it rests on a function that falls, perhaps not at every instant: the library has no theorem of LaSalle"
)
GROWING = (
    "it rests on a function that grows beside conserved ones, along an arc by its series: the library has "
    "growth of quadratic forms alone"
)
SERIES = "beyond the second order: the library's jets end there"
GROUPS = "it is of an orbit under symmetries: the library has no groups"
MAPS = "it is of a sampled loop: the library has no maps"
MOVING = "it is of a linear part that varies with the time: the library has motions of fields at rest alone"
SETS = "it is about a set or a map, of which the library has no theorem"
MISSING = {
    "attraction in a box": BALLS,
    "growth in a box": BALLS,
    "energy-Casimir in a box": BALLS,
    "attraction beside what is idle": BALLS,
    "growth beside what is idle": BALLS,
    "family in balls": BALLS,
    "growth in balls": BALLS,
    "attraction over a shape": INTEGRALS,
    "energy-Casimir over a shape": INTEGRALS,
    "family": FAMILY,
    "lowest form": f"it rests on a lowest form {SERIES}",
    "zero root": f"it rests on a series {SERIES}",
    "falling": FALLING,
    "falling lowest form": FALLING,
    "growing": GROWING,
    "weak focus": f"it rests on a centre manifold, by series {SERIES}",
    "orbit": GROUPS,
    "growth across an orbit": GROUPS,
    "loop that attracts": MAPS,
    "loop that attracts in a box": MAPS,
    "loop that repels in a box": MAPS,
    "loop that repels": MAPS,
    "loop with fixed points": MAPS,
    "loop that rests on a manifold": MAPS,
    "held cycle that attracts": MAPS,
    "held cycle that repels": MAPS,
    "moving member": MOVING,
    "attraction over cells": BALLS,
    "forms over cells": BALLS,
    "slopes beside a family": FAMILY,
}
"""Why the library has no theorem for those of the checker, by their names."""
HERE = "attraction", "growth", "energy-Casimir", "drift"
"""Those that the library has a theorem for."""


@dataclass(frozen=True)
class Certified:
    """A verdict with what it was proved of.

    Attributes
    ----------
    claim, verdict, method : str
        What the checker says of it.
    question : Question
        The equations at their point.
    theorem : dict
        What its theorem is given: multipliers, rows, forms, as the checker reads it.
    radicands : list of number
        Of which numbers are roots, in turn.
    """

    claim: str
    verdict: str
    method: str
    question: Question
    theorem: dict[str, Any]
    radicands: list[Number]

    @property
    def roots(self) -> list[Number]:
        """Roots of numbers and of functions at the point."""
        of_numbers = [number_text(f"1*r{turn}") for turn in range(1, len(self.radicands) + 1)]
        return [*of_numbers, *(root for _, root in self.question.witness["roots"])]


def content_of(data: Mapping[str, Any]) -> Certified:
    """The content of a certificate's file, which is checked; its numbers are read in this context."""
    report, name = check(data), data["theorem"]["name"]
    if name not in HERE:
        raise CertificateError(MISSING.get(name, SETS))
    radicands = data.get("roots", [])
    set_roots(radicands)
    content = conform(data, FILE | theorem_by_name(name)[0])
    return Certified(
        report.claim,
        report.verdict,
        report.method,
        Question(content["problem"], content["witness"]),
        content["theorem"],
        [number_text(text) for text in radicands],
    )
