"""Whether expressions are the same, at random numbers modulo a prime: multiplying out takes long."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import sympy as sp

from geoctrl._scalars.arithmetic.arithmetics import FLOAT, evaluate
from geoctrl._scalars.arithmetic.residues import RandomFunctions, Residues, residues_of
from geoctrl._scalars.graph.graph import STATE, Graph
from geoctrl._scalars.text.sympy_bridge import FromSympy
from geoctrl.errors import GeoctrlError

__all__ = ["are_same"]

_POINTS = 3
_CLEARLY = 1e-6
"""Difference of two doubles, in units of their sizes, that is no rounding."""


def are_same(first: Sequence[sp.Expr], second: Sequence[sp.Expr]) -> list[bool]:
    """Which expressions are equal to others at random residues, and in doubles, which see multiples of the
    prime; none where they have no residues.
    """
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
