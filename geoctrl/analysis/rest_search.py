r"""The search for states at rest on the leaf: damped Gauss-Newton steps in units of the system's own.

Equilibria come in families. Next to one the derivative J of the residual r has directions in which it nearly
vanishes, and a full step goes far along them. The step that minimises :math:`|J s + r|^2 + |r|^2 |s|^2` leads
to a point of the family nearby, with quadratic convergence where the residual bounds the distance to it
(Yamashita and Fukushima, 2001).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from geoctrl.errors import EquilibriumError, GeoctrlError
from geoctrl.systems import Seen
from geoctrl.systems.contract.scales import Scales, shares
from geoctrl.systems.contract.tolerances import CONVERGED, LEAST_NORM, RESIDUAL

__all__ = ["Met", "RestSearch"]

_STEPS, _STALLED, _ROUNDS = 40, 2, 3
"""Newton's steps in a round, those that may follow each other without gain, and rounds."""
_DAMPING = 0.1
"""At most: residuals are shares of terms, and one of a tenth is far from a family."""
_LEAST_DAMPING = 2.0**-26
"""With less, what rounding leaves of a residual would lead along a family by any length."""
_NEAR = 0.5
"""Distance from the guess, in units of the states, within which no other point of rest is looked for."""
_LONGEST = 0.5
"""Of a step, in units of the states, where these are not larger than one."""
_ROUNDED = 2.0**-50
"""Share of its terms that rounding leaves of a residual, so that further steps tell nothing."""
_ZERO = 2.0**-45
"""Part of the size at the guess below which a state is tried as zero: rounding of a zero has no size beside
which it could be judged."""


@dataclass(frozen=True)
class Met:
    """A point met by a search.

    Attributes
    ----------
    x : ndarray (n,)
    residual : ndarray (n + r,)
        Field and relations of the leaf.
    """

    x: np.ndarray
    residual: np.ndarray
    scales: Scales

    @property
    def sizes(self) -> np.ndarray:
        """Sizes (n + r,) of the residual."""
        return np.concatenate([self.scales.field, self.scales.leaf])

    @property
    def rows(self) -> np.ndarray:
        """What rows are divided by: these sizes; where there is none, that of the state over time."""
        pace = np.concatenate([self.scales.column * self.scales.rate, np.ones(len(self.scales.leaf))])
        rows = np.where(self.sizes > 0, self.sizes, pace)
        return np.where(rows > 0, rows, 1.0)

    def residual_in_units_of(self, other: Met) -> float:
        """The largest rate or relation in the units of rows at another point.

        It falls while steps lead on; the share of terms that are small themselves, as next to where nothing
        has a size, need not.
        """
        return _largest(self.residual / other.rows)

    @property
    def measure(self) -> float:
        """The largest share that a rate or a relation has of its terms."""
        return float(np.max(shares(self.residual, self.sizes), initial=0.0))


