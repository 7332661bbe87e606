"""Zeros of functions over a cell, by their slopes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flint import arb, arb_mat, fmpq

from geoctrl.checker.enclosures.cells import matrix, solution
from geoctrl.checker.jets import Jet
from geoctrl.checker.limits import Refusal
from geoctrl.checker.sublevels.energy import Cell, dot, first, interval


def step_to_zero(
    over: Sequence[Jet], at: Sequence[Jet], places: Sequence[int], sizes: Sequence[fmpq | arb]
) -> arb_mat | None:
    """Where a zero is from a point, d with M^T J d = -M^T F, columns in sizes; None where it may be singular.

    J are the slopes over a cell that holds the point, M those at the point and F the values there (mean value
    theorem). Two zeros of a cell with regular M^T J are one.
    """
    rows = [[first(jet, i) * s for i, s in zip(places, sizes, strict=True)] for jet in at]
    largest = [sum((abs(c.mid()) for c in row), arb(0)) for row in rows]
    kept = [(k, 1 / size) for k, size in enumerate(largest) if size > 0]
    if len(kept) < len(places):
        return None
    M = matrix([[c.mid() * unit for c in rows[k]] for k, unit in kept], len(places)).transpose()
    J = [[first(over[k], i) * s * unit for i, s in zip(places, sizes, strict=True)] for k, unit in kept]
    F = matrix([[-at[k].value * unit] for k, unit in kept], 1)
    try:
        return solution(M * matrix(J, len(places)), M * F)
    except Refusal:
        return None


def narrowed_cell(over: Sequence[Jet], at: Sequence[Jet], places: Sequence[int], cell: Cell) -> Any:
    """A cell with all zeros of functions in a cell, by slopes from its middle; None where there is none.

    With F(m) + sum s_j d_j = 0 each d_i with s_i not zero is within what the others leave (Gauss, Seidel).
    """
    middles = [(arb(a) + arb(b)) / 2 for a, b in cell]
    parts = [interval(side) - m for side, m in zip(cell, middles, strict=True)]
    for whole, middle in zip(over, at, strict=True):
        if not whole.value.contains(0):
            return None
        slopes = [first(whole, i) for i in places]
        for k, slope in enumerate(slopes):
            others = dot(slopes[:k] + slopes[k + 1 :], parts[:k] + parts[k + 1 :])
            if slope.contains(0):
                if not (middle.value + others + slope * parts[k]).contains(0):
                    return None
                continue
            found = -(middle.value + others) / slope
            if not found.overlaps(parts[k]):
                return None
            if found.is_finite():
                parts[k] = found.intersection(parts[k])
    return tuple(
        ((m + p).lower().max(arb(a)), (m + p).upper().min(arb(b)))
        for m, p, (a, b) in zip(middles, parts, cell, strict=True)
    )


def hull_of(first_cell: Any, second: Any) -> Any:
    """A cell around two, with ends in balls."""
    return [
        (arb(a).min(arb(p)), arb(b).max(arb(q))) for (a, b), (p, q) in zip(first_cell, second, strict=True)
    ]
