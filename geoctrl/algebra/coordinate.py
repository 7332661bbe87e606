"""Variables beside the group: coordinates of the shape, each with a rate that is a velocity of its own, and
quasi-coordinates, functions of the configuration that are known by their rates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sympy as sp

from geoctrl._checks import flag, require_printable
from geoctrl._printing.printed_lines import full_text, short_form
from geoctrl._printing.record_lines import record_lines
from geoctrl._scalars import Scalar, expression
from geoctrl.algebra._labels import check_identifier
from geoctrl.algebra.groups import product
from geoctrl.algebra.lie import LieAlgebra
from geoctrl.algebra.representation.factor import AlgebraFactor
from geoctrl.errors import DescriptionError

__all__ = ["SHAPE", "Coordinate", "Quasicoordinate", "with_rates", "without_velocities"]

SHAPE = "shape"
"""Name of the factor of the rates."""


@dataclass(frozen=True)
class Coordinate(Scalar):
    r"""A coordinate r of the shape, with :math:`\dot r` among the velocities.

    Parameters
    ----------
    name : str
        Label of the state and name of ``symbol``; the rate goes by ``name_dot``.
    unit : str
        SI unit, for tables; "rad" for an angle unless something else is said.
    angle : bool
        Whether the coordinate is an angle: what depends on it has the period 2 pi, and values at which sine
        and cosine are rational are exact. A run does not wrap it.
    description : str
        What it is, for tables.

    Raises
    ------
    DescriptionError
        If the name is not an identifier, or unit or description are no text.
    InputError
        If ``angle`` is neither True nor False.

    Examples
    --------
    >>> phi = Coordinate("phi", angle=True)
    >>> phi.symbol, phi.rate, phi.unit
    (phi, phi_dot, 'rad')
    >>> 2 * sp.sin(phi) * phi.rate  # in expressions it is its symbol
    2*phi_dot*sin(phi)
    """

    name: str
    unit: str = ""
    angle: bool = False
    description: str = ""

    def __post_init__(self) -> None:
        check_identifier(self.name, "the name of a coordinate")
        object.__setattr__(self, "angle", flag(f"angle of {self.name!r}", self.angle))
        _check_words(self, "coordinate")
        if self.angle and not self.unit:
            object.__setattr__(self, "unit", "rad")

    @property
    def rate_label(self) -> str:
        """Label of the rate."""
        return f"{self.name}_dot"

    @property
    def symbol(self) -> sp.Symbol:
        """The coordinate, real."""
        return sp.Symbol(self.name, real=True)

    @property
    def rate(self) -> sp.Symbol:
        """Its rate, real."""
        return sp.Symbol(self.rate_label, real=True)

    _lines = record_lines
    full = full_text
    __repr__ = short_form


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
        _check_words(self, "quasi-coordinate")

    @property
    def symbol(self) -> sp.Symbol:
        """The quasi-coordinate, real."""
        return sp.Symbol(self.name, real=True)

    _lines = record_lines
    full = full_text
    __repr__ = short_form


def _check_words(given: Coordinate | Quasicoordinate, kind: str) -> None:
    for what in ("unit", "description"):
        if not isinstance(getattr(given, what), str):
            raise DescriptionError(f"{what} of the {kind} {given.name!r} must be text")
    require_printable(f"the unit of {given.name!r}", [given.unit])
    require_printable(f"the description of {given.name!r}", [given.description], prose=True)


def without_velocities() -> LieAlgebra:
    """The algebra of dimension zero, of what moves by rates that are given.

    Examples
    --------
    >>> without_velocities().n
    0
    """
    factor = AlgebraFactor(SHAPE, 0, 0, group="rn", labels=(), momentum_labels=())
    return LieAlgebra._from_parts((), (), (), SHAPE, (factor,))


def with_rates(group: LieAlgebra | None, shape: Sequence[Coordinate]) -> LieAlgebra:
    r"""The algebra of all velocities, those of the group and the rates of coordinates: :math:`g \times R^k`.

    Rates go by ``name_dot``, their momenta by ``p_name``.

    Examples
    --------
    >>> from geoctrl.algebra import se2
    >>> with_rates(se2(), [Coordinate("x")]).labels
    ('Omega', 'Y1', 'Y2', 'x_dot')
    """
    if not shape:
        if group is None:
            raise DescriptionError(
                "a mechanism needs an algebra (gc.so3(), gc.se2(), ...) or coordinates, "
                "shape=[gc.Coordinate(...)]"
            )
        return group
    rates = tuple(c.rate_label for c in shape)
    momenta = tuple(f"p_{c.name}" for c in shape)
    taken = set() if group is None else {*group.labels, *group.momentum_labels}
    names = [c.name for c in shape]
    for c in shape:
        for label in (c.name, c.rate_label, f"p_{c.name}"):
            if label in taken or (label != c.name and label in names):
                raise DescriptionError(
                    f"the coordinate {c.name!r} brings the label {label!r}, which is taken; rename it"
                )
        if names.count(c.name) > 1:
            raise DescriptionError(f"the coordinate {c.name!r} is given twice")
    k = len(shape)
    factor = AlgebraFactor(SHAPE, 0, k, group="rn", labels=rates, momentum_labels=momenta)
    plain = LieAlgebra._from_parts((), rates, momenta, SHAPE, (factor,))
    return (
        plain
        if group is None
        else product(group, plain).relabelled((*group.labels, *rates), (*group.momentum_labels, *momenta))
    )
