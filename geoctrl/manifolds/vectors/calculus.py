"""Derivatives: of expressions in vectors of symbols, and of functions by differences; exact coefficients.

Second derivatives of the potential of a system at numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import sympy as sp

from geoctrl._scalars import exact, expression

__all__ = ["STEP", "derivative_along", "differences", "flow", "gradient", "hessian", "rates", "rational"]


def hessian(run: Any, first: np.ndarray) -> np.ndarray:
    """Ambient second derivatives of the potential by the N rows of a configuration, (3N, 3N).

    Of a function of the user's from central differences of its gradient.
    """
    system, flat = run.system, first.ravel()
    size = flat.size
    if system.computed:
        ends = [(flat + e, flat - e) for e in STEP * np.eye(size)]
        rows = [
            (run.slope(a.reshape(first.shape)) - run.slope(b.reshape(first.shape))).ravel() for a, b in ends
        ]
        H = np.array(rows) / (2 * STEP)
        return (H + H.T) / 2
    H = np.zeros((size // 3, 3, size // 3, 3))
    for term in system.potential_terms:
        term.add_second(system, flat.reshape(-1, 3), run.params, H)
    return H.reshape(size, size)


STEP = 1e-6
"""Of central differences, where there are no expressions: their error is about 1e-9 of the field."""

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


def derivative_along(v: sp.Matrix, motion: Sequence[tuple[sp.Symbol, sp.Expr]]) -> sp.Matrix:
    """Rate of a vector of expressions along a `flow`."""
    return v.applyfunc(lambda e: sum((sp.diff(e, s) * rate for s, rate in motion), sp.S.Zero))


def rational(value: Any) -> Any:
    """Floats in an expression or matrix as the rationals they are."""
    if not isinstance(value, sp.Basic | sp.MatrixBase):
        value = expression(value, "the value")
    return value.xreplace({f: sp.Rational(exact(f)) for f in value.atoms(sp.Float)})


def differences(
    function: Callable[[np.ndarray, np.ndarray], np.ndarray], x: np.ndarray, u: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Derivatives of ``function(x, u)``, an array, by x and by u: central differences."""
    A = [(function(x + e, u) - function(x - e, u)).ravel() for e in STEP * np.eye(x.size)]
    B = [(function(x, u + e) - function(x, u - e)).ravel() for e in STEP * np.eye(u.size)]
    return np.array(A).T / (2 * STEP), np.array(B).reshape(u.size, A[0].size).T / (2 * STEP)
