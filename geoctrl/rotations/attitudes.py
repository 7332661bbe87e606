"""Attitudes: symbols, hat and vee, the nearest rotation, and initial values that are checked."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy as sp

from geoctrl._checks import finite_array
from geoctrl.errors import ConstraintError, ProjectionWarning

if TYPE_CHECKING:
    from geoctrl.rotations.system import RotationSystem

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

ROUNDING, REPAIRED = 1e-12, 1e-3
"""Defects up to the first are rounding; up to the second they are repaired with a warning."""


def symbols(n: int) -> tuple[tuple[sp.Matrix, ...], tuple[sp.Matrix, ...]]:
    """Attitudes (body to reference) and angular velocities (body components) of n bodies.

    Raises
    ------
    ValueError
        If n is not a positive integer.

    Examples
    --------
    >>> R, Omega = symbols(2)
    >>> R[1][0, 2], Omega[0].T
    (R2_13, Matrix([[Omega1_1, Omega1_2, Omega1_3]]))
    """
    if isinstance(n, bool) or not isinstance(n, int) or n < 1:
        raise ValueError(f"n must be a positive integer, got {n!r}")
    bodies, axes = range(1, n + 1), (1, 2, 3)
    R = tuple(sp.Matrix([[sp.Symbol(f"R{i}_{a}{b}", real=True) for b in axes] for a in axes]) for i in bodies)
    return R, tuple(sp.Matrix([sp.Symbol(f"Omega{i}_{k}", real=True) for k in axes]) for i in bodies)


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
    ValueError
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
        raise ValueError(f"R must have shape (..., 3, 3), got {R.shape}")
    if np.any(np.linalg.det(R) <= 0):
        raise ConstraintError(f"det R is {np.linalg.det(R).min():.3g}, and must be positive")
    left, _, right = np.linalg.svd(R)
    return left @ right


def rotation_defect(R: np.ndarray) -> np.ndarray:
    """Largest entry of ``|R^T R - I|`` for matrices (..., 3, 3)."""
    return np.max(np.abs(np.swapaxes(R, -1, -2) @ R - np.eye(3)), axis=(-1, -2))


def checked_attitudes(name: str, attitudes: Any, n: int) -> np.ndarray:
    """Attitudes (n, 3, 3), rotations to rounding.

    Raises
    ------
    ConstraintError
        If one misses ``R^T R = I`` or ``det R = 1`` by more than 1e-3.
    ValueError
        For a wrong shape or values that are not finite.

    Warns
    -----
    ProjectionWarning
        If a defect above 1e-12 was repaired.
    """
    R = finite_array(name, attitudes, (n, 3, 3))
    defects = {"|R^T R - I|": rotation_defect(R), "|det R - 1|": np.abs(np.linalg.det(R) - 1)}
    # A reflection is orthogonal: only then the determinant says what is wrong.
    kind = max(defects, key=lambda k: (defects[k].max() > REPAIRED, k == "|R^T R - I|"))
    worst = defects[kind]
    body, size = int(np.argmax(worst)), float(worst.max())
    if size > REPAIRED:
        raise ConstraintError(
            f"{name}, body {body}: {kind} is {size:.3g}, and should be zero; "
            "geoctrl.rotations.project(R) gives the nearest rotations"
        )
    if size > ROUNDING:
        warnings.warn(
            f"{name}, body {body}: {kind} was {size:.3g}; it was projected onto the rotations",
            ProjectionWarning,
            stacklevel=4,
        )
        return project(R)
    return R.copy()


def initial_values(system: RotationSystem, R0: Any, Omega0: Any) -> tuple[np.ndarray, np.ndarray]:
    """Attitudes (n, 3, 3), checked by `checked_attitudes`, and angular velocities (n, 3).

    One body's may be given as (3, 3) and (3,).
    """
    n = system.n
    if n == 1:
        R0 = [R0] if np.ndim(R0) == 2 else R0
        Omega0 = [Omega0] if np.ndim(Omega0) == 1 else Omega0
    return checked_attitudes("R0", R0, n), finite_array("Omega0", Omega0, (n, 3)).copy()
