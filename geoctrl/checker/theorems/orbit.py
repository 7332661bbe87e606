r"""Stability of the orbit of a point under a group of isometries.

The file names fields :math:`Z_i(x) = B_i x + b_i` with skew matrices :math:`B_i`: the closed group K of
isometries that they generate acts properly. Proved are, as identities on the leaf g = 0,

1. :math:`Z_i.g = 0`: the leaf is carried to itself;
2. :math:`Z_i.V = 0` for :math:`V = \sum y F` of conserved functions F and relations, critical at the point e;
3. :math:`Z_i.Q = 0` for :math:`Q = \sum (C_j - C_j(e))^2` of the conserved functions C whose level is held.

With T the span of the :math:`Z_i(e)`, and R the second variation of V where the gradients of the C and g
vanish: if R is semidefinite with as many zeros as T has dimensions, a motion that begins near e stays near
the orbit of e. For :math:`V + \mu Q`, or its negative, has a strict minimum there across the orbit, and is
the same along it.
"""

from __future__ import annotations

from typing import Any

from flint import fmpq

from geoctrl.checker.jets import Jet, evaluate, reachable
from geoctrl.checker.matrices import Rows, form, inertia, locate, matrix, nullspace
from geoctrl.checker.polynomials import Ratio
from geoctrl.checker.question import Question
from geoctrl.checker.reading import Refusal

METHOD = "energy-Casimir modulo a group"
_WHERE = "problem.symmetries"
_ZERO = fmpq(0)


def stable_orbit(q: Question, proposal: dict[str, Any], findings: dict[str, Any]) -> tuple[str, str]:
    """Verdict and method for the orbit; Refusal where multipliers are given and nothing follows from them."""
    fields = _fields(q)
    if not q.leaf[1]:
        raise Refusal("gradients of the leaf are dependent at the point", "problem.leaf")
    T = [_at_point(q, B, b) for B, b in fields]
    dimension = matrix(T, len(q.labels)).rank()
    findings["orbit_dimension"] = dimension
    findings["orbit_directions"] = [label for i, label in enumerate(q.labels) if any(z[i] for z in T)]
    if _grows_across(q, T, findings):
        return "PROVED_UNSTABLE", "spectrum modulo a group"
    if "orbit_multipliers" not in proposal:
        return "UNDECIDED", METHOD
    names = findings["conserved"]
    rates = [_along(q, B, b) for B, b in fields]
    F = q.functions
    leaf, kept = (
        {name: q.problem[part][name] for name in group}
        for part, group in (("leaf", q.problem["leaf"]), ("invariants", names))
    )
    held = [name for name in names if name in proposal.get("held", [])]
    y = proposal["orbit_multipliers"]
    if list(y) != [*kept, *leaf]:
        raise Refusal("one multiplier is needed for each function, in order", "evidence.orbit_multipliers")
    y = {name: q.problem["roots"].read(c) for name, c in y.items()}
    below = reachable(q.table, [*kept.values(), *leaf.values()])
    if any(q.table[p][0] == "fun" and q.table[p][1] == "select" for p in below):
        raise Refusal("functions that switch may do so along the orbit", _WHERE)
    for rate in rates:
        slopes = {name: rate(place) for name, place in (kept | leaf).items()}
        if any(F.remainder(slopes[name]) for name in leaf):
            raise Refusal("a field is not proved to keep the leaf", _WHERE)
        if F.remainder(_total((slopes[name] * c for name, c in y.items()), F.number(_ZERO))):
            raise Refusal("a field is not proved to keep the function", _WHERE)
        deviations = (
            slopes[name] * (q.ratios([kept[name]])[0] - q.jets([kept[name]])[0].value) for name in held
        )
        if F.remainder(_total(deviations, F.number(_ZERO))):
            raise Refusal("a field is not proved to keep the levels", _WHERE)
    functions = {name: q.function(name) for name in kept | leaf}
    n = range(len(q.labels))
    if any(sum((y[k] * functions[k][1][i] for k in y), _ZERO) for i in n):
        raise Refusal("the combination is not critical at the point", "evidence.orbit_multipliers")
    rows = [functions[name][1] for name in [*held, *leaf]]
    kernel = nullspace(rows, len(q.labels))
    H = [[_ZERO for _ in n] for _ in n]
    for name, c in y.items():
        second = functions[name][2]
        for i, j in {(i, j) for pair in second for i, j in (pair, pair[::-1])}:
            H[i][j] += c * second[min(i, j), max(i, j)]
    R = form(H, kernel)
    positive, negative, zero = inertia(R) if R else (0, 0, 0)
    findings |= {
        "held": held,
        "orbit_multipliers": {name: str(c) for name, c in y.items()},
        "inertia": [positive, negative, zero],
    }
    if (positive and negative) or zero != dimension:
        raise Refusal("the second variation is not definite across the orbit", _WHERE)
    return "PROVED_STABLE_MODULO", METHOD


def _total(terms: Any, zero: Ratio) -> Ratio:
    return sum(terms, zero)


def _fields(q: Question) -> list[tuple[Rows, list[fmpq]]]:
    """Matrix and shift of each field, the matrices proved skew."""
    labels = {label: i for i, label in enumerate(q.labels)}
    n, fields = len(labels), []
    for given in q.problem["symmetries"]:
        B = [[_ZERO] * n for _ in range(n)]
        b = [_ZERO] * n
        try:
            for name, other, value in given["turns"]:
                B[labels[name]][labels[other]] += value
            for name, value in given["shifts"].items():
                b[labels[name]] += value
        except KeyError as error:
            raise Refusal(f"there is no state {error}", _WHERE) from error
        if any(B[i][j] != -B[j][i] for i in range(n) for j in range(i + 1)):
            raise Refusal("a matrix of a symmetry is not skew", _WHERE)
        fields.append((B, b))
    if not fields:
        raise Refusal("no symmetry is given", _WHERE)
    return fields


def _at_point(q: Question, B: Rows, b: list[fmpq]) -> list[fmpq]:
    e = list(q.problem["states"].values())
    return [sum((c * x for c, x in zip(row, e, strict=True)), shift) for row, shift in zip(B, b, strict=True)]


def _along(q: Question, B: Rows, b: list[fmpq]) -> Any:
    """What gives the derivative of the function at a place along a field."""
    q.require_kept([])  # relations are known
    F, still = q.functions, dict(q.still)
    x = [still[p].value for p in q.moving_places[: len(q.labels)]]
    for p, row, shift in zip(q.moving_places, B, b, strict=False):
        rate = F.number(shift)
        for c, value in zip(row, x, strict=True):
            if c:
                rate = rate + value * c
        still[p] = Jet(still[p].value, {0: rate} if rate else {})
    for p in q.moving_places[len(q.labels) :]:
        del still[p]  # functions of states alone

    def derivative(place: int) -> Ratio:
        return evaluate(q.table, [place], still, F, 1)[0].first.get(0, F.number(_ZERO))

    return derivative


def _grows_across(q: Question, T: Rows, findings: dict[str, Any]) -> bool:
    """Whether a root lies to the right of the axis, and the fields are in the kernel of the linearisation.

    Then directions of growth are none of the orbit's, and motions leave its neighbourhood.
    """
    polynomial = [q.problem["roots"].read(c) for c in findings.get("characteristic_polynomial_on_leaf", [])]
    if not polynomial or not locate(polynomial)[0]:
        return False
    A = q.linearisation
    return not any(sum((c * z for c, z in zip(row, t, strict=True)), _ZERO) for t in T for row in A)
