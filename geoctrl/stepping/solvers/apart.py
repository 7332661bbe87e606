r"""Steps of bodies that inertia does not couple: attitudes by Newton's iteration for each, others explicit.

A step turns the attitude of a body by F, :math:`R' = R F`. The discrete Lagrangian

.. math::

    L_d(R, R') = \tfrac1h \mathrm{tr}\bigl((I - F) J_d\bigr) + \tfrac12 (a + a') \cdot s(F)
    - \tfrac h2 (U + U'), \qquad J_d = \tfrac12 \mathrm{tr}(J) I - J, \quad \hat s = \tfrac12 (F - F^T),

is that of [LLM07] with linear terms: :math:`\Pi = J\Omega + a(R)` is the momentum in the body, s is
:math:`h\Omega` to third order, and :math:`L_d(R', R; -h) = -L_d(R, R'; h)`, so that the step is symmetric.
With :math:`F = I + c(\hat f + \hat f^2)`, :math:`c = 2 / (1 + f \cdot f)` (Cayley) it reads

.. math::

    \ell &\leftarrow \ell + \tfrac12 R\, m(R), \\
    (1 + f \cdot f)\, h R^T \ell &= 2 (J f + f \times J f)
    + h (\bar a + f \times \bar a - f\, (f \cdot \bar a)), \\
    \ell &\leftarrow \ell + \tfrac12 R' m(R'),

with :math:`\bar a = \tfrac12 (a + a')`, :math:`m(R) = (R^T A - A^T R)^\vee` and
:math:`A = \partial (a \cdot s) / \partial R`, :math:`s = c f`. The second line is the vector form of
:math:`F J_d - J_d F^T = h \hat\Pi`: linear terms replace :math:`J_d` by :math:`J_d + \tfrac h2 \hat{\bar a}`.

Kernels, called where the linear terms depend on attitudes: ``kinetic(z, V)`` is a (B, 3) and, below, its rate
(B, 3) as attitudes move with V; ``curvature(z, s)`` is the slope (N, 3) of :math:`\sum a \cdot s`.

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
from typing import Any, NamedTuple

import numpy as np
from numba import boolean

from geoctrl.stepping.compiled.bodies import ATTITUDE, BODIES, carry, turn_by
from geoctrl.stepping.compiled.compiled import fields, inner
from geoctrl.stepping.compiled.vectors import cayley, copy, turned_vector
from geoctrl.stepping.compiled.writer import ARRAY, MATRIX
from geoctrl.stepping.methods.loop import BEYOND, INFINITE, NEWTON
from geoctrl.stepping.methods.variational import ROWS, Solver
from geoctrl.stepping.solvers.explicit import acceleration, glide

__all__ = ["SOLVER", "Apart", "apart_system"]

CONVERGED = 4e-16  # correction relative to f: its rounding
STAGNANT = 1e-12  # corrections below this that no longer shrink are rounding too
QUADRATIC = 1e-9  # what Newton's next correction would change is below rounding
ITERATIONS = 60


class Apart(NamedTuple):
    """Bodies, masses (B,) of places and directions, inertias J of attitudes and their inverses K (3B, 3).

    Linear terms a (B, 3) are constants, or room where they ``vary``; so is ``room`` (4, N + B, 3).
    """

    bodies: Any
    mass: Any
    J: Any
    K: Any
    a: Any
    vary: Any
    room: Any


APART = fields(Apart, BODIES, ARRAY, MATRIX, MATRIX, MATRIX, boolean, ROWS)


def apart_system(bodies: np.ndarray, inertia: Any, linear: np.ndarray | None = None) -> Apart:
    """The system of ``bodies``, with a mass or a matrix (3, 3) for each and linear terms (B, 3) of attitudes.

    ``linear`` is None for terms that the kernels give.
    """
    count = len(bodies)
    mass, J = np.ones(count), np.tile(np.eye(3), (count, 1, 1))
    for b, given in enumerate(inertia):
        if np.ndim(given):
            J[b] = given
        else:
            mass[b] = given
    return Apart(
        bodies,
        mass,
        J.reshape(-1, 3),
        np.linalg.inv(J).reshape(-1, 3),
        np.zeros((count, 3)) if linear is None else np.array(linear, dtype=float),
        linear is None,
        np.zeros((4, 4 * count, 3)),
    )


def step(z, L, h, frame, _taken, _stage, system, kinetic, curvature, data, index):
    """From z, L^+ to z', L' (`geoctrl.stepping.methods.variational.Solver`)."""
    bodies, f = system.bodies, system.room[0]
    if system.vary:
        count, size = solve_varying(z, L, h, frame, system, kinetic, curvature, data, index, f)
    else:
        count, size = solve(z, L, h, bodies, system.J, system.K, system.a, f)
    if not size <= STAGNANT:
        return count, NEWTON, size
    for b in range(bodies.shape[0]):
        i = bodies[b, 1]
        if bodies[b, 0] != ATTITUDE:
            size = glide(bodies[b, 0], z, i, L, b, h / system.mass[b])
        else:
            size = f[b, 0] ** 2 + f[b, 1] ** 2 + f[b, 2] ** 2
            advance(z, i, f[b])
            settle(z, i)
        if not size <= 1.0:
            return count, BEYOND if size > 1.0 else INFINITE, math.sqrt(size)
    if system.vary:
        leave(z, L, frame, system, curvature, data, index, f)
    return count, 0, 0.0


@inner
def advance(z, i, f):
    """R F(f) in place of R, the rows from i on."""
    turn = cayley(-f[0], -f[1], -f[2])  # of a row: F^T
    for r in range(i, i + 3):
        z[r, 0], z[r, 1], z[r, 2] = turned_vector(turn, z[r, 0], z[r, 1], z[r, 2])


@inner
def settle(z, b):
    """R (3 I - R^T R) / 2 in place of R, the rows from b on: its polar factor to the square of its defect."""
    g00 = z[b, 0] ** 2 + z[b + 1, 0] ** 2 + z[b + 2, 0] ** 2 - 1.0
    g11 = z[b, 1] ** 2 + z[b + 1, 1] ** 2 + z[b + 2, 1] ** 2 - 1.0
    g22 = z[b, 2] ** 2 + z[b + 1, 2] ** 2 + z[b + 2, 2] ** 2 - 1.0
    g01 = z[b, 0] * z[b, 1] + z[b + 1, 0] * z[b + 1, 1] + z[b + 2, 0] * z[b + 2, 1]
    g02 = z[b, 0] * z[b, 2] + z[b + 1, 0] * z[b + 1, 2] + z[b + 2, 0] * z[b + 2, 2]
    g12 = z[b, 1] * z[b, 2] + z[b + 1, 1] * z[b + 1, 2] + z[b + 2, 1] * z[b + 2, 2]
    for r in range(b, b + 3):
        x, y, c = z[r, 0], z[r, 1], z[r, 2]
        z[r, 0] = x - 0.5 * (x * g00 + y * g01 + c * g02)
        z[r, 1] = y - 0.5 * (x * g01 + y * g11 + c * g12)
        z[r, 2] = c - 0.5 * (x * g02 + y * g12 + c * g22)


@inner
def in_body(z, i, L, b, h):
    """h R^T l, R the rows from i on."""
    x, y, c = h * L[b, 0], h * L[b, 1], h * L[b, 2]
    return (
        z[i, 0] * x + z[i + 1, 0] * y + z[i + 2, 0] * c,
        z[i, 1] * x + z[i + 1, 1] * y + z[i + 2, 1] * c,
        z[i, 2] * x + z[i + 1, 2] * y + z[i + 2, 2] * c,
    )


@inner
def first_guess(p, a, K, h, b, f):
    """f_b = 1/2 J_b^{-1} (p - h a_b), to which the solution tends with h."""
    x, y, z = p[0] - h * a[b, 0], p[1] - h * a[b, 1], p[2] - h * a[b, 2]
    for r in range(3):
        k = 3 * b + r
        f[b, r] = 0.5 * (K[k, 0] * x + K[k, 1] * y + K[k, 2] * z)


@inner
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


@inner
def solve(z, L, h, bodies, J, K, a, f):
    """Solve each attitude's equation for f_b by Newton; returns iterations and the last large correction."""
    iterations = 0
    for b in range(bodies.shape[0]):
        if bodies[b, 0] != ATTITUDE:
            continue
        p = in_body(z, bodies[b, 1], L, b, h)
        first_guess(p, a, K, h, b, f)
        last = math.inf
        for _ in range(ITERATIONS):
            size = correct(J, a, p, h, b, f)
            iterations += 1
            if size <= QUADRATIC or (size <= STAGNANT and size >= 0.5 * last):
                break
            if not math.isfinite(size):
                return iterations, math.inf
            last = size
        else:
            return iterations, last
    return iterations, 0.0


