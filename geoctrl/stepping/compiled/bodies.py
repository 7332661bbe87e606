"""Kinds of bodies in compiled code: where their rows are, what forces do to their momenta.

A configuration is a matrix z (N, 3). A place and a direction have a row of it, an attitude has three, those
of the matrix R. Velocities, momenta and forces have a row (B, 3) for each body: velocity, momentum and force
of a place; angular velocity, momentum q x p and force of a direction; of an attitude the angular velocity in
the body, the momentum in space, the moment in the body.
"""

from __future__ import annotations

import math

from numba import int64

from geoctrl.stepping.compiled.compiled import inner, shared
from geoctrl.stepping.compiled.vectors import cayley, turned_vector

__all__ = ["ATTITUDE", "BODIES", "DIRECTION", "PLACE", "carry", "frame_step", "kick"]

PLACE, DIRECTION, ATTITUDE = 0, 1, 2
BODIES = int64[:, ::1]


@shared
def kick(bodies, z, g, f, factor, L):
    """L_b += factor times the moments in space of a potential of slope g (N, 3) and of forces f (B, 3)."""
    for b in range(bodies.shape[0]):
        i = bodies[b, 1]
        if bodies[b, 0] == DIRECTION:
            x, y, c = f[b, 0] - g[i, 0], f[b, 1] - g[i, 1], f[b, 2] - g[i, 2]
            L[b, 0] += factor * (z[i, 1] * c - z[i, 2] * y)
            L[b, 1] += factor * (z[i, 2] * x - z[i, 0] * c)
            L[b, 2] += factor * (z[i, 0] * y - z[i, 1] * x)
        elif bodies[b, 0] == PLACE:
            for k in range(3):
                L[b, k] += factor * (f[b, k] - g[i, k])
        else:
            turn_by(z, g, factor, i, b, L)
            for k in range(3):
                r = i + k
                L[b, k] += factor * (z[r, 0] * f[b, 0] + z[r, 1] * f[b, 1] + z[r, 2] * f[b, 2])


@inner
def turn_by(z, g, factor, i, b, L):
    """L_b += factor (R g^T - g R^T)^vee, R and g the rows from i on: the moment in space of a slope g."""
    for k in range(3):
        r, s = i + (k + 2) % 3, i + (k + 1) % 3
        total = 0.0
        for c in range(3):
            total += z[r, c] * g[s, c] - z[s, c] * g[r, c]
        L[b, k] += factor * total


@inner
def frame_step(spin, h, frame):
    """Cayley coordinates of E = exp(-h hat(spin)): -tan(h |spin| / 2) spin / |spin|."""
    rate = math.sqrt(spin[0] * spin[0] + spin[1] * spin[1] + spin[2] * spin[2])
    size = math.tan(0.5 * h * rate) / rate if rate > 0.0 else 0.0
    for k in range(3):
        frame[k] = -size * spin[k]


@shared
def carry(bodies, frame, z, L):
    """Turn all that is given in the axes of the reference by E, the `cayley` of ``frame``."""
    turn = cayley(frame[0], frame[1], frame[2])
    for b in range(bodies.shape[0]):
        L[b, 0], L[b, 1], L[b, 2] = turned_vector(turn, L[b, 0], L[b, 1], L[b, 2])
        i = bodies[b, 1]
        if bodies[b, 0] != ATTITUDE:
            z[i, 0], z[i, 1], z[i, 2] = turned_vector(turn, z[i, 0], z[i, 1], z[i, 2])
        else:
            for k in range(3):
                z[i, k], z[i + 1, k], z[i + 2, k] = turned_vector(turn, z[i, k], z[i + 1, k], z[i + 2, k])
