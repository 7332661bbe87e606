"""The equations of an implicit step: their derivative, and the bases that they are written in."""

import numpy as np
import pytest

from geoctrl.stepping.compiled.vectors import frames
from geoctrl.stepping.solvers import coordinates, coupled
from tests.spheres.systems import free_chain, random_state, varying_inertia

SYSTEMS = {"coupled": (free_chain, 3), "varying": (lambda: varying_inertia(forced=False), 2)}
H = 0.3


def equations(system, q):
    """S(q, q') in tangent coordinates as a function of those of q', and its derivative by the solver."""
    n, run = system.n, system.run(system.params)
    G = None if system.inertia_varies else np.kron(system.mass_at(q, system.params), np.eye(3))
    kernels = run.kinetics
    inertia, still = coupled.coupled_system(run.bodies, G, written=G is None), np.zeros(3)
    T, new, D, S = inertia.tangents.copy(), np.empty((n, 3)), np.empty((n, 3)), np.empty((n, 3))
    coordinates.bases(run.bodies, q, T)

    def residual(y):
        out = np.empty(2 * n)
        coordinates.retract(run.bodies, inertia.freedom, q, T, y, new, D)
        coupled.meet(q, H, still, inertia, kernels[0], run.data, run.index, new, D, S, -1.0)
        coordinates.lower(run.bodies, inertia.freedom, q, T, S, out)
        return out

    def jacobian(y):
        J = np.empty((2 * n, 2 * n))
        residual(y)
        coupled.jacobian(q, H, still, inertia, kernels[1], run.data, run.index, T, y, new, D, J)
        return J

    return residual, jacobian


@pytest.mark.parametrize("name", SYSTEMS)
def test_the_jacobian_of_a_step_is_the_derivative_of_its_equations(name):
    """At steps as large as the method takes, where no term is small."""
    build, n = SYSTEMS[name]
    residual, jacobian = equations(build(), random_state(n, seed=11)[0])
    y, h = 0.4 * np.random.default_rng(12).normal(size=2 * n), 1e-3
    columns = [
        (8 * (residual(y + e) - residual(y - e)) - (residual(y + 2 * e) - residual(y - 2 * e))) / (12 * h)
        for e in h * np.eye(2 * n)
    ]
    # Differences of order four: 1e-12 times fifth derivatives.
    np.testing.assert_allclose(jacobian(y), np.array(columns).T, rtol=0, atol=1e-9)


def test_slopes_are_derivatives_of_the_kinetic_part_of_the_discrete_lagrangian():
    """S_i = -d/dq_i of sum (m_jk(q) + m_jk(q')) (q' - q)_j . (q' - q)_k / 4, the inertia typed by hand."""
    system = varying_inertia(forced=False)
    q, new = random_state(2, seed=13)[0], random_state(2, seed=14)[0]
    run, S = system.run(system.params), np.empty((2, 3))

    def mass(q):
        c = q[0] @ q[1] / 3 + q[1, 2] / 5
        return np.array([[3.3 + q[0, 0] ** 2, c], [c, 3 + q[0, 1] * q[1, 2]]])

    def kinetic(q):
        d = new - q
        return np.sum((mass(q) + mass(new)) * (d @ d.T)) / 4

    inertia, kernel = coupled.coupled_system(run.bodies, written=True), run.kinetics[0]
    coupled.meet(q, H, np.zeros(3), inertia, kernel, run.data, run.index, new, new - q, S, -1.0)
    for place in np.ndindex(2, 3):
        e = np.zeros((2, 3))
        e[place] = 1e-3  # a polynomial of degree four
        expected = (
            -(8 * (kinetic(q + e) - kinetic(q - e)) - (kinetic(q + 2 * e) - kinetic(q - 2 * e))) / 12e-3
        )
        assert S[place] == pytest.approx(expected, abs=1e-10)


# -- tangent planes ---------------------------------------------------------------------------------------

NEAR = [[1e-9, 0, 1], [0, 1e-9, -1], [0.6, 0.8, 1e-20], [0.6, 0.8, -1e-20]]  # poles and equator
DIRECTIONS = np.vstack([random_state(6, seed=15)[0], np.eye(3), -np.eye(3), NEAR])


def test_bases_of_the_tangent_planes_are_orthonormal_and_right_handed():
    """At both poles, near them and for directions that are not of unit length, too."""
    for size in (1.0, 1.7):
        q, B = size * DIRECTIONS, np.empty((len(DIRECTIONS), 2, 3))
        frames(q, B)
        unit = DIRECTIONS / np.linalg.norm(DIRECTIONS, axis=1)[:, None]
        np.testing.assert_allclose(np.cross(B[:, 0], B[:, 1]), unit, rtol=0, atol=1e-15)
        gram = np.einsum("irk,isk->irs", B, B)
        np.testing.assert_allclose(gram, np.broadcast_to(np.eye(2), gram.shape), rtol=0, atol=1e-15)
