r"""Turns that are orthogonal exactly: rational quaternions.

Every rational quaternion :math:`(w, v)`, of any length, is a turn with rational entries,

.. math::

    R = \frac{(w^2 - v \cdot v)\, 1 + 2\, v v^T + 2 w\, \hat v}{w^2 + v \cdot v}, \qquad R^T R = 1,

and no root is taken. A turn that is orthogonal to rounding alone would keep the energy to rounding alone, and
nothing about it could be proved.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import sympy as sp

from geoctrl._checks import shape_of
from geoctrl._printing.printed_lines import full_text, short_form
from geoctrl._scalars import real, shown
from geoctrl._scalars.graph.special_values import rational_sqrt
from geoctrl.algebra._exact import exact_array
from geoctrl.errors import DescriptionError

__all__ = ["STILL", "Quaternion", "Rows3", "Vector3", "read_turn", "turn", "unit_axis"]

Vector3 = tuple[Fraction, Fraction, Fraction]
Rows3 = tuple[Vector3, Vector3, Vector3]

_QUARTER = 1e-9
"""Quarters of a turn within which an angle is a multiple of a quarter."""

_QUARTERS = [tuple(map(Fraction, pair)) for pair in ((1, 0), (1, 1), (0, 1), (1, -1))]
"""Cosine and sine of half the turn, up to a factor, of none to three quarters."""

_ORTHOGONAL = 1e-9
"""Entries of R^T R - 1 below which a matrix is read as the turn next to it."""


@dataclass(frozen=True)
class Quaternion:
    """A turn in space, exactly orthogonal.

    Parameters
    ----------
    quaternion : (w, x, y, z)
        Exact numbers, not all zero; of any length. Kept in lowest terms.

    Attributes
    ----------
    matrix : three rows of Fractions
        R, which takes components in the turned axes to those in the axes turned from.

    Examples
    --------
    >>> import geoctrl as gc
    >>> quarter = gc.turn(axis=(0, 0, 1), angle=1.5707963267948966)
    >>> [[int(e) for e in row] for row in quarter.matrix]
    [[0, -1, 0], [1, 0, 0], [0, 0, 1]]
    >>> quarter * quarter == gc.turn(quaternion=(0, 0, 0, 3))
    True
    """

    quaternion: tuple[Fraction, Fraction, Fraction, Fraction]

    def __post_init__(self) -> None:
        given = exact_array(self.quaternion, 1, "the quaternion of a turn")
        if len(given) != 4 or not any(given):
            raise DescriptionError(
                f"a quaternion has four numbers (w, x, y, z), not all zero, got {shown(self.quaternion)}"
            )
        scale = math.lcm(*(q.denominator for q in given))
        whole = [int(q * scale) for q in given]
        common = math.gcd(*whole) * (1 if next(q for q in whole if q) > 0 else -1)
        object.__setattr__(self, "quaternion", tuple(Fraction(q // common) for q in whole))

    @cached_property
    def matrix(self) -> Rows3:
        """R, rows of exact numbers."""
        w, *v = self.quaternion
        square = sum(q * q for q in v)
        n = w * w + square
        hat = ((0, -v[2], v[1]), (v[2], 0, -v[0]), (-v[1], v[0], 0))
        return tuple(  # type: ignore[return-value]
            tuple(((w * w - square) * (i == j) + 2 * v[i] * v[j] + 2 * w * hat[i][j]) / n for j in range(3))
            for i in range(3)
        )

    @property
    def inverse(self) -> Quaternion:
        """The turn back."""
        w, x, y, z = self.quaternion
        return Quaternion((w, -x, -y, -z))

    @property
    def is_identity(self) -> bool:
        """Whether nothing is turned."""
        return not any(self.quaternion[1:])

    def __mul__(self, other: Quaternion) -> Quaternion:
        """The turn, then the other about axes turned by this one: the product of the matrices."""
        if not isinstance(other, Quaternion):
            return NotImplemented
        a, b, c, d = self.quaternion
        w, x, y, z = other.quaternion
        return Quaternion(
            (
                a * w - b * x - c * y - d * z,
                a * x + b * w + c * z - d * y,
                a * y - b * z + c * w + d * x,
                a * z + b * y - c * x + d * w,
            )
        )

    def _lines(self) -> list[str]:
        return [f"turn(quaternion=({', '.join(map(str, self.quaternion))}))"]

    full = full_text
    __repr__ = short_form


STILL = Quaternion((Fraction(1), Fraction(0), Fraction(0), Fraction(0)))
"""No turn."""


def turn(axis: Any = None, angle: Any = None, *, quaternion: Any = None) -> Quaternion:
    r"""A turn by an angle about an axis, orthogonal exactly.

    The angle a enters as :math:`\tan\tfrac a2`, a double and so a rational number; multiples of a quarter of
    a turn, recognised within 1e-9 of a quarter, are exact.

    Parameters
    ----------
    axis : three numbers
        Of any length; its direction is kept exactly where its length is rational, else to 1e-16.
    angle : number
        In radians, right-handed.
    quaternion : (w, x, y, z), optional
        Instead of both; of any length.

    Returns
    -------
    Quaternion

    Raises
    ------
    DescriptionError
        If neither or both are given, for an axis of three zeros, or what is no finite number.

    Examples
    --------
    >>> import geoctrl as gc
    >>> R = gc.turn(axis=(1, 2, 2), angle=0.3).matrix
    >>> sum(e * e for e in R[0])
    Fraction(1, 1)
    """
    if (quaternion is None) == (axis is None) or (axis is None) != (angle is None):
        raise DescriptionError("a turn is given by axis= and angle=, or by quaternion=(w, x, y, z)")
    if quaternion is not None:
        return Quaternion(quaternion)
    direction = unit_axis(axis, "the axis of a turn")
    size = real(angle, "the angle of a turn", DescriptionError)
    quarters = size / (math.pi / 2)
    if abs(quarters - round(quarters)) < _QUARTER:
        cosine, sine = _QUARTERS[round(quarters) % 4]
    else:
        cosine, sine = Fraction(1), Fraction(math.tan(size / 2))
    x, y, z = (sine * e for e in direction)
    return Quaternion((cosine, x, y, z))


def unit_axis(given: Any, what: str) -> Vector3:
    """The vector of length one, exactly, in a direction: itself where it is rational, else a point of the
    sphere next to it by stereographic projection; DescriptionError for what has no direction.
    """
    if isinstance(given, sp.MatrixBase):
        given = given.flat()
    numbers = exact_array(given, 1, what)
    if len(numbers) != 3 or not any(numbers):
        raise DescriptionError(f"{what} must be three numbers, not all zero, got {shown(given)}")
    largest = max(map(abs, numbers))
    scaled = [q / largest for q in numbers]  # so that no square is beyond the doubles
    length = rational_sqrt(sum((q * q for q in scaled), Fraction(0)))
    if length is not None:
        return tuple(q / length for q in scaled)  # type: ignore[return-value]
    size = math.hypot(*map(float, scaled))
    b = [float(q) / size for q in scaled]
    k = max(range(3), key=lambda i: abs(b[i]))  # from its pole, what is zero stays zero
    i, j = (k + 1) % 3, (k + 2) % 3
    u, v = (Fraction(b[m] / (1 + abs(b[k]))) for m in (i, j))
    square, found = u * u + v * v, [Fraction(0)] * 3
    found[i], found[j] = 2 * u / (1 + square), 2 * v / (1 + square)
    found[k] = (-1 if b[k] < 0 else 1) * (1 - square) / (1 + square)
    return tuple(found)  # type: ignore[return-value]


def read_turn(given: Any, what: str) -> Quaternion:
    """A turn from a `Quaternion`, four numbers (w, x, y, z) or a 3 x 3 matrix; DescriptionError for others.

    A matrix that is orthogonal within 1e-9 is replaced by the turn of a rational quaternion next to it.
    """
    if given is None:
        return STILL
    if isinstance(given, Quaternion):
        return given
    shape = shape_of(given.tolist() if isinstance(given, sp.MatrixBase) else given)
    if shape == (4,):
        return Quaternion(given)
    if shape != (3, 3):
        raise DescriptionError(
            f"{what} must be gc.turn(axis=, angle=), a quaternion (w, x, y, z) or a 3 x 3 matrix, got "
            f"{shown(given)}"
        )
    return _nearest_turn(exact_array(given, 2, what).tolist(), what)


def _nearest_turn(R: Sequence[Sequence[Fraction]], what: str) -> Quaternion:
    defects = [
        abs(sum((R[k][i] * R[k][j] for k in range(3)), Fraction(0)) - (i == j))
        for i in range(3)
        for j in range(3)
    ]
    across = [R[(k + 1) % 3][0] * R[(k + 2) % 3][1] - R[(k + 2) % 3][0] * R[(k + 1) % 3][1] for k in range(3)]
    handed = sum((a * R[k][2] for k, a in enumerate(across)), Fraction(0))
    if max(defects) > _ORTHOGONAL or handed < 0:
        raise DescriptionError(
            f"{what} is no turn: the rows of the matrix must be orthonormal within 1e-9 and right-handed, "
            f"they are off by {float(max(defects)):.3g}" + (", and left-handed" if handed < 0 else "")
        )
    # Each of the four is the quaternion times one of its components; the largest is far from zero.
    a, b, c = R[2][1] - R[1][2], R[0][2] - R[2][0], R[1][0] - R[0][1]
    x, y, z = R[0][0], R[1][1], R[2][2]
    p, q, r = R[0][1] + R[1][0], R[0][2] + R[2][0], R[1][2] + R[2][1]
    four = [
        (1 + x + y + z, a, b, c),
        (a, 1 + x - y - z, p, q),
        (b, p, 1 - x + y - z, r),
        (c, q, r, 1 - x - y + z),
    ]
    k = max(range(4), key=lambda i: four[i][i])
    return Quaternion(four[k])
