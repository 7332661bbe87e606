"""Kernels of a kinetic energy K(z, u) that is an expression, as `geoctrl.stepping.coupled` calls them."""

from __future__ import annotations

from collections.abc import Sequence

from geoctrl._scalars import Node
from geoctrl.stepping.compiled import Kernel, compile_source
from geoctrl.stepping.variational import SLOPE
from geoctrl.stepping.writer import KernelWriter, components, matrix_kernel

__all__ = ["kinetic_kernels"]


def kinetic_kernels(
    writer: KernelWriter, energy: Node, z: Sequence[Node], u: Sequence[Node]
) -> tuple[Kernel, Kernel]:
    """``kinetic`` and ``curvature`` of an energy in the components of z and u (N, 3) each.

    ``kinetic(z, u)``, (2N, 3), are the slopes by z and, below, by u. ``curvature(x, y)`` is how they change,
    x (2N, 3) being z and below it its change, y the same of u: one such change costs a small multiple of the
    energy, whatever the number of bodies.
    """
    graph, rows = writer.graph, len(z) // 3
    dz, du = (writer.symbols([f"{name}{i}" for i in range(3 * rows)]) for name in ("zchange", "uchange"))
    slopes = graph.gradient(energy, [*z, *u])
    changes = graph.push_forward(slopes, dict(zip([*z, *u], [*dz, *du], strict=True)))
    sources = {}
    for name, nodes, places in (("kinetic", (*z, *u), rows), ("curvature", (*z, *dz, *u, *du), 2 * rows)):
        names = [*components("z", places), *components("u", places)]
        outputs = slopes if name == "kinetic" else changes
        triples = [outputs[i : i + 3] for i in range(0, len(outputs), 3)]
        head = f"{name}(z, u, data, index, out)"
        sources[name] = matrix_kernel(writer, list(zip(nodes, names, strict=True)), triples, head)
    kinetic, curvature = (compile_source(source, name, SLOPE) for name, source in sources.items())
    return kinetic, curvature
