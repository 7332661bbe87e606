"""T. Lee, M. Leok, N. H. McClamroch 2015: Lagrangian and Hamiltonian mechanics on two-spheres.

(Global formulations of, IEEE Conf. Decision and Control, 6010-6015.) Section V, the chain pendulum, and
its errata, each with the printed formula as the negative control. The propositions are tested in
`tests/spheres`. In this paper e3 points up.
"""

import numpy as np
import pytest

from geoctrl import spheres
from tests.oracles import cartesian_chain

MASSES, LENGTHS, G = np.array([1.0, 2.0, 0.5]), np.array([0.6, 0.4, 0.5]), 9.81
TAU, D = np.array([0.8, -0.5, 0.6]), np.array([0.4, 0.9, -0.7])
E3 = np.array([0.0, 0.0, 1.0])
BEYOND = np.cumsum(MASSES[::-1])[::-1]
M = BEYOND[np.maximum.outer(range(3), range(3))]
LL = np.outer(LENGTHS, LENGTHS)


def hat(v):
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


@pytest.fixture(scope="module")
def chain():
    return spheres.chain_pendulum(MASSES, LENGTHS, gravity=-G * E3)


@pytest.fixture(scope="module")
def state():
    rng = np.random.default_rng(1)
    return spheres.project(rng.normal(size=(3, 3)), rng.normal(size=(3, 3)))


def accelerations(q, omega, right):
    """Angular accelerations of (39) with its right-hand sides (3, 3)."""
    S = [hat(v) for v in q]
    A, b = np.zeros((3, 3, 3, 3)), np.array(right, dtype=float)
    for i in range(3):
        A[i, :, i, :] = M[i, i] * LL[i, i] * np.eye(3)
        b[i] += BEYOND[i] * G * LENGTHS[i] * hat(E3) @ q[i]
        for j in set(range(3)) - {i}:
            A[i, :, j, :] = M[i, j] * LL[i, j] * S[i].T @ S[j]
            b[i] += M[i, j] * LL[i, j] * (omega[j] @ omega[j]) * S[i] @ q[j]
    return np.linalg.solve(A.reshape(9, 9), b.ravel()).reshape(3, 3)


def in_space(q, omega, couple, pull):
    """Angular accelerations from Cartesian equations with multipliers."""
    r = np.cumsum(LENGTHS[:, None] * q, axis=0)
    v = np.cumsum(LENGTHS[:, None] * np.cross(omega, q), axis=0)
    a = cartesian_chain.accelerations(r, v, MASSES, LENGTHS, -G * E3, couple, pull)
    return np.cross(q, np.diff(a, axis=0, prepend=np.zeros((1, 3))) / LENGTHS[:, None])


def test_kinetic_energy_37(chain, state):
    """1/2 sum M_ij l_i l_j (S(q_i) omega_i).(S(q_j) omega_j); printed with M_ij l_i l_j twice."""
    q, omega = state
    v = np.cross(q, omega)
    points = np.cumsum(LENGTHS[:, None] * v, axis=0)
    expected = np.sum(MASSES * np.sum(points**2, axis=1)) / 2
    right = np.sum(M * LL * (v @ v.T)) / 2
    assert right == pytest.approx(expected, rel=1e-13)
    assert chain.energy(chain.pack(q, omega)) - chain.potential(q) == pytest.approx(expected, rel=1e-13)
    printed = np.sum((M * LL) ** 2 * (v @ v.T)) / 2
    assert abs(printed - expected) > 0.05 * expected


def test_potential_38(chain, state):
    q, _ = state
    heights = np.cumsum(LENGTHS[:, None] * q, axis=0)[:, 2]
    assert chain.potential(q) == pytest.approx(np.sum(MASSES * G * heights), rel=1e-13)


def test_equations_39_without_forces(chain, state):
    """The sign of the term S(e3) q_i, which looks wrong, is right."""
    q, omega = state
    expected = in_space(q, omega, np.zeros(3), np.zeros(3))
    assert accelerations(q, omega, np.zeros((3, 3))) == pytest.approx(expected, rel=1e-11)
    assert chain.rhs(0.0, chain.pack(q, omega))[9:] == pytest.approx(expected.ravel(), rel=1e-11)


