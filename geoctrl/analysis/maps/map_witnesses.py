"""The content of a map's file but for its cells: proofs that are proposed, with what shows them.

What the search derives in lowest terms is written as functions of the axes, behind the problem's table, each
as a product of factors; the checker multiplies out and compares.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from flint import arb, fmpq

from geoctrl.analysis.maps.axes_writer import AxesWriter
from geoctrl.analysis.maps.drifts_over_axes import unknowns_of_drift
from geoctrl.analysis.maps.family_over_axes import FamilyOverAxes
from geoctrl.analysis.maps.map_quotients import (
    MapQuotient,
    blocks,
    characteristic,
    hermite,
    hurwitz,
    inverse_of_quotients,
    pivots,
)
from geoctrl.analysis.maps.minor_formulas import (
    Formulas,
    formulas_of,
    formulas_of_parts,
    open_factors,
    parts_of_polynomial,
)
from geoctrl.analysis.maps.region_proofs import ProofChart, ProofSamples, without_zeros
from geoctrl.analysis.proofs.drift import DriftPath, drift_states
from geoctrl.analysis.question.appended_rows import Appended
from geoctrl.analysis.question.generators import NotSolved
from geoctrl.analysis.question.ratio_writer import RatioWriter
from geoctrl.analysis.question.table import Stored
from geoctrl.analysis.witnesses.box_witnesses import rounded_inverse
from geoctrl.analysis.witnesses.cofactors import cofactors_of_zero, relations_of_leaf
from geoctrl.analysis.witnesses.point_witnesses import texts
from geoctrl.analysis.witnesses.shape_witnesses import zeros_of_structure
from geoctrl.checker.limits import Refusal
from geoctrl.checker.maps.file import MAP, MAP_WITNESS, PROBLEM
from geoctrl.checker.maps.members import Members
from geoctrl.checker.maps.region import Proof, Proofs
from geoctrl.checker.reader import conform, rational
from geoctrl.decisions.functions.derivatives import reachable
from geoctrl.decisions.functions.identities_by_division import Ratio
from geoctrl.decisions.reading.problem_reader import Refusal as OldRefusal

__all__ = ["ConfirmedProofs", "MapWitnesses", "content_of_map", "read_proofs"]

Content = dict[str, Any]
LEAF_BITS, NEARLY = 16, 1e-9
"""Of the numbers of a rounded inverse at the middle of the axes; what is nearly zero, beside a gradient."""


class ConfirmedProofs(NamedTuple):
    """What the checker reads in a content: members, proofs, and the rest of the theorem."""

    members: Members
    proofs: list[Proof]
    given: dict[str, Any]


def read_proofs(content: Content) -> ConfirmedProofs:
    """The checker's proofs; Refusal where one is none."""
    problem, witness, given = _parts(content)
    members = Members(problem, witness, given)
    proving = Proofs(members, given)
    return ConfirmedProofs(members, [proving.of(proof) for proof in given["proofs"]], given)