@inner
def solve_varying(z, L, h, frame, system, kinetic, curvature, data, index, f):
    """`solve` with a that depends on attitudes; adds to L the moments m(R) of the first line.

    Newton's corrections with the mean of a and the moments m taken from the last iterate: they are h times
    smaller than the rest, so that the error shrinks by a multiple of h with each. The other end is seen in
    the axes of the frame, which turns in the meantime.
    """
    bodies, J, a = system.bodies, system.J, system.a
    count, rows = bodies.shape[0], z.shape[0]
    s, both, slope, new = system.room[1], system.room[2], system.room[3][:rows], np.empty(z.shape)
    free, still, ends = L.copy(), np.zeros(z.shape), np.empty((2 * count, 3))
    kinetic(z, still, data, index, ends)
    copy(ends[:count], a)
    for b in range(count):
        if bodies[b, 0] == ATTITUDE:
            first_guess(in_body(z, bodies[b, 1], L, b, h), a, system.K, h, b, f)
    size, last = math.inf, math.inf
    for iteration in range(ITERATIONS):
        arcs(bodies, f, s)
        curvature(z, s[:count], data, index, slope)
        copy(free, L)
        other_end(bodies, frame, z, f, new)
        kinetic(new, still, data, index, ends)
        size = 0.0
        for b in range(count):
            if bodies[b, 0] != ATTITUDE:
                continue
            turn_by(z, slope, -0.5, bodies[b, 1], b, L)
            for k in range(3):
                both[b, k] = 0.5 * (a[b, k] + ends[b, k])
            size = max(size, correct(J, both, in_body(z, bodies[b, 1], L, b, h), h, b, f))
        if size <= CONVERGED or (size <= STAGNANT and size >= 0.5 * last):
            return iteration + 1, size
        if not math.isfinite(size):
            return iteration + 1, math.inf
        last = size
    return ITERATIONS, last


