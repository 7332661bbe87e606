"""A point of a family whose linearisation is known in balls: attraction to the family, or growth.

The equations hold functions of parameters that are no numbers of a file, as the cosine of a head angle; the
point itself is made of exact numbers. That it rests is the identity of `family`, exactly: so is that the
linearisation keeps the tangents of the leaf and takes those of the family to zero. What it does otherwise is
enclosed.
"""

from __future__ import annotations

from typing import Any

from flint import ctx, fmpq

from geoctrl.checker.enclosures.balls import Balls
from geoctrl.checker.limits import Refusal
from geoctrl.checker.numbers import BITS, rational
from geoctrl.checker.question import Question
from geoctrl.checker.theorems.family import ATTRACTION, Manifold, attracting_family
from geoctrl.checker.verdicts import Found, growth

GROWTH = ATTRACTION | {"m": rational, "v": [rational]}


def attraction_in_balls(problem: dict[str, Any], witness: dict[str, Any], given: dict[str, Any]) -> Found:
    """Verdict where the linearisation falls across a manifold of equilibria."""
    with ctx.workprec(BITS):
        found = attracting_family(question_in_balls(problem, witness), given)
    return found._replace(method=f"{found.method} in balls")


def growth_in_balls(problem: dict[str, Any], witness: dict[str, Any], given: dict[str, Any]) -> Found:
    """Verdict where it grows at a point of a manifold of equilibria."""
    with ctx.workprec(BITS):
        q = question_in_balls(problem, witness)
        if any(rate != 0 for rate in Manifold(q, given["family"]).rates.values()):
            raise Refusal("members of the family are not proved to be equilibria", "theorem.family.rates")
        found = growth(q, given)
    return found._replace(method=f"{found.method} in balls")


def question_in_balls(problem: dict[str, Any], witness: dict[str, Any]) -> Question:
    """The question at the point, its numbers in balls."""
    return Question(problem, witness, Balls([fmpq(0)] * len(problem["states"])))


THEOREMS = {
    "family in balls": ({"theorem": ATTRACTION}, attraction_in_balls),
    "growth in balls": ({"theorem": GROWTH}, growth_in_balls),
}
