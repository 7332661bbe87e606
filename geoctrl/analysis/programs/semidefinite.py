"""Linear programs over positive semidefinite matrices, solved by Clarabel."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from typing import Any

import numpy as np
import scipy

from geoctrl.analysis.programs.free_unknowns import WithoutFree
from geoctrl.errors import CertificateError

__all__ = ["MatrixProgram", "require_solver"]

Gram = dict[tuple[int, int], int]
"""Numbers of the entries i <= j of a symmetric matrix among the unknowns."""


def require_solver() -> Any:
    """Clarabel."""
    try:
        return import_module("clarabel")
    except ImportError:
        raise CertificateError(
            "sums of squares are searched for by Clarabel, which is not installed: "
            'pip install "geoctrl[squares]"'
        ) from None


class MatrixProgram:
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
        sums = self._rows(self._sums.values())
        right = np.array([-self._constants.get(key, 0.0) for key in self._sums])
        linear = np.zeros(self.unknowns)
        linear[list(cost)] = list(cost.values())
        reduced = WithoutFree.of(sums, right, self._free(linear))
        others = reduced.others
        bounds = self._rows(row for row, _ in self._bounds)[:, others]
        places = {k: number for number, k in enumerate(others)}
        parts, rights = [reduced.sums, bounds], [reduced.right, np.array([b for _, b in self._bounds])]
        cones = [clarabel.ZeroConeT(reduced.sums.shape[0]), clarabel.NonnegativeConeT(len(self._bounds))]
        for first, size in self._matrices:
            weights = [-1.0 if i == j else -(2.0**0.5) for i, j in _upper(size)]
            begin = places[first]  # entries of a matrix are none of them free
            parts.append(scipy.sparse.diags(weights, begin, shape=(len(weights), len(others))))
            rights.append(np.zeros(len(weights)))
            cones.append(clarabel.PSDTriangleConeT(size))
        settings = clarabel.DefaultSettings()
        settings.verbose, settings.max_threads = False, 1
        settings.time_limit = self._left()
        zero = scipy.sparse.csc_matrix((len(others), len(others)))
        A = scipy.sparse.vstack(parts).tocsc()
        solver = clarabel.DefaultSolver(zero, linear[others], A, np.concatenate(rights), cones, settings)
        found = solver.solve()
        if str(found.status) not in ("Solved", "AlmostSolved"):
            return None
        return reduced.all_of(np.array(found.x), self.unknowns)

    def _rows(self, rows: Iterable[Mapping[int, float]]) -> scipy.sparse.csc_matrix:
        """Sums of multiples of the unknowns, as a matrix."""
        given = list(rows)
        numbers = [number for number, row in enumerate(given) for _ in row]
        columns = [k for row in given for k in row]
        values = [c for row in given for c in row.values()]
        return scipy.sparse.csc_matrix((values, (numbers, columns)), shape=(len(given), self.unknowns))

    def _free(self, linear: np.ndarray) -> np.ndarray:
        """Numbers of the unknowns that no matrix, bound or cost holds."""
        held = linear != 0
        for first, size in self._matrices:
            held[first : first + size * (size + 1) // 2] = True
        for row, _ in self._bounds:
            held[list(row)] = True
        return np.flatnonzero(~held)


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
