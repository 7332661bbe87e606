"""The one judgement of what is conserved: rates that vanish, relative to their terms, at random states.

For formulas without switches a rate that vanishes at a random state and time vanishes everywhere, with
probability one. Switches are let take any branch: there an identity that holds for all the numbers that
choose holds whichever branch is taken. Of functions, into which nobody can look, it says what was seen.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence

import numpy as np

from geoctrl._checks import user_level

__all__ = ["SPEEDS", "TIMES", "Rates", "at_random", "cancel", "finite", "vanishing"]

_ROUNDING = 1e-10
"""Rate, relative to the sizes of its terms, that counts as none: the rounding of doubles in fields that solve
for accelerations with inertias of condition 10^5, and far below a force that anybody means."""
_STATES = 4
"""Random states at which a rate has to vanish: one would do, but for rounding that happens to be small."""
_TRIES = 60
"""States drawn at most until rates have finite values at so many: formulas have poles."""
TIMES = (-3.0, 10.0)
"""Between which random times are drawn."""
SPEEDS = 1.0, 1e-3, 1e3, 1e-6
"""Sizes of the random velocities in turn, beside those that forces give to a system at rest in the time in
which they move it by one: fast motions hide friction beside what is quadratic in them."""

Rates = tuple[np.ndarray, np.ndarray]
"""Rates (k, q) of q quantities, by k kinds of force that have to vanish or cancel, and their terms' sizes."""


def finite(rates: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Whether the rates of all kinds of force, and their sizes, are numbers, (q,)."""
    return np.all(np.isfinite(rates) & np.isfinite(sizes), axis=0)


def cancel(rates: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Whether rates by kind of force, (k, q), and the sizes of their terms add up to nothing, (q,).

    Each kind must vanish by itself or against others that do not: a small one is not lost in the rounding
    of a large one.
    """
    acting = ~(np.abs(rates) <= _ROUNDING * sizes)
    total, size = np.sum(rates * acting, axis=0), np.sum(sizes * acting, axis=0)
    count = acting.sum(axis=0)
    return (count == 0) | ((count > 1) & (np.abs(total) <= _ROUNDING * size))


def at_random(sample: Callable[[], Rates]) -> list[Rates]:
    """What ``sample`` gives at states drawn at random, more of them while some rates are not finite."""
    found: list[Rates] = []
    for _ in range(_TRIES):
        with np.errstate(all="ignore"):
            found.append(sample())
        if np.all(_enough(found)):
            break
    return found


def _enough(found: Sequence[Rates]) -> np.ndarray:
    return np.sum([finite(*both) for both in found], axis=0) >= _STATES


def vanishing(found: Sequence[Rates], names: Sequence[str] = (), whose: str = "") -> np.ndarray:
    """Which rates at random states vanish wherever they are finite, (q,).

    Those that are finite at too few of the states do not count, with a RuntimeWarning that ``names`` them.
    """
    enough = _enough(found)
    if names and not np.all(enough):
        unjudged = ", ".join(name for name, judged in zip(names, enough, strict=True) if not judged)
        warnings.warn(
            f"{whose or 'the system'}: rates are finite at fewer than {_STATES} of {_TRIES} random states, "
            f"so that these do not count as conserved: {unjudged}",
            RuntimeWarning,
            stacklevel=user_level(),
        )
    return enough & np.all([cancel(*both) | ~finite(*both) for both in found], axis=0)
