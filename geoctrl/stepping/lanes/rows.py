"""Where numbers of sixteen lanes stand: rows of sixteen doubles at fixed places of one array.

First comes a block of `BLOCK` doubles for what belongs to a lane (time, step), then one for each state, then
`EVENT` doubles for each event, then a row for each number that a lane's equations hold. Places within a block
are literals of the compiled code, and all is in one array: this is what shows the compiler that rows do not
overlap, so that loops over lanes become instructions on vectors.
"""

from __future__ import annotations

__all__ = ["BLOCK", "EVENT", "VECTOR", "WIDTH", "event_place", "number_place", "size_of_rows", "state_place"]

WIDTH = 16

VECTOR = 8
"""Lanes in one value of the compiled code: one register of today's processors, or two."""

BLOCK = 32 * WIDTH
EVENT = 9 * WIDTH

# Rows of each block: the state, its rates at the stages, and what a step makes of them.
X = 0
STAGE = tuple(k * WIDTH for k in range(17))
"""Rates of stage k; 13 are those at the end of the step, 14 to 16 for states within it."""
NEW, ARGUMENT, RATE = (k * WIDTH for k in (17, 18, 19))
"""The state at the end of a step; where the field is evaluated, and what it is there."""
STEP, TAKEN, SIZE = (k * WIDTH for k in (20, 21, 22))
"""Length of the step; one where it is taken; what errors are measured by where states are small."""
ERROR5, ERROR3, LARGEST = (k * WIDTH for k in (23, 24, 25))
"""Sums of squared errors and the greatest state in terms of its size, up to this block."""
TOLERANCE = 26 * WIDTH
WITHIN = tuple(k * WIDTH for k in (27, 28, 29, 30, 31, 18, 19))
"""Coefficients of the state within a step."""

# Rows of the first block that belong to a lane.
TIME, STAGE_TIME, NEW_TIME, NEXT_STEP = (k * WIDTH for k in (0, 1, 2, 3))
LOW, HIGH, FULL, SHORTEST, LONGEST = (k * WIDTH for k in (4, 5, 6, 7, 8))
"""Lengths between which the step has to be cut; its whole length; extremes of a member's steps."""

# Rows of each event.
VALUE, SLOPE, BEGIN, BEGIN_SLOPE, AT_LOW, AT_HIGH, LOW_SLOPE, HIGH_SLOPE, SIDE = (k * WIDTH for k in range(9))

# Ways in which a member ends; from `STOPPED` on it is the terminal event.
FAR, COLLAPSED, NONE, ARRIVED, STOPPED = -2, -1, 0, 1, 2

# What a lane knows in whole numbers, a row each.
KNOWN = 11
MEMBER, ENDING, MODE, SAMPLE, LAST, ROUNDS, REJECTED, SHORT, AWAY, CUT, FRESH = (
    k * WIDTH for k in range(KNOWN)
)

# What a lane does: ordinary steps; steps that close in on a zero; one at the turn of an event's function; the
# step whose end is the zero; the whole step once more.
ORDINARY, CLOSING, TURNING, AT_ZERO, WHOLE = range(5)


def state_place(j: int) -> int:
    """Of the rows of a state."""
    return BLOCK + j * BLOCK


def event_place(n: int, k: int) -> int:
    """Of the rows of an event, where there are n states."""
    return state_place(n) + k * EVENT


def number_place(n: int, g: int, k: int) -> int:
    """Of a number that the equations hold, where there are n states and g events."""
    return event_place(n, g) + k * WIDTH


def size_of_rows(n: int, g: int, numbers: int) -> int:
    """Doubles of all rows."""
    return number_place(n, g, numbers)
