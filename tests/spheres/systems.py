"""Systems and states on spheres that several tests use; masses, lengths and directions all different.

Each system is made once, so that its kernels are compiled once.
"""

from functools import cache

import numpy as np
import sympy as sp

import geoctrl as gc
from geoctrl import spheres
from geoctrl.stepping.drive.inputs import read_inputs


def random_state(n, seed=0, speed=1.0):
    """Directions (n, 3) and angular velocities orthogonal to them."""
    rng = np.random.default_rng(seed)
    return spheres.project(rng.normal(size=(n, 3)), speed * rng.normal(size=(n, 3)))


def hanging(n, seed=0, spread=0.3, speed=1.0):
    """A state near the one that hangs at rest."""
    rng = np.random.default_rng(seed)
    q = spread * rng.normal(size=(n, 3)) + [0, 0, -1]
    return spheres.project(q, speed * rng.normal(size=(n, 3)))


@cache
def varying_inertia(forced=True):
    """Two bodies; the inertia depends on q in every entry, the force is damping, a push and an input."""
    q, omega = spheres.symbols(2)
    a = gc.Parameter("a", 1.3, positive=True)
    u = sp.Symbol("u", real=True)
    coupled = q[0].dot(q[1]) / 3 + q[1][2] / 5
    mass = sp.Matrix([[2 + q[0][0] ** 2 + a.symbol, coupled], [coupled, 3 + q[0][1] * q[1][2]]])
    push = sp.Matrix([omega[0][1], u * sp.cos(gc.time), -omega[1][0]])
    forces = [push, -omega[1].cross(q[1]) / 2 + u * q[0]]
    return spheres.SphereSystem(
        mass=mass,
        potential=q[0][2] * a.symbol + q[1][0] * q[0][1],
        parameters=[a],
        forces=forces if forced else None,
        inputs=[u] if forced else (),
        name="varying-inertia",
    )


@cache
def driven_bodies():
    """Three bodies of diagonal inertia: an anisotropic potential, damping, a push that depends on time."""
    q, omega = spheres.symbols(3)
    u = sp.Symbol("u", real=True)
    forces = [
        -omega[0].cross(q[0]) / 3 + u * q[1],
        sp.Matrix([sp.sin(2 * gc.time), 0, 1]),
        q[0].cross(omega[1]) - q[2].cross(q[1]) / 2,
    ]
    potential = q[0][2] + 2 * q[1].dot(q[2]) + q[0].dot(q[1]) ** 2
    return spheres.SphereSystem(mass=[1.5, 2.0, 0.7], potential=potential, forces=forces, inputs=[u])


def integrated_by_dop853(system, q, omega, T, inputs=None):
    """State at time T from SciPy's DOP853 on the equations of motion, good to about 1e-12."""
    from scipy.integrate import solve_ivp

    run = system.run(None, read_inputs(system, inputs))

    def rate(t, x):
        v, a = run.field(t, *system.unpack(x))
        return np.concatenate([v.ravel(), a.ravel()])

    return solve_ivp(rate, (0, T), system.pack(q, omega), method="DOP853", rtol=1e-13, atol=1e-15).y[:, -1]


@cache
def rotating_bodies():
    """Three bodies of diagonal inertia whose potential depends on their mutual angles alone."""
    potential = spheres.Pairs(lambda a, b: a.dot(b) + 2 * a.dot(b) ** 2)
    return spheres.SphereSystem(mass=[1.5, 2.0, 0.7], potential=potential)


@cache
def rotating_linkage():
    """Two bodies whose inertia and potential depend on their mutual angle alone."""
    q, _ = spheres.symbols(2)
    c = q[0].dot(q[1])
    mass = sp.Matrix([[2 + c**2, sp.Rational(3, 4) * c], [sp.Rational(3, 4) * c, 1 + c / 3]])
    return spheres.SphereSystem(mass=mass, potential=c + c**2)


@cache
def free_chain():
    """Three links, strongly coupled, without forces."""
    chain = spheres.chain_pendulum([1.0, 2.0, 0.5], [0.3, 0.5, 0.4])
    return chain.replace(forces=None, inputs=())
