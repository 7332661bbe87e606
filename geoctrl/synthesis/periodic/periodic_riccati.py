r"""The discrete equation of Riccati around a period, by sweeps until it repeats.

.. math::

    K_k = (R + B_k^T P_{k+1} B_k)^{-1} B_k^T P_{k+1} A_k, \qquad
    P_k = Q_k + A_k^T P_{k+1} (A_k - B_k K_k), \qquad P_N = P_0,

whose stabilising solution minimises :math:`\sum_k x_k^T Q_k x_k + u_k^T R u_k` (S. Bittanti, P. Colaneri,
Periodic Systems, 2009).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import numpy as np

from geoctrl.errors import ConvergenceError

__all__ = ["monodromy", "periodic_gains", "unreached_multipliers"]

_SWEEPS, _REPEATED, _ROUNDING, _REACHED, _EDGE = 20_000, 1e-12, 1e-9, 1e-9, 1e-9
"""Sweeps at most; the relative change that counts as none, and below which one that no longer shrinks is
rounding; the part of what inputs do in a period that counts as nothing; how near to the circle a multiplier
counts as on it."""

Matrices = Sequence[np.ndarray]


def monodromy(A: Matrices) -> np.ndarray:
    """What a period does."""
    return reduce(lambda whole, a: a @ whole, A)


def unreached_multipliers(A: Matrices, B: Matrices) -> np.ndarray:
    """Multipliers of a period that do not lie inside the unit circle, and that no input moves (Hautus)."""
    reached, later = [], np.eye(len(A[0]))
    for a, b in zip(reversed(A), reversed(B), strict=True):
        reached.append(later @ b)
        later = later @ a
    columns = np.hstack(reached)
    values, left = np.linalg.eig(monodromy(A).T)
    weak = np.linalg.norm(left.T @ columns, axis=1) <= _REACHED * np.linalg.norm(columns, 2)
    return values[weak & (np.abs(values) >= 1 - _EDGE)]


def periodic_gains(A: Matrices, B: Matrices, Q: Matrices, R: np.ndarray) -> list[np.ndarray]:
    """K of each hold; ConvergenceError where sweeps do not come to rest on a loop that is stable."""
    P, gains, change = np.eye(len(A[0])), list[np.ndarray](), np.inf
    for _ in range(_SWEEPS):
        last, gains = P, []
        for a, b, q in zip(reversed(A), reversed(B), reversed(Q), strict=True):
            K = np.linalg.solve(R + b.T @ P @ b, b.T @ P @ a)
            P = q + a.T @ P @ (a - b @ K)
            P = (P + P.T) / 2
            gains.append(K)
        if not np.all(np.isfinite(P)):
            break
        before, change = change, float(np.max(np.abs(P - last), initial=0.0))
        size = float(np.max(np.abs(P), initial=0.0))
        if change <= _REPEATED * size or before <= change <= _ROUNDING * size:
            gains.reverse()
            loop = monodromy([a - b @ K for a, b, K in zip(A, B, gains, strict=True)])
            if np.max(np.abs(np.linalg.eigvals(loop)), initial=0.0) < 1:
                return gains
            break
    raise ConvergenceError(
        "Riccati's equation along the motion comes to no stable loop: does Q put a weight on every motion "
        "that does not decay by itself, and are weights comparable, Q = {label: 1/largest**2} and R likewise?"
    )
