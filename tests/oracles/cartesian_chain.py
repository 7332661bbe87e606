"""Chain of point masses in Cartesian coordinates with multipliers: an oracle that knows no sphere.

Masses m_i at r_i, i = 1..n, joined by massless rods, r_0 = 0 the pivot:

    m_i a_i = m_i g + F_i + J^T lambda,      phi_i = (|r_i - r_{i-1}|^2 - l_i^2) / 2 = 0,

with the constraints differentiated twice, J a = -|v_i - v_{i-1}|^2.  A couple tau on the first rod, which
has no mass, acts on the first mass as the force tau x e / l_1 with e the rod's direction; d pulls the tip.
"""

import numpy as np
from scipy.integrate import solve_ivp


def accelerations(r, v, masses, lengths, gravity, couple, pull):
    """Accelerations (n, 3) at positions and velocities (n, 3)."""
    n = len(masses)
    rods = np.diff(r, axis=0, prepend=np.zeros((1, 3)))
    rates = np.diff(v, axis=0, prepend=np.zeros((1, 3)))
    force = np.outer(masses, gravity)
    force[0] += np.cross(couple, rods[0]) / lengths[0] ** 2
    force[-1] += pull
    J = np.zeros((n, n, 3))
    for i in range(n):
        J[i, i] = rods[i]
        if i:
            J[i, i - 1] = -rods[i]
    J = J.reshape(n, 3 * n)
    inverse = np.repeat(1 / np.asarray(masses), 3)
    free = inverse * force.ravel()
    multipliers = np.linalg.solve(J * inverse @ J.T, -np.sum(rates**2, axis=1) - J @ free)
    return (free + inverse * (J.T @ multipliers)).reshape(n, 3)


def simulate(q, omega, T, masses, lengths, gravity=(0, 0, -9.81), couple=(0, 0, 0), pull=(0, 0, 0)):
    """Directions and angular velocities of the rods (n, 3) at time T, from those at time 0."""
    lengths = np.asarray(lengths, dtype=float)
    n = lengths.size
    r = np.cumsum(lengths[:, None] * q, axis=0)
    v = np.cumsum(lengths[:, None] * np.cross(omega, q), axis=0)

    def rate(_, x):
        r, v = x.reshape(2, n, 3)
        a = accelerations(r, v, masses, lengths, gravity, couple, pull)
        return np.concatenate([v.ravel(), a.ravel()])

    start = np.concatenate([r.ravel(), v.ravel()])
    end = solve_ivp(rate, (0, T), start, method="DOP853", rtol=1e-13, atol=1e-15).y[:, -1]
    rods, rates = np.diff(end.reshape(2, n, 3), axis=1, prepend=np.zeros((2, 1, 3))) / lengths[:, None]
    return rods, np.cross(rods, rates)