def test_generalised_forces(chain, state):
    """f_i = l_i d + delta_i1 tau x q_1; printed are moments, which S(q_i) in (39) would turn once more."""
    q, omega = state
    expected = in_space(q, omega, TAU, D)
    f = LENGTHS[:, None] * D
    f[0] += np.cross(TAU, q[0])
    assert accelerations(q, omega, np.cross(q, f)) == pytest.approx(expected, rel=1e-11)
    assert chain.rhs(0.0, chain.pack(q, omega), [*TAU, *D])[9:] == pytest.approx(expected.ravel(), rel=1e-11)
    # The same on the right-hand side: l_i S(q_i) d, and the part of tau orthogonal to q_1.
    moments = np.cross(q, LENGTHS[:, None] * D)
    moments[0] += TAU - q[0] * (q[0] @ TAU)
    assert accelerations(q, omega, moments) == pytest.approx(expected, rel=1e-11)
    printed = LENGTHS[:, None] * np.cross(q, D)
    printed[0] += TAU
    assert np.max(np.abs(accelerations(q, omega, np.cross(q, printed)) - expected)) > 1.0


def test_virtual_work_of_the_generalised_forces(state):
    """delta W = gamma_1.tau + d.delta x_n, delta q_i = gamma_i x q_i: the work that the chain's forces do."""
    q, gamma = state
    dq = np.cross(gamma, q)
    work = gamma[0] @ TAU + D @ (LENGTHS @ dq)
    f = LENGTHS[:, None] * D
    f[0] += np.cross(TAU, q[0])
    assert np.sum(f * dq) == pytest.approx(work, rel=1e-13)
    printed = LENGTHS[:, None] * np.cross(q, D)
    printed[0] += TAU
    assert abs(np.sum(printed * dq) - work) > 0.1


def test_hamiltons_equations_40_and_41(chain, state):
    """Gravity enters as g l_i e3 times the masses from link i on; printed is the sum of m_j g l_j e3."""
    q, omega = state
    x = chain.convert(chain.pack(q, omega), "omega", "pi")
    pi = chain.unpack(x)[1]
    B = np.zeros((3, 3, 3, 3))
    S = [hat(v) for v in q]
    for i in range(3):
        for j in range(3):
            B[i, :, j, :] = M[i, j] * LL[i, j] * (np.eye(3) if i == j else S[i].T @ S[j])
    w = np.linalg.solve(B.reshape(9, 9), pi.ravel()).reshape(3, 3)
    assert w == pytest.approx(omega, abs=1e-12)
    rates = np.zeros((2, 3, 3))
    h = 1e-5
    for i in range(3):
        slope = np.zeros(3)
        for k in range(3):
            for sign in (1, -1):  # of 1/2 pi.M^I(q) pi by q_i, pi held
                turned = [S[j] + (sign * h * hat(np.eye(3)[k]) if j == i else 0) for j in range(3)]
                C = B.copy()
                for j in set(range(3)) - {i}:
                    C[i, :, j, :] = M[i, j] * LL[i, j] * turned[i].T @ turned[j]
                    C[j, :, i, :] = C[i, :, j, :].T
                slope[k] += sign * pi.ravel() @ np.linalg.solve(C.reshape(9, 9), pi.ravel()) / (4 * h)
        rates[0, i] = -np.cross(q[i], w[i])
        rates[1, i] = -np.cross(q[i], slope + BEYOND[i] * G * LENGTHS[i] * E3) + np.cross(w[i], pi[i])
    found = chain.in_form("pi").rhs(0.0, x)
    assert found == pytest.approx(rates.ravel(), abs=1e-8)
    printed = rates.copy()
    weights = np.cumsum((MASSES * LENGTHS)[::-1])[::-1]  # sum of m_j l_j from i on
    printed[1] += np.cross(q, (BEYOND * LENGTHS - weights)[:, None] * G * E3)
    assert np.max(np.abs(found - printed.ravel())) > 0.1