class MapWitnesses:
    """Witnesses of proposals about a family over axes.

    Parameters
    ----------
    data : dict
        The problem of a region.
    members : FamilyOverAxes
    proposed : sequence of dict

    Attributes
    ----------
    written : list of pairs
        Proposals with the proofs that they became.
    """

    def __init__(self, data: Content, members: FamilyOverAxes, proposed: Sequence[dict[str, Any]]) -> None:
        self._data, self._members, self._proposed = data, members, proposed
        self._table = Appended(Stored({"nodes": list(data["nodes"])}, {}))
        self._symbols = {row[1]: i for i, row in enumerate(data["nodes"]) if row[0] == "sym"}
        F = members.field
        variables = {k: self._symbols[name] for k, name in enumerate(F.names)}
        self._positive = {k for k, name in enumerate(F.names) if Fraction(data["axes"][name][0]) > 0}
        self._writer = AxesWriter(self._table, variables, lambda k: F.generators[k])
        self._charts: list[tuple[tuple, dict[str, Any]]] = []
        self.written: list[tuple[dict[str, Any], dict[str, Any]]] = []

    def content(self, axes: Sequence[str]) -> Content:
        """The content of the file, with cells that are to be filled in."""
        data, members = self._data, self._members
        used = {k for p in self._proposed for k in (*p["rows"], *p.get("multipliers", ()))}
        invariants = {k: v for k, v in data["invariants"].items() if k in used}
        cofactors = {name: self._cofactors(name) for name in (*data["leaf"], *invariants)}
        for proposal in self._proposed:
            with suppress(NotSolved, OldRefusal):
                self.written.append((proposal, self._proof(proposal)))
        moving = {k: a for k, (a, _) in data["axes"].items() if k not in axes}
        witness = {
            "roots": [],
            "inverse": self._inverse(members.matrix()),
            "cofactors": {k: rows for k, rows in cofactors.items() if rows},
        }
        drifts = any(proof["by"] == "drift" for _, proof in self.written)
        theorem = {
            "name": "map",
            "family": "",
            "axes": {k: data["axes"][k] for k in axes},
            "symbols": data["symbols"],
            **({"moving": moving} if moving else {}),
            **({"shape": self._shape()} if members.integrals else {}),
            **({"coordinates": [name for name, _ in self._coordinates]} if drifts else {}),
            "domain": data["domain"],
            "leaf": self._leaf(),
            "divisors": [],
            "charts": [chart for _, chart in self._charts],
            "proofs": [proof for _, proof in self.written],
            "cells": "",
        }
        problem = {key: data[key] for key in PROBLEM} | {
            "nodes": self._table.rows,
            "invariants": invariants,
            "weights": {k: v for k, v in data["weights"].items() if k in {*data["leaf"], *invariants}},
        }
        return {"problem": problem, "witness": witness, "theorem": theorem}

    def with_roots(self, content: Content) -> Content:
        """The content with values of all roots."""
        found = [[place, self._writer(value)] for place, value in self._members.roots()]
        return content | {"witness": content["witness"] | {"roots": found}}

    def with_divisors(self, content: Content, members: Members, proofs: Sequence[Proof]) -> Content:
        """The content with polynomials that have to differ from zero, or to be positive, in factors."""
        F = members.field.functions
        variables = dict(enumerate(self._symbols[k] for k in self._members.field.names))
        writer = AxesWriter(self._table, variables, lambda k: F.made[k])
        asked = sorted({k for proof in proofs for c in proof.conditions for k, _ in c.factors})
        found = []
        for k in asked:
            made = any(F.factors[k].degrees()[len(self._members.field.names) :])
            if made and len(open_factors(F.factors[k], self._positive)) > 1:
                found.append(writer.product(F.factors[k]))
        return content | {"theorem": content["theorem"] | {"divisors": found}}

    def _cofactors(self, name: str) -> list[Any]:
        q = self._members.question
        place = (q.problem["leaf"] | q.problem["invariants"])[name]
        rate = q.rate([place, *q.problem["weights"].get(name, [])])
        return self._cofactors_of_zero(rate) if rate else []

    def _cofactors_of_zero(self, zero: Ratio) -> list[Any]:
        q = self._members.question
        of_members = {i for i, node in enumerate(q.table) if node[0] == "sym" and node[2] == "family"}
        for i, node in enumerate(q.table):
            if node[0] == "fun" and of_members.isdisjoint(reachable(q.table, [i])):
                q.ratios([i])
        writer = RatioWriter(
            self._table, q.functions, q.variables, q.still, q.problem["roots"], factored=True
        )
        return cofactors_of_zero(writer, self._table, zero, relations_of_leaf(q), on_leaf_alone=True)

    def _shape(self) -> dict[str, Any]:
        """The structure of the rates over which integrals exist."""
        q, along = self._members.question, self._members.along
        zeros = zeros_of_structure(q)
        cofactors = [self._cofactors_of_zero(zero) if zero.top else [] for zero in zeros]
        return {**q.problem["shape"], "along": along, "cofactors": cofactors}

    def _inverse(self, rows: list[list[MapQuotient]]) -> list[list[int]]:
        """The inverse of a matrix, as places."""
        return [[self._writer(e) for e in row] for row in inverse_of_quotients(self._members.field, rows)]

    # -- proofs ---------------------------------------------------------------------------------

    def _proof(self, proposal: dict[str, Any]) -> dict[str, Any]:
        if proposal["by"] == "drift":
            return {"by": "drift"} | self._drift(proposal["path"])
        found = {"by": proposal["by"], "chart": self._chart(proposal)}
        return found | {"energy": self._energy, "growth": self._growth, "roots": self._roots}[proposal["by"]](
            proposal
        )

    def _drift(self, path: DriftPath) -> dict[str, Any]:
        """A drift as functions of its speed and its way."""
        table, members, one = self._table, self._members, fmpq(1)
        w, t = (place for _, place in self._coordinates)
        e = [(one, place) for place in self._data["states"].values()]
        states, slope = drift_states(table, e, path, w, t)
        unknowns = [
            table.total((one, table.product((self._writer(q), 1), (w, k))) for k, q in enumerate(row))
            for row in unknowns_of_drift(members, path)
        ]
        moved = next(k for k, z in zip(members.labels, path.Z, strict=True) if z)
        return {"states": states, "unknowns": unknowns, "slope": slope, "moved": moved}

    @cached_property
    def _coordinates(self) -> list[tuple[str, int]]:
        """Those of drifts, their speed and their way."""
        return [self._table.symbol(name, "family") for name in ("w", "t")]

    def _chart(self, proposal: dict[str, Any]) -> int:
        """The number of the chart of a proposal."""
        key = (tuple(proposal["rows"]), tuple(proposal["omitted"]))
        known = [k for k, _ in self._charts]
        if key not in known:
            labels = self._members.labels
            fixed = [i for i, k in enumerate(labels) if k in proposal["omitted"]]
            D = [[row[i] for i in fixed] for row in self._members.gradients(proposal["rows"])]
            chart = {
                "rows": proposal["rows"],
                "free": [k for k in labels if k not in proposal["omitted"]],
                "inverse": self._inverse(D),
                "blocks": [],
            }
            self._charts.append((key, chart))
            return len(known)
        return known.index(key)

    def chart(self, chosen: ProofChart) -> dict[str, Any]:
        """A chart as the file has it."""
        return self._charts[self._chart({"rows": chosen.rows, "omitted": chosen.omitted})][1]

    def functions(self, rows: Sequence[Sequence[MapQuotient]]) -> list[list[int]]:
        """A matrix of functions of the axes, as the file has it."""
        return [[self._writer(e) for e in row] for row in rows]

    def _kernel(self, proposal: dict[str, Any]) -> Any:
        members = self._members
        omitted = [members.labels.index(k) for k in proposal["omitted"]]
        return members.kernel(members.gradients(proposal["rows"]), omitted)

    def _energy(self, proposal: dict[str, Any]) -> dict[str, Any]:
        members, multipliers = self._members, proposal["multipliers"]
        diagonal = pivots(members.restricted(members.critical(multipliers), self._kernel(proposal)))
        if diagonal is None:
            raise NotSolved
        return {
            "multipliers": {k: self._writer(y) for k, y in multipliers.items()},
            "sense": proposal["sense"],
            "pivots": [self._writer(q) for q in diagonal],
        }

    def _growth(self, proposal: dict[str, Any]) -> dict[str, Any]:
        block, kind, k = proposal["test"]
        order, polynomials = self._blocks(proposal)
        even = "hermite" in self._tests(polynomials[block])
        turn = (2 * k + 1 if even else k) if kind == "coefficient" else k
        if kind != "coefficient":
            self._write_minors(proposal, order.index(block), polynomials[block], k + 1)
        return {
            "block": order.index(block),
            "negative": ["coefficients" if kind == "coefficient" else "minors", turn],
        }

    def _roots(self, proposal: dict[str, Any]) -> dict[str, Any]:
        order, polynomials = self._blocks(proposal)
        for turn, block in enumerate(order):
            self._write_minors(proposal, turn, polynomials[block], None)
        if "tangents" not in proposal:
            return {}
        along, labels = proposal["tangents"], self._members.labels
        T = [list(row) for row in zip(*self._members.family_tangents(), strict=True)]
        return {"family": {"along": along, "inverse": self._inverse([T[labels.index(k)] for k in along])}}

    def _blocks(self, proposal: dict[str, Any]) -> tuple[list[int], list[list[MapQuotient]]]:
        """Blocks of the linearisation, each before those that it leads to, and their polynomials."""
        chart, B = self._charts[self._chart(proposal)][1], self._members.motion(self._kernel(proposal))
        found = blocks(B)
        order = _order_from_above(B, found)
        squares = [[[B[i][j] for j in block] for i in block] for block in found]
        polynomials = [characteristic(self._members.field, A) for A in squares]
        if not chart["blocks"]:
            chart["blocks"] = [
                {
                    "states": found[k],
                    "coefficients": self._coefficients(squares[k], without_zeros(polynomials[k])[1:]),
                    "minors": [],
                }
                for k in order
            ]
        return order, polynomials

    def _coefficients(self, A: list[list[MapQuotient]], wanted: list[MapQuotient]) -> list[int]:
        """Coefficients of a block's polynomial, as formulas where these are shorter."""
        field, parts = self._members.field, parts_of_polynomial(self._members.field, A)
        formulas = formulas_of_parts(len(A) // 2)[: len(wanted)]
        if parts and Formulas(field, parts, self._positive).are_shorter(formulas, wanted):
            places = {k: self._writer(part) for k, part in enumerate(parts)}
            return [self._table.polynomial(formula, places) for formula in formulas]
        return [self._writer(c) for c in wanted]

    def _tests(self, polynomial: Sequence[MapQuotient]) -> dict[str, list[MapQuotient]]:
        """Minors by their kind."""
        p, field = without_zeros(polynomial), self._members.field
        if len(p) % 2 and not any(p[1::2]):
            return {"hermite": hermite(field, p[::2])}
        return {"hurwitz": hurwitz(field, p)}

    def _write_minors(
        self, proposal: dict[str, Any], turn: int, polynomial: Sequence[MapQuotient], count: int | None
    ) -> None:
        """The first minors of a block, all of them where no number is told."""
        block = self._charts[self._chart(proposal)][1]["blocks"][turn]
        ((kind, minors),) = self._tests(polynomial).items()
        step = slice(1, None, 2) if kind == "hermite" else slice(None)
        of, places = without_zeros(polynomial)[1:][step], block["coefficients"][step]
        formulas, found, short = Formulas(self._members.field, of, self._positive), list[int](), False
        for k, (q, formula) in enumerate(zip(minors[:count], formulas_of(kind, len(of)), strict=False)):
            if kind == "hurwitz" and short and k == len(of) - 1:  # the one before, times the last coefficient
                found.append(self._multiple_of(places[-1], found[-1]))
            elif short := formulas.is_shorter(formula, q):
                found.append(self._table.polynomial(formula, dict(enumerate(places))))
            else:
                found.append(self._writer(q))
        block["minors"] = max(block["minors"], found, key=len)

    def _multiple_of(self, product: int, place: int) -> int:
        """A node that may be a product, of which the factors stay apart, times another."""
        kind, *parts = self._table.rows[product]
        number, factors = parts if kind == "prod" else ("1", [(product, 1)])
        q: Any = rational(number)
        return self._table.multiple(q, [*factors, (place, 1)])

    # -- the leaf -------------------------------------------------------------------------------

    def _leaf(self) -> dict[str, Any]:
        """Relations with independent gradients at the middle of the axes, as far as they are seen there."""
        members, at = self._members, ProofSamples(self._members, middle=True)
        gradients = members.gradients(list(members.leaf))
        rows = {
            name: np.array([at(q)[0] for q in row]) for name, row in zip(members.leaf, gradients, strict=True)
        }
        left = {name: row for name, row in rows.items() if np.all(np.isfinite(row))}
        chosen, fixed = set[str](), list[int]()
        while left:
            name = max(left, key=lambda k: np.max(np.abs(left[k])))
            pivot = left.pop(name)
            i = int(np.argmax(np.abs(pivot)))
            if abs(pivot[i]) <= NEARLY * np.max(np.abs(rows[name])):
                break
            chosen.add(name)
            fixed.append(i)
            left = {k: row - row[i] / pivot[i] * pivot for k, row in left.items()}
        names = [name for name in rows if name in chosen]
        D = [[arb(float(rows[name][i])) for i in sorted(fixed)] for name in names]
        return {
            "rows": names,
            "free": [k for i, k in enumerate(members.labels) if i not in fixed],
            "inverse": texts(rounded_inverse(D, LEAF_BITS)),
        }


def _order_from_above(B: Sequence[Sequence[Any]], found: Sequence[Sequence[int]]) -> list[int]:
    """An order of blocks in which no block has entries to the left of it."""
    left, order = list(range(len(found))), list[int]()

    def is_below(m: int, k: int) -> bool:
        return m != k and any(B[i][j] for i in found[m] for j in found[k])

    while left:
        k = next(k for k in left if not any(is_below(m, k) for m in left))
        left.remove(k)
        order.append(k)
    return order


def content_of_map(
    data: Content, members: FamilyOverAxes, proposed: Sequence[dict[str, Any]], axes: Sequence[str]
) -> Content:
    """The content of a map's file but for its cells, with the proofs that the checker confirms somewhere."""
    left = list(proposed)
    while True:
        witnesses = MapWitnesses(data, members, left)
        content = witnesses.content(axes)
        try:
            read = Members(*_parts(content))
        except Refusal:
            content = witnesses.with_roots(content)
            read = Members(*_parts(content))
        proofs = _proofs_that_may_hold(read, content)
        confirmed = _with_one_drift([p for (p, _), q in zip(witnesses.written, proofs, strict=True) if q])
        if len(confirmed) == len(left):
            _leave_open_what_balls_leave_open(read, content["theorem"]["leaf"])
            return witnesses.with_divisors(content, read, [proof for proof in proofs if proof])
        left = confirmed


def _with_one_drift(proposed: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Proposals with the first drift alone: where one is a motion beside all members, all hold everywhere."""
    first = next((p for p in proposed if p["by"] == "drift"), None)
    return [p for p in proposed if p["by"] != "drift" or p is first]


def _leave_open_what_balls_leave_open(members: Members, leaf: dict[str, Any]) -> None:
    """Take no relations for independent that the checker does not see to be."""
    try:
        members.require_regular(conform(leaf, MAP["leaf"]))
    except (Refusal, ZeroDivisionError):
        leaf |= {"rows": [], "free": members.question.labels, "inverse": []}


def _parts(content: Content) -> tuple[Content, Content, Content]:
    """Problem, witness and theorem as the checker reads them."""
    shapes = {"problem": PROBLEM, "witness": MAP_WITNESS, "theorem": MAP}
    problem, witness, theorem = (conform(content[k], shape, k) for k, shape in shapes.items())
    return problem, witness, theorem


def _proofs_that_may_hold(members: Members, content: Content) -> list[Proof | None]:
    """What the checker reads of each proof; None where it takes it for none, or it holds nowhere as far as
    numbers tell.
    """
    given = _parts(content)[2]
    try:
        proving = Proofs(members, given)
    except Refusal:
        return [None] * len(given["proofs"])
    found: list[Proof | None] = []
    for one in given["proofs"]:
        try:
            proof = proving.of(one)
        except Refusal:
            found.append(None)
        else:
            found.append(None if proof.holds({}) is False else proof)
    return found
