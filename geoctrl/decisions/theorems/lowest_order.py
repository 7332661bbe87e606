r"""Where second derivatives do not decide: a minimum of higher order, and motion along one zero root.

Minimum (Lyapunov): V is critical on the level set L of conserved functions and leaf relations, whose
gradients are independent, and its second variation R is semidefinite with a kernel of dimension one or two.
All other coordinates are eliminated by Lagrange's equations, as series in those z of the kernel; where the
lowest form of what is left of V is definite, V has a strict minimum or maximum on L, and the point is stable.

One zero root (Lyapunov's critical case): the characteristic polynomial on the leaf is x q(x) with all roots
of q to the left of the axis. Along the curve x(z) on which f is parallel to the kernel,
:math:`f = a z^m + \dots` times the kernel vector: asymptotically stable where m is odd and a < 0,
unstable for any other a that is not zero.
"""

from __future__ import annotations

from typing import Any

from flint import fmpq, fmpq_poly

from geoctrl.decisions.arithmetic.eliminations import (
    Rows,
    combination,
    combined_hessian,
    form,
    inertia,
    nullspace,
    real_roots,
    restricted,
)
from geoctrl.decisions.functions.derivatives import Jet, evaluate
from geoctrl.decisions.questions.exact_question import Question
from geoctrl.decisions.reading.problem_reader import Refusal
from geoctrl.decisions.theorems.falling_decision import nothing_stays, require_fall
from geoctrl.decisions.theorems.family_decision import require_damped
from geoctrl.decisions.theorems.series_by_order import (
    PowerSeries,
    Series,
    by_order,
    implicit,
    require_no_rest,
)

MINIMUM, CRITICAL_CASE = "energy-Casimir, lowest form", "spectrum and a series"
FALLING_MINIMUM = "falling energy, lowest form"
_ZERO = fmpq(0)


def degenerate_minimum(q: Question, proposal: dict[str, Any], findings: dict[str, Any]) -> tuple[str, str]:
    """Verdict and method where the lowest form is definite; Refusal otherwise."""
    found = lowest_form(q, proposal)
    findings |= found | {"lowest_form": [str(c) for c in found["lowest_form"]]}
    sense = -1 if found["inertia"][1] else 1
    _require_definite(found, sense)
    return "PROVED_STABLE", MINIMUM


def falling_minimum(q: Question, proposal: dict[str, Any], findings: dict[str, Any]) -> tuple[str, str]:
    """The same of a combination with a function that falls, the first of its multipliers."""
    given, falls = q.problem["falling"], proposal["falls"]
    if [q.problem["invariants"].get(name) for name in falls] != [given["function"]]:
        raise Refusal("the function that falls is another one", "evidence")
    require_fall(q, given)
    found = lowest_form(q, proposal)
    multipliers = found["multipliers"]
    if q.problem["roots"].read(multipliers[falls[0]]) != given["sense"] or found["inertia"][1]:
        raise Refusal("the second variation is not shown to be positive beside its kernel", "evidence")
    _require_definite(found, 1)
    held = [*found["held"], *q.problem["leaf"]]
    kernel = nullspace([q.function(name)[1] for name in held], len(q.labels))
    # Rates are those on the level of all that the combination holds.
    others = {k for k, c in multipliers.items() if c != "0"} - {*falls}
    alone = bool(kernel) and others <= {*held} and nothing_stays(q, given, kernel)
    findings |= {k: found[k] for k in ("held", "inertia", "lowest_power")}
    findings |= {
        "falling_multipliers": multipliers,
        "lowest_form": [str(c) for c in found["lowest_form"]],
        "nothing_stays": "yes" if alone else "not shown",
    }
    return "PROVED_ASYMPTOTICALLY_STABLE" if alone and not found["held"] else "PROVED_STABLE", FALLING_MINIMUM


def _require_definite(found: dict[str, Any], sense: int) -> None:
    """Refuse a lowest form that is not positive definite with a sense."""
    lowest = [c * sense for c in found["lowest_form"]]
    if not lowest or found["lowest_power"] % 2 or not _definite(lowest):
        raise Refusal("the lowest form is not definite", "problem.degenerate")


def lowest_form(q: Question, proposal: dict[str, Any]) -> dict[str, Any]:
    """Multipliers, functions that are held, inertia, and the lowest power and form, power zero and no form
    where there is none up to the power looked at; found once.
    """
    place, order = q.problem["invariants"], q.problem["degenerate"]
    key = (
        tuple((name, place[name]) for name in [*proposal.get("falls", []), *proposal["conserved"]]),
        tuple((proposal.get("multipliers") or {}).items()),
        tuple(proposal.get("held", [])),
    )
    looked, found = q.remembered.get(key, (0, {}))
    if looked < order and not (looked and found["lowest_power"]):
        found = _lowest_form(q, proposal)
        q.remembered[key] = order, found
    return found if found["lowest_power"] <= order else found | {"lowest_power": 0, "lowest_form": []}


