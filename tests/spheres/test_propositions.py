"""The propositions for any Lagrangian and Hamiltonian: the system's own, and others in angles."""

from functools import cache

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl import spheres
from geoctrl.manifolds import Direction
from geoctrl.manifolds.propositions import hamilton, lagrange, legendre, momenta, rates
from tests.oracles.sphere_angles import Angles
from tests.spheres.systems import random_state, varying_inertia

LINKS = [Direction("q1"), Direction("q2")]
Q, V, W = ([getattr(link, part) for link in LINKS] for part in ("z", "rate", "velocity"))
MU, PI = momenta(LINKS, by="rate"), momenta(LINKS)
QUADRATIC = {
    "varying": varying_inertia,
    "constant": lambda: spheres.SphereSystem(
        mass=[[2.0, 0.6], [0.6, 1.0]],
        potential=Q[0][2] + Q[0].dot(Q[1]) ** 2,
        forces=[W[0].cross(Q[1]), sp.Matrix([1, 0, sp.cos(gc.time)])],
    ),
}
T, U = 0.3, 0.7


def turned(v):
    """qdot in terms of omega."""
    return [w.cross(q) for q, w in zip(Q, v, strict=True)]


def on_links(forces):
    """Forces by the names of the links."""
    return {link.name: sp.Matrix(f) for link, f in zip(LINKS, forces, strict=True)}


def numbers(*pairs):
    """Substitution of arrays (2, 3) for vectors of symbols."""
    return {
        s: float(x)
        for v, a in pairs
        for row, b in zip(v, a, strict=True)
        for s, x in zip(row, b, strict=True)
    }


def evaluated(found, table):
    function = sp.lambdify(list(table), [e for v in found for e in v], cse=True)
    return np.array(function(*table.values()), dtype=float).reshape(-1, 3)


@cache
def lagrangian(name):
    """L(q, qdot) and the forces of a quadratic system, its parameters, input and time put in."""
    s = QUADRATIC[name]()
    given = {p.symbol: sp.Float(p.default) for p in s.parameters} | dict.fromkeys(s.inputs, sp.Float(U))
    M = s.mass_expression
    L = sum(M[i, j] * V[i].dot(V[j]) for i in range(2) for j in range(2)) / 2 - s.potential_expression
    forces = [f.xreplace(given | {gc.time: sp.Float(T)}) for f in s.forces_given]
    return s, L.xreplace(given), forces


def motion(name, seed=1):
    """State and accelerations of the quadratic system, from its compiled equations."""
    s, _, _ = lagrangian(name)
    q, omega = random_state(2, seed=seed)
    rate = s.rhs(T, s.pack(q, omega), [U] if s.inputs else None)
    v, alpha = s.unpack(rate)
    return q, omega, v, alpha, np.cross(alpha, q) + np.cross(omega, v)


# -- quadratic kinetic energy -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", QUADRATIC)
def test_lagrange_is_solved_by_the_equations_of_the_system(name):
    _, L, forces = lagrangian(name)
    q, omega, v, _, a = motion(name)
    residual = lagrange(L, LINKS, on_links(forces), by="rate")
    table = numbers((Q, q), (V, v), (W, omega), (rates(V), a))
    assert evaluated(residual, table) == pytest.approx(np.zeros((2, 3)), abs=1e-12)
    wrong = numbers((Q, q), (V, v), (W, omega), (rates(V), a + 0.1 * v))
    assert np.max(np.abs(evaluated(residual, wrong))) > 1e-3


@pytest.mark.parametrize("name", QUADRATIC)
def test_lagrange_angular_is_solved_by_the_equations_of_the_system(name):
    _, L, forces = lagrangian(name)
    q, omega, _, alpha, _ = motion(name)
    modified = L.xreplace(
        {s: e for v, w in zip(V, turned(W), strict=True) for s, e in zip(v, w, strict=True)}
    )
    table = numbers((Q, q), (W, omega), (rates(W), alpha))
    assert evaluated(lagrange(modified, LINKS, on_links(forces)), table) == pytest.approx(
        np.zeros((2, 3)), abs=1e-12
    )


