"""Directions: symbols and projection."""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp

from geoctrl._checks import finite_array
from geoctrl.errors import InputError
from geoctrl.manifolds.factors import Direction, lengths_of, symbols_of_bodies

__all__ = ["WORDS", "project", "symbols"]

WORDS = (
    "q0 and {0}0 were projected onto the spheres",
    "geoctrl.spheres.project(q, {0}) gives the nearest values that are on the spheres",
)
"""What is done about small defects of a start, and what to do about large ones."""


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
    return symbols_of_bodies(Direction, n)


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
    q = q / lengths_of("q", q)[:, None]
    return q, omega - np.sum(q * omega, axis=1)[:, None] * q
