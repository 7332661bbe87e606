r"""The search for functions that grow beside conserved ones: frozen coordinates, drifts at no constant rate.

W is a deviation of one state, or a combination of several, whose rate is a product of conserved functions, of
W itself and of what does not vanish at the point, as :math:`\dot x = x y` beside :math:`\dot y = 0`; or one
such term besides squares.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import product
from math import prod
from typing import Any, NamedTuple

from flint import fmpq, fmpq_mat

from geoctrl import checker, decisions
from geoctrl.analysis.critical.arcs import Arc, directions
from geoctrl.analysis.critical.signed_rates import signed_squares
from geoctrl.analysis.question.appended_rows import Appended
from geoctrl.analysis.question.generators import Generators, NotSolved
from geoctrl.analysis.question.table import Stored
from geoctrl.decisions.functions.identities_by_division import Ratio, length

__all__ = ["growing_functions", "written_squares"]

ORDER, POWERS, TERMS, SHORT = 8, 4, 400, 40
"""Of arcs; the highest power of what is conserved in combinations of states; terms of all rates of these, at
most; and terms of a rate of which each is looked at, or of a product of what is conserved."""


class Kept(NamedTuple):
    """A conserved function: its name, its place, and the polynomial that it is less its value."""

    name: str
    place: int
    polynomial: Any


class Growth(NamedTuple):
    """W, a polynomial in the states, with the rate factor prod C^k W^j + rest, all but the signs."""

    function: Any
    factor: tuple[Any, Any]
    powers: dict[int, int]
    itself: int
    rest: Any


def growing_functions(stored: Stored, conserved: Sequence[str]) -> Iterator[tuple[Stored, dict[str, Any]]]:
    """Problems with functions that grow; NotSolved of a point that is not rational."""
    if stored.read["roots"].roots:
        raise NotSolved
    stored, frozen = _with_frozen_states(stored)
    q = stored.exactly()
    q.require_kept(list(conserved))
    g = Generators.of(q)
    kept = [k for k in (_kept_function(q, g, name) for name in [*conserved, *frozen]) if k is not None]
    rates = [q.ratios([place])[0] for place in q.problem["field"]]
    growths = [*_of_states(q, g, kept, rates), *_of_combinations(g, kept, rates)]
    for growth in growths:
        with suppress(checker.Refusal, NotSolved):
            yield _problem(stored, q, g, kept, growth), {"conserved": []}


def _with_frozen_states(stored: Stored) -> tuple[Stored, list[str]]:
    """The problem with states that do not move as invariants, and the names of these."""
    q = stored.exactly()
    known = {*stored.data["leaf"], *stored.data["invariants"]}
    further: dict[str, int] = {}
    for label, rate, place in zip(q.labels, q.ratios(q.problem["field"]), q.moving_places, strict=False):
        if not rate and place not in stored.data["invariants"].values():
            name = label
            while name in known:
                name += "'"
            further[name] = place
    if not further:
        return stored, []
    return stored.with_parts(invariants=stored.data["invariants"] | further), list(further)


def _kept_function(q: decisions.Question, g: Generators, name: str) -> Kept | None:
    """None where the function is no polynomial in the states, or does not move."""
    place = q.problem["invariants"][name]
    (ratio,) = q.ratios([place])
    if ratio.below or not _generators_in(ratio.top) <= {*g.states}:
        return None
    polynomial = ratio.top - g.value_of(ratio.top)
    return Kept(name, place, polynomial) if polynomial else None


def _generators_in(p: Any) -> set[int]:
    """Numbers of the generators in a polynomial."""
    return {i for exponents, _ in p.terms() for i, e in enumerate(exponents) if e}


def _of_states(
    q: decisions.Question, g: Generators, kept: Sequence[Kept], rates: Sequence[Any]
) -> Iterator[Growth]:
    """Rates of single states and of their squares that are products, or one product and squares."""
    for i, rate in enumerate(rates):
        away = g.gens[g.states[i]] - g.point[g.states[i]]
        top = q.functions.remainder(rate)
        below = prod((q.functions.factors[k].top ** e for k, e in rate.below.items()), start=g.one)
        if not top or len(top) > TERMS:
            continue
        for power in (1, 2):
            W, whole = away**power, top * away ** (power - 1) * power
            with suppress(NotSolved):
                yield Growth(W, *_product(whole, below, g, kept, away, power), None)
            for term in _terms(whole, g) if not rate.below and len(whole) <= SHORT else ():
                with suppress(NotSolved):
                    yield Growth(W, *_product(term, below, g, kept, away, power), whole - term)


def _terms(p: Any, g: Generators) -> list[Any]:
    """Those of a polynomial in deviations from the point, where there are several."""
    there, back = ([x + s * g.point.get(k, fmpq(0)) for k, x in enumerate(g.gens)] for s in (1, -1))
    terms = list(p.compose(*there).terms())
    ring = p.context()
    found = [ring.from_dict({tuple(map(int, e)): c}).compose(*back) for e, c in terms]
    return found if len(found) > 1 else []


def _product(
    top: Any, below: Any, g: Generators, kept: Sequence[Kept], away: Any, power: int
) -> tuple[tuple[Any, Any], dict[int, int], int]:
    """Factor, powers of the conserved functions and of W, itself a power of a deviation; NotSolved where it
    is no such product.
    """
    scale, factors = top.factor()
    factor, powers, itself = g.one * scale, dict[int, int](), 0
    for p, m in ((p, int(m)) for p, m in factors):
        fitting = (k for k, known in enumerate(kept) if _multiple(known.polynomial, p))
        if g.value_of(p):
            factor = factor * p**m
        elif (k := next(fitting, None)) is not None:
            powers[k] = powers.get(k, 0) + m
            factor = factor * (1 / _multiple(kept[k].polynomial, p)) ** m
        elif (ratio := _multiple(away, p)) and m % power == 0:
            itself, factor = itself + m // power, factor * (1 / ratio) ** m
        else:
            raise NotSolved
    return (factor, below), powers, itself


def _multiple(p: Any, q: Any) -> fmpq:
    """c with p = c q; zero where there is none."""
    c = p.leading_coefficient() / q.leading_coefficient()
    return c if p == q * c else fmpq(0)


def _of_combinations(g: Generators, kept: Sequence[Kept], rates: Sequence[Any]) -> Iterator[Growth]:
    """Combinations of states of which the rate is a product of powers of conserved functions."""
    if any(rate.below for rate in rates) or sum(len(rate.top) for rate in rates) > TERMS:
        return
    degree = max(rate.top.total_degree() for rate in rates)
    low = [(k, known.polynomial) for k, known in enumerate(kept) if known.polynomial.total_degree() <= degree]
    for powers in product(range(POWERS + 1), repeat=min(len(low), 3)):
        taken = [(k, p, e) for (k, p), e in zip(low, powers, strict=False) if e]
        size = sum(p.total_degree() * e for _, p, e in taken)
        if not 0 < size <= degree or prod(len(p) ** e for _, p, e in taken) > SHORT:
            continue
        target = prod((p**e for _, p, e in taken), start=g.one)
        if (w := _combination([rate.top for rate in rates], target)) and len(w) > 1:
            away = (g.gens[g.states[i]] - g.point[g.states[i]] for i in w)
            W = sum((x * c for x, c in zip(away, w.values(), strict=True)), g.one * 0)
            yield Growth(W, (g.one, g.one), {k: e for k, _, e in taken}, 0, None)


def _combination(polynomials: Sequence[Any], target: Any) -> dict[int, fmpq] | None:
    """Numbers w with sum w_i p_i = target, by turn; None where there are none."""
    parts = [{tuple(e): c for e, c in p.terms()} for p in (*polynomials, target)]
    rows = sorted({e for part in parts for e in part})
    matrix = fmpq_mat([[part.get(e, fmpq(0)) for part in parts] for e in rows])
    reduced, rank = matrix.rref()
    found: dict[int, fmpq] = {}
    for r in range(rank):
        pivot = next(j for j in range(len(parts)) if reduced[r, j])
        if pivot == len(polynomials):
            return None
        if reduced[r, len(polynomials)]:
            found[pivot] = reduced[r, len(polynomials)]
    return found


def _problem(
    stored: Stored, q: decisions.Question, g: Generators, kept: Sequence[Kept], growth: Growth
) -> Stored:
    """The problem with a growing function, by an arc on which all signs fit; NotSolved without one."""
    top, below = growth.factor
    size = g.value_of(top) / g.value_of(below)
    tried = set[int]()
    for powers in directions(q):
        arc = Arc(q, powers, ORDER)
        signs = {k: arc.lowest_of(kept[k].place) for k in growth.powers}
        lowest = arc.lowest_of_polynomial(growth.function, g.states)
        if not all(signs.values()) or (growth.itself and not lowest):
            continue
        sense = _sign(lowest)
        turned = prod((_sign(signs[k]) ** e for k, e in growth.powers.items()), start=_sign(size))
        if not growth.itself:
            sense = turned
        if sense not in tried and sense * turned * (sense**growth.itself) > 0:
            tried.add(sense)
            with suppress(NotSolved):  # what is beside may be squares for the other sense of W
                return _written_problem(stored, q, g, kept, growth, arc, sense, signs)
    raise NotSolved


def _sign(c: fmpq) -> int:
    return 1 if c > 0 else -1


def _written_problem(
    stored: Stored,
    q: decisions.Question,
    g: Generators,
    kept: Sequence[Kept],
    growth: Growth,
    arc: Arc,
    sense: int,
    signs: dict[int, fmpq],
) -> Stored:
    """The same with the signs of W and of what is conserved."""
    table, (top, below) = Appended(stored), growth.factor
    flipped = prod((_sign(signs[k]) ** e for k, e in growth.powers.items()), start=1)
    top = top * (sense * flipped * sense**growth.itself)
    squares = []
    if growth.rest is not None:
        rest = growth.rest * sense
        squares = written_squares(q, g, Ratio(q.functions, rest, {}, length(rest)), table)
    rising = [
        {"power": e, "conserved": {kept[k].name: str(_sign(signs[k]))}} for k, e in growth.powers.items()
    ]
    return table.with_parts(
        growing={
            "function": table.polynomial(growth.function * sense, g.places),
            "weights": [],
            "factor": _quotient(table, g, top, below),
            "self": growth.itself,
            "rising": rising,
            "squares": squares,
            "order": arc.order,
            "arc": arc.data,
        }
    )


def _quotient(table: Appended, g: Generators, top: Any, below: Any) -> int:
    place = table.polynomial(top, g.places)
    return place if below.is_one() else table.product((place, 1), (table.polynomial(below, g.places), -1))


def written_squares(
    q: decisions.Question, g: Generators, ratio: Ratio, table: Appended
) -> list[dict[str, int]]:
    """Squares with positive factors of which a function is the sum, as a problem has them; NotSolved where
    none are found.
    """
    if not ratio:
        return []
    sense, squares = signed_squares(q, ratio, g)
    if sense > 0:
        raise NotSolved
    return [
        {"factor": _quotient(table, g, *row.factor), "square": table.polynomial(row.square, g.places)}
        for row in squares
    ]
