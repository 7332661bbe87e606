"""Steps of products of bodies: each solver against the others; a mixed product."""

from functools import cache

import numpy as np
import pytest

from geoctrl.stepping.compiled.bodies import ATTITUDE, DIRECTION, PLACE
from geoctrl.stepping.compiled.compiled import loop_code
from geoctrl.stepping.compiled.forces import GRADIENT, no_force
from geoctrl.stepping.methods.methods import composition
from geoctrl.stepping.methods.runge_kutta import runge_kutta, runge_kutta_signature, tableau
from geoctrl.stepping.methods.variational import (
    Pace,
    StepMotion,
    StepNumbers,
    no_kinetics,
    variational,
    variational_signature,
)
from geoctrl.stepping.solvers import apart, coupled, explicit, tensions
from geoctrl.stepping.solvers.sparse import sparse_inverse
from tests.rotations import systems as on_rotations
from tests.spheres.systems import random_state
from tests.stepping.layouts import layout


def steps(
    solver,
    system,
    bodies,
    start,
    h,
    count,
    gradient,
    *,
    stages=None,
    pieces=1,
    method="variational",
    spin=None,
):
    """Configurations, velocities and spatial momenta at the end of some steps without forces."""
    z, L, w = (part.copy() for part in start)
    g, f, stages = np.zeros_like(z), np.zeros_like(w), np.ones(1) if stages is None else stages
    gradient(z, np.zeros(1), np.zeros(1, dtype=np.int64), g)
    Z, W = np.empty((1, *z.shape)), np.empty((1, *w.shape))
    numbers = StepNumbers(np.zeros(1), np.zeros(1, dtype=np.int64), np.zeros(3), False, False)
    kernels = (gradient, no_force(), no_kinetics(), no_kinetics())
    still = spin is None or not any(spin)
    frame = np.zeros(3) if still else np.array(spin)
    for piece in range(pieces):
        part = count // pieces
        pace = Pace(piece * part, h, stages, part, part, 0)
        what = (system, StepMotion(z, L, w, g, f), numbers)
        if method == "variational":
            loop = loop_code(variational, variational_signature(solver, not still))
            head = (*solver.pointers(python=False), *kernels, bodies, None if still else frame)
            done, _, failure, residual = loop(*head, *what, pace, Z, W)
        else:
            loop = loop_code(runge_kutta, runge_kutta_signature(solver))
            head = (solver.accelerator(), *kernels, bodies, frame)
            done, _, failure, residual = loop(*head, *what, tableau(method), pace, Z, W)
        assert (done, failure) == (part, 0), residual
    return Z[0], W[0], L


# -- solvers against each other ---------------------------------------------------------------------------

E3 = np.array([0.0, 0.0, -1.0])


@cache
def weight(forces):
    """The kernel of a potential with constant slopes: a tuple of rows."""
    table = np.array(forces)

    def gradient(z, _data, _index, out):
        for i in range(z.shape[0]):
            for k in range(3):
                out[i, k] = table[i, k]

    from numba import njit

    return njit(GRADIENT)(gradient)


def chain_of(masses, lengths):
    """Inertia of a chain of links."""
    tail = np.cumsum(masses[::-1])[::-1]
    n = len(masses)
    return np.array([[tail[max(i, j)] * lengths[i] * lengths[j] for j in range(n)] for i in range(n)])


def started(bodies, z, w, G):
    """Spatial momenta of a state under a constant matrix G of the rates."""
    u, L = np.zeros_like(z), np.zeros_like(w)
    for (kind, i), v in zip(bodies, w, strict=True):
        rows = slice(i, i + (3 if kind == ATTITUDE else 1))
        u[rows] = v if kind == PLACE else np.cross(z[rows], v) * (1 if kind == ATTITUDE else -1)
    p = (G @ u.ravel()).reshape(z.shape)
    for b, (kind, i) in enumerate(bodies):
        if kind == ATTITUDE:
            R = z[i : i + 3]
            L[b] = R @ np.cross(p[i : i + 3], R).sum(axis=0)
        else:
            L[b] = p[i] if kind == PLACE else np.cross(z[i], p[i])
    return L, 0.5 * np.sum(u * p)


LINKS = [1.0, 0.7, 1.3, 0.4]


@cache
def linked():
    """A place with a chain: bodies, inertia (n, n), state."""
    masses, lengths = [2.0, *LINKS], np.array([1.0, 0.6, 0.5, 0.8, 0.3])
    bodies = layout([PLACE] + [DIRECTION] * 4)
    q, omega = random_state(4, 5, 2.0)
    z, w = np.vstack([[0.3, -0.2, 0.5], q]), np.vstack([[0.4, 0.1, -0.3], omega])
    return bodies, chain_of(masses, lengths), z, w


