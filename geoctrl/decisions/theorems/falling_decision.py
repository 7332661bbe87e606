r"""A function that falls along the motion (Lyapunov, Krasovskii).

For a function E and a sense :math:`\sigma = \pm 1` the file shows :math:`\sigma\dot E = -\sum_k d_k\, l_k^2`
on the leaf, with :math:`d_k > 0` at the point, and multipliers for which
:math:`V = \sigma E + \sum c C + \sum \lambda g` is critical, where the C are conserved. With R its second
variation where all gradients of the C and g vanish,

* R positive definite: stable, since V falls and has a strict minimum on the level set of the point;
* moreover, where nothing but the point stays in l = 0, asymptotically stable on the level set;
* R with a negative eigenvalue, and nothing but the point stays in l = 0: unstable, since a start below the
  point has nowhere to end.

That nothing stays is shown by functions h with :math:`h_k^{m_k} = a_k l_k`, so that l = 0 implies h = 0,
or sums :math:`h_k = \sum d\,p^2`, which vanish with their parts p. Derivatives of the h, or of the p,
along the linear motion, :math:`Dh, Dh\,A, Dh\,A^2, \dots`, have full rank on the kernel.
The gradient of E never enters the kernel: what only falls holds nothing fixed.
"""

from __future__ import annotations

from typing import Any

from flint import fmpq

from geoctrl.decisions.arithmetic.eliminations import (
    Rows,
    Span,
    combination,
    combined_hessian,
    form,
    inertia,
    matrix,
    nullspace,
    product,
    restricted,
)
from geoctrl.decisions.questions.exact_question import Question
from geoctrl.decisions.reading.problem_reader import Refusal

METHOD = "falling energy"
_WHERE = "problem.falling"
_NAME = "the falling function"


def falling_energy(q: Question, proposal: dict[str, Any], findings: dict[str, Any]) -> tuple[str, str]:
    """Verdict and method that a falling function gives; Refusal where it gives none."""
    given = q.problem["falling"]
    names = findings["conserved"]
    require_fall(q, given)
    tangent, regular = q.leaf
    kept = [q.function(name) for name in names]
    span = Span([*tangent, *(gradient for _, gradient, _ in kept)])
    rows = span.rows
    kernel = nullspace(rows, len(q.labels))
    functions = [q.function_at(_NAME, given["function"]), *kept, *map(q.function, q.problem["leaf"])]
    R = _second_variation(q, given["sense"], functions, kernel, proposal.get("falling_multipliers"))
    positive, negative, zero = inertia(R)
    findings |= {
        "falling_multipliers": proposal["falling_multipliers"],
        "inertia": [positive, negative, zero],
        "hessian": "definite" if positive == len(R) else "indefinite" if negative else "semidefinite",
        "kernel": [[str(c) for c in w] for w in kernel],
        "restricted_hessian": [[str(c) for c in row] for row in R],
    }
    # All tangents of the level set are directions of motions only where its gradients are independent.
    smooth = regular and len(rows) == len(tangent) + len(names)
    alone = bool(kernel) and smooth and nothing_stays(q, given, kernel)
    findings["nothing_stays"] = "yes" if alone else "not shown"
    if positive == len(R):
        if not alone:
            return "PROVED_STABLE", METHOD
        if len(rows) == len(tangent):
            return "PROVED_ASYMPTOTICALLY_STABLE", METHOD
        return "PROVED_STABLE", f"{METHOD} on the level sets of the invariants"
    if negative and alone:
        return "PROVED_UNSTABLE", METHOD
    raise Refusal(f"the second variation of the falling function is {findings['hessian']}", _WHERE)


def require_fall(q: Question, given: dict[str, Any]) -> None:
    """sense E' + sum d l^2 vanishes on the leaf, and every d is positive at the point."""
    squares = given["squares"]
    factors = [jet.value for jet in q.jets([s["factor"] for s in squares])]
    if any(value is None or not value > 0 for value in factors):
        raise Refusal("a factor of a square is not proved positive at the point", _WHERE)
    q.jets([s["square"] for s in squares])  # nothing divides by zero at the point
    rate = q.rate([given["function"], *given["weights"]])
    terms = zip(
        q.ratios([s["factor"] for s in squares]), q.ratios([s["square"] for s in squares]), strict=True
    )
    total = sum((d * s * s for d, s in terms), q.functions.number(fmpq(0)))
    if q.functions.remainder(rate * fmpq(given["sense"]) + total):
        raise Refusal("it is not proved that the function falls", _WHERE)


