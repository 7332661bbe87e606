"""The inertia that a system on spheres is given, read and checked."""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp

from geoctrl._checks import finite_array, shape_of
from geoctrl._scalars import shown, without_floats
from geoctrl.errors import DescriptionError, InputError
from geoctrl.manifolds.energies.kinetic import Kinetic, of_rates
from geoctrl.manifolds.product.product import Product
from geoctrl.manifolds.vectors.entries import positive_definite

__all__ = ["count", "kinetic_of", "mass_expression", "mass_of"]


def mass_expression(mass: Any) -> sp.Matrix:
    """The inertia (n, n) as a sympy matrix."""
    M = read_mass(mass)
    return sp.Matrix(np.diag(M) if M.ndim == 1 else M) if isinstance(M, np.ndarray) else M


def kinetic_of(product: Product, mass: Any) -> Kinetic:
    """The kinetic energy of an inertia (n, n), which is the same for all three components.

    Constant inertia that couples bodies is one of rates alone: so the equations are the same off the spheres.
    """
    M = read_mass(mass)
    if isinstance(M, np.ndarray):
        return Kinetic(product, *_parts(M))
    places = {s for f in product.factors for s in f.z}
    G = {(3 * i + k, 3 * j + k): M[i, j] for i, j in np.ndindex(M.shape) for k in range(3)}
    given: Any = {"mass": (list(M), places)}
    if M.free_symbols & places:
        return of_rates(product, G, given=given)
    own = [e * sp.eye(3) for e in M.diagonal()] if M.is_diagonal() else [sp.zeros(3)] * M.rows
    rest = None if M.is_diagonal() else {place: e for place, e in G.items() if e != 0}
    return Kinetic(product, own, rest, given=given, check=_check)


def _check(own: np.ndarray, rest: np.ndarray | None) -> tuple[np.ndarray, np.ndarray | None]:
    """Constant inertia in numbers, checked."""
    return _parts(_positive_mass(mass_of(own, rest)))


def _parts(M: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
    """Own inertias and the rest of an inertia in numbers."""
    if M.ndim == 1:
        return M[:, None, None] * np.eye(3), None
    return np.zeros((len(M), 3, 3)), np.kron(M, np.eye(3))


def mass_of(own: np.ndarray, rest: np.ndarray | None) -> np.ndarray:
    """The inertia (n, n) of own inertias and the rest."""
    M = np.diag(own[:, 0, 0])
    return M if rest is None else M + rest[::3, ::3]


def count(mass: Any) -> int:
    """Number of spheres of an inertia; DescriptionError for a wrong shape."""
    shape = mass.shape if isinstance(mass, sp.MatrixBase) else shape_of(mass)
    if shape is None or len(shape) not in (1, 2) or not shape[0] or shape[0] != shape[-1]:
        raise DescriptionError(f"mass must have shape (n,) or (n, n), got {shape or shown(mass)}")
    return int(shape[0])


def read_mass(mass: Any) -> Any:
    """The inertia: in numbers (n, n), or (n,) where it couples no bodies; else the matrix of expressions."""
    if isinstance(mass, sp.MatrixBase):
        if mass.free_symbols:
            if mass != mass.T:
                raise InputError("mass must be symmetric")
            return without_floats(mass, "mass", InputError)
        mass = np.array(mass.tolist(), dtype=object)
    return _positive_mass(finite_array("mass", mass))


def _positive_mass(mass: np.ndarray) -> np.ndarray:
    """The inertia (n, n), or (n,) where it couples no bodies; InputError unless it is positive definite.

    Of a diagonal the least entry says so: many bodies need no array (n, n).
    """
    if mass.ndim == 1:
        if not np.min(mass) > 0:
            raise InputError(f"mass must be positive definite, its least entry is {np.min(mass):.3g}")
        return mass.copy()
    diagonal = np.diag(mass)
    if np.count_nonzero(mass) == np.count_nonzero(diagonal):
        return _positive_mass(diagonal)
    return positive_definite("mass", mass)
