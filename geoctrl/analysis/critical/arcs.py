"""Arcs from a point on the leaf: free states as polynomials of one variable, the others by the leaf."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, product
from typing import Any

from flint import fmpq

from geoctrl import decisions
from geoctrl.analysis.question.generators import NotSolved
from geoctrl.decisions.arithmetic.eliminations import nullspace
from geoctrl.decisions.functions.derivatives import Jet, evaluate
from geoctrl.decisions.theorems.series_by_order import PowerSeries, Series, implicit

__all__ = ["Arc", "directions"]

Powers = Mapping[int, Sequence[tuple[int, fmpq]]]
"""By states, by their turn: powers of the variable with their coefficients."""
MOST = 4
"""States of which all signs are tried together; of more, two at a time."""


class Arc:
    """An arc from the point, up to some power; Refusal or NotSolved where the leaf gives none.

    Attributes
    ----------
    states : series, less the point, by turn
    """

    def __init__(self, q: decisions.Question, powers: Powers, order: int) -> None:
        self._q, self.ring, self.order = q, PowerSeries(1, order, q.numbers), order
        n, rows = len(q.labels), [q.function(name)[1] for name in q.problem["leaf"]]
        free = [max(i for i in range(n) if w[i]) for w in nullspace(rows, n)]
        fixed = [i for i in range(n) if i not in free]
        if len(fixed) != len(rows) or not {*powers} <= {*free}:
            raise NotSolved
        self._given = {p: Jet(self.ring.number(v)) for p, v in q.numbers_of("input", "parameter").items()}
        self._point = q.values_at_point()[:n]
        shape = {i: self.ring.polynomial({(k,): c for k, c in powers.get(i, ())}) for i in free}
        zero = self.ring.number(fmpq(0))
        leaf = list(q.problem["leaf"].values())

        def residual(X: list[Series]) -> list[Series]:
            return self._values([{**shape, **dict(zip(fixed, X, strict=True))}[i] for i in range(n)], leaf)

        found = [zero for _ in fixed]
        if fixed:
            found = implicit(self.ring, found, [[row[i] for i in fixed] for row in rows], residual)
        together = {**shape, **dict(zip(fixed, found, strict=True))}
        self.states = [together[i] for i in range(n)]

    def _values(self, states: Sequence[Series], places: list[int]) -> list[Series]:
        at = dict(self._given)
        for p, value, moved in zip(self._q.moving_places, self._point, states, strict=False):
            at[p] = Jet(moved + value)
        return [jet.value for jet in evaluate(self._q.table, places, at, self.ring, 1)]

    def lowest_of(self, place: int) -> fmpq:
        """The lowest coefficient of a function less its value at the point, zero where it has none."""
        return _lowest(self._values(self.states, [place])[0])

    def lowest_of_polynomial(self, polynomial: Any, states: Sequence[int]) -> fmpq:
        """That of a polynomial in the states, of which the numbers of the generators are given."""
        turns, total = {i: turn for turn, i in enumerate(states)}, self.ring.number(fmpq(0))
        for exponents, c in polynomial.terms():
            term = self.ring.number(c)
            for i, e in enumerate(exponents):
                for _ in range(int(e)):
                    term = term * (self.states[turns[i]] + self._point[turns[i]])
            total = total + term
        return _lowest(total)

    @property
    def data(self) -> dict[str, list[list[int | str]]]:
        """As a problem has it."""
        found = dict[str, list[list[int | str]]]()
        for label, series in zip(self._q.labels, self.states, strict=True):
            powers = sorted(series.coefficients().items())
            rows: list[list[int | str]] = [[e[0], str(c)] for e, c in powers if e[0]]
            if rows:
                found[label] = rows
        return found


def _lowest(series: Series) -> fmpq:
    found = (series - series.constant).lowest()[1]
    return found[0] if found else fmpq(0)


def directions(q: decisions.Question) -> Iterator[Powers]:
    """Straight ways of the states that the leaf leaves free, a sign for each."""
    n, rows = len(q.labels), [q.function(name)[1] for name in q.problem["leaf"]]
    free = [max(i for i in range(n) if w[i]) for w in nullspace(rows, n)]
    together = len(free) if len(free) <= MOST else 2
    for count in range(1, together + 1):
        for met in combinations(free, count):
            for signs in product((1, -1), repeat=count):
                yield {i: [(1, fmpq(s))] for i, s in zip(met, signs, strict=True)}
