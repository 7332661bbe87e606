r"""The search for what grows beside a place that is no minimum of the potential (Lagrange's converse).

Coordinates q have the velocities v, and :math:`E = T + U` is conserved, or falls, T quadratic in v. About the
point let :math:`X \cdot dU = (d + c(q))\, U`, c zero there, for :math:`X_i = a_i q_i + \dots` with weights
:math:`a_i > 0`. Then :math:`W = X \cdot \partial T/\partial v` has the rate :math:`(d + c)(-E)` and a
quadratic form in v, which is found to be a sum of squares, or not. What is linear in v, as linear friction
leaves it, is taken into W where it is a rate itself. Where U is negative along an arc
:math:`q_i = s_i t^{a_i}`, the point is unstable.

Weights are those by which as many terms of U as there are coordinates have one degree and no term has a lower
one: a face of its Newton diagram. X and c are solved for, linear equations in their coefficients.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import combinations, islice, pairwise, product
from math import gcd, lcm, prod
from typing import Any, NamedTuple

import numpy as np
from flint import fmpq, fmpq_mat

from geoctrl import checker, decisions
from geoctrl.analysis.critical.arcs import Arc
from geoctrl.analysis.critical.growing_functions import written_squares
from geoctrl.analysis.critical.signed_rates import signed_squares
from geoctrl.analysis.question.appended_rows import Appended
from geoctrl.analysis.question.generators import Generators, NotSolved
from geoctrl.analysis.question.table import Stored
from geoctrl.decisions.functions.identities_by_division import Ratio, length

__all__ = ["hills"]

FACES, POWER = 200, 16
"""Choices of terms for a face, at most; the highest power of an arc."""
TRIED = 2_500
"""Of these in several coordinates, at most."""
DEGREES, UNKNOWNS = (2, 3, 5, 7), 160
"""Of X, tried in turn; coefficients that are solved for, at most."""
STEPS = tuple(fmpq(p, q) for p, q in ((0, 1), (1, 1), (-1, 1), (2, 1), (-2, 1), (1, 2), (-1, 2)))
"""Numbers s of arcs in several coordinates."""

Exponents = tuple[int, ...]
Polynomial = dict[Exponents, fmpq]
"""In deviations of coordinates."""


class Hill(NamedTuple):
    """What a point is asked about: pairs of coordinate and velocity, by turn, and the potential."""

    pairs: list[tuple[int, int]]
    potential: Polynomial


def hills(
    stored: Stored, conserved: Sequence[str], falling: Sequence[str]
) -> Iterator[tuple[Stored, dict[str, Any]]]:
    """Problems with functions that grow.

    Parameters
    ----------
    conserved, falling : names of invariants of the problem that are conserved, or may fall
    """
    q = stored.exactly()
    if q.problem["leaf"] or stored.read["roots"].roots:
        return
    q.require_kept(list(conserved))
    pairs = _pairs(q)
    yield from _with_energies(stored, q, pairs, conserved, falling)
    if not conserved and not falling:
        stored, name = _with_energy_of_forces(stored, q, pairs)
        q = stored.exactly()
        names: list[list[str]] = [[name], []] if q.conserved(name) else [[], [name]]
        yield from _with_energies(stored, q, pairs, *names)


def _with_energies(
    stored: Stored,
    q: decisions.Question,
    pairs: list[tuple[int, int]],
    conserved: Sequence[str],
    falling: Sequence[str],
) -> Iterator[tuple[Stored, dict[str, Any]]]:
    """Problems by functions that are sums of kinetic and potential energies."""
    g = Generators.of(q)
    g = replace(g, velocities=[g.states[j] for _, j in pairs])
    for name in [*conserved, *falling]:
        place = q.problem["invariants"][name]
        with suppress(checker.Refusal, NotSolved):
            hill = _hill(q, g, pairs, place)
            rising = _rising(q, g, name, place, name in conserved)
            for face in _faces(hill.potential):
                with suppress(checker.Refusal, NotSolved):
                    yield _problem(stored, q, g, hill, place, face, rising), {"conserved": []}


def _with_energy_of_forces(
    stored: Stored, q: decisions.Question, pairs: list[tuple[int, int]]
) -> tuple[Stored, str]:
    """The problem with v.v/2 + U, where the rates of the velocities are -dU beside what they do; and its
    name. NotSolved where the forces at rest have no potential.
    """
    g, rates = Generators.of(q), q.ratios(q.problem["field"])
    moving = [g.states[j] for _, j in pairs]
    if q.problem["unknowns"] or any(rates[j].below for _, j in pairs):
        raise NotSolved
    slopes: list[Polynomial] = []
    for _, j in pairs:
        shifted = rates[j].top.compose(*[x + g.point.get(k, fmpq(0)) for k, x in enumerate(g.gens)])
        still = [(e, c) for e, c in shifted.terms() if not any(e[k] for k in moving)]
        if any(e[k] for e, _ in still for k in range(len(g.gens)) if k not in g.states):
            raise NotSolved
        slopes.append({tuple(int(e[g.states[i]]) for i, _ in pairs): -c for e, c in still})
    U = _integral(slopes)
    if any(_slope(U, turn) != slope for turn, slope in enumerate(slopes)):
        raise NotSolved
    energy = sum((g.gens[k] ** 2 * fmpq(1, 2) for k in moving), _in_states(g, Hill(pairs, U), U))
    name, table = "energy", Appended(stored)
    while name in stored.data["invariants"]:
        name += "'"
    place = table.polynomial(energy, g.places)
    return table.with_parts(invariants=stored.data["invariants"] | {name: place}), name


def _slope(p: Polynomial, turn: int) -> Polynomial:
    """The derivative by one coordinate."""
    held = ((term, c) for term, c in p.items() if term[turn])
    return {tuple(e - (k == turn) for k, e in enumerate(term)): c * term[turn] for term, c in held}


def _integral(slopes: Sequence[Polynomial]) -> Polynomial:
    """The polynomial with these derivatives, where there is one: Euler's sum over the degree of a form."""
    found: Polynomial = {}
    for turn, slope in enumerate(slopes):
        for term, c in slope.items():
            key = tuple(e + (k == turn) for k, e in enumerate(term))
            found[key] = found.get(key, fmpq(0)) + c / sum(key)
    return {term: c for term, c in found.items() if c}