def _lowest_form(q: Question, proposal: dict[str, Any]) -> dict[str, Any]:
    names = [*proposal.get("falls", []), *proposal["conserved"], *q.problem["leaf"]]
    functions = [q.function(name) for name in names]
    multipliers = proposal.get("multipliers") or {}
    if list(multipliers) != names:
        raise Refusal("one multiplier is needed for each function, in order", "evidence.multipliers")
    y, n = [q.problem["roots"].read(c) for c in multipliers.values()], len(q.labels)
    if any(combination(y, [g for _, g, _ in functions], n)):
        raise Refusal("the combination is not critical at the point", "evidence.multipliers")
    held = _held(q, proposal.get("held", []), proposal["conserved"])
    rows = [q.function(name)[1] for name in held]
    W = nullspace(rows, n)
    if len(W) != n - len(rows):
        raise Refusal("gradients of the level set are dependent at the point", "evidence.held")
    H = combined_hessian([(c, second) for c, (*_, second) in zip(y, functions, strict=True)], n)
    R = form(H, W)
    positive, negative, zero = inertia(R) if R else (0, 0, 0)
    if (positive and negative) or zero not in (1, 2):
        raise Refusal("the second variation is not semidefinite with a kernel of dimension 1 or 2", "problem")
    flat = [
        [sum((c * w[i] for c, w in zip(v, W, strict=True)), _ZERO) for i in range(n)]
        for v in nullspace(R, len(R))
    ]
    ring = PowerSeries(zero, q.problem["degenerate"], q.numbers)
    m, lowest = _eliminated(q, ring, y, names, held, flat, H)
    return {
        "multipliers": multipliers,
        "held": held[: len(held) - len(q.problem["leaf"])],
        "inertia": [positive, negative, zero],
        "lowest_power": m,
        "lowest_form": lowest,
    }


def _held(q: Question, names: list[str], conserved: list[str]) -> list[str]:
    """Conserved functions whose level is held, and all relations of the leaf."""
    if any(name not in conserved for name in names):
        raise Refusal("a level is held that is not conserved", "evidence.held")
    return [*names, *q.problem["leaf"]]


def _eliminated(
    q: Question, ring: PowerSeries, y: list[fmpq], names: list[str], held: list[str], flat: Rows, H: Rows
) -> tuple[int, list[fmpq]]:
    """Lowest power and form of V along the solution of Lagrange's equations over the kernel."""
    n, r, k = len(q.labels), len(held), len(flat)
    place = q.problem["leaf"] | q.problem["invariants"]
    gram = [[sum((a * b for a, b in zip(u, v, strict=True)), _ZERO) for v in flat] for u in flat]
    D = [q.function(name)[1] for name in held]
    M = [[*H[i], *(row[i] for row in D), *(-v[i] for v in flat)] for i in range(n)]
    M += [[*row, *[_ZERO] * (r + k)] for row in [*D, *flat]]
    e = list(q.problem["states"].values())
    constants = {p: Jet(ring.number(v)) for p, v in q.numbers_of("input", "parameter").items()}
    level = {name: q.jets([place[name]])[0].value for name in held}
    if any(v is None for v in level.values()):
        raise Refusal("a level is not rational at the point", "problem.degenerate")

    def jets(x: list[Series], wanted: list[str], slopes: bool) -> list[Jet]:
        at = dict(constants)
        one = ring.number(fmpq(1))
        moving = enumerate(zip(q.moving_places, x, strict=False))
        at |= {p: Jet(v, {i: one} if slopes else {}) for i, (p, v) in moving}
        return evaluate(q.table, [place[name] for name in wanted], at, ring, 1)

    def slices(x: list[Series]) -> list[Series]:
        found = []
        for v, row in zip(flat, gram, strict=True):
            total = ring.number(_ZERO)
            for a, value, start in zip(v, x, e, strict=True):
                if a:
                    total = total + (value - start) * a
            for c, z in zip(row, ring.variables, strict=True):
                total = total - z * c
            found.append(total)
        return found

    def residual(X: list[Series]) -> list[Series]:
        x, weights, pushes = X[:n], X[n : n + r], X[n + r :]
        zero = ring.number(_ZERO)
        found = dict(zip([*names, *held], jets(x, [*names, *held], slopes=True), strict=True))
        slopes = []
        for i in range(n):
            total = zero
            for c, name in zip(y, names, strict=True):
                if c and i in found[name].first:
                    total = total + found[name].first[i] * c
            for weight, name in zip(weights, held, strict=True):
                if i in found[name].first:
                    total = total + found[name].first[i] * weight
            for push, v in zip(pushes, flat, strict=True):
                if v[i]:
                    total = total - push * v[i]
            slopes.append(total)
        levels = [found[name].value - level[name] for name in held]
        return [*slopes, *levels, *slices(x)]

    def lagrange_function(X: list[Series]) -> Series:
        """Lagrange's function, which is V where its equations hold."""
        x, weights, pushes = X[:n], X[n : n + r], X[n + r :]
        values = (jet.value for jet in jets(x, [*names, *held], slopes=False))
        found = dict(zip([*names, *held], values, strict=True))
        value = ring.number(_ZERO)
        for c, name in zip(y, names, strict=True):
            value = value + found[name] * c
        for weight, name in zip(weights, held, strict=True):
            value = value + weight * (found[name] - level[name])
        for push, slice_ in zip(pushes, slices(x), strict=True):
            value = value - push * slice_
        return value - value.constant

    start = [*map(ring.number, e), *[ring.number(_ZERO)] * (r + k)]
    most, lowest, right = ring.order, (0, list[fmpq]()), 0
    for right, X in enumerate(by_order(ring, start, M, residual), 1):
        # It is stationary in all that X holds, and so right to twice the power to which X is, and one more.
        ring.order = min(2 * right + 1, most)
        lowest = lagrange_function(X).lowest()
        if lowest[1] or ring.order == most:
            break
    ring.order = right
    require_no_rest(residual(X))
    return lowest


