"""Masses, centres and tensors of bodies, exact: turned, union_of, and of simple shapes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from geoctrl.robots.outline.exact_vectors import (
    ZERO,
    Matrix,
    Vector,
    matrix_product,
    multiple,
    scalar_product,
    transpose,
    vector_sum,
)
from geoctrl.systems.trees.quaternions import Quaternion

__all__ = [
    "NOTHING",
    "MassOfBody",
    "moments",
    "shape_moments",
    "shape_volume",
    "tensor",
    "turned_tensor",
    "union_of",
]


@dataclass(frozen=True)
class MassOfBody:
    """A mass, its centre, and the tensor of inertia about the centre in the same axes."""

    mass: Fraction
    centre: Vector
    inertia: Matrix


def tensor(xx: Fraction, yy: Fraction, zz: Fraction, xy: Fraction, xz: Fraction, yz: Fraction) -> Matrix:
    """A symmetric tensor from its entries."""
    return [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]


def moments(principal: Sequence[Fraction]) -> Matrix:
    """The tensor of three principal moments."""
    zero = Fraction(0)
    xx, yy, zz = principal
    return tensor(xx, yy, zz, zero, zero, zero)


NOTHING = MassOfBody(Fraction(0), ZERO, moments(ZERO))


def turned_tensor(inertia: Matrix, turn: Quaternion) -> Matrix:
    """R I R^T, symmetric by form."""
    rows = [list(row) for row in turn.matrix]
    full = matrix_product(matrix_product(rows, inertia), transpose(rows))
    return [[full[max(i, j)][min(i, j)] for j in range(3)] for i in range(3)]


def union_of(parts: Sequence[MassOfBody]) -> MassOfBody:
    """Several bodies as one, by parallel axes."""
    mass = sum((part.mass for part in parts), Fraction(0))
    if not mass:
        return NOTHING
    centre = ZERO
    for part in parts:
        centre = vector_sum(centre, multiple(part.mass / mass, part.centre))
    total = [[Fraction(0)] * 3 for _ in range(3)]
    for part in parts:
        offset = vector_sum(part.centre, multiple(Fraction(-1), centre))
        square = scalar_product(offset, offset)
        for i in range(3):
            for j in range(3):
                steiner = (square if i == j else 0) - offset[i] * offset[j]
                total[i][j] += part.inertia[i][j] + part.mass * steiner
    return MassOfBody(mass, centre, total)


_PI = Fraction(math.pi)


def shape_volume(kind: str, size: Sequence[Fraction]) -> Fraction:
    """Volume of a shape of half sizes, with the double that is nearest to pi.

    Sizes are the radius of a sphere; radius and half length of a cylinder or of a capsule's cylinder; the
    half edges of a box; the half axes of an ellipsoid.
    """
    if kind == "sphere":
        return Fraction(4, 3) * _PI * size[0] ** 3
    if kind == "box":
        return 8 * size[0] * size[1] * size[2]
    if kind == "ellipsoid":
        return Fraction(4, 3) * _PI * size[0] * size[1] * size[2]
    radius, half = size
    cylinder = 2 * _PI * radius**2 * half
    return cylinder if kind == "cylinder" else cylinder + Fraction(4, 3) * _PI * radius**3


def shape_moments(kind: str, size: Sequence[Fraction]) -> Vector:
    """Principal moments of a shape of mass one about its centre; the axis of a cylinder is the third."""
    if kind == "sphere":
        return [Fraction(2, 5) * size[0] ** 2] * 3
    if kind in ("box", "ellipsoid"):
        a, b, c = (x * x for x in size)
        divisor = 3 if kind == "box" else 5
        return [(b + c) / divisor, (a + c) / divisor, (a + b) / divisor]
    radius, half = size
    across, along = (3 * radius**2 + 4 * half**2) / 12, radius**2 / 2
    if kind == "cylinder":
        return [across, across, along]
    # Half balls at both ends; pi cancels in their share of the volume.
    ends = Fraction(4, 3) * radius / (2 * half + Fraction(4, 3) * radius)
    end_along = Fraction(2, 5) * radius**2
    end_across = end_along + Fraction(3, 4) * radius * half + half**2
    across = (1 - ends) * across + ends * end_across
    return [across, across, (1 - ends) * along + ends * end_along]
