"""What is said of an outcome: the claim, in the checker's words where it is proved, and why it is open."""

from __future__ import annotations

from geoctrl import decisions
from geoctrl.analysis.proofs.numerical import claim_in_floats
from geoctrl.analysis.proofs.proof import Outcome
from geoctrl.checker.words.claims import about_point, claim
from geoctrl.checker.words.texts import listed
from geoctrl.decisions.questions.problem_in_words import problem_in_words
from geoctrl.decisions.theorems.held_decision import METHOD as HELD
from geoctrl.verification import Verdict

__all__ = ["claim_of", "reason_of"]

OPEN = {
    "SPECTRALLY_STABLE_ONLY": "has no eigenvalue with a positive real part; nonlinear stability is open",
    "UNDECIDED": "is undecided by the spectrum and by the energy-Casimir test",
}
OPEN_BY = {
    "energy-Casimir modulo a group": (
        "has an orbit under a group of isometries, which moves {orbit}, whose stability is undecided by the "
        "spectrum and by the energy-Casimir test"
    ),
    HELD: "is undecided as a fixed point of this loop by the multipliers of one hold",
}
"""What is said where nothing is proved, by the verdict or by the method."""


def claim_of(name: str, outcome: Outcome) -> str:
    """The claim of a proof, or what is reported of a point."""
    problem, verdict, evidence = (
        problem_in_words(outcome.problem.read),
        outcome.verdict.value,
        outcome.evidence,
    )
    if outcome.in_floats:
        functions = problem.get("functions")
        given = f"with {functions} given by functions, taken to be free of the time as sampled"
        return about_point(name, problem, claim_in_floats(verdict, evidence), given if functions else "")
    if outcome.verdict.proved:
        return claim(name, problem, verdict, outcome.method, evidence)
    orbit = listed(evidence.get("orbit_directions", ()))
    return about_point(name, problem, OPEN_BY.get(outcome.method, OPEN[verdict]).format(orbit=orbit))


def reason_of(outcome: Outcome, hint: str) -> str:
    """Why a point is left open, and where else it might be asked."""
    evidence = outcome.evidence
    parts = []
    states = len(outcome.problem.data["states"])
    if outcome.in_floats and states > decisions.STATES:
        parts.append(f"a proof is of {decisions.STATES} states at most, and these are {states}")
    if outcome.verdict in (Verdict.UNDECIDED, Verdict.SPECTRALLY_STABLE_ONLY):
        kind = evidence.get("hessian")
        if kind == "no multipliers":
            parts.append("no combination of the invariants is critical at the point (no multipliers)")
        elif kind:
            parts.append(f"the restricted Hessian is {kind}")
        if outcome.method == HELD:
            parts.append("multipliers on the unit circle are not explained, or not proved off it")
        if hint:
            parts.append(hint.removeprefix("; "))
    if growing := evidence.get("dissipation_induced"):
        parts.append(
            f"any friction that opposes all velocities makes it unstable ({growing} negative directions)"
        )
    if evidence.get("dependent_gradients"):
        parts.append(f"dependent gradients: {', '.join(evidence['dependent_gradients'])}")
    return "; ".join(parts)
