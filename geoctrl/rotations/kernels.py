"""Compiled kernels of linear terms on rotations.

Attitudes are passed as one matrix (3n, 3), the rows of R_1, then those of R_2, ...
"""

from __future__ import annotations

from collections.abc import Sequence

from geoctrl._scalars import Node
from geoctrl.stepping.compiled import Kernel, compile_source
from geoctrl.stepping.variational import SLOPE
from geoctrl.stepping.writer import KernelWriter, components, matrix_kernel

__all__ = ["linear_kernels"]


def linear_kernels(writer: KernelWriter, a: Sequence[Node], R: Sequence[Node]) -> tuple[Kernel, Kernel]:
    r"""Kernels of the linear terms :math:`a_i(R) \cdot \Omega_i` (`geoctrl.stepping.apart`).

    ``kinetic(R, V)``: a (n, 3) and, below, its rate :math:`\mathrm{D} a(R)\, V`. ``curvature(R, s)``:
    :math:`\partial \sum a_i \cdot s_i / \partial R`, (3n, 3).
    """
    graph, n = writer.graph, len(a) // 3
    s, V = (
        writer.symbols([f"{name}{i}" for i in range(size)]) for name, size in (("s", 3 * n), ("V", 9 * n))
    )
    places = list(zip(R, components("R", 3 * n), strict=True))
    pairing = graph.add([x * y for x, y in zip(a, s, strict=True)])
    moving, along = zip(V, components("V", 3 * n), strict=True), zip(s, components("s", n), strict=True)
    both = [*a, *graph.push_forward(list(a), dict(zip(R, V, strict=True)))]
    slope = graph.gradient(pairing, list(R))
    sources = {
        "kinetic": matrix_kernel(
            writer, [*places, *moving], _triples(both), "kinetic(R, V, data, index, out)"
        ),
        "curvature": matrix_kernel(
            writer, [*places, *along], _triples(slope), "curvature(R, s, data, index, out)"
        ),
    }
    kinetic, curvature = (compile_source(source, name, SLOPE) for name, source in sources.items())
    return kinetic, curvature


def _triples(nodes: Sequence[Node]) -> list[Sequence[Node]]:
    return [nodes[i : i + 3] for i in range(0, len(nodes), 3)]
