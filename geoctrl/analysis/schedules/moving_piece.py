"""The question of a bound while a parameter moves, on a piece of its range."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from geoctrl._calls.long_calls import tell
from geoctrl.analysis.certificates.proof_file import heading
from geoctrl.analysis.maps.map_witnesses import MapWitnesses
from geoctrl.analysis.maps.region_problem import axes_of, region_problem
from geoctrl.analysis.maps.region_proofs import ProofSamples, independent_chart
from geoctrl.analysis.question.generators import NotSolved
from geoctrl.analysis.schedules.falling_forms import LinearisationSamples
from geoctrl.checker.limits import Refusal
from geoctrl.checker.maps.file import MAP_WITNESS, PROBLEM
from geoctrl.checker.maps.members import Members
from geoctrl.checker.maps.region import halves, whole
from geoctrl.checker.reader import FORMAT, conform
from geoctrl.checker.schedules.file import HALVED, PIECE, SHOWN, MovingLinearPart
from geoctrl.decisions.reading.problem_reader import Refusal as SearchRefusal
from geoctrl.errors import CertificateError, EquilibriumError
from geoctrl.systems import ReducedSystem

__all__ = ["Form", "MovingPiece"]

_FEW = 4
"""Points of axes that stand still."""
_DEPTH, _CELLS = 14, 4000
"""Halvings of the axes, and cells, at most."""

Form = list[list[list[Fraction]]]
"""The lower triangle of P, each entry by its coefficients."""


class MovingPiece:
    """The question on a piece, as a file has it, and numbers for the search.

    Parameters
    ----------
    plant : ReducedSystem
    family, moves : str
    interval : (low, high)
    axes, params : dict or None
        As of `bound_while_moving`.

    Attributes
    ----------
    free : list of str
        States that the leaf leaves free.
    is_moving : bool
        Whether the members move.
    content : dict
        Of the file, without a theorem.
    """

    def __init__(
        self,
        plant: ReducedSystem,
        family: str,
        moves: str,
        interval: tuple[Any, Any],
        axes: Mapping[str, tuple[float, float]] | None,
        params: Mapping[str, Any] | None,
    ) -> None:
        self._moves = moves
        intervals = axes_of(plant, family, {moves: interval, **dict(axes or {})})
        tell("equations over the axes")
        try:
            data, self._members = region_problem(plant, family, intervals, params)
            self._ask(plant.name, family, data)
        except SearchRefusal as refusal:
            raise EquilibriumError(
                f"the members of {family!r} are not proved to be equilibria on the leaf for all values of "
                f"the axes ({refusal})"
            ) from None
        except (Refusal, NotSolved) as refusal:
            raise CertificateError(f"the equations cannot be reduced over these axes: {refusal}") from None

    def _ask(self, name: str, family: str, data: dict[str, Any]) -> None:
        """Linearisation, speed of the members, and the content of the file."""
        members = self._members
        chart = independent_chart(members, list(members.leaf), ProofSamples(members))
        if {*chart.rows} != {*members.leaf}:
            raise CertificateError("the relations of the leaf depend on each other: this is not decided here")
        if not chart.kernel.free:
            raise CertificateError("the leaf is the point alone: nothing deviates")
        self.free = [members.labels[i] for i in chart.kernel.free]
        self._motion = members.motion(chart.kernel)
        velocity = members.velocity(self._moves)
        self._velocity = [velocity[i] for i in chart.kernel.free]
        self.is_moving = any(self._velocity)
        witnesses = MapWitnesses(data, members, [])
        written = witnesses.chart(chart)
        content = witnesses.content(list(data["axes"]))
        given = {key: content["theorem"][key] for key in ("axes", "symbols", "domain")}
        self._theorem = given | {
            "name": "moving member",
            "family": family,
            "moves": self._moves,
            "chart": {key: written[key] for key in ("rows", "free", "inverse")},
        }
        try:
            self._read_members(content)
        except Refusal:
            content = witnesses.with_roots(content)
        del content["theorem"]
        self.content = {**heading(FORMAT, name), **content}

    def _read_members(self, content: dict[str, Any]) -> Members:
        shapes = {"problem": PROBLEM, "witness": MAP_WITNESS}
        problem, witness = (conform(content[k], shape, k) for k, shape in shapes.items())
        asked = {"axes", "symbols", "domain"}
        given = conform({k: self._theorem[k] for k in asked}, {k: PIECE[k] for k in asked}, "theorem")
        return Members(problem, witness, given)

    @property
    def interval(self) -> tuple[Fraction, Fraction]:
        """Of the parameter that moves."""
        low, high = (Fraction(q) for q in self._theorem["axes"][self._moves])
        return low, high

    def samples(self, count: int, middle: Fraction, half: Fraction) -> LinearisationSamples:
        """The linearisation at points of Chebyshev and Lobatto of what moves, and at some of other axes.

        ``middle`` and ``half`` are those of the whole range, by which places are told.
        """
        axes = self._members.region["axes"]
        t = np.cos(np.pi * np.arange(count) / (count - 1))
        places = []
        for name, (low, high) in axes.items():
            here = t if name == self._moves else np.linspace(-1, 1, _FEW)
            places.append(float((low + high) / 2) + float((high - low) / 2) * here)
        at = ProofSamples(self._members, places=places)
        column = np.meshgrid(*places, indexing="ij")[list(axes).index(self._moves)].ravel()
        v = np.array([at(q) * np.ones(at.count) for q in self._velocity]).T
        B = at.matrices(self._motion)
        if not (np.all(np.isfinite(B)) and np.all(np.isfinite(v))):
            raise CertificateError("the equations have a pole in the range, or are not defined there")
        return LinearisationSamples((column - float(middle)) / float(half), B, v, float(half))

    def theorem(self, P: Form, middle: Fraction, half: Fraction, numbers: dict[str, Any]) -> dict[str, Any]:
        """What the file holds of a form in (s - middle)/half, but for the cells."""
        low, high = self.interval
        start, scale = ((low + high) / 2 - middle) / half, (high - low) / 2 / half
        own = [[[str(c) for c in _in_place_of(entry, start, scale)] for entry in row] for row in P]
        return self._theorem | {"P": own, **numbers, "cells": ""}

    def cells(self, theorem: dict[str, Any]) -> str | None:
        """A tree of boxes on each of which all is shown; None where there is none."""
        given = conform(theorem, PIECE, "theorem")
        try:
            part = MovingLinearPart(self._read_members(self.content), given)
        except Refusal:
            return None
        letters: list[str] = []

        def walk(sides: tuple, level: int) -> bool:
            tell("cells", best=f"{letters.count(SHOWN)} shown")
            if _shown_on(part, sides):
                letters.append(SHOWN)
                return True
            letters.append(HALVED)
            if level == _DEPTH or len(letters) > _CELLS:
                return False
            return all(walk(half, level + 1) for half in halves(sides))

        return "".join(letters) if walk(whole(len(given["axes"])), 0) else None


def _in_place_of(coefficients: list[Fraction], start: Fraction, scale: Fraction) -> list[Fraction]:
    """A polynomial in start + scale t, by Horner's rule."""
    found = [Fraction(0)]
    for c in reversed(coefficients):
        shifted = [start * q for q in found] + [Fraction(0)]
        for k, q in enumerate(found):
            shifted[k + 1] += scale * q
        shifted[0] += c
        found = shifted
    return found[:-1]


def _shown_on(part: MovingLinearPart, sides: tuple) -> bool:
    try:
        return part.holds_on(sides)
    except Refusal:
        return False