@pytest.mark.parametrize("method", ["variational", "rk4"])
@pytest.mark.parametrize("dense", [False, True])
def test_tensions_are_the_coupled_step(method, dense):
    """A place with a chain, and one more coupling, which leaves no zero in the inverse."""
    bodies, M, z, w = linked()
    if dense:
        more = np.random.default_rng(3).normal(size=(5, 5))
        M = M + 0.1 * more @ more.T
    G = np.kron(M, np.eye(3))
    inverse = sparse_inverse(M)
    solver = tensions.FULL if dense else tensions.SPARSE
    assert tensions.solver(inverse[1]) is solver
    slopes = weight(tuple(map(tuple, M[:, :1] * E3 * -9.81)))
    start = (z, started(bodies, z, w, G)[0], w)
    by_tension = steps(
        solver, tensions.tensions(bodies, *inverse), bodies, start, 0.01, 100, slopes, method=method
    )
    by_newton = steps(
        coupled.SOLVER, coupled.coupled_system(bodies, G), bodies, start, 0.01, 100, slopes, method=method
    )
    for a, b in zip(by_tension, by_newton, strict=True):
        np.testing.assert_allclose(a, b, rtol=0, atol=2e-12)  # a hundred steps of a motion that is chaotic


@pytest.mark.parametrize("spin", [(0.0, 0.0, 0.0), (0.3, -0.5, 0.4)])
@pytest.mark.parametrize("method", ["variational", "rk4"])
def test_bodies_apart_are_the_coupled_step(method, spin):
    """A place, an attitude and a direction that no inertia couples, also seen from a frame that turns."""
    bodies = layout([PLACE, ATTITUDE, DIRECTION])
    J, (R, Omega), (q, omega) = on_rotations.J, on_rotations.random_state(1, 3), random_state(1, 4)
    G = np.zeros((15, 15))
    G[:3, :3], G[12:, 12:] = 1.7 * np.eye(3), 0.6 * np.eye(3)
    G[3:12, 3:12] = np.kron(np.eye(3), np.trace(J) / 2 * np.eye(3) - J)
    z, w = np.vstack([[[0.3, -0.2, 0.5]], R[0], q]), np.vstack([[[0.4, 0.1, -0.3]], Omega, omega])
    slopes = weight(tuple(map(tuple, np.random.default_rng(6).normal(size=(5, 3)))))
    start = (z, started(bodies, z, w, G)[0], w)
    given = {"method": method, "spin": spin}
    separate = apart.apart_system(bodies, [1.7, J, 0.6], np.zeros((3, 3)))
    one = steps(apart.SOLVER, separate, bodies, start, 0.01, 100, slopes, **given)
    other = steps(
        coupled.SOLVER, coupled.coupled_system(bodies, G, spin), bodies, start, 0.01, 100, slopes, **given
    )
    # Fields agree on the manifold, which Runge-Kutta methods leave by errors of their own.
    close = 1e-12 if method == "variational" else 1e-8
    for a, b in zip(one, other, strict=True):
        np.testing.assert_allclose(a, b, rtol=0, atol=close)


def test_explicit_steps_are_those_of_bodies_apart():
    bodies, mass = layout([PLACE, DIRECTION, DIRECTION]), np.array([1.7, 0.6, 0.9])
    q, omega = random_state(2, 8)
    z, w = np.vstack([[[0.3, -0.2, 0.5]], q]), np.vstack([[[0.4, 0.1, -0.3]], omega])
    start, slopes = (z, mass[:, None] * w, w), weight(((0.3, 0.1, 0.2), (0.5, -0.1, 0.4), (-0.2, 0.3, 0.7)))
    one = steps(explicit.SOLVER, explicit.Explicit(bodies, mass), bodies, start, 0.01, 100, slopes)
    other = steps(
        apart.SOLVER, apart.apart_system(bodies, mass, np.zeros((3, 3))), bodies, start, 0.01, 100, slopes
    )
    for a, b in zip(one, other, strict=True):
        np.testing.assert_array_equal(a, b)


def test_runs_by_tensions_do_not_depend_on_how_they_are_cut():
    """To the last bit, at orders 2 and 4: tensions of earlier steps are handed on, those of each substep."""
    bodies, M, z, w = linked()
    slopes = weight(tuple(map(tuple, M[:, :1] * E3 * -9.81)))
    start = (z, started(bodies, z, w, np.kron(M, np.eye(3)))[0], w)
    for order in (2, 4):
        stages = composition(order)
        whole, cut = (
            steps(
                tensions.SPARSE, tensions.tensions(bodies, *sparse_inverse(M), stages=len(stages)), bodies,
                start, 0.01, 60, slopes, stages=stages, pieces=pieces,
            )
            for pieces in (1, 12)
        )  # fmt: skip
        for a, b in zip(whole, cut, strict=True):
            np.testing.assert_array_equal(a, b)


# -- a mixed product --------------------------------------------------------------------------------------


