"""Values and magnitudes of nodes at many members at once: symbols are numbers, or arrays (N,)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from geoctrl._scalars.arithmetic.arithmetics import ARRAY
from geoctrl._scalars.arithmetic.magnitude_rules import is_multiple, magnitude, moving_parts
from geoctrl._scalars.graph.graph import Node

__all__ = ["member_magnitudes"]

Pair = tuple[Any, Any]
"""A value and its magnitude."""


def member_magnitudes(
    nodes: Sequence[Node], values: Mapping[Node, Any], count: int
) -> tuple[np.ndarray, np.ndarray]:
    """Values (k, count) of nodes and their magnitudes, as `geoctrl._scalars.arithmetic.magnitudes` has them.

    A singular member has infinite values, or none (nan).
    """
    shape = (len(nodes), count)
    found, sizes = np.empty(shape), np.empty(shape)
    if not nodes:
        return found, sizes
    at: dict[Node, Pair] = {}
    with np.errstate(all="ignore"):
        for node in nodes[0].graph.reachable(nodes):
            at[node] = _RULES[node.kind](node, at, values)
    for k, node in enumerate(nodes):
        found[k], sizes[k] = at[node]
    return found, sizes


def _of_number(node: Node, _at: Mapping[Node, Pair], _values: Mapping[Node, Any]) -> Pair:
    value = float(node.payload)
    return value, abs(value)


def _of_symbol(node: Node, _at: Mapping[Node, Pair], values: Mapping[Node, Any]) -> Pair:
    value = values[node]
    return value, abs(value)


def _of_sum(node: Node, at: Mapping[Node, Pair], _values: Mapping[Node, Any]) -> Pair:
    value, size = 0.0, 0.0
    for (c, m), (c_moves, m_moves) in zip(node.payload, moving_parts(node), strict=True):
        (a, of_a), (b, of_b) = at[c], at[m]
        value = value + a * b
        size = size + (of_a * abs(b) if c_moves else 0.0) + (abs(a) * of_b if m_moves else 0.0)
    return value, size


def _of_product(node: Node, at: Mapping[Node, Pair], _values: Mapping[Node, Any]) -> Pair:
    number, items = node.payload
    value: Any = float(number)
    size: Any = 0.0 if is_multiple(node) else abs(value)
    for atom, e in items:
        a, of_a = (np.asarray(part, dtype=float) for part in at[atom])
        power = a ** float(e)
        change = of_a if e == 1 else abs(e * a ** float(e - 1)) * of_a
        size = size * abs(power) + abs(value) * change
        value = value * power
    return value, size


def _of_function(node: Node, at: Mapping[Node, Pair], _values: Mapping[Node, Any]) -> Pair:
    name, args = node.payload
    given = [tuple(np.asarray(part, dtype=float) for part in at[a]) for a in args]
    value = ARRAY.functions[name](*(a for a, _ in given))
    return value, magnitude(name, value, [a for a, _ in given], [size for _, size in given], ARRAY.functions)


_RULES: Mapping[str, Any] = {
    "num": _of_number,
    "sym": _of_symbol,
    "sum": _of_sum,
    "prod": _of_product,
    "fun": _of_function,
}
