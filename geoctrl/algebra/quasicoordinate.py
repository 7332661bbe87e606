"""Quasi-coordinates: functions of the configuration that are known by their rates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sympy as sp

from geoctrl._checks import require_printable
from geoctrl._scalars import Scalar, expression
from geoctrl.algebra._labels import check_identifier
from geoctrl.errors import DescriptionError

__all__ = ["Quasicoordinate"]


@dataclass(frozen=True)
class Quasicoordinate(Scalar):
    r"""A variable z that has a rate, linear in velocities, and no velocity of its own.

    .. math:: \dot z = \sum_j w_j(\Gamma)\, \xi_j

    A potential F(z) acts by the force :math:`-F'(z)\, w_j`. Where the form w is closed z is a function of the
    configuration, of which no formula is needed; else it is a quasi-coordinate in the sense of Hamel.

    Parameters
    ----------
    name : str
        Label of the state and name of ``symbol``.
    rate : expression
        Linear in velocities of the mechanism, with coefficients in its configuration and parameters.
    unit, description : str
        For tables.

    Raises
    ------
    DescriptionError
        If the name is not an identifier, or unit or description are no text.
    TypeError
        If the rate is no expression.

    Examples
    --------
    >>> from geoctrl.algebra import Coordinate
    >>> phi, v = Coordinate("phi", angle=True), sp.Symbol("x_dot", real=True)
    >>> Quasicoordinate("z", v + sp.cos(phi.symbol) * phi.rate).symbol
    z
    """

    name: str
    rate: Any
    unit: str = ""
    description: str = ""

    def __post_init__(self) -> None:
        check_identifier(self.name, "the name of a quasi-coordinate")
        object.__setattr__(self, "rate", expression(self.rate, f"rate of {self.name!r}"))
        for what in ("unit", "description"):
            if not isinstance(getattr(self, what), str):
                raise DescriptionError(f"{what} of the quasi-coordinate {self.name!r} must be text")
        require_printable(f"the unit of {self.name!r}", [self.unit])
        require_printable(f"the description of {self.name!r}", [self.description], prose=True)

    @property
    def symbol(self) -> sp.Symbol:
        """The quasi-coordinate, real."""
        return sp.Symbol(self.name, real=True)
