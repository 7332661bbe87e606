"""The kinds of questions of stability, by the tag that they have in the file of a certificate.

The question that numbers alone answer: a linearisation, and the stiffness where there are no forces.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from geoctrl._collector import rare_collections
from geoctrl.analysis.certificates.sampled_loop_proof import first_proof
from geoctrl.analysis.linear.linearization import linearization_at
from geoctrl.analysis.proofs.numerical import judged_matrices
from geoctrl.analysis.proofs.proof import Outcome, SoFar, decide
from geoctrl.analysis.question.problem import Problem
from geoctrl.analysis.question.table import Stored
from geoctrl.systems import Equilibrium, Seen

__all__ = ["KINDS", "QuestionKind", "judge_matrices", "matrices_at", "outcome_of"]


def matrices_at(seen: Seen, point: Equilibrium) -> dict[str, Any]:
    """The linearisation (d, d) on the leaf, and the second variation of the (amended) potential (k, k)."""
    stiffness = seen.stiffness(point.x, point.u, point.params)
    data: dict[str, Any] = {
        "kind": "matrices",
        "states": dict(zip(point.labels, map(float, point.x), strict=True)),
        "linearisation": linearization_at(seen, point).A_leaf.tolist(),
        "spin": list(map(float, seen.spin)),
    }
    if stiffness is not None:
        data["stiffness"] = ((stiffness + stiffness.T) / 2).tolist()
    if seen.functions:
        data["functions"] = seen.functions
    return data


def judge_matrices(data: dict[str, Any]) -> Outcome:
    """What numbers say of matrices: a report, and no proof."""
    stiffness = np.array(data["stiffness"]) if "stiffness" in data else None
    A = np.array(data["linearisation"], dtype=float).reshape(len(data["linearisation"]), -1)
    found = judged_matrices(A, stiffness)
    return Outcome(Stored(data, data), found.verdict, found.method, found.evidence, in_floats=True)


class QuestionKind(NamedTuple):
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
    "equations": QuestionKind(Problem.of, decide, derived=True),
    # Asked with a controller alone (`held_proof`), of no system by itself.
    "held": QuestionKind(lambda *_: None, lambda candidates, *_: first_proof(candidates), derived=True),
    "matrices": QuestionKind(matrices_at, lambda data, *_: judge_matrices(data), derived=False),
}
"""In the order in which they are asked; the last fits every system."""


@rare_collections
def outcome_of(seen: Seen, point: Equilibrium, modulo: str | None, so_far: SoFar) -> Outcome:
    """The outcome of the first kind of question that fits; see `QuestionKind`."""
    asked = ((kind, kind.of(seen, point)) for kind in KINDS.values())
    kind, question = next((kind, question) for kind, question in asked if question is not None)
    return kind.answer(question, modulo, so_far)
