"""Attitudes: symbols, hat and vee, the nearest rotation."""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp

from geoctrl._checks import finite_array
from geoctrl.errors import InputError
from geoctrl.manifolds.factors import Attitude, symbols_of_bodies
from geoctrl.manifolds.vectors.entries import needs_repair
from geoctrl.manifolds.vectors.turns import (
    exp,
    hat,
    log,
    nearest_rotations,
    require_right_handed,
    rotation_defect,
)

__all__ = [
    "checked_attitudes",
    "exp",
    "hat",
    "log",
    "project",
    "rotation_defect",
    "symbols",
    "words",
]


def symbols(n: int) -> tuple[tuple[sp.Matrix, ...], tuple[sp.Matrix, ...]]:
    """Attitudes (body to reference) and angular velocities (body components) of n bodies.

    Raises
    ------
    InputError
        If n is not a positive integer.

    Examples
    --------
    >>> R, Omega = symbols(2)
    >>> R[1][0, 2], Omega[0].T
    (R2_13, Matrix([[Omega1_1, Omega1_2, Omega1_3]]))
    """
    return symbols_of_bodies(Attitude, n)


def project(R: Any) -> np.ndarray:
    """Rotations nearest to given matrices, by the polar decomposition.

    Parameters
    ----------
    R : array (..., 3, 3)

    Returns
    -------
    ndarray (..., 3, 3)

    Raises
    ------
    InputError
        For a wrong shape.
    ConstraintError
        If a determinant is not positive: no rotation is nearest.

    Examples
    --------
    >>> R = project([[0.8, -0.6001, 0], [0.6, 0.8, 0], [0, 0, 1]])
    >>> bool(abs(R.T @ R - np.eye(3)).max() < 1e-15)
    True
    """
    R = finite_array("R", R)
    if R.shape[-2:] != (3, 3):
        raise InputError(f"R must have shape (..., 3, 3), got {R.shape}")
    require_right_handed("R", R)
    return nearest_rotations(R)


def checked_attitudes(name: str, attitudes: Any, n: int) -> np.ndarray:
    """Attitudes (n, 3, 3), rotations to rounding.

    Warns
    -----
    ProjectionWarning
        If a defect above 1e-12 was repaired.
    """
    R = finite_array(name, attitudes, (n, 3, 3))
    require_right_handed(name, R)  # a reflection is orthogonal
    defects = {"|R^T R - I|": rotation_defect(R)}
    return nearest_rotations(R) if needs_repair(defects, *words(name)) else R.copy()


def words(name: str) -> tuple[str, str]:
    """What is done about small defects of attitudes, and what to do about large ones."""
    return (
        f"{name} was projected onto the rotations",
        f"geoctrl.rotations.project({name}) gives the nearest rotations",
    )
