"""Linear programs over positive semidefinite matrices, solved by Clarabel."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from importlib import import_module
from typing import Any

import numpy as np
from scipy import sparse

from geoctrl.errors import CertificateError

__all__ = ["Program", "require_solver"]

Gram = dict[tuple[int, int], int]
"""Numbers of the entries i <= j of a symmetric matrix among the unknowns."""


def require_solver() -> Any:
    """Clarabel.

    Raises
    ------
    CertificateError
        If it is not installed.
    """
    try:
        return import_module("clarabel")
    except ImportError:
        raise CertificateError(
            "sums of squares are searched for by Clarabel, which is not installed: "
            'pip install "geoctrl[squares]"'
        ) from None


class Program:
    """Unknowns, of which sums vanish and matrices are positive semidefinite.

    Parameters
    ----------
    left : callable
        The seconds that a solution may take.
    """

    def __init__(self, left: Callable[[], float] = lambda: math.inf) -> None:
        self.unknowns, self._left = 0, left
        self._sums: dict[Hashable, dict[int, float]] = {}
        self._constants: dict[Hashable, float] = {}
        self._bounds: list[tuple[dict[int, float], float]] = []
        self._matrices: list[tuple[int, int]] = []

    def number(self) -> int:
        """A new unknown."""
        self.unknowns += 1
        return self.unknowns - 1

    def matrix(self, size: int) -> Gram:
        """A new matrix."""
        first = self.unknowns
        self._matrices.append((first, size))
        self.unknowns += size * (size + 1) // 2
        return {pair: first + k for k, pair in enumerate(_upper(size))}

    def add(self, key: Hashable, unknown: int, factor: float) -> None:
        """Add a multiple of an unknown to the sum of a key."""
        row = self._sums.setdefault(key, {})
        row[unknown] = row.get(unknown, 0.0) + factor

    def add_constant(self, key: Hashable, value: float) -> None:
        """Add a number to the sum of a key."""
        self._sums.setdefault(key, {})
        self._constants[key] = self._constants.get(key, 0.0) + value

    def at_most(self, terms: Mapping[int, float], bound: float) -> None:
        """Bound a sum of multiples of unknowns."""
        self._bounds.append((dict(terms), bound))

    def minimum(self, cost: Mapping[int, float]) -> np.ndarray | None:
        """The unknowns at which a sum of multiples of them is least; None where none are found."""
        clarabel = require_solver()
        rows: list[int] = []
        columns: list[int] = []
        values: list[float] = []
        right: list[float] = []

        def write(row: Mapping[int, float], bound: float) -> None:
            rows.extend([len(right)] * len(row))
            columns.extend(row)
            values.extend(row.values())
            right.append(bound)

        for key, row in self._sums.items():
            write(row, -self._constants.get(key, 0.0))
        cones = [clarabel.ZeroConeT(len(self._sums))]
        for row, bound in self._bounds:
            write(row, bound)
        if self._bounds:
            cones.append(clarabel.NonnegativeConeT(len(self._bounds)))
        for first, size in self._matrices:
            for k, (i, j) in enumerate(_upper(size)):
                write({first + k: -1.0 if i == j else -(2.0**0.5)}, 0.0)
            cones.append(clarabel.PSDTriangleConeT(size))
        A = sparse.csc_matrix((values, (rows, columns)), shape=(len(right), self.unknowns))
        linear = np.zeros(self.unknowns)
        linear[list(cost)] = list(cost.values())
        settings = clarabel.DefaultSettings()
        settings.verbose, settings.max_threads = False, 1
        settings.time_limit = self._left()
        zero = sparse.csc_matrix((self.unknowns, self.unknowns))
        found = clarabel.DefaultSolver(zero, linear, A, np.array(right), cones, settings).solve()
        return np.array(found.x) if str(found.status) in ("Solved", "AlmostSolved") else None


def _upper(size: int) -> Iterator[tuple[int, int]]:
    """Places i <= j of a symmetric matrix, by columns."""
    return ((i, j) for j in range(size) for i in range(j + 1))


def entries(gram: Gram, values: np.ndarray) -> np.ndarray:
    """The matrix of a solution."""
    size = 1 + max(j for _, j in gram)
    found = np.empty((size, size))
    for (i, j), k in gram.items():
        found[i, j] = found[j, i] = values[k]
    return found


def parities(rows: Sequence[int], bits: int) -> list[int]:
    """A basis of the vectors s of bits with an even number of common bits with each row."""
    reduced: dict[int, int] = {}
    for given in rows:
        row = given
        for pivot, other in reduced.items():
            if row >> pivot & 1:
                row ^= other
        if row:
            pivot = row.bit_length() - 1
            reduced = {p: (r ^ row if r >> pivot & 1 else r) for p, r in reduced.items()} | {pivot: row}
    free = [k for k in range(bits) if k not in reduced]
    return [(1 << k) | sum(1 << pivot for pivot, row in reduced.items() if row >> k & 1) for k in free]
