r"""Lie group variational steps on rotations, compiled.

State of a step: R and the momenta in space :math:`\ell_i = R_i \Pi_i`, :math:`\Pi = J\Omega + a(R)`. A step
turns each body by F, :math:`R' = e^{-h \hat w} R F` with w the ``frame_rate``. The discrete Lagrangian, sums
over bodies left out,

.. math::

    L_d(R, R') = \tfrac1h \mathrm{tr}\bigl((I - F) J_d\bigr) + \tfrac12 (a + a') \cdot s(F)
    - \tfrac h2 (U + U'), \qquad J_d = \tfrac12 \mathrm{tr}(J) I - J, \quad \hat s = \tfrac12 (F - F^T),

is that of [LLM07] with linear terms: s is :math:`h\Omega` to third order, and :math:`L_d(R', R; -h) =
-L_d(R, R'; h)`, so that the step is symmetric. With :math:`F = I + c(\hat f + \hat f^2)`,
:math:`c = 2 / (1 + f \cdot f)` (Cayley) it reads

.. math::

    \ell^+ &= \ell + \tfrac h2 R M + \tfrac12 R\, m(R), \\
    (1 + f \cdot f)\, h R^T \ell^+ &= 2 (J f + f \times J f)
    + h (\bar a + f \times \bar a - f\, (f \cdot \bar a)), \\
    \ell' &= e^{-h \hat w} \ell^+ + \tfrac12 R' m(R') + \tfrac h2 R' M',

with :math:`\bar a = \tfrac12 (a + a')`, :math:`m(R) = (R^T A - A^T R)^\vee` and
:math:`A = \partial (a \cdot s) / \partial R`, :math:`s = c f`. The second line is the vector form of
:math:`F J_d - J_d F^T = h \hat\Pi`: linear terms replace :math:`J_d` by :math:`J_d + \tfrac h2 \hat{\bar a}`.
Moments :math:`M = f_{ext} - (R^T \partial U - \partial U^T R)^\vee` enter at both ends (discrete
Lagrange-d'Alembert); those that depend on velocities make the last line implicit.

The momenta are kept in space, where nothing but moments changes them, and F less the identity, so that the
rounding of a step is that of R F and not of F. F is a rotation whatever f is, so that exact steps stay on the
group; rounding leaves it by some 1e-16 a step, which would add up, and linearly in a steady spin, where the
same F is rounded in the same way every time. Each step therefore ends with
:math:`R \leftarrow R + \tfrac12 R (I - R^T R)`, the nearest rotation to first order: a projection, but of no
more than the rounding of that step.

[LLM07] T. Lee, M. Leok, N. H. McClamroch, Comput. Methods Appl. Mech. Engrg. 196 (2007) 2907-2924.
"""

from __future__ import annotations

import math

import numpy as np
from numba import boolean, float64, int64, njit, types, void

from geoctrl.stepping.compiled.compiled import pointer
from geoctrl.stepping.compiled.forces import FORCE, GRADIENT
from geoctrl.stepping.compiled.writer import ARRAY, INDEX, MATRIX
from geoctrl.stepping.methods.loop import BEYOND, FORCES, INFINITE, NEWTON

__all__ = ["VARIATIONAL", "covector", "variational"]

COVECTOR = void(MATRIX, ARRAY, INDEX, MATRIX)
SLOPE = void(MATRIX, MATRIX, ARRAY, INDEX, MATRIX)

CONVERGED = 4e-16  # correction relative to f: its rounding
STAGNANT = 1e-12  # corrections below this that no longer shrink are rounding too
QUADRATIC = 1e-9  # what Newton's next correction would change is below rounding
ITERATIONS, FIXED = 60, 60

_KERNELS = (pointer(GRADIENT), pointer(FORCE), boolean, boolean, pointer(COVECTOR), pointer(SLOPE))
_DATA = (boolean, boolean, ARRAY, INDEX, ARRAY)
_ROWS = (types.float64[:, :, ::1], types.float64[:, :, ::1])
_RUN = (int64, float64, ARRAY, int64, int64, int64, *_ROWS)
VARIATIONAL = types.Tuple((int64, int64, int64, float64))(
    MATRIX, MATRIX, MATRIX, MATRIX, ARRAY, *_KERNELS, *_DATA, *_RUN
)


