"""Jumps that follow each other ever faster, and the time that they never pass."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

__all__ = ["accumulation_point"]

_RATIOS = 6
_LONGEST_CYCLE = 4
_ALIKE, _SHRINKING = 1e-2, 0.999
_NEAR = 1e-9
_BLURRED = 64
"""Intervals over the time of rounding, times r twice: a flight rises by its speed times a quarter of its time
over a rounding of that speed times the other; the next one, slower and shorter by r, may not be seen."""


def accumulation_point(
    names: Sequence[str], times: Sequence[float], start: float, blur: Callable[[], float]
) -> float | None:
    r"""The time :math:`t_k + d_k r/(1 - r)` that jumps at ``times`` tend to, as soon as it is near.

    The intervals d of one cycle of jumps have the ratio r: the last six agree to one per cent and are below
    0.999, and what is left is less than 1e-9 of the time since ``start``, or the intervals are next to what
    rounding of the guard moves strikes by, so that doubles know no more. Else None.

    Parameters
    ----------
    names, times : of the jumps so far, in their order
    start : float
        Initial time of the run.
    blur : callable
        By how much rounding of the guard moves the last of the times; asked where the intervals shrink alike.
    """
    for period in range(1, _LONGEST_CYCLE + 1):
        needed = (_RATIOS + 1) * period
        if len(times) <= needed:
            return None
        last = names[-needed:]
        if any(a != b for a, b in zip(last, last[period:], strict=False)):
            continue
        ends = np.array(times[-needed - 1 :: period])
        lengths = np.diff(ends)
        if np.any(lengths <= 0):
            continue
        ratios = lengths[1:] / lengths[:-1]
        r = float(ratios[-1])
        if r < _SHRINKING and np.all(ratios < _SHRINKING) and np.ptp(ratios) <= _ALIKE * r:
            left = float(lengths[-1]) * r / (1 - r)
            end = times[-1] + left
            near = left < _NEAR * (end - start) or r * r * lengths[-1] < _BLURRED * blur()
            return end if near else None
    return None
