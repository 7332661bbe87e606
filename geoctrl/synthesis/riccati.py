r"""Riccati's equation :math:`A^T S + S A - S B R^{-1} B^T S + Q = 0` for its stabilising solution."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from geoctrl.errors import ConvergenceError, InputError

__all__ = ["optimal_gain"]

_AXIS = 1e-9
"""Distance from the imaginary axis, relative to the matrix, that counts as none; length of Q v likewise."""
_RESIDUAL = 1e-6
"""Residual relative to the largest term above which nothing is left of a solution in doubles."""


def optimal_gain(
    A: np.ndarray, B: np.ndarray, Q: np.ndarray, R: np.ndarray, unseen: Callable[[np.ndarray], str]
) -> np.ndarray:
    r""":math:`K = R^{-1} B^T S` of a pair that can be stabilised; ``unseen(v)`` tells that Q v = 0.

    Raises
    ------
    InputError
        If a motion that does not decay costs nothing.
    ConvergenceError
        If the equation is not solved in doubles: the weights are too far apart.
    """
    from scipy.linalg import solve_continuous_are

    if not A.size:
        return np.zeros((B.shape[1], 0))
    _require_seen(A, Q, unseen)
    try:
        S = solve_continuous_are(A, B, Q, R)
    except np.linalg.LinAlgError as error:
        raise ConvergenceError(_APART) from error
    K = np.linalg.solve(R, B.T @ S)
    terms = (A.T @ S, S @ A, -S @ B @ K, Q)
    residual = float(np.linalg.norm(sum(terms))) / max(float(np.linalg.norm(e)) for e in terms)
    slowest = float(np.max(np.linalg.eigvals(A - B @ K).real))
    if not residual <= _RESIDUAL or not slowest < 0:
        raise ConvergenceError(_APART, residual=residual)
    return K


_APART = (
    "Riccati's equation is not solved in doubles: the weights are too far apart. Take those of comparable "
    "deviations, Q = {label: 1/largest**2} and R likewise"
)


def _require_seen(A: np.ndarray, Q: np.ndarray, unseen: Callable[[np.ndarray], str]) -> None:
    """Refuse a Q that does not see a mode on the imaginary axis: no solution stabilises that."""
    values, vectors = np.linalg.eig(A)
    size = max(1.0, float(np.max(np.abs(A))))
    for value, v in zip(values, vectors.T, strict=True):
        if abs(value.real) <= _AXIS * size and np.linalg.norm(Q @ v) <= _AXIS * np.linalg.norm(Q):
            raise InputError(f"{unseen(v)} (eigenvalue {complex(value):.6g})")