@inner
def arcs(bodies, f, s):
    """s_b = 2 f_b / (1 + f_b.f_b) of attitudes, zero of others."""
    for b in range(bodies.shape[0]):
        c = 2.0 / (1.0 + f[b, 0] ** 2 + f[b, 1] ** 2 + f[b, 2] ** 2)
        for k in range(3):
            s[b, k] = c * f[b, k] if bodies[b, 0] == ATTITUDE else 0.0


@inner
def other_end(bodies, frame, z, f, new):
    """Configuration after the turns f, in the axes of the frame at the end."""
    copy(z, new)
    none = np.zeros((bodies.shape[0], 3))
    for b in range(bodies.shape[0]):
        if bodies[b, 0] == ATTITUDE:
            advance(new, bodies[b, 1], f[b])
    carry(bodies, frame, new, none)


@inner
def leave(z, L, frame, system, curvature, data, index, f):
    """Add to L the moments m(R') of the last line, R' = z in the axes of the frame at the end."""
    bodies, count = system.bodies, system.bodies.shape[0]
    new, slope, more = z.copy(), np.empty(z.shape), np.zeros((count, 3))
    carry(bodies, frame, new, more)
    arcs(bodies, f, system.room[1])
    curvature(new, system.room[1][:count], data, index, slope)
    turn = cayley(-frame[0], -frame[1], -frame[2])
    for b in range(count):
        if bodies[b, 0] == ATTITUDE:
            turn_by(new, slope, -0.5, bodies[b, 1], b, more)
            x, y, c = turned_vector(turn, more[b, 0], more[b, 1], more[b, 2])
            L[b, 0] += x
            L[b, 1] += y
            L[b, 2] += c