@pytest.mark.parametrize("name", QUADRATIC)
def test_lagrange_angular_in_the_form_of_the_corollary(name):
    """[LLM15, Eq. 17]: m_ii |omega_i|^2, which differs from |omega_i x q_i|^2 off the tangent planes."""
    s, _, forces = lagrangian(name)
    q, omega, _, alpha, _ = motion(name)
    given = {p.symbol: sp.Float(p.default) for p in s.parameters}
    M, v = s.mass_expression.xreplace(given), turned(W)
    kinetic = M[0, 0] * W[0].dot(W[0]) / 2 + M[1, 1] * W[1].dot(W[1]) / 2 + M[0, 1] * v[0].dot(v[1])
    modified = kinetic - s.potential_expression.xreplace(given)
    table = numbers((Q, q), (W, omega), (rates(W), alpha))
    residual = evaluated(lagrange(modified, LINKS, on_links(forces)), table)
    assert residual == pytest.approx(np.zeros((2, 3)), abs=1e-12)


def hamiltonian(name):
    """H(q, mu) of a quadratic system with two bodies, the Legendre transformation inverted by hand.

    Elimination of qdot_1 leaves ((m_22 - m_12^2 / m_11) I + m_12^2 / m_11 u u^T) qdot_2 = r, with u = P_2
    q_1 and r = mu_2 - m_12 / m_11 P_2 mu_1, inverted by the formula of Sherman and Morrison.
    """
    s, _, _ = lagrangian(name)
    given = {p.symbol: sp.Float(p.default) for p in s.parameters}
    M = s.mass_expression.xreplace(given)
    m, c, k = M[0, 0], M[0, 1], M[1, 1]
    r = MU[1] - c / m * (MU[0] - Q[1] * Q[1].dot(MU[0]))
    a, b = k - c**2 / m, c**2 / m
    turned = r.dot(r) - b * Q[0].dot(r) ** 2 / (a + b * (1 - Q[0].dot(Q[1]) ** 2))
    return (MU[0].dot(MU[0]) / m + turned / a) / 2 + s.potential_expression.xreplace(given)


@pytest.mark.parametrize("name", QUADRATIC)
def test_hamilton_is_the_form_mu(name):
    s, _, forces = lagrangian(name)
    q, omega, v, *_ = motion(name)
    y = s.convert(s.pack(q, omega), "omega", "mu")
    table = numbers((Q, q), (MU, s.unpack(y)[1]), (V, v))
    equations = hamilton(hamiltonian(name), LINKS, on_links(forces), by="rate")
    found = [evaluated(part, table) for part in equations]
    expected = s.in_form("mu").rhs(T, y, [U] if s.inputs else None)
    assert s.pack(*found) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("name", QUADRATIC)
def test_hamilton_angular_is_the_form_pi(name):
    """With mu_i = pi_i x q_i in H."""
    s, _, forces = lagrangian(name)
    q, omega, *_ = motion(name)
    y = s.convert(s.pack(q, omega), "omega", "pi")
    H = hamiltonian(name).xreplace(
        {e: x for v, p, d in zip(MU, PI, Q, strict=True) for e, x in zip(v, p.cross(d), strict=True)}
    )
    table = numbers((Q, q), (PI, s.unpack(y)[1]), (W, omega))
    found = [evaluated(part, table) for part in hamilton(H, LINKS, on_links(forces))]
    expected = s.in_form("pi").rhs(T, y, [U] if s.inputs else None)
    assert s.pack(*found) == pytest.approx(expected, abs=1e-12)


def test_legendre_is_the_conversion():
    s, L, _ = lagrangian("varying")
    q, omega, v, _, _ = motion("varying")
    x = s.pack(q, omega)
    mu = evaluated(legendre(L, LINKS, by="rate"), numbers((Q, q), (V, v)))
    assert s.convert(x, "omega", "mu") == pytest.approx(s.pack(q, mu), abs=1e-13)
    modified = L.xreplace(
        {s: e for a, w in zip(V, turned(W), strict=True) for s, e in zip(a, w, strict=True)}
    )
    pi = evaluated(legendre(modified, LINKS), numbers((Q, q), (W, omega)))
    assert s.convert(x, "omega", "pi") == pytest.approx(s.pack(q, pi), abs=1e-13)


# -- other kinetic energies -------------------------------------------------------------------------------

WELL = Q[0][2] + Q[0].dot(Q[1]) ** 2 - Q[1][0] * Q[0][1]
MASSES = (sp.Rational(3, 2), sp.Integer(2))
SPEED = 4  # of light
OTHERS = {
    "relativistic": -sum(
        m * SPEED**2 * sp.sqrt(1 - v.dot(v) / SPEED**2) for m, v in zip(MASSES, V, strict=True)
    )
    - WELL,
    "quartic": V[0].dot(V[0])
    + V[1].dot(V[1]) ** 2 / 4
    + V[1].dot(V[1])
    + (V[0].dot(V[1]) + V[0][2]) ** 2 / 3
    - WELL,
}


