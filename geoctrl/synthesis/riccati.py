r"""Riccati's equation :math:`A^T S + S A - S B R^{-1} B^T S + Q = 0` for its stabilising solution.

Pairs come in units of their own (`geoctrl.synthesis.weighed_pair`): doubles hold what is left of the terms
that cancel, and how large these are beside each other is then no matter of units.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from geoctrl.errors import ConvergenceError

__all__ = ["held_pair", "optimal_gain", "optimal_held_gain"]

_RESIDUAL = 1e-6
"""Residual relative to the largest term above which nothing is left of a solution in doubles."""
_STEPS = 8
"""Newton's steps after the first solution: each squares a small error, down to rounding."""

_APART = (
    "Riccati's equation is not solved in doubles: the weights are too far apart. Take those of comparable "
    "deviations, Q = {label: 1/largest**2} and R likewise"
)

Judged = tuple[np.ndarray, float, float]
"""Gain, relative residual, and how far the slowest mode is on the wrong side."""


def optimal_gain(A: np.ndarray, B: np.ndarray, Q: np.ndarray, R: np.ndarray) -> np.ndarray:
    r""":math:`K = R^{-1} B^T S` of a pair that can be stabilised, with a Q that sees what does not decay.

    Raises
    ------
    ConvergenceError
        If the equation is not solved in doubles: the weights are too far apart.
    """
    from scipy.linalg import solve_continuous_are, solve_continuous_lyapunov

    def judged(S: np.ndarray) -> Judged:
        K = np.linalg.solve(R, B.T @ S)
        slowest = float(np.max(np.linalg.eigvals(A - B @ K).real))
        return K, _relative(A.T @ S, S @ A, -S @ B @ K, Q), slowest

    def stepped(K: np.ndarray) -> np.ndarray:
        return solve_continuous_lyapunov((A - B @ K).T, -(Q + K.T @ R @ K))

    if not A.size:
        return np.zeros((B.shape[1], 0))
    return _polished(lambda: solve_continuous_are(A, B, Q, R), stepped, judged)


def optimal_held_gain(A: np.ndarray, B: np.ndarray, Q: np.ndarray, R: np.ndarray, h: float) -> np.ndarray:
    r"""K of inputs that are held, u = -K x at each sample, for the integral of :math:`x^T Q x + u^T R u`.

    The integral over one hold is a form in x and u at its beginning (Van Loan, 1978), and
    :math:`K = (R_h + B_h^T S B_h)^{-1} (B_h^T S A_h + N^T)` with the solution S of the discrete equation.

    Raises
    ------
    ConvergenceError
        As `optimal_gain`.
    """
    from scipy.linalg import block_diag, expm, solve_discrete_are, solve_discrete_lyapunov

    if not A.size:
        return np.zeros((B.shape[1], 0))
    n, m = B.shape
    F = np.vstack([np.hstack([A, B]), np.zeros((m, n + m))])
    with np.errstate(over="ignore", invalid="ignore"):  # what is too much is told below
        E = expm(np.block([[-F.T, block_diag(Q, R)], [np.zeros_like(F), F]]) * h)
    if not np.isfinite(E).all():
        raise ConvergenceError(
            "one hold grows what it begins with beyond doubles: raise rate=, which is in Hz, or leave it out"
        )
    flow = E[n + m :, n + m :]
    cost = flow.T @ E[: n + m, n + m :]
    cost = (cost + cost.T) / 2
    Ah, Bh, N, Qh, Rh = flow[:n, :n], flow[:n, n:], cost[:n, n:], cost[:n, :n], cost[n:, n:]

    def judged(S: np.ndarray) -> Judged:
        K = np.linalg.solve(Rh + Bh.T @ S @ Bh, Bh.T @ S @ Ah + N.T)
        largest = float(np.max(np.abs(np.linalg.eigvals(Ah - Bh @ K))))
        return K, _relative(Ah.T @ S @ Ah, -S, -(Ah.T @ S @ Bh + N) @ K, Qh), largest - 1

    def stepped(K: np.ndarray) -> np.ndarray:
        return solve_discrete_lyapunov((Ah - Bh @ K).T, Qh - N @ K - K.T @ N.T + K.T @ Rh @ K)

    return _polished(lambda: solve_discrete_are(Ah, Bh, Qh, Rh, s=N), stepped, judged)


def held_pair(A: np.ndarray, B: np.ndarray, h: float) -> tuple[np.ndarray, np.ndarray]:
    """What one hold of a length h makes of states and inputs."""
    from scipy.linalg import expm

    n, m = B.shape
    E = expm(np.vstack([np.hstack([A, B]), np.zeros((m, n + m))]) * h)
    return E[:n, :n], E[:n, n:]


def _relative(*terms: np.ndarray) -> float:
    """What terms that should cancel leave, beside the largest."""
    largest = max(float(np.linalg.norm(e)) for e in terms)
    return float(np.linalg.norm(sum(terms))) / largest if largest else 0.0


def _polished(
    solved: Callable[[], np.ndarray],
    stepped: Callable[[np.ndarray], np.ndarray],
    judged: Callable[[np.ndarray], Judged],
) -> np.ndarray:
    """The gain of a solution, after Newton's steps (Kleinman, 1968) while they halve its residual.

    Parameters
    ----------
    solved : callable
        A first solution.
    stepped : callable
        The cost of a gain that stabilises: the solution of a linear equation.
    judged : callable

    Raises
    ------
    ConvergenceError
        If there is no solution, or what is found leaves a residual or does not stabilise.
    """
    try:
        K, residual, wrong = judged(solved())
    except (np.linalg.LinAlgError, ValueError) as error:
        raise ConvergenceError(f"{_APART} ({error})") from None
    for _ in range(_STEPS):
        if not wrong < 0:
            break
        try:
            S = stepped(K)
            better = judged((S + S.T) / 2)
        except (np.linalg.LinAlgError, ValueError):
            break
        if not better[1] < residual / 2 or not better[2] < 0:
            break
        K, residual, wrong = better
    if not residual <= _RESIDUAL or not wrong < 0:
        raise ConvergenceError(_APART, residual=residual)
    return K