def variational(
    R, L, J, K, spin, gradient, force, forced, damped, covector, slope, linear, varies, data, index, table,
    first, h, stages, steps, record, row, attitudes, rates,
):  # fmt: skip
    """Do ``steps`` steps from step ``first`` on in place, writing every ``record``-th to rows.

    R is (3n, 3), L (n, 3); J and K are the inertias and their inverses (3n, 3). Returns steps done,
    iterations, failure code, residual.
    """
    n = L.shape[0]
    g, new, frame = np.zeros((3 * n, 3)), np.zeros((3 * n, 3)), np.zeros(3)
    w, m, free, f = np.zeros((n, 3)), np.zeros((n, 3)), np.zeros((n, 3)), np.zeros((n, 3))
    a, late, s = np.zeros((n, 3)), np.zeros((n, 3)), np.zeros((n, 3))
    spinning = spin[0] != 0.0 or spin[1] != 0.0 or spin[2] != 0.0
    iterations = 0
    if linear:
        covector(R, data, index, a)
    gradient(R, data, index, g)
    t, gap = first * h, 0.0
    if forced:
        force(t, R, w, table, data, index, m)
    for step in range(steps):
        for stage in range(stages.size):
            hs = stages[stage] * h
            if damped:  # anew, as m is from the last iterate but one: runs do not depend on their pieces
                velocities(R, L, a, K, w)
                force(t, R, w, table, data, index, m)
            turn_by(R, g, 0.5 * hs, L)
            if forced:
                push(R, m, 0.5 * hs, L)
            if spinning:
                frame_step(spin, hs, frame)
            if varies:
                count, residual = solve_varying(
                    R, L, J, K, hs, frame, spinning, covector, slope, data, index, a, late, g, s, new, f
                )
            else:
                count, residual = solve(R, L, J, K, a, hs, f)
                advance(R, f, frame, spinning, new)
            iterations += count
            if not residual <= STAGNANT:
                return step, iterations, NEWTON, residual
            size = 0.0
            for i in range(n):
                size = max(size, f[i, 0] ** 2 + f[i, 1] ** 2 + f[i, 2] ** 2)
            if size > 1.0:
                return step, iterations, BEYOND, math.sqrt(size)
            if spinning:
                carry(frame, L)
            settle(new, R)
            if varies:
                covector(R, data, index, a)
                slope(R, s, data, index, g)
                turn_by(R, g, -0.5, L)
            t = (first + step + 1) * h if stage == stages.size - 1 else t + hs
            gradient(R, data, index, g)
            turn_by(R, g, 0.5 * hs, L)
            if not forced:
                continue
            free[:] = L
            if damped:
                velocities(R, L, a, K, w)
            for _ in range(FIXED):
                force(t, R, w, table, data, index, m)
                L[:] = free
                push(R, m, 0.5 * hs, L)
                iterations += 1
                if not damped:
                    break
                gap = velocities(R, L, a, K, w)
                if gap <= 1e-15:
                    break
            if not math.isfinite(np.sum(L)):
                return step, iterations, INFINITE, math.inf
            if damped and not gap <= STAGNANT:
                return step, iterations, FORCES, gap
        if (step + 1) % record == 0:
            velocities(R, L, a, K, w)
            attitudes[row], rates[row] = R, w
            row += 1
    return steps, iterations, 0, 0.0


@njit(cache=True, error_model="numpy")
def turn_by(R, g, factor, L):
    """L_i += factor (R_i g_i^T - g_i R_i^T)^vee: the moment in space of a potential with ambient slope g."""
    for i in range(L.shape[0]):
        for k in range(3):
            r, s = 3 * i + (k + 2) % 3, 3 * i + (k + 1) % 3
            total = 0.0
            for c in range(3):
                total += R[r, c] * g[s, c] - R[s, c] * g[r, c]
            L[i, k] += factor * total


