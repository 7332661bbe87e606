r"""A function that grows along motions which begin as near to the point as one likes (Chetaev; Lagrange's
converse).

The problem gives W, functions :math:`C_i` that do not fall, a factor g and squares with

.. math:: \dot W = g \prod_i C_i^{k_i}\, W^j + \sum_l d_l q_l^2

on the leaf, g and all :math:`d_l` positive at the point, and an arc on the leaf from the point on which all
:math:`C_i`, less their values at the point, and W where j > 0, are positive: the point is unstable. What does
not fall is a combination of conserved functions, or a function that falls with the other sign.
"""

from __future__ import annotations

from typing import Any

from flint import fmpq

from geoctrl.decisions.functions.derivatives import Jet, evaluate
from geoctrl.decisions.functions.identities_by_division import Ratio
from geoctrl.decisions.questions.exact_question import Question
from geoctrl.decisions.reading.problem_reader import Refusal
from geoctrl.decisions.theorems.falling_decision import require_fall
from geoctrl.decisions.theorems.series_by_order import PowerSeries, Series

METHOD = "a growing function"
_WHERE = "problem.growing"

Terms = list[tuple[int, Any, Any]]
"""Places of functions, what they are multiplied by, and their values at the point."""


def growing_function(q: Question, _: dict[str, Any], _findings: dict[str, Any]) -> tuple[str, str]:
    """Verdict and method that a growing function gives; Refusal where it gives none."""
    given = q.problem["growing"]
    if not q.leaf[1]:
        raise Refusal("gradients of the leaf are dependent at the point", "problem.leaf")
    rising = [_terms(q, row) for row in given["rising"]]
    if q.functions.remainder(growth_left(q, given, rising)):
        raise Refusal("it is not proved that the function grows", _WHERE)
    (factor,) = q.jets([given["factor"]])
    weights = [jet.value for jet in q.jets([row["factor"] for row in given["squares"]])]
    if any(value is None or not value > 0 for value in (factor.value, *weights)):
        raise Refusal("a factor is not proved positive at the point", _WHERE)
    _require_arc(q, given, rising)
    return "PROVED_UNSTABLE", METHOD


def growth_left(q: Question, given: dict[str, Any], rising: list[Terms] | None = None) -> Ratio:
    """W' - g prod C^k W^j - sum d q^2, which vanishes on the leaf."""
    rising = [_terms(q, row) for row in given["rising"]] if rising is None else rising
    F = q.functions
    W, product = q.ratios([given["function"], given["factor"]])
    for row, terms in zip(given["rising"], rising, strict=True):
        values = [(q.ratios([node])[0] - F.number(value)) * F.number(c) for node, c, value in terms]
        for _ in range(row["power"]):
            product = product * sum(values, F.number(fmpq(0)))
    for _ in range(given["self"]):
        product = product * W
    left = q.rate([given["function"], *given["weights"]]) - product
    q.jets([row["square"] for row in given["squares"]])  # nothing divides by zero at the point
    for row in given["squares"]:
        d, square = q.ratios([row["factor"], row["square"]])
        left = left - d * square * square
    return left


def _terms(q: Question, row: dict[str, Any]) -> Terms:
    """What a function that does not fall consists of."""
    if ("fall" in row) == ("conserved" in row):
        raise Refusal("it is not said why a function does not fall", _WHERE)
    if fall := row.get("fall"):
        require_fall(q, fall)
        pairs = [(fall["function"], fmpq(-fall["sense"]))]
    else:
        q.require_kept(list(row["conserved"]))
        read = q.problem["roots"].read
        pairs = [(q.problem["invariants"][k], read(c)) for k, c in row["conserved"].items()]
    values = [jet.value for jet in q.jets([node for node, _ in pairs])]
    if any(value is None for value in values):
        raise Refusal("a function has no exact value at the point", _WHERE)
    return [(node, c, value) for (node, c), value in zip(pairs, values, strict=True)]


def _require_arc(q: Question, given: dict[str, Any], rising: list[Terms]) -> None:
    """All functions are positive along the arc, which is on the leaf."""
    ring = PowerSeries(1, given["order"], q.numbers)
    at = {p: Jet(ring.number(v)) for p, v in q.numbers_of("input", "parameter").items()}
    for label, place, value in zip(q.labels, q.moving_places, q.values_at_point(), strict=False):
        powers: dict[tuple[int, ...], Any] = {
            (k,): q.problem["roots"].read(c) for k, c in given["arc"].get(label, [])
        }
        at[place] = Jet(ring.cut((ring.number(value) + ring.polynomial(powers)).terms))

    def value_along(place: int) -> Series:
        return evaluate(q.table, [place], at, ring, 1)[0].value

    if any(value_along(node) for node in q.problem["leaf"].values()):
        raise Refusal("the arc is not on the leaf", _WHERE)
    functions = [
        sum(((value_along(node) - value) * c for node, c, value in terms), ring.number(fmpq(0)))
        for terms in rising
    ]
    functions += [value_along(given["function"])] if given["self"] else []
    for series in functions:
        lowest = series.lowest()[1]
        if not lowest or not lowest[0] > 0:
            raise Refusal("a function is not positive along the arc", _WHERE)
