"""Systems and states on rotations that several tests use; inertias, parameters and directions all different.

Each system is made once, so that its kernels are compiled once.
"""

from functools import cache

import numpy as np
import sympy as sp

import geoctrl as gc
from geoctrl import rotations
from geoctrl.rotations.attitudes import exp

J = np.array([[2.0, 0.1, 0.2], [0.1, 1.5, -0.1], [0.2, -0.1, 1.0]])
J2 = np.array([[0.9, -0.05, 0.1], [-0.05, 1.3, 0.15], [0.1, 0.15, 0.7]])


def random_state(n, seed=0, speed=1.0):
    """Attitudes (n, 3, 3) and angular velocities (n, 3)."""
    rng = np.random.default_rng(seed)
    return exp(rng.normal(size=(n, 3))), speed * rng.normal(size=(n, 3))


@cache
def top():
    """One body with a potential that has no symmetry about a body axis but one about the vertical."""
    return rotations.pendulum3d(J, 1.3, [0.2, 0.1, -0.3])


@cache
def coupled():
    return rotations.coupled_bodies([J, J2], 2.7)


@cache
def orbit():
    return rotations.body_in_orbit(J, 0.6)


@cache
def gyrostat():
    """Constant linear terms under gravity."""
    return top().replace(linear=[[0.7, -0.5, 0.9]])


@cache
def general(forced=False):
    """Two bodies: linear terms in both attitudes, a turning frame, parameters; damping and an input."""
    R, Omega = rotations.symbols(2)
    k = gc.Parameter("k", 1.3, positive=True)
    j = gc.Parameter("j", 2.1, positive=True)
    u = sp.Symbol("u", real=True)
    forces = [
        -0.4 * Omega[0] + sp.Matrix([u, 0, R[0][1, 1]]),
        sp.Matrix([0.3, sp.sin(2 * gc.time) * Omega[0][1], -u * R[1][0, 2]]) - 0.25 * Omega[1],
    ]
    return rotations.RotationSystem(
        inertias=[J, sp.diag(j.symbol, 1.3, 0.7)],
        potential=k.symbol * (R[0].T * R[1]).trace() + 3 * R[0][2, 1] * R[1][0, 2] ** 2,
        linear=[R[0].T * sp.Matrix([0.3, 0.5, R[1][0, 1]]), sp.Matrix([0.1, 0.2 * k.symbol, -0.4])],
        forces=forces if forced else None,
        inputs=[u] if forced else (),
        frame_rate=[0.3, k.symbol / 2, -0.4],
        parameters=[k, j],
        name="general",
    )


def final(r):
    """Last state of a run, attitudes and velocities in one row."""
    return np.concatenate([r.R[-1].ravel(), r.Omega[-1].ravel()])


def by_dop853(system, R, Omega, T, u=None):
    """State after the time T by an integrator that knows nothing of rotations."""
    from scipy.integrate import solve_ivp

    def field(t, x):
        return system.rhs(t, x, None if u is None else u(t))

    run = solve_ivp(field, (0, T), system.pack(R, Omega), method="DOP853", rtol=1e-13, atol=1e-13)
    return run.y[:, -1]