@njit(cache=True, error_model="numpy")
def push(R, f, factor, L):
    """L_i += factor R_i f_i."""
    for i in range(L.shape[0]):
        for k in range(3):
            r = 3 * i + k
            L[i, k] += factor * (R[r, 0] * f[i, 0] + R[r, 1] * f[i, 1] + R[r, 2] * f[i, 2])


@njit(cache=True, error_model="numpy")
def velocities(R, L, a, K, w):
    """Omega_i = J_i^{-1} (R_i^T l_i - a_i); returns the largest change, relative to one or their size."""
    gap, size = 0.0, 1.0
    p = np.empty(3)
    for i in range(L.shape[0]):
        for k in range(3):
            p[k] = R[3 * i, k] * L[i, 0] + R[3 * i + 1, k] * L[i, 1] + R[3 * i + 2, k] * L[i, 2] - a[i, k]
        for k in range(3):
            value = K[3 * i + k, 0] * p[0] + K[3 * i + k, 1] * p[1] + K[3 * i + k, 2] * p[2]
            gap = max(gap, abs(value - w[i, k]))
            size = max(size, abs(value))
            w[i, k] = value
    return gap / size


@njit(cache=True, error_model="numpy")
def cayley(x, y, z):
    """f = (x, y, z), f.f and c = 2 / (1 + f.f)."""
    size = x * x + y * y + z * z
    return x, y, z, size, 2.0 / (1.0 + size)


@njit(cache=True, error_model="numpy")
def turned(turn, a, b, c):
    """v = (a, b, c) turned by the `cayley` of f: v + c (f x v + (f.v) f - (f.f) v); little is added."""
    x, y, z, size, factor = turn
    along = a * x + b * y + c * z
    return (
        a + factor * ((y * c - z * b) + (along * x - size * a)),
        b + factor * ((z * a - x * c) + (along * y - size * b)),
        c + factor * ((x * b - y * a) + (along * z - size * c)),
    )


@njit(cache=True, error_model="numpy")
def advance(R, f, frame, spinning, new):
    """new_i = E R_i F(f_i), with E the `cayley` of ``frame`` where it spins."""
    for i in range(f.shape[0]):
        turn = cayley(-f[i, 0], -f[i, 1], -f[i, 2])  # of a row: F^T
        for r in range(3 * i, 3 * i + 3):
            new[r, 0], new[r, 1], new[r, 2] = turned(turn, R[r, 0], R[r, 1], R[r, 2])
    if spinning:
        turn = cayley(frame[0], frame[1], frame[2])
        for r in range(0, R.shape[0], 3):
            for k in range(3):
                new[r, k], new[r + 1, k], new[r + 2, k] = turned(
                    turn, new[r, k], new[r + 1, k], new[r + 2, k]
                )


@njit(cache=True, error_model="numpy")
def settle(new, R):
    """R_i = Q_i (3 I - Q_i^T Q_i) / 2, Q = ``new``: the polar factor of Q_i to the square of its defect."""
    for b in range(0, R.shape[0], 3):
        g00 = new[b, 0] ** 2 + new[b + 1, 0] ** 2 + new[b + 2, 0] ** 2 - 1.0
        g11 = new[b, 1] ** 2 + new[b + 1, 1] ** 2 + new[b + 2, 1] ** 2 - 1.0
        g22 = new[b, 2] ** 2 + new[b + 1, 2] ** 2 + new[b + 2, 2] ** 2 - 1.0
        g01 = new[b, 0] * new[b, 1] + new[b + 1, 0] * new[b + 1, 1] + new[b + 2, 0] * new[b + 2, 1]
        g02 = new[b, 0] * new[b, 2] + new[b + 1, 0] * new[b + 1, 2] + new[b + 2, 0] * new[b + 2, 2]
        g12 = new[b, 1] * new[b, 2] + new[b + 1, 1] * new[b + 1, 2] + new[b + 2, 1] * new[b + 2, 2]
        for r in range(b, b + 3):
            x, y, z = new[r, 0], new[r, 1], new[r, 2]
            R[r, 0] = x - 0.5 * (x * g00 + y * g01 + z * g02)
            R[r, 1] = y - 0.5 * (x * g01 + y * g11 + z * g12)
            R[r, 2] = z - 0.5 * (x * g02 + y * g12 + z * g22)


