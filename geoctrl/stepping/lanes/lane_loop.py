"""The loop over lanes: members of a queue, each in a lane of its own until it has come to its end.

Nothing that a lane does depends on another. Steps are as long as Hairer's error allows in that lane; a step
in which an event passes zero is taken again, shorter, by values and slopes of the event's function, until
the zero is at its end: what is found there is a state of the method. Then the step is taken as it was, unless
the event ends the run: watching changes no number of it.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any, NamedTuple

from numba import float64, int64, types
from numba.extending import intrinsic

from geoctrl.stepping.compiled.compiled import fields, inner, loop_code, pointer
from geoctrl.stepping.compiled.writer import ARRAY, INDEX, MATRIX
from geoctrl.stepping.lanes.lane_source import EQUATIONS, STAGES
from geoctrl.stepping.lanes.rows import (
    ARGUMENT,
    ARRIVED,
    AT_ZERO,
    AWAY,
    BEGIN,
    BEGIN_SLOPE,
    BLOCK,
    CLOSING,
    COLLAPSED,
    CUT,
    ENDING,
    ERROR3,
    ERROR5,
    EVENT,
    FAR,
    FRESH,
    FULL,
    LARGEST,
    LONGEST,
    LOW,
    MEMBER,
    MODE,
    NEW,
    NEW_TIME,
    NEXT_STEP,
    NONE,
    ORDINARY,
    RATE,
    REJECTED,
    SAMPLE,
    SHORT,
    SHORTEST,
    SIDE,
    SIZE,
    SLOPE,
    STAGE_TIME,
    STEP,
    STOPPED,
    TAKEN,
    TIME,
    TOLERANCE,
    TURNING,
    VALUE,
    WHOLE,
    WIDTH,
    WITHIN,
    X,
)
from geoctrl.stepping.lanes.zeros import close_in, look_on, open_bracket, passes, turn

__all__ = ["NEXT", "PASSED", "LaneMembers", "LanePassages", "LaneRun", "compiled_loop"]

# What the loop counts.
NEXT, PASSED = 0, 1

_PATIENCE = 1000
"""Steps in a row below `_SHORT` of the longest with which a member is given up."""
_SHORT = 1e-6
_GROWING = 5.0
"""Factor from which on steps are no measure: they were chosen too short."""
_LASTING = 10
"""Steps in a row far from the sizes of a run after which a member goes on in others."""
_FLOOR = 2.0**-48
"""Steps are not shorter than this part of the time."""


class LaneRun(NamedTuple):
    """What all members have: tolerance, times, sizes of states, samples, and how events end a run."""

    tolerance: Any
    begin: Any
    end: Any
    least: Any
    """Part of their sizes below which states are far from them."""
    most: Any
    """... and above."""
    size: Any
    grid: Any
    stops: Any
    """For each event 0, 1 or -1, the sign with which it ends a run, or 2."""


class LaneMembers(NamedTuple):
    """What each has, at the beginning and then where it has come to."""

    states: Any
    steps: Any
    sides: Any
    numbers: Any
    """Numbers that the equations hold, a row each."""
    times: Any
    endings: Any
    paces: Any
    """The shortest and the longest step."""
    sampled: Any
    """How many samples are in the rows."""
    rows: Any
    """States (N, n, nt) at the samples."""


class LanePassages(NamedTuple):
    """Passages in the order in which they are found: member, event, sign; time; state."""

    whose: Any
    time: Any
    state: Any


RUN = fields(LaneRun, float64, float64, float64, float64, float64, ARRAY, ARRAY, INDEX)
MEMBERS = fields(LaneMembers, MATRIX, ARRAY, MATRIX, MATRIX, ARRAY, INDEX, MATRIX, INDEX, float64[:, :, ::1])
FOUND = fields(LanePassages, int64[:, ::1], ARRAY, MATRIX)


@intrinsic
def _pointer_to(_typing, array):
    """Where the entries of an array begin."""

    def code(context, builder, signature, given):
        return context.make_array(signature.args[0])(context, builder, given[0]).data

    return types.CPointer(array.dtype)(array), code


pointer_to: Any = _pointer_to


@inner
def begin_member(i, m, n, g, w, lane, run, members):
    """Put a member into a lane."""
    lane[MEMBER + i] = m
    for k in range(ENDING, FRESH, WIDTH):
        lane[k + i] = 0
    lane[FRESH + i] = 1
    lane[SAMPLE + i] = members.sampled[m]
    w[i + TIME] = run.begin
    w[i + SHORTEST], w[i + LONGEST] = members.paces[m, 0], members.paces[m, 1]
    for j in range(n):
        p = BLOCK + j * BLOCK + i
        w[p + X] = members.states[m, j]
        w[p + SIZE], w[p + TOLERANCE] = run.size[j], run.tolerance
    p = BLOCK + n * BLOCK + i
    for k in range(g):
        w[p + SIDE] = members.sides[m, k]
        p += EVENT
    for k in range(members.numbers.shape[0]):
        w[p] = members.numbers[k, m]
        p += WIDTH


@inner
def first_step(i, m, n, w, lane, run, members):
    """The length of the first step: the one before the pause, or by how fast states change."""
    lane[FRESH + i] = 0
    step, fastest = members.steps[m], 0.0
    if not step > 0.0:
        for j in range(n):
            p = BLOCK + j * BLOCK + i
            fastest = max(fastest, abs(w[p + RATE]) / (run.size[j] + abs(w[p + X])))
        step = run.end - run.begin
        if fastest > 0.0:
            step = min(step, math.sqrt(math.sqrt(math.sqrt(run.tolerance))) / fastest)
    w[i + NEXT_STEP] = step


@inner
def choose_step(i, w, lane, end):
    """The length of the step that comes, and the time at its end."""
    if lane[MEMBER + i] < 0:
        w[i + STEP] = 0.0
        return
    if lane[MODE + i] == ORDINARY:
        left = end - w[i + TIME]
        lane[CUT + i] = 1 if 1.01 * w[i + NEXT_STEP] >= left else 0
        w[i + STEP] = left if lane[CUT + i] else w[i + NEXT_STEP]
    whole = lane[MODE + i] == ORDINARY or lane[MODE + i] == WHOLE
    w[i + NEW_TIME] = end if whole and lane[CUT + i] else w[i + TIME] + w[i + STEP]


@inner
def control_step(i, n, w, lane, least, most):
    """Whether the error of an ordinary step is small enough; the length of the next one."""
    p, step = n * BLOCK + i, w[i + STEP]
    fifth, largest = w[p + ERROR5], w[p + LARGEST]
    error = 0.0
    if fifth != 0.0:
        error = step * fifth / math.sqrt((fifth + 0.01 * w[p + ERROR3]) * n)
    if not (error <= 1.0 and largest < math.inf):
        lane[REJECTED + i] = 1
        factor = 0.2
        if error > 1.0 and largest < math.inf:
            factor = max(0.2, 0.9 / math.sqrt(math.sqrt(math.sqrt(error))))
        w[i + NEXT_STEP] = step * factor
        if not step * factor > _FLOOR * abs(w[i + TIME]):
            lane[ENDING + i] = COLLAPSED
        return False
    factor = 10.0
    if error > 0.0:
        factor = min(10.0, 0.9 / math.sqrt(math.sqrt(math.sqrt(error))))
    if lane[REJECTED + i]:
        factor = min(1.0, factor)
    lane[REJECTED + i] = 0
    following = step * factor
    if lane[CUT + i]:
        if factor >= 1.0:
            following = max(following, w[i + NEXT_STEP])
    else:
        if factor < _GROWING:
            w[i + SHORTEST] = min(w[i + SHORTEST], step)
        w[i + LONGEST] = max(w[i + LONGEST], step)
        lane[SHORT + i] = lane[SHORT + i] + 1 if step < _SHORT * w[i + LONGEST] else 0
    w[i + NEXT_STEP] = following
    far = largest > most or 0.0 < largest < least
    lane[AWAY + i] = lane[AWAY + i] + 1 if far else 0
    return True


@inner
def judge(i, n, g, w, lane, least, most):
    """Whether the step just taken counts; 2 if events pass zero at its end."""
    mode = lane[MODE + i]
    if mode == ORDINARY:
        if not control_step(i, n, w, lane, least, most):
            return 0
        if g:
            w[i + FULL], w[i + LOW] = w[i + STEP], 0.0
            if passes(i, n, g, w):
                open_bracket(i, n, g, w, lane)
                return 0
            at = turn(i, n, g, w)
            if at > 0.0:
                lane[MODE + i], w[i + STEP] = TURNING, at
                return 0
        return 1
    if mode == CLOSING:
        return 2 if close_in(i, n, g, w, lane) else 0
    if mode == AT_ZERO:
        return 2
    if passes(i, n, g, w):
        open_bracket(i, n, g, w, lane)
        return 0
    if mode == WHOLE:
        return 1
    lane[MODE + i], w[i + STEP] = WHOLE, w[i + FULL]
    return 0


@inner
def note_passages(i, n, g, w, lane, counts, stops, found):
    """Note which events pass zero at the end of the step; a terminal one ends the member."""
    p = BLOCK + n * BLOCK + i
    for k in range(g):
        if w[p + SIDE] * w[p + VALUE] < 0.0:
            side = -w[p + SIDE]
            w[p + SIDE] = side
            at = counts[PASSED]
            counts[PASSED] += 1
            found.whose[at, 0], found.whose[at, 1], found.whose[at, 2] = lane[MEMBER + i], k, int(side)
            found.time[at] = w[i + NEW_TIME]
            for j in range(n):
                found.state[at, j] = w[(BLOCK + j * BLOCK) + NEW + i]
            if (stops[k] == 0 or stops[k] == int(side)) and lane[ENDING + i] == NONE:
                lane[ENDING + i] = STOPPED + k
        p += EVENT


@inner
def write_samples(i, m, n, w, lane, run, members):
    """Write the states at samples within the step, and at its end."""
    t, step, until, s = w[i + TIME], w[i + STEP], w[i + NEW_TIME], lane[SAMPLE + i]
    while s < run.grid.size and run.grid[s] <= until:
        part = (run.grid[s] - t) / step if run.grid[s] < until else 1.0
        for j in range(n):
            p = BLOCK + j * BLOCK + i
            y = w[p + NEW]
            if run.grid[s] < until:
                y = part * w[p + WITHIN[6]]
                y = (1.0 - part) * (y + w[p + WITHIN[5]])
                y = part * (y + w[p + WITHIN[4]])
                y = (1.0 - part) * (y + w[p + WITHIN[3]])
                y = part * (y + w[p + WITHIN[2]])
                y = (1.0 - part) * (y + w[p + WITHIN[1]])
                y = part * (y + w[p + WITHIN[0]]) + w[p + X]
            members.rows[m, j, s] = y
        s += 1
    lane[SAMPLE + i] = s


@inner
def rates_at_starts(field, watch, n, g, w, lanes):
    """Rates and events where lanes are: for all of them, no number of which changes."""
    for p in range(BLOCK, BLOCK + n * BLOCK, BLOCK):
        for i in range(lanes):
            w[p + i + ARGUMENT] = w[p + i + X]
    for i in range(lanes):
        w[i + STAGE_TIME] = w[i + TIME]
    field(w, lanes)
    watch(w, lanes)
    first = BLOCK + n * BLOCK
    for p in range(first, first + g * EVENT, EVENT):
        for i in range(lanes):
            w[p + i + BEGIN] = w[p + i + VALUE]
            w[p + i + BEGIN_SLOPE] = w[p + i + SLOPE]


@inner
def end_step(i, n, g, w):
    """Make the end of a step that counts the beginning of the next; states are moved for all at once."""
    w[i + TIME] = w[i + NEW_TIME]
    p = BLOCK + n * BLOCK + i
    for _ in range(g):
        w[p + BEGIN], w[p + BEGIN_SLOPE] = w[p + VALUE], w[p + SLOPE]
        p += EVENT


@inner
def put_back(i, m, n, g, w, lane, members):
    """Where a member has come to."""
    members.times[m], members.steps[m] = w[i + TIME], w[i + NEXT_STEP]
    members.sampled[m], members.endings[m] = lane[SAMPLE + i], lane[ENDING + i]
    members.paces[m, 0], members.paces[m, 1] = w[i + SHORTEST], w[i + LONGEST]
    for j in range(n):
        members.states[m, j] = w[(BLOCK + j * BLOCK) + i + X]
    for k in range(g):
        members.sides[m, k] = w[(BLOCK + n * BLOCK) + k * EVENT + i + SIDE]


def run_lanes(
    field, watch, stages, within, move, rounds, lanes, n, g, rows, known, counts, queue, run, members, found
):
    """Run the members of a queue in so many of the lanes for so many rounds, or until all have ended or
    passages fill their rows.
    """
    w, lane = pointer_to(rows), pointer_to(known)
    samples = run.grid.size
    for _ in range(rounds):
        if counts[PASSED] + WIDTH * g > found.time.size:
            break
        fresh, running, sampled = False, False, False
        for i in range(lanes):
            if lane[MEMBER + i] < 0 and counts[NEXT] < queue.size:
                begin_member(i, queue[counts[NEXT]], n, g, w, lane, run, members)
                counts[NEXT] += 1
                fresh = True
            running = running or lane[MEMBER + i] >= 0
        if not running:
            break
        if fresh:
            rates_at_starts(field, watch, n, g, w, lanes)
            for i in range(lanes):
                if lane[FRESH + i]:
                    first_step(i, lane[MEMBER + i], n, w, lane, run, members)
        for i in range(lanes):
            choose_step(i, w, lane, run.end)
        stages(field, w, n, lanes)
        if g:
            watch(w, lanes)
        for i in range(lanes):
            w[i + TAKEN] = 0.0
            if lane[MEMBER + i] >= 0:
                outcome = judge(i, n, g, w, lane, run.least, run.most)
                if outcome == 2:
                    note_passages(i, n, g, w, lane, counts, run.stops, found)
                    if lane[ENDING + i] == NONE:
                        look_on(i, n, g, w, lane)
                        continue
                w[i + TAKEN] = 1.0 if outcome else 0.0
                s = lane[SAMPLE + i]
                if w[i + TAKEN] > 0.0 and s < samples and run.grid[s] < w[i + NEW_TIME]:
                    sampled = True
        if sampled:
            within(field, w, n, lanes)
        for i in range(lanes):
            if w[i + TAKEN] > 0.0:
                s = lane[SAMPLE + i]
                if s < samples and run.grid[s] <= w[i + NEW_TIME]:
                    write_samples(i, lane[MEMBER + i], n, w, lane, run, members)
                lane[MODE + i] = ORDINARY
                end_step(i, n, g, w)
        move(field, w, n, lanes)
        for i in range(lanes):
            if lane[MEMBER + i] >= 0:
                if lane[ENDING + i] == NONE:
                    if w[i + TIME] >= run.end:
                        lane[ENDING + i] = ARRIVED
                    elif lane[SHORT + i] >= _PATIENCE:
                        lane[ENDING + i] = COLLAPSED
                    elif lane[AWAY + i] >= _LASTING:
                        lane[ENDING + i] = FAR
                if lane[ENDING + i] != NONE:
                    put_back(i, lane[MEMBER + i], n, g, w, lane, members)
                    lane[MEMBER + i] = -1
    for i in range(lanes):
        if lane[MEMBER + i] >= 0:
            put_back(i, lane[MEMBER + i], n, g, w, lane, members)


@cache
def compiled_loop() -> Any:
    """`run_lanes` as machine code, for any system."""
    equations, stages = pointer(EQUATIONS), pointer(STAGES)
    arrays = (ARRAY, INDEX, INDEX, INDEX, RUN, MEMBERS, FOUND)
    signature = types.void(equations, equations, stages, stages, stages, int64, int64, int64, int64, *arrays)
    return loop_code(run_lanes, signature)
