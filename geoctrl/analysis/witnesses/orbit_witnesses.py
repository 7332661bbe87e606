"""Witnesses of orbits: what is the same along them, and an algebra of all directions in which they move."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain, combinations
from typing import Any

from flint import fmpq

from geoctrl import decisions
from geoctrl.analysis.question.generators import NotSolved
from geoctrl.analysis.question.ratio_writer import RatioWriter
from geoctrl.analysis.witnesses.cofactors import (
    Cofactor,
    cofactors_of_rate,
    cofactors_of_zero,
    relations_of_leaf,
)
from geoctrl.analysis.witnesses.lyapunov_forms import form_triangle, growing_form
from geoctrl.analysis.witnesses.point_witnesses import PointWitnesses, Rows, inverse_of, texts
from geoctrl.checker.definite import product
from geoctrl.decisions.arithmetic.eliminations import independent, nullspace
from geoctrl.decisions.functions.derivatives import ENTIRE, Jet, evaluate, reachable
from geoctrl.decisions.functions.identities_by_division import Ratio

__all__ = ["growth_across", "orbit"]

LARGEST, TIMES = 32, 8
"""Matrices that span an algebra, at most, and rounds in which cofactors of divisors bring divisors."""
Proof = dict[str, Any]
Turns = dict[tuple[int, int], fmpq]


class _Field:
    """A field B x + b, B skew."""

    def __init__(self, labels: Sequence[str], given: dict[str, Any]) -> None:
        n = len(labels)
        self.labels, self.matrix = labels, [[fmpq(0)] * (n + 1) for _ in range(n + 1)]
        for one, other, c in given["turns"]:
            self.matrix[labels.index(one)][labels.index(other)] += c
        for name, c in given["shifts"].items():
            self.matrix[labels.index(name)][n] += c

    def direction(self, point: Iterable[fmpq]) -> list[Any]:
        """Where it moves a point."""
        return [c for (c,) in product(self.matrix, [[x] for x in (*point, fmpq(1))])[:-1]]

    def data(self) -> dict[str, Any]:
        """The field as a file has it."""
        n = len(self.labels)
        turns = [
            [self.labels[i], self.labels[j], str(self.matrix[i][j])]
            for i, j in combinations(range(n), 2)
            if self.matrix[i][j]
        ]
        shifts = {k: str(row[n]) for k, row in zip(self.labels, self.matrix, strict=False) if row[n]}
        return {"turns": turns, "shifts": shifts}


def _independent_fields(q: decisions.Question) -> list[_Field]:
    """Those that move the point in different directions."""
    found, directions = [], list[list[Any]]()
    for given in q.problem["symmetries"]:
        field = _Field(q.labels, given)
        if independent(directions, direction := field.direction(q.problem["states"].values())):
            directions.append(direction)
            found.append(field)
    return found


# -- stability --------------------------------------------------------------------------------------------


def orbit(point: PointWitnesses, proof: Proof) -> dict[str, Any]:
    """Fields, and that leaf, function, levels and all divisors are the same along them."""
    q, evidence = point.question, proof["evidence"]
    held, multipliers = evidence["held"], evidence["orbit_multipliers"]
    basis = point.basis([*q.problem["leaf"], *held])
    fields = _independent_fields(q)
    T = {
        k: list(row)
        for k, row in zip(
            q.labels,
            zip(*(f.direction(q.problem["states"].values()) for f in fields), strict=True),
            strict=True,
        )
    }
    rows: Rows = []
    along = []
    for k in basis["free"]:
        if independent(rows, T[k]):
            rows.append(T[k])
            along.append(k)
    return {
        "name": "orbit",
        **basis,
        "fields": [field.data() for field in fields],
        "held": held,
        "multipliers": multipliers,
        "sense": -1 if evidence["inertia"][1] else 1,
        "along": along,
        "across": texts(inverse_of(rows)),
        "cofactors": _cofactors(point, fields, multipliers, held),
    }


def _cofactors(
    point: PointWitnesses, fields: list[_Field], multipliers: dict[str, str], held: list[str]
) -> list[list[list[Cofactor]]]:
    """Those of all that is the same along the fields; what they divide by is among it."""
    problem = point.question.problem
    names = [*dict.fromkeys([*problem["leaf"], *multipliers])]
    of_rates = [cofactors_of_rate(point.question, point.table, name) for name in names]
    used = [problem["field"], problem["right"], *([p] for *_, p in problem["matrix"])]
    used += [[_functions(problem)[k], *problem["weights"].get(k, [])] for k in names]
    found: list[list[list[Cofactor]]] = []
    branches: list[int] | None = None
    for _ in range(TIMES):
        q = decisions.Question(point.table.with_parts().read, exact=True)
        before, branches = branches, _branches(q, [*used, *chain(*of_rates), *chain(*chain(*found))])
        if branches == before:
            return found
        writer, relations = RatioWriter.of(q, point.table), relations_of_leaf(q)
        found = [
            [
                cofactors_of_zero(writer, point.table, zero, relations) if zero else []
                for zero in _zeros(q, field, branches, multipliers, held)
            ]
            for field in fields
        ]
    raise NotSolved


def _functions(problem: dict[str, Any]) -> dict[str, int]:
    return problem["leaf"] | problem["invariants"]


def _branches(q: decisions.Question, used: Iterable[Iterable[Any]]) -> list[int]:
    found = set[int]()
    for i in reachable(q.table, [p for part in used for p in part if isinstance(p, int) and p >= 0]):
        kind, *parts = q.table[i]
        if kind == "prod":
            found |= {j for j, power in parts[1] if power < 0}
        elif kind == "fun" and parts[0] not in ENTIRE:
            found |= {*parts[1][:1]} if parts[0] == "select" else {*parts[1]}
    return sorted(found)


def _zeros(
    q: decisions.Question, field: _Field, branches: list[int], multipliers: dict[str, str], held: list[str]
) -> list[Ratio]:
    """What vanishes on the leaf, in the order of a file."""
    q.require_kept([])  # relations are known
    F, functions = q.functions, _functions(q.problem)
    x = [q.still[p].value for p in q.moving_places[: len(q.labels)]]
    moved = {p: q.still[p] for p in q.numbers_of("input", "parameter")}
    for p, rate in zip(q.moving_places, field.direction(x), strict=False):
        moved[p] = Jet(q.still[p].value, {0: F.number(fmpq(0)) + rate} if rate else {})

    def slopes(places: Sequence[int]) -> list[Ratio]:
        return [jet.first.get(0, F.number(fmpq(0))) for jet in evaluate(q.table, places, moved, F, 1)]

    y = [q.problem["roots"].read(c) for c in multipliers.values()]
    of_multiplied, of_held = ([functions[k] for k in names] for names in (multipliers, held))
    V = sum((rate * c for c, rate in zip(y, slopes(of_multiplied), strict=True)), F.number(fmpq(0)))
    levels = [jet.value for jet in q.jets(of_held)]
    deviations = [C - level for C, level in zip(q.ratios(of_held), levels, strict=True)]
    Q = sum((C * rate for C, rate in zip(deviations, slopes(of_held), strict=True)), F.number(fmpq(0)))
    return [*slopes(branches), *slopes([*q.problem["leaf"].values()]), V, Q]


# -- growth -----------------------------------------------------------------------------------------------


def growth_across(point: PointWitnesses, proof: Proof) -> dict[str, Any]:
    """A form that grows, and an algebra of fields along which the linearisation vanishes."""
    basis = point.basis([*proof["problem"]["leaf"], *proof["evidence"]["zero_modes"]])
    m, P, v = growing_form(point.motion(basis))
    found = {"name": "growth across an orbit", **basis, "m": str(m), "P": form_triangle(P)}
    fields = [_Field(point.question.labels, given) for given in point.question.problem["symmetries"]]
    return found | {"v": [str(c) for c in v], "fields": [f.data() for f in fields]} | _algebra(fields)


def _algebra(fields: list[_Field]) -> dict[str, Any]:
    """Odd powers and brackets that span one, and coefficients that show it."""
    spanning: list[Rows] = []
    powers = []
    for field in fields:
        own: list[Rows] = []
        power: Rows = field.matrix
        while (coefficients := _combination(own, power)) is None:
            own.append(power)
            power = product(field.matrix, product(field.matrix, power))
        spanning += own
        powers.append(coefficients)
    further = []
    for i, X in enumerate(spanning):  # grows while brackets are new
        for j, Y in enumerate(spanning[:i]):
            if _combination(spanning, bracket := _bracket(X, Y)) is None:
                spanning.append(bracket)
                further.append([i, j])
            if len(spanning) > LARGEST:
                raise NotSolved
    brackets = [_combination(spanning, _bracket(X, Y)) for X, Y in combinations(spanning, 2)]
    return {"powers": powers, "further": further, "brackets": brackets}


def _bracket(X: Rows, Y: Rows) -> Rows:
    both = zip(product(X, Y), product(Y, X), strict=True)
    return [[a - b for a, b in zip(*rows, strict=True)] for rows in both]


def _combination(of: list[Rows], Z: Rows) -> list[str] | None:
    """Coefficients with which matrices sum up to another one; None where there are none."""
    entries = zip(*(chain(*X) for X in (*of, Z)), strict=True)
    for w in nullspace([list(row) for row in entries], len(of) + 1):
        if w[-1]:
            return [str(-c / w[-1]) for c in w[:-1]]
    return None
