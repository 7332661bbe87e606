r"""The equations of motion on rotations as a vector field in (R, Omega), and Runge-Kutta steps; compiled.

.. math::

    \dot R = R\, \hat\xi, \quad \xi = \Omega - R^T w, \qquad
    J \dot\Omega = (J \Omega + a) \times \Omega - \mathrm{D}a(R)\, \dot R
    - \bigl(R^T G - G^T R\bigr)^\vee + f, \qquad G = \frac{\partial}{\partial R}(U - a \cdot \Omega),

for each body ([LLM17, Eq. 6.6] with the moment in the form of problem 6.1), w the ``frame_rate``.
"""

from __future__ import annotations

import numpy as np
from numba import boolean, float64, int64, njit, types, void

from geoctrl.rotations.kernels import COVECTOR, SLOPE
from geoctrl.stepping.compiled import pointer
from geoctrl.stepping.forces import FORCE, GRADIENT, VALUE
from geoctrl.stepping.loop import INFINITE
from geoctrl.stepping.writer import ARRAY, INDEX, MATRIX

__all__ = ["FIELD", "MECHANICS", "RUNGE_KUTTA", "field", "mechanics", "runge_kutta"]

_KERNELS = (pointer(GRADIENT), pointer(FORCE), boolean, pointer(COVECTOR), pointer(SLOPE), pointer(SLOPE))
_SYSTEM = (MATRIX, MATRIX, ARRAY, *_KERNELS, boolean, boolean, ARRAY, INDEX, ARRAY)
_ROWS = (types.float64[:, :, ::1], types.float64[:, :, ::1])
FIELD = void(float64, MATRIX, MATRIX, *_SYSTEM, MATRIX, MATRIX)
RUNGE_KUTTA = types.Tuple((int64, int64, int64, float64))(
    MATRIX, MATRIX, *_SYSTEM, int64, float64, int64, int64, int64, *_ROWS
)
MECHANICS = void(*_ROWS, MATRIX, pointer(VALUE), pointer(COVECTOR), ARRAY, INDEX, MATRIX, _ROWS[0])


def field(
    t, R, w, J, K, spin, gradient, force, forced, covector, slope, rate, linear, varies, data, index, table,
    V, dw,
):  # fmt: skip
    """V = Rdot (3n, 3) and dw = Omegadot (n, 3)."""
    n = w.shape[0]
    g, a, p = np.zeros((3 * n, 3)), np.zeros((n, 3)), np.zeros((n, 3))
    move(R, w, spin, V)
    gradient(R, data, index, g)
    if linear:
        covector(R, data, index, a)
    if varies:
        extra = np.zeros((3 * n, 3))
        slope(R, w, data, index, extra)
        g -= extra
        rate(R, V, data, index, p)
        p *= -1.0
    if forced:
        force(t, R, w, table, data, index, dw)
        p += dw
    accelerate(R, w, g, a, p, J, K, dw)


def runge_kutta(
    R, w, J, K, spin, gradient, force, forced, covector, slope, rate, linear, varies, data, index, table,
    first, h, steps, record, row, attitudes, rates,
):  # fmt: skip
    """Do ``steps`` classical Runge-Kutta steps from step ``first`` on in place, writing every ``record``-th.

    Returns steps done, iterations (0), failure code, residual.
    """
    m, n = R.shape[0], w.shape[0]
    nodes, weights = (0.0, 0.5, 0.5, 1.0), (1 / 6, 1 / 3, 1 / 3, 1 / 6)
    g, extra, a, p = np.zeros((m, 3)), np.zeros((m, 3)), np.zeros((n, 3)), np.zeros((n, 3))
    V, dw, A, b = np.zeros((m, 3)), np.zeros((n, 3)), np.zeros((m, 3)), np.zeros((n, 3))
    for step in range(steps):
        t = (first + step) * h
        start_R, start_w = R.copy(), w.copy()
        A[:], b[:] = start_R, start_w
        for i in range(4):
            if i:
                R[:], w[:] = start_R + nodes[i] * h * V, start_w + nodes[i] * h * dw
            move(R, w, spin, V)
            gradient(R, data, index, g)
            p[:] = 0.0
            if linear:
                covector(R, data, index, a)
            if varies:
                slope(R, w, data, index, extra)
                g -= extra
                rate(R, V, data, index, p)
                p *= -1.0
            if forced:
                force(t + nodes[i] * h, R, w, table, data, index, dw)
                p += dw
            accelerate(R, w, g, a, p, J, K, dw)
            A += weights[i] * h * V
            b += weights[i] * h * dw
        R[:], w[:] = A, b
        if not np.isfinite(np.sum(R) + np.sum(w)):
            return step, 0, INFINITE, 0.0
        if (step + 1) % record == 0:
            attitudes[row], rates[row] = R, w
            row += 1
    return steps, 0, 0, 0.0


