r"""A function that grows along motions which begin as near to the point as one likes (Chetaev; Lagrange's
converse).

Functions :math:`C_i` that vanish at the point do not fall: each is a combination of conserved functions, less
its value there, or one function less its value of which it is shown that it does not fall. For a function W

.. math:: \dot W = g \prod_i C_i^{k_i}\, W^j + \sum_l d_l q_l^2

on the leaf, with g and all :math:`d_l` positive at the point, :math:`k_i \ge 1`, :math:`j \ge 0`. An arc x(t)
on the leaf begins at the point, and on it all :math:`C_i`, and W where j > 0, are positive for small t > 0.

Then the point is unstable. About it there is a compact neighbourhood in which g is at least :math:`g_0 > 0`,
no :math:`d_l` is negative and W is bounded. Were the point stable, motions that begin at x(t) with a small t
would stay there. On such a motion each :math:`C_i` stays at least what it is at its start, and so does W,
since :math:`\dot W \ge 0` as long as W is positive, or j is zero: :math:`\dot W` is at least
:math:`g_0 \prod C_i(x(t))^{k_i} W(x(t))^j > 0` for ever, and W is not bounded.

Neither spectrum nor second derivatives are asked for. That near points are unstable is not enough:
:math:`\dot x = x (c - x^2), \dot c = 0` is stable at 0, and unstable wherever x = 0 < c.

The arc is that whose free states are the polynomials of the file: the gradients of the leaf are independent,
and the others, with which the leaf vanishes up to :math:`t^m`, are right up to this power. So are functions
along it, and the lowest power that they have tells their sign.
"""

from __future__ import annotations

from typing import Any

from flint import fmpq

from geoctrl.checker.identities import Ratio
from geoctrl.checker.jets import Jet, Numbers, evaluate
from geoctrl.checker.limits import Refusal, require
from geoctrl.checker.numbers import Number, number_text, positive
from geoctrl.checker.question import Question
from geoctrl.checker.reader import COFACTORS, EXPONENT, integer, place
from geoctrl.checker.theorems.falling import FALL, require_fall, sum_of_squares
from geoctrl.checker.theorems.lowest_form import POWER, states_near
from geoctrl.checker.verdicts import BASIS, Found, at_rest, tangents

RISING = {"power": integer(1, EXPONENT), "conserved?": {...: number_text}, "fall?": FALL}
GROWING = BASIS | {
    "function": place,
    "weights": [place],
    "factor": place,
    "self": integer(0, EXPONENT),
    "rising": [RISING],
    "squares": [{"factor": place, "square": place}],
    "cofactors": COFACTORS,
    "order": integer(1, POWER),
    "arc": {...: [(integer(1, POWER), number_text)]},
}
"""``function`` is W, ``self`` is j; of ``rising`` each is a combination of what is ``conserved``, or a
function by its ``fall``, which rises with the other sense. ``arc`` are powers of t with their coefficients,
by state."""


def growing_function(q: Question, witness: dict[str, Any]) -> Found:
    """Verdict that a growing function gives; Refusal where it gives none."""
    require({*witness["rows"]} == {*q.problem["leaf"]}, "the arc is one on the whole leaf", "theorem.rows")
    tangents(q, witness)
    terms = [_terms(q, row) for row in witness["rising"]]
    _require_growth(q, witness, terms)
    order = witness["order"]
    arc = {k: [[[0] * power, c] for power, c in row] for k, row in witness["arc"].items()}
    at, numbers = states_near(q, arc, [], order, {}), Numbers(q.numbers.roots, order)

    def value_along(place: int) -> Jet:
        return evaluate(q.table, [place], at, numbers)[0]

    if any(c != 0 for node in q.problem["leaf"].values() for c in value_along(node).terms.values()):
        raise Refusal("the arc is not on the leaf", "theorem.arc")
    functions = [[Jet({(): c}, order) * value_along(node) for node, c, _ in row] for row in terms]
    away = [sum(row, Jet({(): fmpq(0)}, order)) for row in functions]
    away = [Jet({**jet.terms, (): fmpq(0)}, order) for jet in away]
    grown = [value_along(witness["function"])] if witness["self"] else []
    require(
        all(positive(_lowest(jet)) for jet in [*away, *grown]),
        "a function is not shown to be positive along the arc",
        "theorem.arc",
    )
    told = [k for row in witness["rising"] for k in row.get("conserved", {})]
    return Found("PROVED_UNSTABLE", "a growing function", {"conserved": told})


def _terms(q: Question, row: dict[str, Any]) -> list[tuple[int, Number, Number]]:
    """What a function that does not fall consists of: places, factors, and values at the point."""
    require(
        ("fall" in row) != ("conserved" in row),
        "it is not said why a function does not fall",
        "theorem.rising",
    )
    if fall := row.get("fall"):
        require_fall(q, fall)
        pairs = [(fall["function"], fmpq(-fall["sense"]))]
    else:
        q.require_kept(row["conserved"])
        pairs = [(q.functions_by_name[k], c) for k, c in row["conserved"].items()]
    found = [
        (node, c, jet.value) for (node, c), jet in zip(pairs, q.jets([p for p, _ in pairs]), strict=True)
    ]
    if any(value is None for _, _, value in found):
        raise Refusal("a function has no exact value at the point", "theorem.rising")
    return found


def _require_growth(
    q: Question, witness: dict[str, Any], terms: list[list[tuple[int, Number, Number]]]
) -> None:
    """W' = g prod C^k W^j + sum d q^2 on the leaf, where g and every d are positive at the point."""
    (factor,) = q.jets([witness["factor"]])
    require(
        factor.value is not None and positive(factor.value),
        "the factor is not proved positive at the point",
        "theorem.factor",
    )
    ratios, F = q.still.ratios, q.still.functions
    (product,) = ratios([witness["factor"]])
    for row, parts in zip(witness["rising"], terms, strict=True):
        values: list[Ratio] = [
            (ratios([node])[0] - F.number(value)) * F.number(c) for node, c, value in parts
        ]
        for _ in range(row["power"]):
            product = product * sum(values, F.number(0))
    for _ in range(witness["self"]):
        product = product * ratios([witness["function"]])[0]
    rate = q.rate_of(witness["function"], witness["weights"])
    left = rate - product - sum_of_squares(q, witness["squares"])
    require(
        left == q.still.combination(witness["cofactors"], q.problem["leaf"]),
        "it is not proved that the function grows",
        "theorem.function",
    )


def _lowest(jet: Jet) -> Number:
    """The coefficient of the lowest power that a series has; zero where there is none."""
    require(jet.value is not None, "a function has no exact value at the point", "theorem.function")
    return next((c for _, c in sorted(jet.terms.items(), key=lambda term: len(term[0])) if c != 0), fmpq(0))


THEOREMS = {"growing": ({"theorem": GROWING}, at_rest(growing_function))}
