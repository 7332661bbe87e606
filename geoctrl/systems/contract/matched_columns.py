"""A column for each row of a matrix, no two alike, in which the row has an entry."""

from __future__ import annotations

import numpy as np

__all__ = ["matched_columns"]


def matched_columns(filled: np.ndarray) -> list[int] | None:
    """Columns (n,) of a square matrix of booleans; None where there are none, and the matrix is singular
    whatever its entries are.

    Row after row along alternating paths (H. W. Kuhn, The Hungarian method for the assignment problem, 1955).
    scipy has it too, but takes a third of a second to load.

    Examples
    --------
    >>> matched_columns(np.array([[True, True], [True, False]]))
    [1, 0]
    """
    n = len(filled)
    own = filled.diagonal().tolist()
    column_of = [i if own[i] else -1 for i in range(n)]
    row_of = list(column_of)
    entries = [np.flatnonzero(row).tolist() for row in filled]
    for row in range(n):
        if column_of[row] < 0 and not _lengthen(row, entries, column_of, row_of):
            return None
    return column_of


def _lengthen(start: int, entries: list[list[int]], column_of: list[int], row_of: list[int]) -> bool:
    """Find a column for a row, moving others along an alternating path; whether there is one."""
    reached: dict[int, int] = {}
    left = [start]
    while left:
        row = left.pop()
        for column in entries[row]:
            if column in reached:
                continue
            reached[column] = row
            if row_of[column] >= 0:
                left.append(row_of[column])
                continue
            while column >= 0:  # the column that a row gives up is taken by the row that reached it
                row = reached[column]
                row_of[column] = row
                column, column_of[row] = column_of[row], column
            return True
    return False
