"""Directions: symbols, projection, and initial values that are checked."""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp

from geoctrl._checks import finite_array, shape_of
from geoctrl.errors import ConstraintError, InputError
from geoctrl.manifolds.reading import needs_repair, number_of_bodies, vector

__all__ = ["initial_values", "project", "symbols"]


def symbols(n: int) -> tuple[tuple[sp.Matrix, ...], tuple[sp.Matrix, ...]]:
    """Directions and angular velocities of n bodies, each a sympy 3-vector.

    Raises
    ------
    InputError
        If n is not a positive integer.

    Examples
    --------
    >>> q, omega = symbols(2)
    >>> q[1].T, omega[0][2]
    (Matrix([[q2_1, q2_2, q2_3]]), omega1_3)
    """
    bodies = number_of_bodies(n)
    return tuple(vector(f"q{i}") for i in bodies), tuple(vector(f"omega{i}") for i in bodies)


def project(q: Any, omega: Any) -> tuple[np.ndarray, np.ndarray]:
    """Nearest unit directions, and angular velocities made orthogonal to them.

    Parameters
    ----------
    q, omega : array (n, 3)

    Returns
    -------
    tuple of ndarray

    Raises
    ------
    InputError
        For wrong shapes.
    ConstraintError
        If a direction is zero: no unit direction is nearest.

    Examples
    --------
    >>> q, omega = project([[0.8660, 0, 0.5]], [[-0.4330, 0, 0.75]])
    >>> float(abs(q[0] @ omega[0])) < 1e-16
    True
    """
    q = finite_array("q", q)
    if q.ndim != 2 or q.shape[1] != 3:
        raise InputError(f"q must have shape (n, 3), got {q.shape}")
    omega = finite_array("omega", omega, q.shape)
    q = q / _lengths("q", q)[:, None]
    return q, omega - np.sum(q * omega, axis=1)[:, None] * q


def _lengths(name: str, q: np.ndarray) -> np.ndarray:
    """Lengths (n,); ConstraintError for zero."""
    size = np.linalg.norm(q, axis=1)
    if np.any(size == 0):
        raise ConstraintError(
            f"{name}[{int(np.argmin(size))}] is zero and has no direction; give a vector that has one"
        )
    return size


def initial_values(n: int, q0: Any, omega0: Any, name: str = "omega") -> tuple[np.ndarray, np.ndarray]:
    """Initial values (n, 3) each, on the spheres to rounding; the second, tangent ones go by ``name``.

    Raises
    ------
    ConstraintError
        If a direction is zero, or not unit or an angular velocity not orthogonal by more than 1e-3.
    InputError
        For a wrong shape or values that are not finite.

    Warns
    -----
    ProjectionWarning
        If a defect above 1e-12 was repaired.
    """
    if n == 1:
        q0, omega0 = ([v] if len(shape_of(v) or ()) == 1 else v for v in (q0, omega0))
    q, omega = finite_array("q0", q0, (n, 3)), finite_array(f"{name}0", omega0, (n, 3))
    defects = {
        "|q| - 1": np.abs(_lengths("q0", q) - 1),
        f"q.{name}": np.abs(np.sum(q * omega, axis=1)) / np.maximum(1.0, np.linalg.norm(omega, axis=1)),
    }
    repair = f"q0 and {name}0 were projected onto the spheres"
    remedy = f"geoctrl.spheres.project(q, {name}) gives the nearest values that are on the spheres"
    return project(q, omega) if needs_repair(defects, repair, remedy) else (q.copy(), omega.copy())
