"""What follows from a question's equations and a proposal: verdict, method and findings.

A proposal names invariants, multipliers and, where numbers are rounded, eigenvalues. Nothing of it is
believed. Roots of the characteristic polynomial on the leaf decide instability and attraction; a
combination of conserved functions that is critical, with a second variation definite where all their
gradients vanish, decides stability: with squares of those functions added it has a strict minimum
(Finsler), and it is conserved.
"""

from __future__ import annotations

from typing import Any

from flint import fmpq

from geoctrl.checker.jets import to_float
from geoctrl.checker.matrices import (
    characteristic,
    form,
    independent,
    inertia,
    locate,
    nullspace,
    restricted,
    shifted,
)
from geoctrl.checker.question import STATES, Question, Rows
from geoctrl.checker.reading import Refusal
from geoctrl.checker.shape import shape_integrals

ON_LEVELS = "spectrum on the level sets of the invariants"
CASIMIR = "energy-Casimir"
GROWTH = fmpq(1, 10**6)
"""Real part, relative to the size of the linearisation, that counts as growth or decay where numbers are
rounded."""
_DEFINITE, _CRITICAL = fmpq(1, 10**8), fmpq(1, 10**6)

Judgement = tuple[str, str, dict[str, Any]]


def judge(question: Question, proposal: dict[str, Any]) -> Judgement:
    """Verdict, method and findings for a question of the kind "equations".

    Raises
    ------
    Refusal
        If the point is no equilibrium, something used is not proved to be conserved, or multipliers do not
        fit.
    """
    q = question
    names = proposal.get("conserved", [])
    q.require_kept(names)
    q.require_equilibrium()
    shape = shape_integrals(q) if proposal.get("shape_integrals") else []
    functions = [*map(q.function, names), *shape]
    findings: dict[str, Any] = {"conserved": names, "shape_integrals": [name for name, *_ in shape]}
    if not q.exact and "eigenvalues" in proposal:
        findings["eigenvalues"] = proposal["eigenvalues"]
    simple = False
    if q.leaf is not None:
        forced, rows = [], list(q.leaf)
        # The energy last: where it depends on the others at the point, they are what names the zero modes.
        for name, gradient, _ in sorted(functions, key=lambda f: f[0] == "energy"):
            if independent(rows, gradient, q.exact):
                rows.append(gradient)
                forced.append(name)
        findings["zero_modes"] = forced
        # Gradients of invariants are left null vectors on the leaf: each independent one forces a root at
        # zero.
        whole = on_leaf(q)
        reduced = restricted(q.linearisation, nullspace(rows, len(q.labels)), q.exact)
        decided, simple = (_by_roots if q.exact else _by_rounded_roots)(whole, reduced, findings)
        if decided:
            return (*decided, findings)
    functions += map(q.function, q.problem["leaf"])
    definite = _critical(q, functions, findings, proposal.get("multipliers"))
    stable, method = ("PROVED_STABLE", CASIMIR) if q.exact else ("NUMERICALLY_STABLE", f"{CASIMIR} in floats")
    return stable if definite else "SPECTRALLY_STABLE_ONLY" if simple else "UNDECIDED", method, findings


def on_leaf(question: Question) -> Rows:
    """The linearisation on the tangent space of the leaf, where it is regular."""
    basis = nullspace(question.leaf or [], len(question.labels))
    return restricted(question.linearisation, basis, question.exact)


def _by_roots(whole: Rows, reduced: Rows, findings: dict[str, Any]) -> tuple[tuple[str, str] | None, bool]:
    """A verdict by exact roots; or whether those that no invariant forces to zero are simple and
    imaginary.
    """
    findings["characteristic_polynomial_on_leaf"] = [str(c) for c in characteristic(whole)]
    findings["reduced_polynomial"] = [str(c) for c in characteristic(reduced)]
    right, left, simple = locate(characteristic(reduced))
    if right:
        return ("PROVED_UNSTABLE", "spectrum"), False
    if left and not findings["zero_modes"]:
        return ("PROVED_ASYMPTOTICALLY_STABLE", "spectrum"), False
    # On each level set of the independent invariants near by there is one equilibrium, by the implicit
    # function theorem, and it attracts at a common rate.
    return (("PROVED_STABLE", ON_LEVELS) if left and reduced else None), simple


