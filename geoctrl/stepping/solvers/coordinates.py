"""Tangent coordinates of bodies, compiled: two of a direction, three of an attitude, up to three of a place.

Coordinates y of a motion make, with tangents t, the vector v = sum y_a t_a: a direction goes to ((1 - v.v) z
+ 2 v) / (1 + v.v), an attitude to R F(v) (Cayley), a place to z + v. As coordinate a begins to move, the rows
of a place move with t_a, of a direction with 2 t_a, of an attitude with z x 2 t_a; halves of the latter two,
as velocities have them, are meant by delta_a z.
"""

from __future__ import annotations

import numpy as np

from geoctrl.stepping.compiled.bodies import ATTITUDE, DIRECTION, PLACE
from geoctrl.stepping.compiled.compiled import inner
from geoctrl.stepping.compiled.vectors import cayley, cross, frames

__all__ = [
    "bases",
    "begin",
    "body_sum",
    "impulses",
    "lift",
    "lower",
    "momenta_along",
    "retract",
    "row_rates",
    "row_shift",
    "rows_of",
    "spin_products",
    "spin_share",
    "turn_with",
    "velocities_for",
    "zero",
]  # fmt: skip


@inner
def bases(bodies, z, T):
    """Tangents of directions, in place."""
    for b in range(bodies.shape[0]):
        if bodies[b, 0] == DIRECTION:
            i = bodies[b, 1]
            frames(z[i : i + 1], T[b : b + 1])


@inner
def momenta_along(bodies, freedom, z, T, L, factor, out):
    """``factor`` times the momenta L along the coordinates."""
    p = np.empty(3)
    for b in range(bodies.shape[0]):
        i = bodies[b, 1]
        if bodies[b, 0] == ATTITUDE:
            for k in range(3):
                p[k] = z[i, k] * L[b, 0] + z[i + 1, k] * L[b, 1] + z[i + 2, k] * L[b, 2]
        elif bodies[b, 0] == DIRECTION:
            cross(L[b], z[i], p)
            square = z[i, 0] ** 2 + z[i, 1] ** 2 + z[i, 2] ** 2
            for k in range(3):
                p[k] /= square
        else:
            p[0], p[1], p[2] = L[b, 0], L[b, 1], L[b, 2]
        for a in range(freedom[b], freedom[b + 1]):
            t = T[b, a - freedom[b]]
            out[a] = factor * (t[0] * p[0] + t[1] * p[1] + t[2] * p[2])


@inner
def lower(bodies, freedom, z, T, S, out):
    """Sums of S_j . delta_a z_j over the rows."""
    p = np.empty(3)
    for b in range(bodies.shape[0]):
        i = bodies[b, 1]
        if bodies[b, 0] == ATTITUDE:
            body_sum(z, S, i, p)
        else:
            p[0], p[1], p[2] = S[i, 0], S[i, 1], S[i, 2]
        for a in range(freedom[b], freedom[b + 1]):
            t = T[b, a - freedom[b]]
            out[a] = t[0] * p[0] + t[1] * p[1] + t[2] * p[2]


@inner
def body_sum(z, S, i, out):
    """Sum of S_j x z_j over the three rows from i on: a moment in the body."""
    out[0] = out[1] = out[2] = 0.0
    for r in range(i, i + 3):
        out[0] += S[r, 1] * z[r, 2] - S[r, 2] * z[r, 1]
        out[1] += S[r, 2] * z[r, 0] - S[r, 0] * z[r, 2]
        out[2] += S[r, 0] * z[r, 1] - S[r, 1] * z[r, 0]


@inner
def impulses(bodies, z, S, factor, L):
    """Momenta in space of S times a factor."""
    p = np.empty(3)
    for b in range(bodies.shape[0]):
        i = bodies[b, 1]
        if bodies[b, 0] == ATTITUDE:
            body_sum(z, S, i, p)
            for k in range(3):
                L[b, k] = factor * (z[i + k, 0] * p[0] + z[i + k, 1] * p[1] + z[i + k, 2] * p[2])
            continue
        if bodies[b, 0] == DIRECTION:
            cross(z[i], S[i], p)
        else:
            p[0], p[1], p[2] = S[i, 0], S[i, 1], S[i, 2]
        for k in range(3):
            L[b, k] = factor * p[k]


@inner
def begin(bodies, freedom, z, T, w, h, y):
    """Coordinates y of a step h with velocities w."""
    p = np.empty(3)
    for b in range(bodies.shape[0]):
        scale = h if bodies[b, 0] == PLACE else 0.5 * h
        if bodies[b, 0] == DIRECTION:
            cross(w[b], z[bodies[b, 1]], p)
        else:
            p[0], p[1], p[2] = w[b, 0], w[b, 1], w[b, 2]
        for a in range(freedom[b], freedom[b + 1]):
            t = T[b, a - freedom[b]]
            y[a] = scale * (t[0] * p[0] + t[1] * p[1] + t[2] * p[2])


@inner
def velocities_for(bodies, freedom, z, T, y, over, w):
    """Velocities w that make the coordinates y in a step 1 / ``over``."""
    v = np.empty(3)
    for b in range(bodies.shape[0]):
        scale, q = over if bodies[b, 0] == PLACE else 2.0 * over, z[bodies[b, 1]]
        for k in range(3):
            v[k] = 0.0
        for a in range(freedom[b], freedom[b + 1]):
            for k in range(3):
                v[k] += scale * y[a] * T[b, a - freedom[b], k]
        if bodies[b, 0] == DIRECTION:
            square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2]
            cross(q, v, v)
            for k in range(3):
                v[k] /= square
        for k in range(3):
            w[b, k] = v[k]


