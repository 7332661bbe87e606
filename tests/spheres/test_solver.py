"""The equations of an implicit step: their derivative, the bases they are written in, Newton's iterations."""

import numpy as np
import pytest

from geoctrl.spheres import stepper, tangent
from tests.spheres.systems import free_chain, random_state, varying_inertia

SYSTEMS = {"coupled": (free_chain, 3), "varying": (lambda: varying_inertia(forced=False), 2)}


def equations(system, q):
    """S(q, q') in tangent coordinates as a function of those of z, and its derivative by the stepper."""
    stepper.settle()
    n, run = system.n, system.run(system.params)
    M, B = run.at(q).copy(), np.empty((n, 2, 3))
    tangent.frames(q, B)
    z, new, d, S = (np.zeros((n, 3)) for _ in range(4))
    late = M.copy()

    def residual(y):
        z[:] = np.einsum("irk,ir->ik", B, y.reshape(n, 2))
        stepper.cayley(q, z, new, d)
        late[:] = run.at(new)
        stepper.slopes(q, M, late, d, run.varies, run.mass[1], run.data, run.index, S)
        return np.einsum("irk,ik->ir", B, S).ravel()

    def jacobian(y):
        residual(y)
        return stepper.jacobian(q, z, new, M, late, d, run.varies, *run.mass[1:], run.data, run.index, B)

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

    stepper.settle()
    stepper.slopes(q, mass(q), mass(new), new - q, True, run.mass[1], run.data, run.index, S)
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
        tangent.frames(q, B)
        unit = DIRECTIONS / np.linalg.norm(DIRECTIONS, axis=1)[:, None]
        np.testing.assert_allclose(np.cross(B[:, 0], B[:, 1]), unit, rtol=0, atol=1e-15)
        gram = np.einsum("irk,isk->irs", B, B)
        np.testing.assert_allclose(gram, np.broadcast_to(np.eye(2), gram.shape), rtol=0, atol=1e-15)
