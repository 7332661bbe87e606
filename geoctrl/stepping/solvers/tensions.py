r"""Steps of places and directions that constant inertia couples: unknown is one tension for each direction.

With the inertia m of the rows a step from z to z' has :math:`S = m \Delta`, :math:`\Delta = z' - z`. Of S all
is known but its part along the directions, so that

.. math::

    S_i = h p_i + \mu_i z_i, \qquad \Delta = m^{-1} S, \qquad
    c_i(\mu) = \tfrac12 \bigl(|z_i + \Delta_i|^2 - 1\bigr) = 0, \qquad
    \frac{\partial c_i}{\partial \mu_j} = (m^{-1})_{ij}\, z'_i \cdot z_j ,

and the momenta are :math:`L' = z' \times S / h`. The derivative has the pattern of the inverse, which is
tridiagonal for a chain and that of a tree for a tree of links: Newton's iteration costs O(n). As c is
quadratic, what a correction leaves of it is half the square of the step that it made. Tensions of three
earlier steps, extrapolated, are where it starts; they are handed on.

Velocities of momenta and accelerations of forces have the same form, with z in the place of z':
:math:`v = m^{-1}(p + \lambda z)` with :math:`z_i \cdot v_i = 0`.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numba import types
from numba.extending import overload

from geoctrl.stepping.compiled.bodies import DIRECTION
from geoctrl.stepping.compiled.compiled import fields, inner
from geoctrl.stepping.compiled.vectors import copy_with_change, cross
from geoctrl.stepping.compiled.writer import ARRAY, INDEX, MATRIX
from geoctrl.stepping.methods.loop import NEWTON
from geoctrl.stepping.methods.variational import ROWS, Solver
from geoctrl.stepping.solvers.dense import eliminate
from geoctrl.stepping.solvers.sparse import PATTERN, Pattern, eliminate_sparse

__all__ = ["FULL", "SPARSE", "Tensions", "solver", "tensions"]

ITERATIONS = 30
SETTLED = 1e-18
"""Squares of corrections relative to the step below this: they leave nothing but rounding."""
EARLIER = 3
"""Steps of which the tensions are kept."""


class Tensions(NamedTuple):
    """Inverse inertia, and room for a step; ``turns`` is 1 for a direction, 0 for a place.

    ``begin``, ``other`` and ``weight`` are the inverse row by row. ``eliminated`` is its `Sparse` pattern, or
    room for a full matrix (n, n). ``history`` (substeps, 3, n) are the tensions of earlier steps. ``room``
    (3, n, 3) and ``line`` (n,) are written before they are read.
    """

    turns: Any
    begin: Any
    other: Any
    weight: Any
    eliminated: Any
    history: Any
    room: Any
    line: Any


class Sparse(NamedTuple):
    """A pattern, diagonal and entries of the inverse inertia in it, and room (3, ...) for a matrix."""

    pattern: Any
    own: Any
    entries: Any
    room: Any


def tensions(bodies: np.ndarray, K: np.ndarray, pattern: Pattern | None, *, stages: int = 1) -> Tensions:
    """The system of places and directions ``bodies`` (n, 2), for steps of ``stages``.

    K (n, n) is the inverse of their inertia, and ``pattern`` the one in which it is eliminated, if there is
    one (`geoctrl.stepping.solvers.sparse.sparse_inverse`).
    """
    n = len(K)
    rows, columns = np.nonzero(K)
    return Tensions(
        turns=(bodies[:, 0] == DIRECTION).astype(float),
        begin=np.searchsorted(rows, np.arange(n + 1)),
        other=columns.copy(),
        weight=K[rows, columns],
        eliminated=np.zeros((n, n)) if pattern is None else _sparse(K, pattern),
        history=np.zeros((stages, EARLIER, n)),
        room=np.zeros((3, n, 3)),
        line=np.zeros(n),
    )


def _sparse(K: np.ndarray, pattern: Pattern) -> Sparse:
    n = len(K)
    above = np.repeat(np.arange(n), np.diff(pattern.start))
    room = np.zeros((3, max(n, above.size)))
    return Sparse(pattern, np.diag(K).copy(), K[above, pattern.column], room)


def step(z, L, h, _frame, taken, stage, system, _kinetic, _curvature, _data, _index):
    """From z, L^+ to z', L' (`geoctrl.stepping.methods.variational.Solver`)."""
    turns, known, S, D = system.turns, system.history[stage], system.room[0], system.room[1]
    count, size = 0, math.inf
    forces(z, L, h, turns, S)
    if taken >= EARLIER:
        extrapolate(known, taken, z, S)
        count, size = solve(z, system, 1.0, S, D)
    if not size <= SETTLED:
        forces(z, L, h, turns, S)
        solve(z, system, 0.0, S, D)
        more, size = solve(z, system, 1.0, S, D)
        count += more
    if not size <= SETTLED:
        return count, NEWTON, math.sqrt(size)
    last, over = known[taken % EARLIER], 1.0 / h
    for i in range(z.shape[0]):
        last[i] = turns[i] * (S[i, 0] * z[i, 0] + S[i, 1] * z[i, 1] + S[i, 2] * z[i, 2])
        for k in range(3):
            z[i, k] += D[i, k]
            S[i, k] *= over
    momenta(z, S, turns, L)
    return count, 0, 0.0


@inner
def forces(z, L, factor, turns, S):
    """S_i = factor p_i, with p_i across z_i for a direction, of the momenta L."""
    for i in range(z.shape[0]):
        over = factor
        if turns[i] > 0.0:
            cross(L[i], z[i], S[i])
            over /= z[i, 0] * z[i, 0] + z[i, 1] * z[i, 1] + z[i, 2] * z[i, 2]
        else:
            S[i, 0], S[i, 1], S[i, 2] = L[i, 0], L[i, 1], L[i, 2]
        for k in range(3):
            S[i, k] *= over


@inner
def momenta(z, p, turns, L):
    """L_i = z_i x p_i for a direction, p_i for a place."""
    for i in range(z.shape[0]):
        if turns[i] > 0.0:
            cross(z[i], p[i], L[i])
        else:
            L[i, 0], L[i, 1], L[i, 2] = p[i, 0], p[i, 1], p[i, 2]


@inner
def extrapolate(known, taken, z, S):
    """S += mu z with the tensions mu on the parabola through those of three earlier steps."""
    a, b, c = (taken - 1) % EARLIER, (taken - 2) % EARLIER, (taken - 3) % EARLIER
    for i in range(z.shape[0]):
        mu = 3.0 * (known[a, i] - known[b, i]) + known[c, i]
        for k in range(3):
            S[i, k] += mu * z[i, k]


@inner
def solve(z, system, bend, S, D):
    """Newton's iteration for the tensions, added to S; leaves D = m^-1 S.

    With ``bend`` one D is z' - z; with zero it is across the directions z, for which one iteration is exact.
    Returns iterations, and the square of the last change of D relative to D: half of it is what is left of c.
    """
    turns, new, x, size = system.turns, system.room[2], system.line, math.inf
    begin, other, weight = system.begin, system.other, system.weight
    spread(begin, other, weight, S, D)
    for iteration in range(ITERATIONS):
        defects(z, D, turns, bend, new, x)
        if not tighten(new, z, system, x, S):
            return iteration + 1, math.inf
        size = spread(begin, other, weight, S, D)
        if bend == 0.0:
            return 1, 0.0
        if size <= SETTLED or not math.isfinite(size):
            return iteration + 1, size
    return ITERATIONS, size


@inner
def defects(z, D, turns, bend, new, x):
    """z' = z + D and x = -c, 2 c = z.z - 1 + D.(z + z'); without a ``bend`` z itself and c = z.D."""
    for i in range(z.shape[0]):
        total = -0.5 * bend
        for k in range(3):
            new[i, k] = z[i, k] + bend * D[i, k]
            total += 0.5 * (bend * z[i, k] * z[i, k] + D[i, k] * (z[i, k] + new[i, k]))
        x[i] = -turns[i] * total


@inner
def spread(begin, other, weight, S, D):
    """D = m^-1 S; returns the square of its largest change relative to the largest of D."""
    size, scale = 0.0, 1e-300
    for i in range(S.shape[0]):
        a, b, c = 0.0, 0.0, 0.0
        for e in range(begin[i], begin[i + 1]):
            j, entry = other[e], weight[e]
            a += entry * S[j, 0]
            b += entry * S[j, 1]
            c += entry * S[j, 2]
        x, y, z = a - D[i, 0], b - D[i, 1], c - D[i, 2]
        size = max(size, x * x + y * y + z * z)
        scale = max(scale, a * a + b * b + c * c)
        D[i, 0], D[i, 1], D[i, 2] = a, b, c
    return size / math.sqrt(scale)


@inner
def tighten(new, z, system, x, S):
    """S += y z with the tensions y, left in x, that change c by x at z' = ``new``; False without any."""
    found = _change(new, z, system, x)
    for i in range(z.shape[0]):
        for k in range(3):
            S[i, k] += x[i] * z[i, k]
    return found


