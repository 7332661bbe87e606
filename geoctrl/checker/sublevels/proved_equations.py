"""What is proved of the equations: an equilibrium, what is kept, what falls, and what functions are."""

from __future__ import annotations

from typing import Any

from flint import ctx, fmpq

from geoctrl.checker.enclosures.balls import Balls
from geoctrl.checker.identities import Ratio
from geoctrl.checker.limits import Refusal, require
from geoctrl.checker.numbers import BITS
from geoctrl.checker.question import Question
from geoctrl.checker.theorems.boxes import Box
from geoctrl.checker.theorems.falling import require_fall
from geoctrl.checker.theorems.family import require_independent
from geoctrl.checker.verdicts import tangents


def shown_question(problem: dict[str, Any], witness: dict[str, Any], given: dict[str, Any]) -> Question:
    """The question in which all identities of a theorem are shown: what is held is conserved, V does not
    grow, and functions are what they are said to be.

    In balls at the point, or at the middle of the box in which it lies: identities are exact, functions may
    have values there that are no numbers of the file.
    """
    known, names = problem["invariants"], names_in(given)
    if unknown := [k for k in names if k not in known]:
        raise Refusal(f"there is no invariant {unknown[0][:80]!r}", "theorem")
    require(len(set(names)) == len(names), "an invariant is named twice", "theorem")
    with ctx.workprec(BITS):
        q = Question(problem, witness, Balls([fmpq(0)] * len(problem["states"])))
        if fall := given.get("fall"):
            q.require_kept(names[:-1])
            require(
                fall["function"] == known[given["energy"]] and fall["sense"] == given["sense"],
                "what falls is not the energy in its sense",
                "theorem.fall",
            )
            require_fall(q, fall)
        else:
            q.require_kept(names)
        terms = {given["energy"]: fmpq(given["sense"])} | given["multipliers"]
        _require_same(q, given, terms)
        for name, row in given["held"].items():
            _require_same(q, row, {name: fmpq(1)})
    return q


def names_in(given: dict[str, Any]) -> list[str]:
    """Invariants of a theorem, the energy last."""
    return [*given["held"], *given["multipliers"], given["energy"]]


def _require_same(q: Question, row: dict[str, Any], terms: dict[str, fmpq]) -> None:
    """A function is a combination of invariants on the leaf: their difference is sum q r, with cofactors."""
    difference: Ratio = q.still.ratios([row["function"]])[0]
    for name, c in terms.items():
        difference = difference - q.still.ratios([q.problem["invariants"][name]])[0] * c
    require(
        difference == q.still.combination(row["cofactors"], q.problem["leaf"]),
        "a function is not what it is said to be",
        "theorem.function",
    )


def require_equilibrium(q: Question, witness: dict[str, Any], given: dict[str, Any]) -> None:
    """The point of a question in balls is an equilibrium, or one lies in the box; relations of the leaf are
    independent there.
    """
    problem = q.problem
    with ctx.workprec(BITS):
        if rest := given.get("rest"):
            box, rates = Box(problem, witness, rest), dict(zip(q.labels, problem["field"], strict=True))
            tangents(box.whole, rest)
            box.require_zero_of([*(rates[k] for k in rest["free"]), *problem["leaf"].values()])
            q = box.whole
        else:
            Question(problem, witness).require_rest()
        require_independent(q, given["leaf"])
