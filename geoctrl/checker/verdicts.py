"""What follows from a question's equations and a proposal: verdict, method and findings.

A proposal names invariants and multipliers; nothing of it is believed. Roots of the characteristic
polynomial on the leaf decide instability and attraction. A combination of conserved functions that is
critical, with a second variation definite where all their gradients vanish, decides stability: with squares
of those functions added it has a strict minimum (Finsler), and it is conserved.
"""

from __future__ import annotations

from typing import Any

from flint import fmpq

from geoctrl.checker.jets import to_float
from geoctrl.checker.matrices import (
    Rows,
    characteristic,
    form,
    independent,
    inertia,
    locate,
    nullspace,
    restricted,
    rounded,
    shifted,
)
from geoctrl.checker.question import STATES, Question
from geoctrl.checker.reading import Refusal
from geoctrl.checker.shape import shape_integrals
from geoctrl.checker.theorems import THEOREMS
from geoctrl.checker.theorems.friction import destabilised_by_friction
from geoctrl.checker.tolerances import CRITICAL, DEFINITE, GROWTH

_NOWHERE = fmpq(0)


def judge(q: Question, proposal: dict[str, Any]) -> tuple[str, str, dict[str, Any]]:
    """Verdict, method and findings for a question q of the kind "equations".

    Raises
    ------
    Refusal
        If the point is no equilibrium, something used is not proved to be conserved, or multipliers do not
        fit.
    """
    names = proposal.get("conserved", [])
    q.require_kept(names)
    q.require_equilibrium()
    shape = shape_integrals(q) if proposal.get("shape_integrals") else []
    functions = [*map(q.function, names), *shape]
    tangent, regular = q.leaf
    rows, forced, dependent = list(tangent), [], []
    # The energy last: where it depends on the others at the point, they are what names the zero modes.
    for name, gradient, _ in sorted(functions, key=lambda f: f[0] == "energy"):
        if independent(rows, gradient, q.exact):
            rows.append(gradient)
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
        whole, reduced = (
            restricted(q.linearisation, nullspace(r, len(q.labels)), q.exact) for r in (tangent, rows)
        )
        decided, simple = (_by_roots if q.exact else _by_rounded_roots)(whole, reduced, findings)
        # A motion that leaves the point may stay near its orbit.
        if decided and not ("symmetries" in q.problem and decided[0] == "PROVED_UNSTABLE"):
            return (*decided, findings)
    for part, theorem in THEOREMS.items():
        if part in q.problem:
            if not q.exact:
                raise Refusal("a theorem needs exact numbers", f"problem.{part}")
            return (*theorem(q, proposal, findings), findings)
    functions += map(q.function, q.problem["leaf"])
    definite = _critical(q, functions, nullspace(rows, len(q.labels)), findings, proposal.get("multipliers"))
    stable, where = ("PROVED_STABLE", "") if q.exact else ("NUMERICALLY_STABLE", " in floats")
    without = "SPECTRALLY_STABLE_ONLY" if simple else "UNDECIDED"
    if simple and not definite and q.exact and "energy" in names:
        if growing := destabilised_by_friction(q):
            findings["dissipation_induced"] = growing
    return stable if definite else without, f"energy-Casimir{where}", findings


def _by_roots(whole: Rows, reduced: Rows, findings: dict[str, Any]) -> tuple[tuple[str, str] | None, bool]:
    """A verdict by exact roots; and whether those that no invariant forces to zero are simple and
    imaginary.
    """
    polynomial = characteristic(reduced)
    on_leaf = polynomial if len(whole) == len(reduced) else characteristic(whole)
    findings["characteristic_polynomial_on_leaf"] = [str(c) for c in on_leaf]
    findings["reduced_polynomial"] = [str(c) for c in polynomial]
    right, left, simple = locate(polynomial)
    if right:
        return ("PROVED_UNSTABLE", "spectrum"), False
    if left and not findings["zero_modes"]:
        return ("PROVED_ASYMPTOTICALLY_STABLE", "spectrum"), False
    # On each level set of the independent invariants near by there is one equilibrium, by the implicit
    # function theorem, and it attracts at a common rate.
    on_levels = "PROVED_STABLE", "spectrum on the level sets of the invariants"
    return (on_levels if left and reduced else None), simple


