"""An inertia on spheres and its derivatives, by kernels of its own: what the oracles on spheres ask for."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
from numba import void

from geoctrl._scalars import Node
from geoctrl.spheres.mass import mass_expression, mass_of
from geoctrl.stepping.compiled.compiled import Kernel, compile_source
from geoctrl.stepping.compiled.writer import (
    ARRAY,
    INDEX,
    MATRIX,
    KernelWriter,
    components,
    matrix_kernel,
)

__all__ = ["MASS", "SLOPE", "Inertia", "mass_kernels"]

MASS = void(MATRIX, ARRAY, INDEX, MATRIX)
SLOPE = void(MATRIX, MATRIX, ARRAY, INDEX, MATRIX)


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


class Inertia:
    """The inertia of a run on spheres: its values, slope and rate."""

    def __init__(self, run, writer=None):
        self.varies, self.kernels = run.system.inertia_varies, None
        self.M = None if self.varies else mass_of(*run.system.inertia_at(run.params))
        if self.varies:
            writer, self.kernels = kernels_of(run.system, writer)
            self.data, self.index = writer.fill(run.params)

    def at(self, q):
        """m(q), (n, n)."""
        if not self.varies:
            return self.M
        out = np.zeros((len(q), len(q)))
        self.kernels[0](q, self.data, self.index, out)
        return out

    def slope(self, q, gram):
        """Half the sum over jk of dm_jk/dq_i gram_jk, (n, 3)."""
        out = np.zeros_like(q)
        if self.varies:
            self.kernels[1](q, gram, self.data, self.index, out)
        return out

    def rate(self, q, v):
        """Rate (n, n) as q moves with velocities v."""
        out = np.zeros((len(q), len(q)))
        if self.varies:
            self.kernels[2](q, v, self.data, self.index, out)
        return out


@cache
def kernels_of(system, writer):
    """Kernels of the inertia of a description, and what fills in their numbers, a new one without any."""
    entries = mass_expression(system.own_arguments["mass"]).tolist()
    nodes = [[system.to_node(e) for e in row] for row in entries]
    writer = writer or KernelWriter(system.graph, system.parameter_nodes)
    return writer, mass_kernels(writer, nodes, system.configuration_nodes)
