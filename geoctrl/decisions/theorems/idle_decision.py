r"""Coordinates on which nothing depends, at a point that is known up to a box.

States are :math:`(q, y)`, and neither rates nor unknowns depend on q: :math:`\dot y = f(y)` by itself, and
:math:`\dot q = g(y)`. Where all of it rests at a point y, it does for every q: the family is exact, whatever
the numbers of y are.

Rest: with each rate that is an unknown replaced by the right side that it belongs to, all of these functions
E vanish if and only if everything rests, since K is invertible over the box. As many of the E as there are q
are left out, each of which vanishes where the states do that are rates themselves, as an identity; for the
others Krawczyk's operator proves a zero y in the box.

Attraction: where all roots of Df lie to the left of the axis, near motions come to y exponentially, so that
:math:`|q(t) - q(0)|` is bounded by a multiple of their distance, and q converges. A root to the right makes
the point unstable.
"""

from __future__ import annotations

from typing import Any

from flint import arb_mat, ctx, fmpq

from geoctrl.decisions.functions.ball_jets import Balls, radii
from geoctrl.decisions.functions.derivatives import reachable
from geoctrl.decisions.questions.exact_question import Question
from geoctrl.decisions.questions.krawczyk_boxes import PRECISION, require_zero
from geoctrl.decisions.questions.spectrum_in_balls import grows
from geoctrl.decisions.reading.problem_reader import Refusal
from geoctrl.decisions.theorems.family_decision import ATTRACTION

_WHERE = "problem.idle"


def judge_idle(problem: dict[str, Any], proposal: dict[str, Any]) -> tuple[str, str, dict[str, Any]]:
    """Verdict, method and findings; Refusal where neither growth nor attraction is proved."""
    if "box" not in problem:
        raise Refusal("a box is needed", _WHERE)
    labels, dropped = list(problem["states"]), problem["idle"]["dropped"]
    idle, bits = problem["box"]["held"], problem["box"]["bits"]
    for part in (idle, dropped):
        if not part or len(set(part)) != len(part) or not set(part) <= set(labels):
            raise Refusal("different states are needed", _WHERE)
    if len(dropped) != len(idle) or problem["leaf"] or problem["box"]["omitted"]:
        raise Refusal("one rate is left out for each idle state, and there is no leaf", _WHERE)
    if isinstance(bits, list) and len(bits) != len(labels):
        raise Refusal("one radius is needed for each state", "problem.box.bits")
    with ctx.workprec(PRECISION):
        around = [fmpq(0) if k in idle else r for k, r in zip(labels, radii(bits, len(labels)), strict=True)]
        whole = Question(problem, True, Balls(around))
        centre = Question(problem, True, Balls([fmpq(0)] * len(labels)))
        _require_idle(whole, idle)
        equations = equations_of_rest(whole)
        _require_implied(whole, equations, dropped)
        free = [i for i, k in enumerate(labels) if k not in idle]
        kept = [p for k, p in equations.items() if k not in dropped]
        slopes = [[whole.gradient(jet)[i] for i in free] for jet in whole.jets(kept)]
        require_zero([jet.value for jet in centre.jets(kept)], slopes, [around[i] for i in free])
        A = whole.linearisation
        findings: dict[str, Any] = {"conserved": [], "shape_integrals": []}
        if grows(arb_mat([[A[i][j] for j in free] for i in free]), proposal, findings):
            return "PROVED_UNSTABLE", "spectrum in balls", findings
    return "PROVED_STABLE", f"{ATTRACTION} in balls", findings | {"family_dimension": len(idle)}


def _require_idle(q: Question, idle: list[str]) -> None:
    """Neither rates nor unknowns depend on what is idle."""
    problem = q.problem
    nodes = [*problem["field"], *problem["right"], *(p for *_, p in problem["matrix"])]
    moving = {q.table[i][1] for i in reachable(q.table, nodes) if q.table[i][0] == "sym"}
    if moving & set(idle):
        raise Refusal("something depends on a state that is said to be idle", _WHERE)


def equations_of_rest(q: Question) -> dict[str, int]:
    """Of each state the place of its rate, or of the right side that its rate is the unknown of."""
    unknowns = q.moving_places[len(q.labels) :]
    found: dict[str, int] = dict(zip(q.labels, q.problem["field"], strict=True))
    if sorted(p for p in found.values() if p in unknowns) != sorted(unknowns):
        raise Refusal("each unknown has to be the rate of one state", _WHERE)
    right: dict[int, int] = dict(zip(unknowns, q.problem["right"], strict=True))
    return {k: right.get(p, p) for k, p in found.items()}


def _require_implied(q: Question, equations: dict[str, int], dropped: list[str]) -> None:
    """What is left out vanishes where the states do that are rates themselves, identically."""
    F, states = q.functions, q.moving_places[: len(q.labels)]
    q.jets([equations[k] for k in dropped])  # nothing divides by zero over the box
    for label, place in equations.items():
        if label not in dropped and place in states:
            F.require_relation(q.ratios([place])[0])
    for k in dropped:
        if F.remainder(q.ratios([equations[k]])[0]):
            raise Refusal(f"it is not proved that {k[:80]!r} rests with the others", _WHERE)
