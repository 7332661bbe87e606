r"""Steps of any product of bodies with any kinetic energy K(z, u): Newton's iteration in tangent coordinates.

Unknown are coordinates y of each body: two across a direction, with :math:`z' = ((1 - v \cdot v)\, z + 2 v) /
(1 + v \cdot v)`, :math:`v = \sum y_a t_a` (Cayley); three of an attitude, with :math:`R' = R F(y)`; of a
place those along its tangents, with :math:`z' = z + \sum y_a t_a`. With :math:`\delta_a z` the rates of the
rows as coordinate a begins to move,

.. math::

    \sum_j S_j \cdot \delta_a z_j = h\, p_a, \qquad
    \frac{\partial S}{\partial z'} = \tfrac12 (K_{uu} + K'_{uu}) + \tfrac h2 (K'_{uz} - K_{zu}),

p the momenta along the same motions. Velocities of momenta and accelerations solve equations of the same form
in :math:`\sum_j (K_{uu}\, \delta_b z)_j \cdot \delta_a z_j`. In a frame that turns, by E in a step, the other
end is seen in its axes: K' is K at :math:`E z'` and :math:`E u`.

The energy is half the square of u in a constant matrix G (3N, 3N), and what kernels give: ``kinetic(z, u)``
is (2N, 3), the slopes of K by z and below them those by u; ``curvature(x, y)`` is how they change, x (2N, 3)
being z and below it its change, y the same of u.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numba import boolean

from geoctrl.stepping.compiled.bodies import ATTITUDE, BODIES, DIRECTION, PLACE, carry
from geoctrl.stepping.compiled.compiled import fields, inner
from geoctrl.stepping.compiled.vectors import add, copy, copy_with_change
from geoctrl.stepping.compiled.writer import ARRAY, INDEX, MATRIX
from geoctrl.stepping.methods.loop import INDEFINITE, NEWTON
from geoctrl.stepping.methods.variational import QUADRATIC, ROWS, STAGNANT, Solver
from geoctrl.stepping.solvers.apart import settle
from geoctrl.stepping.solvers.coordinates import (
    bases,
    begin,
    impulses,
    lift,
    lower,
    momenta_along,
    retract,
    row_rates,
    rows_of,
    spin_products,
    spin_share,
    turn_with,
    velocities_for,
    zero,
)
from geoctrl.stepping.solvers.dense import eliminate, factorise, solve_factorised

__all__ = ["SOLVER", "Coupled", "coupled_system"]

ITERATIONS = 40


class Coupled(NamedTuple):
    """Bodies, where coordinates of each begin, tangents (B, 3, 3) of places, the matrix G, the frame's rate.

    ``written`` says whether kernels give more of the energy; ``rate`` (B, 3) are the velocities in the middle
    of the last step, which are handed on.
    """

    bodies: Any
    freedom: Any
    tangents: Any
    G: Any
    spin: Any
    written: Any
    rate: Any


COUPLED = fields(Coupled, BODIES, INDEX, ROWS, MATRIX, ARRAY, boolean, MATRIX)


def coupled_system(
    bodies: np.ndarray,
    G: np.ndarray | None = None,
    spin: Any = (0.0, 0.0, 0.0),
    tangents: dict[int, np.ndarray] | None = None,
    written: bool = False,
) -> Coupled:
    """The system of ``bodies`` with a matrix G (3N, 3N), with kernels, or both; ``tangents`` of places held.

    Those (k, 3) of a place, by its number, are orthonormal: it stays in what they span.
    """
    count = len(bodies)
    basis, free = np.tile(np.eye(3), (count, 1, 1)), np.where(bodies[:, 0] == DIRECTION, 2, 3)
    for b, given in (tangents or {}).items():
        free[b] = len(given)
        basis[b, : len(given)] = given
    size = 3 * int(np.sum(np.where(bodies[:, 0] == ATTITUDE, 3, 1)))
    matrix = np.zeros((size, size)) if G is None else np.ascontiguousarray(G, dtype=float)
    ends = np.cumsum([0, *free])
    return Coupled(bodies, ends, basis, matrix, np.array(spin, dtype=float), written, np.zeros((count, 3)))


def step(z, L, h, frame, _taken, _stage, system, kinetic, curvature, data, index):
    """From z, L^+ to z', L' (`geoctrl.stepping.methods.variational.Solver`)."""
    bodies, freedom = system.bodies, system.freedom
    T, y, target = system.tangents.copy(), np.empty(freedom[-1]), np.empty(freedom[-1])
    new, D, S, w = np.empty(z.shape), np.empty(z.shape), np.empty(z.shape), np.empty(L.shape)
    bases(bodies, z, T)
    momenta_along(bodies, freedom, z, T, L, h, target)
    if not velocities(z, L, system, kinetic, curvature, data, index, T, w):
        return 0, INDEFINITE, 0.0
    begin(bodies, freedom, z, T, w, h, y)
    count, size = solve(z, h, frame, system, kinetic, curvature, data, index, T, target, y, new, D, S)
    if not size <= STAGNANT:
        return count, NEWTON, size
    meet(z, h, frame, system, kinetic, data, index, new, D, S, 1.0)
    velocities_for(bodies, freedom, z, T, y, 1.0 / h, system.rate)
    copy(new, z)
    for b in range(bodies.shape[0]):
        if bodies[b, 0] == ATTITUDE:
            settle(z, bodies[b, 1])
    impulses(bodies, z, S, 1.0 / h, L)
    return count, 0, 0.0


@inner
def product(G, u, out):
    """out = G u for rows u."""
    n = u.shape[0]
    for i in range(n):
        for k in range(3):
            total = 0.0
            for j in range(n):
                for c in range(3):
                    total += G[3 * i + k, 3 * j + c] * u[j, c]
            out[i, k] = total


@inner
def slopes(z, u, system, kinetic, data, index, out):
    """The slopes of the energy by z and, below, by u."""
    n, extra = z.shape[0], np.empty(out.shape)
    for i in range(n):
        for k in range(3):
            out[i, k] = 0.0
    product(system.G, u, out[n:])
    if system.written:
        kinetic(z, u, data, index, extra)
        add(1.0, extra, out)


@inner
def slope_changes(z, u, dz, du, system, curvature, data, index, out):
    """How `slopes` change with z and u."""
    n, extra = z.shape[0], np.empty(out.shape)
    for i in range(n):
        for k in range(3):
            out[i, k] = 0.0
    product(system.G, du, out[n:])
    if not system.written:
        return
    both, pace = np.empty(out.shape), np.empty(out.shape)
    copy(z, both[:n])
    copy(dz, both[n:])
    copy(u, pace[:n])
    copy(du, pace[n:])
    curvature(both, pace, data, index, extra)
    add(1.0, extra, out)


@inner
def turn_rows(bodies, frame, rows):
    """Turn rows by the step of the frame; `carry` without momenta."""
    carry(bodies, frame, rows, np.zeros((bodies.shape[0], 3)))


@inner
def meet(z, h, frame, system, kinetic, data, index, new, D, S, factor):
    """S = h (1/2 (K_u + K_u') + factor h/2 K_z), with K_z of the beginning for -1, of the end for 1."""
    n, bodies = z.shape[0], system.bodies
    u, there, near, far = D / h, new.copy(), np.empty((2 * n, 3)), np.empty((2 * n, 3))
    slopes(z, u, system, kinetic, data, index, near)
    turn_rows(bodies, frame, there)
    turn_rows(bodies, frame, u)
    slopes(there, u, system, kinetic, data, index, far)
    turn_rows(bodies, -frame, far[:n])
    turn_rows(bodies, -frame, far[n:])
    for i in range(n):
        for k in range(3):
            force = -near[i, k] if factor < 0.0 else far[i, k]
            S[i, k] = 0.5 * h * (near[n + i, k] + far[n + i, k] + h * force)


@inner
def solve(z, h, frame, system, kinetic, curvature, data, index, T, target, y, new, D, S):
    """Newton's iteration for y; leaves z', D and S. Returns iterations and the last relative correction."""
    bodies, freedom = system.bodies, system.freedom
    d, n = y.size, z.shape[0]
    J, r, last = np.empty((d, d)), np.empty(d), math.inf
    retract(bodies, freedom, z, T, y, new, D)
    meet(z, h, frame, system, kinetic, data, index, new, D, S, -1.0)
    for iteration in range(ITERATIONS):
        lower(bodies, freedom, z, T, S, r)
        for a in range(d):
            r[a] -= target[a]
        jacobian(z, h, frame, system, curvature, data, index, T, y, new, D, J)
        if not eliminate(J, r):
            return iteration + 1, math.inf
        size, scale = 0.0, 1e-300
        for a in range(d):
            y[a] -= r[a]
            size = max(size, abs(r[a]))
            scale = max(scale, abs(y[a]))
        if not math.isfinite(size):
            return iteration + 1, math.inf
        size /= scale
        retract(bodies, freedom, z, T, y, new, D)
        meet(z, h, frame, system, kinetic, data, index, new, D, S, -1.0)
        if size <= QUADRATIC or (size <= STAGNANT * n and size >= 0.5 * last):
            return iteration + 1, 0.0
        last = size
    return ITERATIONS, last


@inner
def jacobian(z, h, frame, system, curvature, data, index, T, y, new, D, J):
    """Derivative of the coordinates of S by y."""
    bodies, freedom, n = system.bodies, system.freedom, z.shape[0]
    move, still, column = np.zeros(z.shape), np.zeros(z.shape), np.empty(y.size)
    near, far, dS, u = np.empty((2 * n, 3)), np.empty((2 * n, 3)), np.empty(z.shape), D / h
    there, pace = new.copy(), u.copy()
    turn_rows(bodies, frame, there)
    turn_rows(bodies, frame, pace)
    for b in range(bodies.shape[0]):
        for a in range(freedom[b], freedom[b + 1]):
            row_rates(bodies, freedom, z, T, y, new, b, a, move)
            slope_changes(z, u, still, move / h, system, curvature, data, index, near)
            turn_rows(bodies, frame, move)
            slope_changes(there, pace, move, move / h, system, curvature, data, index, far)
            turn_rows(bodies, -frame, far[n:])
            for i in range(n):
                for k in range(3):
                    dS[i, k] = 0.5 * h * (near[n + i, k] + far[n + i, k] - h * near[i, k])
            lower(bodies, freedom, z, T, dS, column)
            for c in range(y.size):
                J[c, a] = column[c]
            zero(bodies, b, move)


@inner
def tangent_inertia(z, u, system, curvature, data, index, T, A):
    """A_ab = sum_j (K_uu delta_b z)_j . delta_a z_j."""
    bodies, freedom, n = system.bodies, system.freedom, z.shape[0]
    move, still, zeros = np.zeros(z.shape), np.zeros(z.shape), np.zeros(A.shape[0])
    change, column = np.empty((2 * n, 3)), np.empty(A.shape[0])
    for b in range(bodies.shape[0]):
        for a in range(freedom[b], freedom[b + 1]):
            row_rates(bodies, freedom, z, T, zeros, z, b, a, move)
            if bodies[b, 0] != PLACE:
                for r in range(bodies[b, 1], bodies[b, 1] + (3 if bodies[b, 0] == ATTITUDE else 1)):
                    for k in range(3):
                        move[r, k] *= 0.5
            slope_changes(z, u, still, move, system, curvature, data, index, change)
            lower(bodies, freedom, z, T, change[n:], column)
            for c in range(A.shape[0]):
                A[c, a] = column[c]
            zero(bodies, b, move)


@inner
def velocities(z, L, system, kinetic, curvature, data, index, T, w):
    """Velocities w of momenta, by Newton's iteration from those in the middle of the last step."""
    bodies, freedom, n = system.bodies, system.freedom, z.shape[0]
    d = freedom[-1]
    A, r, target, y = np.empty((d, d)), np.empty(d), np.empty(d), np.empty(d)
    u, change, last = np.empty(z.shape), np.empty((2 * n, 3)), math.inf
    begin(bodies, freedom, z, T, system.rate, 2.0, y)
    w[:] = 0.0
    lift(bodies, freedom, z, T, y, w)
    momenta_along(bodies, freedom, z, T, L, 1.0, target)
    for _ in range(ITERATIONS):
        rows_of(bodies, z, w, u)
        slopes(z, u, system, kinetic, data, index, change)
        lower(bodies, freedom, z, T, change[n:], r)
        for a in range(d):
            r[a] = target[a] - r[a]
        tangent_inertia(z, u, system, curvature, data, index, T, A)
        if not factorise(A):
            return False
        solve_factorised(A, r)
        lift(bodies, freedom, z, T, r, w)
        size, scale = 0.0, 1e-300
        for a in range(d):
            y[a] += r[a]
            size = max(size, abs(r[a]))
            scale = max(scale, abs(y[a]))
        size /= scale
        if size <= QUADRATIC or (size <= STAGNANT * n and size >= 0.5 * last):
            return True
        if not math.isfinite(size):
            return False
        last = size
    return False


def rates(z, L, system, kinetic, curvature, data, index, w):
    """Velocities of momenta; the largest change of w relative to one or their size."""
    T, v = system.tangents.copy(), np.empty(L.shape)
    bases(system.bodies, z, T)
    if not velocities(z, L, system, kinetic, curvature, data, index, T, v):
        return math.inf
    return copy_with_change(v, w)


def accelerate(z, w, dz, g, f, system, kinetic, curvature, data, index, dw):
    """Accelerations (`geoctrl.stepping.methods.variational.Solver`) from E = 0 along all coordinates, with

    E = K_uz zdot + K_uu udot + W x K_u - K_z + dV/dz - f, udot of the rows as they move and as w changes.
    """
    bodies, freedom, n = system.bodies, system.freedom, z.shape[0]
    d = freedom[-1]
    T, A, r = system.tangents.copy(), np.empty((d, d)), np.empty(d)
    u, du, E = np.empty(z.shape), np.zeros(z.shape), np.empty(z.shape)
    now, change = np.empty((2 * n, 3)), np.empty((2 * n, 3))
    bases(bodies, z, T)
    rows_of(bodies, z, w, u)
    turn_with(bodies, dz, w, du)
    slopes(z, u, system, kinetic, data, index, now)
    slope_changes(z, u, dz, du, system, curvature, data, index, change)
    spin_products(bodies, system.spin, now[n:], E)
    for i in range(n):
        for k in range(3):
            E[i, k] += change[n + i, k] - now[i, k] + g[i, k]
    for b in range(bodies.shape[0]):
        if bodies[b, 0] != ATTITUDE:
            for k in range(3):
                E[bodies[b, 1], k] -= f[b, k]
    lower(bodies, freedom, z, T, E, r)
    for b in range(bodies.shape[0]):
        if bodies[b, 0] == ATTITUDE:
            for a in range(3):
                r[freedom[b] + a] -= f[b, a]
    tangent_inertia(z, u, system, curvature, data, index, T, A)
    if not factorise(A):
        return False
    solve_factorised(A, r)
    for b in range(bodies.shape[0]):
        spin_share(bodies[b, 0], system.spin, z[bodies[b, 1]], w[b], dw[b])
    for a in range(d):
        r[a] = -r[a]
    lift(bodies, freedom, z, T, r, dw)
    return True


SOLVER = Solver(step, rates, accelerate, COUPLED)
