"""Witnesses of regions that motions do not leave: cofactors of what is kept, falls or is the same, and the
leaf.
"""

from __future__ import annotations

from contextvars import copy_context
from typing import Any

from flint import ctx, fmpq

from geoctrl import decisions
from geoctrl.analysis.set_witnesses.leaf_witnesses import leaf_basis
from geoctrl.analysis.witnesses.box_witnesses import BallWitnesses, rest_in_box
from geoctrl.analysis.witnesses.cofactors import Cofactor
from geoctrl.analysis.witnesses.content import content_of_file
from geoctrl.analysis.witnesses.falling_witnesses import CofactorWriter
from geoctrl.analysis.witnesses.point_witnesses import ExactWitnesses
from geoctrl.checker.numbers import BITS, set_roots
from geoctrl.decisions.functions.ball_jets import Balls

__all__ = ["in_balls", "sublevel_content"]


def in_balls(problem: dict[str, Any]) -> decisions.Question:
    """The question with values at the point in balls: identities are exact, functions may be irrational
    there.
    """
    with ctx.workprec(BITS):
        return decisions.Question(problem, True, Balls([fmpq(0)] * len(problem["states"])))


def sublevel_content(
    heading: dict[str, Any], problem: dict[str, Any], asked: dict[str, Any]
) -> dict[str, Any]:
    """The content of a file, but for sides of the box, level and cells, from a problem and what its theorem
    says of V; NotSolved where a witness is not found.
    """
    with ctx.workprec(BITS):
        return copy_context().run(_content, heading, problem, asked)


def _content(heading: dict[str, Any], problem: dict[str, Any], asked: dict[str, Any]) -> dict[str, Any]:
    set_roots(problem.get("roots", []))
    point = BallWitnesses(problem) if "box" in problem else ExactWitnesses(problem)
    q, kept = in_balls(point.question.problem), [*asked["held"], *asked["multipliers"]]
    rest = {"rest": rest_in_box(point, kept)} if isinstance(point, BallWitnesses) else {}
    identities = CofactorWriter(q, point.table)
    leaf = leaf_basis(point.question if rest else q, list(problem["leaf"]))
    theorem: dict[str, Any] = {"name": "sublevel", "leaf": leaf} | rest | asked
    terms = {asked["energy"]: str(asked["sense"])} | asked["multipliers"]
    theorem["cofactors"] = _difference(q, identities, asked["function"], terms)
    theorem["held"] = {
        k: row | {"cofactors": _difference(q, identities, row["function"], {k: "1"})}
        for k, row in asked["held"].items()
    }
    if fall := asked.get("fall"):
        total = identities.rate(fall["function"], fall["weights"]) * fmpq(fall["sense"])
        cofactors = identities.cofactors(total + identities.sum_of(fall["squares"]))
        theorem["fall"] = fall | {"cofactors": cofactors}
    names = [*problem["leaf"], *kept, *([] if fall else [asked["energy"]])]
    return content_of_file(heading, point, theorem, names, q)


def _difference(
    q: decisions.Question, identities: CofactorWriter, function: int, terms: dict[str, str]
) -> list[Cofactor]:
    """Cofactors of a function less a combination of invariants."""
    found = identities.ratio(function)
    for name, c in terms.items():
        found = found - identities.ratio(q.problem["invariants"][name]) * fmpq(c)
    return identities.cofactors(found)
