"""What a gait is to be good for: how far it goes, how much it turns, any number of a group element."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np

from geoctrl._scalars import shown
from geoctrl.algebra import LieAlgebra
from geoctrl.errors import InputError
from geoctrl.systems.connections.gait_motion import GaitEnd

__all__ = ["Goal", "goal_of"]

_STEP = 1e-3
"""Of central differences of fourth order, as a part of the size of a direction."""
_PLANAR = ("so2", "se2")
_MOVING = ("se2", "se3", "rn")


class Goal(ABC):
    """A number of the end of a gait, and its derivative along directions."""

    integrals: tuple[int, ...] = ()
    """Velocities of which it needs integrals."""
    name = "goal"

    @abstractmethod
    def value(self, end: GaitEnd) -> float:
        """The number."""

    @abstractmethod
    def slopes(self, end: GaitEnd, eta: np.ndarray) -> np.ndarray:
        """Its derivatives (q,) along g -> g exp(s eta_j)."""


class _Distance(Goal):
    """Length of the place of the frame's origin."""

    name = "distance"

    def __init__(self, group: LieAlgebra) -> None:
        self._group = group
        block = _only(group, _MOVING, "distance", "translations")
        last = group.matrix_slices[block].stop - 1
        self._rows, self._last = slice(group.matrix_slices[block].start, last), last

    def value(self, end: GaitEnd) -> float:
        return float(np.linalg.norm(end.g[self._rows, self._last]))

    def slopes(self, end: GaitEnd, eta: np.ndarray) -> np.ndarray:
        place = end.g[self._rows, self._last]
        moved = [(end.g @ self._group.hat(column))[self._rows, self._last] for column in eta.T]
        length = np.linalg.norm(place)
        # At the origin itself it has no derivative.
        return np.array(moved) @ place / length if length > 0 else np.zeros(eta.shape[1])


class _Heading(Goal):
    """Angle by which the frame has turned in its plane, counted on beyond a whole turn."""

    name = "heading"

    def __init__(self, group: LieAlgebra) -> None:
        self.integrals = (group.factors[_only(group, _PLANAR, "heading", "turns in a plane")].start,)

    def value(self, end: GaitEnd) -> float:
        return float(end.turned[0])

    def slopes(self, end: GaitEnd, eta: np.ndarray) -> np.ndarray:  # noqa: ARG002
        return eta[self.integrals[0]]


class _Own(Goal):
    """A function of the group element."""

    def __init__(self, group: LieAlgebra, function: Callable[[np.ndarray], Any]) -> None:
        self._group, self._function = group, function
        self.name = getattr(function, "__name__", "goal")

    def value(self, end: GaitEnd) -> float:
        return self._number(end.g)

    def slopes(self, end: GaitEnd, eta: np.ndarray) -> np.ndarray:
        return np.array([self._slope(end.g, column) for column in eta.T])

    def _slope(self, g: np.ndarray, direction: np.ndarray) -> float:
        values = [self._number(g @ self._group.exp(k * _STEP * direction)) for k in (-2, -1, 1, 2)]
        return float(np.dot([1, -8, 8, -1], values)) / (12 * _STEP)

    def _number(self, g: np.ndarray) -> float:
        value = self._function(g.copy())
        number = np.asarray(value)
        if not (number.shape == () and number.dtype.kind in "biuf" and np.isfinite(number)):
            raise InputError(f"goal must give a finite number of a matrix g, got {shown(value)}")
        return float(value)


def goal_of(given: Any, group: LieAlgebra) -> Goal:
    """From ``"distance"``, ``"heading"`` or a function of g."""
    if given == "distance":
        return _Distance(group)
    if given == "heading":
        return _Heading(group)
    if callable(given):
        return _Own(group, given)
    raise InputError(f"goal must be 'distance', 'heading' or a function of g, got {shown(given)}")


def _only(group: LieAlgebra, kinds: tuple[str, ...], goal: str, what: str) -> int:
    """Number of the one factor of such a kind."""
    found = [i for i, factor in enumerate(group.factors) if factor.group in kinds]
    if len(found) != 1:
        raise InputError(
            f"goal={goal!r} needs a group with one factor of {what}, and {group.name or 'this one'} has "
            f"{len(found)}; give a function of g"
        )
    return found[0]
