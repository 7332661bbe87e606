"""Vectors of three and rotations of them, compiled: what steps and fields of all bodies are made of."""

from __future__ import annotations

import math

from geoctrl.stepping.compiled.compiled import inner, shared

__all__ = ["add", "cayley", "copy", "copy_with_change", "cross", "finite", "frames", "turned_vector"]


@inner
def cross(a, b, out):
    """out = a x b for vectors of three."""
    x = a[1] * b[2] - a[2] * b[1]
    y = a[2] * b[0] - a[0] * b[2]
    out[2] = a[0] * b[1] - a[1] * b[0]
    out[0], out[1] = x, y


@shared
def add(factor, a, b):
    """b += factor a for matrices (n, 3)."""
    if factor != 0.0:
        for i in range(a.shape[0]):
            for k in range(3):
                b[i, k] += factor * a[i, k]


@shared
def copy(a, b):
    """b = a for matrices."""
    for i in range(a.shape[0]):
        for k in range(a.shape[1]):
            b[i, k] = a[i, k]


@shared
def finite(a):
    """Whether all entries of a matrix (n, 3) are finite numbers."""
    x, y, z = 0.0, 0.0, 0.0
    for i in range(a.shape[0]):
        x += 0.0 * a[i, 0]
        y += 0.0 * a[i, 1]
        z += 0.0 * a[i, 2]
    return x + y + z == 0.0


@inner
def copy_with_change(v, w):
    """w = v for velocities (n, 3); returns the largest change, relative to one or their size."""
    gap, size = 0.0, 1.0
    for i in range(v.shape[0]):
        for k in range(3):
            gap = max(gap, abs(v[i, k] - w[i, k]))
            size = max(size, abs(v[i, k]))
            w[i, k] = v[i, k]
    return gap / size


@shared
def frames(q, B):
    """Orthonormal bases B (n, 2, 3) of the planes orthogonal to q (n, 3): B[i, 0] x B[i, 1] = q_i / |q_i|.

    After T. Duff et al., J. Computer Graphics Techniques 6 (2017): no branch but a sign, no pole.
    """
    for i in range(q.shape[0]):
        size = 1.0 / math.sqrt(q[i, 0] ** 2 + q[i, 1] ** 2 + q[i, 2] ** 2)
        x, y, z = q[i, 0] * size, q[i, 1] * size, q[i, 2] * size
        sign = math.copysign(1.0, z)
        a = -1.0 / (sign + z)
        b = x * y * a
        B[i, 0, 0], B[i, 0, 1], B[i, 0, 2] = 1.0 + sign * x * x * a, sign * b, -sign * x
        B[i, 1, 0], B[i, 1, 1], B[i, 1, 2] = b, sign + y * y * a, -y


@inner
def cayley(x, y, z):
    """f = (x, y, z), f.f and c = 2 / (1 + f.f)."""
    size = x * x + y * y + z * z
    return x, y, z, size, 2.0 / (1.0 + size)


@inner
def turned_vector(turn, a, b, c):
    """v = (a, b, c) turned by the `cayley` of f: v + c (f x v + (f.v) f - (f.f) v); little is added."""
    x, y, z, size, factor = turn
    along = a * x + b * y + c * z
    return (
        a + factor * ((y * c - z * b) + (along * x - size * a)),
        b + factor * ((z * a - x * c) + (along * y - size * b)),
        c + factor * ((x * b - y * a) + (along * z - size * c)),
    )
