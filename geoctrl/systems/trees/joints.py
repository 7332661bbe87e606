"""Joints of a tree: how a link moves against the one that it hangs on.

Velocities of a joint are components along fixed columns in the axes of its own link, so that no derivative of
a column enters the equations: turning, the axis or the three axes; sliding, the axis; free, both.

On each of its velocities v acts the force ``-damping v - dry v/sqrt(v^2 + scale^2)``, with the scale of the
tree. A rotor behind a gear, which does not turn the link by itself, adds ``armature`` to its inertia.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, fields
from fractions import Fraction
from typing import Any, ClassVar

from geoctrl._checks import entries, flag
from geoctrl._printing.printed_lines import full_text, short_form
from geoctrl._scalars import expression, real, shown
from geoctrl.algebra import LieAlgebra, se2, se3, so3
from geoctrl.algebra._labels import check_identifier
from geoctrl.errors import DescriptionError
from geoctrl.systems.trees.quaternions import Vector3, unit_axis

__all__ = ["AxisJoint", "Ball", "Column", "Fixed", "Free", "GroupJoint", "Hinge", "Joint", "Planar", "Slide"]

Column = tuple[Vector3, Vector3]
"""Angular and linear part of a unit velocity, in the axes of the link."""

_ZERO: Vector3 = (Fraction(0), Fraction(0), Fraction(0))
_AXES: tuple[Vector3, ...] = (
    (Fraction(1), Fraction(0), Fraction(0)),
    (Fraction(0), Fraction(1), Fraction(0)),
    (Fraction(0), Fraction(0), Fraction(1)),
)
_COEFFICIENTS = ("damping", "dry", "armature", "stiffness")


class Joint(ABC):
    """A joint of a tree; its classes say how it moves."""

    name: str
    damping: Any
    dry: Any
    armature: Any

    @property
    @abstractmethod
    def columns(self) -> tuple[Column, ...]:
        """Unit velocities."""

    @property
    def count(self) -> int:
        """Number of its velocities."""
        return len(self.columns)

    def _read(self) -> None:
        """Take names and coefficients in."""
        check_identifier(self.name, "the name of a joint")
        for what in _COEFFICIENTS:
            if not hasattr(self, what):
                continue
            found = expression(getattr(self, what), f"{what} of the joint {self.name!r}")
            if found.is_number and found.is_negative:
                raise DescriptionError(f"{what} of the joint {self.name!r} must not be negative, got {found}")
            object.__setattr__(self, what, found)

    def _lines(self) -> list[str]:
        given = [
            repr(self.name) if f.name == "name" else f"{f.name}={_text(getattr(self, f.name))}"
            for f in fields(self)  # type: ignore[arg-type]
            if f.init and (f.name in ("name", "axis") or getattr(self, f.name) != f.default)
        ]
        return [f"{type(self).__name__}({', '.join(given)})"]

    full = full_text
    __repr__ = short_form


class AxisJoint(Joint):
    """A joint with one coordinate, of the name of the joint; its rate is ``<name>_dot``.

    Its spring has the potential ``stiffness (q - rest)^2/2``; the range makes a side of the domain.
    """

    axis: Any
    stiffness: Any
    rest: Any
    range: Any

    def __post_init__(self) -> None:
        self._read()
        of = f"of the joint {self.name!r}"
        object.__setattr__(self, "axis", unit_axis(self.axis, f"the axis {of}"))
        object.__setattr__(self, "rest", expression(self.rest, f"rest {of}"))
        if self.range is not None:
            ends = entries(f"range {of}", self.range, DescriptionError)
            if len(ends) != 2:
                raise DescriptionError(f"range {of} must be (low, high), got {shown(self.range)}")
            low, high = (expression(e, f"range {of}") for e in ends)
            if low.is_number and high.is_number and not real(low) < real(high):
                raise DescriptionError(f"range {of} must be (low, high), low below high, got {low}, {high}")
            object.__setattr__(self, "range", (low, high))


class GroupJoint(Joint):
    """A joint whose motion is that of a group, with left-invariant velocities in the axes of the link."""

    heights: ClassVar[tuple[str, ...]] = ()
    rows: ClassVar[int] = 3

    def __post_init__(self) -> None:
        self._read()

    @abstractmethod
    def algebra(self) -> LieAlgebra:
        """Of the velocities, without names of its own."""


@dataclass(frozen=True, repr=False)
class Fixed(Joint):
    """A link that does not move against its parent.

    Examples
    --------
    >>> import geoctrl as gc
    >>> gc.Fixed().count
    0
    """

    name: str = field(init=False, default="")
    armature: Any = field(init=False, default=0)

    @property
    def columns(self) -> tuple[Column, ...]:
        """None."""
        return ()


@dataclass(frozen=True, repr=False)
class Hinge(AxisJoint):
    """A joint that turns about an axis: one angle, right-handed.

    Parameters
    ----------
    name : str
        Of the joint and its coordinate, an angle; the rate is ``<name>_dot``.
    axis : three numbers
        Through the origin of the link's frame, in its axes; made one long (exactly, the direction to 1e-16).
    damping, armature, stiffness, rest : numbers or expressions in parameters
        Of the torque ``-damping q_dot``, of a geared rotor's inertia, and of ``stiffness (q - rest)^2/2``.
    dry : number or expression in parameters
        Torque of dry friction; a `Tree` with one needs ``friction_scale=``.
    range : (low, high), optional
        In which the coordinate is; a side of the domain, ``"<name> range"``.
    angle : bool
        Whether the angle is a state. That of a wheel need not be: without it the rate is a velocity of a
        group of its own, and rolling at a rate an equilibrium.

    Raises
    ------
    DescriptionError
        If the name is no identifier, the axis has no direction, a coefficient is negative, the range is
        empty, or there is a spring or a range and no angle.

    Examples
    --------
    >>> import geoctrl as gc
    >>> gc.Hinge("elbow", axis=(0, 2, 0), damping=0.5)
    Hinge('elbow', axis=(0, 1, 0), damping=1/2)
    """

    name: str
    axis: Any = (0, 0, 1)
    damping: Any = 0
    dry: Any = 0
    armature: Any = 0
    stiffness: Any = 0
    rest: Any = 0
    range: Any = None
    angle: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "angle", flag(f"angle of the joint {self.name!r}", self.angle))
        if not self.angle and (self.stiffness != 0 or self.range is not None):
            raise DescriptionError(
                f"the joint {self.name!r} has a spring or a range, which depend on its angle: angle=False "
                "does not go with them"
            )

    @property
    def columns(self) -> tuple[Column, ...]:
        """The turn about the axis."""
        return ((self.axis, _ZERO),)


@dataclass(frozen=True, repr=False)
class Slide(AxisJoint):
    """A joint that slides along an axis: one length.

    Parameters
    ----------
    name : str
        Of the joint and its coordinate, a length; the rate is ``<name>_dot``.
    axis : three numbers
        In the axes of the link's frame, the origin of which moves along it; made one long.
    damping, dry, armature, stiffness, rest, range
        As of `Hinge`, with forces in the place of torques and a mass in that of an inertia.

    Raises
    ------
    DescriptionError
        As of `Hinge`.

    Examples
    --------
    >>> import geoctrl as gc
    >>> gc.Slide("x", axis=(1, 0, 0)).count
    1
    """

    name: str
    axis: Any = (0, 0, 1)
    damping: Any = 0
    dry: Any = 0
    armature: Any = 0
    stiffness: Any = 0
    rest: Any = 0
    range: Any = None

    @property
    def columns(self) -> tuple[Column, ...]:
        """The motion along the axis."""
        return ((_ZERO, self.axis),)


@dataclass(frozen=True, repr=False)
class Ball(GroupJoint):
    """A joint that turns in all directions: velocities ``Omega1..3`` in the axes of the link.

    Parameters
    ----------
    name : str
        Where the tree has several balls, free or planar joints, what belongs to each ends in ``_<name>``.
    damping, dry, armature : numbers or expressions in parameters
        As of `Hinge`, for each of the three velocities; dry friction acts against their vector.

    Raises
    ------
    DescriptionError
        If the name is no identifier, or a coefficient is negative.

    Examples
    --------
    >>> import geoctrl as gc
    >>> gc.Ball("hip").count
    3
    """

    name: str
    damping: Any = 0
    dry: Any = 0
    armature: Any = 0

    @property
    def columns(self) -> tuple[Column, ...]:
        """Turns about the three axes."""
        return tuple((e, _ZERO) for e in _AXES)

    def algebra(self) -> LieAlgebra:
        """so3."""
        return so3()


@dataclass(frozen=True, repr=False)
class Free(GroupJoint):
    """A link that moves in space, or against its parent, as it likes: velocities ``Omega1..3, Y1..3``.

    Its place and attitude are states, so the link has neither ``place=`` nor ``turn=``.

    Parameters
    ----------
    name : str
        As of `Ball`.
    damping, dry, armature : numbers or expressions in parameters
        As of `Ball`, for the three angular and the three linear velocities.

    Raises
    ------
    DescriptionError
        As of `Ball`.

    Examples
    --------
    >>> import geoctrl as gc
    >>> gc.Free("base").count
    6
    """

    heights: ClassVar[tuple[str, ...]] = ("x", "y", "z")
    name: str
    damping: Any = 0
    dry: Any = 0
    armature: Any = 0

    @property
    def columns(self) -> tuple[Column, ...]:
        """Turns about the three axes, and motions along them."""
        return (*((e, _ZERO) for e in _AXES), *((_ZERO, e) for e in _AXES))

    def algebra(self) -> LieAlgebra:
        """se3."""
        return se3()


@dataclass(frozen=True, repr=False)
class Planar(GroupJoint):
    """A link that moves in the plane of the axes 1 and 2 of its place: velocities ``Omega, Y1, Y2``.

    Parameters
    ----------
    name : str
        As of `Ball`.
    damping, dry, armature : numbers or expressions in parameters
        As of `Ball`, for the angular and the two linear velocities.

    Raises
    ------
    DescriptionError
        As of `Ball`.

    Examples
    --------
    >>> import geoctrl as gc
    >>> gc.Planar("base").count
    3
    """

    heights: ClassVar[tuple[str, ...]] = ("x", "y")
    rows: ClassVar[int] = 2
    name: str
    damping: Any = 0
    dry: Any = 0
    armature: Any = 0

    @property
    def columns(self) -> tuple[Column, ...]:
        """The turn about the third axis, and motions along the first two."""
        return ((_AXES[2], _ZERO), (_ZERO, _AXES[0]), (_ZERO, _AXES[1]))

    def algebra(self) -> LieAlgebra:
        """se2."""
        return se2()


def _text(value: Any) -> str:
    return f"({', '.join(map(str, value))})" if isinstance(value, tuple) else str(value)
