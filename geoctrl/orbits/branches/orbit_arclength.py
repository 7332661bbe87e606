r"""Branches of periodic orbits by pseudo-arclength.

Unknowns y are those of `geoctrl.orbits.shooting` with the value of a parameter. A step goes along the tangent
of the curve and back across it, :math:`t \cdot (y - y_0) = ds`, by Gauss-Newton with the exact derivatives of
the flow. The phase of each orbit is chosen next to that of the one before.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from geoctrl.errors import EquilibriumError, GeoctrlError
from geoctrl.orbits.shooting import RANK

__all__ = ["JumpBreak", "OrbitCourse", "OrbitPlace", "solution_on_plane"]

_NEWTON, _FAST = 10, 4
"""Steps of a corrector at most, and up to which the next step of the course is longer."""
_QUADRATIC, _CLOSED = 1e-7, 1e-11
"""Length of a step from which on the next one is of rounding, and the residual up to which an orbit counts as
found, in sizes of the unknowns."""
_ROUNDING = 1e-14
"""Of residuals, over the sizes of what derivatives make of the unknowns."""
_LONGER, _SHORTER = 1.3, 0.8
_LONGEST, _SHORTEST = 0.25, 1e-7
"""Length of a step of the course, relative to the unknowns, and in their sizes."""
_SHRUNK = 1e-3
"""The same up to which orbits that shrink to a point are followed."""
_TURN = 0.9
"""Cosine of the angle between two tangents above which a step is short enough."""
_MOST = 20
"""Places at most, as a multiple of those asked for over the span."""


@dataclass(frozen=True, eq=False)
class OrbitPlace(ABC):
    """An orbit of a course.

    Attributes
    ----------
    y : ndarray
        Unknowns.
    tangent : ndarray
        Direction of the course, of length one.
    shooting : Shooting, or HybridCurve through jumps
        The equations, with the phase chosen next to this orbit.
    residual : float
    """

    y: np.ndarray
    tangent: np.ndarray
    shooting: Any
    residual: float

    @property
    @abstractmethod
    def value(self) -> float:
        """Of the parameter."""

    @property
    def slope(self) -> float:
        """Rate of the value along the course, in its size."""
        return float(self.tangent[-1])

    @property
    @abstractmethod
    def orbit(self) -> Any:
        """With its multipliers."""


class JumpBreak(NamedTuple):
    """Where jumps of a branch are no longer those of its orbits: its kind, the last place that is one, the
    value there, and one next to it, beyond.
    """

    kind: str
    place: OrbitPlace
    value: float
    beyond: float


def solution_on_plane(
    shooting: Any, y: np.ndarray, normal: np.ndarray, target: float
) -> tuple[np.ndarray, np.ndarray, float, int]:
    """The zero of the equations near y on a plane: unknowns, derivative, residual, and how many steps it
    took; EquilibriumError where there is none.
    """
    before = np.inf
    for count in range(_NEWTON):
        residual, J = shooting.equations(y)
        rows, defect = np.vstack([J, normal]), np.append(residual, normal @ y - target)
        if not np.isfinite(rows).all():
            break
        step = np.linalg.lstsq(rows, -defect, rcond=RANK)[0]
        y = y + step
        if np.max(np.abs(step)) <= _QUADRATIC * np.max(np.abs(y)):
            residual, J = shooting.equations(y)
            left = float(np.max(np.abs(residual)))
            rounding = _ROUNDING * float(np.max(np.abs(J) @ np.abs(y)))  # next to a rest that repels
            if left <= _CLOSED * np.max(np.abs(y)) or before < 2 * left <= 2 * rounding:
                return y, J, left, count + 1
            if left > rounding:
                break
            before = left
    raise EquilibriumError("the steps of the corrector do not converge")


class OrbitCourse(ABC):
    """Orbits on both sides of a first one, or on the side that its tangent shows.

    Parameters
    ----------
    shooting : Shooting, or HybridCurve through jumps
        With the parameter that it goes along.
    span : (low, high)
        Of the parameter.
    points : int
        Places over the span, about.
    """

    def __init__(self, shooting: Any, span: tuple[float, float], points: int) -> None:
        assert shooting.along is not None
        self._shooting, self.span, self._size = shooting, span, shooting.along.size
        self.along, self.points = shooting.along.name, points
        self._step = 1.0 / (points - 1)
        self._most = _MOST * points
        self.places: list[OrbitPlace] = []
        self.ends = "", ""
        self.breaks: dict[float, JumpBreak] = {}  # by the sense in which the branch goes on

    def place(self, y: np.ndarray, J: np.ndarray, residual: float, before: np.ndarray) -> OrbitPlace:
        """The place at a solution, its tangent in the sense of a direction before."""
        _, sizes, along = np.linalg.svd(J)
        still = along[min(int(np.sum(sizes > RANK * sizes[0])), len(along) - 1) :]
        tangent = before @ still.T @ still
        return self._place(y, tangent / np.linalg.norm(tangent), residual)

    @abstractmethod
    def _place(self, y: np.ndarray, tangent: np.ndarray, residual: float) -> OrbitPlace:
        """The place of a solution and its tangent."""

    def first_place(self, y: np.ndarray, normal: np.ndarray) -> OrbitPlace:
        """The place next to unknowns, on the plane across a direction."""
        found, J, residual, _ = solution_on_plane(self._shooting, y, normal, float(normal @ y))
        return self.place(found, J, residual, normal)

    def place_between(self, first: OrbitPlace, second: OrbitPlace, part: float) -> OrbitPlace:
        """The place over a part of the chord from one to another."""
        chord = second.y - first.y
        normal = chord / np.linalg.norm(chord)
        y = first.y + part * chord
        found, J, residual, _ = solution_on_plane(first.shooting, y, normal, float(normal @ y))
        return self.place(found, J, residual, normal)

    def walk(
        self, start: OrbitPlace, length: float, told: Callable[[float, float], None], *, one_way: bool
    ) -> None:
        """Find the places, with a first step of some length; `told` hears value and fraction done."""
        forward: list[OrbitPlace] = []
        backward: list[OrbitPlace] = []
        begin = f"{self.along} = {start.value:.9g}" if one_way else "where it was interrupted"
        end = "where it was interrupted"
        try:
            end = self._one_way(start, 1.0, length, forward, told)
            if not one_way:
                begin = self._one_way(start, -1.0, length, backward, told)
        finally:  # what is found is kept where the user stops it
            self.places, self.ends = [*backward[::-1], start, *forward], (begin, end)

    def _one_way(
        self,
        start: OrbitPlace,
        sense: float,
        length: float,
        found: list[OrbitPlace],
        told: Callable[[float, float], None],
    ) -> str:
        """Find places one way, with tangents in the sense of the start's; why they end."""
        here, step = start, length
        low, high = self.span
        while len(found) < self._most:
            step = min(step, self._longest(here))
            try:
                there, count = self._next(here, sense * step)
            except (GeoctrlError, ArithmeticError, ValueError) as error:
                step /= 2
                if step < _SHORTEST:
                    return f"lost after {self.along} = {here.value:.9g}: {error}"
                continue
            if self._point_between(here, there):
                step /= 2
                if step > _SHRUNK:
                    continue
                return f"the orbits shrink to a point near {self.along} = {here.value:.6g}"
            inside = low <= there.value <= high
            edge = low if there.value < low else high
            for place in [there] if inside else self._places_at(edge, here, there):
                if end := self._end_between(here, place, sense, found):
                    return end
                found.append(place)
            if not inside:
                return f"{self.along} = {edge:.9g}"
            told(there.value, min(1.0, len(found) * self._step))
            here, step = there, step * (_LONGER if count <= _FAST else _SHORTER)
        return f"{self._most} orbits were taken, the last at {self.along} = {here.value:.9g}"

    def _end_between(
        self,
        here: OrbitPlace,  # noqa: ARG002
        there: OrbitPlace,  # noqa: ARG002
        sense: float,  # noqa: ARG002
        found: list[OrbitPlace],  # noqa: ARG002
    ) -> str:
        """Why the branch ends between two places, if it does; what is still of it is found."""
        return ""

    @property
    @abstractmethod
    def _rest_counts(self) -> bool:
        """Whether rest is an orbit as others are, and followed."""

    def _longest(self, here: OrbitPlace) -> float:
        """The longest step from a place: a part of all that is there, and of the span."""
        part = _LONGEST * float(np.linalg.norm(here.y[:-1]))
        if self._rest_counts:
            part = max(part, self._step)
        return self._step / abs(here.slope) if part * abs(here.slope) > self._step else part

    def _next(self, here: OrbitPlace, step: float) -> tuple[OrbitPlace, int]:
        """The place a step on, and what it took; EquilibriumError where the course turns too much."""
        y = here.y + step * here.tangent
        found, J, residual, count = solution_on_plane(here.shooting, y, here.tangent, float(here.tangent @ y))
        there = self.place(found, J, residual, here.tangent)
        if there.tangent @ here.tangent < _TURN and abs(step) > 2 * _SHORTEST:
            raise EquilibriumError("the course turns more than a step allows")
        return there, count

    def _point_between(self, here: OrbitPlace, there: OrbitPlace) -> bool:  # noqa: ARG002
        """Whether orbits have shrunk to a point between two, and come back half a period on."""
        return False

    def _places_at(self, edge: float, here: OrbitPlace, there: OrbitPlace) -> list[OrbitPlace]:
        """The place at the edge of the span between two; none where the first is at it."""
        part = (edge - here.value) / (there.value - here.value)
        if part < _SHORTEST:
            return []
        normal = np.zeros(len(here.y))
        normal[-1] = 1.0
        y = here.y + part * (there.y - here.y)
        try:
            y, J, residual, _ = solution_on_plane(here.shooting, y, normal, edge / self._size)
        except GeoctrlError:  # next to a fold: the curve ends a step before
            return []
        y[-1] = edge / self._size
        return [self.place(y, J, residual, here.tangent)]
