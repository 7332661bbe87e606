"""What follows from a question's equations and a proposal: verdict, method and findings.

A proposal names invariants and multipliers; nothing of it is believed. Roots of the characteristic
polynomial on the leaf decide instability and attraction. A combination of conserved functions that is
critical, with a second variation definite where all their gradients vanish, decides stability: with squares
of those functions added it has a strict minimum (Finsler), and it is conserved.
"""

from __future__ import annotations

from typing import Any

from flint import fmpq

from geoctrl.decisions.arithmetic.eliminations import (
    Rows,
    Span,
    characteristic,
    combination,
    combined_hessian,
    form,
    inertia,
    locate,
    nullspace,
    product,
    restricted,
)
from geoctrl.decisions.questions.exact_question import Question
from geoctrl.decisions.questions.shape_structure import shape_integrals
from geoctrl.decisions.reading.problem_reader import Refusal
from geoctrl.decisions.theorems import THEOREMS
from geoctrl.decisions.theorems.friction_decision import destabilised_by_friction

_NOWHERE = fmpq(0)


def judge(q: Question, proposal: dict[str, Any]) -> tuple[str, str, dict[str, Any]]:
    """Verdict, method and findings for a question q of the kind "equations"."""
    names = proposal.get("conserved", [])
    q.require_kept(names)
    q.require_equilibrium()
    shape = shape_integrals(q) if proposal.get("shape_integrals") else []
    functions = [*map(q.function, names), *shape]
    tangent, regular = q.leaf
    span, forced, dependent = Span(tangent), [], []
    # The energy last: where it depends on the others at the point, they are what names the zero modes.
    for name, gradient, _ in sorted(functions, key=lambda f: f[0] == "energy"):
        if span.take(gradient):
            forced.append(name)
        elif name != "energy":
            dependent.append(name)
    findings: dict[str, Any] = {"conserved": names, "shape_integrals": [name for name, *_ in shape]}
    findings |= {"zero_modes": forced, "dependent_gradients": dependent}
    if q.exact and len(tangent) == len(q.labels):
        # Near the point the leaf is the point alone: nothing leaves it, and there is nothing to attract.
        return "PROVED_STABLE", "spectrum", findings
    simple = False
    if regular:
        # Gradients of invariants are left null vectors on the leaf: each independent one forces a zero root.
        decided, simple = _by_roots(q.linearisation, tangent, span.rows, findings)
        # A motion that leaves the point may stay near its orbit.
        if decided and not ("symmetries" in q.problem and decided[0] == "PROVED_UNSTABLE"):
            return (*decided, findings)
    for part, theorem in THEOREMS.items():
        if part in q.problem:
            return (*theorem(q, proposal, findings), findings)
    functions += map(q.function, q.problem["leaf"])
    definite = _critical(
        q, functions, nullspace(span.rows, len(q.labels)), findings, proposal.get("multipliers")
    )
    if definite:
        return "PROVED_STABLE", "energy-Casimir", findings
    if simple and "energy" in names and (growing := destabilised_by_friction(q)):
        findings["dissipation_induced"] = growing
    return "SPECTRALLY_STABLE_ONLY" if simple else "UNDECIDED", "energy-Casimir", findings


def _by_roots(
    A: Rows, tangent: Rows, rows: Rows, findings: dict[str, Any]
) -> tuple[tuple[str, str] | None, bool]:
    """A verdict by exact roots; and whether those that no invariant forces to zero are simple and
    imaginary.

    From the linearisation and the gradients of the leaf, and those with independent ones of invariants.
    """
    n = len(A)
    on_levels = nullspace(rows, n)
    polynomial = characteristic(reduced := restricted(A, on_levels))
    if len(rows) == len(tangent):
        on_leaf = polynomial
    elif _all_zero(product(product(rows, A), _columns(whole := nullspace(tangent, n)))):
        # It takes the leaf's tangents to those of the levels: all roots that are left are zeros.
        on_leaf = [*polynomial, *[_NOWHERE] * (len(rows) - len(tangent))]
    else:
        on_leaf = characteristic(restricted(A, whole))
    findings["characteristic_polynomial_on_leaf"] = [str(c) for c in on_leaf]
    findings["reduced_polynomial"] = [str(c) for c in polynomial]
    right, left, simple = locate(polynomial)
    if right:
        return ("PROVED_UNSTABLE", "spectrum"), False
    if left and not findings["zero_modes"]:
        return ("PROVED_ASYMPTOTICALLY_STABLE", "spectrum"), False
    # On each level set of the independent invariants near by there is one equilibrium, by the implicit
    # function theorem, and it attracts at a common rate.
    there = "PROVED_STABLE", "spectrum on the level sets of the invariants"
    return (there if left and reduced else None), simple


def _columns(rows: Rows) -> Rows:
    return [list(column) for column in zip(*rows, strict=True)]


def _all_zero(rows: Rows) -> bool:
    return not any(q for row in rows for q in row)


def _critical(
    q: Question, functions: list[tuple], W: Rows, findings: dict[str, Any], multipliers: dict[str, str] | None
) -> bool:
    """Whether sum y F is critical and its Hessian definite on the common kernel W of the gradients."""
    multipliers = multipliers() if callable(multipliers) else multipliers
    if multipliers is None:
        findings["hessian"] = "no multipliers"
        return False
    if list(multipliers) != [name for name, *_ in functions]:
        raise Refusal("one multiplier is needed for each function, in order", "evidence.multipliers")
    y = [q.problem["roots"].read(v) for v in multipliers.values()]
    if any(combination(y, [g for _, g, _ in functions], len(q.labels))):
        raise Refusal("the combination is not critical at the point", "evidence.multipliers")
    terms = [(c, second) for c, (*_, second) in zip(y, functions, strict=True)]
    H = combined_hessian(terms, len(q.labels))
    R = form(H, W)
    positive, negative, zero = inertia(R)
    definite = len(R) in (positive, negative)
    findings |= {
        "multipliers": multipliers,
        "inertia": [positive, negative, zero],
        "hessian": "definite" if definite else "indefinite" if positive and negative else "semidefinite",
        "kernel": [[str(c) for c in w] for w in W],
        "restricted_hessian": [[str(c) for c in row] for row in R],
    }
    return definite
