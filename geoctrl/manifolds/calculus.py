"""Derivatives of expressions in vectors of symbols, for the general equations of motion."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy as sp

__all__ = ["along", "flow", "gradient", "rates"]

Vectors = Sequence[sp.Matrix]


def rates(vectors: Vectors) -> tuple[sp.Matrix, ...]:
    """Symbols of the rates of vectors: ``omega1_1_dot`` for ``omega1_1``."""
    return tuple(v.applyfunc(lambda s: sp.Symbol(f"{s}_dot", real=True)) for v in vectors)


def gradient(function: Any, v: sp.Matrix) -> sp.Matrix:
    """Derivatives of a function by the symbols of a vector or matrix."""
    return v.applyfunc(lambda s: sp.diff(function, s))


def flow(places: Vectors, speeds: Vectors) -> list[tuple[sp.Symbol, sp.Expr]]:
    """Symbols of vectors or matrices, and their rates."""
    return [pair for a, b in zip(places, speeds, strict=True) for pair in zip(a, b, strict=True)]


def along(v: sp.Matrix, motion: Sequence[tuple[sp.Symbol, sp.Expr]]) -> sp.Matrix:
    """Rate of a vector of expressions along a `flow`."""
    return v.applyfunc(lambda e: sum((sp.diff(e, s) * rate for s, rate in motion), sp.S.Zero))
