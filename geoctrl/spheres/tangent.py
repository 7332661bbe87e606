"""Linear algebra in the tangent planes of the spheres, compiled.

A vector per body tangent at q_i has two coordinates y_i: v_i = B_i y_i with B_i (3, 2) orthonormal,
orthogonal to q_i. Inertia in these coordinates is (2n, 2n), regular where the 3n x 3n matrix of the
equations in ambient vectors only is so on the sphere.
"""

from __future__ import annotations

import math

from numba import njit

__all__ = ["cross", "frames", "lift", "lower", "tangent_mass"]


@njit(cache=True, inline="always")
def cross(a, b, out):
    """out = a x b for vectors of three."""
    x = a[1] * b[2] - a[2] * b[1]
    y = a[2] * b[0] - a[0] * b[2]
    out[2] = a[0] * b[1] - a[1] * b[0]
    out[0], out[1] = x, y


@njit(cache=True, error_model="numpy")
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
