r"""The equations of motion of [LLM15, Cors. 1-4] as printed there, with numpy, for any inertia m(q).

In all of them :math:`P_i = I - q_i q_i^T`, :math:`S(q_i) = \hat q_i`, U the potential and f the generalised
forces. The inverse :math:`m^I` of the Hamiltonian corollaries is that of the symmetric matrices

.. math:: A_{ij} = m_{ij} P_i P_j, \qquad B_{ij} = S(q_i)^T m_{ij} S(q_j) \quad (i \ne j), \qquad
    A_{ii} = B_{ii} = m_{ii} I

which on tangent vectors are the Legendre transformations, :math:`\mu = A \dot q` and
:math:`\pi = B \omega`; with them
:math:`\tfrac12 \partial_{q_i} \mu^T m^I \mu = -\tfrac12 \dot q^T (\partial_{q_i} A)\, \dot q`.
"""

from __future__ import annotations

import numpy as np

from geoctrl.manifolds.numerics.numbers_of_a_run import Run
from tests.oracles.sphere_mass import Inertia

__all__ = ["EQUATIONS", "angular_legendre", "legendre"]

Rates = tuple[np.ndarray, np.ndarray]


def legendre(q: np.ndarray, M: np.ndarray) -> np.ndarray:
    """The matrix A (3n, 3n) of mu = A qdot [LLM15, Eq. 19]."""
    P = np.eye(3) - q[:, :, None] * q[:, None, :]
    return _with_diagonal(np.einsum("ij,iab,jbc->iajc", M, P, P), M)


def angular_legendre(q: np.ndarray, M: np.ndarray) -> np.ndarray:
    """The matrix B (3n, 3n) of pi = B omega [LLM15, Eq. 32]."""
    S = _hats(q)
    return _with_diagonal(np.einsum("ij,iba,jbc->iajc", M, S, S), M)


def _with_diagonal(blocks: np.ndarray, M: np.ndarray) -> np.ndarray:
    """Blocks (n, 3, n, 3) as a matrix, those on the diagonal replaced by m_ii I."""
    n = len(M)
    for i in range(n):
        blocks[i, :, i, :] = M[i, i] * np.eye(3)
    return blocks.reshape(3 * n, 3 * n)


def _hats(v: np.ndarray) -> np.ndarray:
    return np.cross(v[:, None, :], np.eye(3)).transpose(0, 2, 1)


def _solve(A: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.linalg.solve(A, b.ravel()).reshape(b.shape)


def _tangent(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """P_i v_i."""
    return v - np.sum(q * v, axis=1)[:, None] * q


def _others(M: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Sums of m_ij v_j over j other than i."""
    return M @ v - np.diag(M)[:, None] * v


def _inertial(run: Run, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """F_i = sum_j mdot_ij qdot_j - 1/2 d/dq_i sum_jk m_jk qdot_j.qdot_k [LLM15, Cor. 1]."""
    return Inertia(run).rate(q, v) @ v - Inertia(run).slope(q, v @ v.T)


def velocity_equations(run: Run, t: float, q: np.ndarray, v: np.ndarray) -> Rates:
    r"""Rates of (q, qdot) [LLM15, Eq. 12], [LLM09, Eq. 2.7].

    .. math:: m_{ii} \ddot q_i + P_i \sum_{j \ne i} m_{ij} \ddot q_j + m_{ii} |\dot q_i|^2 q_i
        + P_i \{ F_i + \partial_{q_i} U - f_i \} = 0
    """
    M = Inertia(run).at(q)
    P = np.eye(3) - q[:, :, None] * q[:, None, :]
    A = _with_diagonal(np.einsum("ij,iac->iajc", M, P), M)
    force = _inertial(run, q, v) + run.slope(q) - run.forces(t, q, np.cross(q, v))
    centripetal = (np.diag(M) * np.sum(v * v, axis=1))[:, None] * q
    return v, _solve(A, -centripetal - _tangent(q, force))


def angular_equations(run: Run, t: float, q: np.ndarray, w: np.ndarray) -> Rates:
    r"""Rates of (q, omega) [LLM15, Eq. 18], [LLM09, Eq. 2.9].

    .. math:: m_{ii} \dot\omega_i + \sum_{j \ne i} \bigl( S(q_i)^T m_{ij} S(q_j) \dot\omega_j
        - m_{ij} S(q_i) |\omega_j|^2 q_j \bigr) + S(q_i) \{ F_i + \partial_{q_i} U - f_i \} = 0
    """
    M, v = Inertia(run).at(q), np.cross(w, q)
    force = _inertial(run, q, v) + run.slope(q) - run.forces(t, q, w)
    turning = _others(M, np.sum(w * w, axis=1)[:, None] * q)
    return v, _solve(angular_legendre(q, M), np.cross(q, turning - force))


def momentum_equations(run: Run, t: float, q: np.ndarray, mu: np.ndarray) -> Rates:
    r"""Rates of (q, mu) [LLM15, Eqs. 24, 26], mu conjugate to qdot.

    .. math::

        \dot q_i &= P_i \sum_j m^I_{ij} \mu_j , \\
        \dot\mu_i &= \sum_j m^I_{ij} \mu_j \times (\mu_i \times q_i)
            - P_i \tfrac12 \partial_{q_i} \sum_{jk} \mu_j^T m^I_{jk} \mu_k - P_i (\partial_{q_i} U - f_i)
    """
    M = Inertia(run).at(q)
    y = _solve(legendre(q, M), mu)
    v = _tangent(q, y)
    gram = v @ v.T
    np.fill_diagonal(gram, np.sum(y * y, axis=1))
    # The derivative of P_i y_i by q_i counts off the cotangent bundle alone, where q_i.y_i is not zero.
    rest = _others(M, v)
    along = np.sum(q * y, axis=1)[:, None] * rest + np.sum(q * rest, axis=1)[:, None] * y
    kinetic = along - Inertia(run).slope(q, gram)
    force = kinetic + run.slope(q) - run.forces(t, q, np.cross(q, v))
    return v, np.cross(y, np.cross(mu, q)) - _tangent(q, force)


def angular_momentum_equations(run: Run, t: float, q: np.ndarray, p: np.ndarray) -> Rates:
    r"""Rates of (q, pi) [LLM15, Eqs. 35, 36], pi conjugate to omega.

    .. math::

        \dot q_i &= -S(q_i) \sum_j m^I_{ij} \pi_j , \\
        \dot\pi_i &= -S(q_i) \Bigl( \tfrac12 \partial_{q_i} \sum_{jk} \pi_j^T m^I_{jk} \pi_k
            + \partial_{q_i} U \Bigr) + \sum_j m^I_{ij} \pi_j \times \pi_i + S(q_i) f_i
    """
    M = Inertia(run).at(q)
    w = _solve(angular_legendre(q, M), p)
    v = np.cross(w, q)
    gram = v @ v.T
    np.fill_diagonal(gram, np.sum(w * w, axis=1))
    kinetic = np.cross(w, _others(M, v)) - Inertia(run).slope(q, gram)
    force = kinetic + run.slope(q) - run.forces(t, q, w)
    return v, np.cross(w, p) - np.cross(q, force)


EQUATIONS = {
    "qdot": velocity_equations,
    "omega": angular_equations,
    "mu": momentum_equations,
    "pi": angular_momentum_equations,
}
"""By form; ``equations(run, t, q, y)`` gives the rates (n, 3) of q and of y."""
