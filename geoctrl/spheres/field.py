r"""The equations of motion on spheres as a vector field in (q, omega), and Runge-Kutta steps; compiled.

.. math::

    \dot q_i = \omega_i \times q_i, \qquad
    m_{ii} \dot\omega_i + \sum_{j \ne i} m_{ij}\, q_i \times (\dot\omega_j \times q_j)
    = q_i \times \Bigl( F_i - \sum_{j \ne i} m_{ij}\, \omega_j \times \dot q_j \Bigr) - N_i

[LLM09, Eq. 2.11], with :math:`F = f - \partial V/\partial q` and, for inertia that depends on q,
:math:`N_i = \dot m_{ii}\omega_i + q_i \times ( \sum_{j \ne i} \dot m_{ij} \dot q_j
- \tfrac12 \partial_{q_i} \sum m_{jk} \dot q_j \cdot \dot q_k )`. It is solved for
:math:`\dot\omega_i \perp q_i`.
"""

from __future__ import annotations

import numpy as np
from numba import boolean, float64, int64, njit, types

from geoctrl.spheres.kernels import MASS, SLOPE
from geoctrl.spheres.tangent import cross, frames
from geoctrl.stepping.cholesky import factorise, solve_factorised
from geoctrl.stepping.compiled import pointer
from geoctrl.stepping.forces import FORCE, GRADIENT
from geoctrl.stepping.loop import INDEFINITE, INFINITE
from geoctrl.stepping.writer import ARRAY, INDEX, MATRIX

__all__ = ["RUNGE_KUTTA", "TABLEAUX", "accelerations", "momenta", "products", "runge_kutta", "velocities"]

TABLEAUX = {
    "rk2": (((), (1 / 2,)), (0.0, 1.0), (0.0, 1 / 2)),
    "heun": (((), (1.0,)), (1 / 2, 1 / 2), (0.0, 1.0)),
    "rk4": (
        ((), (1 / 2,), (0.0, 1 / 2), (0.0, 0.0, 1.0)),
        (1 / 6, 1 / 3, 1 / 3, 1 / 6),
        (0, 1 / 2, 1 / 2, 1.0),
    ),
}

_SYSTEM = (MATRIX, boolean, boolean, pointer(MASS), pointer(SLOPE), pointer(SLOPE))
_KERNELS = (pointer(GRADIENT), pointer(FORCE), boolean, ARRAY, INDEX, ARRAY)
_RUN = (float64, float64, MATRIX, ARRAY, ARRAY, boolean, int64, int64, int64)
_ROWS = (types.float64[:, :, ::1], types.float64[:, :, ::1])
RUNGE_KUTTA = types.Tuple((int64, int64, int64, float64))(MATRIX, MATRIX, *_SYSTEM, *_KERNELS, *_RUN, *_ROWS)


def runge_kutta(
    q, w, M, diagonal, varies, mass, mass_gradient, mass_rate, gradient, force, forced, data, index, table,
    first, h, a, b, c, project, steps, record, row, Q, W,
):  # fmt: skip
    """Do ``steps`` Runge-Kutta steps after the ``first`` ones, writing each ``record``-th to rows of Q, W.

    Returns steps done, iterations (0), failure code, residual.
    """
    n, s = q.shape[0], b.size
    dq, dw = np.zeros((s, n, 3)), np.zeros((s, n, 3))
    x, y, g, f = np.zeros((n, 3)), np.zeros((n, 3)), np.zeros((n, 3)), np.zeros((n, 3))
    change, gram, extra = np.zeros(M.shape), np.zeros(M.shape), np.zeros((n, 3))
    for step in range(steps):
        t = (first + step) * h
        for i in range(s):
            x[:], y[:] = q, w
            for j in range(i):
                if a[i, j] != 0.0:
                    x += h * a[i, j] * dq[j]
                    y += h * a[i, j] * dw[j]
            gradient(x, data, index, g)
            if forced:
                force(t + c[i] * h, x, y, table, data, index, f)
            velocities(x, y, dq[i])
            if varies:
                products(y, dq[i], gram)
                mass(x, data, index, M)
                mass_rate(x, dq[i], data, index, change)
                mass_gradient(x, gram, data, index, extra)
            if not accelerations(x, y, dq[i], f - g + extra, M, change, diagonal, dw[i]):
                return step, 0, INDEFINITE, 0.0
        for i in range(s):
            q += h * b[i] * dq[i]
            w += h * b[i] * dw[i]
        if project:
            for i in range(n):
                q[i] /= np.sqrt(q[i, 0] ** 2 + q[i, 1] ** 2 + q[i, 2] ** 2)
        if not np.isfinite(np.sum(q) + np.sum(w)):
            return step, 0, INFINITE, 0.0
        if (step + 1) % record == 0:
            Q[row], W[row] = q, w
            row += 1
    return steps, 0, 0, 0.0


