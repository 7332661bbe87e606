"""The exponential of a small matrix applied to vectors, for any representation.

Every group acts by it, whether or not it has matrices in closed form. Dense linear algebra libraries start
threads for a 3 x 3 matrix, which costs milliseconds where other processes run; here a few products of small
arrays are all that is done.
"""

from __future__ import annotations

import math

import numpy as np

__all__ = ["exp_action"]

_TERMS = 14
"""Terms for a part of norm one half: 1/(2^15 15!) is below the rounding of one."""


def exp_action(matrix: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """``exp(matrix) @ vectors``: Rodrigues' formula for a turn in space, else Taylor's series and squares.

    Parameters
    ----------
    matrix : (d, d)
        Floats, finite.
    vectors : (d,) or (d, m)

    Returns
    -------
    ndarray with the shape of ``vectors``
    """
    if not matrix.any():
        return np.array(vectors, dtype=float)
    if matrix.shape == (3, 3) and not (matrix + matrix.T).any():
        return _rotated_vectors(matrix, vectors)
    entries = matrix != 0
    if not (entries @ entries).any():  # a shift, of coordinates say
        return vectors + matrix @ vectors
    # Coordinates that move no other (heights) are told in units of what moves them: long ways ask for no
    # squares, each of which would double the rounding of the turns beside them.
    moved = np.where(matrix.any(axis=0), 0.0, np.max(np.abs(matrix), axis=1, initial=0.0))
    unit = 2.0 ** np.maximum(0, np.frexp(moved)[1])
    matrix, columns = matrix / unit[:, None], (slice(None),) + (None,) * (vectors.ndim - 1)
    size = float(np.max(np.sum(np.abs(matrix), axis=0), initial=0.0))
    halvings = max(0, math.frexp(size)[1] + 1)
    part, one = matrix / 2.0**halvings, np.eye(len(matrix))
    power = one
    for k in range(_TERMS, 0, -1):
        power = one + part @ power / k
    for _ in range(halvings):
        power = power @ power
    return unit[columns] * (power @ (vectors / unit[columns]))


def _rotated_vectors(matrix: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """``v + sin(a)/a W v + (1 - cos a)/a^2 W^2 v`` for the skew matrix W of a rotation vector of length a."""
    angle = math.sqrt(matrix[0, 1] ** 2 + matrix[0, 2] ** 2 + matrix[1, 2] ** 2)
    once = matrix @ vectors
    # With half the angle nothing cancels.
    half = _sine_quotient(angle / 2)
    return vectors + _sine_quotient(angle) * once + 0.5 * half**2 * (matrix @ once)


def _sine_quotient(x: float) -> float:
    return math.sin(x) / x if x else 1.0
