r"""Riccati's equation :math:`A^T S + S A - S B R^{-1} B^T S + Q = 0` for its stabilising solution.

Pairs come in units of their own (`geoctrl.synthesis.weighed_pair`): doubles hold what is left of the terms
that cancel, and how large these are beside each other is then no matter of units.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np

from geoctrl._scalars.arithmetic.magnitudes import binary
from geoctrl.errors import ConvergenceError

__all__ = ["held_pair", "optimal_gain", "optimal_held_gain", "sampled_covariance", "summed_noise"]

_RESIDUAL = 1e-6
"""Residual relative to the largest term above which nothing is left of a solution in doubles."""
_CONDITION = 1e7
"""How often relative errors of a pair may be in the solution: those of doubles are then some 1e-9 in it."""
_STEPS = 8
"""Newton's steps after the first solution: each squares a small error, down to rounding."""

_APART = (
    "Riccati's equation is not solved in doubles: the weights are too far apart. Take those of comparable "
    "deviations, Q = {label: 1/largest**2} and R likewise"
)

_SLOW = "its solution hangs on more digits, with motions that decay so slowly beside others"

Judged = tuple[np.ndarray, float, float]
"""Gain, relative residual, and how far the slowest mode is on the wrong side."""


def optimal_gain(A: np.ndarray, B: np.ndarray, Q: np.ndarray, R: np.ndarray) -> np.ndarray:
    r""":math:`K = R^{-1} B^T S` of a pair that can be stabilised, with a Q that sees what does not decay."""
    from scipy.linalg import solve_continuous_are

    if not A.size:
        return np.zeros((B.shape[1], 0))
    if len(groups := _groups(A, B, Q, R)) > 1:
        return _by_groups(optimal_gain, groups, A, B, Q, R)
    S, d = _first(lambda: solve_continuous_are(A, B, Q, R))
    A, B, Q = A * (d / d[:, None]), B / d[:, None], Q * d * d[:, None]

    def judgement(S: np.ndarray) -> Judged:
        K = np.linalg.solve(R, B.T @ S)
        slowest = float(np.max(np.linalg.eigvals(A - B @ K).real))
        return K, _relative(A.T @ S, S @ A, -S @ B @ K, Q), slowest

    def next_cost(K: np.ndarray) -> np.ndarray:
        return _form(A - B @ K, Q + K.T @ R @ K)

    K = _refined_gain(S, next_cost, judgement)
    if not _condition(A - B @ K, 2 * float(np.linalg.norm(A))) <= _CONDITION:
        raise ConvergenceError(f"Riccati's equation is not solved in doubles: {_SLOW}")
    return K / d


def _condition(loop: np.ndarray, size: float) -> float:
    r"""How many times a relative error of A and B is that of S, in units in which states cost one.

    A change of the equation by E changes S by :math:`\int e^{L^T t} E\, e^{L t} dt` with the loop
    L, at most by :math:`|E|\, |\int e^{L^T t} e^{L t} dt|` (Byers, 1985).
    """
    try:
        growth = _form(loop, np.eye(len(loop)))
    except (ConvergenceError, np.linalg.LinAlgError, ValueError):
        return np.inf
    values = np.linalg.eigvalsh((growth + growth.T) / 2)
    return size * float(values[-1]) if values[0] > 0 else np.inf


