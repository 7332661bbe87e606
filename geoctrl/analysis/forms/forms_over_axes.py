"""The search for cells of a family's axes, each with a quadratic form that decides all members in it."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from time import thread_time
from typing import Any

import numpy as np
from flint import arb_mat, ctx, fmpq

from geoctrl._calls.long_calls import under_way
from geoctrl.analysis.forms.deciding_forms import DecidingForm, deciding_forms, falls_in_doubles
from geoctrl.analysis.maps.family_over_axes import FamilyOverAxes
from geoctrl.analysis.maps.map_witnesses import MapWitnesses
from geoctrl.analysis.maps.region_problem import region_problem
from geoctrl.analysis.maps.region_proofs import ProofSamples, independent_chart
from geoctrl.analysis.question.generators import NotSolved
from geoctrl.checker.limits import SECONDS, Refusal
from geoctrl.checker.maps.bernstein import Side
from geoctrl.checker.maps.file import MAP_WITNESS, PROBLEM
from geoctrl.checker.maps.members import Members
from geoctrl.checker.maps.region import walk, whole
from geoctrl.checker.ranges.cells_by_forms import BITS, FORMS, STABLE, UNSTABLE, FormsOnCells, falls
from geoctrl.checker.reader import conform
from geoctrl.decisions.reading.problem_reader import Refusal as SearchRefusal
from geoctrl.errors import CertificateError, EquilibriumError

__all__ = ["content_by_forms", "file_content", "members_of"]

_RECENT = 16
"""Forms of cells before that are tried first."""
_CHECKED = SECONDS / 2
"""Time of the processor that deciding cells again may take: a check has an end, which is twice as far."""


def content_by_forms(
    sys: Any,
    family: str,
    axes: Mapping[str, tuple[Fraction, Fraction]],
    depth: int,
    params: Mapping[str, Any] | None,
) -> dict[str, Any]:
    """The content of the file: problem, witness, and the theorem with its cells."""
    call = under_way()
    call.tell("equations over the axes")
    try:
        data, members = region_problem(sys, family, axes, params)
    except SearchRefusal as refusal:
        raise EquilibriumError(
            f"the members of {family!r} are not proved to be equilibria on the leaf for all values of the "
            f"axes ({refusal})"
        ) from None
    try:
        content = file_content(data, members, family)
        forms = FormsOnCells(*members_of(content))
    except (Refusal, SearchRefusal, NotSolved) as refusal:
        raise CertificateError(f"the linearisation cannot be reduced over these axes: {refusal}") from None
    search = FormSearch(forms, depth)
    content["theorem"] |= search.cells(len(axes))
    return content


def file_content(data: dict[str, Any], members: FamilyOverAxes, family: str) -> dict[str, Any]:
    """The content with the linearisation, without cells."""
    for part in (data["invariants"], data["weights"]):
        for name in [k for k in part if k not in data["leaf"]]:
            del part[name]
    chart = independent_chart(members, list(members.leaf), ProofSamples(members))
    if {*chart.rows} != {*members.leaf}:
        raise CertificateError("the relations of the leaf depend on each other: this is not decided here")
    if not chart.kernel.free:
        raise CertificateError("the leaf is the point alone: nothing deviates")
    witnesses = MapWitnesses(data, members, [])
    written = witnesses.chart(chart)
    motion = witnesses.functions(members.motion(chart.kernel))
    content = witnesses.content(list(data["axes"]))
    content["theorem"] = {key: content["theorem"][key] for key in ("axes", "symbols", "domain")} | {
        "name": "forms over cells",
        "family": family,
        "chart": {key: written[key] for key in ("rows", "free", "inverse")},
        "motion": motion,
        "forms": [],
        "turns": [],
        "cells": ".",
    }
    try:
        members_of(content)
    except Refusal:
        content = witnesses.with_roots(content)
    return content


def members_of(content: dict[str, Any]) -> tuple[Members, dict[str, Any]]:
    """The checker's members of a content, and the theorem that it gives."""
    shapes = {"problem": PROBLEM, "witness": MAP_WITNESS, "theorem": FORMS}
    problem, witness, given = (conform(content[k], shape, k) for k, shape in shapes.items())
    return Members(problem, witness, given), given


class FormSearch:
    """Cells, and the forms that decide them.

    Parameters
    ----------
    forms : FormsOnCells
        The checker's.
    depth : int
    """

    def __init__(self, forms: FormsOnCells, depth: int) -> None:
        self._forms, self._depth = forms, depth
        self._found: list[tuple[DecidingForm, np.ndarray, arb_mat]] = []
        self._turns: list[int] = []
        self._done, self._time = fmpq(0), 0.0

    def cells(self, axes: int) -> dict[str, Any]:
        """Letters, forms and their turns, as the file has them."""
        letters: list[str] = []
        at: dict[str, tuple[Side, ...]] = {}

        def signs(sides: tuple[Side, ...], known: dict[int, int]) -> dict[int, int]:
            at["box"] = sides
            return self._forms.signs.on(sides, known)

        with ctx.workprec(BITS):
            for _, letter, _ in walk(
                whole(axes), signs, lambda here, level: self._letter(at["box"], here, level), {}
            ):
                letters.append(letter)
        return {
            "cells": "".join(letters),
            "turns": self._turns,
            "forms": [_form_text(form) for form, _, _ in self._found],
        }

    def _letter(self, box: tuple[Side, ...], here: dict[int, int], level: int) -> str:
        """Of a box: that of a form that decides it, else of halving, or of leaving it open."""
        call, size = under_way(), fmpq(1, 2 ** (level * len(box)))
        found = None if call.is_over else self._deciding(box, here)
        if found is not None or level >= self._depth or call.is_over:
            self._done += size
            share = float(int(self._done.p) / int(self._done.q))
            call.tell("cells", f"{len(self._turns)} decided", share)
            if found is None:
                return "."
            self._turns.append(found)
            return STABLE if self._found[found][0].v is None else UNSTABLE
        return "+"

    def _deciding(self, box: tuple[Side, ...], here: dict[int, int]) -> int | None:
        """The number of a form that decides all members in a box; None where none is found."""
        begun = thread_time()
        try:
            corners = self._forms.corners(box, here)
        except Refusal:
            return None
        middles = np.array([[float(c) for c in A.mid().entries()] for A in corners]).reshape(
            len(corners), self._forms.size, self._forms.size
        )
        asked = thread_time() - begun
        if self._time > _CHECKED or not np.all(np.isfinite(middles)):
            return None
        recent = list(dict.fromkeys(reversed(self._turns[-4 * _RECENT :])))[:_RECENT]
        for k in recent:
            _, P, exact = self._found[k]
            begun = thread_time()
            if falls_in_doubles(P, middles) and falls(exact, corners):
                self._time += asked + thread_time() - begun
                return k
        for form in deciding_forms(np.mean(middles, axis=0), middles):
            balls = arb_mat([[fmpq(c.numerator, c.denominator) for c in row] for row in form.P])
            begun = thread_time()
            if falls(balls, corners):
                self._time += asked + thread_time() - begun
                self._found.append((form, np.array(form.P, dtype=float), balls))
                return len(self._found) - 1
        return None


def _form_text(form: DecidingForm) -> dict[str, Any]:
    P = [[str(c) for c in row[: i + 1]] for i, row in enumerate(form.P)]
    return {"P": P} | ({} if form.v is None else {"v": [str(c) for c in form.v]})
