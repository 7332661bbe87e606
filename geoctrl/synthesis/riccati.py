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
    except np.linalg.LinAlgError:
        raise ConvergenceError(_APART) from None
    K = np.linalg.solve(R, B.T @ S)
    terms = (A.T @ S, S @ A, -S @ B @ K, Q)
    residual = float(np.linalg.norm(sum(terms))) / max(float(np.linalg.norm(e)) for e in terms)
    slowest = float(np.max(np.linalg.eigvals(A - B @ K).real))
    if not residual <= _RESIDUAL or not slowest < 0:
        raise ConvergenceError(_APART, residual=residual)
    return K


def held_pair(A: np.ndarray, B: np.ndarray, h: float) -> tuple[np.ndarray, np.ndarray]:
    """What one hold of a length h makes of states and inputs."""
    from scipy.linalg import expm

    n, m = B.shape
    E = expm(np.vstack([np.hstack([A, B]), np.zeros((m, n + m))]) * h)
    return E[:n, :n], E[:n, n:]


def optimal_held_gain(
    A: np.ndarray,
    B: np.ndarray,
    Q: np.ndarray,
    R: np.ndarray,
    h: float,
    unseen: Callable[[np.ndarray], str],
) -> np.ndarray:
    r"""K of inputs that are held, u = -K x at each sample, for the integral of :math:`x^T Q x + u^T R u`.

    The integral over one hold is a form in x and u at its beginning (Van Loan, 1978), and
    :math:`K = (R_h + B_h^T S B_h)^{-1} (B_h^T S A_h + N^T)` with the solution S of the discrete equation.

    Raises
    ------
    InputError, ConvergenceError
        As `optimal_gain`.
    """
    from scipy.linalg import block_diag, expm, solve_discrete_are

    if not A.size:
        return np.zeros((B.shape[1], 0))
    _require_seen(A, Q, unseen)
    n, m = B.shape
    F = np.vstack([np.hstack([A, B]), np.zeros((m, n + m))])
    E = expm(np.block([[-F.T, block_diag(Q, R)], [np.zeros_like(F), F]]) * h)
    flow = E[n + m :, n + m :]
    cost = flow.T @ E[: n + m, n + m :]
    cost = (cost + cost.T) / 2
    Ah, Bh, N, Rh = flow[:n, :n], flow[:n, n:], cost[:n, n:], cost[n:, n:]
    try:
        S = solve_discrete_are(Ah, Bh, cost[:n, :n], Rh, s=N)
    except np.linalg.LinAlgError:
        raise ConvergenceError(_APART) from None
    K = np.linalg.solve(Rh + Bh.T @ S @ Bh, Bh.T @ S @ Ah + N.T)
    terms = (Ah.T @ S @ Ah, -S, -(Ah.T @ S @ Bh + N) @ K, cost[:n, :n])
    residual = float(np.linalg.norm(sum(terms))) / max(float(np.linalg.norm(e)) for e in terms)
    largest = float(np.max(np.abs(np.linalg.eigvals(Ah - Bh @ K))))
    if not residual <= _RESIDUAL or not largest < 1:
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
