r"""Witnesses of series: those along which a minimum of higher order is seen, and of motion along a zero root.

Their terms are found by one power after the other, from what the equations leave of it, by the inverse of
their derivative at the point. Of a form in two variables that is positive, :math:`f(1, t) = |q(t)|^2` for the
polynomial q with its roots above the axis: its squares, and some of all monomials, make a Gram matrix.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations, combinations_with_replacement
from typing import Any

import numpy as np
from flint import fmpq

from geoctrl._scalars.arithmetic.magnitudes import binary
from geoctrl.analysis.question.generators import NotSolved
from geoctrl.analysis.witnesses.falling_witnesses import CofactorWriter, steps_and_sight
from geoctrl.analysis.witnesses.lyapunov_forms import falling_form, form_triangle
from geoctrl.analysis.witnesses.point_witnesses import Basis, PointWitnesses, inverse_of, texts
from geoctrl.checker.definite import positive_definite, product
from geoctrl.checker.numbers import Number, ball, number_text
from geoctrl.checker.theorems.family import quotient, reduced_matrix
from geoctrl.checker.theorems.lowest_form import (
    VARIABLES,
    combination,
    functions_near,
    gram,
    motion_near,
)
from geoctrl.decisions.arithmetic.eliminations import combined_hessian, form, nullspace
from geoctrl.decisions.functions.derivatives import Jet, evaluate, to_float
from geoctrl.decisions.theorems.focus_decision import focus_at

__all__ = ["falling_lowest_form", "focus", "lowest_form", "zero_root"]

Power = tuple[int, ...]
Rows = list[list[Any]]
BITS = 24
"""Of the numbers of a Gram matrix in balanced units."""
POINTS = 720
"""Of the half circle, at which the least value of a form is looked for."""
TAKEN = 0.5
"""Of that value, for all monomials."""


def lowest_form(point: PointWitnesses, proof: dict[str, Any]) -> dict[str, Any]:
    """Series by Lagrange's equations, and a Gram matrix of the lowest form."""
    multipliers = proof["evidence"]["multipliers"]
    return {"name": "lowest form", **_minimum(point, proof, multipliers, {})}


def falling_lowest_form(point: PointWitnesses, proof: dict[str, Any]) -> dict[str, Any]:
    """The same with a function that falls, and what shows that nothing stays where it rests."""
    given, evidence = proof["problem"]["falling"], proof["evidence"]
    identities = CofactorWriter(point.question, point.table)
    fall = {"fall": identities.fall(given)}
    found = _minimum(point, proof, evidence["falling_multipliers"], fall)
    seen = steps_and_sight(point, found, identities, given) if evidence["nothing_stays"] == "yes" else {}
    return {"name": "falling lowest form", **found, **seen}


def _minimum(
    point: PointWitnesses, proof: dict[str, Any], combined: dict[str, str], fall: dict[str, Any]
) -> dict[str, Any]:
    """What shows the minimum of a combination, of which the first function may be one that falls."""
    found, labels = proof["evidence"], point.question.labels
    basis = point.basis([*found["held"], *proof["problem"]["leaf"]])
    combined = {k: c for k, c in combined.items() if c != "0"}
    sense, rows, p = -1 if found["inertia"][1] else 1, basis["rows"], found["lowest_power"] // 2
    along, inverse = _lagrange_equations(point, basis, {k: (sense, c) for k, c in combined.items()})
    multipliers = dict(list(combined.items())[len(fall) :])
    h = {k: VARIABLES + i for i, k in enumerate(labels) if k not in along}
    given: dict[str, Any] = basis | {"sense": sense, "along": along, "series": {k: [] for k in h}}
    given |= {"levels": {k: [] for k in rows}, "multipliers": _numbers(multipliers), **fall}
    q = point.read()

    def residual(order: int) -> Callable[[Power], list[Number]]:
        away = functions_near(q, given, order)
        total = combination(given, away, order)
        return lambda power: [
            *(total.get(power + (i,) * order, fmpq(0)) for i in h.values()),
            *(away[name].terms.get(power, fmpq(0)) for name in rows),
        ]

    for order in range(1, p + 1):
        _extend(
            [*given["series"].values(), *given["levels"].values()],
            inverse,
            residual(order),
            len(along),
            order,
        )
    total = combination(given, functions_near(q, given, p), p)
    powers = range(2 * p + 1 if len(along) > 1 else 1)
    lowest = [total.get((0,) * (2 * p - k) + (1,) * k, fmpq(0)) for k in powers]
    data = {**basis, "multipliers": multipliers, "sense": sense, "half": p, **fall}
    data |= {"along": along} | {part: _texts(given[part]) for part in ("series", "levels")}
    return data | {"gram": [str(c) for c in free_of_gram(lowest)]}


