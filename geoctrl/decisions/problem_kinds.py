"""The kinds of problems, by the tag that they have in a file: their schema, their judgement, its checks in
words.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from geoctrl.checker.words.texts import listed, short
from geoctrl.decisions.arithmetic.tower import Surds
from geoctrl.decisions.questions.exact_question import Question
from geoctrl.decisions.questions.krawczyk_boxes import judge_box
from geoctrl.decisions.reading.clock import limited
from geoctrl.decisions.reading.problem_reader import (
    EQUATIONS,
    EVIDENCE,
    FORMAT,
    HELD,
    VERSION,
    Refusal,
    conform,
    label,
    nodes_after,
    one_of,
    sentence,
)
from geoctrl.decisions.theorems.family_decision_in_balls import judge_in_balls
from geoctrl.decisions.theorems.held_decision import judge_held
from geoctrl.decisions.theorems.idle_decision import judge_idle
from geoctrl.decisions.theorems.spectrum_and_energy import judge


class Kind(NamedTuple):
    """One kind of problems; ``judge`` gives verdict, method and findings."""

    schema: dict[str, Any]
    judge: Callable[[dict[str, Any], dict[str, Any]], tuple[str, str, dict[str, Any]]]
    checks: Callable[[dict[str, Any], dict[str, Any]], tuple[str, ...]]


def read_problem(value: Any, path: str = "problem", nodes: Sequence[tuple] = ()) -> Any:
    """A problem of one of the kinds, of which some first nodes are read already."""
    kind = value.get("kind") if isinstance(value, dict) else None
    if not isinstance(kind, str) or kind not in KINDS:
        raise Refusal(f"an object of the kind {' or '.join(map(repr, KINDS))} is needed", path)
    tables = {"nodes": lambda value, path: nodes_after(nodes, value, path)}
    return numbered(conform(value, KINDS[kind].schema | tables, path))


def numbered(problem: dict[str, Any]) -> dict[str, Any]:
    """The problem with its numbers in the field of its roots, which stands for their list."""
    surds = Surds.of(problem.get("roots", []))
    numbers = {
        part: {k: surds.number(v) for k, v in problem[part].items()}
        for part in ("states", "inputs", "parameters")
    }
    return problem | numbers | {"roots": surds}


def decide(problem: dict[str, Any], proposal: dict[str, Any]) -> tuple[str, str, dict[str, Any]]:
    """Verdict, method and findings for a problem as read, from a proposal that is not believed."""
    with limited():
        return KINDS[problem["kind"]].judge(problem, proposal)


def _of_equations(problem: dict[str, Any], findings: dict[str, Any]) -> tuple[str, ...]:
    polynomial = [short(problem["roots"].read(c)) for c in findings.get("reduced_polynomial", [])]
    where = "at one point of the box" if "box" in problem else "exactly at the point"
    done = {
        f"field and leaf relations vanish {where}": True,
        f"kept by the motion, identically: {listed(problem['leaf']) or 'no leaf relations'}": True,
        f"conserved on the leaf, identically: {listed(findings['conserved']) or 'nothing'}": True,
        f"from the structure of the equations: {listed(findings['shape_integrals'])}": findings[
            "shape_integrals"
        ],
        f"polynomial without forced zeros, rounded: {', '.join(polynomial)}": polynomial,
        "restricted second variation: {} positive, {} negative, {} zero eigenvalues".format(
            *findings.get("inertia", "---")
        ): "inertia" in findings,
    }
    told = {part: words for part, words in THEOREM_CHECKS.items() if part in findings}
    if "root" in findings:  # of the others one lies to the right
        told.pop("family_dimension", None)
    done |= {words.format(**findings): True for words in told.values()}
    return tuple(words for words, holds in done.items() if holds)


THEOREM_CHECKS = {
    "family_dimension": (
        "a manifold of equilibria of dimension {family_dimension} goes through the point, and as many roots "
        "are zero; the others lie to the left of the axis (Lyapunov, Malkin)"
    ),
    "drifting": "an invariant manifold on which {drifting} move at a constant rate, as small as one likes",
    "falling_multipliers": (
        "the rate of the function is less its squares, identically; with multipliers it is critical at the "
        "point; that nothing stays where the squares vanish: {nothing_stays}"
    ),
    "orbit_dimension": "isometries move the point in {orbit_dimension} independent directions",
    "orbit_multipliers": "they keep the leaf, the function and the levels held, identically",
    "dissipation_induced": (
        "friction that opposes all velocities would make it unstable: {dissipation_induced} negative "
        "directions of the energy"
    ),
    "fixed_dimension": (
        "a manifold of fixed points of dimension {fixed_dimension} goes through the point, and as many "
        "multipliers are one"
    ),
    "lyapunov": (
        "the multipliers of one hold lie inside the unit circle, but for those that are one: M, its "
        "derivative, in balls, and P > 0, P - M'PM > 0"
    ),
    "multiplier": "a multiplier of one hold lies outside the unit circle, next to {multiplier}",
    "lyapunov_coefficient": "of a focus: the rate of its function is {lyapunov_coefficient} V_2^2",
    "lowest_form": "the lowest power along the kernel is {lowest_power}, its form {lowest_form}",
}
"""What a theorem proved besides, by the finding that tells of it."""


def _judge_equations(problem: dict[str, Any], proposal: dict[str, Any]) -> tuple[str, str, dict[str, Any]]:
    for part, by in (("idle", judge_idle), ("box", judge_box), ("enclosed", judge_in_balls)):
        if part in problem:
            return by(problem, proposal)
    return judge(Question(problem, exact=True), proposal)


KINDS = {
    "equations": Kind(
        EQUATIONS,
        _judge_equations,
        _of_equations,
    ),
    "held": Kind(HELD, judge_held, _of_equations),
}

SCHEMA = {
    "format": one_of(FORMAT),
    "version": one_of(VERSION),
    "software": label,
    "system": label,
    "verdict": label,
    "method": label,
    "claim": sentence,
    "problem": lambda value, path: read_problem(value, path),
    "evidence": EVIDENCE,
    "digest": label,
}