def _change(new, z, system, x):
    """Solve sum_j K_ij (z'_i.z_j) y_j = x_i in place; the rows of places are those of the identity.

    Compiled code has one of the two that follow, as the system is: the other would take as long to compile.
    """
    full = isinstance(system.eliminated, np.ndarray)
    return (_full_change if full else _sparse_change)(new, z, system, x)


@overload(_change, jit_options={"error_model": "numpy"})
def _change_for(new, z, system, x):  # noqa: ARG001, numba calls it with what it chooses for
    full = isinstance(system.types[Tensions._fields.index("eliminated")], types.Array)
    return _full_change if full else _sparse_change


def _full_change(new, z, system, x):
    turns, A = system.turns, system.eliminated
    begin, other, weight = system.begin, system.other, system.weight
    for i in range(z.shape[0]):
        a, b, c = turns[i] * new[i, 0], turns[i] * new[i, 1], turns[i] * new[i, 2]
        for j in range(z.shape[0]):
            A[i, j] = 0.0
        A[i, i] = 1.0 - turns[i]
        for e in range(begin[i], begin[i + 1]):
            j = other[e]
            A[i, j] += weight[e] * (a * z[j, 0] + b * z[j, 1] + c * z[j, 2])
    return eliminate(A, x)


def _sparse_change(new, z, system, x):
    pattern, own, entries, A = system.eliminated
    order, start, column, pair, target = pattern
    turns = system.turns
    for i in range(z.shape[0]):
        a, b, c = turns[i] * new[i, 0], turns[i] * new[i, 1], turns[i] * new[i, 2]
        u, v, w = z[i, 0], z[i, 1], z[i, 2]
        A[0, i] = own[i] * (a * u + b * v + c * w) + (1.0 - turns[i])
        for e in range(start[i], start[i + 1]):
            j, entry = column[e], entries[e]
            A[1, e] = entry * (a * z[j, 0] + b * z[j, 1] + c * z[j, 2])
            A[2, e] = turns[j] * entry * (new[j, 0] * u + new[j, 1] * v + new[j, 2] * w)
    return eliminate_sparse(order, start, column, pair, target, A, x)


