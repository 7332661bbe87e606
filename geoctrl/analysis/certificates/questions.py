"""The kinds of questions of stability, by the tag that they have in the file of a certificate."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from geoctrl.analysis.certificates.held_proof import decided
from geoctrl.analysis.certificates.matrices import judge_matrices, matrices_at
from geoctrl.analysis.proofs.proof import Outcome, SoFar, decide
from geoctrl.analysis.question.problem import Problem
from geoctrl.systems import Equilibrium, Seen

__all__ = ["KINDS", "Kind", "answered"]


class Kind(NamedTuple):
    """A kind of question.

    Attributes
    ----------
    of : callable
        ``of(seen, point)`` is the question about an equilibrium in its axes; None where this is not the kind
        for it.
    answer : callable
        ``answer(question, modulo, so_far)`` is its `Outcome`: by proof where it can be, else in floats;
        modulo "orbit" it is that of the orbit of the point. ``so_far`` takes what makes the outcome up to
        then, or None, for a search that is ended.
    derived : bool
        Whether equations stand in the file, which can be derived anew and compared.
    """

    of: Callable[[Seen, Equilibrium], Any]
    answer: Callable[[Any, str | None, SoFar], Outcome]
    derived: bool


KINDS = {
    "equations": Kind(Problem.of, decide, derived=True),
    # Asked with a controller alone (`held_proof`), of no system by itself.
    "held": Kind(lambda *_: None, lambda candidates, *_: decided(candidates), derived=True),
    "matrices": Kind(matrices_at, lambda data, *_: judge_matrices(data), derived=False),
}
"""In the order in which they are asked; the last fits every system."""


def answered(seen: Seen, point: Equilibrium, modulo: str | None, so_far: SoFar) -> Outcome:
    """The outcome of the first kind of question that fits; see `Kind`."""
    asked = ((kind, kind.of(seen, point)) for kind in KINDS.values())
    kind, question = next((kind, question) for kind, question in asked if question is not None)
    return kind.answer(question, modulo, so_far)
