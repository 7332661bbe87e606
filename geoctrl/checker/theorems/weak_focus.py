r"""A weak focus: two roots on the axis, and the first odd order that tells whether it attracts (Lyapunov).

Given are series :math:`x(z)` of the states, and of the unknowns, in two of them, :math:`x_a = e_a + z_a`.
The leaf, and levels of conserved functions that are held with it, have independent gradients. Up to terms of
more than m = 2k + 1 powers they vanish along x(z), and so do :math:`b - K z` and
:math:`f(x(z)) - Dx\, r(z)`, where r are the rates of the two states. Then :math:`T = x'(0)` spans a plane
that the linearisation B keeps, with :math:`B T = T J`. For a function :math:`V = V_2 + \dots + V_{m + 1}` of
z, by its forms, with :math:`V_2 > 0`,

.. math:: \nabla V \cdot r(z) = g\, V_2^{k + 1}

up to terms of more than m + 1 powers: hence J has two roots on the axis, which are not zero as det J > 0.
The roots of B beside the plane lie to the left, shown by a form P. So there is a centre manifold of dimension
two, which x(z) is up to terms of more than m powers (Carr, Theorem 3), V' is :math:`g V_2^{k + 1}` on it up
to terms of more than m + 1, and the point has on the level set the stability that it has on the manifold
(Pliss): asymptotically stable where g < 0, unstable where g > 0.

Where levels of conserved functions are held and g < 0, near levels may have another focus, which may repel.
But on :math:`V = \varepsilon^2` the function falls on near levels too, and the manifolds of all of them are
one centre manifold: the point is stable. A point unstable on its level set is unstable.
"""

from __future__ import annotations

from typing import Any

from flint import fmpq

from geoctrl.checker.definite import positive_definite, product
from geoctrl.checker.jets import Jet, Numbers, evaluate
from geoctrl.checker.limits import Refusal, require
from geoctrl.checker.numbers import Number, number_text, positive, rational
from geoctrl.checker.question import Question
from geoctrl.checker.reader import label
from geoctrl.checker.theorems.family import reduced_matrix
from geoctrl.checker.theorems.lowest_form import SERIES, series, states_near
from geoctrl.checker.verdicts import BASIS, Found, at_rest, require_fall, tangent_motion

ORDERS = 3, 5, 7
"""Of the series, m; V has one power more, and so many forms."""
FOCUS = BASIS | {"along": (label, label), "series": SERIES, "forms": [[number_text]], "P": [[rational]]}
"""``forms`` are the coefficients of V_2, V_3, ..., by falling powers of the first variable."""


def weak_focus(q: Question, witness: dict[str, Any]) -> Found:
    """Verdict by the sign of g; Refusal where there is none."""
    along, free, rows = witness["along"], witness["free"], witness["rows"]
    require({*q.problem["leaf"]} <= {*rows}, "a relation of the leaf is missing", "theorem.rows")
    require(
        len({*along}) == 2 and {*along} <= {*free},
        "the two variables are not states that are free",
        "theorem.along",
    )
    require(
        len(witness["forms"]) in ORDERS
        and all(len(form) == degree + 1 for degree, form in enumerate(witness["forms"], 2)),
        "the forms are not those of an order that may tell",
        "theorem.forms",
    )
    B, order = tangent_motion(q, witness), len(witness["forms"])
    slopes, rates = _motion_on_surface(q, witness, order)
    sides, J = [slopes[k] for k in free], [rate.gradient(2) for rate in rates]
    require(
        product(B, sides) == product(sides, J), "the plane is not kept by the linearisation", "theorem.series"
    )
    require(
        positive(J[0][0] * J[1][1] - J[0][1] * J[1][0]),
        "the linearisation does not turn in the plane",
        "theorem.series",
    )
    places = [free.index(k) for k in along]
    require_fall(reduced_matrix(B, sides, [[fmpq(1), fmpq(0)], [fmpq(0), fmpq(1)]], places), witness["P"])
    g = _coefficient(witness["forms"], rates)
    require(positive(g) or positive(-g), "the coefficient of this order is zero", "theorem.forms")
    kept = any(name not in q.problem["leaf"] for name in rows)
    attracts = "PROVED_STABLE" if kept else "PROVED_ASYMPTOTICALLY_STABLE"
    return Found(attracts if positive(-g) else "PROVED_UNSTABLE", "a weak focus", {"order": order})


def _motion_on_surface(
    q: Question, witness: dict[str, Any], order: int
) -> tuple[dict[str, list[Number]], list[Jet]]:
    """Slopes of the states by label, and the rates of the two variables, on a surface that is kept up to some
    power.
    """
    at, numbers = (
        states_near(q, witness["series"], witness["along"], order, {}),
        Numbers(q.numbers.roots, order),
    )
    zero = evaluate(q.table, q.problem["right"], at, numbers)
    for i, j, p in q.problem["matrix"]:
        zero[i] += Jet({(): fmpq(-1)}, order) * evaluate(q.table, [p], at, numbers)[0] * at[q.unknowns[j]]
    for jet in evaluate(q.table, [q.functions_by_name[name] for name in witness["rows"]], at, numbers):
        zero.append(Jet({**jet.terms, (): fmpq(0)}, order))
    field = evaluate(q.table, q.problem["field"], at, numbers)
    rates = [field[q.labels.index(k)] for k in witness["along"]]
    zero += [
        jet + Jet({(): fmpq(-1)}, order) * _rate(at[place], rates)
        for jet, place in zip(field, q.states, strict=True)
    ]
    if any(c != 0 for jet in zero for c in jet.terms.values()):
        raise Refusal("the surface is not kept up to the power of its series", "theorem.series")
    return {k: at[p].gradient(2) for k, p in zip(q.labels, q.states, strict=True)}, rates


def _rate(function: Jet, rates: list[Jet]) -> Jet:
    """The derivative of a function of the two variables along their rates, in the order that it has."""
    total = Jet({(): fmpq(0)}, function.order)
    for i, rate in enumerate(rates):
        slope: dict[tuple[int, ...], Any] = {(): fmpq(0)}
        for key, c in function.terms.items():
            if i in key:
                rest = list(key)
                rest.remove(i)
                slope[tuple(rest)] = c * key.count(i)
        total += Jet(slope, function.order) * Jet(rate.terms, function.order)
    return total


def _coefficient(forms: list[list[Number]], rates: list[Jet]) -> Number:
    """g with V' = g V_2^(k + 1) up to the power 2 k + 2 of the last form, where V_2 > 0."""
    (a, b, c), order = forms[0], len(forms) + 1
    require(
        positive_definite([[a, b * fmpq(1, 2)], [b * fmpq(1, 2), c]]),
        "the quadratic form is not shown to be positive",
        "theorem.forms",
    )
    powers = [[([0] * (len(form) - 1 - k) + [1] * k, v) for k, v in enumerate(form)] for form in forms]
    rate = _rate(series([term for form in powers for term in form], order), rates)
    square = series(powers[0], order)
    power, g = square, rate.terms.get((0,) * order, fmpq(0)) / a
    for _ in forms[2::2]:
        power, g = power * square, g / a
    left = rate + Jet({(): -g}, order) * power
    if any(v != 0 for v in left.terms.values()):
        raise Refusal(
            "the rate of the function does not begin with a multiple of a power of its form", "theorem.forms"
        )
    return g


THEOREMS = {"weak focus": ({"theorem": FOCUS}, at_rest(weak_focus))}