def _definite(coefficients: list[fmpq]) -> bool:
    """Whether a form in one or two variables, of even degree, is positive but at zero."""
    if not coefficients[0] > 0:
        return False
    return real_roots(fmpq_poly(coefficients[::-1])) == 0


def one_zero_root(q: Question, _: dict[str, Any], findings: dict[str, Any]) -> tuple[str, str]:
    """Verdict and method by the lowest power of the field along its zero root; Refusal where there is
    none.
    """
    if require_damped(q, findings) != 1:
        raise Refusal("not one root is zero", "problem.critical")
    n, k = len(q.labels), len(q.problem["unknowns"])
    tangent = q.leaf[0]
    W = nullspace(tangent, n)
    A = restricted(q.linearisation, W)
    (flat,) = nullspace(A, len(A))
    kappa = [sum((c * w[i] for c, w in zip(flat, W, strict=True)), _ZERO) for i in range(n)]
    free = [next(i for i in range(n) if w[i] == 1 and not any(v[i] for v in W if v is not w)) for w in W]
    leaf = list(q.problem["leaf"].values())
    e = q.values_at_point()
    ring = PowerSeries(1, q.problem["critical"], q.numbers)
    length = sum((c * c for c in kappa), _ZERO)

    def rests(jets: dict[int, Jet], numbers: Any) -> list[Jet]:
        field = evaluate(q.table, [q.problem["field"][i] for i in free], jets, numbers, 1)
        found = [*field, *evaluate(q.table, leaf, jets, numbers, 1)]
        defects = evaluate(q.table, q.problem["right"], jets, numbers, 1)
        for i, j, p in q.problem["matrix"]:
            (entry,) = evaluate(q.table, [p], jets, numbers, 1)
            minus = Jet(numbers.number(fmpq(-1)))
            defects[i] = defects[i] + minus * entry * jets[q.moving_places[n + j]]
        return [*found, *defects]

    given = q.numbers_of("input", "parameter")
    seeds = {p: Jet(v) for p, v in given.items()}
    seeds |= {p: Jet(v, {i: fmpq(1)}) for i, (p, v) in enumerate(zip(q.moving_places, e, strict=True))}
    size = n + k
    M = [
        [*(jet.first.get(i, _ZERO) for i in range(size)), -kappa[free[row]] if row < len(free) else _ZERO]
        for row, jet in enumerate(rests(seeds, q.numbers))
    ]
    M.append([*kappa, *[_ZERO] * (k + 1)])
    constants = {p: Jet(ring.number(v)) for p, v in given.items()}

    def residual(X: list[Series]) -> list[Series]:
        jets = constants | {p: Jet(x) for p, x in zip(q.moving_places, X, strict=False)}
        found = [jet.value for jet in rests(jets, ring)]
        for row, i in enumerate(free):
            found[row] = found[row] - X[-1] * kappa[i]
        slice_ = ring.variables[0] * -length
        for c, x, start in zip(kappa, X, e, strict=False):
            slice_ = slice_ + (x - start) * c
        return [*found, slice_]

    X = implicit(ring, [*map(ring.number, e), ring.number(_ZERO)], M, residual)
    m, lowest = X[-1].lowest()
    if not lowest:
        raise Refusal("the field vanishes along its zero root as far as it was looked at", "problem.critical")
    findings |= {"lowest_power": m, "lowest_form": [str(lowest[0])]}
    attracts = m % 2 == 1 and lowest[0] < 0
    return "PROVED_ASYMPTOTICALLY_STABLE" if attracts else "PROVED_UNSTABLE", CRITICAL_CASE
