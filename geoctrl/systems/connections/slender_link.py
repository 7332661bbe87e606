"""Slender links in a viscous fluid: drag that differs along and across."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sympy as sp

from geoctrl._printing.printed_lines import full_text, short_form
from geoctrl._printing.record_lines import record_lines
from geoctrl._scalars import expression, shown
from geoctrl.errors import DescriptionError
from geoctrl.systems.connections.short_forms import shortest_form

__all__ = ["SlenderLink"]


@dataclass(frozen=True)
class SlenderLink:
    r"""A straight link in a plane, whose every piece is dragged by its own velocity (resistive force).

    .. math:: dF = -(c_t\, t t^T + c_n\, n n^T)\, v\, ds

    along t and across n of the link. Integrated over its length l, with the centre's velocity u and the
    turning rate w, forces and torque about the centre are
    :math:`-l c_t\, t \cdot u`, :math:`-l c_n\, n \cdot u` and :math:`-\tfrac1{12} l^3 c_n\, w`.

    Parameters
    ----------
    centre : two expressions
        Its middle in the body's frame (m), in coordinates of the shape and parameters.
    angle : expression
        Of t against the frame's first axis (rad).
    length : expression
        l (m).
    along, across : expression
        c_t and c_n (N s/m^2); across is twice along where nothing is said, as of a very slender link.

    Raises
    ------
    DescriptionError
        If the centre is not two expressions, another entry is none, or length or a coefficient is a number
        that is not positive.

    Notes
    -----
    J. Gray, G. J. Hancock, J. Exp. Biology 32 (1955), 802-814.

    Examples
    --------
    >>> SlenderLink((0, 0), angle=0, length=2, along=3).drag(())  # of turning, along, across
    Matrix([
    [4, 0,  0],
    [0, 6,  0],
    [0, 0, 12]])
    """

    centre: Sequence[Any]
    angle: Any
    length: Any
    along: Any = 1
    across: Any = None

    def __post_init__(self) -> None:
        centre = self.centre
        if isinstance(centre, (str, dict, sp.Basic)) or not hasattr(centre, "__len__") or len(centre) != 2:
            raise DescriptionError(f"centre of a slender link must be two expressions, got {shown(centre)}")
        put: dict[str, Any] = {"centre": tuple(expression(e, "centre of a slender link") for e in centre)}
        for name in ("angle", "length", "along"):
            put[name] = expression(getattr(self, name), f"{name} of a slender link")
        across = 2 * put["along"] if self.across is None else self.across
        put["across"] = expression(across, "across of a slender link")
        for name in ("length", "along", "across"):
            if put[name].is_positive is False:
                raise DescriptionError(f"{name} of a slender link must be positive, got {put[name]}")
        for name, value in put.items():
            object.__setattr__(self, name, value)

    def drag(self, shape: Sequence[sp.Symbol]) -> sp.Matrix:
        """K, (3 + k) x (3 + k), over the velocities of se2 and the rates of coordinates."""
        (x, y), turn = self.centre, sp.Matrix([self.angle])
        r = sp.Matrix(1, len(shape), shape)
        moved = sp.Matrix([[-y, 1, 0], [x, 0, 1]]).row_join(sp.Matrix([x, y]).jacobian(r))
        c, s = sp.cos(self.angle), sp.sin(self.angle)
        rows = sp.Matrix([[c, s], [-s, c]]) * moved
        rows = rows.col_join(sp.Matrix([[1, 0, 0]]).row_join(turn.jacobian(r)))
        l, along, across = self.length, self.along, self.across  # noqa: E741
        K = rows.T * sp.diag(l * along, l * across, l**3 * across / 12) * rows
        return K.applyfunc(shortest_form)

    _lines = record_lines
    full = full_text
    __repr__ = short_form
