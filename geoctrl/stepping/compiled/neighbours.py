"""Pairs of bodies that are near each other, listed by cells and listed again as the bodies move; compiled."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
from numba import float64, int64, njit
from numba.extending import register_jitable

from geoctrl.stepping.compiled.writer import ARRAY, INDEX, MATRIX

__all__ = ["MEMORY", "neighbours", "settle"]

MEMORY = 4_000_000
"""Pairs that a list has room for at most: 64 MB."""

_CELLS = 300
"""Fewer bodies than this are compared each with each."""


# The listing is called by kernels that may take sums in any order, of which functions inherit the leave
# unless told not to: what is not a number would then be missed.
_ORDERED: Any = {"cache": True, "error_model": "numpy", "fastmath": False}

_part = register_jitable(**_ORDERED, no_cfunc_wrapper=True)
"""Decorator of what the listing alone calls, as `geoctrl.stepping.compiled.compiled.inner`."""


@cache
def settle() -> None:
    """Compile the listing for numbers of any value: else it would be anew for the numbers of each kernel."""
    neighbours.compile((MATRIX, ARRAY, int64, INDEX, int64, int64, float64, float64, int64))
    neighbours.disable_compile()


@njit(**_ORDERED)
def neighbours(q, data, where, index, slots, room, reach, slack, begin):
    """List the pairs a < b nearer than ``reach`` of bodies from ``begin`` on; returns the body to go on with.

    Parameters
    ----------
    q : array (n, d)
        Places of the bodies, d >= 3.
    where : int
        Place in ``data`` of those of the last listing, n d numbers.
    slots : int
        Place in ``index`` of the list: whether it is whole, n + 1 places at which the partners b of each a
        begin and the last end, and room for the partners.
    room : int
        Partners that there is room for, n or more.
    slack : float
        A whole list is good as long as no body has moved farther than this.
    begin : int
        0, or what was returned while it is below n: then there was no room for all pairs, and the next piece
        is listed.
    """
    n, d = q.shape
    if begin == 0:
        if index[slots] == 1 and not _is_farther(q, data, where, slack):
            return n
        for a in range(n):
            for c in range(d):
                data[where + d * a + c] = q[a, c]
    place, shape = np.zeros(n, np.int64), np.ones(3, np.int64)
    _grid(q, reach, place, shape)
    m0, m1, m2 = shape[0], shape[1], shape[2]
    start, order = np.zeros(m0 * m1 * m2 + 1, np.int64), np.zeros(n, np.int64)
    _sort(place, start, order)
    place_of, count = slots + 1, slots + n + 2
    full = count + room
    index[place_of + begin] = count
    for a in range(begin, n):
        i, j, k = place[a] // (m1 * m2), place[a] // m2 % m1, place[a] % m2
        for line in range(9):  # three cubes each, which follow each other in the order
            u, v = i + line // 3 - 1, j + line % 3 - 1
            if u < 0 or u >= m0 or v < 0 or v >= m1:
                continue
            first = (u * m1 + v) * m2
            for s in range(start[first + max(k - 1, 0)], start[first + min(k + 2, m2)]):
                b = order[s]
                if b <= a or _square(q, a, b) > reach * reach:
                    continue
                if count == full:
                    index[slots] = 0
                    return a
                index[count] = b
                count += 1
        index[place_of + a + 1] = count
    index[slots] = 1 if begin == 0 else 0
    return n


@_part
def _square(q, a, b):
    """Square of the distance of two bodies."""
    square = 0.0
    for c in range(q.shape[1]):
        gap = q[a, c] - q[b, c]
        square += gap * gap
    return square


@_part
def _is_farther(q, data, where, slack):
    """Whether a body has moved farther than ``slack``, or is nowhere."""
    n, d = q.shape
    for a in range(n):
        square = 0.0
        for c in range(d):
            gap = q[a, c] - data[where + d * a + c]
            square += gap * gap
        if not square <= slack * slack:
            return True
    return False


@_part
def _grid(q, reach, place, shape):
    """Cubes of the first three coordinates, with edges of ``reach`` or more.

    Fills in the place (n,) of the cube of each body among all, and the shape (3,) of the grid, 1 for few
    bodies. There are at most four times as many cubes as bodies: a wider grid lists the same pairs.
    """
    n = q.shape[0]
    low, size, total = np.zeros(3), np.zeros(3), 0.0
    for c in range(3):
        least, most = q[0, c], q[0, c]
        for a in range(n):
            least, most = min(least, q[a, c]), max(most, q[a, c])
            total += q[a, c]
        low[c], size[c] = least, most - least
    if n < _CELLS or not math.isfinite(total):
        return
    edge = reach
    while (1.0 + size[0] / edge) * (1.0 + size[1] / edge) * (1.0 + size[2] / edge) > 4.0 * n:
        edge *= 1.2
    for c in range(3):
        shape[c] = int(size[c] / edge) + 1
        for a in range(n):
            place[a] = place[a] * shape[c] + min(int((q[a, c] - low[c]) / edge), shape[c] - 1)


@_part
def _sort(place, start, order):
    """Where the bodies of each cube begin in the order, and the order, in which their indices grow."""
    for a in range(place.size):
        start[place[a]] += 1
    for k in range(1, start.size):
        start[k] += start[k - 1]
    for a in range(place.size - 1, -1, -1):
        start[place[a]] -= 1
        order[start[place[a]]] = a
