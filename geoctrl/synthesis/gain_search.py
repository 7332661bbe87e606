r"""Gains to start from: by frequencies in closed form, else by a search for loops that damping calms.

With one unstable direction x of the base, inertia g, coupling k, :math:`D = -V_{xx}`, frequencies
:math:`\omega_1 < \omega_2` of the loop belong to

.. math::

    1 + \kappa = \frac{g + D/(\omega_1\omega_2)}{k^2\gamma}, \qquad
    -\rho = \frac{k^2\gamma\,\omega_1^2\omega_2^2}{D(\omega_2 - \omega_1)^2}, \qquad
    -K = -\rho\gamma\,\omega_1\omega_2 .

Else admissible gains are drawn and refined. The linear loop with damping is :math:`A_0 + c A_1`, c its
strength: of each draw the c with the fastest slowest decay is taken, and draws are compared by the larger of
the two ratios, largest eigenvalue to pace of the plant and pace to decay.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import minimize

from geoctrl._checks import nearest
from geoctrl._scalars import real
from geoctrl.errors import InputError
from geoctrl.synthesis.performance import largest_inputs, rates

__all__ = ["DampedModes", "Limits", "by_frequencies", "searched"]

_SLOWER = 0.4
"""First frequency of the recommended loop by the rate at which the plant falls; the second is that rate."""
_JUDGED = 120
"""Admissible draws of which the spectrum is looked at."""
_STARTS = 3
"""Best of them from which a simplex goes on, in the logarithms of the gains."""
_STEPS = 120
"""Loops that each simplex looks at."""
_STRENGTHS = np.geomspace(1e-3, 1e3, 61)
"""Strengths of damping, relative to that whose change of the loop is as large as the loop."""
_UNDAMPED = 1e3
"""Factor on the cost of a loop that no damping is known to calm: hardly any that is calmed is worse."""


def by_frequencies(
    g: float, gamma: float, k: float, D: float, frequencies: tuple[float, float] | None
) -> dict[str, float]:
    """kappa, rho and K for two frequencies; by default those of the rate at which the plant falls."""
    fall = np.sqrt(D / (g - k**2 * gamma))
    first, second = frequencies or (_SLOWER * fall, fall)
    product = first * second
    kappa = (g + D / product) / (k**2 * gamma) - 1
    rho = -(k**2) * gamma * product**2 / (D * (second - first) ** 2)
    return {"kappa": float(kappa), "rho": float(rho), "K": float(rho * gamma * product)}


@dataclass(frozen=True)
class Limits:
    """Largest inputs (m,), infinite where there is no limit, and the deviation (n,) they are to hold from."""

    largest: np.ndarray
    start: np.ndarray

    @classmethod
    def read(cls, limits: Any, start: Any, inputs: Sequence[str], states: Sequence[str]) -> Limits | None:
        """Limits by input and the deviation by state; None where neither is given.

        Raises
        ------
        InputError
            For unknown names, what is no number, limits that are not positive, or one without the other.
        """
        if limits is None and start is None:
            return None
        if not (isinstance(limits, Mapping) and isinstance(start, Mapping) and limits and start):
            raise InputError(
                "limits= of the inputs hold from a deviation start=: give both, dicts by name, as in "
                f"limits={{{inputs[0]!r}: 8.0}}, start={{{states[-1]!r}: 0.1}}"
            )
        for what, given, known in (("input", limits, inputs), ("state", start, states)):
            for name in given:
                if name not in known:
                    raise InputError(
                        f"no {what} {name!r}{nearest(name, known)}; known are {', '.join(known)}"
                    )
        largest = [real(limits[u], f"the limit of {u}") if u in limits else np.inf for u in inputs]
        if not all(q > 0 for q in largest):
            raise InputError(f"limits must be positive, got {dict(limits)}")
        away = [real(start[x], f"the start of {x}") if x in start else 0.0 for x in states]
        return cls(np.array(largest, dtype=float), np.array(away, dtype=float))

    def excess(self, peaks: np.ndarray) -> float:
        """The largest input by its limit."""
        return float(np.max(peaks[:, 0] / self.largest))


@dataclass(frozen=True)
class DampedModes:
    """The linear loop on the leaf, and what damping of unit strength changes.

    Attributes
    ----------
    A, change : ndarray, (d, d)
    C, C_change : ndarray, (m, d)
        Of the inputs.
    basis : ndarray, (n, d)
        Of the leaf.
    neutral, undamped : int
        Modes that are zero for a reason, with damping and without.
    """

    A: np.ndarray
    change: np.ndarray
    C: np.ndarray
    C_change: np.ndarray
    basis: np.ndarray
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
        start = self.basis.T @ limits.start
        return told, limits.excess(largest_inputs(A, C, start[:, None], neutral)[0])


def searched(
    draws: np.ndarray,
    admissible: Callable[[np.ndarray], np.ndarray],
    modes: Callable[[np.ndarray], DampedModes | None],
    accepted: Callable[[np.ndarray], bool],
    pace: float,
    limits: Limits | None,
) -> tuple[np.ndarray | None, float]:
    """The best of the draws (N, gains) and of those around it; and the least input by its limit seen.

    ``admissible`` numbers those of several draws that may be so, ``accepted`` asks one for sure; ``modes``
    gives the loop of one, or None where it has none.
    """
    least = np.inf

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
        found = minimize(
            lambda log, signs: cost(signs * np.exp(log)),
            np.log(np.abs(row)),
            args=(np.sign(row),),
            method="Nelder-Mead",
            options={"maxfev": _STEPS},
        )
        judged.append((float(found.fun), np.sign(row) * np.exp(found.x)))
    judged.sort(key=lambda pair: pair[0])
    return next((row for _, row in judged if accepted(row)), None), least
