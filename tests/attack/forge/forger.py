"""A forger who asks the search: gives changed proofs whatever verdict and evidence it decides for them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

import geoctrl as gc
from geoctrl import checker, decisions
from geoctrl.analysis.proofs.energy_casimir import Pencil, exact_multipliers

STRENGTH = ("UNDECIDED", "SPECTRALLY_STABLE_ONLY")
"""Verdicts that a forger would rather not have, the worst first."""


def moderate(data: Mapping[str, Any]) -> bool:
    """Whether no exponent is so large that a program without bounds would not come to an end with it."""
    try:
        powers = [node[2] for node in data["problem"]["nodes"] if node[0] == "prod"]
        return all(abs(e) < 1000 for power in powers for _, e in power)
    except (KeyError, TypeError, IndexError, ValueError):
        return False


def settle(data: dict[str, Any]) -> str:
    """Give a proof the best verdict that the search has for its problem, with the evidence for it."""
    try:
        problem = decisions.read_problem(data.get("problem"))
    except checker.Refusal:
        return "no verdict: no problem"
    best: tuple | None = None
    for proposal in _proposals(problem, data.get("evidence")):
        try:
            found = decisions.decide(problem, proposal)
        except checker.Refusal:
            continue
        except (ArithmeticError, LookupError, TypeError, ValueError, AttributeError):  # of no proper problem
            continue
        if best is None or _strength(found[0]) > _strength(best[0]):
            best = found
    if best is None:
        return "no verdict"
    data["verdict"], data["method"], data["evidence"] = best
    return f"settled as {best[0]}"


def _strength(verdict: str) -> int:
    return STRENGTH.index(verdict) if verdict in STRENGTH else len(STRENGTH)


def _proposals(problem: dict[str, Any], evidence: Any) -> Iterator[dict[str, Any]]:
    """The file's own, what can be proved of its invariants, and multipliers that a search finds for these."""
    if isinstance(evidence, dict):
        keys = ("conserved", "shape_integrals", "multipliers", "held")
        keys += ("falling_multipliers", "orbit_multipliers")
        yield {k: evidence[k] for k in keys if k in evidence}
    try:
        question = decisions.Question(problem, exact=True)
        kept = {"conserved": [name for name in problem["invariants"] if _conserved(question, name)]}
        yield kept
        yield kept | {"multipliers": _multipliers(question, kept["conserved"], [])}
        yield from _of_theorems(problem, question, kept)
        if "shape" in problem:
            integrals = decisions.shape_integrals(question)
            kept["shape_integrals"] = True
            yield kept | {"multipliers": _multipliers(question, kept["conserved"], integrals)}
    except (checker.Refusal, gc.GeoctrlError, ArithmeticError, np.linalg.LinAlgError):
        return


def _of_theorems(problem: dict[str, Any], question: Any, kept: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Levels held, all or none, and multipliers of what falls or is the same along an orbit."""
    names = kept["conserved"]
    multipliers = _multipliers(question, names, [])
    for held in (names, []):
        yield kept | {"held": held, "multipliers": multipliers, "orbit_multipliers": multipliers}
    if "falling" in problem:
        falling = problem["falling"]
        first = question.function_at("the falling function", falling["function"])
        functions = [first, *map(question.function, [*names, *problem["leaf"]])]
        found = exact_multipliers(functions)
        if found is not None and found[0]:
            scaled = [c / found[0] * falling["sense"] for c in found]
            yield kept | {
                "falling_multipliers": {f[0]: str(c) for f, c in zip(functions, scaled, strict=True)}
            }


def _conserved(question: decisions.Question, name: str) -> bool:
    try:
        return question.conserved(name) and bool(question.function(name))
    except checker.Refusal:
        return False


def _multipliers(question: decisions.Question, names: list[str], integrals: list) -> dict[str, str]:
    """Multipliers of a critical combination, definite where geoctrl's own search finds one.

    Raises
    ------
    checker.Refusal
        Where there are none.
    """
    functions = [*map(question.function, names), *integrals]
    functions += map(question.function, question.problem["leaf"])
    if question.exact:
        found: Any = exact_multipliers(functions)
    else:
        best = Pencil.of(functions).search() if functions else None
        found = None if best is None else [Fraction(float(c)) for c in best[0]]
    if found is None:
        raise checker.Refusal("no combination is critical")
    return {name: str(c) for (name, *_), c in zip(functions, found, strict=True)}
