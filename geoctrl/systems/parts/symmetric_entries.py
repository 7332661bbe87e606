"""Whether an inertia is symmetric, at random numbers modulo a prime: multiplying out takes long."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import sympy as sp

from geoctrl._scalars import FLOAT, STATE, FromSympy, Graph, evaluate
from geoctrl._scalars.arithmetic.residues import RandomFunctions, Residues, residues_of
from geoctrl.errors import DescriptionError, GeoctrlError

__all__ = ["require_symmetric"]

_POINTS = 3
_CLEARLY = 1e-6
"""Difference of two doubles, in units of their sizes, that is no rounding."""


def require_symmetric(inertia: sp.ImmutableMatrix) -> None:
    """Refuse an inertia that is not symmetric, with the entries; DescriptionError.

    Entries are tested at random residues, in doubles beside for multiples of the prime; what differs there is
    multiplied out, and named if it does not vanish. No certificate rests on it: one half enters the file.
    """
    cells = [(i, j) for i in range(inertia.rows) for j in range(i) if inertia[i, j] != inertia[j, i]]
    same = are_same([inertia[i, j] for i, j in cells], [inertia[j, i] for i, j in cells])
    for (i, j), equal in zip(cells, same, strict=True):
        if not equal and sp.expand(inertia[i, j] - inertia[j, i]) != 0:
            raise DescriptionError(
                f"inertia must be symmetric, but entry ({i + 1}, {j + 1}) is {inertia[i, j]} "
                f"and ({j + 1}, {i + 1}) is {inertia[j, i]}"
            )


def are_same(first: Sequence[sp.Expr], second: Sequence[sp.Expr]) -> list[bool]:
    """Which expressions are equal to others at random points; none where they have no residues."""
    graph, rng = Graph(), np.random.default_rng(31)
    symbols = sorted(set().union(*(e.free_symbols for e in (*first, *second))), key=str)
    nodes = {s: graph.symbol(f"{k} {s}", STATE) for k, s in enumerate(symbols)}
    try:
        convert = FromSympy(graph, nodes)
        pairs = [(convert(a), convert(b)) for a, b in zip(first, second, strict=True)]
        functions = RandomFunctions(rng, _POINTS)
        drawn = {node: Residues.draw(rng, (_POINTS,)) for node in nodes.values()}
        zero = residues_of([a - b for a, b in pairs], drawn, functions)
        real = {node: float(rng.uniform(0.5, 1.5)) for node in nodes.values()}
        values = evaluate([node for pair in pairs for node in pair], real, FLOAT)
    except (GeoctrlError, ArithmeticError, ValueError, OverflowError):
        return [False] * len(first)
    near = [
        abs(a - b) <= _CLEARLY * (abs(a) + abs(b)) for a, b in zip(values[::2], values[1::2], strict=True)
    ]
    return [not r.values.any() and close for r, close in zip(zero, near, strict=True)]
