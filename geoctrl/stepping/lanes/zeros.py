"""Zeros of events in the step of a lane, on steps that are taken again, shorter.

The next one ends at the zero of the cubic through values and slopes at both ends of the bracket: errors
shrink with a power near three. Where a function has no such derivatives, Illinois' rule goes on after some
rounds.
"""

from __future__ import annotations

import math

from geoctrl.stepping.compiled.compiled import inner
from geoctrl.stepping.lanes.rows import (
    AT_HIGH,
    AT_LOW,
    AT_ZERO,
    BEGIN,
    BEGIN_SLOPE,
    BLOCK,
    CLOSING,
    EVENT,
    FULL,
    HIGH,
    HIGH_SLOPE,
    LAST,
    LOW,
    LOW_SLOPE,
    MODE,
    ROUNDS,
    SIDE,
    SLOPE,
    STEP,
    TIME,
    VALUE,
    WHOLE,
)

__all__ = ["close_in", "look_on", "open_bracket", "passes", "turn"]

_RESOLVED = 2.0**-51
"""Relative width of a bracket in which a zero counts as found."""
_SMOOTH = 6
"""Rounds by slopes."""
_NEWTON = 3
"""Steps to the zero of a cubic, which is near a function's in the first round alone."""
_BISECT = 30
"""Rounds after which brackets are halved: no function needs as many that is smooth."""


@inner
def passes(i, n, g, w):
    """Whether the function of an event has another sign at the end of the step."""
    p = BLOCK + n * BLOCK + i
    for _ in range(g):
        if w[p + SIDE] * w[p + VALUE] < 0.0:
            return True
        p += EVENT
    return False


@inner
def zero_between(p, width, w, smooth):
    """The part of a bracket up to where an event is expected to pass zero."""
    a, b = w[p + AT_LOW], w[p + AT_HIGH]
    s = a / (a - b)
    if smooth:  # the cubic through values and slopes at both ends, by Newton from the secant's zero
        u, v = width * w[p + LOW_SLOPE], width * w[p + HIGH_SLOPE]
        q, r, x = 3.0 * (b - a) - 2.0 * u - v, 2.0 * (a - b) + u + v, s
        for _ in range(_NEWTON):
            x -= (a + x * (u + x * (q + x * r))) / (u + x * (2.0 * q + x * (3.0 * r)))
        if 0.0 < x < 1.0:
            return x
    return s


@inner
def least_zero(i, n, g, w, lane):
    """The length at which the first of the events that pass within the bracket is expected to."""
    low, high = w[i + LOW], w[i + HIGH]
    width, near = high - low, 0.5 * _RESOLVED * (abs(w[i + TIME]) + high)
    found = 0.5 * (low + high)
    if lane[ROUNDS + i] < _BISECT:
        found = high
        p = BLOCK + n * BLOCK + i
        for _ in range(g):
            if w[p + SIDE] * w[p + AT_HIGH] < 0.0:
                found = min(found, low + width * zero_between(p, width, w, lane[ROUNDS + i] < _SMOOTH))
            p += EVENT
    return min(max(found, low + near), high - near)


@inner
def open_bracket(i, n, g, w, lane):
    """Begin to look for the zeros of a step, from the length on up to which they are known."""
    w[i + HIGH] = w[i + STEP]
    p = BLOCK + n * BLOCK + i
    for _ in range(g):
        if w[i + LOW] == 0.0:
            w[p + AT_LOW], w[p + LOW_SLOPE] = w[p + BEGIN], w[p + BEGIN_SLOPE]
        w[p + AT_HIGH], w[p + HIGH_SLOPE] = w[p + VALUE], w[p + SLOPE]
        p += EVENT
    lane[MODE + i], lane[LAST + i], lane[ROUNDS + i] = CLOSING, 1, 0
    w[i + STEP] = least_zero(i, n, g, w, lane)


@inner
def close_in(i, n, g, w, lane):
    """One round; whether the step just taken ends in the zero."""
    passed = passes(i, n, g, w)
    lane[ROUNDS + i] += 1
    same = passed == (lane[LAST + i] == 1) and lane[ROUNDS + i] >= _SMOOTH
    again = 0.5 if same else 1.0  # Illinois: of the end that stays the value counts half
    p = BLOCK + n * BLOCK + i
    if passed:
        w[i + HIGH] = w[i + STEP]
        for _ in range(g):
            w[p + AT_HIGH], w[p + HIGH_SLOPE] = w[p + VALUE], w[p + SLOPE]
            w[p + AT_LOW] *= again
            p += EVENT
    else:
        w[i + LOW] = w[i + STEP]
        for _ in range(g):
            w[p + AT_LOW], w[p + LOW_SLOPE] = w[p + VALUE], w[p + SLOPE]
            w[p + AT_HIGH] *= again
            p += EVENT
    lane[LAST + i] = 1 if passed else -1
    if w[i + HIGH] - w[i + LOW] <= _RESOLVED * (abs(w[i + TIME]) + w[i + HIGH]):
        if passed:
            return True
        lane[MODE + i], w[i + STEP] = AT_ZERO, w[i + HIGH]
        return False
    w[i + STEP] = least_zero(i, n, g, w, lane)
    return False


@inner
def turn(i, n, g, w):
    """The least length at which a function that falls to zero and rises again may have passed it, or 0."""
    p, step, found = (BLOCK + n * BLOCK) + i, w[i + STEP], 0.0
    for _ in range(g):
        side = w[p + SIDE]
        a, b = side * w[p + BEGIN], side * w[p + VALUE]
        u, v = side * w[p + BEGIN_SLOPE] * step, side * w[p + SLOPE] * step
        p += EVENT
        if not (u < 0.0 < v and a > 0.0 and b > 0.0):
            continue
        # The cubic through values and slopes at both ends: a + u s + q s^2 + r s^3.
        q, r = 3.0 * (b - a) - 2.0 * u - v, 2.0 * (a - b) + u + v
        s = -u / (q + math.sqrt(max(q * q - 3.0 * r * u, 0.0)))
        if 0.0 < s < 1.0 and a + s * (u + s * (q + s * r)) < 0.25 * (v - u):
            found = s * step if found == 0.0 else min(found, s * step)
    return found


@inner
def look_on(i, n, g, w, lane):
    """After a zero that ends nothing the step is taken as it was: watching changes no number of a run."""
    w[i + LOW] = w[i + STEP]
    p = BLOCK + n * BLOCK + i
    for _ in range(g):
        w[p + AT_LOW], w[p + LOW_SLOPE] = w[p + VALUE], w[p + SLOPE]
        p += EVENT
    lane[MODE + i], w[i + STEP] = WHOLE, w[i + FULL]