class RestSearch:
    """Points near a guess at which field and leaf relations vanish.

    Parameters
    ----------
    x, u : ndarray (n,), (m,)
        Guess and constant inputs.
    params : mapping name -> number
    free : sequence of int
        Places of the states that are not held.
    """

    def __init__(
        self,
        seen: Seen,
        x: np.ndarray,
        u: np.ndarray,
        params: Mapping[str, float],
        free: Sequence[int],
    ) -> None:
        self._seen, self._u, self._params, self._free = seen, u, params, list(free)
        start = self.met_at(x)
        if start is None:
            raise EquilibriumError(
                "no equilibrium found: the equations are singular at the guess; try another"
            )
        self._start = start

    def met_at(self, x: np.ndarray) -> Met | None:
        """A state with what is known of it; None where the equations have no value."""
        residual = self._residual(x)
        if not np.all(np.isfinite(residual)):
            return None
        try:
            return Met(x, residual, self._seen.scales(x, self._u, self._params))
        except (ZeroDivisionError, EquilibriumError):
            return None

    def rest_point(self) -> Met:
        """The nearest point of rest that steps lead to; where there is none, the best point that was met.

        Damped steps stay near a family; full ones go far to a single point. Where both fail, a trust region
        goes further; where they stall next to a point of rest, it leads on from there.
        """
        damped = self._led_on(self._by_newton(self._start, _DAMPING))
        if damped.measure <= CONVERGED and self._distance(damped) <= _NEAR and self._is_regular(damped):
            return damped
        met = [damped, self._led_on(self._by_newton(self._start, 0.0))]
        rests = [at for at in met if at.measure <= CONVERGED and self._is_regular(at)]
        if rests:
            return min(rests, key=self._distance)
        best = min(met, key=lambda at: at.measure)
        if best.measure > RESIDUAL:
            best = min(best, self._led_on(self._further(self._start)), key=lambda at: at.measure)
        return best

    def _led_on(self, at: Met) -> Met:
        """What a trust region makes of a point that is near to rest, where steps have stalled."""
        if not CONVERGED < at.measure <= RESIDUAL:
            return at
        return min(at, self._further(at), key=lambda met: met.measure)

    def _further(self, at: Met) -> Met:
        """What a trust region leads to."""
        further = self.met_at(self._by_trust_region(at.x)) if self._free else None
        return at if further is None else self._by_newton(further, 0.0)

    def _distance(self, at: Met) -> float:
        """From the guess, in units of the states there."""
        return float(np.linalg.norm((at.x - self._start.x) / self._start.scales.column))

    def _is_regular(self, at: Met) -> bool:
        """Whether the equations hold there and can be differentiated."""
        try:
            self._seen.require_regular(at.x, self._u, self._params)
        except GeoctrlError:
            return False
        return True

    def _by_newton(self, at: Met, damping: float) -> Met:
        """Rounds of Newton's steps; each begins in units of the point that the last one led to."""
        best = at
        for _ in range(_ROUNDS):
            further = self._without_rounding(self._newton(at, damping), at)
            if further is None or not further.residual_in_units_of(at) < at.residual_in_units_of(at):
                break
            at = further
            best = min(best, at, key=lambda met: met.measure)
            if best.measure <= CONVERGED:
                break
        return best

    def _newton(self, at: Met, damping: float) -> np.ndarray:
        """The best state met by Gauss-Newton steps of limited length, damped at most so much."""
        # Near to where nothing has a size, deviations are unbounded that others excite: no length of steps.
        free, rows = self._free, at.rows
        unit = np.minimum(at.scales.column, self._start.scales.column)[free]
        x, residual = at.x, at.residual / rows
        best, least, stalled = x, _largest(residual), 0
        for _ in range(_STEPS):
            if not free or stalled > _STALLED or least <= _ROUNDED:
                break
            step = _step(self._slopes(x) * unit / rows[:, None], residual, damping)
            z = x[free] / unit
            length, limit = float(np.linalg.norm(step)), _LONGEST * max(float(np.linalg.norm(z)), 1.0)
            x = self._with_free(x, unit * (z - step * (limit / length if length > limit else 1.0)))
            residual = self._residual(x) / rows
            size = _largest(residual)
            if not np.isfinite(size):
                break
            stalled = 0 if size < least else stalled + 1
            if size < least:
                best, least = x, size
        return best

    def _by_trust_region(self, x: np.ndarray) -> np.ndarray:
        from scipy.optimize import least_squares

        # It ends by numbers: the residual at its beginning, however small beside its terms, counts as one.
        free, rows = self._free, self._start.rows
        rows, unit = rows * (_largest(self._residual(x) / rows) or 1.0), self._start.scales.column[free]
        z = least_squares(
            lambda z: self._residual(self._with_free(x, unit * z)) / rows,
            x[free] / unit,
            jac=lambda z: self._slopes(self._with_free(x, unit * z)) * unit / rows[:, None],
            **dict.fromkeys(("xtol", "ftol", "gtol"), 1e-15),
        ).x
        return self._with_free(x, unit * z)

    def _without_rounding(self, x: np.ndarray, before: Met) -> Met | None:
        """The state that steps lead to, without what rounding leaves of zeros, where that is one of rest."""
        small = np.abs(x) < _ZERO * self._start.scales.column
        small[[i for i in range(len(x)) if i not in self._free]] = False
        if np.any(small & (x != 0)):
            cleared = self.met_at(np.where(small, 0.0, x))
            if cleared is not None and cleared.measure <= CONVERGED:
                return cleared
        return before if x is before.x else self.met_at(x)

    def _residual(self, x: np.ndarray) -> np.ndarray:
        """Field and relations, no numbers where the equations are singular: solvers shorten such a step."""
        try:
            rate = self._seen.rate(x, self._u, self._params)
            return np.concatenate([rate, self._seen.system.leaf_residual(x, self._params)])
        except ZeroDivisionError:
            return np.full(len(x) + len(self._seen.system.leaf.names), np.nan)

    def _slopes(self, x: np.ndarray) -> np.ndarray:
        A = self._seen.derivatives(x, self._u, self._params)[0]
        return np.vstack([A, self._seen.leaf_gradient(x, self._params)])[:, self._free]

    def _with_free(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        point = x.copy()
        point[self._free] = y
        return point


def _largest(values: np.ndarray) -> float:
    return float(np.max(np.abs(values), initial=0.0))


def _step(J: np.ndarray, r: np.ndarray, damping: float) -> np.ndarray:
    """The step s of least |J s - r|^2 + q^2 |s|^2, q = |r| within bounds; of least norm without damping."""
    n = J.shape[1]
    q = min(max(float(np.linalg.norm(r)), _LEAST_DAMPING), damping)
    rows = np.vstack([J, q * np.eye(n)])
    right = np.concatenate([r, np.zeros(n)])
    step = np.linalg.lstsq(rows, right, rcond=LEAST_NORM)[0]
    # What rounding beside the largest residuals took from small ones is a right side of its own.
    return step + np.linalg.lstsq(rows, right - rows @ step, rcond=LEAST_NORM)[0]
