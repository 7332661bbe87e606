"""From a description on spheres to compiled kernels: potential, gradient, inertia."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import indent

import numpy as np
from numba import void

from geoctrl._scalars import Node
from geoctrl.stepping.compiled import Kernel, compile_source
from geoctrl.stepping.forces import GRADIENT, VALUE
from geoctrl.stepping.writer import (
    ARRAY,
    INDEX,
    MATRIX,
    KernelWriter,
    components,
    function,
    matrix_kernel,
    statements,
    unpack,
)

__all__ = ["MASS", "SLOPE", "Sum", "mass_kernels", "potential_kernels"]

MASS = void(MATRIX, ARRAY, INDEX, MATRIX)
SLOPE = void(MATRIX, MATRIX, ARRAY, INDEX, MATRIX)

SKIN = 0.3
"""Neighbours are listed up to (1 + SKIN) cutoff, and again once a body has moved by SKIN cutoff / 2."""


class Sum:
    """Value and gradient of one term of the potential, as loops over what it is summed over."""

    def __init__(
        self, writer: KernelWriter, energy: Node, vectors: Sequence[Sequence[Node]], data: Sequence[Node]
    ) -> None:
        graph = writer.graph
        q = [node for v in vectors for node in v]
        self.value, self.value_constants = writer.program([*q, *data], [energy])
        self.slope, self.slope_constants = writer.program([*q, *data], graph.gradient(energy, q))

    def names(self, bodies: Sequence[str], row: str, width: int, place: int) -> str:
        """Lines that load the arguments: components of the bodies named, then the row of data."""
        data = [f"data[{place} + {width} * {row} + {j}]" for j in range(width)]
        return unpack([*(f"q[{b}, {k}]" for b in bodies for k in range(3)), *data])

    def sites(self, n: int, width: int, place: int) -> tuple[str, str]:
        """Loops over all bodies: lines for the value and for the gradient."""
        load = self.names(["i"], "i", width, place)
        return self._loops(f"for i in range({n}):\n", load, ["i"])

    def listed(self, count: int, pairs: int, width: int, place: int) -> tuple[str, str]:
        """Loops over given pairs."""
        load = f"a = index[{pairs} + 2 * i]\nb = index[{pairs} + 2 * i + 1]\n"
        load += self.names(["a", "b"], "i", width, place)
        return self._loops(f"for i in range({count}):\n", load, ["a", "b"])

    def whole(self, n: int) -> tuple[str, str]:
        """No loop: one expression in all components."""
        load = unpack(components("q", n))
        value = self.value_constants + load + statements(self.value) + f"total += {self.value.results[0]}\n"
        stores = "".join(f"out[{i // 3}, {i % 3}] += {r}\n" for i, r in enumerate(self.slope.results))
        return value, self.slope_constants + load + statements(self.slope) + stores

    def _loops(self, head: str, load: str, bodies: Sequence[str]) -> tuple[str, str]:
        places = [f"out[{b}, {k}]" for b in bodies for k in range(3)]
        add = "".join(f"{p} += {r}\n" for p, r in zip(places, self.slope.results, strict=True))
        value = load + statements(self.value) + f"total += {self.value.results[0]}\n"
        slope = load + statements(self.slope) + add
        return (
            self.value_constants + head + indent(value, "    "),
            self.slope_constants + head + indent(slope, "    "),
        )

    def all_pairs(self, n: int) -> tuple[str, str]:
        """Half loops over all pairs, on separate arrays of x, y and z so that the inner loop vectorises."""
        columns = "".join(f"q{k} = q[:, {k}].copy()\n" for k in range(3))
        outer = unpack([f"q{k}[a]" for k in range(3)])
        inner = "".join(f"x{k + 3} = q{k}[b]\n" for k in range(3))
        value = inner + statements(self.value) + f"total += {self.value.results[0]}\n"
        results = self.slope.results
        slope = inner + statements(self.slope)
        slope += "".join(f"s{k} += {results[k]}\n" for k in range(3))
        slope += "".join(f"g{k}[b] += {results[k + 3]}\n" for k in range(3))
        zero = "".join(f"s{k} = 0.0\n" for k in range(3))
        done = "".join(f"g{k}[a] += s{k}\n" for k in range(3))
        rows = f"for a in range({n - 1}):\n"
        loop = f"for b in range(a + 1, {n}):\n"
        sums = "".join(f"g{k} = np.zeros({n})\n" for k in range(3))
        out = f"for a in range({n}):\n" + "".join(f"    out[a, {k}] += g{k}[a]\n" for k in range(3))
        half_value = outer + loop + indent(value, "    ")
        half_slope = outer + zero + loop + indent(slope, "    ") + done
        return (
            self.value_constants + columns + rows + indent(half_value, "    "),
            self.slope_constants + columns + sums + rows + indent(half_slope, "    ") + out,
        )

    def near_pairs(self, writer: KernelWriter, n: int, cutoff: float) -> tuple[str, str]:
        """Loops over a list of neighbours, renewed when one has moved too far; the list lives in the data."""
        where = writer.numbers(np.full((n, 3), 1e9))  # the directions at the last listing: none yet
        count = writer.indices(np.zeros(1))
        listed = writer.indices(np.zeros(n * (n - 1)))
        reach, slack = (1 + SKIN) * cutoff, SKIN * cutoff / 2
        renew = f"""moved = 0.0