@inner
def retract(bodies, freedom, z, T, y, new, D):
    """z' at coordinates y and, free of cancellation, D = z' - z."""
    v = np.empty((1, 3))
    for b in range(bodies.shape[0]):
        i = bodies[b, 1]
        for k in range(3):
            v[0, k] = 0.0
        for a in range(freedom[b], freedom[b + 1]):
            for k in range(3):
                v[0, k] += y[a] * T[b, a - freedom[b], k]
        if bodies[b, 0] == ATTITUDE:
            turn = cayley(-v[0, 0], -v[0, 1], -v[0, 2])
            for r in range(i, i + 3):
                row_shift(turn, z, D, r)
                for k in range(3):
                    new[r, k] = z[r, k] + D[r, k]
            continue
        square = v[0, 0] ** 2 + v[0, 1] ** 2 + v[0, 2] ** 2
        c = 2.0 / (1.0 + square)
        for k in range(3):
            if bodies[b, 0] == DIRECTION:
                D[i, k] = c * (v[0, k] - square * z[i, k])
                new[i, k] = c * v[0, k] + (c - 1.0) * z[i, k]
            else:
                D[i, k] = v[0, k]
                new[i, k] = z[i, k] + v[0, k]


@inner
def row_shift(turn, z, D, r):
    """D_r, by which z_r moves as a `cayley` turns it."""
    x, y, w, size, factor = turn
    a, b, c = z[r, 0], z[r, 1], z[r, 2]
    dot = a * x + b * y + c * w
    D[r, 0] = factor * ((y * c - w * b) + (dot * x - size * a))
    D[r, 1] = factor * ((w * a - x * c) + (dot * y - size * b))
    D[r, 2] = factor * ((x * b - y * a) + (dot * w - size * c))


@inner
def row_rates(bodies, freedom, z, T, y, new, b, a, move):
    """Rates of the rows of body b of z' as coordinate a changes; the other rows of ``move`` stay."""
    i, t = bodies[b, 1], T[b, a - freedom[b]]
    if bodies[b, 0] == PLACE:
        for k in range(3):
            move[i, k] = t[k]
        return
    v = np.zeros(3)
    for c in range(freedom[b], freedom[b + 1]):
        for k in range(3):
            v[k] += y[c] * T[b, c - freedom[b], k]
    factor = 2.0 / (1.0 + v[0] ** 2 + v[1] ** 2 + v[2] ** 2)
    if bodies[b, 0] == DIRECTION:
        dot = v[0] * t[0] + v[1] * t[1] + v[2] * t[2]
        for k in range(3):
            move[i, k] = factor * t[k] - factor * factor * dot * (z[i, k] + v[k])
        return
    turn = np.empty(3)
    cross(v, t, turn)  # F^T dF = c hat(df - f x df)
    for k in range(3):
        turn[k] = factor * (t[k] - turn[k])
    for r in range(i, i + 3):
        cross(new[r], turn, move[r])


@inner
def zero(bodies, b, move):
    """Rows of body b to zero."""
    for r in range(bodies[b, 1], bodies[b, 1] + (3 if bodies[b, 0] == ATTITUDE else 1)):
        for k in range(3):
            move[r, k] = 0.0


@inner
def rows_of(bodies, z, w, u):
    """Inertial rates u of the rows of bodies that move with w."""
    for b in range(bodies.shape[0]):
        i = bodies[b, 1]
        if bodies[b, 0] == ATTITUDE:
            for r in range(i, i + 3):
                cross(z[r], w[b], u[r])
        elif bodies[b, 0] == DIRECTION:
            cross(w[b], z[i], u[i])
        else:
            u[i, 0], u[i, 1], u[i, 2] = w[b, 0], w[b, 1], w[b, 2]


@inner
def lift(bodies, freedom, z, T, y, w):
    """w += the velocities with which rows move along the coordinates at rates y."""
    more = np.empty(w.shape)
    half = y.copy()
    for b in range(bodies.shape[0]):
        if bodies[b, 0] != PLACE:
            for a in range(freedom[b], freedom[b + 1]):
                half[a] *= 0.5
    velocities_for(bodies, freedom, z, T, half, 1.0, more)
    for b in range(bodies.shape[0]):
        for k in range(3):
            w[b, k] += more[b, k]


@inner
def turn_with(bodies, dz, w, du):
    """Rates du of the rates of rows that move with dz, as w stays."""
    for b in range(bodies.shape[0]):
        i = bodies[b, 1]
        if bodies[b, 0] == ATTITUDE:
            for r in range(i, i + 3):
                cross(dz[r], w[b], du[r])
        elif bodies[b, 0] == DIRECTION:
            cross(w[b], dz[i], du[i])


@inner
def spin_products(bodies, spin, rows, out):
    """spin x the rows of places and directions and the columns of attitudes."""
    for b in range(bodies.shape[0]):
        i = bodies[b, 1]
        if bodies[b, 0] != ATTITUDE:
            cross(spin, rows[i], out[i])
            continue
        for c in range(3):
            x, y, w = rows[i, c], rows[i + 1, c], rows[i + 2, c]
            out[i, c] = spin[1] * w - spin[2] * y
            out[i + 1, c] = spin[2] * x - spin[0] * w
            out[i + 2, c] = spin[0] * y - spin[1] * x


@inner
def spin_share(kind, spin, q, w, out):
    """The part of spin x w that velocities have from the frame, less that along a direction."""
    dot = 0.0
    if kind == ATTITUDE:
        out[0] = out[1] = out[2] = 0.0
        return
    cross(spin, w, out)
    if kind == DIRECTION:
        dot = out[0] * q[0] + out[1] * q[1] + out[2] * q[2]
        dot /= q[0] * q[0] + q[1] * q[1] + q[2] * q[2]
        for k in range(3):
            out[k] -= dot * q[k]
