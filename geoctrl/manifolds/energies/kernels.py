"""Source of kernels of a potential: value and gradient of terms that are summed in loops.

All read the configuration z (N, 3), and their numbers and indices from arrays of the run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import sqrt
from textwrap import indent
from typing import NamedTuple

import numpy as np

from geoctrl._scalars import Node
from geoctrl.stepping.compiled.compiled import Maker, source_maker
from geoctrl.stepping.compiled.forces import GRADIENT, VALUE
from geoctrl.stepping.compiled.neighbours import MEMORY, neighbours, settle
from geoctrl.stepping.compiled.writer import KernelWriter, function, statements, unpack

__all__ = ["Lines", "Loops", "potential_kernels"]

SKIN = 0.3
"""Neighbours are listed up to (1 + SKIN) cutoff, and again once a body has moved by SKIN cutoff / 2."""
BLOCK, BLOCKS = 320, 16
"""Bodies for which sums over all pairs have a block, and the most blocks: few, so that they cost little."""
ROOM = 32
"""Neighbours of a body for which a list has room whatever is expected."""


class Lines(NamedTuple):
    """Lines that add to the value ``total`` and to the gradient ``out``; whether threads may share loops."""

    value: str
    gradient: str
    shared: bool = False


class Loops:
    """Value and gradient of a small expression, as loops over what it is summed over."""

    def __init__(
        self, writer: KernelWriter, energy: Node, symbols: Sequence[Node], data: Sequence[Node]
    ) -> None:
        arguments = [*symbols, *data]
        self.value, self.value_constants = writer.program(arguments, [energy])
        self.slope, self.slope_constants = writer.program(
            arguments, writer.graph.gradient(energy, list(symbols))
        )

    def loop_lines(self, writer: KernelWriter, first: np.ndarray, rows: int, c: np.ndarray | None) -> Lines:
        """Loops over instances of which the first rows (bodies, m) are given; of one there is no loop."""
        bodies, m = first.shape
        width = 0 if c is None else c.shape[1]
        row = [f"r{b}" for b in range(bodies)]
        if m == 1:
            place = "".join(f"r{b} = {first[b, 0]}\n" for b in range(bodies))
        else:
            at = writer.indices(first.T)
            place = "".join(f"r{b} = index[{at} + {bodies} * i + {b}]\n" for b in range(bodies))
        start = 0 if c is None else writer.numbers(c)
        data = [f"data[{start} + {width} * {'i' if m > 1 else 0} + {j}]" for j in range(width)]
        entries = [f"[{r} + {i}, {k}]" for r in row for i in range(rows) for k in range(3)]
        load = place + unpack([*(f"z{e}" for e in entries), *data])
        value = load + statements(self.value) + f"total += {self.value.results[0]}\n"
        slope = load + statements(self.slope)
        slope += "".join(f"out{e} += {r}\n" for e, r in zip(entries, self.slope.results, strict=True))
        if m > 1:
            value, slope = (f"for i in range({m}):\n" + indent(lines, "    ") for lines in (value, slope))
        return Lines(self.value_constants + value, self.slope_constants + slope)

    def all_pairs(self, writer: KernelWriter, first: np.ndarray, rows: int) -> Lines:
        """Half loops over all pairs, on separate arrays of the entries so that the inner loop vectorises.

        The bodies a of pairs a < b are divided into blocks of about as many pairs, each with sums of its own,
        that threads may share. There are as many as the number of bodies says: so the sums are the same to
        the last digit for any number of threads.
        """
        n, width = len(first), 3 * rows
        gather, scatter = _columns(writer, first, rows)
        blocks = min(max(1, n // BLOCK), BLOCKS)
        edges = [round(n * (1 - sqrt(1 - k / blocks))) for k in range(blocks + 1)]
        head = f"for k in prange({blocks}):\n"
        load = f"first, last = {tuple(edges[:-1])}[k], {tuple(edges[1:])}[k]\n"
        load += "".join(f"q{j} = q[{j}]\n" for j in range(width))
        # From 0 on: numba allows for negative indices where it does not see the first.
        loop = f"for a in range({n - 1}):\n    if a < first or a >= last:\n        continue\n"
        outer = unpack([f"q{j}[a]" for j in range(width)])
        pairs = f"for b in range(a + 1, {n}):\n"
        inner = "".join(f"x{j + width} = q{j}[b]\n" for j in range(width))
        results = self.slope.results
        value = inner + statements(self.value) + f"s0 += {self.value.results[0]}\n"
        value = "s0 = 0.0\n" + loop + indent(outer + pairs + indent(value, "    "), "    ") + "sums[k] = s0\n"
        slope = inner + statements(self.slope)
        slope += "".join(f"s{j} += {results[j]}\n" for j in range(width))
        slope += "".join(f"g{j}[b] += {results[j + width]}\n" for j in range(width))
        zero = "".join(f"s{j} = 0.0\n" for j in range(width))
        done = "".join(f"g{j}[a] += s{j}\n" for j in range(width))
        slope = loop + indent(outer + zero + pairs + indent(slope, "    ") + done, "    ")
        slope = "".join(f"g{j} = sums[k, {j}]\n" for j in range(width)) + slope
        return Lines(
            f"{self.value_constants}{gather}sums = np.zeros({blocks})\n{head}"
            + indent(load + value, "    ")
            + f"for k in range({blocks}):\n    total += sums[k]\n",
            f"{self.slope_constants}{gather}sums = np.zeros(({blocks}, {width}, {n}))\n{head}"
            + indent(load + slope, "    ")
            + f"for k in range({blocks}):\n"
            + indent(scatter, "    "),
            shared=True,
        )

    def near_pairs(
        self,
        writer: KernelWriter,
        first: np.ndarray,
        rows: int,
        cutoff: float,
        share: Callable[[float], float],
    ) -> Lines:
        """Loops over a list of neighbours, which lives in data and index between the calls.

        Where the list has no room for all of them, it is made piece by piece at each call.
        """
        settle()
        n, width = len(first), 3 * rows
        reach, slack = (1 + SKIN) * cutoff, SKIN * cutoff / 2
        every = n * (n - 1) // 2
        room = max(n, min(every, ROOM * n + int(2 * share(reach) * every), MEMORY))
        where, slots = writer.numbers(np.zeros(width * n)), writer.indices(np.zeros(n + 2 + room))
        row = f"r = index[{writer.indices(first)} + i]\n"
        entries = [(k, f"[r + {k // 3}, {k % 3}]") for k in range(width)]
        gather = f"q = np.empty(({n}, {width}))\nfor i in range({n}):\n"
        gather += indent(row + "".join(f"q[i, {k}] = z{e}\n" for k, e in entries), "    ")
        scatter = f"for i in range({n}):\n"
        scatter += indent(row + "".join(f"out{e} += g[i, {k}]\n" for k, e in entries), "    ")
        head = f"""begin = 0
