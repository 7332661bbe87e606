"""Height of a body along an advected vector: what gravity acts by, and what a plane of contact holds."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import sympy as sp

from geoctrl._printing.printed_lines import full_text, short_form
from geoctrl._printing.record_lines import record_lines
from geoctrl._scalars import Scalar
from geoctrl.algebra._labels import check_identifier, real_symbols
from geoctrl.algebra.advected import AdvectedVector
from geoctrl.algebra.lie import LieAlgebra
from geoctrl.algebra.structure import Entries
from geoctrl.errors import DescriptionError

__all__ = ["Height"]


@dataclass(frozen=True)
class Height(Scalar):
    r"""Component h of the position of a frame's origin along a vector fixed in space.

    .. math:: h = \gamma \cdot x, \qquad \dot h = \Gamma \cdot Y, \qquad \Gamma = R^T \gamma

    With :math:`\Gamma` the upward vertical of length one h is the height of the origin (m), and the weight is
    the force of the potential m g h. A body on a plane has a relation of the leaf that says how high its
    origin is, ``h + rho . Gamma`` with the point of contact rho: h is then no state, and the reaction of the
    plane carries the weight. Written as a function of :math:`\Gamma` alone, the same potential gives the same
    motion, but a weight that acts as a torque and leaves no force at the contact.

    Parameters
    ----------
    name : str
        Its symbol.
    along : AdvectedVector
        The vector, one of the mechanism's; its factor must have translations (se3, se2).

    Raises
    ------
    DescriptionError
        If the name is not an identifier.
    TypeError
        If ``along`` is no advected vector.

    Examples
    --------
    >>> from geoctrl.algebra import se3
    >>> h = Height("h", AdvectedVector("Gamma"))
    >>> h.action(se3())
    ((3, 3, 0, Fraction(-1, 1)), (3, 4, 1, Fraction(-1, 1)), (3, 5, 2, Fraction(-1, 1)))
    """

    name: str
    along: AdvectedVector

    def __post_init__(self) -> None:
        check_identifier(self.name, "the name of a height")
        if not isinstance(self.along, AdvectedVector):
            raise TypeError(
                f"along of the height {self.name!r} must be a gc.AdvectedVector, got {self.along!r}"
            )

    @property
    def dimension(self) -> int:
        """Number of components, 1."""
        return 1

    @property
    def symbol(self) -> sp.Symbol:
        """The height, real."""
        return sp.Symbol(self.name, real=True)

    @property
    def symbols(self) -> sp.ImmutableMatrix:
        """Column of the one symbol."""
        return real_symbols([self.name])

    @property
    def reference(self) -> tuple[Fraction, ...]:
        """Zero: the origin of the frame where it starts from."""
        return (Fraction(0),)

    def action(self, algebra: LieAlgebra) -> Entries:
        """Nonzero (i, j, m, kappa) of ``hdot = -kappa xi Gamma`` on the components of the vector and h.

        Raises
        ------
        DescriptionError
            If the factor that turns the vector has no translations.
        """
        factor = algebra.factors[self.along.factor_index(algebra)]
        if factor.velocity is None:
            raise DescriptionError(
                f"{self.name}: the factor {factor.name} that turns {self.along.name} has no translations; a "
                "height needs se3 or se2"
            )
        rows = enumerate(factor.velocity)
        d = self.along.dimension
        return tuple((d, j, k, Fraction(-c)) for k, row in rows for j, c in enumerate(row) if c and k < d)

    _lines = record_lines
    full = full_text
    __repr__ = short_form
