"""Rotations in numbers: cross products as matrices, exponential and logarithm, nearest rotations."""

from __future__ import annotations

from typing import Any

import numpy as np

from geoctrl.errors import ConstraintError

__all__ = ["exp", "hat", "log", "nearest_rotations", "require_right_handed", "rotation_defect"]


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


def rotation_defect(R: np.ndarray) -> np.ndarray:
    """Largest entry of ``|R^T R - I|`` for matrices (..., 3, 3)."""
    return np.max(np.abs(np.swapaxes(R, -1, -2) @ R - np.eye(3)), axis=(-1, -2))


def nearest_rotations(R: np.ndarray) -> np.ndarray:
    """Rotations (..., 3, 3) nearest to matrices of positive determinant, by the polar decomposition."""
    left, _, right = np.linalg.svd(R)
    return left @ right


def require_right_handed(name: str, R: np.ndarray) -> None:
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
