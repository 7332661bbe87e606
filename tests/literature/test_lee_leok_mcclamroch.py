"""T. Lee, M. Leok, N. H. McClamroch, Global Formulations of Lagrangian and Hamiltonian Dynamics on Manifolds.

(Springer 2018.) Section 6.6.3, the body in a circular orbit: equations (6.23) and (6.24), the conserved
quantity, the relative equilibria and the linear equations. Twice the section does not hold as printed.
"""

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc

RADIUS, NORMAL = np.array([0.0, 0.0, 1.0]), np.array([0.0, 1.0, 0.0])


@pytest.fixture(scope="module")
def orbiting():
    return gc.models.get("orbiting-body")().reduce()


def hat(w):
    return np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])


def rates(R, omega, J, n):
    """(6.23), (6.24): omega is inertial, R turns body components into those of the orbital frame."""
    a = R.T @ RADIUS
    omegadot = np.linalg.solve(J, np.cross(J @ omega, omega) + 3 * n**2 * np.cross(a, J @ a))
    return R @ hat(omega - n * R.T @ NORMAL), omegadot


def test_equations_623_and_624(orbiting):
    params = {"n": 0.7, "J1": 1.3, "J2": 1.9, "J3": 0.8}
    J, n = np.diag([1.3, 1.9, 0.8]), 0.7
    rng = np.random.default_rng(4)
    for _ in range(5):
        x = orbiting.random_state(rng)
        relative, a, b = x[:3], x[3:6], x[6:]
        R = np.stack([np.cross(b, a), b, a])  # rows: the orbital axes seen from the body
        Rdot, omegadot = rates(R, relative + n * b, J, n)
        xdot = orbiting.rhs(0.0, x, params=params)
        assert xdot[3:6] == pytest.approx(Rdot.T @ RADIUS, abs=1e-13)
        assert xdot[6:] == pytest.approx(Rdot.T @ NORMAL, abs=1e-13)
        assert xdot[:3] + n * xdot[6:] == pytest.approx(omegadot, abs=1e-13)


def test_linear_equations(orbiting):
    """(6.23) and (6.24) at the aligned attitude, R = exp(eta), by complex steps."""
    params = {"n": 0.7, "J1": 1.3, "J2": 1.9, "J3": 0.8}
    J, n = np.diag([1.3, 1.9, 0.8]), 0.7
    A = np.zeros((6, 6))
    step = 1e-30
    for column in range(6):
        z = np.zeros(6, dtype=complex)
        z[column] = 1j * step
        R = np.eye(3) + hat(z[:3])  # higher orders vanish in the imaginary part
        Rdot, omegadot = rates(R, n * NORMAL + z[3:], J, n)
        etadot = np.array([Rdot[2, 1], Rdot[0, 2], Rdot[1, 0]])
        A[:, column] = np.imag([*etadot, *omegadot]) / step
    lin = gc.linearize(orbiting, orbiting.equilibrium("aligned", params=params))
    assert np.poly(lin.A_leaf) == pytest.approx(np.poly(A), abs=1e-13)


def test_the_jacobi_integral_is_the_energy(orbiting):
    """1/2 omega.J omega - n b.J omega + U is conserved; the Hamiltonian of 6.6.3.3, printed so, is not."""
    n, *moments = (p.symbol for p in orbiting.mechanism.parameters)
    J, xi = sp.diag(*moments), sp.Matrix(orbiting.mechanism.algebra.xi)
    a, b = (sp.Matrix(v.symbols) for v in orbiting.mechanism.advected)
    omega = xi + n * b
    printed = omega.dot(J * omega) / 2 + sp.Rational(3, 2) * n**2 * a.dot(J * a)
    jacobi = printed - n * b.dot(J * omega)
    energy = orbiting.equations().energy
    assert sp.expand(jacobi - energy) == 0
    assert gc.check_invariant(orbiting, "energy").proved
    assert gc.check_invariant(orbiting, jacobi).proved
    refuted = gc.check_invariant(orbiting, printed)
    assert not refuted.proved
    assert refuted.counterexample is not None
    assert not gc.check_invariant(orbiting, printed + n * b.dot(J * omega)).proved


def test_the_jacobi_integral_in_a_run(orbiting):
    """Tumbling over three orbits; the printed Hamiltonian oscillates."""
    params = {"n": 0.7, "J1": 1.3, "J2": 1.9, "J3": 0.8}
    J, n = np.diag([1.3, 1.9, 0.8]), 0.7
    x0 = orbiting.project([0.1, 0.3, -0.2], {"a": (0.6, 0, 0.8), "b": (0, 1, 0)})
    run = gc.simulate(orbiting, np.linspace(0, 6 * np.pi / n, 301), x0, params=params)
    assert run.drift["energy"] < 1e-12
    omega, a = run.states[:3] + n * run.states[6:], run.states[3:6]
    printed = np.einsum("it,i,it->t", omega, np.diag(J), omega) / 2
    printed += 1.5 * n**2 * np.einsum("it,i,it->t", a, np.diag(J), a)
    assert np.ptp(printed) > 0.1


def test_relative_equilibria_need_both_axes(orbiting):
    """omega = n R^T e2 (printed: e3), and the normal too must be a principal axis, not the radius alone."""
    params = {"n": 0.7, "J1": 1.3, "J2": 1.9, "J3": 0.8}
    eq = orbiting.equilibrium("aligned", params=params)
    assert np.array_equal(eq.x[:3], np.zeros(3))
    R, J = np.eye(3), np.diag([1.3, 1.9, 0.8])
    right, printed = (rates(R, 0.7 * direction, J, 0.7) for direction in (NORMAL, RADIUS))
    assert not np.any(right[0])
    assert not np.any(right[1])
    assert np.max(np.abs(printed[0])) > 0.5
    # The radius along axis 3, the normal between axes 1 and 2.
    x = [0, 0, 0, 0, 0, 1, 0.6, 0.8, 0]
    with pytest.raises(gc.EquilibriumError, match="Omega3"):
        gc.linearize(orbiting, x, params=params)
