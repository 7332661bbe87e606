"""Regions that motions about an equilibrium do not leave, each with a certificate that is checked without a
search.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

from flint import arb, fmpq

from geoctrl import checker
from geoctrl._checks import whole_number
from geoctrl.analysis.regions.attraction_boxes import boxes_of
from geoctrl.analysis.regions.level_search import highest_levels
from geoctrl.analysis.regions.proved_set import SLACK, ProvedSet
from geoctrl.analysis.regions.sublevel_problem import SublevelQuestion, questions
from geoctrl.checker.jets import to_float
from geoctrl.checker.reading import Refusal
from geoctrl.checker.sublevels.energy import Energy
from geoctrl.checker.sublevels.file import (
    SUBLEVEL_FORMAT,
    Region,
    claim_of_sublevel,
    extent_of,
    function_words,
    judge_sublevel,
    lies_in,
    limit_words,
    read_sublevel,
)
from geoctrl.systems import Equilibrium, ReducedSystem
from geoctrl.systems.parts.angles import ExactAngle, angles_at
from geoctrl.verification import Verdict

__all__ = ["ENERGY", "EnergySets", "RegionOfAttraction"]

SIDE, DOUBLINGS = 4, 6
"""Half a side of the box along a shape that nothing bounds, in its size, at first, and how often it is
doubled.
"""
DEPTHS = {1: 14, 2: 12}
"""Halvings of each side of the box by the number of shapes; fewer for more of them."""
PIECES = {1: 64, 2: 16}
"""Of the extent along each shape, in pictures."""
FEW = 8
ENERGY = "energy"

Sides = Mapping[str, tuple[Fraction, Fraction]]


@dataclass(frozen=True, eq=False)
class RegionOfAttraction(ProvedSet):
    """A set of states that motions do not leave.

    Attributes
    ----------
    system : str
    method : str
        "energy".
    point : dict of label -> float
        The equilibrium.
    level : float
        The set lies below it: ``lyapunov`` <= level.
    lyapunov : str
        The function, by the names of energy and invariants; it does not grow along motions.
    tends : str
        What motions tend to, where the function falls: the largest invariant set on which it does not change,
        of which the equilibrium is a part. Empty where the function is conserved.
    held : dict of name -> float
        Half widths of the levels of invariants that the set is made of.
    levels : tuple of str
        Their names.
    extent : dict of label -> (low, high)
        Intervals of the shapes in which the set lies.
    limits : dict of label -> float
        Outputs that are proved to stay within these bounds there.
    verdict : Verdict
        PROVED_INVARIANT.
    claim : str
    reason : str
        Why no higher level was taken.
    data : dict
        Everything that the file holds.
    """

    data: dict[str, Any] = field(repr=False)
    angles: Mapping[int, ExactAngle] = field(default_factory=dict, repr=False)
    reason: str = field(default="", repr=False)
    _region: Region | None = field(default=None, repr=False)

    @cached_property
    def _proved(self) -> Region:
        if self._region is not None:
            return self._region
        return judge_sublevel(
            read_sublevel(self.data["problem"]), fmpq(self.data["level"]), self.data["cells"]
        )

    @property
    def level(self) -> float:
        """The level below which the set lies."""
        return float(Fraction(self.data["level"]))

    @property
    def point(self) -> dict[str, float]:
        """The equilibrium, by labels of states."""
        states = read_sublevel(self.data["problem"])["states"]
        return {k: to_float(v) for k, v in states.items()}

    @cached_property
    def lyapunov(self) -> str:
        """The function, by the names of its parts."""
        return function_words(self._proved.energy.question.problem)

    @cached_property
    def tends(self) -> str:
        """What motions of the set tend to, in words, where the function falls (LaSalle 1960): the largest
        invariant set in it on which the function does not change. Empty where it is conserved.
        """
        return limit_words(self._proved.energy.question.problem)

    @property
    def held(self) -> dict[str, float]:
        """Half widths of the levels of invariants."""
        rows = self.data["problem"]["sublevel"]["held"]
        return {name: float(Fraction(row["width"])) for name, row in rows.items()}

    @property
    def method(self) -> str:
        """What the set is proved by: the energy, or what falls in its place."""
        return ENERGY

    @property
    def levels(self) -> tuple[str, ...]:
        """Names of the invariants that are held, as `AttractedSet.levels` has them."""
        return tuple(self.held)

    @cached_property
    def extent(self) -> dict[str, tuple[float, float]]:
        """Intervals of the shapes."""
        found = extent_of(self._proved)
        return {k: (float(Fraction(str(a))), float(Fraction(str(b)))) for k, (a, b) in found.items()}

    @property
    def cells(self) -> list[dict[str, tuple[float, float]]]:
        """The cells of shapes over which the set lies."""
        region = self._proved
        labels = [region.energy.question.labels[i] for i in region.energy.shapes]
        sides = (node.cell for node in region.inside)
        return [
            {
                k: (float(Fraction(str(a))), float(Fraction(str(b))))
                for k, (a, b) in zip(labels, cell, strict=True)
            }
            for cell in sides
        ]

    def boxes(self, pieces: int | None = None) -> list[dict[str, tuple[float, float]]]:
        r"""Intervals of all states, box by box: the region lies in the union of the boxes.

        Over a piece of a cell of shapes the velocities are bounded by the level,
        :math:`\{w : V(s, w) \le c,\ |C(s, w) - C(e)| \le \delta\}`, in balls; pieces over which nothing lies
        below the level are left out, and doubles are rounded outwards.

        Parameters
        ----------
        pieces : int, optional
            From 1 to 1024: sides along shapes are at most this part of the extent; 64 for one shape, 16 for
            two, 8 for more of them. Many pieces of many shapes take minutes.

        Returns
        -------
        list of dict of label -> (low, high)

        Raises
        ------
        InputError
            If ``pieces`` is no such number.
        CertificateError
            If velocities are not bounded over a piece.

        Examples
        --------
        >>> import sympy as sp
        >>> import geoctrl as gc
        >>> pendulum = gc.EulerPoincare(
        ...     algebra=None, shape=[phi := gc.Coordinate("phi", angle=True)], inertia=[[2]],
        ...     potential=-3 * sp.cos(phi.symbol), name="pendulum").reduce()
        >>> roa = gc.region_of_attraction(pendulum, pendulum.state())
        >>> 6**0.5 - 0.01 < max(box["phi_dot"][1] for box in roa.boxes()) < 6**0.5 + 0.01
        True
        """
        if pieces is None:
            pieces = PIECES.get(len(self._proved.energy.shapes), FEW)
        whole_number("pieces", pieces, 1, 1024)
        return boxes_of(self._proved, pieces)

    def _holds(self, state: list[fmpq | arb]) -> bool:
        return lies_in(self._proved, state, SLACK)

    def __repr__(self) -> str:
        extent = ", ".join(f"{k} in [{a:.4g}, {b:.4g}]" for k, (a, b) in self.extent.items())
        return f"<RegionOfAttraction of {self.system}: {self.lyapunov} <= {self.level:.6g}, {extent}>"


class _Closed(NamedTuple):
    """A level that closes in a box: the problem, the tree of its cells, and why the level is no higher."""

    data: dict[str, Any]
    level: fmpq
    tree: str
    reason: str

    def judged(self) -> Region:
        """The region, as the checker finds it."""
        return judge_sublevel(read_sublevel(self.data), self.level, self.tree)


class EnergySets:
    """Regions about an equilibrium by the energy, or by what falls along the motion.

    Parameters
    ----------
    system : ReducedSystem
    point : Equilibrium
    limits : dict of output -> bound
    widths : dict of name -> half width
    depth : int or None
    """

    def __init__(
        self,
        system: ReducedSystem,
        point: Equilibrium,
        limits: Mapping[str, Fraction],
        widths: Mapping[str, Fraction],
        depth: int | None,
    ) -> None:
        self._system, self._point, self._depth = system, point, depth
        self._limits, self._widths = limits, widths
        self._latest: _Closed | None = None

    def __call__(self) -> RegionOfAttraction | list[str]:
        """The region of the first function that has one, or why there is none."""
        reasons = []
        try:
            for question in questions(self._system, self._point, self._limits, self._widths):
                self._latest = None
                found = self._attempt(question)
                if isinstance(found, RegionOfAttraction):
                    return found
                asked = question.data["sublevel"]
                reasons.append(f"by {'-' if asked['sense'] < 0 else ''}{asked['energy']}, {found}")
                reasons += [f"{name} is not held, for {why}" for name, why in question.omitted.items()]
        except Refusal as refusal:
            reasons.append(str(refusal))
        return list(dict.fromkeys(reasons)) or ["no energy is conserved, or falls by squares"]

    def latest(self) -> RegionOfAttraction | None:
        """The region of the highest level of a search that was cut; None where there is none."""
        if self._latest is None:
            return None
        try:
            return self._written(self._latest, self._latest.judged())
        except Refusal:
            return None

    def _attempt(self, question: SublevelQuestion) -> RegionOfAttraction | str:
        """The region of one function, or why there is none."""
        bounded = None not in question.shapes.values()
        for doubled in range(DOUBLINGS):
            try:
                found = self._closed(question, _sides(question, SIDE << doubled))
            except Refusal as refusal:
                if self._latest is None:
                    return str(refusal) or "none is found"
                break
            # In a larger box the cells are coarser, and the level may be lower.
            if found is not self._latest or "reaches the side" not in found.reason or bounded:
                break
        assert self._latest is not None
        try:
            best = self._latest
            region = best.judged()
            if not bounded:
                best, region = self._nearer(question, best, region)
        except Refusal as refusal:
            return str(refusal)
        return self._written(best, region)

    def _closed(self, question: SublevelQuestion, sides: Sides) -> _Closed:
        """The highest level in a box; the highest of all is kept."""
        data = _boxed(question, sides)
        halvings = self._depth or DEPTHS.get(len(question.shapes), FEW)
        found = None
        energy, limited = Energy(read_sublevel(data)), bool(self._limits)
        for level, tree, reason in highest_levels(energy, halvings, question.step, limited):
            found = _Closed(data, level, tree, reason)
            if self._latest is None or level >= self._latest.level:
                self._latest = found
        assert found is not None
        return found

    def _nearer(self, question: SublevelQuestion, best: _Closed, region: Region) -> tuple[_Closed, Region]:
        """The region in a box of its own size, where cells are smaller, if its level is higher there."""
        hull = {k: (Fraction(str(a)), Fraction(str(b))) for k, (a, b) in extent_of(region).items()}
        try:
            box = {k: ((9 * a - b) / 8, (9 * b - a) / 8) for k, (a, b) in hull.items()}
            found = self._closed(question, box)
            return (found, found.judged()) if found.level > best.level else (best, region)
        except Refusal:
            return best, region

    def _written(self, closed: _Closed, region: Region) -> RegionOfAttraction:
        from geoctrl import __version__

        content = {
            "format": SUBLEVEL_FORMAT,
            "version": checker.VERSION,
            "software": f"geoctrl {__version__}",
            "system": self._system.name,
            "verdict": Verdict.PROVED_INVARIANT.value,
            "claim": claim_of_sublevel(self._system.name, region),
            "problem": closed.data,
            "level": str(region.level),
            "cells": closed.tree,
        }
        return RegionOfAttraction(content, angles_at(self._point.exact), closed.reason, region)


def _sides(question: SublevelQuestion, side: int) -> Sides:
    """The box: of shapes that the leaf bounds by their bounds, of others about the point."""
    box = {}
    for label, bound in question.shapes.items():
        if bound is not None:
            box[label] = (-bound * Fraction(9, 8), bound * Fraction(9, 8))
        else:
            middle = question.middles[label]
            half = side * question.sizes[label]
            box[label] = (middle - half, middle + half)
    return box


def _boxed(question: SublevelQuestion, sides: Sides) -> dict[str, Any]:
    """The problem with its box."""
    box = {k: [str(a), str(b)] for k, (a, b) in sides.items()}
    return question.data | {"sublevel": question.data["sublevel"] | {"box": box}}
