r"""The free body's motion and its derivative by the initial velocity, by Taylor series; compiled.

All right-hand sides are products, so that the series follow from recurrences:

.. math::

    \dot R = R \hat\Omega, \quad J \dot\Omega = J\Omega \times \Omega, \qquad
    \dot\eta = \delta\Omega - \Omega \times \eta, \quad
    J \delta\dot\Omega = J\delta\Omega \times \Omega + J\Omega \times \delta\Omega,

with :math:`\delta R = R \hat\eta`. The step is where the last terms fall below rounding.
"""

from __future__ import annotations

import numpy as np
from numba import njit

__all__ = ["free_flow"]

_ORDER = 24
_STEPS = 100_000


@njit(cache=True, error_model="numpy", inline="always")
def add_cross(a, i, b, j, sign, out):
    """out += sign a[i:i+3] x b[j:j+3]."""
    out[0] += sign * (a[i + 1] * b[j + 2] - a[i + 2] * b[j + 1])
    out[1] += sign * (a[i + 2] * b[j] - a[i] * b[j + 2])
    out[2] += sign * (a[i] * b[j + 1] - a[i + 1] * b[j])


@njit(cache=True, error_model="numpy")
def next_terms(k, J, K, w, m, R, E, D, M):
    """Terms k + 1 of the series; rows of three, of which R, E, D and M have three each."""
    total = np.empty(3)
    for r in range(3):
        m[3 * k + r] = 0.0
        for c in range(3):
            m[3 * k + r] += J[r, c] * w[3 * k + c]
            M[9 * k + 3 * r + c] = 0.0
            for j in range(3):
                M[9 * k + 3 * r + c] += D[9 * k + 3 * r + j] * J[j, c]
    total[0] = total[1] = total[2] = 0.0
    for j in range(k + 1):
        add_cross(m, 3 * j, w, 3 * (k - j), 1.0, total)
    for r in range(3):
        w[3 * k + 3 + r] = (K[r, 0] * total[0] + K[r, 1] * total[1] + K[r, 2] * total[2]) / (k + 1)
    for r in range(0, 9, 3):
        total[0] = total[1] = total[2] = 0.0
        for j in range(k + 1):
            add_cross(R, 9 * j + r, w, 3 * (k - j), 1.0, total)
        for c in range(3):
            R[9 * k + 9 + r + c] = total[c] / (k + 1)
            total[c] = D[9 * k + r + c]
        for j in range(k + 1):
            add_cross(w, 3 * j, E, 9 * (k - j) + r, -1.0, total)
        for c in range(3):
            E[9 * k + 9 + r + c] = total[c] / (k + 1)
            total[c] = 0.0
        for j in range(k + 1):
            add_cross(M, 9 * j + r, w, 3 * (k - j), 1.0, total)
            add_cross(m, 3 * j, D, 9 * (k - j) + r, 1.0, total)
        for c in range(3):
            D[9 * k + 9 + r + c] = (K[c, 0] * total[0] + K[c, 1] * total[1] + K[c, 2] * total[2]) / (k + 1)


@njit(cache=True, error_model="numpy")
def series_sum(series, size, s, out):
    """Sum of the series, of terms of ``size`` numbers, at s."""
    for c in range(size):
        value = series[_ORDER * size + c]
        for k in range(_ORDER - 1, -1, -1):
            value = value * s + series[k * size + c]
        out[c] = value


@njit(cache=True, error_model="numpy")
def largest(series, size, k):
    """Largest number of term k."""
    found = 0.0
    for c in range(size):
        found = max(found, abs(series[k * size + c]))
    return found


@njit(cache=True, error_model="numpy")
def put_first(source, count, out):
    """The first numbers of ``source`` into those of ``out``: slices take numba seconds to compile."""
    for c in range(count):
        out[c] = source[c]


@njit(cache=True, error_model="numpy")
def free_flow(velocity, J, K, times, attitudes, velocities, sensitivity):
    """Motion from R = I and Omega = ``velocity`` at increasing ``times``, of which the last ends it.

    K is the inverse of J. Writes R (nt, 9), Omega (nt, 3) and eta (9,) at the last time: the turns there by
    changes of the three components of the initial velocity. False where the steps became too many.
    """
    N = _ORDER
    w, m = np.zeros(3 * N + 3), np.zeros(3 * N + 3)
    R, E, D, M = np.zeros(9 * N + 9), np.zeros(9 * N + 9), np.zeros(9 * N + 9), np.zeros(9 * N + 9)
    now_w, now_R, now_E, now_D = np.empty(3), np.empty(9), np.empty(9), np.empty(9)
    put_first(velocity, 3, w)
    for k in range(0, 9, 4):
        R[k] = D[k] = 1.0
    t, row = 0.0, 0
    for _ in range(_STEPS):
        while row < times.size and times[row] <= t:
            put_first(R, 9, attitudes[row])
            put_first(w, 3, velocities[row])
            row += 1
        if row == times.size:
            put_first(E, 9, sensitivity)
            return True
        for k in range(N):
            next_terms(k, J, K, w, m, R, E, D, M)
        h = times[-1] - t
        for k in (N - 1, N):
            tail = max(largest(R, 9, k), largest(w, 3, k) / (1.0 + largest(w, 3, 0)))
            tail = max(tail, largest(D, 9, k) / largest(D, 9, 0), largest(E, 9, k) / (1.0 + largest(E, 9, 0)))
            if tail > 0.0:
                h = min(h, (1e-17 / tail) ** (1.0 / k))
        end = times[-1] if t + h >= times[-1] else t + h
        while row < times.size and times[row] < end:
            series_sum(R, 9, times[row] - t, attitudes[row])
            series_sum(w, 3, times[row] - t, velocities[row])
            row += 1
        series_sum(R, 9, end - t, now_R)
        series_sum(w, 3, end - t, now_w)
        series_sum(E, 9, end - t, now_E)
        series_sum(D, 9, end - t, now_D)
        put_first(now_R, 9, R)
        put_first(now_w, 3, w)
        put_first(now_E, 9, E)
        put_first(now_D, 9, D)
        t = end
    return False
