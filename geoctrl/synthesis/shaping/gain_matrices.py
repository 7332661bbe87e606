"""Symmetric matrices of gains: their entries by name, as a user gives them, and draws that are definite."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import sympy as sp

from geoctrl._checks import nearest
from geoctrl._scalars import exact, plain, read_matrix, shown
from geoctrl.errors import MatchingError
from geoctrl.synthesis.shaping.matching_class import Gain, Shaping
from geoctrl.systems import Parameter

__all__ = ["by_entry", "drawn_definite", "entries_of", "matrix_of", "multiples_of_one", "require_invertible"]

_ROUNDING = 1e-12
"""Difference of numbers that face one another, relative to the largest entry, that counts as rounding."""


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


def by_entry(shaping: Shaping, given: Mapping[str, Any]) -> dict[str, Any]:
    """Gains by the names of the class, with those given as whole matrices taken apart.

    Numbers that face one another may differ by rounding, 1e-12 of the largest entry; their mean is taken.
    """
    known, matrices = [g.name for g in shaping.gains], shaping.matrices
    found: dict[str, Any] = {}
    for name, value in given.items():
        if name in matrices and not (name in known and _dimensions(value) == 0):
            found |= _taken_apart(name, matrices[name], value, given)
        elif name in known:
            found[name] = value
        else:
            whole = [stem for stem in matrices if stem not in known]
            also = f", or whole: {', '.join(whole)}" if whole else ""
            raise MatchingError(
                f"no gain {name!r}{nearest(name, [*known, *whole])}; the gains are {', '.join(known)}{also}"
            )
    return found


def _dimensions(value: Any) -> int | None:
    """0, 1 or 2 of what is a number, a list or a matrix; None for rows of different lengths."""
    try:
        return np.ndim(value)
    except ValueError:
        return None


def _taken_apart(
    name: str, places: sp.ImmutableMatrix, value: Any, given: Mapping[str, Any]
) -> dict[str, Any]:
    """Entries by name of a matrix given for symbols in their places."""
    count = places.rows
    wanted = f"{name} must be a symmetric {count} x {count} matrix, as lists, an array or of sympy"
    if _dimensions(value) != 2:
        raise MatchingError(f"{wanted}; got {shown(value)}")
    matrix = read_matrix(name, value, MatchingError)
    if matrix.shape != places.shape:
        raise MatchingError(f"{wanted}; got {matrix.shape}")
    twice = [s.name for s in places.free_symbols if s.name in given and s.name != name]
    if twice:
        raise MatchingError(
            f"{name} and {', '.join(sorted(twice))} are given: give the matrix or its entries"
        )
    for e in matrix:
        if e.is_number and not (e.is_finite and e.is_real):
            raise MatchingError(f"entries of {name} must be finite and real, got {e}")
    size = max((abs(e) for e in matrix if e.is_number), default=0)
    found = {}
    for a, b in _places(count):
        entry = _facing(name, matrix, a, b, _ROUNDING * size)
        if places[a, b] != 0:
            found[places[a, b].name] = entry
        elif not entry.is_zero:
            raise MatchingError(
                f"entry {a + 1}, {b + 1} of {name} is {_entry_in_words(entry)}, and only those on its "
                'diagonal are gains: match with gains="matrices"'
            )
    return found


def _facing(name: str, matrix: sp.ImmutableMatrix, a: int, b: int, rounding: Any) -> sp.Expr:
    """The entry that a matrix has at two places that face one another."""
    first, second = matrix[a, b], matrix[b, a]
    gap = sp.expand(first - second)
    if gap.is_zero:
        return first
    if not (gap.is_number and abs(gap) <= rounding):
        raise MatchingError(
            f"{name} must be symmetric: entry {a + 1}, {b + 1} is {_entry_in_words(first)}, "
            f"entry {b + 1}, {a + 1} is {_entry_in_words(second)}"
        )
    return (first + second) / 2


def multiples_of_one(
    matrices: Mapping[str, sp.ImmutableMatrix], factors: Mapping[str, float]
) -> dict[str, float]:
    """Entries by name of unit matrices times a factor each."""
    return {
        str(places[a, b]): factors[name] if a == b else 0.0
        for name, places in matrices.items()
        for a, b in _places(places.rows)
        if places[a, b] != 0
    }


def _entry_in_words(entry: sp.Expr) -> str:
    return shown(plain(entry) if entry.is_number else entry)


def require_invertible(name: str, matrix: sp.Matrix, parameters: Sequence[Parameter]) -> None:
    """MatchingError for a matrix that is singular at the numbers of its entries, whatever the others are."""
    known = {p.symbol: exact(p.default) for p in parameters if p.default is not None}
    numbers = {symbol: sp.Rational(q.numerator, q.denominator) for symbol, q in known.items()}
    given = matrix.subs(numbers)
    if sp.expand(given.det(method="berkowitz")) == 0:
        raise MatchingError(
            f"{name} must be invertible, got {given.evalf(6).tolist()}: it is an inertia of "
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
