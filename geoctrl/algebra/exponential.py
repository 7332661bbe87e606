"""The exponential of a small matrix applied to vectors, for any representation.

Every group acts by it, whether or not it has matrices in closed form. Dense linear algebra libraries start
threads for a 3 x 3 matrix, which costs milliseconds where other processes run; here a few products of small
arrays are all that is done.
"""

from __future__ import annotations

import math

import numpy as np

__all__ = ["exp_action"]

_TERMS = 18
"""Terms for a part of norm one: 1/19! is below the rounding of one."""


def exp_action(matrix: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """``exp(matrix) @ vectors`` by Taylor's series, in as many steps as the norm of the matrix asks for.

    Parameters
    ----------
    matrix : (d, d)
        Floats, finite.
    vectors : (d,) or (d, m)

    Returns
    -------
    ndarray with the shape of ``vectors``
    """
    size = float(np.max(np.sum(np.abs(matrix), axis=0), initial=0.0))
    steps = max(1, math.ceil(size))
    part = matrix / steps
    result = np.array(vectors, dtype=float)
    for _ in range(steps):
        term = result
        for k in range(1, _TERMS + 1):
            term = part @ term / k
            result = result + term
    return result
