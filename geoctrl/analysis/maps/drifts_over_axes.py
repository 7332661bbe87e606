"""Drifts beside the members of a family, as far as those at the middle of the axes are drifts of all."""

from __future__ import annotations

from itertools import islice
from typing import Any

from flint import fmpq

from geoctrl.analysis.maps.family_over_axes import FamilyOverAxes
from geoctrl.analysis.maps.map_quotients import MapQuotient
from geoctrl.analysis.proofs.drift import DriftPath, drift_paths
from geoctrl.decisions.arithmetic.eliminations import Rows
from geoctrl.decisions.functions.derivatives import Jet, evaluate
from geoctrl.decisions.reading.problem_reader import Refusal

__all__ = ["drift_proposals", "unknowns_of_drift"]

TRIED = 8
"""Ways of drifts that are proposed, at most."""


class _Middle:
    """The question at the middle of the axes, in rationals; Refusal where functions are not rational."""

    def __init__(self, members: FamilyOverAxes) -> None:
        q = self._question = members.question
        self.labels, self.problem, self.moving_places = members.labels, q.problem, q.moving_places
        self._values = [(a + b) / 2 for a, b in members.region["axes"].values()]
        self._of = members.field.of
        self.linearisation = [[self._number(e) for e in row] for row in members.linearisation]
        gradients = members.gradients(list(members.leaf))
        self.leaf: tuple[Rows, bool] = [[self._number(e) for e in row] for row in gradients], True

    def _number(self, value: Any) -> fmpq:
        q: MapQuotient = self._of(value)
        above, below = (self._polynomial(p) for p in (q.top, q.below))
        if not below:
            raise Refusal("a function has a pole at the middle of the axes")
        return above / below

    def _polynomial(self, p: Any) -> fmpq:
        total = fmpq(0)
        for exponents, c in p.to_dict().items():
            if any(exponents[len(self._values) :]):
                raise Refusal("a function is not rational along the axes")
            term = fmpq(c)
            for value, e in zip(self._values, exponents, strict=False):
                term *= value ** int(e)
            total += term
        return total

    def jets(self, nodes: list[int]) -> list[Jet]:
        """First and second derivatives; none of the second ones where unknowns occur."""
        return [
            Jet(
                None,
                {i: self._number(c) for i, c in jet.first.items()},
                None if jet.second is None else {k: self._number(c) for k, c in jet.second.items()},
            )
            for jet in self._question.jets(nodes)
        ]


def drift_proposals(members: FamilyOverAxes) -> list[dict[str, Any]]:
    """Drifts that may be motions beside all members, as proposals."""
    try:
        paths = list(islice(drift_paths(_Middle(members)), TRIED))
    except Refusal:
        return []
    return [{"verdict": "unstable", "by": "drift", "rows": [], "omitted": [], "path": p} for p in paths]


def unknowns_of_drift(members: FamilyOverAxes, path: DriftPath) -> list[list[MapQuotient]]:
    """Coefficients of the unknowns by powers 0 to 2 of the speed of a drift, of which these are polynomials:
    centrifugal and gyroscopic forces.
    """
    low, mid, high = (_unknowns_at(members, [s * x for x in path.c]) for s in (-1, 0, 1))
    half = fmpq(1, 2)
    return [[b, (d - a) * half, (d + a) * half - b] for a, b, d in zip(low, mid, high, strict=True)]


def _unknowns_at(members: FamilyOverAxes, shift: list[fmpq]) -> list[MapQuotient]:
    """z of K z = b at states beside the members."""
    q, F, given = members.question, members.field, members.region
    at = members.symbols_as(q.place, F, members.axes())
    places = [*(q.place["input", k] for k in given["inputs"]), *q.moving_places[: len(shift)]]
    nodes = [*given["inputs"].values(), *given["states"].values()]
    values = [F.of(jet.value) for jet in evaluate(members.table, nodes, dict(at), F, 1)]
    shifts = [fmpq(0)] * (len(places) - len(shift)) + shift
    at |= {p: Jet(v + s) for p, v, s in zip(places, values, shifts, strict=True)}
    k = len(given["unknowns"])
    K = [[F.zero] * k for _ in range(k)]
    for i, j, p in given["matrix"]:
        K[i][j] = F.of(evaluate(members.table, [p], at, F, 1)[0].value)
    right = [[jet.value] for jet in evaluate(members.table, given["right"], at, F, 1)]
    return [row[0] for row in F.solve(K, right)] if k else []
