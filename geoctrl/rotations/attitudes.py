"""Attitudes: symbols, hat and vee, the nearest rotation, and initial values that are checked."""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp

from geoctrl._checks import finite_array, shape_of
from geoctrl.errors import ConstraintError, InputError
from geoctrl.manifolds.reading import needs_repair, number_of_bodies, vector

__all__ = [
    "checked_attitudes",
    "exp",
    "hat",
    "initial_values",
    "log",
    "project",
    "rotation_defect",
    "symbols",
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
    bodies, axes = number_of_bodies(n), (1, 2, 3)
    R = tuple(sp.Matrix([[sp.Symbol(f"R{i}_{a}{b}", real=True) for b in axes] for a in axes]) for i in bodies)
    return R, tuple(vector(f"Omega{i}") for i in bodies)


def hat(v: Any) -> np.ndarray:
    """Skew matrices (..., 3, 3) of vectors (..., 3): ``hat(v) w = v x w``."""
    v = np.asarray(v, dtype=float)
    out = np.zeros((*v.shape, 3))
    out[..., 2, 1], out[..., 0, 2], out[..., 1, 0] = v[..., 0], v[..., 1], v[..., 2]
    return out - np.swapaxes(out, -1, -2)


def exp(v: Any) -> np.ndarray:
    """Rotations (..., 3, 3) by the rotation vectors v (..., 3), after Rodrigues."""
    v = np.asarray(v, dtype=float)
    angle = np.linalg.norm(v, axis=-1)[..., None, None]
    A = hat(v)
    return np.eye(3) + np.sinc(angle / np.pi) * A + np.sinc(angle / (2 * np.pi)) ** 2 / 2 * A @ A


def log(R: Any) -> np.ndarray:
    """Rotation vectors (..., 3) of rotations (..., 3, 3), of length pi at most."""
    from scipy.spatial.transform import Rotation

    R = np.asarray(R, dtype=float)
    return Rotation.from_matrix(R.reshape(-1, 3, 3)).as_rotvec().reshape(*R.shape[:-2], 3)


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
    _require_right_handed("R", R)
    left, _, right = np.linalg.svd(R)
    return left @ right


def _require_right_handed(name: str, R: np.ndarray) -> None:
    """ConstraintError for a determinant that is not positive."""
    sizes = np.linalg.det(R.reshape(-1, 3, 3))
    for body in np.flatnonzero(sizes <= 0):
        kind = (
            "a reflection: its axes are left-handed, reverse one or exchange two"
            if sizes[body]
            else "singular"
        )
        raise ConstraintError(
            f"body {body}: det {name} is {sizes[body]:.3g}, and must be positive; no rotation is nearest to "
            f"this matrix, which is {kind}"
        )


def rotation_defect(R: np.ndarray) -> np.ndarray:
    """Largest entry of ``|R^T R - I|`` for matrices (..., 3, 3)."""
    return np.max(np.abs(np.swapaxes(R, -1, -2) @ R - np.eye(3)), axis=(-1, -2))


def checked_attitudes(name: str, attitudes: Any, n: int) -> np.ndarray:
    """Attitudes (n, 3, 3), rotations to rounding.

    Raises
    ------
    ConstraintError
        If one misses ``R^T R = I`` by more than 1e-3, or its determinant is not positive.
    InputError
        For a wrong shape or values that are not finite.

    Warns
    -----
    ProjectionWarning
        If a defect above 1e-12 was repaired.
    """
    R = finite_array(name, attitudes, (n, 3, 3))
    _require_right_handed(name, R)  # a reflection is orthogonal
    defects = {"|R^T R - I|": rotation_defect(R)}
    remedy = f"geoctrl.rotations.project({name}) gives the nearest rotations"
    repair = f"{name} was projected onto the rotations"
    return project(R) if needs_repair(defects, repair, remedy) else R.copy()


def initial_values(n: int, R0: Any, Omega0: Any, name: str = "Omega") -> tuple[np.ndarray, np.ndarray]:
    """Attitudes (n, 3, 3), checked by `checked_attitudes`, and velocities (n, 3), which go by ``name``.

    One body's may be given as (3, 3) and (3,).
    """
    if n == 1:
        R0 = [R0] if len(shape_of(R0) or ()) == 2 else R0
        Omega0 = [Omega0] if len(shape_of(Omega0) or ()) == 1 else Omega0
    return checked_attitudes("R0", R0, n), finite_array(f"{name}0", Omega0, (n, 3)).copy()