def _second_variation(
    q: Question, sense: int, functions: list[tuple], kernel: Rows, multipliers: dict[str, str] | None
) -> Rows:
    """That of V on the kernel, V proved to be critical."""
    if multipliers is None or list(multipliers) != [name for name, *_ in functions]:
        raise Refusal("one multiplier is needed for each function, in order", "evidence.falling_multipliers")
    y = [q.problem["roots"].read(v) for v in multipliers.values()]
    if y[0] != sense:
        raise Refusal("the function's multiplier is its sense", "evidence.falling_multipliers")
    if any(combination(y, [g for _, g, _ in functions], len(q.labels))):
        raise Refusal("the combination is not critical at the point", "evidence.falling_multipliers")
    terms = [(c, second) for c, (*_, second) in zip(y, functions, strict=True)]
    H = combined_hessian(terms, len(q.labels))
    return form(H, kernel)


def nothing_stays(q: Question, given: dict[str, Any], kernel: Rows) -> bool:
    """Whether derivatives of the h along the linear motion see every direction of the kernel, or the
    functions of a chain do.
    """
    squares, W = given["squares"], [[v[i] for v in kernel] for i in range(len(q.labels))]
    if "chain" in given:
        rows = _chain(q, squares, given["chain"])
        return matrix(product(rows, W), len(kernel)).rank() == len(kernel)
    A = restricted(q.linearisation, kernel)
    seen: Rows = []
    for row in squares:
        (h,) = q.jets([row.get("root", row["square"])])
        if h.value:
            raise Refusal("a root of a square does not vanish at the point", _WHERE)
        if "root" in row:
            _require_root(q, row)
        if parts := row.get("parts", []):
            _require_sum(q, row.get("root", row["square"]), parts)
            seen += [q.gradient(part) for part in q.jets([part["square"] for part in parts])]
        else:
            seen.append(q.gradient(h))
    if not seen:
        return False
    # Of many squares few rows are independent; the others see nothing more.
    reduced, rank = matrix(product(seen, W), len(kernel)).rref()
    block = reduced.tolist()[:rank]
    found: Rows = []
    for _ in kernel:
        found += block
        block = product(block, A)
    return matrix(found, len(kernel)).rank() == len(kernel)


def _require_root(q: Question, row: dict[str, Any]) -> None:
    """h^m = a l on the leaf, with a that has a value at the point."""
    if "cofactor" not in row or "power" not in row:
        raise Refusal("a root of a square needs its power and cofactor", _WHERE)
    q.jets([row["cofactor"]])
    h, a, square = q.ratios([row["root"], row["cofactor"], row["square"]])
    power = q.functions.number(fmpq(1))
    for _ in range(row["power"]):
        power = power * h
    if q.functions.remainder(power - a * square):
        raise Refusal("a square is not proved to vanish with its root alone", _WHERE)


def _require_sum(q: Question, place: int, parts: list[dict[str, int]]) -> None:
    """The function at a place is a sum of squares with factors that are positive at the point."""
    squares = [part["square"] for part in parts]
    factors = [part["factor"] for part in parts]
    if any(jet.value is None or not jet.value > 0 for jet in q.jets(factors)) or any(
        jet.value is None or jet.value for jet in q.jets(squares)
    ):
        raise Refusal("a part is not proved positive, or does not vanish at the point", _WHERE)
    terms = zip(q.ratios(factors), q.ratios(squares), strict=True)
    if q.functions.remainder(
        q.ratios([place])[0] - sum((d * s * s for d, s in terms), q.functions.number(fmpq(0)))
    ):
        raise Refusal("a root is not proved to be the sum of its parts", _WHERE)


def _chain(q: Question, squares: list[dict[str, Any]], steps: list[dict[str, Any]]) -> Rows:
    r"""Gradients of functions that vanish on whatever stays: roots of the squares, and what follows.

    Each step shows :math:`u\,p^k = \sum a_i p_i + \sum b_i \dot p_i` on the leaf, with earlier functions
    :math:`p_i` and a unit u that does not vanish at the point.
    """
    F, known = q.functions, []  # places of each function and of the weights of its rate
    for row in squares:
        if "root" in row:
            _require_root(q, row)
        known.append([row.get("root", row["square"])])
    for step in steps:
        if any(i >= len(known) for i, _ in [*step["terms"], *step["rates"]]):
            raise Refusal("a step of the chain refers to a later one", _WHERE)
        (unit,) = q.jets([step["unit"]])
        if not unit.value:
            raise Refusal("a unit of the chain vanishes at the point", _WHERE)
        q.jets([step["function"], *(p for _, p in [*step["terms"], *step["rates"]])])
        u, p = q.ratios([step["unit"], step["function"]])
        for _ in range(step["power"]):
            u = u * p
        for i, a in step["terms"]:
            u = u - q.ratios([a])[0] * q.ratios(known[i][:1])[0]
        for i, b in step["rates"]:
            u = u - q.ratios([b])[0] * q.rate(known[i])
        if F.remainder(u):
            raise Refusal("a step of the chain is not proved", _WHERE)
        known.append([step["function"], *step["weights"]])
    jets = q.jets([places[0] for places in known])
    if any(jet.value is None or jet.value for jet in jets):
        raise Refusal("a function of the chain does not vanish at the point", _WHERE)
    return [q.gradient(jet) for jet in jets]
