"""Quotients in equations of motion as unknowns of their own, so that what is left is of polynomials.

A rate that holds N/D, as dry friction holds v/sqrt(v^2 + v0^2), is one with z in its place, and an equation
D z = N joins those that accelerations are solved from. The function of the state is the same one wherever D
does not vanish, and the identities are polynomials in z.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

from flint import fmpq

from geoctrl.analysis.question.appended_rows import Appended
from geoctrl.analysis.question.table import Stored
from geoctrl.decisions.functions.derivatives import reachable

__all__ = ["with_quotient_unknowns"]

ONE = fmpq(1)
Factors = tuple[tuple[int, int], ...]
"""Places of nodes with exponents."""


class _Quotient(NamedTuple):
    """N and D, in factors."""

    above: Factors
    below: Factors


class _InQuotients(NamedTuple):
    """A node as a sum: the place of what holds no quotient, none where that is zero, and the places of what
    quotients are multiplied with.
    """

    plain: int | None
    multiples: dict[_Quotient, int]


def with_quotient_unknowns(stored: Stored) -> Stored:
    """A problem with unknowns for quotients: for those by square roots in the equations that accelerations
    are solved from, for all in rates that are explicit. It is the same one where there are none.

    Functions whose rates the new equations are needed for are not known to be kept any more.
    """
    return _PolynomialEquations(stored).problem()


class _PolynomialEquations:
    """Equations that are written anew."""

    def __init__(self, stored: Stored) -> None:
        self._stored, self._table, self._nodes = stored, Appended(stored), stored.read["nodes"]
        self._moving = {i for i, node in enumerate(self._nodes) if node[0] == "sym" and node[2] == "state"}
        self._found: dict[int, _InQuotients] = {}
        self._unknowns: dict[_Quotient, int] = {}
        self._names: list[str] = []

    def problem(self) -> Stored:
        """The problem."""
        data = self._stored.data
        right, matrix = list(data["right"]), [list(entry) for entry in data["matrix"]]
        for row, i in enumerate(data["right"]):
            parts = self._parts(i)
            if parts.multiples and all(self._has_root(q.below) for q in parts.multiples):
                right[row] = self._sum([(ONE, parts.plain)])
                for q, c in parts.multiples.items():
                    column = len(data["unknowns"]) + self._number(q)
                    matrix.append([row, column, self._table.multiple(-ONE, [(c, 1)])])
        field = []
        for i in data["field"]:
            parts = self._parts(i)
            terms = [self._table.product((c, 1), (self._symbol(q), 1)) for q, c in parts.multiples.items()]
            field.append(self._sum([(ONE, p) for p in (parts.plain, *terms)]) if terms else i)
        if not self._unknowns:
            return self._stored
        first = len(data["unknowns"])
        for k, q in enumerate(self._unknowns, first):
            matrix.append([k, k, self._table.product(*q.below)])
            right.append(self._table.product(*q.above) if q.above else self._table.number(ONE))
        zeros = [self._table.number(fmpq(0))] * len(self._unknowns)
        return self._table.with_parts(
            unknowns=[*data["unknowns"], *self._names],
            matrix=matrix,
            right=right,
            field=field,
            weights={k: [*places, *zeros] for k, places in data["weights"].items()},
        )

    # -- nodes ------------------------------------------------------------------------------------------

    def _parts(self, i: int) -> _InQuotients:
        if i not in self._found:
            kind, *rest = self._nodes[i]
            found = None
            if kind == "sum":
                found = self._parts_of_sum(rest[0])
            elif kind == "prod":
                found = self._parts_of_product(*rest)
            self._found[i] = found or _InQuotients(i, {})
        return self._found[i]

    def _parts_of_sum(self, terms: list[tuple[int, int]]) -> _InQuotients | None:
        found = [(c, self._parts(j)) for c, j in terms]
        if not any(parts.multiples for _, parts in found):
            return None
        sums: dict[_Quotient, list[int]] = {}
        for c, parts in found:
            for q, factor in parts.multiples.items():
                sums.setdefault(q, []).append(self._table.product((c, 1), (factor, 1)))
        plain = [self._table.product((c, 1), (p.plain, 1)) for c, p in found if p.plain is not None]
        return _InQuotients(
            self._sum([(ONE, p) for p in plain]) if plain else None,
            {q: self._sum([(ONE, p) for p in places]) for q, places in sums.items()},
        )

    def _parts_of_product(self, number: fmpq, factors: list[tuple[int, int]]) -> _InQuotients | None:
        below = tuple((j, -e) for j, e in factors if e < 0 and self._moves(j))
        others = [(j, e) for j, e in factors if not (e < 0 and self._moves(j))]
        inner = [(j, e) for j, e in others if e > 0 and self._parts(j).multiples]
        if below and not inner:
            return _InQuotients(None, self._products(number, others, {_Quotient((), below): None}))
        if below or [e for _, e in inner] != [1]:
            return None
        parts, rest = self._parts(inner[0][0]), [f for f in others if f != inner[0]]
        plain = None
        if parts.plain is not None:
            plain = self._table.multiple(number, [*rest, (parts.plain, 1)])
        return _InQuotients(plain, self._products(number, rest, dict(parts.multiples)))

    def _products(
        self, number: fmpq, factors: list[tuple[int, int]], multiples: dict[_Quotient, Any]
    ) -> dict[_Quotient, int]:
        """A number and factors times quotients: what depends on states of the denominator alone is of the
        numerator.
        """
        found = {}
        for q, c in multiples.items():
            held = self._states([j for j, _ in q.below])
            own = [f for f in factors if f[1] > 0 and self._moves(f[0]) and self._states([f[0]]) <= held]
            above = Counter(dict(q.above))
            for j, e in own:
                above[j] += e
            left = [f for f in factors if f not in own] + ([] if c is None else [(c, 1)])
            found[_Quotient(tuple(sorted(above.items())), q.below)] = self._table.multiple(number, left)
        return found

    def _sum(self, terms: list[tuple[fmpq, int | None]]) -> int:
        return self._table.total((c, place) for c, place in terms if place is not None)

    # -- quotients ----------------------------------------------------------------------------------------

    def _number(self, q: _Quotient) -> int:
        self._symbol(q)
        return [*self._unknowns].index(q)

    def _symbol(self, q: _Quotient) -> int:
        """The place of the unknown that stands for a quotient."""
        if q not in self._unknowns:
            name, place = self._table.symbol(f"quotient {len(self._unknowns) + 1}", "unknown")
            self._names.append(name)
            self._unknowns[q] = place
        return self._unknowns[q]

    def _states(self, places: list[int]) -> set[int]:
        return self._moving & {*reachable(self._nodes, places)}

    def _moves(self, place: int) -> bool:
        return bool(self._states([place]))

    def _has_root(self, below: Factors) -> bool:
        held = reachable(self._nodes, [j for j, _ in below])
        return any(self._nodes[i][:2] == ("fun", "sqrt") for i in held)
