r"""Integrals linear in velocities, over a shape of one dimension: their existence and their derivatives,
proved.

Geometric states that move as :math:`\dot\gamma = w\,g(\gamma)` on a leaf of dimension one, and velocities
that follow as :math:`\dot u = w\,B(\gamma)\,u`, whatever other states do, obey
:math:`du/ds = N(s)\,u` with :math:`N = B/g_s` along the curve, where s is one of its coordinates. Each
solution of :math:`da/ds = -N^T a` gives an integral :math:`a(s)\cdot u`, and
:math:`a'' = (-N'^T + N^T N^T)\,a`.
"""

from __future__ import annotations

from flint import fmpq

from geoctrl.decisions.functions.derivatives import Jet, NotExact, reachable
from geoctrl.decisions.questions.exact_question import Question
from geoctrl.decisions.reading.problem_reader import Refusal

_ZERO = fmpq(0)


Integrals = list[tuple[str, list[fmpq], dict]]
"""Names, gradients and Hessians."""


def shape_integrals(question: Question) -> Integrals:
    """Name, gradient and Hessian at the point of the integral that begins as each velocity u."""
    q = question
    slopes = slopes_of_shape(q)
    along = next((k for k, slope in slopes.items() if slope), None)
    if not q.leaf[1] or len(q.leaf[0]) != len(slopes) - 1 or along is None:
        raise Refusal("the shape is no curve along which it can move", "problem.shape")
    return integrals_along(q, along)


def slopes_of_shape(question: Question) -> dict[str, fmpq]:
    """Rates of the geometric states over that of the shape, where rates are proved to have its structure."""
    q, shape = question, question.problem.get("shape")
    if shape is None:
        raise Refusal("integrals are claimed, but no shape is given", "problem.shape")
    slopes, rates, labels = shape["slopes"], shape["rates"], q.labels
    flat = [p for row in rates.values() for p in row]
    named = [shape["velocity"], *slopes, *rates]
    if len(set(named)) != len(named) or not set(named) <= set(labels) or not slopes:
        raise Refusal("velocity, slopes and rates must be states, once each", "problem.shape")
    if any(len(row) != len(rates) for row in rates.values()) or any(
        p >= len(q.table) for p in [*slopes.values(), *flat]
    ):
        raise Refusal("the rates are no square matrix of nodes", "problem.shape")
    below = reachable(q.table, [*slopes.values(), *flat, *q.problem["leaf"].values()])
    if any(
        q.table[i][2] in ("state", "unknown") and q.table[i][1] not in slopes
        for i in below
        if q.table[i][0] == "sym"
    ):
        raise Refusal("slopes, rates and leaf may depend on the geometric states alone", "problem.shape")
    q.jets(flat)  # nothing divides by zero at the point
    found = {k: q.jets([p])[0].value for k, p in slopes.items()}
    _prove_structure(q, shape)
    if any(slope is None for slope in found.values()):
        raise NotExact("the shape's motion is not rational at the point")
    return found


def integrals_along(question: Question, along: str) -> Integrals:
    """The integrals with one of the geometric states as the parameter of the curve, one that moves."""
    q, shape, labels = question, question.problem["shape"], question.labels
    slopes, rates, s = shape["slopes"], shape["rates"], question.labels.index(along)
    g = {labels.index(k): q.jets([p])[0] for k, p in slopes.items()}
    B = [q.jets(row) for row in rates.values()]
    if any(jet.value is None for row in B for jet in row):
        raise NotExact("the shape's motion is not rational at the point")

    def slope(jet: Jet) -> fmpq:  # the derivative by s along the curve
        return sum((d * g[i].value for i, d in jet.first.items()), _ZERO) / g[s].value

    size, speed = range(len(rates)), g[s].value
    N = [[b.value / speed for b in row] for row in B]
    dN = [[(slope(b) - b.value / speed * slope(g[s])) / speed for b in row] for row in B]
    places = [labels.index(k) for k in rates]
    u = [q.jets([q.place["state", k]])[0].value for k in rates]
    found = []
    for j, name in enumerate(rates):
        first = [-N[j][i] for i in size]
        second = [sum((N[j][m] * N[m][i] for m in size), _ZERO) - dN[j][i] for i in size]
        gradient = [fmpq(int(i == places[j])) for i in range(len(labels))]
        gradient[s] = sum((a * v for a, v in zip(first, u, strict=True)), _ZERO)
        H = {(min(places[i], s), max(places[i], s)): first[i] for i in size}
        H[s, s] = sum((a * v for a, v in zip(second, u, strict=True)), _ZERO)
        found.append((f"integral of {name}", gradient, H))
    return found


def _prove_structure(q: Question, shape: dict) -> None:
    """Rates are w g(gamma) and w B(gamma) u, modulo the leaf and whatever the unknowns solve."""
    q.require_kept([])
    F = q.functions
    state = dict(zip(q.labels, F.variables, strict=False))
    field = dict(zip(q.labels, q.ratios(q.problem["field"]), strict=True))
    expected = dict(zip(shape["slopes"], q.ratios(list(shape["slopes"].values())), strict=True))
    for label, row in shape["rates"].items():
        terms = (b * state[k] for b, k in zip(q.ratios(row), shape["rates"], strict=True))
        expected[label] = sum(terms, F.number(_ZERO))
    if any(F.remainder(field[k] - state[shape["velocity"]] * e) for k, e in expected.items()):
        raise Refusal("the rates have not the structure of integrals over a shape", "problem.shape")
