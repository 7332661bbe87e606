"""Compiled kernels of linear terms on rotations.

Attitudes are passed as one matrix (3n, 3), the rows of R_1, then those of R_2, ...
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from numba import void

from geoctrl._scalars import Node
from geoctrl.stepping.compiled import Kernel, compile_source
from geoctrl.stepping.forces import nothing
from geoctrl.stepping.writer import (
    ARRAY,
    INDEX,
    MATRIX,
    KernelWriter,
    components,
    matrix_kernel,
)

__all__ = ["COVECTOR", "SLOPE", "linear_kernels"]

COVECTOR = void(MATRIX, ARRAY, INDEX, MATRIX)
SLOPE = void(MATRIX, MATRIX, ARRAY, INDEX, MATRIX)

_HEADS = {
    "covector": ("covector(R, data, index, out)", COVECTOR),
    "slope": ("slope(R, s, data, index, out)", SLOPE),
    "rate": ("rate(R, V, data, index, out)", SLOPE),
}


@cache
def _no_linear_terms() -> dict[str, Kernel]:
    return {name: nothing(head, signature) for name, (head, signature) in _HEADS.items()}


def linear_kernels(writer: KernelWriter, a: Sequence[Node], R: Sequence[Node]) -> dict[str, Kernel]:
    r"""Kernels of the linear terms :math:`a_i(R) \cdot \Omega_i`; of zeros without any.

    ``covector``: a (n, 3). ``slope(R, s)``: :math:`\partial \sum a_i \cdot s_i / \partial R`, (3n, 3).
    ``rate(R, V)``: :math:`\mathrm{D} a(R)\, V`, (n, 3).
    """
    if not a:
        return _no_linear_terms()
    graph, n = writer.graph, len(a) // 3
    s, V = (
        writer.symbols([f"{name}{i}" for i in range(size)]) for name, size in (("s", 3 * n), ("V", 9 * n))
    )
    places = list(zip(R, components("R", 3 * n), strict=True))
    pairing = graph.add([x * y for x, y in zip(a, s, strict=True)])
    entries: dict[str, tuple[list[tuple[Node, str]], Sequence[Any]]] = {
        "covector": (places, a),
        "slope": (
            [*places, *zip(s, components("s", n), strict=True)],
            graph.gradient(pairing, list(R)),
        ),
        "rate": (
            [*places, *zip(V, components("V", 3 * n), strict=True)],
            graph.push_forward(list(a), dict(zip(R, V, strict=True))),
        ),
    }
    found = {}
    for name, (arguments, flat) in entries.items():
        head, signature = _HEADS[name]
        rows = [flat[i : i + 3] for i in range(0, len(flat), 3)]
        found[name] = compile_source(matrix_kernel(writer, arguments, rows, head), name, signature)
    return found
