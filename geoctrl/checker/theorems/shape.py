r"""Integrals linear in velocities, over a shape of one dimension: further functions for energy and levels.

Geometric states that move as :math:`\dot\gamma = w\,g(\gamma)` on a leaf of dimension one, and velocities
that follow as :math:`\dot u = w\,B(\gamma)\,u`, whatever other states do, obey
:math:`du/ds = N(s)\,u` with :math:`N = B/g_s` along the curve, where s is one of its coordinates, one along
which it moves: :math:`g_s \ne 0`. Each solution of :math:`da/ds = -N^T a` gives an integral
:math:`a(s)\cdot u`, and :math:`a'' = (-N'^T + N^T N^T)\,a`.

Proved are the rates as identities on the leaf, that slopes, rates and leaf depend on geometric states alone,
and that as many relations as there are geometric states but one have independent gradients. The integrals
that begin as each velocity then serve like other conserved functions.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from typing import Any

from flint import fmpq

from geoctrl.checker.definite import product
from geoctrl.checker.jets import Jet, reachable
from geoctrl.checker.limits import Refusal
from geoctrl.checker.question import Question
from geoctrl.checker.reader import COFACTORS, label, place
from geoctrl.checker.verdicts import THEOREMS as OF_POINTS
from geoctrl.checker.verdicts import Found, at_rest, attraction, energy_casimir

SHAPE = {
    "velocity": label,
    "slopes": {...: place},
    "rates": {...: [place]},
    "along": label,
    "cofactors": [COFACTORS],
}
"""The state w, g by geometric states and the rows of B by velocities, the state s; cofactors of the rates,
less w g and w B u, in that order."""


def over_shape(theorem: Callable[[Question, Any], Found]) -> Callable[[Question, Any], Found]:
    """A theorem that may use the integrals over a shape besides the functions of the problem."""

    def verdict_over_shape(q: Question, witness: dict[str, Any]) -> Found:
        if not {*q.problem["leaf"]} <= {*witness["rows"]}:
            raise Refusal("the gradients of the leaf are not shown to be independent", "theorem.rows")
        names = know_integrals(q, witness["shape"])
        verdict, method, told = theorem(q, witness)
        return Found(verdict, method, told | {"shape_integrals": names})

    return verdict_over_shape


def know_integrals(q: Question, shape: dict[str, Any]) -> list[str]:
    """The integrals over a shape as functions that are proved to be kept, by their derivatives at the point:
    their names. That gradients of the leaf are independent is left to the caller.
    """
    _require_structure(q, shape)
    functions = _integrals(q, shape)
    if functions.keys() & q.functions_by_name.keys():
        raise Refusal("the name of an integral stands twice", "problem")
    places = {name: len(q.table) + i for i, name in enumerate(functions)}
    q.functions_by_name = q.functions_by_name | places
    q.at |= {places[name]: jet for name, jet in functions.items()}
    q.kept |= functions.keys()
    return [*functions]


def know_integrals_in_charts(q: Question, given: dict[str, Any]) -> None:
    """Those of a shape, if one is given, with charts that each show the leaf to be regular."""
    if "shape" in given:
        if any(not {*q.problem["leaf"]} <= {*chart["rows"]} for chart in given["charts"]):
            raise Refusal("the gradients of the leaf are not shown to be independent", "theorem.charts")
        know_integrals(q, given["shape"])


def _require_structure(q: Question, shape: dict[str, Any]) -> None:
    w, slopes, rates, leaf = shape["velocity"], shape["slopes"], shape["rates"], q.problem["leaf"]
    if len({w, *slopes, *rates}) != 1 + len(slopes) + len(rates):
        raise Refusal("velocity, slopes and rates are those of different states", "theorem.shape")
    if len(leaf) != len(slopes) - 1:
        raise Refusal("the shape is no curve", "theorem.shape")
    geometric = {("state", k) for k in slopes}
    below = reachable(q.table, [*slopes.values(), *chain(*rates.values()), *leaf.values()])
    of = [q.table[i][1:] for i in below if q.table[i][0] == "sym"]
    if any(role not in ("input", "parameter") and (role, k) not in geometric for k, role in of):
        raise Refusal("slopes, rates and leaf depend on geometric states alone", "theorem.shape")
    state = dict(zip(q.labels, q.still.ratios(q.states), strict=True))
    field = dict(zip(q.labels, q.still.ratios(q.problem["field"]), strict=True))
    expected = dict(zip(slopes, q.still.ratios(list(slopes.values())), strict=True))
    for k, row in rates.items():
        terms = (b * state[other] for b, other in zip(q.still.ratios(row), rates, strict=True))
        expected[k] = sum(terms, q.still.functions.number(0))
    for (k, speed), rows in zip(expected.items(), shape["cofactors"], strict=True):
        if field[k] - state[w] * speed != q.still.combination(rows, leaf):
            raise Refusal("the rates have not the structure of integrals over a shape", "theorem.shape")


def _integrals(q: Question, shape: dict[str, Any]) -> dict[str, Jet]:
    """a(s).u for each velocity, with a(s) to second order: a' = -N'a and a'' = (-N' + N N)'a."""
    n, s = len(q.labels), q.labels.index(shape["along"])
    g = dict(zip(shape["slopes"], q.jets(list(shape["slopes"].values())), strict=True))
    B = [q.jets(row) for row in shape["rates"].values()]
    way = g[shape["along"]]
    speed = way.value
    ahead = [g[k].value / speed if k in g else fmpq(0) for k in q.labels]

    def slope(jet: Jet) -> Any:
        """The derivative by s along the curve."""
        return sum((c * v for c, v in zip(jet.gradient(n), ahead, strict=True)), fmpq(0))

    N = [[b.value / speed for b in row] for row in B]
    dN = [[(slope(b) - b.value / speed * slope(way)) / speed for b in row] for row in B]
    u = [q.at[q.states[q.labels.index(k)]] for k in shape["rates"]]
    found = {}
    for j, (name, twice) in enumerate(zip(shape["rates"], product(N, N), strict=True)):
        a = [
            Jet({(): fmpq(i == j), (s,): -N[j][i], (s, s): (twice[i] - dN[j][i]) * fmpq(1, 2)}, 2)
            for i in range(len(u))
        ]
        found[f"integral of {name}"] = sum(map(Jet.__mul__, a, u), Jet({(): fmpq(0)}, 2))
    return found


THEOREMS = {
    f"{name} over a shape": (
        {"theorem": OF_POINTS[name][0]["theorem"] | {"shape": SHAPE}},
        at_rest(over_shape(theorem)),
    )
    for name, theorem in (("attraction", attraction), ("energy-Casimir", energy_casimir))
}
