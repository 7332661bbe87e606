r"""Solids of a picture: shapes that move together.

.. math:: R = R_k \prod_j \exp(\alpha_j \hat n_j), \qquad x = x_k + R_k\, p

with the attitude :math:`R_k` and position :math:`x_k` of factor k of the group (the axes of space without
one), and p, :math:`n_j`, :math:`\alpha_j` expressions of the configuration.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import sympy as sp

from geoctrl._checks import entries
from geoctrl._printing.printed_lines import full_text, short_form
from geoctrl._scalars import expression, shown
from geoctrl.errors import DescriptionError
from geoctrl.systems.picture.shapes import Shape, direction, require_colour, triple

__all__ = ["Solid"]


def solids_in(picture: Any) -> tuple[Solid, ...]:
    """The solids of a picture; DescriptionError for no sequence, TypeError for anything else in it."""
    found: tuple[Any, ...] = entries("picture", picture, DescriptionError)
    for given in found:
        if not isinstance(given, Solid):
            raise TypeError(f"picture must hold gc.Solid objects, got {shown(given)}")
    return found


class Solid:
    """Shapes that move together; see `EulerPoincare`, ``picture=``.

    Parameters
    ----------
    name : str
    shapes : sequence of Block, Disk, Ellipsoid or Rod
        In the solid's own axes.
    of : int or None
        The factor of the group whose frame the solid is placed in, from 1; None for the axes of space.
    place : three entries
        Origin of the solid's axes in that frame, in parameters, advected symbols and coordinates (m).
    turns : sequence of pairs (axis, angle)
        Rotations from that frame to the solid's axes, one after another, each about an axis of the solid as
        those before have turned it. Angles (rad) are expressions as in ``place``, or the name of a rotor: its
        turn since the start of the run.
    colour : text ``#rrggbb``, optional
    along : three entries, optional
        A direction in that frame, to which the third axis of the solid is turned by the smallest rotation,
        before all ``turns``.
    up : three numbers, optional
        What is up in the axes of space, where the third axis is not; the first solid of a picture that says
        so is heard.

    Raises
    ------
    DescriptionError
        For shapes that are none, and entries that are no expressions.

    Examples
    --------
    A pendulum in the plane of axes 1 and 3:

    >>> import geoctrl as gc
    >>> phi = gc.Coordinate("phi", angle=True)
    >>> gc.Solid("bob", [gc.Rod((0, 0, 0), (0, 0, -1))], of=None, turns=[((0, -1, 0), phi.symbol)])
    <Solid bob: 1 shape in the axes of space>
    """

    def __init__(
        self,
        name: str,
        shapes: Sequence[Shape],
        of: int | None = 1,
        place: Any = (0, 0, 0),
        turns: Sequence[tuple[Any, Any]] = (),
        colour: str | None = None,
        up: Any = None,
        along: Any = None,
    ) -> None:
        require_colour(colour)
        self.along = None if along is None else direction("along", along)
        self.up = None if up is None else direction("up", up)
        if self.up is not None and any(e.free_symbols for e in self.up):
            raise DescriptionError(f"solid {name}: up must be three numbers, got {shown(up)}")
        self.name, self.of, self.colour = str(name), of, colour
        self.shapes = tuple(shapes) if isinstance(shapes, Iterable) else ()
        if not self.shapes or not all(isinstance(s, Shape) for s in self.shapes):
            raise DescriptionError(
                f"solid {self.name}: shapes must be a list of gc.Block, gc.Disk, gc.Ellipsoid, gc.Rod, got "
                f"{shown(shapes)}"
            )
        if of is not None and (isinstance(of, bool) or not isinstance(of, int) or of < 1):
            raise DescriptionError(
                f"solid {self.name}: of is the number of a factor of the group, from 1, or None, got "
                f"{shown(of)}"
            )
        self.place = triple("place", place)
        if isinstance(turns, str) or not isinstance(turns, Iterable):
            raise DescriptionError(f"solid {self.name}: turns must be a list of (axis, angle)")
        self.turns: tuple[tuple[tuple[sp.Expr, ...], str | sp.Expr], ...] = tuple(
            (
                direction("the axis of a turn", axis),
                angle if isinstance(angle, str) else expression(angle, "angle"),
            )
            for axis, angle in (entries("a turn", pair) for pair in turns)
        )

    def _lines(self) -> list[str]:
        count = f"{len(self.shapes)} shape{'s' if len(self.shapes) > 1 else ''}"
        where = "the axes of space" if self.of is None else f"the frame of factor {self.of}"
        return [f"<Solid {self.name}: {count} in {where}>"]

    full = full_text
    __repr__ = short_form

    @property
    def free_symbols(self) -> set[sp.Symbol]:
        """Symbols of its pose and of its shapes."""
        lengths = [length for shape in self.shapes for length in shape.lengths]
        return set[sp.Symbol]().union(*(e.free_symbols for e in (*self.expressions, *lengths)))

    @property
    def expressions(self) -> tuple[sp.Expr, ...]:
        """What its pose is given by: place, direction, axes and angles."""
        turns = [
            e for axis, angle in self.turns for e in (*axis, *([] if isinstance(angle, str) else [angle]))
        ]
        return (*self.place, *(self.along or ()), *turns)
