"""The search for a proof: what it finds is proposed to `geoctrl.decisions`, which alone decides.

Proposals name invariants, multipliers of a definite combination and the structure of integrals over a shape.
Numbers are rational, or have square roots. Where the point or a value is no such number, the same questions
are asked in floats (`numerical`): a report, which no file holds.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from flint import fmpq

from geoctrl import checker, decisions
from geoctrl._calls.long_calls import tell
from geoctrl.analysis.proofs.energy_casimir import exact_multipliers
from geoctrl.analysis.proofs.equilibria_in_boxes import Judged, box_judgement
from geoctrl.analysis.proofs.family_in_balls import family_in_balls
from geoctrl.analysis.proofs.numerical import FloatSizes, float_judgement
from geoctrl.analysis.proofs.point_symmetries import modulo_orbit
from geoctrl.analysis.proofs.theorems import candidates
from geoctrl.analysis.question.problem import Problem
from geoctrl.analysis.question.table import Stored
from geoctrl.checker.numbers import DIGITS
from geoctrl.errors import CertificateError
from geoctrl.systems.contract.scales import largest_cycle
from geoctrl.verification import Verdict

__all__ = ["Outcome", "SoFar", "decide", "is_exact_equilibrium", "proofs"]


_STABLE = (Verdict.PROVED_STABLE, Verdict.PROVED_ASYMPTOTICALLY_STABLE)


class Outcome:
    """What the checker says of a problem: verdict, method and evidence; or what floats say, which is no
    proof.
    """

    def __init__(
        self, problem: Stored, verdict: str, method: str, evidence: dict[str, Any], in_floats: bool = False
    ) -> None:
        self.problem, self.in_floats = problem, in_floats
        self.verdict = Verdict(verdict)
        self.method = method
        self.evidence = evidence

    def itself(self) -> Outcome:
        """The outcome, for a search that is asked for what it has."""
        return self


SoFar = Callable[[Callable[[], Outcome | None]], object]
"""Takes what makes the outcome that there is so far."""


def decide(problem: Problem, modulo: str | None = None, so_far: SoFar = lambda _: None) -> Outcome:
    """By proof where everything is rational at the point and of a size that can be checked, else in floats.

    Modulo "orbit" what is not proved stable is asked of the point's orbit under the symmetries that are
    found.
    """
    outcome: Outcome | None = None
    asked: Problem | None = problem
    so_far(lambda: by_spectrum_in_floats(problem))
    while asked is not None:  # with each root that turns out to be needed
        search = _Search(asked, drift=modulo is None)
        try:
            outcome = search.run()
            if outcome.verdict.proved and not _fits_a_file(outcome.problem.exactly()):
                outcome = None
                break
            if outcome.verdict.proved:
                so_far(outcome.itself)
            if modulo and outcome.verdict not in _STABLE:
                return search.of_orbit() or outcome
            if outcome.verdict.proved or not search.inexact:
                return outcome
        except decisions.NotExact as missing:
            search.radicand = missing.radicand
        except checker.Refusal:  # what no proof can be made of may still be judged in floats
            break
        asked = asked.with_root(search.radicand)
    try:
        rounded = in_floats(problem)
    except checker.Refusal as refusal:
        if outcome is not None:
            return outcome
        raise CertificateError(f"no certificate of this point can be made: {refusal}") from None
    if (found := in_balls(problem, rounded.evidence["conserved"])) is not None:
        return Outcome(*found)
    return rounded if outcome is None or rounded.verdict.value.startswith("NUMERICALLY") else outcome


def proofs(problem: Problem) -> list[Outcome]:
    """All that is proved of a point in exact numbers, by every theorem: `decide` stops at the first.

    Stability and instability among them would be a fault of the checker, which is why they are asked for.
    """
    try:
        return problem.with_needed_roots(lambda asked: list(_Search(asked).everything()))
    except checker.Refusal:
        return []


def in_balls(problem: Problem, conserved: Sequence[str]) -> Judged | None:
    """What is proved where numbers are known up to a radius: at an exact point of a family, or in a box."""
    return family_in_balls(problem) or box_judgement(problem, conserved)


def _fits_a_file(question: decisions.Question) -> bool:
    """Whether a file may hold numbers as long as those of the inverse at the point: it has to hold that."""
    K = question.matrix()
    unit = [[fmpq(i == j) for j in range(len(K))] for i in range(len(K))]
    inverse = question.numbers.solve(K, unit) if K else []
    numbers = (re.findall("[0-9]+", str(c)) for row in inverse for c in row)
    return max((len(number) for found in numbers for number in found), default=0) <= DIGITS


def is_exact_equilibrium(problem: Problem) -> bool:
    """Whether the checker finds field and leaf relations to vanish exactly at the point."""
    try:
        problem.with_needed_roots(
            lambda asked: decisions.Question(
                asked.question().read, exact=True, along=decisions.standing
            ).require_equilibrium()
        )
    except checker.Refusal:
        return False
    return True


class _Search:
    def __init__(self, problem: Problem, drift: bool = True) -> None:
        self._problem, self._drift = problem, drift
        self.inexact = False  # whether an invariant has no exact derivatives at the point
        self.radicand: Any = None  # of a root that would make them exact

    def run(self) -> Outcome:
        tell("spectrum and energy")
        stored = self._problem.question()
        names = self._conserved_names(stored.exactly())
        if len(names) < len(self._problem.invariants) and self._problem.motion.consequences():
            tell("consequences of what is conserved")
            stored = self._problem.question(further=True)
        outcome = self._attempt(stored, shape=False)
        if outcome.verdict.proved:
            return outcome
        if proved := self._by_theorem(outcome):
            return proved
        shape = None if any(self._problem.input_point) else self._problem.motion.shape()
        if shape is None:
            return outcome
        try:
            further = self._attempt(self._problem.question(shape), shape=True)
        except checker.Refusal:  # a shape that cannot move at the point offers nothing
            return outcome
        return further if further.verdict is not Verdict.UNDECIDED else outcome

    def of_orbit(self) -> Outcome | None:
        """What is proved of the orbit of the point; None where no symmetry moves it."""
        stored = self._problem.question()
        conserved = self._conserved_names(stored.exactly())
        found = modulo_orbit(stored, conserved)
        if found is None:
            return None
        problem, proposal = found
        try:
            return Outcome(problem, *decisions.judge(problem.exactly(), proposal))
        except checker.Refusal:
            proposal.pop("orbit_multipliers", None)
            return Outcome(problem, *decisions.judge(problem.exactly(), proposal))

    def everything(self) -> Iterator[Outcome]:
        """What spectrum and energy-Casimir prove, and each theorem whether these do or not."""
        outcome = self._attempt(self._problem.question(), shape=False)
        if outcome.verdict.proved:
            yield outcome
        yield from self._theorems(outcome)

    def _by_theorem(self, left_open: Outcome) -> Outcome | None:
        """The first proof that a theorem beyond these gives."""
        return next(self._theorems(left_open), None)

    def _theorems(self, left_open: Outcome) -> Iterator[Outcome]:
        """Proofs that theorems beyond these give."""
        tell("further theorems", left_open.verdict.value)
        found = candidates(self._problem, left_open.problem, left_open.evidence, self._drift)
        for problem, proposal in found:
            try:
                question = problem.exactly()
                yield Outcome(problem, *decisions.judge(question, proposal))
            except checker.Refusal:
                continue

    def _attempt(self, problem: Stored, shape: bool) -> Outcome:
        question = problem.exactly()
        proposal: dict[str, Any] = {"conserved": self._conserved_names(question)}
        if shape:
            proposal["shape_integrals"] = True
        # Looked for only where the spectrum does not decide.
        multipliers = {"multipliers": lambda: self._multipliers(question, proposal)}
        return Outcome(problem, *decisions.judge(question, proposal | multipliers))

    def _conserved_names(self, question: decisions.Question) -> list[str]:
        """Candidates that the checker can prove to be conserved."""
        found = []
        for name in self._problem.invariants:
            try:
                if question.conserved(name):
                    question.function(name)
                    found.append(name)
            except decisions.NotExact as missing:
                self.inexact, self.radicand = True, missing.radicand
            except checker.Refusal:  # no derivative at the point, or too large to be proved
                continue
        return found

    def _multipliers(self, question: decisions.Question, proposal: dict[str, Any]) -> dict[str, str] | None:
        shape = decisions.shape_integrals(question) if proposal.get("shape_integrals") else []
        functions = [*map(question.function, proposal["conserved"]), *shape]
        functions += map(question.function, question.problem["leaf"])
        names = [name for name, *_ in functions]
        found = exact_multipliers(functions)
        return None if found is None else {k: str(c) for k, c in zip(names, found, strict=True)}


# -- in floats ----------------------------------------------------------------------------------------------


def in_floats(problem: Problem) -> Outcome:
    """The report of a point where nothing is exact: what is conserved is proved, nothing else is."""
    stored, question = problem.question(), problem.question_in_doubles
    conserved = _conserved_names(question, problem)
    if len(conserved) < len(problem.invariants) and problem.motion.consequences():
        stored = problem.question(further=True)
        question = decisions.Question(stored.read, exact=False)
        conserved = _conserved_names(question, problem)
    question.require_kept(conserved)
    outcome = _float_outcome(problem, stored, question, conserved, [])
    if outcome.verdict.value.startswith("NUMERICALLY"):
        return outcome
    shape = None if any(problem.input_point) else problem.motion.shape()
    if shape is None:
        return outcome
    try:
        stored = problem.question(shape)
        question = decisions.Question(stored.read, exact=False)
        integrals = decisions.shape_integrals(question)
        further = _float_outcome(problem, stored, question, _conserved_names(question, problem), integrals)
    except checker.Refusal:  # a shape that cannot move at the point offers nothing
        return outcome
    return further if further.verdict is not Verdict.UNDECIDED else outcome


def by_spectrum_in_floats(problem: Problem) -> Outcome | None:
    """The report where the spectrum alone tells stable from unstable: it takes a moment; else None."""
    try:
        outcome = _float_outcome(problem, problem.question(), problem.question_in_doubles, [], [])
    except checker.Refusal:
        return None
    return outcome if outcome.verdict.value.startswith("NUMERICALLY") else None


def _conserved_names(question: decisions.Question, problem: Problem) -> list[str]:
    """Candidates that are proved to be conserved, and have derivatives at the point."""
    found = []
    for name in problem.invariants:
        try:
            if question.conserved(name):
                question.function(name)
                found.append(name)
        except checker.Refusal:
            continue
    return found


def _float_outcome(
    problem: Problem, stored: Stored, question: decisions.Question, names: list[str], integrals: list[Any]
) -> Outcome:
    A = np.array([[float(c) for c in row] for row in question.linearisation])
    relations = [question.function(name) for name in problem.motion.leaf]
    conserved = [*map(question.function, names), *integrals]
    found = float_judgement(A, relations, conserved, sizes_of(problem, A))
    evidence = found.evidence | {"conserved": names, "shape_integrals": [name for name, *_ in integrals]}
    return Outcome(stored, found.verdict, found.method, evidence, in_floats=True)


def sizes_of(problem: Problem, A: np.ndarray) -> FloatSizes:
    """Those of a system; of equations without one, ones, and the rate of their cycles."""
    if problem.scales is None:
        return FloatSizes(np.ones(len(A)), largest_cycle(np.abs(A)))
    scales = problem.scales()
    return FloatSizes(scales.unit, scales.rate)
