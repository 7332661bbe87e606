r"""Why equations of rest leave a family of solutions: combinations that vanish whatever the states are.

Weights w and v with :math:`w\cdot R + v\cdot(b - K z) = 0` on the leaf are looked for among those that are
affine in states and functions, by linear algebra over the rationals; `geoctrl.decisions` decides.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from flint import fmpq, fmpq_mat

from geoctrl import decisions
from geoctrl.analysis.question.appended_rows import Appended
from geoctrl.analysis.question.generators import Generators
from geoctrl.analysis.question.table import Stored
from geoctrl.decisions.arithmetic.eliminations import independent, nullspace

__all__ = ["rows_of_rest"]

_COLUMNS, _TERMS = 600, 2000
"""Weights with a coefficient each, and terms of an equation, from which on nothing is looked for."""


def rows_of_rest(held: Stored, resting: Stored, names: list[str]) -> Stored | None:
    """The problem of a loop with rows that explain its family of fixed points; None where none are found.

    Parameters
    ----------
    held : of the loop
    resting : equations with the same table that rest where the loop does
    names : of independent functions that no command changes
    """
    q = decisions.Question(resting.read, exact=True)
    rows = [*q.leaf[0], *(q.function(name)[1] for name in names)]
    wanted = len(nullspace([*q.linearisation, *q.leaf[0]], len(q.labels))) - len(names)
    if wanted <= 0:
        return None
    q.require_kept([])  # relations are known from here
    ratios = [*q.ratios(q.problem["field"]), *q.defects]
    if any(ratio.below for ratio in ratios):
        return None
    equations, generators = [ratio.top for ratio in ratios], Generators.of(q)
    factors: list[tuple[Any, int | None]] = [(generators.one, None)]
    factors += [(generators.gens[i], place) for i, place in generators.places.items()]
    if len(equations) * len(factors) > _COLUMNS or max(map(len, equations)) > _TERMS:
        return None
    table, found = Appended(held), []
    for row in _syzygies(q, equations, [f for f, _ in factors]):
        at = [
            sum((c * generators.value_of(f) for c, (f, _) in zip(w, factors, strict=True)), fmpq(0))
            for w in row
        ]
        if independent(rows, at[: len(q.labels)]):
            rows.append(at[: len(q.labels)])
            places = [_combination_place(table, w, [place for _, place in factors]) for w in row]
            found.append([places[: len(q.labels)], places[len(q.labels) :]])
            if len(found) == wanted:
                return table.with_parts(held=held.data["held"] | {"rest": found})
    return None


def _syzygies(q: decisions.Question, equations: list[Any], factors: list[Any]) -> Iterator[list[list[fmpq]]]:
    """Coefficients, by equation and factor, of combinations that vanish on the leaf."""
    F = q.functions
    monomials: dict[tuple[int, ...], int] = {}
    entries: list[tuple[int, int, fmpq]] = []
    for j, (equation, factor) in enumerate((e, f) for e in equations for f in factors):
        for exponents, c in F.divided(F.product(equation, factor)).terms():
            entries.append((monomials.setdefault(tuple(map(int, exponents)), len(monomials)), j, c))
    columns = len(equations) * len(factors)
    matrix = fmpq_mat(len(monomials), columns)
    for i, j, c in entries:
        matrix[i, j] = c
    reduced, rank = matrix.rref()
    pivots = [next(j for j in range(columns) if reduced[i, j]) for i in range(rank)]
    for free in sorted(set(range(columns)) - set(pivots)):
        vector = [fmpq(0)] * columns
        vector[free] = fmpq(1)
        for i, p in enumerate(pivots):
            vector[p] = -reduced[i, free]
        yield [vector[k : k + len(factors)] for k in range(0, columns, len(factors))]


def _combination_place(table: Appended, weights: list[fmpq], places: list[int | None]) -> int:
    """The place of a combination of factors."""
    terms = zip(weights, places, strict=True)
    return table.total((c, table.product() if place is None else place) for c, place in terms if c)