def _pairs(q: decisions.Question) -> list[tuple[int, int]]:
    """Coordinates with the states that are their rates, which have to be all states."""
    n, at = len(q.labels), {str(x.top): j for j, x in enumerate(q.ratios(q.moving_places))}
    found = []
    for i, rate in enumerate(q.ratios(q.problem["field"])):
        j = at.get(str(rate.top), n)
        if j < n and not rate.below:
            found.append((i, j))
    if sorted(k for pair in found for k in pair) != list(range(n)):
        raise NotSolved
    return found


def _hill(q: decisions.Question, g: Generators, pairs: list[tuple[int, int]], place: int) -> Hill:
    """Pairs, and the potential less its value at the point; NotSolved where there is no such energy."""
    (energy,) = q.ratios([place])
    if energy.below or any(e[i] for e, _ in energy.top.terms() for i in range(len(e)) if i not in g.states):
        raise NotSolved
    coordinates, velocities = ([g.states[pair[k]] for pair in pairs] for k in (0, 1))
    if any(g.point[i] for i in velocities):
        raise NotSolved
    shifted = energy.top.compose(*[x + g.point.get(k, fmpq(0)) for k, x in enumerate(g.gens)])
    potential: Polynomial = {}
    for exponents, c in shifted.terms():
        order = sum(int(exponents[i]) for i in velocities)
        if order > 2:
            raise NotSolved
        key = tuple(int(exponents[i]) for i in coordinates)
        if not order and any(key):
            potential[key] = c
    if not potential:
        raise NotSolved
    return Hill(pairs, potential)


def _rising(
    q: decisions.Question, g: Generators, name: str, place: int, conserved: bool
) -> Callable[[Appended], dict[str, Any]]:
    """Why -E does not fall, given a table."""
    if conserved:
        return lambda _: {"power": 1, "conserved": {name: "-1"}}
    weights = list(q.problem["weights"].get(name, []))
    sense, _ = signed_squares(q, rate := q.rate([place, *weights]), g)
    if sense < 0:
        raise NotSolved
    return lambda table: {
        "power": 1,
        "fall": {
            "function": place,
            "weights": weights,
            "sense": 1,
            "squares": written_squares(q, g, -rate, table),
        },
    }


# -- weights, X and c -------------------------------------------------------------------------------------


