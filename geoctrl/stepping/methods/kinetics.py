"""Kernels of a kinetic energy K(z, u) that is an expression, called by `geoctrl.stepping.solvers.coupled`.

Their numbers have places in the writer at once; they are compiled when first asked for.
"""

from __future__ import annotations

from collections.abc import Sequence

from geoctrl._scalars import Node
from geoctrl.stepping.compiled.compiled import Maker, source_maker
from geoctrl.stepping.compiled.writer import KernelWriter, components, matrix_kernel
from geoctrl.stepping.methods.variational import SLOPE

__all__ = ["kinetic_kernels", "linear_kernels"]


def kinetic_kernels(
    writer: KernelWriter, energy: Node, z: Sequence[Node], u: Sequence[Node]
) -> tuple[Maker, Maker]:
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
    kinetic, curvature = (source_maker(source, name, SLOPE) for name, source in sources.items())
    return kinetic, curvature


def linear_kernels(writer: KernelWriter, a: Sequence[Node], z: Sequence[Node]) -> tuple[Maker, Maker]:
    r"""Kernels of linear terms :math:`a_b(z) \cdot w_b` of n bodies, for `geoctrl.stepping.solvers.apart`.

    ``kinetic(z, v)``: a (n, 3) and, below, its rate :math:`\mathrm{D} a(z)\, v`. ``curvature(z, s)``:
    :math:`\partial \sum a_b \cdot s_b / \partial z`, (N, 3).
    """
    graph, n = writer.graph, len(a) // 3
    s, V = (
        writer.symbols([f"{name}{i}" for i in range(size)]) for name, size in (("s", 3 * n), ("V", len(z)))
    )
    places = list(zip(z, components("z", len(z) // 3), strict=True))
    pairing = graph.add([x * y for x, y in zip(a, s, strict=True)])
    moving, along = zip(V, components("V", len(z) // 3), strict=True), zip(s, components("s", n), strict=True)
    both = [*a, *graph.push_forward(list(a), dict(zip(z, V, strict=True)))]
    slope = graph.gradient(pairing, list(z))
    sources = {
        "kinetic": matrix_kernel(
            writer, [*places, *moving], _triples(both), "kinetic(z, V, data, index, out)"
        ),
        "curvature": matrix_kernel(
            writer, [*places, *along], _triples(slope), "curvature(z, s, data, index, out)"
        ),
    }
    kinetic, curvature = (source_maker(source, name, SLOPE) for name, source in sources.items())
    return kinetic, curvature


def _triples(nodes: Sequence[Node]) -> list[Sequence[Node]]:
    return [nodes[i : i + 3] for i in range(0, len(nodes), 3)]