for i in range({n}):
    d2 = 0.0
    for k in range(3):
        d2 += (q[i, k] - data[{where} + 3 * i + k]) ** 2
    moved = max(moved, d2)
if moved > {slack**2!r}:
    m = 0
    for a in range({n}):
        for k in range(3):
            data[{where} + 3 * a + k] = q[a, k]
        for b in range(a + 1, {n}):
            d2 = (q[a, 0] - q[b, 0]) ** 2 + (q[a, 1] - q[b, 1]) ** 2 + (q[a, 2] - q[b, 2]) ** 2
            if d2 < {reach**2!r}:
                index[{listed} + 2 * m] = a
                index[{listed} + 2 * m + 1] = b
                m += 1
    index[{count}] = m
"""
        load = f"a = index[{listed} + 2 * i]\nb = index[{listed} + 2 * i + 1]\n"
        load += self.names(["a", "b"], "i", 0, 0)
        near = f"if (x0 - x3) ** 2 + (x1 - x4) ** 2 + (x2 - x5) ** 2 > {cutoff**2!r}:\n    continue\n"
        value, slope = self._loops(f"for i in range(index[{count}]):\n", load + near, ["a", "b"])
        return renew + value, renew + slope


def potential_kernels(parts: Sequence[tuple[str, str]]) -> tuple[Kernel, Kernel]:
    """Value and gradient of a sum of terms."""
    clear = "for i in range(out.shape[0]):\n    for k in range(3):\n        out[i, k] = 0.0\n"
    value = function("value(q, data, index)", "total = 0.0\n", *(v for v, _ in parts), "return total\n")
    slope = function("gradient(q, data, index, out)", clear, *(s for _, s in parts))
    return (
        compile_source(value, "value", VALUE, fastmath=True),
        compile_source(slope, "gradient", GRADIENT, fastmath=True),
    )


def mass_kernels(
    writer: KernelWriter, mass: Sequence[Sequence[Node]], q: Sequence[Node]
) -> tuple[Kernel, ...]:
    r"""Kernels of an inertia that depends on q.

    ``mass``: m(q). ``mass_gradient(q, gram)``:
    :math:`\tfrac12 \sum_{kl} \partial m_{kl}/\partial q_i\, g_{kl}`.
    ``mass_rate(q, v)``: :math:`\mathrm{D} m(q)\, v`.
    """
    graph, n = writer.graph, len(mass)
    gram = [writer.symbols([f"gram{i}_{j}" for j in range(n)]) for i in range(n)]
    v = writer.symbols([f"rate{i}" for i in range(3 * n)])
    places = list(zip(q, components("q", n), strict=True))
    entries = [m for row in mass for m in row]
    half = graph.add([m * g for m, g in zip(entries, (g for row in gram for g in row), strict=True)]) / 2
    slope = graph.gradient(half, list(q))
    rate = graph.push_forward(entries, dict(zip(q, v, strict=True)))
    squares = [(g, f"gram[{i}, {j}]") for i, row in enumerate(gram) for j, g in enumerate(row)]
    table = [rate[n * i : n * i + n] for i in range(n)]
    triples = [slope[3 * i : 3 * i + 3] for i in range(n)]
    moving = list(zip(v, components("v", n), strict=True))
    sources = {
        "mass": (matrix_kernel(writer, places, mass, "mass(q, data, index, out)"), MASS),
        "mass_gradient": (
            matrix_kernel(writer, [*places, *squares], triples, "mass_gradient(q, gram, data, index, out)"),
            SLOPE,
        ),
        "mass_rate": (
            matrix_kernel(writer, [*places, *moving], table, "mass_rate(q, v, data, index, out)"),
            SLOPE,
        ),
    }
    return tuple(compile_source(source, name, signature) for name, (source, signature) in sources.items())