@njit(cache=True, error_model="numpy")
def carry(frame, L):
    """l_i = E l_i."""
    turn = cayley(frame[0], frame[1], frame[2])
    for i in range(L.shape[0]):
        L[i, 0], L[i, 1], L[i, 2] = turned(turn, L[i, 0], L[i, 1], L[i, 2])


@njit(cache=True, error_model="numpy")
def frame_step(spin, h, frame):
    """Cayley coordinates of exp(-h hat(spin)): -tan(h |spin| / 2) spin / |spin|."""
    rate = math.sqrt(spin[0] ** 2 + spin[1] ** 2 + spin[2] ** 2)
    for k in range(3):
        frame[k] = -math.tan(0.5 * h * rate) / rate * spin[k]


@njit(cache=True, error_model="numpy")
def body_momentum(R, L, h, i):
    """h R_i^T l_i."""
    b = 3 * i
    x, y, z = h * L[i, 0], h * L[i, 1], h * L[i, 2]
    return (
        R[b, 0] * x + R[b + 1, 0] * y + R[b + 2, 0] * z,
        R[b, 1] * x + R[b + 1, 1] * y + R[b + 2, 1] * z,
        R[b, 2] * x + R[b + 1, 2] * y + R[b + 2, 2] * z,
    )


@njit(cache=True, error_model="numpy")
def first_guess(p, a, K, h, i, f):
    """f_i = 1/2 J_i^{-1} (p - h a_i), to which the solution tends with h."""
    for r in range(3):
        k = 3 * i + r
        x, y, z = p[0] - h * a[i, 0], p[1] - h * a[i, 1], p[2] - h * a[i, 2]
        f[i, r] = 0.5 * (K[k, 0] * x + K[k, 1] * y + K[k, 2] * z)


@njit(cache=True, error_model="numpy")
def correct(J, a, p, h, i, f):
    """Newton's correction of f_i in (1 + f.f) p = 2 (J f + f x J f) + h (a + f x a - f (f.a)).

    Returns its size relative to f.
    """
    b = 3 * i
    x, y, z = f[i, 0], f[i, 1], f[i, 2]
    a0, a1, a2 = h * a[i, 0], h * a[i, 1], h * a[i, 2]
    j00, j01, j02 = 2.0 * J[b, 0], 2.0 * J[b, 1], 2.0 * J[b, 2]
    j11, j12, j22 = 2.0 * J[b + 1, 1], 2.0 * J[b + 1, 2], 2.0 * J[b + 2, 2]
    m0 = j00 * x + j01 * y + j02 * z + a0
    m1 = j01 * x + j11 * y + j12 * z + a1
    m2 = j02 * x + j12 * y + j22 * z + a2
    s, c = x * a0 + y * a1 + z * a2, 1.0 + (x * x + y * y + z * z)
    r0 = m0 + (y * m2 - z * m1) - x * s - c * p[0]
    r1 = m1 + (z * m0 - x * m2) - y * s - c * p[1]
    r2 = m2 + (x * m1 - y * m0) - z * s - c * p[2]
    # 2 J + 2 hat(f) J - hat(2 J f + h a) - (f.h a) I - f (h a)^T - 2 p f^T
    x2, y2, z2 = 2.0 * x, 2.0 * y, 2.0 * z
    a00 = j00 + y * j02 - z * j01 - s - x * a0 - p[0] * x2
    a01 = j01 + y * j12 - z * j11 + m2 - x * a1 - p[0] * y2
    a02 = j02 + y * j22 - z * j12 - m1 - x * a2 - p[0] * z2
    a10 = j01 + z * j00 - x * j02 - m2 - y * a0 - p[1] * x2
    a11 = j11 + z * j01 - x * j12 - s - y * a1 - p[1] * y2
    a12 = j12 + z * j02 - x * j22 + m0 - y * a2 - p[1] * z2
    a20 = j02 + x * j01 - y * j00 + m1 - z * a0 - p[2] * x2
    a21 = j12 + x * j11 - y * j01 - m0 - z * a1 - p[2] * y2
    a22 = j22 + x * j12 - y * j02 - s - z * a2 - p[2] * z2
    c0, c1, c2 = a11 * a22 - a12 * a21, a12 * a20 - a10 * a22, a10 * a21 - a11 * a20
    over = 1.0 / (a00 * c0 + a01 * c1 + a02 * c2)
    d0 = (c0 * r0 + (a02 * a21 - a01 * a22) * r1 + (a01 * a12 - a02 * a11) * r2) * over
    d1 = (c1 * r0 + (a00 * a22 - a02 * a20) * r1 + (a02 * a10 - a00 * a12) * r2) * over
    d2 = (c2 * r0 + (a01 * a20 - a00 * a21) * r1 + (a00 * a11 - a01 * a10) * r2) * over
    f[i, 0], f[i, 1], f[i, 2] = x - d0, y - d1, z - d2
    size = max(abs(f[i, 0]), abs(f[i, 1]), abs(f[i, 2]), 1e-300)
    return max(abs(d0), abs(d1), abs(d2)) / size


