"""What the mechanisms are made of: links one after the other, their energies, data that is checked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import sympy as sp

from geoctrl._checks import entries, finite_array
from geoctrl._scalars import exact
from geoctrl.errors import InputError
from geoctrl.manifolds.factors import Attitude, Direction
from geoctrl.manifolds.vectors.entries import positive_definite

__all__ = [
    "EARTH",
    "LLM17",
    "MOST_LINKS",
    "directions",
    "exactly",
    "finite_vector",
    "inertia_tensor",
    "is_vertical",
    "kinetic_energy",
    "link_ends",
    "positive_numbers",
    "turning_energy",
    "two_inertias",
    "values_of",
    "weight_energy",
]

MOST_LINKS = 1000
"""More are too many for equations in symbols."""
EARTH = (0.0, 0.0, -9.81)
LLM17 = (
    "T. Lee, M. Leok, N. H. McClamroch, Global Formulations of Lagrangian and Hamiltonian Dynamics "
    "on Manifolds, Springer 2018, "
)


def directions(count: int) -> list[Direction]:
    """Directions of links, q1 and so on."""
    return [Direction(f"q{i}") for i in range(1, count + 1)]


def exactly(numbers: Any) -> sp.Matrix:
    """The rationals that doubles are: their products are not rounded, so that equilibria stay exact."""
    array = np.asarray(numbers, dtype=float)
    return sp.Matrix(*np.atleast_2d(array.T).T.shape, [sp.Rational(exact(v)) for v in array.flat])


def link_ends(start: sp.Matrix, directions: Sequence[sp.Matrix], lengths: np.ndarray) -> list[sp.Matrix]:
    """Ends of links, one after the other."""
    points = [start]
    for direction, length in zip(directions, exactly(lengths), strict=True):
        points.append(points[-1] + length * direction)
    return points[1:]


def kinetic_energy(masses: np.ndarray, rates: Sequence[sp.Matrix]) -> sp.Expr:
    """Kinetic energy of point masses."""
    return sp.Add(*(m / 2 * v.dot(v) for m, v in zip(exactly(masses), rates, strict=True)))


def turning_energy(R: Attitude, J: np.ndarray) -> sp.Expr:
    """Kinetic energy of turning about the centre of mass."""
    return R.velocity.dot(exactly(J) * R.velocity) / 2


def weight_energy(masses: np.ndarray, positions: Sequence[sp.Matrix], gravity: np.ndarray) -> sp.Expr:
    """Potential energy of masses in a uniform field."""
    g = exactly(gravity)
    return sp.Add(*(-m * g.dot(r) for m, r in zip(exactly(masses), positions, strict=True)))


def values_of(factor: Any, value: Any) -> dict[str, Any]:
    """The configuration of a factor by state labels."""
    return {str(s): e for s, e in zip(factor.z, sp.Matrix(value), strict=True)}


def is_vertical(v: np.ndarray) -> bool:
    """Whether a vector is along the third axis."""
    return not v[:2].any()


def positive_numbers(name: str, value: Any, count: int) -> np.ndarray:
    """Positive numbers, as many as there are; a single one stands for all."""
    array = np.atleast_1d(finite_array(name, value))
    if array.shape not in ((1,), (count,)) or not np.all(array > 0):
        raise InputError(f"{name} must be one positive number or {count} of them, got {array.tolist()}")
    return np.broadcast_to(array, (count,))


def inertia_tensor(value: Any) -> np.ndarray:
    """Inertia (3, 3) of a matrix or of principal moments, positive definite."""
    J = finite_array("inertia", value)
    return positive_definite("inertia", np.diag(J) if J.shape == (3,) else finite_array("inertia", J, (3, 3)))


def two_inertias(values: Any) -> list[np.ndarray]:
    """Inertias of two bodies."""
    found = entries("inertias", values)
    if len(found) != 2:
        raise InputError(f"inertias must be two, got {len(found)}")
    return [inertia_tensor(tensor) for tensor in found]


def finite_vector(name: str, value: Any) -> np.ndarray:
    """Three numbers."""
    return finite_array(name, value, (3,))