def rates(z, L, system, kinetic, _curvature, data, index, w):
    """Velocities of momenta; the largest change of w relative to one or their size."""
    bodies, a, K, gap, size = system.bodies, system.a, system.K, 0.0, 1.0
    if system.vary:
        ends = np.empty((2 * bodies.shape[0], 3))
        kinetic(z, np.zeros(z.shape), data, index, ends)
        copy(ends[: bodies.shape[0]], a)
    for b in range(bodies.shape[0]):
        if bodies[b, 0] == ATTITUDE:
            x, y, c = in_body(z, bodies[b, 1], L, b, 1.0)
            x, y, c = x - a[b, 0], y - a[b, 1], c - a[b, 2]
        for k in range(3):
            if bodies[b, 0] == ATTITUDE:
                value = K[3 * b + k, 0] * x + K[3 * b + k, 1] * y + K[3 * b + k, 2] * c
            else:
                value = L[b, k] / system.mass[b]
            gap = max(gap, abs(value - w[b, k]))
            size = max(size, abs(value))
            w[b, k] = value
    return gap / size


def accelerate(z, w, dz, g, f, system, kinetic, curvature, data, index, dw):
    """Accelerations (`geoctrl.stepping.methods.variational.Solver`); of an attitude

    J Omegadot = (J Omega + a) x Omega - Da(R) Rdot - (R^T G - G^T R)^vee + f, G = d/dR (U - a.Omega).
    """
    bodies, a, count = system.bodies, system.a, system.bodies.shape[0]
    p, slope = system.room[1], g
    for b in range(count):
        p[b, 0], p[b, 1], p[b, 2] = f[b, 0], f[b, 1], f[b, 2]
    if system.vary:
        ends, slope = np.empty((2 * count, 3)), np.empty(z.shape)
        kinetic(z, dz, data, index, ends)
        curvature(z, w, data, index, slope)
        for i in range(z.shape[0]):
            for k in range(3):
                slope[i, k] = g[i, k] - slope[i, k]
        for b in range(count):
            for k in range(3):
                a[b, k] = ends[b, k]
                p[b, k] -= ends[count + b, k]
    for b in range(count):
        i = bodies[b, 1]
        if bodies[b, 0] == ATTITUDE:
            turn(z, i, slope, w, a, p, system.J, system.K, b, dw)
            continue
        acceleration(bodies[b, 0], z[i], g[i], f[b], system.mass[b], dw[b])
    return True


@inner
def turn(z, i, g, w, a, p, J, K, b, dw):
    """dw_b = J_b^{-1} ((J_b Omega_b + a_b) x Omega_b - (R^T g - g^T R)^vee + p_b), R the rows from i on."""
    m, q = np.empty(3), np.empty(3)
    for k in range(3):
        r = 3 * b + k
        m[k] = a[b, k] + J[r, 0] * w[b, 0] + J[r, 1] * w[b, 1] + J[r, 2] * w[b, 2]
    for k in range(3):
        r, s = (k + 1) % 3, (k + 2) % 3
        q[k] = p[b, k] + m[r] * w[b, s] - m[s] * w[b, r]
        for c in range(i, i + 3):
            q[k] += z[c, r] * g[c, s] - z[c, s] * g[c, r]
    for k in range(3):
        r = 3 * b + k
        dw[b, k] = K[r, 0] * q[0] + K[r, 1] * q[1] + K[r, 2] * q[2]


SOLVER = Solver(step, rates, accelerate, APART)