@njit(cache=True, error_model="numpy")
def solve(R, L, J, K, a, h, f):
    """Solve each body's equation for f_i, by Newton; returns iterations and the largest last correction."""
    iterations = 0
    for i in range(L.shape[0]):
        p = body_momentum(R, L, h, i)
        first_guess(p, a, K, h, i, f)
        last = math.inf
        for _ in range(ITERATIONS):
            size = correct(J, a, p, h, i, f)
            iterations += 1
            if size <= QUADRATIC or (size <= STAGNANT and size >= 0.5 * last):
                break
            if not math.isfinite(size):
                return iterations, math.inf
            last = size
        else:
            return iterations, last
    return iterations, 0.0


@njit(cache=True, error_model="numpy")
def solve_varying(
    R, L, J, K, h, frame, spinning, covector, slope, data, index, a, late, g, s, new, f
):  # fmt: skip
    """Solve with a that depends on R; leaves R' in ``new``, a(R') in ``late``, l+ in L and s(F) in ``s``.

    Newton's corrections with the mean of a and the moments m taken from the last iterate: they are h times
    smaller than the rest, so that the error shrinks by a multiple of h with each.
    """
    n = L.shape[0]
    free, mean = L.copy(), np.empty((n, 3))
    for i in range(n):
        first_guess(body_momentum(R, L, h, i), a, K, h, i, f)
    last = math.inf
    for iteration in range(ITERATIONS):
        for i in range(n):
            c = 2.0 / (1.0 + f[i, 0] ** 2 + f[i, 1] ** 2 + f[i, 2] ** 2)
            for k in range(3):
                s[i, k] = c * f[i, k]
        slope(R, s, data, index, g)
        L[:] = free
        turn_by(R, g, -0.5, L)
        advance(R, f, frame, spinning, new)
        covector(new, data, index, late)
        size = 0.0
        for i in range(n):
            for k in range(3):
                mean[i, k] = 0.5 * (a[i, k] + late[i, k])
            size = max(size, correct(J, mean, body_momentum(R, L, h, i), h, i, f))
        if size <= CONVERGED or (size <= STAGNANT and size >= 0.5 * last):
            return iteration + 1, size
        if not math.isfinite(size):
            return iteration + 1, math.inf
        last = size
    return ITERATIONS, last


def covector(kinetic, n):
    """The kernel of the linear terms a (n, 3), from the one that gives them with their rate."""

    def a(R, data, index, out):
        both = np.empty((2 * n, 3))
        kinetic(R, np.zeros(R.shape), data, index, both)
        out[:] = both[:n]

    return njit(COVECTOR, error_model="numpy")(a)