def rates(z, L, system, _kinetic, _curvature, _data, _index, w):
    """Velocities of momenta; the largest change of w relative to one or their size."""
    S, v = system.room[0], system.room[1]
    forces(z, L, 1.0, system.turns, S)
    solve(z, system, 0.0, S, v)
    momenta(z, v, system.turns, v)
    return copy_with_change(v, w)


def accelerate(z, w, _dz, g, f, system, _kinetic, _curvature, _data, _index, dw):
    """Accelerations of places, and of directions in angles (`geoctrl.stepping.methods.variational.Solver`).

    Those of the rows are A = m^-1 (f - g + lambda z), along a direction what the velocity makes them.
    """
    turns, x = system.turns, system.line
    S, A, inward = system.room[0], system.room[1], system.room[2]
    for i in range(z.shape[0]):
        centripetal(turns[i], z[i], w[i], inward[i])
        for k in range(3):
            S[i, k] = f[i, k] - g[i, k]
    spread(system.begin, system.other, system.weight, S, A)
    for i in range(z.shape[0]):
        x[i] = 0.0
        for k in range(3):
            x[i] += turns[i] * z[i, k] * (inward[i, k] - A[i, k])
    found = tighten(z, z, system, x, S)
    spread(system.begin, system.other, system.weight, S, A)
    for i in range(z.shape[0]):
        angular(turns[i], z[i], A[i], inward[i], dw[i])
    return found


@inner
def centripetal(kind, z, w, out):
    """w x (w x z), the acceleration of a direction that turns evenly; zero for a place, of kind 0."""
    if kind > 0:
        cross(w, z, out)
        cross(w, out, out)
    else:
        out[0] = out[1] = out[2] = 0.0


@inner
def angular(kind, z, A, inward, dw):
    """Angular acceleration, across z, of a direction that accelerates with A; A itself for a place."""
    for k in range(3):
        dw[k] = A[k] - inward[k]
    if kind > 0:
        over = 1.0 / (z[0] * z[0] + z[1] * z[1] + z[2] * z[2])
        cross(z, dw, dw)
        for k in range(3):
            dw[k] *= over


def _solver(eliminated: Any) -> Solver:
    system = fields(Tensions, ARRAY, INDEX, INDEX, ARRAY, eliminated, ROWS, ROWS, ARRAY)
    return Solver(step, rates, accelerate, system)


FULL = _solver(MATRIX)
SPARSE = _solver(fields(Sparse, PATTERN, ARRAY, ARRAY, MATRIX))


def solver(pattern: Pattern | None) -> Solver:
    """The one for an inverse inertia that is eliminated in a pattern, or as a full matrix."""
    return FULL if pattern is None else SPARSE