@cache
def in_angles(name):
    return Angles(OTHERS[name], Q, V)


def moving(name, seed=2):
    """Directions, velocities, forces and, from the equations in angles, accelerations."""
    q, omega = random_state(2, seed=seed, speed=0.8)
    v = np.cross(omega, q)
    f = np.random.default_rng(seed + 10).normal(size=(2, 3))
    return q, v, f, in_angles(name).accelerations(q, v, f)


@pytest.mark.parametrize("name", OTHERS)
def test_lagrange_against_angles(name):
    q, v, f, a = moving(name)
    residual = lagrange(OTHERS[name], LINKS, on_links(f), by="rate")
    table = numbers((Q, q), (V, v), (rates(V), a))
    assert evaluated(residual, table) == pytest.approx(np.zeros((2, 3)), abs=1e-10)
    wrong = lagrange(OTHERS[name], LINKS, on_links(-f), by="rate")
    assert np.max(np.abs(evaluated(wrong, table))) > 1e-1


@pytest.mark.parametrize("name", OTHERS)
def test_lagrange_angular_against_angles(name):
    q, v, f, a = moving(name)
    L = OTHERS[name].xreplace(
        {s: e for b, w in zip(V, turned(W), strict=True) for s, e in zip(b, w, strict=True)}
    )
    table = numbers((Q, q), (W, np.cross(q, v)), (rates(W), np.cross(q, a)))
    residual = lagrange(L, LINKS, on_links(f))
    assert evaluated(residual, table) == pytest.approx(np.zeros((2, 3)), abs=1e-10)


def relativistic(momenta):
    """H = sum c sqrt(m^2 c^2 + |p|^2) + U, of which the Lagrangian is the relativistic one."""
    return (
        sum(SPEED * sp.sqrt(m**2 * SPEED**2 + p.dot(p)) for m, p in zip(MASSES, momenta, strict=True)) + WELL
    )


def carried(q, v, a):
    """Relativistic momenta along the motion, and their rates."""
    m = np.array([float(m) for m in MASSES])[:, None]
    gamma = 1 / np.sqrt(1 - np.sum(v * v, axis=1, keepdims=True) / SPEED**2)
    rate = gamma**3 * np.sum(v * a, axis=1, keepdims=True) / SPEED**2
    return m * gamma * v, m * (gamma * a + rate * v)


def test_hamilton_against_angles():
    q, v, f, a = moving("relativistic")
    mu, rate = carried(q, v, a)
    found = hamilton(relativistic(MU), LINKS, on_links(f), by="rate")
    table = numbers((Q, q), (MU, mu))
    assert evaluated(found[0], table) == pytest.approx(v, abs=1e-12)
    assert evaluated(found[1], table) == pytest.approx(rate, abs=1e-10)


def test_hamilton_angular_against_angles():
    q, v, f, a = moving("relativistic")
    mu, rate = carried(q, v, a)
    found = hamilton(relativistic(PI), LINKS, on_links(f))
    table = numbers((Q, q), (PI, np.cross(q, mu)))
    assert evaluated(found[0], table) == pytest.approx(v, abs=1e-12)
    assert evaluated(found[1], table) == pytest.approx(np.cross(v, mu) + np.cross(q, rate), abs=1e-10)


def test_any_hamiltonian_is_conserved():
    """One that is no sum of kinetic and potential energy; in both forms, on the cotangent bundle."""
    H = MU[0].dot(Q[1]) ** 2 * Q[0][0] + MU[0].dot(MU[0]) ** 2 / 3 + sp.sin(MU[1].dot(Q[0])) + WELL
    q, omega = random_state(2, seed=4)
    table = numbers((Q, q), (MU, omega))  # any tangent vectors
    qdot, mudot = (evaluated(part, table) for part in hamilton(H, LINKS, by="rate"))
    slope_q = evaluated([v.applyfunc(lambda s: sp.diff(H, s)) for v in Q], table)
    slope_mu = evaluated([v.applyfunc(lambda s: sp.diff(H, s)) for v in MU], table)
    assert np.sum(slope_q * qdot) + np.sum(slope_mu * mudot) == pytest.approx(0, abs=1e-13)
    assert np.sum(q * qdot, axis=1) == pytest.approx([0, 0], abs=1e-14)
    assert np.sum(q * mudot + qdot * omega, axis=1) == pytest.approx([0, 0], abs=1e-13)
