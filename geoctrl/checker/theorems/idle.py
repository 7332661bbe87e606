r"""Coordinates on which nothing depends, at a point that is known up to a box.

States are :math:`(q, y)`, and neither rates nor unknowns depend on q: :math:`\dot y = f(y)` by itself, and
:math:`\dot q = g(y)`. Where all of it rests at a point y, it does for every q: the family is exact, whatever
the numbers of y are.

Rest: with each rate that is an unknown replaced by the right side that it belongs to, all of these functions
E vanish if and only if everything rests, since K is invertible over the box. As many of the E as there are q
are left out, each of which is a combination of the others, as an identity; for these Krawczyk's operator
proves a zero y in the box.

Attraction: where all roots of Df lie to the left of the axis, near motions come to y exponentially, so that
:math:`|q(t) - q(0)|` is bounded by a multiple of their distance, and q converges. A root to the right makes
the point unstable.
"""

from __future__ import annotations

from typing import Any

from flint import ctx

from geoctrl.checker.definite import Rows
from geoctrl.checker.jets import reachable
from geoctrl.checker.limits import Refusal, require
from geoctrl.checker.numbers import BITS, rational
from geoctrl.checker.question import Question
from geoctrl.checker.reader import COFACTORS, label
from geoctrl.checker.theorems.boxes import BOX, Box
from geoctrl.checker.verdicts import Found, require_fall, require_growth

IDLE = {"name": label, "box": BOX, "dropped": [label], "cofactors": [COFACTORS], "P": [[rational]]}
"""What is held is idle; ``dropped`` are states whose E is left out, with the cofactors that give it."""
IDLE_GROWTH = IDLE | {"m": rational, "v": [rational]}


def attraction_beside_idle(problem: dict[str, Any], witness: dict[str, Any], given: dict[str, Any]) -> Found:
    """Verdict where what is not idle falls."""
    with ctx.workprec(BITS):
        B = motion_beside_idle(problem, witness, given)
        require_fall(B, given["P"])
    found = {"family_dimension": len(problem["states"]) - len(B)}
    return Found("PROVED_STABLE", "spectrum and a family of equilibria in balls", found)


def growth_beside_idle(problem: dict[str, Any], witness: dict[str, Any], given: dict[str, Any]) -> Found:
    """Verdict where what is not idle grows."""
    with ctx.workprec(BITS):
        require_growth(motion_beside_idle(problem, witness, given), given)
    return Found("PROVED_UNSTABLE", "spectrum in balls", {})


def motion_beside_idle(problem: dict[str, Any], witness: dict[str, Any], given: dict[str, Any]) -> Rows:
    """The linearisation of what is not idle, over a box that has an equilibrium of it."""
    box = Box(problem, witness, given["box"])
    q, idle = box.whole, given["box"]["held"]
    nodes = [*problem["field"], *problem["right"], *(p for *_, p in problem["matrix"])]
    if {q.table[i][1] for i in reachable(q.table, nodes) if q.table[i][0] == "sym"} & {*idle}:
        raise Refusal("something depends on a state that is said to be idle", "theorem.box.held")
    if problem["leaf"]:
        raise Refusal("there is a leaf", "problem.leaf")
    equations = equations_of_rest(q)
    kept = {k: place for k, place in equations.items() if k not in given["dropped"]}
    for k, rows in zip(given["dropped"], given["cofactors"], strict=True):
        require(
            q.still.ratios([equations[k]])[0] == q.still.combination(rows, kept),
            f"it is not proved that {k[:80]!r} rests with the others",
            "theorem.cofactors",
        )
    box.require_zero_of(list(kept.values()))
    A = [jet.gradient(len(q.labels)) for jet in q.jets(problem["field"])]
    return [[A[i][j] for j in box.free] for i in box.free]


def equations_of_rest(q: Question) -> dict[str, int]:
    """Of each state the place of its rate, or of the right side that its rate is the unknown of."""
    found: dict[str, int] = dict(zip(q.labels, q.problem["field"], strict=True))
    require(
        sorted(p for p in found.values() if p in q.unknowns) == sorted(q.unknowns),
        "each unknown has to be the rate of one state",
        "problem.field",
    )
    right: dict[int, int] = dict(zip(q.unknowns, q.problem["right"], strict=True))
    return {k: right.get(p, p) for k, p in found.items()}


THEOREMS = {
    "attraction beside what is idle": ({"theorem": IDLE}, attraction_beside_idle),
    "growth beside what is idle": ({"theorem": IDLE_GROWTH}, growth_beside_idle),
}
