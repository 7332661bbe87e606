"""Regions that motions about an equilibrium do not leave, each with a certificate that is checked without a
search.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from geoctrl import checker
from geoctrl._calls.budget import Budget
from geoctrl._checks import whole_number
from geoctrl._printing.printed_lines import full_text, short_form
from geoctrl.analysis.regions.attraction_boxes import boxes_of
from geoctrl.analysis.regions.proved_set import ProvedSet, confirmed_set
from geoctrl.analysis.regions.set_question import ENERGY, SetQuestion
from geoctrl.analysis.regions.sublevel import ClosedLevel, Sublevel
from geoctrl.analysis.regions.sublevel_problem import SublevelQuestions
from geoctrl.checker.limits import Refusal

__all__ = ["ENERGY", "EnergySets", "RegionOfAttraction"]

PIECES = {1: 64, 2: 16}
"""Of the extent along each shape, in pictures."""
FEW = 8


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
        What motions tend to, where the function falls: the equilibrium, or the largest invariant set on which
        it does not change, of which that is a part. Empty where the function is conserved.
    held : dict of name -> float
        Half widths of the levels of invariants that the set is made of.
    levels : tuple of str
        Their names.
    extent : dict of label -> (low, high)
        Intervals of the shapes in which the set lies.
    limits : dict of label -> float
        Outputs that are proved to stay within these bounds there.
    verdict : Verdict
        PROVED_INVARIANT, or PROVED_ATTRACTED where motions tend to the equilibrium.
    claim : str
    reason : str
        Why no higher level was taken.
    data : dict
        Everything that the file holds.
    """

    @property
    def level(self) -> float:
        """The level below which the set lies."""
        return float(Fraction(self.data["theorem"]["level"]))

    @cached_property
    def lyapunov(self) -> str:
        """The function, by the names of its parts."""
        return self._finding.function_words

    @cached_property
    def tends(self) -> str:
        """What motions of the set tend to, in words, where the function falls (LaSalle 1960): the largest
        invariant set in it on which the function does not change. Empty where it is conserved.
        """
        return self._finding.tends

    @property
    def held(self) -> dict[str, float]:
        """Half widths of the levels of invariants."""
        rows = self.data["theorem"]["held"]
        return {name: float(Fraction(row["width"])) for name, row in rows.items()}

    @property
    def levels(self) -> tuple[str, ...]:
        """Names of the invariants that are held, as `AttractedSet.levels` has them."""
        return tuple(self.held)

    @cached_property
    def extent(self) -> dict[str, tuple[float, float]]:
        """Intervals of the shapes."""
        found = self._finding.extent()
        return {k: (float(Fraction(str(a))), float(Fraction(str(b)))) for k, (a, b) in found.items()}

    @property
    def cells(self) -> list[dict[str, tuple[float, float]]]:
        """The cells of shapes over which the set lies."""
        region = self._finding
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
            pieces = PIECES.get(len(self._finding.energy.shapes), FEW)
        whole_number("pieces", pieces, 1, 1024)
        return boxes_of(self._finding, pieces)

    def _lines(self) -> list[str]:
        return [
            f"<RegionOfAttraction of {self.system}: {self.lyapunov} <= {self.level:.6g}, {self._extent_text}>"
        ]

    full = full_text
    __repr__ = short_form


class EnergySets:
    """Regions about an equilibrium by the energy, or by what falls along the motion.

    Parameters
    ----------
    depth : int or None
        Halvings of each side of the box.
    seconds_left : callable
        Of the stage.
    """

    def __init__(self, question: SetQuestion, depth: int | None, seconds_left: Callable[[], float]) -> None:
        self._question, self._depth, self._seconds_left = question, depth, seconds_left
        self._sublevel: Sublevel | None = None
        self._was_cut = False

    def __call__(self) -> RegionOfAttraction | list[str]:
        """The region of the first function that has one, or why there is none."""
        reasons = []
        try:
            for sublevel in () if self._question.problem is None else SublevelQuestions(self._question):
                self._sublevel = sublevel
                found = self._attempt(sublevel)
                if isinstance(found, RegionOfAttraction):
                    return found
                reasons += [f"by {sublevel.words}, {found}", *sublevel.omitted]
        except (Refusal, checker.Refusal) as refusal:
            reasons.append(str(refusal))
        return list(dict.fromkeys(reasons)) or ["no energy is conserved, or falls by squares"]

    def latest(self) -> RegionOfAttraction | None:
        """The region of the highest level of a search that was cut; None where there is none.

        The set alone is confirmed first, and that motions tend to the point in half of what is left then: all
        of it may not be enough, and a set that is known would be lost.
        """
        if self._sublevel is None or self._sublevel.best is None:
            return None
        sublevel, best = self._sublevel, self._sublevel.best
        try:
            kept = self._confirmed_region(sublevel.with_level(best), best.reason)
        except Refusal:
            return None
        seconds = self._seconds_left() / 2
        if self._was_cut or "fall" not in kept.data["theorem"] or not seconds > 0:
            return kept
        return Budget(seconds).attempt("attraction", lambda: self._region(sublevel, best), None) or kept

    def _attempt(self, sublevel: Sublevel) -> RegionOfAttraction | str:
        """The region of one function, or why there is none."""
        reason = ""
        try:
            for closed in sublevel.highest(self._depth):
                try:
                    return self._region(sublevel, closed)
                except Refusal as refusal:
                    reason = str(refusal)
            return reason
        except Refusal as refusal:
            return str(refusal) or "none is found"

    def _region(self, sublevel: Sublevel, closed: ClosedLevel) -> RegionOfAttraction:
        """The region of a level: that motions tend to the equilibrium is claimed where it is proved."""
        content = sublevel.with_level(closed)
        if "fall" in content["theorem"] and not self._was_cut:
            alone = content | {"theorem": content["theorem"] | {"alone": True}}
            self._was_cut = True  # unless it comes to an end
            with suppress(Refusal):
                return self._confirmed_region(alone, closed.reason)
            self._was_cut = False
        return self._confirmed_region(content, closed.reason)

    def _confirmed_region(self, content: dict[str, Any], reason: str) -> RegionOfAttraction:
        return confirmed_set(RegionOfAttraction, self._question.angles, content, reason)