@njit(cache=True, error_model="numpy")
def velocities(q, w, v):
    """v_i = w_i x q_i."""
    for i in range(q.shape[0]):
        cross(w[i], q[i], v[i])


@njit(cache=True, error_model="numpy")
def products(w, v, gram):
    """Products v_i.v_j of velocities, and |w_i|^2 for i = j: so they stand in the kinetic energy."""
    for i in range(v.shape[0]):
        gram[i, i] = w[i, 0] ** 2 + w[i, 1] ** 2 + w[i, 2] ** 2
        for j in range(i):
            gram[i, j] = gram[j, i] = v[i, 0] * v[j, 0] + v[i, 1] * v[j, 1] + v[i, 2] * v[j, 2]


@njit(cache=True, error_model="numpy")
def accelerations(q, w, v, F, M, change, diagonal, a):
    """Angular accelerations a of forces F, with inertia M, its rate ``change`` and velocities v.

    Where M is ``diagonal`` it is one row (1, n). False where the inertia is not positive definite.
    """
    n = q.shape[0]
    if diagonal:
        for i in range(n):
            cross(q[i], F[i], a[i])
            for k in range(3):
                a[i, k] /= M[0, i]
        return True
    R, C, D = F.copy(), np.empty((n, 2, 3)), np.empty((n, 2, 3))
    A, y = np.empty((2 * n, 2 * n)), np.empty(2 * n)
    for j in range(n):
        turn = np.empty(3)
        cross(w[j], v[j], turn)
        for i in range(n):
            if i != j:
                for k in range(3):
                    R[i, k] -= M[i, j] * turn[k] + change[i, j] * v[j, k]
    frames(q, C)
    for i in range(n):
        for r in range(2):
            cross(C[i, r], q[i], D[i, r])
            y[2 * i + r] = 0.0
            for k in range(3):
                y[2 * i + r] += D[i, r, k] * R[i, k] - change[i, i] * C[i, r, k] * w[i, k]
    for i in range(n):
        for j in range(i + 1):
            for r in range(2):
                for s in range(2):
                    if i == j:
                        A[2 * i + r, 2 * j + s] = M[i, i] if r == s else 0.0
                    else:
                        dot = D[i, r, 0] * D[j, s, 0] + D[i, r, 1] * D[j, s, 1] + D[i, r, 2] * D[j, s, 2]
                        A[2 * i + r, 2 * j + s] = M[i, j] * dot
    if not factorise(A):
        return False
    solve_factorised(A, y)
    for i in range(n):
        for k in range(3):
            a[i, k] = C[i, 0, k] * y[2 * i] + C[i, 1, k] * y[2 * i + 1]
    return True


@njit(cache=True, error_model="numpy")
def momenta(q, w, M, L):
    """L_i = m_ii omega_i + sum_j m_ij q_i x qdot_j, the spatial momenta q_i x p_i, and 1/2 omega.L.

    M is (n, n), or (1, n) where it is diagonal.
    """
    n = q.shape[0]
    coupled = M.shape[0] == n
    v, p = np.empty((n, 3)), np.empty(3)
    energy = 0.0
    velocities(q, w, v)
    for i in range(n):
        p[:] = 0.0
        for j in range(n if coupled else 0):
            if j != i:
                for k in range(3):
                    p[k] += M[i, j] * v[j, k]
        cross(q[i], p, L[i])
        own = M[i, i] if coupled else M[0, i]
        for k in range(3):
            L[i, k] += own * w[i, k]
            energy += 0.5 * w[i, k] * L[i, k]
    return energy
