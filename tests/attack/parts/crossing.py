"""Every theorem asked of one point: stability and instability proved at once is a fault of the checker."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from geoctrl.analysis.certificates.questions import KINDS
from geoctrl.analysis.proofs.proof import proofs
from geoctrl.analysis.question.problem import Problem
from geoctrl.systems.contract.points import resolve_equilibrium


def at_odds(problem: Problem) -> str:
    """The two methods that prove opposite things, in words; nothing where there are none."""
    by_verdict: dict[bool, str] = {}
    for found in proofs(problem):
        by_verdict[found.verdict.value == "PROVED_UNSTABLE"] = found.method
    if len(by_verdict) < 2:
        return ""
    return f"proved stable ({by_verdict[False]}) and proved unstable ({by_verdict[True]})"


def point_at_odds(system: Any, place: Any, params: Mapping[str, Any]) -> str:
    """The same for an equilibrium of a system whose equations are recorded or follow from a Lagrangian."""
    point = resolve_equilibrium(system, place, params)
    problem = KINDS["equations"].of(system.seen_from(point.spin), point)
    return at_odds(problem) if isinstance(problem, Problem) else ""
