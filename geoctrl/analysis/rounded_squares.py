"""Proofs by sums of squares in exact numbers: what doubles found is rounded, what is left over is put into
the squares that nothing is multiplied with.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from flint import fmpq

from geoctrl.analysis.falling_quadratic import FallingQuadratic, Proof
from geoctrl.analysis.setting_units import Exponents
from geoctrl.checker.jets import to_float
from geoctrl.checker.squares.identity import REST, Monomial, Square, remainder, times
from geoctrl.checker.squares.ring import Polynomial
from geoctrl.checker.squares.setting import Setting

__all__ = ["in_exact_numbers"]

BITS = 34
"""Of rounded numbers, below the largest in their matrix."""
SHIFT = 2.0**-28
"""Least eigenvalue of matrices that may be singular, relative to the largest entry."""


def in_exact_numbers(search: FallingQuadratic, proof: Proof) -> dict[str, Any] | None:
    """The proposal for the checker, ready for JSON; None where a rest cannot be put into squares."""
    setting, pace = search.setting, search.units.pace
    scales = proof.scales * search.units.sizes
    measured = scales[search.places]
    function = _dyadic(proof.function / np.outer(measured, measured))
    units = {str(k): _largest(setting, h, scales) for k, h in enumerate(setting.bounds)}
    squares = []
    for kind, block, gram in proof.squares:
        shifted = gram if kind == REST else _shifted(gram)
        sizes = np.array([_size(m, scales) for m in block])
        rows = _dyadic(shifted * (pace / units.get(kind, 1.0)) / np.outer(sizes, sizes))
        squares.append((kind, [_powers(m) for m in block], rows))
    multipliers = []
    for terms, relation in zip(proof.multipliers, setting.relations, strict=True):
        unit = pace / _largest(setting, relation, scales)
        most = max(map(abs, terms.values()), default=1.0) or 1.0
        rounded = {
            _powers(m): _rounded(c * unit / size, most * unit / size)
            for m, c in terms.items()
            for size in (_size(m, scales),)
        }
        multipliers.append({m: c for m, c in rounded.items() if c})
    return _corrected(setting, function, squares, multipliers)


def _corrected(
    setting: Setting,
    function: list[list[fmpq]],
    squares: list[Square],
    multipliers: list[dict[Monomial, fmpq]],
) -> dict[str, Any] | None:
    """The proposal, its identity made exact."""
    rest = remainder(setting, function, fmpq(1), squares, multipliers)
    pairs: dict[Monomial, list[tuple[int, int, int]]] = {}
    for number, (by, block, _) in enumerate(squares):
        if by == REST:
            for i, a in enumerate(block):
                for j in range(i + 1):
                    pairs.setdefault(times(a, block[j]), []).append((number, i, j))
    for exponents, c in rest.terms():
        m = _powers(_exponents(setting, exponents))
        if m not in pairs:
            return None
        number, i, j = pairs[m][0]
        rows = squares[number][2]
        share = c if i == j else c / 2
        rows[i][j] += share
        if i != j:
            rows[j][i] += share
    return {
        "function": _lower(function),
        "level": "1",
        "squares": [
            {
                "times": by,
                "monomials": [[list(p) for p in m] for m in block],
                "matrix": _lower(rows),
            }
            for by, block, rows in squares
        ],
        "multipliers": [[[[list(p) for p in m], str(c)] for m, c in row.items()] for row in multipliers],
    }


def _shifted(gram: np.ndarray) -> np.ndarray:
    """A matrix that is positive definite by more than rounding."""
    least = SHIFT * max(np.abs(gram).max(), 1e-9)
    return gram + (least + max(0.0, least - np.linalg.eigvalsh(gram)[0])) * np.eye(len(gram))


def _lower(rows: list[list[fmpq]]) -> list[list[str]]:
    return [[str(c) for c in row[: i + 1]] for i, row in enumerate(rows)]


def _rounded(x: float, unit: float) -> fmpq:
    """A double with few bits below a unit."""
    step = 2.0 ** (np.ceil(np.log2(unit)) - BITS)
    return fmpq(round(x / step)) * fmpq(*float(step).as_integer_ratio())


def _dyadic(matrix: np.ndarray) -> list[list[fmpq]]:
    """A symmetric matrix, each entry rounded beside the sizes of its row and column."""
    sizes = np.sqrt(np.maximum(np.diag(matrix), 1e-300))
    n = len(matrix)
    return [
        [_rounded(float(matrix[min(i, j), max(i, j)]), float(sizes[i] * sizes[j])) for j in range(n)]
        for i in range(n)
    ]


def _largest(setting: Setting, p: Polynomial, scales: np.ndarray) -> float:
    """The largest coefficient of a polynomial in scaled variables, which the search makes one."""
    return max(abs(to_float(c)) * _size(_exponents(setting, e), scales) for e, c in p.terms())


def _exponents(setting: Setting, exponents: Any) -> Exponents:
    return tuple(int(exponents[i]) for i in setting.variables)


def _powers(m: Exponents) -> Monomial:
    return tuple((k, e) for k, e in enumerate(m) if e)


def _size(m: Exponents, scales: np.ndarray) -> float:
    """The unit of a monomial."""
    return float(np.prod(scales ** np.array(m)))
