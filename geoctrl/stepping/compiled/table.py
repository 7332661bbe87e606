"""Inputs in compiled code: a table of their samples."""

from __future__ import annotations

import numpy as np
from numba import njit

from geoctrl.stepping.compiled.compiled import inner
from geoctrl.stepping.drive.drive import Drive

__all__ = ["sample", "table", "table_of"]


@inner
def sample(table, t, j):
    """Input j at time t from a table (number of times, number of inputs, times, rows of values).

    Linear between samples, constant beyond them.
    """
    nt = int(table[0])
    values = 2 + nt * (1 + j)
    if nt == 1 or t <= table[2]:
        return table[values]
    if t >= table[1 + nt]:
        return table[values + nt - 1]
    low, high = 0, nt - 1
    while high - low > 1:
        middle = (low + high) // 2
        if table[2 + middle] <= t:
            low = middle
        else:
            high = middle
    part = (t - table[2 + low]) / (table[3 + low] - table[2 + low])
    return (1.0 - part) * table[values + low] + part * table[values + low + 1]


@njit(cache=True)
def table_of(u, m):
    """Table of m inputs that do not change; they are NaN where ``u`` has another size."""
    table = np.zeros(3 + m)
    table[0], table[1] = 1.0, m
    table[3:] = u if u.size == m else np.full(m, np.nan)
    return table


def table(drive: Drive) -> np.ndarray:
    """Table of what drives a run: samples, of which those that are held have one."""
    times, samples = drive.times, drive.samples
    return np.concatenate([[times.size, len(samples)], times, samples.ravel()])
