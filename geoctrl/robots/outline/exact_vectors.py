"""Vectors and matrices with rational entries."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from geoctrl.systems.trees.quaternions import Quaternion, turn, unit_axis

__all__ = [
    "AXES",
    "ZERO",
    "Matrix",
    "Vector",
    "direction",
    "matrix_product",
    "matrix_times",
    "multiple",
    "scalar_product",
    "transpose",
    "turn_about",
    "turn_to",
    "vector_product",
    "vector_sum",
]

Vector = list[Fraction]
Matrix = list[list[Fraction]]

AXES: Matrix = [[Fraction(int(i == j)) for j in range(3)] for i in range(3)]
ZERO: Vector = [Fraction(0)] * 3


def vector_sum(a: Sequence[Fraction], b: Sequence[Fraction]) -> Vector:
    """a + b."""
    return [x + y for x, y in zip(a, b, strict=True)]


def multiple(factor: Fraction, a: Sequence[Fraction]) -> Vector:
    """A vector times a number."""
    return [factor * x for x in a]


def scalar_product(a: Sequence[Fraction], b: Sequence[Fraction]) -> Fraction:
    """The scalar product."""
    return sum((x * y for x, y in zip(a, b, strict=True)), Fraction(0))


def vector_product(a: Sequence[Fraction], b: Sequence[Fraction]) -> Vector:
    """The vector product a x b."""
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def matrix_times(matrix: Sequence[Sequence[Fraction]], a: Sequence[Fraction]) -> Vector:
    """A matrix times a vector."""
    return [scalar_product(row, a) for row in matrix]


def transpose(matrix: Matrix) -> Matrix:
    """Rows as columns."""
    return [list(row) for row in zip(*matrix, strict=True)]


def matrix_product(a: Matrix, b: Matrix) -> Matrix:
    """The product a b."""
    columns = transpose(b)
    return [[scalar_product(row, column) for column in columns] for row in a]


def direction(a: Sequence[Fraction]) -> Vector | None:
    """The vector of length exactly one along a, within rounding of its direction; None of zero."""
    return list(unit_axis(a, "an axis")) if any(a) else None


def turn_about(axis: Sequence[Fraction], angle: Fraction) -> Quaternion:
    """The turn about an axis by an angle in rad."""
    return turn(axis=axis, angle=angle)


def turn_to(axis: Sequence[Fraction], start: int = 2) -> Quaternion:
    """The least turn that takes one of the axes, the third by default, to an axis of length one."""
    if axis[start] == -1:
        return turn(axis=AXES[(start + 1) % 3], angle=math.pi)
    return turn(quaternion=[1 + axis[start], *vector_product(AXES[start], axis)])
