"""What the variational method keeps: lengths, momentum maps, symplectic form, bounded energy, time reversal.

Each with the Runge-Kutta method, or a force, that does not keep it.
"""

from functools import cache
from itertools import pairwise

import numpy as np
import pytest

from geoctrl import spheres
from geoctrl.errors import ConvergenceError
from tests.spheres.systems import (
    free_chain,
    hanging,
    random_state,
    rotating_bodies,
    rotating_linkage,
    varying_inertia,
)


def run(system, state, h, steps, **options):
    options.setdefault("record", max(1, steps // 1000))
    return spheres.integrate(system, *state, h, steps, **options)


def momentum_defect(r):
    """Largest change of the momentum map, relative to the sum of |p_i| at the beginning."""
    kernels = r.system.run(r.params)
    scale = np.linalg.norm(kernels.mechanics(r.q[:1], r.omega[:1])[2][0], axis=1).sum()
    return np.max(np.linalg.norm(r.momentum - r.momentum[0], axis=1)) / scale


LONG_RUNS = {
    "diagonal": lambda: run(rotating_bodies(), random_state(3, seed=2), 0.02, 100_000),
    "varying": lambda: run(rotating_linkage(), random_state(2, seed=3), 0.02, 100_000),
    "coupled": lambda: run(
        spheres.double_pendulum(1.0, 2.0, 0.7, 0.4, gravity=(0, 0, 0)),
        random_state(2, seed=4),
        0.01,
        100_000,
    ),
}
"""1e5 steps of an explicit and of two implicit cases."""


@cache
def long_run(name):
    return LONG_RUNS[name]()


# -- lengths and momenta ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", LONG_RUNS)
def test_unit_length_after_a_hundred_thousand_steps(name):
    """Rounding of each step is about 1e-16 and adds up as a random walk."""
    r = long_run(name)
    assert len(r) == 1001
    assert np.max(np.abs(np.linalg.norm(r.q, axis=2) - 1)) < 1e-12
    assert np.max(np.abs(np.sum(r.q * r.omega, axis=2))) < 1e-12


def test_unit_length_is_lost_by_runge_kutta():
    r = run(rotating_bodies(), random_state(3, seed=2), 0.02, 1000, method="rk2")
    assert r.length_error[-1] > 1e-7


@pytest.mark.parametrize(
    ("name", "few", "many"), [("diagonal", 1e-12, 1e-11), ("varying", 1e-10, 1e-8), ("coupled", 1e-10, 1e-8)]
)
def test_momentum_maps(name, few, many):
    r = long_run(name)
    tenth = len(r) // 10
    first = spheres.SphereTrajectory(
        r.system, r.time[:tenth], r.q[:tenth], r.omega[:tenth],
        params=r.params, engine=r.engine, status=r.status, success=True,
    )  # fmt: skip
    assert momentum_defect(first) < few
    assert momentum_defect(r) < many


def test_momentum_is_lost_by_runge_kutta():
    r = run(rotating_linkage(), random_state(2, seed=3), 0.02, 10_000, method="rk2", project=True)
    assert momentum_defect(r) > 1e-5


def test_gravity_keeps_the_vertical_momentum_alone():
    r = run(free_chain(), hanging(3, seed=7), 2e-3, 10_000)
    change = np.max(np.abs(r.momentum - r.momentum[0]), axis=0)
    assert change[2] < 1e-12
    assert min(change[:2]) > 1e-2
    assert "momentum3" in r.drift
    assert "momentum1" not in r.drift


# -- symplectic form --------------------------------------------------------------------------------------


def tangent_basis(q):
    """Rows of an orthonormal basis of the plane orthogonal to q."""
    return np.linalg.svd(q[None])[2][1:]


def momenta(system, q, omega):
    """p_i, the projections of sum_j m_ij qdot_j onto the tangent planes."""
    p = system.mass_matrix(q) @ np.cross(omega, q)
    return p - np.sum(p * q, axis=1)[:, None] * q


def angular_velocities(system, q, p):
    """Inverse of `momenta`, from a least-squares problem in ambient vectors."""
    n = len(q)
    planes = np.zeros((3 * n, 3 * n))
    for i in range(n):
        planes[3 * i : 3 * i + 3, 3 * i : 3 * i + 3] = np.eye(3) - np.outer(q[i], q[i])
    A = planes @ np.kron(system.mass_matrix(q), np.eye(3)) @ planes
    v = np.linalg.lstsq(A, p.ravel(), rcond=1e-10)[0].reshape(n, 3)
    return np.cross(q, v)


def symplectic_defect(system, q, omega, step):
    """Largest entry of J^T Omega J - Omega for a map (q, omega) -> (q, omega) of the cotangent bundle.

    In tangent coordinates y at (q, p): q_i(y) = (q_i + B_i y_i) / |.|, p_i(y) the projection of
    p_i + B_i y_{n+i}. The form is sum_i dp_i ^ dq_i in ambient vectors; J by central differences with two
    extrapolations.
    """
    n = len(q)
    p = momenta(system, q, omega)
    bases = [tangent_basis(v) for v in q]

    def chart(y):
        a, b = y.reshape(2, n, 2)
        moved = q + np.array([B.T @ c for B, c in zip(bases, a, strict=True)])
        moved /= np.linalg.norm(moved, axis=1)[:, None]
        pushed = p + np.array([B.T @ c for B, c in zip(bases, b, strict=True)])
        pushed -= np.sum(pushed * moved, axis=1)[:, None] * moved
        return np.concatenate([moved.ravel(), pushed.ravel()])

    def mapped(y):
        there = chart(y).reshape(2, n, 3)
        q1, omega1 = step(there[0], angular_velocities(system, *there))
        return np.concatenate([q1.ravel(), momenta(system, q1, omega1).ravel()])

    def jacobian(function):
        columns = []
        for e in np.eye(4 * n):
            table = [(function(h * e) - function(-h * e)) / (2 * h) for h in (8e-3, 4e-3, 2e-3)]
            fourth = [(4 * fine - coarse) / 3 for coarse, fine in pairwise(table)]
            columns.append((16 * fourth[1] - fourth[0]) / 15)
        return np.array(columns).T

    half = np.eye(3 * n)
    form = np.block([[np.zeros_like(half), -half], [half, np.zeros_like(half)]])
    J, E = jacobian(mapped), jacobian(chart)
    return np.max(np.abs(J.T @ form @ J - E.T @ form @ E))


def one_step(system, h, **options):
    def step(q, omega):
        r = spheres.integrate(system, q, omega, h, 1, **options)
        return r.q[-1], r.omega[-1]

    return step


SYMPLECTIC = {
    "diagonal": (rotating_bodies, 3),
    "coupled": (free_chain, 3),
    "varying": (lambda: varying_inertia(forced=False), 2),
}


@pytest.mark.parametrize("order", [2, 4])
@pytest.mark.parametrize("name", SYMPLECTIC)
def test_a_step_is_symplectic(name, order):
    """1e-8: extrapolated differences leave about 1e-10."""
    build, n = SYMPLECTIC[name]
    system = build()
    q, omega = random_state(n, seed=8)
    assert symplectic_defect(system, q, omega, one_step(system, 0.1, order=order)) < 1e-8


@pytest.mark.parametrize("name", SYMPLECTIC)
def test_a_runge_kutta_step_is_not_symplectic(name):
    build, n = SYMPLECTIC[name]
    system = build()
    q, omega = random_state(n, seed=8)
    assert symplectic_defect(system, q, omega, one_step(system, 0.1, method="rk2")) > 1e-4


def test_damping_is_not_symplectic():
    system = varying_inertia()
    q, omega = random_state(2, seed=8)
    assert symplectic_defect(system, q, omega, one_step(system, 0.1)) > 1e-3


# -- energy and time reversal -----------------------------------------------------------------------------


@pytest.mark.long(reason="rotations, and the study of integrators, bound it over shorter runs")
def test_energy_error_is_bounded_over_a_million_steps():
    """Regular motion of the double pendulum: the slope of block means against the amplitude of the error."""
    system = spheres.double_pendulum(1.0, 2.0, 0.7, 0.4)
    state = hanging(2, seed=6, spread=0.1, speed=0.1)
    r = run(system, state, 0.01, 1_000_000, record=100)
    error = r.energy - r.energy[0]
    amplitude = np.ptp(error[:1000])
    blocks = error[1:].reshape(100, -1).mean(axis=1)
    slope = np.polyfit(np.arange(100), blocks, 1)[0]
    assert amplitude < 1e-3 * (r.energy[0] - system.potential([[0, 0, -1], [0, 0, -1]]))
    assert abs(100 * slope) < 0.05 * amplitude
    assert np.ptp(error) < 1.05 * amplitude
    assert r.q.nbytes + r.omega.nbytes == 10_001 * 12 * 8  # memory goes with the records, not with the steps


def test_energy_error_of_runge_kutta_grows():
    """Negative control of the criterion."""
    system = spheres.double_pendulum(1.0, 2.0, 0.7, 0.4)
    r = run(system, hanging(2, seed=6, spread=0.1, speed=0.1), 0.01, 20_000, record=20, method="rk2")
    error = r.energy - r.energy[0]
    blocks = error[1:].reshape(100, -1).mean(axis=1)
    assert abs(100 * np.polyfit(np.arange(100), blocks, 1)[0]) > np.ptp(error[:100])


def test_projection_keeps_length_and_not_energy():
    """[LLM09, example 3]: renormalisation keeps the length; the energy drifts all the same."""
    state = random_state(3, seed=2)
    plain = run(rotating_bodies(), state, 0.02, 5000, method="rk2")
    projected = run(rotating_bodies(), state, 0.02, 5000, method="rk2", project=True)
    kept = run(rotating_bodies(), state, 0.02, 5000)
    assert projected.length_error.max() < 1e-15
    assert plain.length_error.max() > 1e-6
    drift = [abs(r.energy[-1] - r.energy[0]) for r in (projected, kept)]
    assert drift[0] > 20 * drift[1]


@pytest.mark.parametrize("order", [2, 6])
@pytest.mark.parametrize("name", SYMPLECTIC)
def test_steps_are_reversible(name, order):
    """There, and with velocities reversed back: the method is symmetric. 1e-11: rounding, magnified."""
    build, n = SYMPLECTIC[name]
    system = build()
    q, omega = random_state(n, seed=9)
    there = spheres.integrate(system, q, omega, 0.01, 150, order=order)
    back = spheres.integrate(system, there.q[-1], -there.omega[-1], 0.01, 150, order=order)
    assert back.q[-1] == pytest.approx(q, abs=1e-11)
    assert back.omega[-1] == pytest.approx(-omega, abs=1e-11)


def test_runge_kutta_is_not_reversible():
    system = rotating_bodies()
    q, omega = random_state(3, seed=9)
    there = spheres.integrate(system, q, omega, 0.02, 300, method="heun")
    back = spheres.integrate(
        system, *spheres.project(there.q[-1], -there.omega[-1]), 0.02, 300, method="heun"
    )
    assert np.max(np.abs(back.q[-1] - q)) > 1e-5


def test_a_body_must_not_turn_by_a_right_angle_in_a_step():
    system = rotating_bodies()
    with pytest.raises(ConvergenceError, match="leaves the method's domain"):
        spheres.integrate(system, *random_state(3, seed=2), 2.0, 10)