def _by_rounded_roots(
    whole: Rows, reduced: Rows, findings: dict[str, Any]
) -> tuple[tuple[str, str] | None, bool]:
    """The same in floats, with the tolerance that the claim states."""
    growth = GROWTH * max([fmpq(1), *(sum(map(abs, row), _NOWHERE) for row in whole)])
    polynomial = characteristic(rounded(reduced))
    findings["growth"] = to_float(growth)
    findings["rounded_polynomial"] = [to_float(c) for c in polynomial]
    if locate(shifted(polynomial, growth))[0]:
        return ("NUMERICALLY_UNSTABLE", "spectrum in floats"), False
    if reduced and locate(shifted(polynomial, -growth))[1]:
        return ("NUMERICALLY_STABLE", "spectrum in floats"), False
    # Rouche: where this holds there is no root near zero.
    last, *others = reversed(polynomial)
    return None, abs(last) > sum((abs(c) * growth**k for k, c in enumerate(others, 1)), _NOWHERE)


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
    y, n = [q.problem["roots"].read(v) for v in multipliers.values()], range(len(q.labels))
    terms = [[c * g[i] for c, (_, g, _) in zip(y, functions, strict=True)] for i in n]
    allowed = _NOWHERE if q.exact else CRITICAL * max(abs(t) for row in terms for t in row)
    if any(abs(sum(row, _NOWHERE)) > allowed for row in terms):
        raise Refusal("the combination is not critical at the point", "evidence.multipliers")
    H = [[_NOWHERE for _ in n] for _ in n]
    for c, (_, _, second) in zip(y, functions, strict=True):
        for i, j in {(i, j) for pair in second for i, j in (pair, pair[::-1])}:
            H[i][j] += c * second[min(i, j), max(i, j)]
    R = form(H, W)
    positive, negative = _signs(R, q.exact)
    definite = len(R) in (positive, negative)
    findings |= {
        "multipliers": multipliers,
        "inertia": [positive, negative, len(R) - positive - negative],
        "hessian": "definite" if definite else "indefinite" if positive and negative else "semidefinite",
    }
    if q.exact:
        findings["kernel"] = [[str(c) for c in w] for w in W]
        findings["restricted_hessian"] = [[str(c) for c in row] for row in R]
    return definite


def _signs(R: Rows, exact: bool) -> tuple[int, int]:
    """Numbers of positive and of negative eigenvalues; if not exact, of those away from zero."""
    margin = _NOWHERE if exact else DEFINITE * max([_NOWHERE, *(abs(c) for row in R for c in row)])
    low, high = (
        [[c - s * (i == j) for j, c in enumerate(row)] for i, row in enumerate(R)] for s in (margin, -margin)
    )
    return inertia(low)[0], inertia(high)[1]


def judge_matrices(problem: dict[str, Any]) -> tuple[str, str, dict[str, Any]]:
    """The same for a linearisation and a stiffness in numbers, of a system that functions define: no
    proof.
    """
    A, K = (
        [[fmpq(*v.as_integer_ratio()) for v in row] for row in problem.get(part, [])]
        for part in ("linearisation", "stiffness")
    )
    if any(len(row) != len(rows) or len(rows) > STATES for rows in (A, K) for row in rows):
        raise Refusal(f"a matrix is not square, or has more than {STATES} rows", "problem")
    findings: dict[str, Any] = {}
    decided, simple = _by_rounded_roots(A, A, findings)
    if K and (decided is None or decided[0] != "NUMERICALLY_UNSTABLE") and _signs(K, False)[0] == len(K):
        return "NUMERICALLY_STABLE", "second variation in floats", findings | {"hessian": "definite"}
    undecided = "SPECTRALLY_STABLE_ONLY" if simple else "UNDECIDED", "spectrum in floats"
    return (*(decided or undecided), findings)
