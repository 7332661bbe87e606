r"""Gains to start from, by a search for loops that damping calms.

Admissible gains are drawn and refined. The linear loop with damping is :math:`A_0 + c A_1`, c its
strength: of each draw the c with the fastest slowest decay is taken, and draws are compared by the larger of
the two ratios, largest eigenvalue to pace of the plant and pace to decay.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy

from geoctrl.synthesis.gains.gain_limits import Limits
from geoctrl.synthesis.shaping.performance import largest_inputs, rates

__all__ = ["DampedModes", "best_gains"]

_JUDGED = 120
"""Admissible draws of which the spectrum is looked at."""
_STARTS = 3
"""Best of them from which a simplex goes on, in the logarithms of the gains."""
_STEPS = 120
"""Loops that each simplex looks at."""
_SIMPLEX = 0.3
"""Its first edges."""
_ASKED = 40
"""Best sets of gains that are asked whether they are accepted."""
_STRENGTHS = np.geomspace(1e-3, 1e3, 61)
"""Strengths of damping, relative to that whose change of the loop is as large as the loop."""
_UNDAMPED = 1e3
"""Factor on the cost of a loop that no damping is known to calm: hardly any that is calmed is worse."""


@dataclass(frozen=True)
class DampedModes:
    """The linear loop on the leaf, and what damping of unit strength changes.

    Attributes
    ----------
    A, change : ndarray, (d, d)
        In coordinates of the leaf in which states are of size one.
    C, C_change : ndarray, (m, d)
        Of the inputs.
    basis : ndarray, (n, d)
        States by these coordinates.
    coordinates : ndarray, (d, n)
        These of a deviation.
    neutral, undamped : int
        Modes that are zero for a reason, with damping and without.
    """

    A: np.ndarray
    change: np.ndarray
    C: np.ndarray
    C_change: np.ndarray
    basis: np.ndarray
    coordinates: np.ndarray
    neutral: int
    undamped: int

    def best_damping(self) -> tuple[float, float]:
        """Strength, of either sign, at which the slowest mode decays fastest; that decay; zero for none."""
        sizes = np.linalg.norm(self.A, 2), np.linalg.norm(self.change, 2)
        if not sizes[0] * sizes[1] > 0:
            return 0.0, 0.0
        strengths = np.concatenate([_STRENGTHS, -_STRENGTHS]) * sizes[0] / sizes[1]
        loops = self.A + strengths[:, None, None] * self.change
        values = np.linalg.eigvals(loops)
        order = np.argsort(np.abs(values), axis=1)[:, self.neutral :]
        slowest = np.take_along_axis(values.real, order, axis=1).max(axis=1, initial=-np.inf)
        best = int(np.argmin(slowest))
        c = float(strengths[best])
        decay = rates(loops[best], self.neutral)[1]
        return (c, decay) if decay > 0 else (0.0, 0.0)

    def cost(self, pace: float, limits: Limits | None) -> tuple[float, float]:
        """How far from the pace of the plant the damped loop is, as a ratio; and the input by its limit."""
        c, decay = self.best_damping()
        neutral = self.neutral if c else self.undamped
        A, C = self.A + c * self.change, self.C + c * self.C_change
        sizes = np.sort(np.abs(np.linalg.eigvals(A)))[neutral:]
        if not sizes.size or not sizes[0] > 0:
            return np.inf, np.inf
        if decay > 0:
            told = float(max(sizes[-1] / pace, pace / decay))
        else:
            told = _UNDAMPED * float(max(sizes[-1] / pace, pace / sizes[0]))
        if limits is None:
            return told, 0.0
        starts, rows = self.coordinates @ limits.starts, np.isfinite(limits.states)
        peaks = largest_inputs(A, np.vstack([C, self.basis[rows]]), starts, neutral)[0]
        states = np.zeros((len(rows), starts.shape[1]))
        states[rows] = peaks[len(C) :]
        return told, limits.excess(peaks[: len(C)], states)


def best_gains(
    draws: np.ndarray,
    sizes: np.ndarray,
    admissible: Callable[[np.ndarray], np.ndarray],
    modes: Callable[[np.ndarray], DampedModes | None],
    accepted: Callable[[np.ndarray], bool],
    pace: float,
    limits: Limits | None,
) -> tuple[np.ndarray | None, float]:
    """The best of the draws (N, gains) and of those around it; and the least input by its limit seen.

    ``sizes`` are those of the gains, in which the draws are. ``admissible`` numbers those of several draws
    that may be so, ``accepted`` asks one for sure; ``modes`` gives the loop of one, or None.
    """
    least = np.inf
    draws = draws * sizes

    def cost(row: np.ndarray) -> float:
        nonlocal least
        loop = modes(row) if len(admissible(row[None])) else None
        if loop is None:
            return np.inf
        found, excess = loop.cost(pace, limits)
        least = min(least, excess)
        return found if excess <= 1 else np.inf

    judged = [(cost(row), row) for row in draws[admissible(draws)][:_JUDGED]]
    judged = sorted((pair for pair in judged if pair[0] < np.inf), key=lambda pair: pair[0])
    for _, row in judged[:_STARTS]:
        first = np.log(np.abs(row) / sizes)
        found = scipy.optimize.minimize(
            lambda log, signs: cost(signs * sizes * np.exp(log)),
            first,
            args=(np.sign(row),),
            method="Nelder-Mead",
            options={
                "maxfev": _STEPS,
                "initial_simplex": first + _SIMPLEX * np.eye(len(first) + 1, len(first), k=-1),
            },
        )
        judged.append((float(found.fun), np.sign(row) * sizes * np.exp(found.x)))
    judged.sort(key=lambda pair: pair[0])
    return next((row for _, row in judged[:_ASKED] if accepted(row)), None), least
