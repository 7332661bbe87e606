"""Sizes of states and time in which a run is computed, so that its errors are relative to its motion.

Integrators measure errors against one: a motion of 1e-20 m would be nothing to them. States of ordinary size
are computed as they are. Else z = x/d and theta = omega t are, with the sizes of
`geoctrl.systems.contract.scales` at the state; where what is in motion is small beside these, with its own: d
is then the closure of |x|, the largest deviation that the state excites within 1/omega. All are powers of
two, by which doubles are divided exactly.
"""

from __future__ import annotations

from math import isfinite
from typing import Any, NamedTuple

import numpy as np

from geoctrl._scalars.arithmetic.magnitudes import binary
from geoctrl.errors import GeoctrlError
from geoctrl.systems.contract.scales import excited_deviations, exciting_deviations

__all__ = ["SMALL", "Sizes", "are_ordinary", "sizes_at"]

SMALL = 2.0**-20
"""A state below this part of its size is small: doubles and tolerances then leave less than nine digits."""

_LARGE = 2.0**40
_FAST = 2.0**30
"""Rates, in 1/s, up to which times are ordinary; slow ones down to its inverse."""


_LEAST = 2.0**-500
"""Least size: errors of smaller motions are relative to it."""


class Sizes(NamedTuple):
    """Powers of two."""

    state: np.ndarray
    rate: float

    def outgrown(self, x: np.ndarray, least: float = SMALL) -> bool:
        """Whether a state is far from these sizes; at rest it is not."""
        largest = float(np.max(np.abs(x) / self.state))
        return largest > 1 / SMALL or 0 < largest < least

    def __str__(self) -> str:
        d = self.state
        cut = " (cut there)" if d.min() <= _LEAST else ""
        return f"states in sizes of {d.min():.1g}{cut} to {d.max():.1g}, times in {1 / self.rate:.1g} s"


def sizes_at(
    system: Any, x: np.ndarray, rates: np.ndarray, params: Any, u: np.ndarray, least: float
) -> Sizes | None:
    """Sizes for a run that is at a state with its rates; None where states and times are of ordinary size.

    Ordinary is from ``least`` on; if that is infinite, None is for equations that are singular alone.
    """
    n = system.nstates
    if _ordinary(x, rates, least):
        return None
    try:
        with np.errstate(all="ignore"):
            scales = system.seen_from(None).scales(x[:n], u, params)
    except GeoctrlError:  # the equations are singular here, which the run itself will say
        return None
    d, rate = np.array(scales.state), scales.rate
    own = excited_deviations(scales.A, rate, np.abs(x[:n]))
    d = np.where((own > 0) & (own <= SMALL * d), own, d) if d.any() else own
    rate = rate or _pace(d, rates[:n])
    with np.errstate(divide="ignore", invalid="ignore"):
        d = np.where(d > 0, d, np.abs(rates[:n]) / rate if rate else 0.0)
        d = exciting_deviations(scales.A, rate, d)
        # States of a reconstruction are measured by themselves.
        more = np.maximum(np.abs(x[n:]), np.abs(rates[n:]) / rate if rate else 0.0)
    d = np.concatenate([d, more])
    d, rate = np.where(d > 0, d, 1.0), rate or 1.0
    if d.min() >= least and d.max() <= _LARGE and 1 / _FAST <= rate <= _FAST:
        return None
    return Sizes(binary(d), float(binary(rate)))


def _ordinary(x: np.ndarray, rates: np.ndarray, least: float) -> bool:
    """Whether no state is small, and times are ordinary as far as states and rates tell; or it is at rest."""
    sizes, speeds = [*map(abs, x.tolist())], [*map(abs, rates.tolist())]
    if not isfinite(sum(sizes) + sum(speeds)):
        return False
    largest, speed = max(sizes, default=0.0), max(speeds, default=0.0)
    if not speed and not largest:
        return isfinite(least)
    if not least <= largest <= _LARGE or any(0 < size < SMALL for size in sizes):
        return False
    return not speed or 1 / _FAST <= speed / largest <= _FAST


def are_ordinary(x: np.ndarray, rates: np.ndarray, least: float) -> np.ndarray:
    """As `_ordinary` of states (n, N) that are in motion and finite, bool (N,)."""
    sizes = np.abs(x)
    largest, speed = sizes.max(axis=0), np.abs(rates).max(axis=0)
    small = ((sizes > 0) & (sizes < SMALL)).any(axis=0)
    slow = (speed > 0) & ((speed < largest / _FAST) | (speed > largest * _FAST))
    return (least <= largest) & (largest <= _LARGE) & ~small & ~slow


def _pace(d: np.ndarray, rates: np.ndarray) -> float:
    """Fastest relative change, where no state acts back on itself."""
    with np.errstate(divide="ignore", invalid="ignore"):
        paces = np.where(d > 0, np.abs(rates) / d, 0.0)
    return float(np.max(paces, initial=0.0))
