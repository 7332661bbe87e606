"""What theorems beyond spectrum and energy-Casimir need, looked for in the order of their costs.

Each search yields problems of the checker with the functions that a theorem asks for, and proposals; the
checker alone decides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from geoctrl import checker
from geoctrl.analysis.critical.growing_functions import growing_functions
from geoctrl.analysis.critical.hills import hills
from geoctrl.analysis.proofs.declared_families import declared_families
from geoctrl.analysis.proofs.drift import drifts
from geoctrl.analysis.proofs.equilibrium_family import family_through, flat_family
from geoctrl.analysis.proofs.falling_function import falling_functions
from geoctrl.analysis.question.generators import NotSolved, independent_invariants
from geoctrl.analysis.question.problem import Problem
from geoctrl.analysis.question.table import Stored
from geoctrl.decisions.arithmetic.eliminations import locate, nullspace
from geoctrl.decisions.theorems.lowest_order import lowest_form

__all__ = ["candidates"]

ORDERS = (4, 6, 8, 12, 16)
"""Powers up to which series are looked at, one after the other."""

Candidate = tuple[Stored, dict[str, Any]]


def candidates(
    problem: Problem, stored: Stored, evidence: dict[str, Any], drift: bool
) -> Iterator[Candidate]:
    """Problems with what a theorem needs, and proposals for them.

    Parameters
    ----------
    stored : Stored
        The problem that spectrum and energy-Casimir left open.
    evidence : dict
        Of that attempt.
    drift : bool
        Whether motions that leave the point make it unstable: not where its orbit is asked for.
    """
    falling: list[Candidate] = []
    searches: list[Callable[[], Iterator[Candidate]]] = [
        lambda: _families(problem, stored, evidence),
        lambda: _falling(problem, evidence, falling),
        lambda: _degenerate(stored, evidence),
        lambda: _critical_case(stored, evidence),
        lambda: _focus(stored, evidence),
        # Behind these, which may show more: that near motions tend to the point.
        lambda: _falling_to_a_degenerate_minimum(falling),
    ]
    growing = [
        lambda: _drifts(stored),
        lambda: growing_functions(stored, evidence["conserved"]),
        lambda: _hills(problem, stored, evidence),
    ]
    searches += growing if drift else []
    for search in searches:
        try:
            yield from search()
        except (checker.Refusal, NotSolved):  # what is looked for cannot be written, or is too large
            continue


def _families(problem: Problem, stored: Stored, evidence: dict[str, Any]) -> Iterator[Candidate]:
    """Where all roots but zero lie to the left of the axis."""
    if not (zeros := _zero_roots(stored, evidence)):
        return
    question = stored.exactly()
    kernel = nullspace([*question.linearisation, *question.leaf[0]], len(question.labels))
    searches = [lambda: family_through(stored, question, zeros)]
    if len(kernel) == zeros:
        searches.insert(0, lambda: flat_family(stored, question, kernel))
    for search in searches:
        try:
            yield search(), {"conserved": []}
        except (checker.Refusal, NotSolved):
            continue
    for declared in declared_families(problem, stored, question, zeros):
        yield declared, {"conserved": []}


def _falling(problem: Problem, evidence: dict[str, Any], falling: list[Candidate]) -> Iterator[Candidate]:
    """Where a function that is not conserved may fall; each is added to those that do."""
    if problem.others:
        stored = problem.question(others=True)
        for candidate in falling_functions(stored, evidence["conserved"], list(problem.others)):
            falling.append(candidate)
            yield candidate


def _falling_to_a_degenerate_minimum(falling: list[Candidate]) -> Iterator[Candidate]:
    """Functions that fall, and have no definite second variation."""
    for stored, proposal in falling:
        place, multipliers = stored.read["falling"]["function"], dict(proposal["falling_multipliers"])
        name = next(k for k, p in stored.read["invariants"].items() if p == place)
        conserved, _ = proposal["conserved"], multipliers.pop(next(iter(multipliers)))
        sense = str(stored.read["falling"]["sense"])
        asked = {"conserved": conserved, "held": conserved, "falls": [name]}
        asked |= {"multipliers": {name: sense, **multipliers}}
        try:
            power = lowest_form(stored.with_parts(degenerate=ORDERS[-1]).exactly(), asked)["lowest_power"]
        except checker.Refusal:
            continue
        if power:
            yield stored.with_parts(degenerate=next(order for order in ORDERS if power <= order)), asked


def _hills(problem: Problem, stored: Stored, evidence: dict[str, Any]) -> Iterator[Candidate]:
    """Where a potential has no minimum."""
    asked = problem.question(others=True) if problem.others else stored
    yield from hills(asked, evidence["conserved"], list(problem.others))


def _drifts(stored: Stored) -> Iterator[Candidate]:
    for found in drifts(stored):
        yield found, {"conserved": []}


def _degenerate(stored: Stored, evidence: dict[str, Any]) -> Iterator[Candidate]:
    """Where the second variation is semidefinite, with a small kernel."""
    positive, negative, zero = evidence.get("inertia", (1, 1, 0))
    if (positive and negative) or zero not in (1, 2):
        return
    held = independent_invariants(stored.exactly(), evidence["conserved"])
    proposal = {part: evidence[part] for part in ("conserved", "multipliers")} | {"held": held}
    power = lowest_form(stored.with_parts(degenerate=ORDERS[-1]).exactly(), proposal)["lowest_power"]
    if power:
        yield stored.with_parts(degenerate=next(order for order in ORDERS if power <= order)), proposal


def _critical_case(stored: Stored, evidence: dict[str, Any]) -> Iterator[Candidate]:
    """Where one root is zero and all others lie to the left of the axis."""
    if _zero_roots(stored, evidence) == 1:
        for order in ORDERS:
            yield stored.with_parts(critical=order), {"conserved": []}


def _focus(stored: Stored, evidence: dict[str, Any]) -> Iterator[Candidate]:
    """Where two roots are on the axis, and not zero, on the levels of what is conserved."""
    yield stored.with_parts(focus={"levels": evidence["zero_modes"]}), {"conserved": evidence["zero_modes"]}


def _zero_roots(stored: Stored, evidence: dict[str, Any]) -> int:
    """Number of zero roots on the leaf where all others, if there are any, lie to the left of the axis;
    else 0.
    """
    polynomial = [stored.read["roots"].read(c) for c in evidence.get("characteristic_polynomial_on_leaf", [])]
    zeros = next((k for k, c in enumerate(reversed(polynomial)) if c), 0)
    rest = polynomial[: len(polynomial) - zeros]
    return zeros if zeros and (len(rest) == 1 or locate(rest)[1]) else 0
