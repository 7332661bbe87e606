"""Wheels of a tree that roll on the floor, z = 0."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sympy as sp

from geoctrl._printing.printed_lines import full_text, short_form
from geoctrl._printing.record_lines import record_lines
from geoctrl._scalars import expression, shown
from geoctrl.errors import DescriptionError

__all__ = ["Rolling", "is_multiple"]


@dataclass(frozen=True)
class Rolling:
    r"""A wheel whose lowest point rests against the floor.

    With c the vector from the centre of the wheel, the origin of its link, to the point below it by the
    radius, and (w, v) the velocity of the link, the rows are

    .. math:: e_k \cdot (v + w \times c) = 0, \qquad k = 1, 2,

    along the axes 1 and 2 of the link ``upright``, which the wheel hangs on and whose third axis is vertical
    in the motions that are meant. The height of the centre is not held by them: it is where joints put it.

    Parameters
    ----------
    link : str
        The wheel: round about the axis of its hinge, which is horizontal in these motions.
    radius : number or expression in parameters
    upright : str
        Link in whose axes the rows are written: the wheel hangs on it, or on a link that does.

    Raises
    ------
    DescriptionError
        If names are no text, or the radius is a number that is not positive.

    Examples
    --------
    >>> import geoctrl as gc
    >>> body = dict(mass=1, inertia=(1, 1, 1))
    >>> links = [gc.Link("base", joint=gc.Planar("base"), **body),
    ...          gc.Link("wheel", "base", gc.Hinge("phi", axis=(0, 1, 0)), **body)]
    >>> tree = gc.Tree(links, rolling=[gc.Rolling("wheel", 0.5, "base")])
    >>> tree.labels, list(tree.rows_of_wheels.values())
    (('Omega', 'Y1', 'Y2', 'phi_dot'), [[0, 1, 0, -1/2], [0, 0, 1, 0]])
    """

    link: str
    radius: Any
    upright: str

    def __post_init__(self) -> None:
        for what in ("link", "upright"):
            name = getattr(self, what)
            if not isinstance(name, str):
                raise DescriptionError(f"{what} of gc.Rolling must be the name of a link, got {shown(name)}")
        radius = expression(self.radius, f"the radius of the wheel {self.link!r}")
        if radius.is_number and not radius.is_positive:
            raise DescriptionError(f"the radius of the wheel {self.link!r} must be positive, got {radius}")
        object.__setattr__(self, "radius", radius)

    _lines = record_lines
    full = full_text
    __repr__ = short_form


def is_multiple(row: Sequence[sp.Expr], other: Sequence[sp.Expr]) -> bool:
    """Whether a row is another times a function, by minors that vanish."""
    pairs = [(i, j) for i in range(len(row)) for j in range(i)]
    return all(sp.expand(row[i] * other[j] - row[j] * other[i]) == 0 for i, j in pairs)
