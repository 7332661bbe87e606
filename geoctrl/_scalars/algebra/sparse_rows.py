"""Exact elimination of sparse rows over the rationals.

Equations for the coefficients of an invariant touch a few monomials each. Dense elimination of them grows
with the third power of their number; here a row is a dict of what is not zero.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction

__all__ = ["Echelon", "kernel"]

Row = dict[int, Fraction]


class Echelon:
    """Linearly independent rows, each with a one in its last column, where no row after it has an entry.

    Rows are dicts of column -> nonzero rational.
    """

    def __init__(self) -> None:
        self.rows: dict[int, Row] = {}

    def remainder(self, row: Mapping[int, Fraction]) -> Row:
        """What is left of a row in the columns from its last one without a pivot downwards.

        Empty if and only if the row is a combination of those taken in.
        """
        left = dict(row)
        while left:
            last = max(left)
            if last not in self.rows:
                break
            subtract(left, left[last], self.rows[last])
        return left

    def take(self, row: Mapping[int, Fraction]) -> bool:
        """Take a row in; whether it was independent of the others."""
        left = self.remainder(row)
        if not left:
            return False
        last = max(left)
        scale = 1 / left[last]
        self.rows[last] = {column: value * scale for column, value in left.items()}
        return True

    def normal_form(self) -> dict[int, Row]:
        """The same span with no entry in the pivot columns of other rows: its normal form."""
        done: dict[int, Row] = {}
        for last in sorted(self.rows):
            row = dict(self.rows[last])
            for column in [c for c in row if c in done]:
                subtract(row, row[column], done[column])
            done[last] = row
        return done


def subtract(row: Row, factor: Fraction, other: Mapping[int, Fraction]) -> None:
    """``row -= factor * other`` in place, zeros dropped."""
    for column, value in other.items():
        rest = row.get(column, 0) - factor * value
        if rest:
            row[column] = rest
        else:
            del row[column]


def kernel(rows: Iterable[Mapping[int, Fraction]], columns: int) -> list[Row]:
    """Basis of {w : rows w = 0} in reduced row echelon form, leading ones from the left.

    Since the pivots of the rows are their last columns, the vector of each free column begins there.
    """
    echelon = Echelon()
    for row in sorted(rows, key=len):
        echelon.take(row)
    basis: dict[int, Row] = {j: {j: Fraction(1)} for j in range(columns) if j not in echelon.rows}
    for last, row in echelon.normal_form().items():
        for column, value in row.items():
            if column != last:
                basis[column][last] = -value
    return list(basis.values())
