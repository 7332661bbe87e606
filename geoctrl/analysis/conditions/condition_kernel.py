"""Kernels of matrices of rational functions, with what must not vanish for them to be no larger."""

from __future__ import annotations

from dataclasses import dataclass

from geoctrl.analysis.symbolic.rational_functions import RationalFunction
from geoctrl.analysis.symbolic.sign_conditions import KnownSigns

__all__ = ["ConditionKernel"]

Rows = list[list[RationalFunction]]


@dataclass(frozen=True)
class ConditionKernel:
    """The kernel of some rows over the rational functions.

    Attributes
    ----------
    basis : rows, a one in each free column
    minor : RationalFunction
        Of the rank: where it does not vanish, the kernel is no larger.
    """

    basis: Rows
    minor: RationalFunction
    rank: int

    @classmethod
    def of(cls, rows: Rows, columns: int, signs: KnownSigns) -> ConditionKernel:
        """By elimination in the order of the columns, with the simplest pivot of each."""
        one, zero, sign = signs.field.one, signs.field.zero, signs.sign

        def cost(q: RationalFunction) -> tuple[bool, int]:
            return not sign(q.top), len(q.top) + len(q.below)

        left, minor = [list(row) for row in rows], one
        done: Rows = []
        pivots: list[int] = []
        for j in range(columns):
            with_entry = [row for row in left if row[j]]
            if not with_entry:
                continue
            row = min(with_entry, key=lambda row: cost(row[j]))
            left = [other for other in left if other is not row]
            minor = minor * row[j]
            row = [e / row[j] if e else e for e in row]
            left, done = (
                [
                    [a - other[j] * b for a, b in zip(other, row, strict=True)] if other[j] else other
                    for other in part
                ]
                for part in (left, done)
            )
            done.append(row)
            pivots.append(j)
        basis = []
        for j in (j for j in range(columns) if j not in pivots):
            vector = [zero] * columns
            vector[j] = one
            for row, p in zip(done, pivots, strict=True):
                vector[p] = -row[j]
            basis.append(vector)
        return cls(basis, minor, len(pivots))

    @property
    def free_places(self) -> list[int]:
        """For each vector the coordinate in which it has a one and the others a zero."""
        one = [[j for j, e in enumerate(w) if e and e == 1] for w in self.basis]
        return [
            next(j for j in places if not any(v[j] for v in self.basis if v is not w))
            for w, places in zip(self.basis, one, strict=True)
        ]
