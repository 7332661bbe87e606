"""Shapes of which solids in a picture are made; lengths are numbers or expressions of parameters."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy as sp

from geoctrl._printing.printed_lines import full_text, short_form
from geoctrl._printing.record_lines import record_lines
from geoctrl._scalars import expression, read_matrix, shown
from geoctrl.errors import DescriptionError

if TYPE_CHECKING:
    from scipy.spatial.transform import Rotation

__all__ = ["Block", "Disk", "Ellipsoid", "Numbers", "Rod", "Shape", "direction", "turns_to"]

Numbers = Mapping[sp.Symbol, float]
"""Values of parameters by symbol."""


def triple(what: str, given: Any) -> tuple[sp.Expr, sp.Expr, sp.Expr]:
    """Three expressions; DescriptionError for another number of them."""
    read = list(read_matrix(what, given))
    if len(read) != 3:
        raise DescriptionError(f"{what} must have 3 entries, got {len(read)}")
    return read[0], read[1], read[2]


def direction(what: str, given: Any) -> tuple[sp.Expr, sp.Expr, sp.Expr]:
    """An axis, three expressions of which one is not zero."""
    axis = triple(what, given)
    if all(e == 0 for e in axis):
        raise DescriptionError(f"{what} must not be zero")
    return axis


def turns_to(directions: np.ndarray) -> Rotation:
    """Smallest rotations that take (0, 0, 1) to directions (k, 3)."""
    # Loading it takes as long as sympy: descriptions do without.
    from scipy.spatial.transform import Rotation

    axes = np.stack([-directions[:, 1], directions[:, 0], np.zeros(len(directions))], axis=1)
    sines = np.linalg.norm(axes, axis=1)
    angles = np.arctan2(sines, directions[:, 2])
    axes[sines == 0] = (1.0, 0.0, 0.0)  # any, where the angle is zero or half a turn
    return Rotation.from_rotvec(axes / np.linalg.norm(axes, axis=1)[:, None] * angles[:, None])


def _quaternion(axis: np.ndarray) -> list[float]:
    """Of the smallest rotation that takes (0, 0, 1) to an axis, scalar last."""
    return turns_to(axis[None])[0].as_quat().tolist()


def require_colour(colour: Any) -> None:
    """DescriptionError for what is no colour, or None."""
    if colour is not None and re.fullmatch("#[0-9a-fA-F]{6}", str(colour)) is None:
        raise DescriptionError(f"a colour is written as '#rrggbb', got {shown(colour)}")


class Shape(ABC):
    """One shape of a solid, with a colour, that of the solid by default, and an opacity from 0 to 1."""

    colour: str | None
    opacity: float

    def _check_look(self) -> None:
        require_colour(self.colour)
        if not 0 <= self.opacity <= 1:
            raise DescriptionError(f"opacity must lie between 0 and 1, got {shown(self.opacity)}")

    @property
    @abstractmethod
    def lengths(self) -> tuple[sp.Expr, ...]:
        """All expressions that the shape is given by."""

    @abstractmethod
    def geometry(self, numbers: Numbers) -> dict[str, Any]:
        """The shape in numbers: its kind, its sizes, its place and turn (scalar last) in the solid."""

    def data(self, numbers: Numbers, colour: str) -> dict[str, Any]:
        """The shape in numbers, with its colour."""
        return {"colour": self.colour or colour, "opacity": float(self.opacity)} | self.geometry(numbers)


def _values(exprs: Sequence[sp.Expr], numbers: Numbers) -> np.ndarray:
    return np.array([float(e.xreplace(dict(numbers))) for e in exprs])


def _put(shape: Shape, **values: Any) -> None:
    for name, value in values.items():
        object.__setattr__(shape, name, value)
    shape._check_look()


@dataclass(frozen=True)
class Block(Shape):
    """A block with edges along the axes of its solid.

    Parameters
    ----------
    size : three lengths (m)
    at : three entries
        Its middle in the axes of the solid.
    colour : text ``#rrggbb``, optional
    opacity : float

    Raises
    ------
    DescriptionError
        For what is no three expressions, no colour, or no opacity.

    Examples
    --------
    >>> import geoctrl as gc
    >>> gc.Block((0.4, 0.2, 0.1), at=(0, 0, 0.3)).geometry({})["size"]
    [0.4, 0.2, 0.1]
    """

    size: Any
    at: Any = (0, 0, 0)
    colour: str | None = None
    opacity: float = 1.0

    def __post_init__(self) -> None:
        _put(self, size=triple("the size of a block", self.size), at=triple("at", self.at))

    @property
    def lengths(self) -> tuple[sp.Expr, ...]:
        """Its size and place."""
        return (*self.size, *self.at)

    def geometry(self, numbers: Numbers) -> dict[str, Any]:
        """A box of that size."""
        size, place = np.abs(_values(self.size, numbers)), _values(self.at, numbers)
        return {"kind": "box", "size": size.tolist(), "place": place.tolist(), "turn": [0, 0, 0, 1]}

    _lines = record_lines
    full = full_text
    __repr__ = short_form


@dataclass(frozen=True)
class Ellipsoid(Shape):
    """An ellipsoid with its axes along those of its solid.

    Parameters
    ----------
    size : a length, or three (m)
        Its diameters.
    at : three entries
        Its middle in the axes of the solid.
    colour : text ``#rrggbb``, optional
    opacity : float

    Raises
    ------
    DescriptionError
        For what is no three expressions, no colour, or no opacity.

    Examples
    --------
    >>> import geoctrl as gc
    >>> gc.Ellipsoid(0.2).geometry({})["size"]
    [0.2, 0.2, 0.2]
    """

    size: Any
    at: Any = (0, 0, 0)
    colour: str | None = None
    opacity: float = 1.0

    def __post_init__(self) -> None:
        sizes = self.size if hasattr(self.size, "__len__") else [self.size] * 3
        _put(self, size=triple("the size of an ellipsoid", sizes), at=triple("at", self.at))

    @property
    def lengths(self) -> tuple[sp.Expr, ...]:
        """Its size and place."""
        return (*self.size, *self.at)

    def geometry(self, numbers: Numbers) -> dict[str, Any]:
        """An ellipsoid of these diameters."""
        size, place = np.abs(_values(self.size, numbers)), _values(self.at, numbers)
        return {"kind": "ellipsoid", "size": size.tolist(), "place": place.tolist(), "turn": [0, 0, 0, 1]}

    _lines = record_lines
    full = full_text
    __repr__ = short_form


@dataclass(frozen=True)
class Rod(Shape):
    """A round rod from one point of its solid to another.

    Parameters
    ----------
    start, end : three entries each (m)
    radius : length, optional
        A fortieth of its length by default.
    colour : text ``#rrggbb``, optional
    opacity : float

    Raises
    ------
    DescriptionError
        For what is no three expressions, no colour, or no opacity.

    Examples
    --------
    >>> import geoctrl as gc
    >>> gc.Rod((0, 0, 0), (0, 0, 2)).geometry({})["length"]
    2.0
    """

    start: Any
    end: Any
    radius: Any = None
    colour: str | None = None
    opacity: float = 1.0

    def __post_init__(self) -> None:
        start, end = triple("start", self.start), triple("end", self.end)
        way = sp.sqrt(sum((b - a) ** 2 for a, b in zip(start, end, strict=True)))
        radius = way / 40 if self.radius is None else expression(self.radius, "radius")
        _put(self, start=start, end=end, radius=radius)

    @property
    def lengths(self) -> tuple[sp.Expr, ...]:
        """Its ends, and its radius."""
        return (*self.start, *self.end, self.radius)

    def geometry(self, numbers: Numbers) -> dict[str, Any]:
        """A cylinder from start to end."""
        start, end = _values(self.start, numbers), _values(self.end, numbers)
        return {
            "kind": "cylinder",
            "radius": abs(float(_values([self.radius], numbers)[0])),
            "length": float(np.linalg.norm(end - start)),
            "place": ((start + end) / 2).tolist(),
            "turn": _quaternion(end - start),
        }

    _lines = record_lines
    full = full_text
    __repr__ = short_form


@dataclass(frozen=True)
class Disk(Shape):
    """A disk or wheel, with a stripe that shows its turn.

    Parameters
    ----------
    radius : length (m)
    axis : three entries
        Its axis in the solid.
    at : three entries
        Its middle in the axes of the solid.
    thickness : length, optional
        A fifth of the radius by default.
    colour : text ``#rrggbb``, optional
    opacity : float

    Raises
    ------
    DescriptionError
        For what is no expression, an axis that is zero, no colour, or no opacity.

    Examples
    --------
    >>> import geoctrl as gc
    >>> gc.Disk(0.5, axis=(0, 1, 0)).geometry({})["length"]
    0.1
    """

    radius: Any
    axis: Any = (0, 0, 1)
    at: Any = (0, 0, 0)
    thickness: Any = None
    colour: str | None = None
    opacity: float = 1.0

    def __post_init__(self) -> None:
        radius = expression(self.radius, "radius")
        thickness = radius / 5 if self.thickness is None else expression(self.thickness, "thickness")
        axis, at = direction("axis", self.axis), triple("at", self.at)
        _put(self, radius=radius, axis=axis, at=at, thickness=thickness)

    @property
    def lengths(self) -> tuple[sp.Expr, ...]:
        """Its radius and thickness, its axis and place."""
        return (self.radius, self.thickness, *self.axis, *self.at)

    def geometry(self, numbers: Numbers) -> dict[str, Any]:
        """A cylinder about the axis."""
        radius, thickness = np.abs(_values([self.radius, self.thickness], numbers))
        return {
            "kind": "cylinder",
            "radius": float(radius),
            "length": float(thickness),
            "place": _values(self.at, numbers).tolist(),
            "turn": _quaternion(_values(self.axis, numbers)),
            "mark": True,
        }

    _lines = record_lines
    full = full_text
    __repr__ = short_form