while begin < {n}:
    first = begin
    begin = neighbours(q, data, {where}, index, {slots}, {room}, {reach!r}, {slack!r}, begin)
    for a in range(first, begin):
"""
        outer = unpack([f"q[a, {k}]" for k in range(width)])
        pairs = f"for i in range(index[{slots + 1} + a], index[{slots + 2} + a]):\n"
        inner = "b = np.uint64(index[i])\n"  # numba allows for negative indices of any other kind
        inner += "".join(f"x{k + width} = q[b, {k}]\n" for k in range(width))
        square = " + ".join(f"(x{k} - x{k + width}) ** 2" for k in range(width))
        inner += f"if {square} > {cutoff**2!r}:\n    continue\n"
        value = inner + statements(self.value) + f"total += {self.value.results[0]}\n"
        results = self.slope.results
        slope = inner + statements(self.slope)
        slope += "".join(f"s{k} += {results[k]}\n" for k in range(width))
        slope += "".join(f"g[b, {k}] += {results[k + width]}\n" for k in range(width))
        zero = "".join(f"s{k} = 0.0\n" for k in range(width))
        done = "".join(f"g[a, {k}] += s{k}\n" for k in range(width))
        return Lines(
            self.value_constants + gather + head + indent(outer + pairs + indent(value, "    "), "        "),
            f"{self.slope_constants}{gather}g = np.zeros(({n}, {width}))\n{head}"
            + indent(outer + zero + pairs + indent(slope, "    ") + done, "        ")
            + scatter,
        )


def _columns(writer: KernelWriter, first: np.ndarray, rows: int) -> tuple[str, str]:
    """Lines that gather the entries of bodies in the rows of q, and that add rows of sums[k] to ``out``."""
    n, width, at = len(first), 3 * rows, writer.indices(first)
    row, head = f"r = index[{at} + i]\n", f"for i in range({n}):\n"
    load = row + "".join(f"q[{k}, i] = z[r + {k // 3}, {k % 3}]\n" for k in range(width))
    add = row + "".join(f"out[r + {k // 3}, {k % 3}] += sums[k, {k}, i]\n" for k in range(width))
    return f"q = np.empty(({width}, {n}))\n" + head + indent(load, "    "), head + indent(add, "    ")


def potential_kernels(terms: Sequence[Lines], parallel: bool = False) -> tuple[Maker, Maker]:
    """Value and gradient (N, 3) of a sum of terms; ``parallel`` ones share blocks among threads."""
    clear = "for i in range(out.shape[0]):\n    for k in range(3):\n        out[i, k] = 0.0\n"
    value = function("value(z, data, index)", "total = 0.0\n", *(t.value for t in terms), "return total\n")
    slope = function("gradient(z, data, index, out)", clear, *(t.gradient for t in terms))
    first, second = (
        source_maker(source, name, signature, fastmath=True, parallel=parallel, neighbours=neighbours)
        for source, name, signature in ((value, "value", VALUE), (slope, "gradient", GRADIENT))
    )
    return first, second
