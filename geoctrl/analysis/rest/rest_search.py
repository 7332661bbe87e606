r"""The search for states at rest on the leaf: damped Gauss-Newton steps in units of the system's own.

Equilibria come in families. Next to one the derivative J of the residual r has directions in which it nearly
vanishes, and a full step goes far along them. The step that minimises :math:`|J s + r|^2 + |r|^2 |s|^2` leads
to a point of the family nearby, with quadratic convergence where the residual bounds the distance to it
(Yamashita and Fukushima, 2001).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from geoctrl.analysis.rest.unknowns import Unknowns
from geoctrl.errors import EquilibriumError, GeoctrlError
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
    z : ndarray
        As of `Unknowns`.
    x, u, params
        State, inputs and all parameters there.
    residual : ndarray (n + r,)
        Field and relations of the leaf.
    units : ndarray
        Sizes of all places of z.
    """

    z: np.ndarray
    x: np.ndarray
    u: np.ndarray
    params: Mapping[str, Any]
    residual: np.ndarray
    scales: Scales
    units: np.ndarray

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
    unknowns : Unknowns
    z : ndarray
        The guess.
    """

    def __init__(self, unknowns: Unknowns, z: np.ndarray) -> None:
        self._unknowns, self._free = unknowns, unknowns.free
        start = self.met_at(z)
        if start is None:
            raise EquilibriumError(
                "no equilibrium found: the equations are singular at the guess; try another"
            )
        self.start = start

    def met_at(self, z: np.ndarray) -> Met | None:
        """A point with what is known of it; None where the equations have no value."""
        residual = self._unknowns.residual(z)
        if not np.all(np.isfinite(residual)):
            return None
        x, u, params = self._unknowns.point(z)
        try:
            scales = self._unknowns.seen.scales(x, u, params)
            return Met(z, x, u, params, residual, scales, self._unknowns.units(z, scales))
        except (ZeroDivisionError, EquilibriumError):
            return None

    def rest_point(self) -> Met:
        """The nearest point of rest that steps lead to; where there is none, the best point that was met.

        Damped steps stay near a family; full ones go far to a single point. Where both fail, a trust region
        goes further; where they stall next to a point of rest, it leads on from there.
        """
        damped = self._led_on(self._by_newton(self.start, _DAMPING))
        if damped.measure <= CONVERGED and self._distance(damped) <= _NEAR and self._is_regular(damped):
            return damped
        met = [damped, self._led_on(self._by_newton(self.start, 0.0))]
        rests = [at for at in met if at.measure <= CONVERGED and self._is_regular(at)]
        if rests:
            return min(rests, key=self._distance)
        best = min(met, key=lambda at: at.measure)
        if best.measure > RESIDUAL:
            best = min(best, self._led_on(self._further(self.start)), key=lambda at: at.measure)
        return best

    def _led_on(self, at: Met) -> Met:
        """What a trust region makes of a point that is near to rest, where steps have stalled."""
        if not CONVERGED < at.measure <= RESIDUAL:
            return at
        return min(at, self._further(at), key=lambda met: met.measure)

    def _further(self, at: Met) -> Met:
        """What a trust region leads to."""
        further = self.met_at(self._by_trust_region(at.z)) if self._free else None
        return at if further is None else self._by_newton(further, 0.0)

    def _distance(self, at: Met) -> float:
        """From the guess, in units of the states there."""
        return float(np.linalg.norm((at.z - self.start.z) / self.start.units))

    def _is_regular(self, at: Met) -> bool:
        """Whether the equations hold there and can be differentiated."""
        try:
            self._unknowns.seen.require_regular(at.x, at.u, at.params)
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
        """The best point met by Gauss-Newton steps of limited length, damped at most so much."""
        # Near to where nothing has a size, deviations are unbounded that others excite: no length of steps.
        free, rows, of = self._free, at.rows, self._unknowns
        unit = np.minimum(at.units, self.start.units)[free]
        z, residual = at.z, at.residual / rows
        best, least, stalled = z, _largest(residual), 0
        for _ in range(_STEPS):
            if not free or stalled > _STALLED or least <= _ROUNDED:
                break
            step = _step(of.slopes(z) * unit / rows[:, None], residual, damping)
            y = z[free] / unit
            length, limit = float(np.linalg.norm(step)), _LONGEST * max(float(np.linalg.norm(y)), 1.0)
            z = self._with_free(z, unit * (y - step * (limit / length if length > limit else 1.0)))
            residual = of.residual(z) / rows
            size = _largest(residual)
            if not np.isfinite(size):
                break
            stalled = 0 if size < least else stalled + 1
            if size < least:
                best, least = z, size
        return best

    def _by_trust_region(self, z: np.ndarray) -> np.ndarray:
        from scipy.optimize import least_squares

        # It ends by numbers: the residual at its beginning, however small beside its terms, counts as one.
        free, rows, of = self._free, self.start.rows, self._unknowns
        rows, unit = rows * (_largest(of.residual(z) / rows) or 1.0), self.start.units[free]
        y = least_squares(
            lambda y: of.residual(self._with_free(z, unit * y)) / rows,
            z[free] / unit,
            jac=lambda y: of.slopes(self._with_free(z, unit * y)) * unit / rows[:, None],
            **dict.fromkeys(("xtol", "ftol", "gtol"), 1e-15),
        ).x
        return self._with_free(z, unit * y)

    def _without_rounding(self, z: np.ndarray, before: Met) -> Met | None:
        """The point that steps lead to, without what rounding leaves of zeros, where that is one of rest."""
        small = np.abs(z) < _ZERO * self.start.units
        small[[i for i in range(len(z)) if i not in self._free]] = False
        if np.any(small & (z != 0)):
            cleared = self.met_at(np.where(small, 0.0, z))
            if cleared is not None and cleared.measure <= CONVERGED:
                return cleared
        return before if z is before.z else self.met_at(z)

    def _with_free(self, z: np.ndarray, y: np.ndarray) -> np.ndarray:
        point = z.copy()
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
