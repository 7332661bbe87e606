"""Exact checks of a stability problem, and the evidence they leave.

`prove` searches for a proof; `recheck` repeats the one that a certificate names, with the numbers that
it gives, and searches for nothing. Both call the same checks.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any

from geoctrl._scalars import Node
from geoctrl._scalars.ideal import LeafIdeal
from geoctrl._scalars.rational_matrix import characteristic_polynomial, inertia, nullspace, rank
from geoctrl.analysis.energy_casimir import ExactPencil
from geoctrl.analysis.polynomials import RootLocation, locate_roots
from geoctrl.analysis.power import power
from geoctrl.analysis.problem import Problem
from geoctrl.analysis.shape import Jet, find_shape_integrals
from geoctrl.errors import CertificateError

__all__ = ["Outcome", "Verdict", "conserved_exactly", "is_exact_equilibrium", "prove", "recheck"]

Vector = list[Fraction]

ON_LEVELS = "spectrum on the level sets of the invariants"


class Verdict(Enum):
    """What is known about stability; proofs and numerical evidence are never merged."""

    PROVED_STABLE = "PROVED_STABLE"
    PROVED_ASYMPTOTICALLY_STABLE = "PROVED_ASYMPTOTICALLY_STABLE"
    PROVED_UNSTABLE = "PROVED_UNSTABLE"
    NUMERICALLY_STABLE = "NUMERICALLY_STABLE"
    NUMERICALLY_UNSTABLE = "NUMERICALLY_UNSTABLE"
    SPECTRALLY_STABLE_ONLY = "SPECTRALLY_STABLE_ONLY"
    UNDECIDED = "UNDECIDED"

    @property
    def proved(self) -> bool:
        """Whether it rests on exact arithmetic."""
        return self.value.startswith("PROVED")

    def __str__(self) -> str:
        return self.value


class Outcome:
    """A verdict with the method and the evidence (JSON-ready) behind it."""

    def __init__(self, verdict: Verdict, method: str, evidence: dict[str, Any]) -> None:
        self.verdict = verdict
        self.method = method
        self.evidence = evidence


def is_exact_equilibrium(problem: Problem) -> bool:
    """Whether field and leaf relations vanish exactly at the point, and are differentiable there."""
    nodes = [*problem.field, *problem.leaf.values(), *problem.invariants.values()]
    if any(value == 0 for value in problem.at_point(problem.graph.switches(nodes))):
        return False
    return not any(problem.at_point([*problem.field, *problem.leaf.values()]))


def conserved_exactly(problem: Problem, nodes: dict[str, Node]) -> list[str]:
    """Names of the quantities of which the rate is zero modulo the leaf's ideal.

    Tried first for all parameter values, which keeps the numbers small, then for those given.
    """
    numbers = {node: problem.numbers[name] for name, node in problem.parameters.items()}
    relations = tuple(problem.leaf.values())
    proved = []
    for name, node in nodes.items():
        if name == "energy":
            rate = power(tuple(problem.states.values()), tuple(problem.field_with_inputs), relations, node)
        else:
            rate = problem.rate(node)
        if (
            rate.is_zero
            or _vanishes_identically(rate, relations)
            or not LeafIdeal(relations, [rate], numbers).remainder(rate)
        ):
            proved.append(name)
    return proved


@lru_cache(maxsize=32)
def _vanishes_identically(rate: Node, relations: tuple[Node, ...]) -> bool:
    """Whether a rate vanishes on the leaf for all parameters; remembered, as sweeps ask it at every point."""
    return not LeafIdeal(relations, [rate]).remainder(rate)


def quantities(problem: Problem, invariants: Sequence[str], shape: Sequence[Jet] = ()) -> list[Jet]:
    """Jets of invariants, integrals over the shape and leaf relations, in this order."""
    nodes = {k: problem.invariants[k] for k in invariants} | problem.leaf
    gradients = problem.jacobian(list(nodes.values()))
    jets = [
        Jet(name, gradient, partial(problem.hessian, node))
        for (name, node), gradient in zip(nodes.items(), gradients, strict=True)
    ]
    return [*jets[: len(invariants)], *shape, *jets[len(invariants) :]]


def shape_jets(problem: Problem) -> list[Jet]:
    """Integrals linear in velocities that the structure of the equations provides; none where it does not."""
    numbers = {node: problem.numbers[name] for name, node in problem.parameters.items()}
    leaf = list(problem.leaf.values())
    found = find_shape_integrals(problem.graph, problem.states, problem.field_with_inputs, leaf, numbers)
    return [] if found is None else found.jets(problem.at_point, problem.point, Fraction(0))


def spectrum(problem: Problem, jets: Sequence[Jet]) -> tuple[dict[str, Any], RootLocation]:
    """Characteristic polynomial of the linearisation on the leaf, also without the zeros of invariants.

    Gradients of invariants are left null vectors of the linearisation, so that it maps their common
    kernel into itself and every independent one contributes a zero eigenvalue.
    """
    A = problem.jacobian(problem.field)
    n = len(A)
    leaf = [jet.gradient for jet in jets if jet.name in problem.leaf]
    forced: list[str] = []
    rows = list(leaf)
    # The energy last: where it depends on the others at the point, they are what names the zero modes.
    for jet in sorted(jets, key=lambda jet: jet.name == "energy"):
        if jet.name not in problem.leaf and rank([*rows, jet.gradient], n) > rank(rows, n):
            rows.append(jet.gradient)
            forced.append(jet.name)
    on_leaf = _restrict(A, nullspace(leaf, n))
    reduced = _restrict(A, nullspace(rows, n))
    polynomial = characteristic_polynomial(reduced)
    location = locate_roots(polynomial)
    evidence = {
        "characteristic_polynomial_on_leaf": [str(c) for c in characteristic_polynomial(on_leaf)],
        "reduced_polynomial": [str(c) for c in polynomial],
        "zero_modes": forced,
    }
    return evidence, location


def _restrict(A: list[Vector], basis: list[Vector]) -> list[Vector]:
    """Matrix of A on the span of the basis, which it maps into itself.

    Each basis vector of `nullspace` has a one in a coordinate where all others have zeros.
    """
    if not basis:
        return []
    free = [
        next(i for i, c in enumerate(w) if c == 1 and all(v[i] == 0 for v in basis if v is not w))
        for w in basis
    ]
    return [[sum((a * c for a, c in zip(A[i], w, strict=True)), Fraction(0)) for w in basis] for i in free]


def prove(problem: Problem) -> Outcome:
    """Decide stability of an exact equilibrium by exact arithmetic, searching for multipliers.

    Integrals over the shape are looked for only where the declared invariants do not suffice.
    """
    invariants = conserved_exactly(problem, problem.invariants)
    outcome = _attempt(problem, invariants, [])
    if outcome.verdict.proved:
        return outcome
    shape = shape_jets(problem)
    if not shape:
        return outcome
    further = _attempt(problem, invariants, shape)
    return further if further.verdict is not Verdict.UNDECIDED else outcome


def _attempt(problem: Problem, invariants: list[str], shape: list[Jet]) -> Outcome:
    jets = quantities(problem, invariants, shape)
    evidence, location = spectrum(problem, jets)
    evidence = {"conserved": invariants, "shape_integrals": [jet.name for jet in shape], **evidence}
    decided = _by_spectrum(location, evidence)
    if decided is not None:
        return decided
    pencil = ExactPencil.of(jets)
    evidence |= _pencil_evidence(problem, pencil)
    found = pencil.search()
    if found is None:
        evidence["hessian"] = "no multipliers"
    else:
        weights, form, counts = found
        evidence |= _hessian_evidence(pencil, weights, form, counts)
        if _definite(counts):
            return Outcome(Verdict.PROVED_STABLE, "energy-Casimir", evidence)
    return Outcome(_without_proof(location), "energy-Casimir", evidence)


def _by_spectrum(location: RootLocation, evidence: dict[str, Any]) -> Outcome | None:
    if location.unstable:
        return Outcome(Verdict.PROVED_UNSTABLE, "spectrum", evidence)
    if location.hurwitz and not evidence["zero_modes"]:
        return Outcome(Verdict.PROVED_ASYMPTOTICALLY_STABLE, "spectrum", evidence)
    # Level sets of the invariants are manifolds near the point, and on each of them nearby there is one
    # equilibrium close by (implicit function theorem), attracting at a common rate.
    if location.hurwitz and len(evidence["reduced_polynomial"]) > 1:
        return Outcome(Verdict.PROVED_STABLE, ON_LEVELS, evidence)
    return None


def _pencil_evidence(problem: Problem, pencil: ExactPencil) -> dict[str, Any]:
    return {
        "gradient_rank": rank(pencil.gradients, len(problem.states)),
        "functions": pencil.names,
        "dependent_gradients": pencil.dependent,
    }


def _without_proof(location: RootLocation) -> Verdict:
    """All eigenvalues that no invariant forces to zero simple and imaginary: stable to first order."""
    if location.zero == 0 and location.simple:
        return Verdict.SPECTRALLY_STABLE_ONLY
    return Verdict.UNDECIDED


def _definite(counts: tuple[int, int, int]) -> bool:
    positive, negative, zero = counts
    return zero == 0 and (positive == 0 or negative == 0)


def _hessian_evidence(
    pencil: ExactPencil, weights: Vector, form: list[Vector], counts: tuple[int, int, int]
) -> dict[str, Any]:
    positive, negative, _ = counts
    kind = "definite" if _definite(counts) else "indefinite" if positive and negative else "semidefinite"
    return {
        "multipliers": {k: str(c) for k, c in zip(pencil.names, pencil.combined(weights), strict=True)},
        "weights": [str(w) for w in weights],
        "kernel": [[str(c) for c in w] for w in pencil.kernel],
        "restricted_hessian": [[str(c) for c in row] for row in form],
        "inertia": list(counts),
        "hessian": kind,
    }


def recheck(problem: Problem, method: str, evidence: dict[str, Any]) -> Outcome:
    """Repeat the checks of a certificate with the multipliers that it gives.

    Raises
    ------
    CertificateError
        If the point is no exact equilibrium or an invariant that is used is not conserved.
    """
    if not is_exact_equilibrium(problem):
        raise CertificateError("the point is not an exact equilibrium on the leaf")
    claimed = [str(k) for k in evidence.get("conserved", [])]
    unknown = [k for k in claimed if k not in problem.invariants]
    if unknown:
        raise CertificateError(f"unknown invariants {unknown}")
    proved = conserved_exactly(problem, {k: problem.invariants[k] for k in claimed})
    if proved != claimed:
        raise CertificateError(f"not conserved: {sorted(set(claimed) - set(proved))}")
    shape = shape_jets(problem) if evidence.get("shape_integrals") else []
    jets = quantities(problem, claimed, shape)
    found, location = spectrum(problem, jets)
    found = {"conserved": claimed, "shape_integrals": [jet.name for jet in shape], **found}
    if method in ("spectrum", ON_LEVELS):
        decided = _by_spectrum(location, found)
        if decided is None or decided.method != method:
            raise CertificateError(f"the {method} decides nothing here")
        return decided
    pencil = ExactPencil.of(jets)
    found |= _pencil_evidence(problem, pencil)
    if "weights" not in evidence:
        found["hessian"] = "no multipliers"
        if pencil.multipliers:
            raise CertificateError("there are multipliers, but the certificate gives none")
        return Outcome(_without_proof(location), method, found)
    weights = [Fraction(w) for w in evidence["weights"]]
    if len(weights) != len(pencil.multipliers):
        raise CertificateError(f"{len(pencil.multipliers)} multiplier weights are needed, got {len(weights)}")
    form = pencil.form(weights)
    counts = inertia(form)
    found |= _hessian_evidence(pencil, weights, form, counts)
    if location.unstable:
        raise CertificateError("the linearisation is unstable")
    verdict = Verdict.PROVED_STABLE if _definite(counts) else _without_proof(location)
    return Outcome(verdict, method, found)
