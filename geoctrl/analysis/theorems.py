"""What theorems beyond spectrum and energy-Casimir need, looked for in the order of their costs.

Each search yields problems of the checker with the functions that a theorem asks for, and proposals; the
checker alone decides.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from flint import fmpq

from geoctrl import checker
from geoctrl.analysis.drifting import drifts
from geoctrl.analysis.falling import falling_functions
from geoctrl.analysis.family import family_through
from geoctrl.analysis.motion import Stored
from geoctrl.analysis.problem import Problem
from geoctrl.checker.matrices import locate

__all__ = ["candidates"]

Candidate = tuple[Stored, dict[str, Any]]


def candidates(
    problem: Problem, stored: Stored, evidence: dict[str, Any], drift: bool
) -> Iterator[Candidate]:
    """Problems with what a theorem needs, and proposals for them.

    Parameters
    ----------
    problem : Problem
    stored : Stored
        The problem that spectrum and energy-Casimir left open.
    evidence : dict
        Of that attempt.
    drift : bool
        Whether motions that drift away make the point unstable: not where its orbit is asked for.
    """
    yield from _families(stored, evidence)
    yield from falling_functions(problem.question(others=True), evidence["conserved"], list(problem.others))
    for found in drifts(stored) if drift else ():
        yield found, {"conserved": []}


def _families(stored: Stored, evidence: dict[str, Any]) -> Iterator[Candidate]:
    """Where all roots but zero lie to the left of the axis."""
    polynomial = [fmpq(c) for c in evidence.get("characteristic_polynomial_on_leaf", [])]
    zeros = next((k for k, c in enumerate(reversed(polynomial)) if c), 0)
    if not zeros or len(polynomial) - zeros < 2 or not locate(polynomial[: len(polynomial) - zeros])[1]:
        return
    for found in family_through(stored, checker.Question(stored.read, exact=True), zeros):
        yield found, {"conserved": []}