def mechanics(attitudes, rates, J, value, covector, data, index, energies, momenta):
    """Kinetic and potential energy (rows of two) and momenta in space R_i (J_i Omega_i + a_i) of each row."""
    n = rates.shape[1]
    a, p = np.zeros((n, 3)), np.zeros(3)
    for row in range(rates.shape[0]):
        R, w = attitudes[row], rates[row]
        covector(R, data, index, a)
        kinetic = 0.0
        for i in range(n):
            for k in range(3):
                p[k] = J[3 * i + k, 0] * w[i, 0] + J[3 * i + k, 1] * w[i, 1] + J[3 * i + k, 2] * w[i, 2]
                kinetic += 0.5 * w[i, k] * p[k]
                p[k] += a[i, k]
            for k in range(3):
                momenta[row, i, k] = R[3 * i + k, 0] * p[0] + R[3 * i + k, 1] * p[1] + R[3 * i + k, 2] * p[2]
        energies[row, 0], energies[row, 1] = kinetic, value(R, data, index)


@njit(cache=True, error_model="numpy")
def move(R, w, spin, V):
    """V_i = R_i hat(Omega_i - R_i^T spin)."""
    for i in range(w.shape[0]):
        b = 3 * i
        x = w[i, 0] - R[b, 0] * spin[0] - R[b + 1, 0] * spin[1] - R[b + 2, 0] * spin[2]
        y = w[i, 1] - R[b, 1] * spin[0] - R[b + 1, 1] * spin[1] - R[b + 2, 1] * spin[2]
        z = w[i, 2] - R[b, 2] * spin[0] - R[b + 1, 2] * spin[1] - R[b + 2, 2] * spin[2]
        for r in range(b, b + 3):
            V[r, 0] = R[r, 1] * z - R[r, 2] * y
            V[r, 1] = R[r, 2] * x - R[r, 0] * z
            V[r, 2] = R[r, 0] * y - R[r, 1] * x


@njit(cache=True, error_model="numpy")
def accelerate(R, w, g, a, p, J, K, dw):
    """dw_i = J_i^{-1} ((J_i Omega_i + a_i) x Omega_i - (R_i^T g_i - g_i^T R_i)^vee + p_i)."""
    m, q = np.empty(3), np.empty(3)
    for i in range(w.shape[0]):
        b = 3 * i
        for k in range(3):
            m[k] = a[i, k] + J[b + k, 0] * w[i, 0] + J[b + k, 1] * w[i, 1] + J[b + k, 2] * w[i, 2]
        for k in range(3):
            r, s = (k + 1) % 3, (k + 2) % 3
            q[k] = p[i, k] + m[r] * w[i, s] - m[s] * w[i, r]
            for c in range(b, b + 3):
                q[k] += R[c, r] * g[c, s] - R[c, s] * g[c, r]
        for k in range(3):
            dw[i, k] = K[b + k, 0] * q[0] + K[b + k, 1] * q[1] + K[b + k, 2] * q[2]