def zero_root(point: PointWitnesses, proof: dict[str, Any]) -> dict[str, Any]:
    """The curve on which the field is along the kernel, and a form that falls across it."""
    basis, q = point.basis(list(proof["problem"]["leaf"])), point.read()
    free, m = basis["free"], proof["evidence"]["lowest_power"]
    along, slopes, inverse = _equations_of_curve(point, free)
    moving = [k for k in [*q.labels, *q.problem["unknowns"]] if k != along]
    given: dict[str, Any] = {"along": along, "series": {k: [] for k in moving}}
    rates: list[Any] = []

    def residual(order: int) -> Callable[[Power], list[Number]]:
        _, field, zero = motion_near(q, given, order)
        rows = [*(jet for k, jet in zip(q.labels, field, strict=True) if k in free), *zero]
        return lambda power: [jet.terms.get(power, fmpq(0)) for jet in rows]

    for k in moving:
        given["series"][k] += [((0,), slopes[k])] if slopes[k] else []
    for order in range(2, m + 1):
        _extend([*given["series"].values(), rates], inverse, residual(order), 1, order)
    across = quotient(point.motion(basis), free, [along], {k: [slopes[k]] for k in q.labels}, [[fmpq(1)]])
    P = form_triangle(falling_form(across))
    data = {"name": "zero root", **basis, "power": m, "along": along}
    return data | {"series": _texts(given["series"]), "P": P}


def focus(point: PointWitnesses, _: dict[str, Any]) -> dict[str, Any]:
    """The surface on which an odd order tells, a function on it, and a form that falls beside it."""
    q = point.question
    found = focus_at(q)
    basis = point.basis(found.rows)
    free, along = basis["free"], found.along
    powers = {
        k: [((0,) * e[0] + (1,) * e[1], c) for e, c in sorted(terms.items())]
        for k, terms in found.series.items()
    }
    slopes = [[fmpq(k == a) for a in along] if k in along else _slopes(found.series[k]) for k in free]
    unit = [[fmpq(1), fmpq(0)], [fmpq(0), fmpq(1)]]
    across = reduced_matrix(point.motion(basis), slopes, unit, [free.index(k) for k in along])
    data = {"name": "weak focus", **basis, "along": along, "series": _texts(powers)}
    return data | {"forms": texts(found.forms), "P": form_triangle(falling_form(across))}


def _slopes(terms: dict[Power, fmpq]) -> list[fmpq]:
    """First derivatives of a polynomial in two variables."""
    return [terms.get(e, fmpq(0)) for e in ((1, 0), (0, 1))]


def free_of_gram(lowest: list[Number]) -> list[Number]:
    """What is free of a Gram matrix of a form, for a definite one; NotSolved if none is found."""
    p = len(lowest) // 2
    pairs = [(i, j) for i, j in combinations(range(p + 1), 2) if j - i > 1]
    found: list[Number] = []
    if pairs:
        sizes = [to_float(ball(c).mid().fmpq()) for c in (lowest[0], lowest[-1])]
        if not min(sizes) > 0:
            raise NotSolved
        unit = fmpq(*float(binary((sizes[0] / sizes[1]) ** (0.5 / p))).as_integer_ratio())
        height = fmpq(*float(binary(sizes[0])).as_integer_ratio())
        G = _gram_matrix(
            np.array([to_float(ball(c * unit**k / height).mid().fmpq()) for k, c in enumerate(lowest)])
        )
        found = [
            fmpq(round(G[i, j] * 2.0**BITS), 1 << BITS) * height * (1 / unit) ** (i + j) for i, j in pairs
        ]
    if not positive_definite(gram(lowest, found)):
        raise NotSolved
    return found


def _gram_matrix(coefficients: np.ndarray) -> np.ndarray:
    """Of a form with leading coefficients next to one: squares of the parts of q, and of monomials."""
    p = len(coefficients) // 2
    angle = np.arange(POINTS) * np.pi / POINTS
    monomials = (
        np.cos(angle) ** np.arange(2 * p, -1, -1)[:, None] * np.sin(angle) ** np.arange(2 * p + 1)[:, None]
    )
    least = TAKEN * np.min((coefficients @ monomials) / np.sum(monomials[::2], axis=0))
    rest = coefficients - least * (np.arange(2 * p + 1) % 2 == 0)
    roots = np.roots(rest[::-1])
    half = np.polynomial.polynomial.polyfromroots(roots[np.argsort(roots.imag)[p:]]) * np.sqrt(abs(rest[-1]))
    return np.real(np.outer(half, half.conj())) + least * np.eye(p + 1)


