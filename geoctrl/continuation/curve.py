"""Courses through equilibria: what is asked of a curve, however its points are found."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from geoctrl.continuation.eigenvalue_changes import Spectrum
from geoctrl.systems import Equilibrium, Seen

__all__ = ["Course", "CurvePlace"]


@dataclass(frozen=True, eq=False)
class CurvePlace:
    """A point of a course.

    Attributes
    ----------
    value : float
        Of what the course goes along.
    z : ndarray
        Unknowns.
    tangent : ndarray
        Direction of the course in the unknowns.
    slope : float
        Rate of the value along the course; a fold is where it changes its sign.
    """

    value: float
    z: np.ndarray
    tangent: np.ndarray
    slope: float
    point: Equilibrium
    spectrum: Spectrum


class Course(ABC):
    """A curve of equilibria, by places one after the other.

    Attributes
    ----------
    seen : Seen
        The system in the axes in which its points rest.
    along : str
        The state, symbol of a family or parameter that it goes along.
    span : tuple of two floats
        Values between which it is followed.
    held : dict of label -> number
        What has the same value all along.
    ends : tuple of str
        Why it ends, at both ends.
    joined : bool
        Whether the members between two values are known to be one curve.
    """

    seen: Seen
    along: str
    span: tuple[float, float]
    held: dict[str, object]
    places: list[CurvePlace]
    ends: tuple[str, str]
    joined: bool

    @abstractmethod
    def walk(self, told: Callable[[float], None]) -> None:
        """Find the places; `told` hears the fraction done."""

    @abstractmethod
    def place_between(self, first: CurvePlace, second: CurvePlace, part: float) -> CurvePlace:
        """The place at a part of the way from one to another, smooth in the part."""

    @abstractmethod
    def exactly(self, value: float, near: CurvePlace) -> Equilibrium:
        """The equilibrium at a value that is the double it is, on the piece of the course near a place."""

    @abstractmethod
    def other_directions(self, place: CurvePlace) -> np.ndarray:
        """Directions (columns, in the unknowns) besides the course's own in which equilibria may continue."""

    def place_at(self, way: float) -> CurvePlace:
        """The place at a number between 0 and the last of the places: whole ones are these."""
        last = len(self.places) - 1
        i = min(max(int(np.floor(way)), 0), last - 1)
        if way == i or way == i + 1:
            return self.places[int(way)]
        if way not in self._places_between:
            self._places_between[way] = self.place_between(self.places[i], self.places[i + 1], way - i)
        return self._places_between[way]

    @cached_property
    def _places_between(self) -> dict[float, CurvePlace]:
        """Places beside those of the walk, which is done: halving asks for each several times."""
        return {}
