"""A point of a family whose linearisation is known in balls: attraction to the family, or growth.

The equations hold functions of parameters that are in no field of square roots, as the cosine of a head
angle; the point itself is made of exact numbers. That it rests is the identity of `family`. The
linearisation maps the tangent space of the leaf into itself and the tangents of the family to zero,
exactly: what it does in the quotient is enclosed, with the states that are not omitted as coordinates.
"""

from __future__ import annotations

from typing import Any

from flint import arb, arb_mat, ctx, fmpq

from geoctrl.decisions.arithmetic.eliminations import matrix as exact_matrix
from geoctrl.decisions.functions.ball_jets import Balls
from geoctrl.decisions.questions.exact_question import Question
from geoctrl.decisions.questions.krawczyk_boxes import PRECISION, matrix, solved
from geoctrl.decisions.questions.spectrum_in_balls import grows
from geoctrl.decisions.reading.problem_reader import Refusal
from geoctrl.decisions.theorems.family_decision import ATTRACTION, resting_family

_WHERE = "problem.enclosed"


def judge_in_balls(problem: dict[str, Any], proposal: dict[str, Any]) -> tuple[str, str, dict[str, Any]]:
    """Verdict, method and findings; Refusal where neither growth nor attraction is proved."""
    if "family" not in problem:
        raise Refusal("a family is needed", _WHERE)
    with ctx.workprec(PRECISION):
        q = Question(problem, True, Balls([fmpq(0)] * len(problem["states"])))
        q.require_kept([])
        found = resting_family(q)
        B, others = _on_leaf(q)
        T = [[arb(found.tangents[i][j]) for j in range(len(found.symbols))] for i in others]
        findings: dict[str, Any] = {
            "conserved": [],
            "shape_integrals": [],
            "family_dimension": len(found.symbols),
        }
        if grows(across(B, T, [found.tangents[i] for i in others]), proposal, findings):
            return "PROVED_UNSTABLE", "spectrum in balls", findings
        return "PROVED_STABLE", f"{ATTRACTION} in balls", findings


def _on_leaf(q: Question) -> tuple[arb_mat, list[int]]:
    """The linearisation on the leaf, and the states that are its coordinates."""
    labels, omitted = q.labels, q.problem["enclosed"]["omitted"]
    relations = list(q.problem["leaf"].values())
    if len(set(omitted)) != len(omitted) or len(omitted) != len(relations) or not set(omitted) <= set(labels):
        raise Refusal("as many different states are omitted as there are relations", _WHERE)
    gone = [labels.index(label) for label in omitted]
    others = [i for i in range(len(labels)) if i not in gone]
    gradients = [q.gradient(jet) for jet in q.jets(relations)]
    dependent: list[list[Any]] = [[]] * len(gone)
    if gone:
        columns = [[row[j] for j in gone] for row in gradients]
        rest = [[-row[j] for j in others] for row in gradients]
        dependent = solved(matrix(columns, len(gone)), matrix(rest, len(others))).tolist()
    rows: list[list[Any]] = [[]] * len(labels)
    for k, state in enumerate(others):
        rows[state] = [fmpq(int(k == j)) for j in range(len(others))]
    for row, state in zip(dependent, gone, strict=True):
        rows[state] = row
    image = matrix(q.linearisation, len(labels)) * matrix(rows, len(others))
    return arb_mat(
        len(others), len(others), [image[i, j] for i in others for j in range(len(others))]
    ), others


def across(B: arb_mat, T: list[list[arb]], exact: list[list[fmpq]]) -> arb_mat:
    """B modulo the span of T, which it maps to zero: on the coordinates that are no pivots of T."""
    k = len(exact[0])
    reduced, rank = exact_matrix([list(column) for column in zip(*exact, strict=True)], len(exact)).rref()
    pivots = [next(j for j in range(len(exact)) if reduced[i, j]) for i in range(rank)]
    rest = [i for i in range(len(exact)) if i not in pivots]
    if rank != k or not rest:
        raise Refusal("the family leaves no direction across it", _WHERE)
    at_pivots = solved(
        matrix([T[i] for i in pivots], k), matrix([[B[i, j] for j in rest] for i in pivots], len(rest))
    )
    correction = matrix([T[i] for i in rest], k) * at_pivots
    return arb_mat(
        len(rest),
        len(rest),
        [B[i, j] - correction[a, b] for a, i in enumerate(rest) for b, j in enumerate(rest)],
    )
