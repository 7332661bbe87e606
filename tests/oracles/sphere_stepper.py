r"""Variational steps on spheres, compiled: explicit for diagonal, implicit for coupled inertia.

State of a step: q and the spatial momenta :math:`L_i = q_i \times p_i`, of which the sum is the momentum map.
With the discrete Lagrangian of trapezoidal type of [LLM09, Eq. 3.3] a step from q to q' is

.. math::

    L_i^+ &= L_i + \tfrac h2\, q_i \times F_i, \\
    q_i \times S_i(q, q') &= h L_i^+, \qquad
        S_i(q, q') = \sum_j \tfrac12 (m_{ij} + m'_{ij}) \Delta_j
        - \tfrac14 \sum_{jk} \frac{\partial m_{jk}}{\partial q_i} \Delta_j \cdot \Delta_k, \quad
        \Delta = q' - q, \\
    L'_i &= -\tfrac1h\, q'_i \times S_i(q', q) + \tfrac h2\, q'_i \times F'_i ,

with :math:`F = f - \partial V / \partial q`: for constant inertia these are [LLM09, Eqs. 3.8, 3.9]. Forces
enter at both ends (discrete Lagrange-d'Alembert); those that depend on velocities make the last line
implicit.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
from numba import boolean, float64, int64, njit, types

from geoctrl.stepping.compiled.compiled import pointer
from geoctrl.stepping.compiled.forces import FORCE, GRADIENT, nothing
from geoctrl.stepping.compiled.vectors import cross, frames
from geoctrl.stepping.compiled.writer import ARRAY, INDEX, MATRIX
from geoctrl.stepping.methods.loop import BEYOND, FORCES, INDEFINITE, INFINITE, NEWTON
from geoctrl.stepping.solvers.cholesky import factorise, solve_factorised
from geoctrl.stepping.solvers.elimination import eliminate
from tests.oracles.sphere_mass import MASS, SLOPE

__all__ = ["EXPLICIT", "IMPLICIT", "explicit", "implicit", "settle"]

CONVERGED = (
    4e-16  # correction relative to the coordinates of the step: their rounding, so that momenta keep theirs
)
STAGNANT = (
    1e-12  # corrections below this times n that no longer shrink are rounding too: long chains are stiff
)
SLOW = 0.2  # a chord iteration that gains less than this per iteration gives way to Newton's
CHORDS, NEWTONS, FIXED = 40, 30, 60

_KERNELS = (pointer(GRADIENT), pointer(FORCE), boolean, boolean, ARRAY, INDEX, ARRAY)
_RUN = (float64, float64, ARRAY, int64, int64, int64, types.float64[:, :, ::1], types.float64[:, :, ::1])
_RESULT = types.Tuple((int64, int64, int64, float64))
_STATE = (MATRIX, MATRIX, MATRIX, MATRIX, MATRIX)
EXPLICIT = _RESULT(*_STATE, ARRAY, *_KERNELS, *_RUN)
IMPLICIT = _RESULT(*_STATE, MATRIX, boolean, pointer(MASS), pointer(SLOPE), pointer(SLOPE), *_KERNELS, *_RUN)


def explicit(
    q, L, w, g, f, m,
    gradient, force, forced, damped, data, index, table, first, h, stages, steps, record, row, Q, W,
):  # fmt: skip
    """Do ``steps`` steps of diagonal inertia after the ``first`` ones, each ``record``-th to rows of Q and W.

    In place are q, L and what goes with them: angular velocities w as the forces f last saw them, and the
    gradient g. They are handed on, so that the numbers do not depend on how a run is cut into calls.
    Returns steps done, iterations, failure code, residual.
    """
    n = q.shape[0]
    new, moment, free = np.zeros((n, 3)), np.zeros((n, 3)), np.zeros((n, 3))
    iterations = 0
    for step in range(steps):
        t = (first + step) * h
        for gamma in stages:
            hs = gamma * h
            torque(q, f, g, moment)
            for i in range(n):
                for k in range(3):
                    L[i, k] += 0.5 * hs * moment[i, k]
                cross(L[i], q[i], new[i])
                size = 0.0
                for k in range(3):
                    new[i, k] *= hs / m[i]
                    size += new[i, k] ** 2
                if not size <= 1.0:
                    return step, iterations, BEYOND if size > 1.0 else INFINITE, math.sqrt(size)
                root = math.sqrt(1.0 - size)
                for k in range(3):
                    q[i, k] = new[i, k] + root * q[i, k]
            t += hs
            gradient(q, data, index, g)
            if not forced:
                torque(q, f, g, moment)
                L += 0.5 * hs * moment
                continue
            free[:] = L
            by_mass(L, m, w)
            gap = math.inf
            for _ in range(FIXED):
                force(t, q, w, table, data, index, f)
                torque(q, f, g, moment)
                L[:] = free + 0.5 * hs * moment
                gap = by_mass(L, m, w)
                iterations += 1
                if not damped or gap <= 1e-15:
                    break
            if damped and not gap <= STAGNANT:
                return step, iterations, FORCES, gap
        if not math.isfinite(L.sum()):
            return step, iterations, INFINITE, math.nan
        if (step + 1) % record == 0:
            Q[row] = q
            by_mass(L, m, W[row])
            row += 1
    return steps, iterations, 0, 0.0


@njit(cache=True, error_model="numpy")
def by_mass(L, m, w):
    """w_i = L_i / m_i; returns the largest change, relative to one or the size of w."""
    gap, size = 0.0, 1.0
    for i in range(L.shape[0]):
        for k in range(3):
            value = L[i, k] / m[i]
            gap = max(gap, abs(value - w[i, k]))
            size = max(size, abs(value))
            w[i, k] = value
    return gap / size


@njit(cache=True, error_model="numpy")
def torque(q, f, g, out):
    """out_i = q_i x (f_i - g_i)."""
    for i in range(q.shape[0]):
        a, b, c = f[i, 0] - g[i, 0], f[i, 1] - g[i, 1], f[i, 2] - g[i, 2]
        out[i, 0] = q[i, 1] * c - q[i, 2] * b
        out[i, 1] = q[i, 2] * a - q[i, 0] * c
        out[i, 2] = q[i, 0] * b - q[i, 1] * a


def implicit(
    q, L, w, g, f, M, varies, mass, mass_gradient, mass_rate,
    gradient, force, forced, damped, data, index, table, first, h, stages, steps, record, row, Q, W,
):  # fmt: skip
    """`explicit` for coupled inertia; ``M`` (n, n) is that at q, renewed if it ``varies``."""
    n = q.shape[0]
    moment = np.zeros((n, 3))
    d, S, new, free = np.zeros((n, 3)), np.zeros((n, 3)), np.zeros((n, 3)), np.zeros((n, 3))
    B, A, y = np.zeros((n, 2, 3)), np.zeros((2 * n, 2 * n)), np.zeros(2 * n)
    late = M.copy()
    iterations = 0
    if not factored(q, M, B, A):
        return 0, 0, INDEFINITE, 0.0
    for step in range(steps):
        t = (first + step) * h
        for gamma in stages:
            hs = gamma * h
            torque(q, f, g, moment)
            L += 0.5 * hs * moment
            count, residual = solve_step(
                q, L, hs, M, varies, mass, mass_gradient, mass_rate, data, index, B, A, y, d, S, new, late
            )
            iterations += count
            if not residual <= STAGNANT * n:
                return step, iterations, NEWTON, residual
            if varies:
                slopes(new, M, late, -d, varies, mass_gradient, data, index, S)
                S *= -1.0
                M[:] = late
            for i in range(n):
                for k in range(3):
                    q[i, k] = new[i, k]
                    S[i, k] /= hs
                cross(q[i], S[i], L[i])
            t += hs
            if not factored(q, M, B, A):
                return step, iterations, INDEFINITE, 0.0
            gradient(q, data, index, g)
            if not forced:
                torque(q, f, g, moment)
                L += 0.5 * hs * moment
                continue
            free[:] = L
            gap = math.inf
            for _ in range(FIXED):
                force(t, q, w, table, data, index, f)
                torque(q, f, g, moment)
                L[:] = free + 0.5 * hs * moment
                gap = rates(q, L, B, A, w)
                iterations += 1
                if not damped or gap <= 1e-15:
                    break
            if damped and not gap <= STAGNANT:
                return step, iterations, FORCES, gap
        if not math.isfinite(L.sum()):
            return step, iterations, INFINITE, math.nan
        if (step + 1) % record == 0:
            Q[row] = q
            rates(q, L, B, A, W[row])
            row += 1
    return steps, iterations, 0, 0.0


@njit(cache=True, error_model="numpy")
def factored(q, M, B, A):
    """Tangent bases at q and the Cholesky factor of the tangent inertia; False where it is indefinite."""
    frames(q, B)
    tangent_mass(M, B, A)
    return factorise(A)


@njit(cache=True, error_model="numpy")
def along(L, q, p):
    """p = L x q / q.q: without the division the rounding of |q| would pump the momentum from step to step."""
    cross(L, q, p)
    square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2]
    for k in range(3):
        p[k] /= square


@njit(cache=True, error_model="numpy")
def rates(q, L, B, A, w):
    """Angular velocities of the momenta L = q x p; returns the largest change, relative to one or their size.

    p = L x q, tangent velocities from A y = B p, w = q x v.
    """
    n = q.shape[0]
    v, y = np.empty((n, 3)), np.empty(2 * n)
    for i in range(n):
        along(L[i], q[i], v[i])
    lower(B, v, y)
    solve_factorised(A, y)
    lift(B, y, v)
    gap, size = 0.0, 1.0
    for i in range(n):
        cross(q[i], v[i], v[i])
        for k in range(3):
            gap = max(gap, abs(v[i, k] - w[i, k]))
            size = max(size, abs(v[i, k]))
            w[i, k] = v[i, k]
    return gap / size


@njit(cache=True, fastmath={"reassoc", "contract"}, error_model="numpy")
def slopes(q, M, late, d, varies, mass_gradient, data, index, S):
    """S_i(q, q + d), with the inertia M at q and ``late`` at the other end."""
    n = q.shape[0]
    for i in range(n):
        for k in range(3):
            S[i, k] = 0.0
        for j in range(n):
            m = 0.5 * (M[i, j] + late[i, j])
            for k in range(3):
                S[i, k] += m * d[j, k]
    if varies:
        extra = np.empty((n, 3))
        mass_gradient(q, d @ d.T, data, index, extra)
        S -= 0.5 * extra


@njit(cache=True, error_model="numpy")
def solve_step(q, L, h, M, varies, mass, mass_gradient, mass_rate, data, index, B, A, y, d, S, new, late):
    """Solve q x S(q, q') = h L for q'; leaves q' in ``new``, q' - q in d and S(q, q') in S.

    Unknown are the tangent coordinates y of z, with q' = ((1 - z.z) q + 2 z) / (1 + z.z) (Cayley). Chord
    iterations with the factored tangent inertia 2 A; where they are slow, Newton's with the exact Jacobian.
    Returns iterations and the size of the last correction.
    """
    n = q.shape[0]
    z, p = np.empty((n, 3)), np.empty((n, 3))
    r, target = np.empty(2 * n), np.empty(2 * n)
    for i in range(n):
        along(L[i], q[i], p[i])
    lower(B, p, target)
    target *= h
    y[:] = target
    solve_factorised(A, y)
    y *= 0.5
    last, exact = math.inf, False
    for iteration in range(CHORDS + NEWTONS):
        lift(B, y, z)
        cayley(q, z, new, d)
        if varies:
            mass(new, data, index, late)
        slopes(q, M, late, d, varies, mass_gradient, data, index, S)
        lower(B, S, r)
        r -= target
        if exact:
            J = jacobian(q, z, new, M, late, d, varies, mass_gradient, mass_rate, data, index, B)
            if not eliminate(J, r):
                return iteration + 1, math.inf
        else:
            solve_factorised(A, r)
            r *= 0.5
        if not math.isfinite(r.sum()):
            return iteration + 1, math.inf
        size, scale = 0.0, 1e-300
        for k in range(2 * n):
            y[k] -= r[k]
            size = max(size, abs(r[k]))
            scale = max(scale, abs(y[k]))
        size /= scale
        if size <= CONVERGED or (size <= STAGNANT * n and size >= 0.5 * last):
            if size > CONVERGED:  # else the last correction does not change what was computed
                lift(B, y, z)
                cayley(q, z, new, d)
                slopes(q, M, late, d, varies, mass_gradient, data, index, S)
            return iteration + 1, size
        exact = exact or (size > SLOW * last and size > STAGNANT * n) or iteration >= CHORDS
        last = size
    return CHORDS + NEWTONS, last


@njit(cache=True, error_model="numpy")
def cayley(q, z, new, d):
    """q' = ((1 - z.z) q + 2 z) / (1 + z.z) and, free of cancellation, d = q' - q."""
    for i in range(q.shape[0]):
        zz = z[i, 0] ** 2 + z[i, 1] ** 2 + z[i, 2] ** 2
        c = 2.0 / (1.0 + zz)
        for k in range(3):
            d[i, k] = c * (z[i, k] - zz * q[i, k])
            new[i, k] = c * z[i, k] + (c - 1.0) * q[i, k]


@njit(cache=True, error_model="numpy")
def jacobian(q, z, new, M, late, d, varies, mass_gradient, mass_rate, data, index, B):
    """Derivative (2n, 2n) of the tangent coordinates of S(q, q') by those of z.

    dq' = 2 dz / (1 + z.z) - 4 (q + z) (z.dz) / (1 + z.z)^2.
    """
    n = q.shape[0]
    J = np.empty((2 * n, 2 * n))
    move, dS, column = np.zeros((n, 3)), np.zeros((n, 3)), np.empty(2 * n)
    change, extra = np.zeros((n, n)), np.zeros((n, 3))
    for j in range(n):
        zz = z[j, 0] ** 2 + z[j, 1] ** 2 + z[j, 2] ** 2
        c = 2.0 / (1.0 + zz)
        for s in range(2):
            zd = z[j, 0] * B[j, s, 0] + z[j, 1] * B[j, s, 1] + z[j, 2] * B[j, s, 2]
            for k in range(3):
                move[j, k] = c * B[j, s, k] - c * c * zd * (q[j, k] + z[j, k])
            for i in range(n):
                m = 0.5 * (M[i, j] + late[i, j])
                for k in range(3):
                    dS[i, k] = m * move[j, k]
            if varies:
                mass_rate(new, move, data, index, change)
                dS += 0.5 * (change @ d)
                gram = move @ d.T
                mass_gradient(q, gram + gram.T, data, index, extra)
                dS -= 0.5 * extra
            lower(B, dS, column)
            J[:, 2 * j + s] = column
            for k in range(3):
                move[j, k] = 0.0
    return J


@njit(cache=True, fastmath={"reassoc", "contract"}, error_model="numpy")
def tangent_mass(M, B, A):
    """Lower triangle of A (2n, 2n): blocks m_ij B_i B_j^T."""
    for i in range(M.shape[0]):
        for j in range(i + 1):
            m = M[i, j]
            for r in range(2):
                for s in range(2):
                    dot = B[i, r, 0] * B[j, s, 0] + B[i, r, 1] * B[j, s, 1] + B[i, r, 2] * B[j, s, 2]
                    A[2 * i + r, 2 * j + s] = m * dot


@njit(cache=True, error_model="numpy")
def lower(B, v, y):
    """Coordinates y (2n,) of vectors v (n, 3): y_i = B_i v_i."""
    for i in range(v.shape[0]):
        for r in range(2):
            y[2 * i + r] = B[i, r, 0] * v[i, 0] + B[i, r, 1] * v[i, 1] + B[i, r, 2] * v[i, 2]


@njit(cache=True, error_model="numpy")
def lift(B, y, v):
    """Vectors v (n, 3) of coordinates y (2n,)."""
    for i in range(v.shape[0]):
        for k in range(3):
            v[i, k] = B[i, 0, k] * y[2 * i] + B[i, 1, k] * y[2 * i + 1]


_BASES = types.float64[:, :, ::1]
_SOLVER: dict[Any, tuple] = {
    slopes: (MATRIX, MATRIX, MATRIX, MATRIX, boolean, pointer(SLOPE), ARRAY, INDEX, MATRIX),
    solve_step: (
        MATRIX, MATRIX, float64, MATRIX, boolean, pointer(MASS), pointer(SLOPE), pointer(SLOPE), ARRAY, INDEX,
        _BASES, MATRIX, ARRAY, MATRIX, MATRIX, MATRIX, MATRIX,
    ),
    jacobian: (
        MATRIX, MATRIX, MATRIX, MATRIX, MATRIX, MATRIX, boolean, pointer(SLOPE), pointer(SLOPE), ARRAY, INDEX,
        _BASES,
    ),
}  # fmt: skip


@cache
def settle() -> None:
    """Compile the solver for kernels behind pointers and for nothing else.

    For loops that run as plain Python: else it would be compiled anew for every kernel that they hand to it.
    """
    for function, signature in _SOLVER.items():
        function.compile(signature)
        function.disable_compile()


@cache
def no_mass():
    """Kernels of an inertia that does not vary: none of them is called."""
    heads = (
        ("mass(q, data, index, out)", MASS),
        ("mass_gradient(q, gram, data, index, out)", SLOPE),
        ("mass_rate(q, v, data, index, out)", SLOPE),
    )
    return tuple(nothing(head, signature) for head, signature in heads)