def _lagrange_equations(
    point: PointWitnesses, basis: Basis, multipliers: dict[str, tuple[int, str]]
) -> tuple[list[str], Rows]:
    """States that move along the kernel of the second variation, and the inverse of the derivative of
    Lagrange's equations and of the level by all others and by the functions that the rows are multiplied by.
    """
    q, n = point.question, len(point.question.labels)
    rows = [q.function(name)[1] for name in basis["rows"]]
    terms = [(s * q.problem["roots"].read(c), q.function(k)[2]) for k, (s, c) in multipliers.items()]
    H, W = combined_hessian(terms, n), nullspace(rows, n)
    # The last entry of each vector of the kernel is zero in the others.
    along = [basis["free"][max(i for i, c in enumerate(v) if c)] for v in nullspace(form(H, W), len(W))]
    fixed = [i for i, k in enumerate(q.labels) if k not in along]
    M = [[*(H[i][j] for j in fixed), *(row[i] for row in rows)] for i in fixed]
    M += [[*(row[i] for i in fixed), *[fmpq(0)] * len(rows)] for row in rows]
    return along, _inverse(M)


def _equations_of_curve(point: PointWitnesses, free: list[str]) -> tuple[str, dict[str, Number], Rows]:
    """A state that moves along the kernel, slopes of all states and unknowns by it, and the inverse of the
    derivative of what vanishes on the curve by all others and by the rate.
    """
    q, zero = point.question, fmpq(0)
    unknowns, places, n = q.problem["unknowns"], q.moving_places, len(q.labels)
    names = [*q.labels, *unknowns]
    (kernel,) = nullspace([*q.linearisation, *q.leaf[0]], n)
    along = next(k for k in free if kernel[q.labels.index(k)])
    size = kernel[q.labels.index(along)]
    slopes = {
        k: sum((c * kernel[i] / size for i, c in jet.first.items()), zero)
        for k, jet in zip(names, q.jets(places), strict=True)
    }
    at = {p: Jet(v) for p, v in q.numbers_of("input", "parameter").items()}
    at |= {p: Jet(v, {i: fmpq(1)}) for i, (p, v) in enumerate(zip(places, q.values_at_point(), strict=True))}

    def jets(nodes: Sequence[int]) -> list[Jet]:
        return evaluate(q.table, nodes, at, q.numbers, 1)

    rows = [(jet, slopes[k]) for k, jet in zip(q.labels, jets(q.problem["field"]), strict=True) if k in free]
    right, minus = jets(q.problem["right"]), Jet(fmpq(-1))
    for i, j, p in q.problem["matrix"]:
        right[i] = right[i] + minus * jets([p])[0] * at[places[n + j]]
    rows += [(jet, zero) for jet in (*jets(list(q.problem["leaf"].values())), *right)]
    moving = [i for i, k in enumerate(names) if k != along]
    M = [[*(jet.first.get(i, zero) for i in moving), -slope] for jet, slope in rows]
    return along, _numbers({k: str(c) for k, c in slopes.items()}), _inverse(M)


def _extend(
    found: list[list[tuple[Power, Number]]],
    inverse: Rows,
    residual: Callable[[Power], list[Number]],
    variables: int,
    order: int,
) -> None:
    """Take terms of one more power into series, so that nothing is left of their equations there."""
    for power in combinations_with_replacement(range(variables), order):
        for series, (c,) in zip(found, product(inverse, [[-c] for c in residual(power)]), strict=True):
            if c != 0:
                series.append((power, c))


def _inverse(M: Rows) -> Rows:
    """In the numbers of the file."""
    return [[number_text(c) for c in row] for row in texts(inverse_of(M))]


def _numbers(texts_of: dict[str, str]) -> dict[str, Number]:
    return {k: number_text(c) for k, c in texts_of.items()}


def _texts(series: dict[str, list[tuple[Power, Number]]]) -> dict[str, Any]:
    """Those that are not zero, as a file has them."""
    return {k: [[list(power), str(c)] for power, c in terms] for k, terms in series.items() if terms}
