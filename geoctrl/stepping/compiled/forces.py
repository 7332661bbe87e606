"""Kernels of forces: from expressions or a function, with inputs from a table, a function of time or a law.

All have the signature ``force(t, q, w, table, data, index, out)`` with q and w matrices of three columns.

Inputs in compiled code: a table of their samples.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

import numpy as np
from numba import float64, njit, void

from geoctrl._checks import ParameterValues
from geoctrl._scalars import Node
from geoctrl.stepping.compiled.compiled import (
    Kernel,
    Maker,
    compile_function,
    compile_source,
    inner,
    put,
    row_of,
    source_maker,
)
from geoctrl.stepping.compiled.writer import ARRAY, INDEX, MATRIX, KernelWriter, function, statements, unpack
from geoctrl.stepping.drive.drive import Drive

__all__ = [
    "FORCE",
    "GRADIENT",
    "VALUE",
    "forces_under_inputs",
    "forces_under_law",
    "given_force",
    "no_force",
    "nothing",
    "sample",
    "table",
    "table_of",
    "written_force",
]


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
    for j in range(m):  # a slice takes numba seconds
        table[3 + j] = u[j] if u.size == m else np.nan
    return table


@inner
def state_of(q, w):
    """The state (q, w) in one row, a copy: laws may write into it."""
    return np.concatenate((q.copy().reshape(-1), w.copy().reshape(-1)))


def table(drive: Drive) -> np.ndarray:
    """Table of what drives a run: samples, of which those that are held have one."""
    times, samples = drive.times, drive.samples
    return np.concatenate([[times.size, len(samples)], times, samples.ravel()])


VALUE = float64(MATRIX, ARRAY, INDEX)
GRADIENT = void(MATRIX, ARRAY, INDEX, MATRIX)
FORCE = void(float64, MATRIX, MATRIX, ARRAY, ARRAY, INDEX, MATRIX)

_HEAD = "force(t, q, w, table, data, index, out)"


def nothing(head: str, signature: object) -> Kernel:
    """The kernel ``head`` of what a system does not have: it writes zeros to ``out``."""
    empty = "for i in range(out.shape[0]):\n    for k in range(out.shape[1]):\n        out[i, k] = 0.0\n"
    return compile_source(function(head, empty), head.split("(")[0], signature)


@cache
def no_force() -> Kernel:
    """The forces of a system without any."""
    return nothing(_HEAD, FORCE)


def written_force(
    writer: KernelWriter, places: Sequence[tuple[Node, str]], inputs: Sequence[Node], forces: Sequence[Node]
) -> Maker:
    """Forces given by nodes, three for each row; ``places`` are arguments and where they are found."""
    program, constants = writer.program([*(node for node, _ in places), *inputs], forces)
    names = [*(name for _, name in places), *(f"sample(table, t, np.int64({j}))" for j in range(len(inputs)))]
    stores = "".join(f"out[{i // 3}, {i % 3}] = {r}\n" for i, r in enumerate(program.results))
    source = function(_HEAD, constants, unpack(names), statements(program), stores)
    return source_maker(source, "force", FORCE, sample=sample)


def given_force(forces: Callable, shape: tuple[int, ...], inputs: int, parameters: int) -> Kernel:
    """Forces given by a function ``f(t, q, w, u, p)`` that wants q in a ``shape`` of its own."""

    def wrap(f):
        def force(t, q, w, table, data, _index, out):
            u = np.empty(inputs)
            for j in range(inputs):
                u[j] = sample(table, t, j)
            put(f(t, q.reshape(shape), w, u, data[:parameters]), out)

        return force

    return compile_function(forces, wrap, FORCE)


def forces_under_inputs(inner: Kernel, inputs: Callable, m: int) -> Kernel:
    """The forces under inputs that are a function of time."""

    def wrap(f):
        def force(t, q, w, _table, data, index, out):
            inner(t, q, w, table_of(row_of(f(t)), m), data, index, out)

        return force

    return compile_function(inputs, wrap, FORCE)


@cache
def _record(names: tuple[str, ...]) -> Callable:
    """Parameters by name in compiled code: a copy of the numbers of the run, of which the names cost nothing.

    What else a dict can do is not compiled, and laws that do it are run by Python.
    """
    count = len(names)
    if not count:
        return njit(lambda data: data[:0])
    kind = np.dtype([(name, np.float64) for name in names])
    return njit(lambda data: data[:count].copy().view(kind)[0])  # a copy: laws may write into it


def forces_under_law(inner: Kernel, law: Callable, m: int, names: tuple[str, ...]) -> Kernel:
    """The forces under a law ``law(t, x, params)`` with x = (q, w) in one row, params by ``names``."""
    count, by_name = len(names), _record(names)

    def wrap(f):
        def force(t, q, w, _table, data, index, out):
            u = row_of(f(t, state_of(q, w), by_name(data)))
            inner(t, q, w, table_of(u, m), data, index, out)

        return force

    def plain(f):
        def force(t, q, w, _table, data, index, out):
            params = ParameterValues(zip(names, data[:count].tolist(), strict=True))
            u = f(t, np.concatenate([q.ravel(), w.ravel()]), params)
            inner(t, q, w, table_of(np.asarray(u, dtype=float).reshape(-1), m), data, index, out)

        return force

    return compile_function(law, wrap, FORCE, plain)