def _by_rounded_roots(
    whole: Rows, reduced: Rows, findings: dict[str, Any]
) -> tuple[tuple[str, str] | None, bool]:
    """The same in floats, with the tolerance that the claim states."""
    growth = GROWTH * max([fmpq(1), *(sum(map(abs, row), fmpq(0)) for row in whole)])
    findings["growth"] = to_float(growth)
    if "eigenvalues" in findings:
        _require_roots(
            findings["eigenvalues"], [to_float(c) for c in characteristic(whole)], to_float(growth / GROWTH)
        )
    if locate(shifted(characteristic(reduced), growth))[0]:
        return ("NUMERICALLY_UNSTABLE", "spectrum in floats"), False
    if reduced and locate(shifted(characteristic(reduced), -growth))[1]:
        return ("NUMERICALLY_STABLE", "spectrum in floats"), False
    # Rouche: where this holds there is no root near zero.
    last, *others = reversed(characteristic(reduced))
    return None, abs(last) > sum((abs(c) * growth**k for k, c in enumerate(others, 1)), fmpq(0))


def _require_roots(roots: list[list[float]], coefficients: list[float], size: float) -> None:
    """Refuse eigenvalues, given for display, of which the characteristic polynomial is another one."""
    found = [1 + 0j]
    for root in roots:
        found = [a - complex(*root) * b for a, b in zip([*found, 0], [0, *found], strict=True)]
    if len(found) != len(coefficients) or any(
        not abs(a - b) <= 1e-6 * size**k for k, (a, b) in enumerate(zip(found, coefficients, strict=True))
    ):
        raise Refusal("these are not the eigenvalues of the linearisation", "evidence.eigenvalues")


def _critical(
    q: Question, functions: list[tuple], findings: dict[str, Any], multipliers: dict[str, str] | None
) -> bool:
    """Whether sum y F is critical and its Hessian definite on the common kernel W of the gradients."""
    rows: Rows = []
    dependent = []
    for name, gradient, _ in sorted(functions, key=lambda f: f[0] == "energy"):
        if independent(rows, gradient, q.exact):
            rows.append(gradient)
        elif name != "energy":
            dependent.append(name)
    findings["dependent_gradients"] = dependent
    if multipliers is None:
        findings["hessian"] = "no multipliers"
        return False
    if list(multipliers) != [name for name, *_ in functions]:
        raise Refusal("one multiplier is needed for each function, in order", "evidence.multipliers")
    y, n = [fmpq(v) for v in multipliers.values()], range(len(q.labels))
    slope = [sum((c * g[i] for c, (_, g, _) in zip(y, functions, strict=True)), fmpq(0)) for i in n]
    sizes = [abs(c * g[i]) for c, (_, g, _) in zip(y, functions, strict=True) for i in n]
    if max(map(abs, slope)) > (0 if q.exact else _CRITICAL * max(sizes)):
        raise Refusal("the combination is not critical at the point", "evidence.multipliers")
    H = [
        [sum((c * h[i][j] for c, (*_, h) in zip(y, functions, strict=True) if c), fmpq(0)) for j in n]
        for i in n
    ]
    W = nullspace(rows, len(q.labels))
    R = form(H, W)
    margin = fmpq(0) if q.exact else _DEFINITE * max([fmpq(0), *(abs(c) for row in R for c in row)])
    counts = [
        inertia([[c - s * (i == j) for j, c in enumerate(r)] for i, r in enumerate(R)])
        for s in (margin, -margin)
    ]
    positive, negative = counts[0][0], counts[1][1]
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


def judge_matrices(problem: dict[str, Any], proposal: dict[str, Any]) -> Judgement:
    """The same for a linearisation and a stiffness in numbers, of a system that functions define: never a
    proof.
    """
    A = [[fmpq(*v.as_integer_ratio()) for v in row] for row in problem["linearisation"]]
    K = [[fmpq(*v.as_integer_ratio()) for v in row] for row in problem.get("stiffness", [])]
    if any(len(row) != len(rows) or len(rows) > STATES for rows in (A, K) for row in rows):
        raise Refusal(f"a matrix is not square, or has more than {STATES} rows", "problem")
    findings: dict[str, Any] = {k: proposal[k] for k in ("eigenvalues",) if k in proposal}
    decided, simple = _by_rounded_roots(A, A, findings)
    if decided and decided[0] == "NUMERICALLY_UNSTABLE":
        return (*decided, findings)
    margin = _DEFINITE * max([fmpq(0), *(abs(c) for row in K for c in row)])
    if K and inertia([[c - margin * (i == j) for j, c in enumerate(r)] for i, r in enumerate(K)])[0] == len(
        K
    ):
        return "NUMERICALLY_STABLE", "second variation in floats", findings | {"hessian": "definite"}
    if decided:
        return (*decided, findings)
    return "SPECTRALLY_STABLE_ONLY" if simple else "UNDECIDED", "spectrum in floats", findings