def _faces(U: Polynomial) -> Iterator[tuple[list[int], int]]:
    """Whole weights of the coordinates, and the degree of the terms of a face."""
    terms, n = sorted(U, key=sum), len(next(iter(U)))
    lowest = min(map(sum, terms))
    seen = {(1,) * n}
    if lowest <= POWER:
        yield [1] * n, lowest
    for chosen in islice(combinations(terms, n), FACES):
        matrix = fmpq_mat([[fmpq(e) for e in term] for term in chosen])
        if not matrix.det():
            continue
        found = matrix.solve(fmpq_mat([[fmpq(1)]] * n))
        values = [found[i, 0] for i in range(n)]
        if not all(a > 0 for a in values):
            continue
        size = lcm(*(int(a.q) for a in values))
        whole = [int(a * size) for a in values]
        common = gcd(*whole, size)
        weights, degree = tuple(a // common for a in whole), size // common
        if weights in seen or min(_degree(weights, term) for term in U) < degree or degree > POWER:
            continue
        seen.add(weights)
        yield list(weights), degree


def _degree(weights: Sequence[int], term: Exponents) -> int:
    return sum(a * e for a, e in zip(weights, term, strict=True))


def _fields(U: Polynomial, weights: Sequence[int], degree: int) -> tuple[list[Polynomial], Polynomial]:
    """X and d + c with X.dU = (d + c) U; NotSolved where there are none of low degree."""
    n = len(weights)
    unit = [tuple(int(i == j) for j in range(n)) for i in range(n)]
    X: list[Polynomial] = [{unit[i]: fmpq(a)} for i, a in enumerate(weights)]
    c: Polynomial = {(0,) * n: fmpq(degree)}
    left = _what_is_left(U, X, c)
    if not left:
        return X, c
    if n == 1:  # of U = q^d r(q): X = q r, d + c = d r + q r'
        row = {(e - degree,): u / U[(degree,)] for (e,), u in U.items()}
        return [{(e + 1,): u for (e,), u in row.items()}], {(e,): u * (degree + e) for (e,), u in row.items()}
    for most in DEGREES:
        with suppress(NotSolved):
            return _completed_fields(U, X, c, most)
    raise NotSolved


def _completed_fields(
    U: Polynomial, start: Sequence[Polynomial], c: Polynomial, most: int
) -> tuple[list[Polynomial], Polynomial]:
    """The same with further terms of X up to some degree; NotSolved where it has none."""
    X, c, n = [dict(row) for row in start], dict(c), len(start)
    left = _what_is_left(U, X, c)
    monomials = [e for e in product(range(most + 1), repeat=n) if 1 <= sum(e) <= most]
    further: list[tuple[int | None, Exponents]] = [(i, e) for i in range(n) for e in monomials if sum(e) > 1]
    further += [(None, e) for e in monomials if sum(e) < most]
    if len(further) > UNKNOWNS:
        raise NotSolved
    nothing: list[Polynomial] = [{} for _ in range(n)]
    columns = []
    for i, e in further:
        moved = [{e: fmpq(1)} if k == i else row for k, row in enumerate(nothing)]
        columns.append(_what_is_left(U, moved, {} if i is not None else {e: fmpq(1)}))
    for (i, e), value in zip(further, _solution(columns, {k: -v for k, v in left.items()}), strict=True):
        if value:
            (c if i is None else X[i])[e] = value
    return X, c


def _what_is_left(U: Polynomial, X: Sequence[Polynomial], c: Polynomial) -> Polynomial:
    """X.dU - c U."""
    found: Polynomial = {}
    for term, u in U.items():
        for i, row in enumerate(X):
            for e, x in row.items() if term[i] else ():
                key = tuple(a + b - (k == i) for k, (a, b) in enumerate(zip(term, e, strict=True)))
                found[key] = found.get(key, fmpq(0)) + u * x * term[i]
        for e, x in c.items():
            key = tuple(a + b for a, b in zip(term, e, strict=True))
            found[key] = found.get(key, fmpq(0)) - u * x
    return {k: v for k, v in found.items() if v}


def _solution(columns: list[Polynomial], target: Polynomial) -> list[fmpq]:
    """Numbers with which columns add up to a polynomial; NotSolved where there are none."""
    rows = sorted({e for part in (*columns, target) for e in part})
    matrix = fmpq_mat([[part.get(e, fmpq(0)) for part in (*columns, target)] for e in rows])
    reduced, rank = matrix.rref()
    found = [fmpq(0)] * len(columns)
    for r in range(rank):
        pivot = next(j for j in range(len(columns) + 1) if reduced[r, j])
        if pivot == len(columns):
            raise NotSolved
        found[pivot] = reduced[r, len(columns)]
    return found


# -- the arc ----------------------------------------------------------------------------------------------


def _downhill(U: Polynomial, weights: Sequence[int], degree: int) -> Iterator[list[fmpq]]:
    """Numbers s with U < 0 along s_i t^a_i, by the face alone."""
    face = {term: u for term, u in U.items() if _degree(weights, term) == degree}
    n = len(weights)
    for s in _numbers(face, n):
        value = sum((u * _power(s, term) for term, u in face.items()), fmpq(0))
        if value < 0:
            yield s


def _numbers(face: Polynomial, n: int) -> Iterator[list[fmpq]]:
    """Candidates: small numbers; in two coordinates what lies between roots of the face as well."""
    yield from map(list, islice(product(STEPS, repeat=n), TRIED))
    if n == 2:
        for sign in (1, -1):
            size = max(e[1] for e in face)
            row = [0.0] * (size + 1)
            for (i, j), u in face.items():
                row[size - j] += float(int(u.p) / int(u.q)) * sign**i
            roots = sorted(float(r.real) for r in np.roots(row))
            for low, high in pairwise(roots):
                if low < high:
                    yield [fmpq(sign), fmpq(*((low + high) / 2).as_integer_ratio())]


def _power(s: Sequence[fmpq], term: Exponents) -> fmpq:
    found = fmpq(1)
    for a, e in zip(s, term, strict=True):
        found *= a**e
    return found


# -- the problem ------------------------------------------------------------------------------------------


def _problem(
    stored: Stored,
    q: decisions.Question,
    g: Generators,
    hill: Hill,
    place: int,
    face: tuple[list[int], int],
    rising: Callable[[Appended], dict[str, Any]],
) -> Stored:
    """The problem with a growing function; NotSolved where its rate is not seen to be what it should be."""
    weights, degree = face
    s = next(_downhill(hill.potential, weights, degree), None)
    if s is None:
        raise NotSolved
    arc = Arc(q, {i: [(a, c)] for (i, _), a, c in zip(hill.pairs, weights, s, strict=True) if c}, degree)
    X, c = _fields(hill.potential, weights, degree)
    fields, factor = [_in_states(g, hill, row) for row in X], _in_states(g, hill, c)
    (energy,) = q.ratios([place])
    terms = ((x, energy.top.derivative(g.states[j])) for x, (_, j) in zip(fields, hill.pairs, strict=True))
    W, zero = sum((x * p for x, p in terms), g.one * 0), g.one * 0
    rows = _rows(q, hill, fields, zero)
    height = (energy - q.jets([place])[0].value) * _ratio(q, factor)
    linear = _linear_friction(g, hill, _rate(q, g, W, rows) + height)
    W = W - linear
    table = Appended(stored)
    return table.with_parts(
        growing={
            "function": table.polynomial(W, g.places),
            "weights": [table.polynomial(row, g.places) for row in rows],
            "factor": table.polynomial(factor, g.places),
            "self": 0,
            "rising": [rising(table)],
            "squares": written_squares(q, g, _rate(q, g, W, rows) + height, table),
            "order": degree,
            "arc": arc.data,
        }
    )


def _in_states(g: Generators, hill: Hill, p: Polynomial) -> Any:
    """A polynomial in deviations of the coordinates, as one in the states."""
    away = [g.gens[g.states[i]] - g.point[g.states[i]] for i, _ in hill.pairs]
    found = g.one * 0
    for term, value in p.items():
        found = found + prod((x**e for x, e in zip(away, term, strict=True)), start=g.one) * value
    return found


def _rows(q: decisions.Question, hill: Hill, fields: Sequence[Any], zero: Any) -> list[Any]:
    """By rows of K z = b what eliminates the accelerations from the rate of X . dT/dv, which is X itself."""
    unknown = {p: k for k, p in enumerate(q.moving_places[len(q.labels) :])}
    rows = [zero for _ in unknown]
    for x, (_, j) in zip(fields, hill.pairs, strict=True):
        if unknown and q.problem["field"][j] not in unknown:
            raise NotSolved
        if unknown:
            rows[unknown[q.problem["field"][j]]] = x
    return rows


def _ratio(q: decisions.Question, p: Any) -> Ratio:
    return Ratio(q.functions, p, {}, length(p))


def _rate(q: decisions.Question, g: Generators, p: Any, rows: Sequence[Any]) -> Ratio:
    """That of a polynomial in the states, with the accelerations eliminated by rows."""
    slopes = ((p.derivative(i), rate) for i, rate in zip(g.states, q.ratios(q.problem["field"]), strict=True))
    terms = [_ratio(q, slope) * rate for slope, rate in slopes if slope]
    if rows:
        terms += [_ratio(q, row) * defect for row, defect in zip(rows, q.defects, strict=True) if row]
    return sum(terms, q.functions.number(fmpq(0)))


def _linear_friction(g: Generators, hill: Hill, left: Ratio) -> Any:
    """A function of the coordinates of which the rate is linear in the velocities as what is left of another
    one is; zero where there is none.
    """
    nothing = g.one * 0
    if left.below:
        return nothing
    moving = [g.states[j] for _, j in hill.pairs]
    slopes: list[Polynomial] = [{} for _ in moving]
    shifted = left.top.compose(*[x + g.point.get(k, fmpq(0)) for k, x in enumerate(g.gens)])
    for exponents, c in shifted.terms():
        if sum(int(exponents[j]) for j in moving) == 1:
            turn = next(k for k, j in enumerate(moving) if exponents[j])
            slopes[turn][tuple(int(exponents[g.states[i]]) for i, _ in hill.pairs)] = c
    return _in_states(g, hill, _integral(slopes))