@cache
def mixed():
    """A place, a body at it and a link at a point of the body: bodies, G, state; no forces.

    With x the place, a point of the body at x + R rho and the end of the link at x + R rho + l q.
    """
    bodies = layout([PLACE, ATTITUDE, DIRECTION])
    rho, length = np.array([0.2, -0.1, 0.3]), 0.7
    J = np.array([[0.9, 0.1, 0.05], [0.1, 1.1, -0.1], [0.05, -0.1, 0.6]])
    A = np.zeros((3, 15))  # rates of the end of the link
    A[:, :3], A[:, 12:] = np.eye(3), length * np.eye(3)
    for k in range(3):
        A[k, 3 + 3 * k : 6 + 3 * k] = rho
    G = 0.8 * A.T @ A
    G[:3, :3] += 1.5 * np.eye(3)
    G[3:12, 3:12] += np.kron(np.eye(3), np.trace(J) / 2 * np.eye(3) - J)
    (R, Omega), (q, omega) = on_rotations.random_state(1, 11), random_state(1, 12)
    z, w = np.vstack([[[0.3, -0.2, 0.5]], R[0], q]), np.vstack([[[0.4, 0.1, -0.3]], Omega, omega])
    return bodies, G, z, w


def momentum_and_energy(bodies, G, z, w):
    """Linear momentum, angular momentum about the origin, energy."""
    L, energy = started(bodies, z, w, G)
    return np.concatenate([L[0], L.sum(axis=0) - L[0] + np.cross(z[0], L[0]), [energy]])


FREE = ((0.0, 0.0, 0.0),) * 5


def test_a_mixed_product_keeps_its_momenta_and_bounds_its_energy():
    bodies, G, z, w = mixed()
    before = momentum_and_energy(bodies, G, z, w)
    start = (z, started(bodies, z, w, G)[0], w)
    late = steps(coupled.SOLVER, coupled.coupled_system(bodies, G), bodies, start, 0.02, 5000, weight(FREE))
    after = momentum_and_energy(bodies, G, *late[:2])
    # The place moves 50 lengths: rounding of positions times momenta, 5000 times.
    np.testing.assert_allclose(after[:6], before[:6], rtol=0, atol=1e-11)
    assert 1e-9 < abs(after[6] - before[6]) < 1e-3 * before[6]
    R = late[0][1:4]
    assert np.abs(R @ R.T - np.eye(3)).max() < 1e-14


def test_a_mixed_product_converges_with_order_two_to_the_flow_and_is_reversible():
    bodies, G, z, w = mixed()
    L = started(bodies, z, w, G)[0]
    slopes = weight(((0.5, -0.2, 1.0), (0.3, 0.1, 0.2), (0.5, -0.1, 0.4), (-0.2, 0.3, 0.7), (0.1, 0.9, -0.4)))

    def at_the_end(count, **given):
        return steps(
            coupled.SOLVER,
            coupled.coupled_system(bodies, G),
            bodies,
            (z, L, w),
            1 / count,
            count,
            slopes,
            **given,
        )

    flow = at_the_end(400, method="rk4")
    errors = [np.abs(at_the_end(count)[0] - flow[0]).max() for count in (40, 80)]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2, abs=0.02)
    stages = composition(4)
    fourth = steps(
        coupled.SOLVER,
        coupled.coupled_system(bodies, G),
        bodies,
        (z, L, w),
        0.02,
        50,
        slopes,
        stages=stages,
    )
    assert np.abs(fourth[0] - flow[0]).max() < 1e-6 < errors[1] / 10
    there = at_the_end(50)
    back = steps(
        coupled.SOLVER,
        coupled.coupled_system(bodies, G),
        bodies,
        (there[0], -there[2], -there[1]),
        1 / 50,
        50,
        slopes,
    )
    np.testing.assert_allclose(back[0], z, rtol=0, atol=1e-12)
    np.testing.assert_allclose(back[1], -w, rtol=0, atol=1e-12)


def test_a_place_is_held_to_its_line():
    """It moves as the others push it along the line, not across it, with the energy of what is so held."""
    bodies, G, z, w = mixed()
    line = np.array([[0.6, 0.0, 0.8]])
    z, w = z.copy(), w.copy()
    z[0], w[0] = 0.4 * line[0], 0.7 * line[0]
    L, energy = started(bodies, z, w, G)
    L[0] = line[0] * (line[0] @ L[0])
    held = coupled.coupled_system(bodies, G, tangents={0: line})
    late, rate, _ = steps(coupled.SOLVER, held, bodies, (z, L, w), 0.005, 2000, weight(FREE))
    assert np.abs(np.cross(late[0], line[0])).max() < 1e-13
    assert abs(late[0] @ line[0] - 0.4) > 0.1
    assert abs(started(bodies, late, rate, G)[1] - energy) < 1e-3 * energy
