"""Source of kernels of a potential: value and gradient of terms that are summed in loops.

All read the configuration z (N, 3), and their numbers and indices from arrays of the run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from textwrap import indent
from typing import NamedTuple

import numpy as np

from geoctrl._scalars import Node
from geoctrl.stepping.compiled import Kernel, compile_source
from geoctrl.stepping.forces import GRADIENT, VALUE
from geoctrl.stepping.neighbours import MEMORY, neighbours, settle
from geoctrl.stepping.writer import KernelWriter, function, statements, unpack

__all__ = ["Lines", "Loops", "potential_kernels"]

SKIN = 0.3
"""Neighbours are listed up to (1 + SKIN) cutoff, and again once a body has moved by SKIN cutoff / 2."""
ROOM = 32
"""Neighbours of a body for which a list has room whatever is expected."""


class Lines(NamedTuple):
    """Lines that add to the value ``total``, and to the gradient ``out``."""

    value: str
    gradient: str


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

    def listed(self, writer: KernelWriter, first: np.ndarray, rows: int, c: np.ndarray | None) -> Lines:
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
        add = "".join(f"out{e} += {r}\n" for e, r in zip(entries, self.slope.results, strict=True))
        loop = "" if m == 1 else f"for i in range({m}):\n"
        return self._lines("", loop, load, add)

    def all_pairs(self, writer: KernelWriter, first: np.ndarray, rows: int) -> Lines:
        """Half loops over all pairs, on separate arrays of the entries so that the inner loop vectorises."""
        n, width = len(first), 3 * rows
        gather, scatter = _columns(writer, first, rows)
        outer = unpack([f"q{k}[a]" for k in range(width)])
        inner = "".join(f"x{k + width} = q{k}[b]\n" for k in range(width))
        results = self.slope.results
        value = inner + statements(self.value) + f"total += {self.value.results[0]}\n"
        slope = inner + statements(self.slope)
        slope += "".join(f"s{k} += {results[k]}\n" for k in range(width))
        slope += "".join(f"g{k}[b] += {results[k + width]}\n" for k in range(width))
        zero = "".join(f"s{k} = 0.0\n" for k in range(width))
        done = "".join(f"g{k}[a] += s{k}\n" for k in range(width))
        sums = "".join(f"g{k} = np.zeros({n})\n" for k in range(width))
        head, loop = f"for a in range({n - 1}):\n", f"for b in range(a + 1, {n}):\n"
        return Lines(
            self.value_constants + gather + head + indent(outer + loop + indent(value, "    "), "    "),
            self.slope_constants
            + gather
            + sums
            + head
            + indent(outer + zero + loop + indent(slope, "    ") + done, "    ")
            + scatter,
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
        pairs = n * (n - 1) // 2
        room = max(n, min(pairs, ROOM * n + int(2 * share(reach) * pairs), MEMORY))
        where, slots = writer.numbers(np.zeros(width * n)), writer.indices(np.zeros(2 + 2 * room))
        gather = f"q = np.empty(({n}, {width}))\nfor i in range({n}):\n" + indent(
            f"r = index[{writer.indices(first)} + i]\n"
            + "".join(f"q[i, {k}] = z[r + {k // 3}, {k % 3}]\n" for k in range(width)),
            "    ",
        )
        head = f"""begin = 0
while begin < {n}:
    begin = neighbours(q, data, {where}, index, {slots}, {room}, {reach!r}, {slack!r}, begin)
    for i in range(index[{slots}]):
"""
        load = f"a, b = index[{slots + 2} + 2 * i], index[{slots + 3} + 2 * i]\n"
        load += unpack([f"q[{body}, {k}]" for body in "ab" for k in range(width)])
        square = " + ".join(f"(x{k} - x{k + width}) ** 2" for k in range(width))
        load += f"if {square} > {cutoff**2!r}:\n    continue\n"
        row = writer.indices(first)
        load_rows = f"ra, rb = index[{row} + a], index[{row} + b]\n"
        entries = [f"[r{body} + {k // 3}, {k % 3}]" for body in "ab" for k in range(width)]
        add = "".join(f"out{e} += {r}\n" for e, r in zip(entries, self.slope.results, strict=True))
        return self._lines(gather, head, load, load_rows + add, "        ")

    def _lines(self, before: str, loop: str, load: str, add: str, by: str = "    ") -> Lines:
        """Constants, what goes ``before``, and the ``loop`` with what is in it."""
        value = load + statements(self.value) + f"total += {self.value.results[0]}\n"
        slope = load + statements(self.slope) + add
        within = (lambda text: indent(text, by)) if loop else (lambda text: text)
        return Lines(
            self.value_constants + before + loop + within(value),
            self.slope_constants + before + loop + within(slope),
        )


def _columns(writer: KernelWriter, first: np.ndarray, rows: int) -> tuple[str, str]:
    """Lines that gather the entries of bodies in arrays q0, q1, ..., and that add g0, g1, ... to ``out``."""
    n, width = len(first), 3 * rows
    row = f"r = index[{writer.indices(first)} + i]\n"
    load = row + "".join(f"q{k}[i] = z[r + {k // 3}, {k % 3}]\n" for k in range(width))
    add = row + "".join(f"out[r + {k // 3}, {k % 3}] += g{k}[i]\n" for k in range(width))
    head = f"for i in range({n}):\n"
    empty = "".join(f"q{k} = np.empty({n})\n" for k in range(width))
    return empty + head + indent(load, "    "), head + indent(add, "    ")


def potential_kernels(terms: Sequence[Lines]) -> tuple[Kernel, Kernel]:
    """Value and gradient (N, 3) of a sum of terms."""
    clear = "for i in range(out.shape[0]):\n    for k in range(3):\n        out[i, k] = 0.0\n"
    value = function("value(z, data, index)", "total = 0.0\n", *(t.value for t in terms), "return total\n")
    gradient = function("gradient(z, data, index, out)", clear, *(t.gradient for t in terms))
    return (
        compile_source(value, "value", VALUE, fastmath=True, neighbours=neighbours),
        compile_source(gradient, "gradient", GRADIENT, fastmath=True, neighbours=neighbours),
    )