def _form(loop: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """What a loop makes of a weight: the S of L^T S + S L = -W; ConvergenceError where doubles have none."""
    from scipy.linalg import LinAlgWarning, solve_continuous_lyapunov

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            return solve_continuous_lyapunov(loop.T, -weight)
        except (RuntimeWarning, LinAlgWarning) as said:
            raise ConvergenceError(str(said)) from None


def optimal_held_gain(
    A: np.ndarray, B: np.ndarray, Q: np.ndarray, R: np.ndarray, h: float, sums: np.ndarray | None = None
) -> np.ndarray:
    r"""K of inputs that are held, u = -K x at each sample, for the integral of :math:`x^T Q x + u^T R u`.

    The integral over one hold is a form in x and u at its beginning (Van Loan, 1978), and
    :math:`K = (R_h + B_h^T S B_h)^{-1} (B_h^T S A_h + N^T)` with the solution S of the discrete equation.

    Parameters
    ----------
    sums : ndarray (n, n), optional
        The part of A that a controller adds up from its samples, :math:`x_{k+1} = \dots + h\,\Sigma x_k`;
        what it forms is held in between.
    """
    from scipy.linalg import block_diag

    if not A.size:
        return np.zeros((B.shape[1], 0))
    sums = np.zeros_like(A) if sums is None else sums
    if len(groups := _groups(A, B, Q, R)) > 1:

        def of_group(
            A: np.ndarray, B: np.ndarray, Q: np.ndarray, R: np.ndarray, summed: np.ndarray
        ) -> np.ndarray:
            return optimal_held_gain(A, B, Q, R, h, summed)

        return _by_groups(of_group, groups, A, B, Q, R, sums)
    n, m = B.shape
    F = np.vstack([np.hstack([A - sums, B]), np.zeros((m, n + m))])
    flow, cost = _summed_cost(F, block_diag(Q, R), h)
    Ah, Bh, N, Qh, Rh = flow[:n, :n] + h * sums, flow[:n, n:], cost[:n, n:], cost[:n, :n], cost[n:, n:]
    return _discrete_gain(Ah, Bh, Qh, Rh, N)


def _discrete_gain(A: np.ndarray, B: np.ndarray, Q: np.ndarray, R: np.ndarray, N: np.ndarray) -> np.ndarray:
    """K of the sum of x^T Q x + 2 x^T N u + u^T R u over steps."""
    from scipy.linalg import solve_discrete_are, solve_discrete_lyapunov

    S, d = _first(lambda: solve_discrete_are(A, B, Q, R, s=N))
    A, B, N, Q = A * (d / d[:, None]), B / d[:, None], N * d[:, None], Q * d * d[:, None]

    def judgement(S: np.ndarray) -> Judged:
        K = np.linalg.solve(R + B.T @ S @ B, B.T @ S @ A + N.T)
        largest = float(np.max(np.abs(np.linalg.eigvals(A - B @ K))))
        return K, _relative(A.T @ S @ A, -S, -(A.T @ S @ B + N) @ K, Q), largest - 1

    def next_cost(K: np.ndarray) -> np.ndarray:
        return solve_discrete_lyapunov((A - B @ K).T, Q - N @ K - K.T @ N.T + K.T @ R @ K)

    return _refined_gain(S, next_cost, judgement) / d


def sampled_covariance(A: np.ndarray, C: np.ndarray, Q: np.ndarray, R: np.ndarray, h: float) -> np.ndarray:
    r"""Covariance P (n, n) of what is foretold of a state by outputs that are sampled, before each sample.

    .. math:: P = F (P - P C^T (C P C^T + R/h)^{-1} C P) F^T + \int_0^h e^{A r} Q\, e^{A^T r} dr

    with :math:`F = e^{A h}`.

    Parameters
    ----------
    Q, R : ndarray
        Spectral densities of what drives the states and of the outputs' noise, which a sample is a mean of.
    """
    from scipy.linalg import solve_discrete_lyapunov

    n, p = len(A), len(C)
    if not n:
        return np.zeros((0, 0))
    F, noise = summed_noise(A, Q, h)
    K = _discrete_gain(F.T, C.T, noise, R / h, np.zeros((n, p)))
    found = solve_discrete_lyapunov((F.T - C.T @ K).T, noise + K.T @ (R / h) @ K)
    return (found + found.T) / 2


def summed_noise(A: np.ndarray, Q: np.ndarray, time: float) -> tuple[np.ndarray, np.ndarray]:
    r"""The flow of a time t, and :math:`\int_0^t e^{A r} Q\, e^{A^T r} dr`, what noise of a density adds."""
    flow, noise = _summed_cost(A.T, Q, time)
    return flow.T, noise


def _summed_cost(F: np.ndarray, W: np.ndarray, time: float) -> tuple[np.ndarray, np.ndarray]:
    r"""The flow :math:`e^{F t}`, and :math:`\int_0^t e^{F^T r} W e^{F r} dr` (Van Loan, 1978).

    Of a time in which nothing grows or decays by more than about e, doubled until it is t: what decays fast
    would grow as fast in the block that both are read from.
    """
    from scipy.linalg import expm

    n, pace = len(F), float(np.linalg.norm(F, 1)) * time
    halvings = max(0, int(np.ceil(np.log2(pace)))) if pace > 0 else 0
    E = expm(np.block([[-F.T, W], [np.zeros_like(F), F]]) * (time / 2**halvings))
    flow = E[n:, n:]
    cost = flow.T @ E[:n, n:]
    with np.errstate(over="ignore", invalid="ignore"):  # what is too much is told below
        for _ in range(halvings):
            cost, flow = cost + flow.T @ cost @ flow, flow @ flow
    if not (np.isfinite(flow).all() and np.isfinite(cost).all()):
        raise ConvergenceError(
            "one hold grows what it begins with beyond doubles: raise rate=, which is in Hz, or leave it out"
        )
    return flow, (cost + cost.T) / 2


def _groups(A: np.ndarray, B: np.ndarray, Q: np.ndarray, R: np.ndarray) -> list[np.ndarray]:
    """Indices of states and, after those, inputs that have nothing to do with the others."""
    from scipy.sparse.csgraph import connected_components

    coupled = np.block([[np.abs(A) + np.abs(Q), np.abs(B)], [np.abs(B.T), np.abs(R)]])
    count, group = connected_components(coupled != 0, directed=False)
    return [np.flatnonzero(group == k) for k in range(count)]


def _by_groups(gain: Callable[..., np.ndarray], groups: list[np.ndarray], *pair: np.ndarray) -> np.ndarray:
    """The gain of each group by itself: solved together they leave rounding where zeros belong.

    What comes after A, B, Q, R are matrices of the states.
    """
    A, B, Q, R, *further = pair
    n, m = B.shape
    K = np.zeros((m, n))
    for group in groups:
        x, u = group[group < n], group[group >= n] - n
        if x.size and u.size:
            own = A[np.ix_(x, x)], B[np.ix_(x, u)], Q[np.ix_(x, x)], R[np.ix_(u, u)]
            K[np.ix_(u, x)] = gain(*own, *(rows[np.ix_(x, x)] for rows in further))
    return K


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


def _first(solved: Callable[[], np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """A first solution S in units of the states (n,), powers of two, in which each costs about one.

    In these Newton's steps find small entries of S next to large ones: its cost says how large a state is in
    the loop, which its weight does not.
    """
    try:
        S = solved()
    except (np.linalg.LinAlgError, ValueError) as error:
        raise ConvergenceError(f"{_APART} ({error})") from None
    cost = np.diag(S)
    d = binary(1 / np.sqrt(np.where(cost > 0, cost, 1.0)))
    return S * d * d[:, None], d


def _refined_gain(
    S: np.ndarray,
    next_cost: Callable[[np.ndarray], np.ndarray],
    judgement: Callable[[np.ndarray], Judged],
) -> np.ndarray:
    """The gain of a solution, after Newton's steps (Kleinman, 1968) while they halve its residual.

    Parameters
    ----------
    S : ndarray
        A first solution.
    next_cost : callable
        The cost of a gain that stabilises: the solution of a linear equation.
    """
    try:
        K, residual, wrong = judgement(S)
    except (np.linalg.LinAlgError, ValueError) as error:
        raise ConvergenceError(f"{_APART} ({error})") from None
    for _ in range(_STEPS):
        if not wrong < 0:
            break
        try:
            S = next_cost(K)
            better = judgement((S + S.T) / 2)
        except (ConvergenceError, np.linalg.LinAlgError, ValueError):
            break
        if not better[1] < residual / 2 or not better[2] < 0:
            break
        K, residual, wrong = better
    if not residual <= _RESIDUAL or not wrong < 0:
        raise ConvergenceError(_APART, residual=residual)
    return K
