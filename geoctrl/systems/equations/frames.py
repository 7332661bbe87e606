"""Frames adapted to the constraints: given by the user, or made from the constraint rows."""

from __future__ import annotations

from dataclasses import dataclass

import sympy as sp

from geoctrl.systems.equations.mechanism import Mechanism

__all__ = ["Frame", "choose_frame"]


_SHORT = 120
"""Operations up to which an entry is cancelled; of longer ones that multiplies out more than it cancels."""


@dataclass(frozen=True)
class Frame:
    """Velocities xi = E w and the constraint rows that E does not solve.

    Attributes
    ----------
    matrix : sympy matrix, n x k
        Columns E_1 .. E_k.
    labels : tuple of str
        Labels of w.
    rows : sympy matrix, r' x n, or None
        Rows kept by multipliers.
    complement : sympy matrix, n x (n - k), or None
        Further columns of a user's n x n frame.
    """

    matrix: sp.ImmutableMatrix
    labels: tuple[str, ...]
    rows: sp.ImmutableMatrix | None
    complement: sp.ImmutableMatrix | None = None


def choose_frame(mechanism: Mechanism) -> Frame:
    """The user's frame; else all of xi without constraints; else a frame by constant pivots.

    Constraints are solved for a block of velocities where that is possible at every Gamma, so that
    no motion can leave the domain of a frame that was not asked for. Going from the last label to
    the first, a column is a pivot where, after the pivots already taken, one of the remaining rows
    holds an entry that is a nonzero number or free of advected symbols and known to be nonzero. Rows
    without a pivot stay: they are kept by multipliers.
    """
    algebra, psi = mechanism.algebra, mechanism.constraints
    n = algebra.n
    if mechanism.frame is not None:
        r = 0 if psi is None else psi.rows
        labels = mechanism.quasivelocity_labels
        complement = mechanism.frame[:, n - r :] if mechanism.frame.cols == n else None
        return Frame(mechanism.frame[:, : n - r], labels, None, complement)
    if psi is None:
        return Frame(sp.ImmutableMatrix.eye(n), algebra.labels, None)

    advected = set(mechanism.configuration_symbols)
    rows = [list(psi.row(a)) for a in range(psi.rows)]
    pivot_of: dict[int, int] = {}
    for column in reversed(range(n)):
        for a, row in enumerate(rows):
            entry = row[column]
            if a in pivot_of.values() or entry.free_symbols & advected or entry.is_nonzero is not True:
                continue
            rows[a] = [_tidy(e / entry) for e in row]
            for b, other in enumerate(rows):
                if b != a and other[column] != 0:
                    rows[b] = [_tidy(e - other[column] * p) for e, p in zip(other, rows[a], strict=True)]
            pivot_of[column] = a
            break
    kept = [c for c in range(n) if c not in pivot_of]
    matrix = sp.zeros(n, len(kept))
    for position, column in enumerate(kept):
        matrix[column, position] = 1
        for pivot, a in pivot_of.items():
            matrix[pivot, position] = -rows[a][column]
    left = [row for a, row in enumerate(rows) if a not in pivot_of.values()]
    return Frame(
        sp.ImmutableMatrix(matrix),
        tuple(algebra.labels[c] for c in kept),
        sp.ImmutableMatrix(left) if left else None,
    )


def _tidy(entry: sp.Expr) -> sp.Expr:
    """Without common factors, where that is a matter of moments: no pivot depends on it."""
    return sp.cancel(entry) if entry.count_ops() < _SHORT else entry
