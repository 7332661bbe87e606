"""Matrices of a symmetric pattern, compiled: a chain's elimination costs O(n), and so does that of a tree.

A pattern is found once: the order of elimination, in which a body that few others are coupled to comes first,
the entries above the diagonal row by row, those included that elimination fills, and for each pair of entries
of a row the one that they change. Where so many are left that rows of a full matrix are faster there is none.
"""

from __future__ import annotations

import math
from functools import lru_cache
from heapq import heapify, heappop, heappush
from typing import Any, NamedTuple

import numpy as np
from numba import int64

from geoctrl.stepping.compiled.compiled import fields, inner

__all__ = ["PATTERN", "Pattern", "eliminate_sparse", "pattern_of", "sparse_inverse"]

_ROUNDING = 16 * np.finfo(float).eps


class Pattern(NamedTuple):
    """Rows and columns k are eliminated in the ``order``; start[k] ... start[k + 1] are the entries of row k.

    ``column`` says where each stands; ``target``, from ``pair[e]`` on, which entries the pairs (e, e + 1),
    (e, e + 2), ... of its row change.
    """

    order: Any
    start: Any
    column: Any
    pair: Any
    target: Any


PATTERN = fields(Pattern, *[int64[::1]] * 5)


def sparse_inverse(M: np.ndarray) -> tuple[np.ndarray, Pattern | None]:
    """The inverse of a symmetric positive definite matrix, and its pattern; None where that is a full one.

    An entry of the inverse is taken for the rounding of zero if it is not larger than the error that an
    inverse may have there. With zeros in these places it is a sum over the bodies k in the order of their
    elimination,

        K = sum_k w w^T / d,  w = e_k - sum_a y_a e_a,  M_aa y = M_ak,  d = M_kk - M_ka.y,

    a the later bodies that k is coupled to: better than any full inverse, as it is made of a few entries of M
    each. Whether the places are right is seen by multiplying back: products with M must be one or zero to the
    rounding of their own terms, which a small number that belongs there would not let them be.

    Those of the last matrices are remembered, and not to be written to: runs one after the other share them.
    """
    return _pattern_of_bytes(np.ascontiguousarray(M, dtype=float).tobytes(), len(M))


@lru_cache(maxsize=16)
def _pattern_of_bytes(entries: bytes, n: int) -> tuple[np.ndarray, Pattern | None]:
    return _pattern_of_inverse(np.frombuffer(entries).reshape(n, n))


def _pattern_of_inverse(M: np.ndarray) -> tuple[np.ndarray, Pattern | None]:
    scale = 1.0 / np.sqrt(np.diag(M))
    unit = M * np.outer(scale, scale)
    K = np.linalg.inv(unit)
    K = (K + K.T) / 2
    size = np.abs(K)
    there = size > len(M) * _ROUNDING * size @ np.abs(unit) @ size
    pattern = pattern_of(there)
    if pattern is not None:
        cut = _inverse_in(pattern, unit)
        rest = np.abs(unit @ cut - np.eye(len(M)))
        if np.all(rest <= _ROUNDING * (np.abs(unit) @ np.abs(cut))):
            return cut * np.outer(scale, scale), pattern
    return K * np.outer(scale, scale), None


def _inverse_in(pattern: Pattern, M: np.ndarray) -> np.ndarray:
    K = np.zeros(M.shape)
    for k in pattern.order:
        later = pattern.column[pattern.start[k] : pattern.start[k + 1]]
        y = np.linalg.solve(M[np.ix_(later, later)], M[later, k])
        places, w = np.append(k, later), np.append(1.0, -y)
        K[np.ix_(places, places)] += np.outer(w, w) / (M[k, k] - M[k, later] @ y)
    return K


def pattern_of(there: np.ndarray) -> Pattern | None:
    """The pattern in which a symmetric matrix with entries ``there`` is eliminated; None if full is faster.

    The next body is one of which the elimination fills the fewest entries: none, where there is an order that
    fills none, as in a tree.
    """
    n = len(there)
    if np.count_nonzero(there) > n * (4 + math.sqrt(n)):
        return None
    near = [set(np.flatnonzero(row).tolist()) - {i} for i, row in enumerate(there)]

    def fill_of(i: int) -> int:
        return sum(len(near[i] - near[j]) - 1 for j in near[i])

    queue = [(fill_of(i), i) for i in range(n)]
    heapify(queue)
    order: dict[int, set[int]] = {}
    cost = 0
    while queue:
        count, i = heappop(queue)
        if i in order or count != fill_of(i):
            continue
        order[i] = near[i]
        cost += 1 + len(near[i]) + 2 * len(near[i]) ** 2
        if cost > n + n**2 + n**3 / 3:
            return None
        for j in near[i]:
            near[j] = (near[j] | near[i]) - {i, j}
        for j in near[i].union(*(near[j] for j in near[i])):
            heappush(queue, (fill_of(j), j))
    return _pattern_of_rows(list(order), list(order.values()))


def _pattern_of_rows(order: list[int], rows: list[set[int]]) -> Pattern:
    place = {k: at for at, k in enumerate(order)}
    columns = [sorted(rows[place[k]], key=place.__getitem__) for k in range(len(order))]
    start = np.cumsum([0, *map(len, columns)])
    entry = {(k, j): start[k] + a for k, row in enumerate(columns) for a, j in enumerate(row)}
    pair, target = [0], []
    for row in columns:
        for a, i in enumerate(row):
            target += [entry[i, j] for j in row[a + 1 :]]
            pair.append(len(target))
    column = [j for row in columns for j in row]
    return Pattern(*(np.array(part, dtype=np.int64) for part in (order, start, column, pair, target)))


@inner
def eliminate_sparse(order, start, column, pair, target, A, x):
    """Overwrite x (n,) by the solution of A x = b, overwriting A too: the parts of a `Pattern`, and

    A (3, ...) the diagonal, then the entries (k, column) above and (column, k) below it. Rows are not
    exchanged: False where a pivot is not positive, of matrices that are positive definite or near to one.
    """
    for at in range(x.size):
        k = order[at]
        over = 1.0 / A[0, k]
        A[0, k] = over
        if not over > 0.0:
            return False
        for e in range(start[k], start[k + 1]):
            i, factor, back = column[e], A[2, e] * over, A[1, e] * over
            A[0, i] -= factor * A[1, e]
            x[i] -= factor * x[k]
            first = pair[e] - e - 1
            for d in range(e + 1, start[k + 1]):
                A[1, target[first + d]] -= factor * A[1, d]
                A[2, target[first + d]] -= back * A[2, d]
    for at in range(x.size - 1, -1, -1):
        k = order[at]
        total = x[k]
        for e in range(start[k], start[k + 1]):
            total -= A[1, e] * x[column[e]]
        x[k] = total * A[0, k]
    return True
