"""Symmetric matrices of gains: their entries by name, and draws of them that are definite."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import sympy as sp

from geoctrl._scalars import exact
from geoctrl.errors import MatchingError
from geoctrl.synthesis.shaping import Gain
from geoctrl.systems import Parameter

__all__ = ["drawn_definite", "entries_of", "matrix_of", "require_invertible"]


def _places(count: int) -> list[tuple[int, int]]:
    """On and above the diagonal, row by row."""
    return [(a, b) for a in range(count) for b in range(a, count)]


def _name(stem: str, a: int, b: int, count: int) -> str:
    return stem if count == 1 else f"{stem}{a + 1}{b + 1}"


def entries_of(gain: Gain, count: int, diagonal: bool) -> list[Gain]:
    """Entries of a symmetric count x count matrix as gains: Lambda11, Lambda12, Lambda22, ..."""
    return [
        Gain(
            _name(gain.name, a, b, count),
            gain.unit,
            gain.description if count == 1 else f"entry {a + 1}, {b + 1} of {gain.name}: {gain.description}",
        )
        for a, b in _places(count)
        if a == b or not diagonal
    ]


def matrix_of(stem: str, values: Mapping[str, sp.Expr], count: int) -> sp.Matrix:
    """The symmetric matrix of entries given by name; others are zero."""
    return sp.Matrix(
        count, count, lambda a, b: values.get(_name(stem, min(a, b), max(a, b), count), sp.S.Zero)
    )


def require_invertible(name: str, matrix: sp.Matrix, parameters: Sequence[Parameter]) -> None:
    """MatchingError for a matrix that is singular at the numbers of its entries, where all have one."""
    known = {p.symbol: exact(p.default) for p in parameters if p.default is not None}
    numbers = {symbol: sp.Rational(q.numerator, q.denominator) for symbol, q in known.items()}
    if matrix.free_symbols <= numbers.keys() and matrix.subs(numbers).det() == 0:
        raise MatchingError(
            f"{name} must be invertible, got {matrix.subs(numbers).evalf(6).tolist()}: it is an inertia of "
            "the actuated directions; take other entries"
        )


def drawn_definite(rng: np.random.Generator, draws: int, sizes: Sequence[int], decades: float) -> np.ndarray:
    """Rows of entries of symmetric matrices, each of one sign, positive or negative.

    Products of a triangle with its transpose: eigenvalues within so many decades either way from one,
    all directions. Independent entries would hardly ever make a definite matrix.

    Parameters
    ----------
    sizes : of the matrices that follow one another in a row
    """
    blocks = []
    for count in sizes:
        scale = 10.0 ** rng.uniform(-decades, decades, (draws, 1, 1))
        ratio = 10.0 ** rng.uniform(-0.5, 0.5, (draws, 1, count))
        turned = np.linalg.qr(rng.normal(size=(draws, count, count)))[0]
        sign = rng.choice([-1.0, 1.0], (draws, 1, 1))
        matrices = sign * scale * (turned * ratio) @ turned.transpose(0, 2, 1)
        blocks += [matrices[:, a, b] for a, b in _places(count)]
    return np.stack(blocks, axis=1)
