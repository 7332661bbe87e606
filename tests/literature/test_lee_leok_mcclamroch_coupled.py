"""Lee, Leok and McClamroch (Springer 2018), chapter 6: problems 6.15 and 6.18, coupled bodies."""

from functools import cache

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from tests.literature.attitude_by_hand import acceleration, hat, same_spectrum, turn, vee
from tests.literature.thresholds import verdict
from tests.sweeps import sampled


def inertias(system, n):
    return [np.diag([system.params[f"J{i}{k}"] for k in (1, 2, 3)]) for i in range(1, n + 1)]


def state(system, rates, attitudes):
    rows = {f"{v}{i}_": R[k] for i, R in enumerate(attitudes, start=1) for k, v in enumerate("ab")}
    return system.project(np.concatenate(rates), rows)


# -- 6.15, concentric shells ------------------------------------------------------------------------


@pytest.fixture(scope="module")
def shells():
    return gc.models.get("concentric-shells")().reduce()


def test_equations_of_the_shells(shells):
    """The moments are opposite in space: K tr(I - R1^T R2) depends on the relative attitude alone."""
    J1, J2 = inertias(shells, 2)
    K, rng = shells.params["K"], np.random.default_rng(3)
    for _ in range(4):
        omega1, omega2, *angles = rng.normal(size=(4, 3))
        R1, R2 = (turn(*a) for a in angles)
        Q = R1.T @ R2
        moment = 2 * K * vee(Q)
        rate = shells.rhs(0.0, state(shells, [omega1, omega2], [R1, R2]))
        assert rate[:3] == pytest.approx(acceleration(J1, omega1, moment), abs=1e-12)
        assert rate[3:6] == pytest.approx(acceleration(J2, omega2, -Q.T @ moment), abs=1e-12)
        assert Q.T @ moment == pytest.approx(moment, abs=1e-13)


def test_spatial_momentum_is_conserved(shells):
    for k in (1, 2, 3):
        assert gc.check_invariant(shells, f"momentum{k}").proved
    Pi, G = shells.mechanism.algebra.mu, shells.mechanism.configuration_symbols
    first = sum(p * c for p, c in zip(Pi[:3], G[:3], strict=True))
    assert not gc.check_invariant(shells, first).proved  # of one shell alone
    assert not gc.check_invariant(shells, 2 * first - shells.mechanism.invariants["momentum1"]).proved
    x0 = state(shells, [[0.4, -0.2, 0.9], [-0.7, 0.3, 0.1]], [turn(0.3, 0.1, -0.5), turn(-0.2, 0.9, 0.4)])
    run = gc.simulate(shells, np.linspace(0, 5, 51), x0)
    assert max(run.drift.values()) < 1e-11
    J1, J2 = inertias(shells, 2)
    R1, R2 = run.attitude(of=1), run.attitude(of=2)
    total = np.einsum("tij,jk,kt->ti", R1, J1, run.states[:3])
    total += np.einsum("tij,jk,kt->ti", R2, J2, run.states[3:6])
    assert np.ptp(total, axis=0) == pytest.approx(np.zeros(3), abs=1e-11)


def test_linear_equations_at_equal_attitudes(shells):
    """J1 xi1'' = 2K (xi2 - xi1), J2 xi2'' = 2K (xi1 - xi2)."""
    J1, J2 = inertias(shells, 2)
    K, Z, one = shells.params["K"], np.zeros((3, 3)), np.eye(3)
    stiffness = 2 * K * np.block([[one, -one], [-one, one]])
    mass = np.block([[J1, Z], [Z, J2]])
    A = np.block([[np.zeros((6, 6)), np.eye(6)], [-np.linalg.solve(mass, stiffness), np.zeros((6, 6))]])
    lin = gc.linearize(shells, shells.equilibrium("equal"))
    assert same_spectrum(lin, A)
    squares = -2 * K * (1 / np.diag(J1) + 1 / np.diag(J2))
    moving = [v for v in lin.eigenvalues if abs(v) > 1e-6]
    assert np.sort((np.array(moving) ** 2).real) == pytest.approx(np.sort(np.repeat(squares, 2)), rel=1e-12)
    # Three momenta, and three directions in which everything turns together.
    assert lin.zero_modes == ("momentum1", "momentum2", "momentum3", "family", "family", "family")
    # Both shells may drift away together: only relative to one of them is this a minimum (next test).
    assert verdict(shells, "equal") == "PROVED_UNSTABLE"
    orbit = gc.certify(shells, shells.equilibrium("equal"), modulo="orbit")
    assert orbit.verdict is gc.Verdict.PROVED_STABLE_MODULO


@pytest.mark.parametrize("n", [(1, -2, 2), (0, 0.75, 0.5)])
def test_half_turns_are_unstable(shells, n):
    """tr(H exp(eta)) = -1 + (n.eta)^2: the potential is a maximum along n and level across it."""
    J1, J2 = inertias(shells, 2)
    unit = np.array(n) / np.linalg.norm(n)
    values = {f"n{i + 1}": n[i] for i in range(3)}
    lin = gc.linearize(shells, shells.equilibrium("half-turn", **values))
    square = 2 * shells.params["K"] * unit @ (np.linalg.inv(J1) + np.linalg.inv(J2)) @ unit
    expected = np.concatenate([[1, 0, -square], np.zeros(10)])
    assert np.poly(lin.A_leaf) == pytest.approx(expected, abs=1e-12)
    # Three common turns and two other axes n; the two zeros left are the rates of these.
    assert lin.zero_modes == ("momentum1", "momentum2", "momentum3", *["family"] * 5)
    assert verdict(shells, "half-turn", **values) == "PROVED_UNSTABLE"


def seen_from_the_first_shell(mechanism):
    """On so(3)^2 with Q = R1^T R2 advected: Qdot = Q hat(omega2) - hat(omega1) Q."""
    generators = [hat(e) for e in np.eye(3)]
    left = [np.kron(E, np.eye(3)) for E in generators]  # rows of Q one after the other
    right = [np.kron(np.eye(3), E) for E in generators]  # Q E in the same order: -(E^T acting)
    action = np.stack([*left, *right], axis=1)
    relative = gc.AdvectedParameter("Q", action, reference=np.eye(3).ravel())
    Q = sp.Matrix(3, 3, list(relative.symbols))
    orthogonality = Q.T * Q - sp.eye(3)
    K = mechanism.parameters[-1].symbol
    return mechanism.replace(
        advected=[relative],
        potential=K * (3 - Q.trace()),
        leaf=[orthogonality[i, j] for i in range(3) for j in range(i, 3)],
        invariants={},
        equilibria={"equal": gc.Family({"Q1": 1, "Q5": 1, "Q9": 1})},
    ).reduce()


def test_equal_attitudes_are_stable_relative_to_a_shell(shells):
    seen = seen_from_the_first_shell(shells.mechanism)
    rng = np.random.default_rng(7)
    omegas, (R1, R2) = rng.normal(size=(2, 3)), (turn(*a) for a in rng.normal(size=(2, 3)))
    rate = seen.rhs(0.0, np.concatenate([*omegas, (R1.T @ R2).ravel()]))
    assert rate[:6] == pytest.approx(shells.rhs(0.0, state(shells, omegas, [R1, R2]))[:6], abs=1e-12)
    assert verdict(seen, "equal") == "PROVED_STABLE"


def test_the_printed_sign_makes_equal_attitudes_a_maximum(shells):
    """Erratum: L = T - K tr(R1^T R2 - I) is the potential K tr(R1^T R2 - I), falling from R1 = R2."""
    printed = shells.mechanism.replace(potential=-shells.mechanism.potential).reduce()
    assert verdict(printed, "equal") == "PROVED_UNSTABLE"
    at_rest = [np.zeros(3), np.zeros(3)]
    energies = [
        system.energy(state(system, at_rest, [np.eye(3), turn(0.2, -0.1, 0.1)]))
        for system in (shells, printed)
    ]
    assert energies[0] > 0 > energies[1]


# -- 6.18, n bodies with linear terms ---------------------------------------------------------------


@cache
def three_bodies(couplings):
    return gc.models.get("coupled-bodies")(couplings=couplings).reduce()


@pytest.fixture(scope="module")
def ring():
    return three_bodies("ring")


def linear_terms(system, n):
    return [np.array([system.params[f"a{i}{k}"] for k in (1, 2, 3)]) for i in range(1, n + 1)]


def test_equations_of_three_coupled_bodies(ring):
    """Euler-Lagrange and Hamilton's form: Pi_i = J_i omega_i + a_i, Pidot_i = Pi_i x omega_i + moment."""
    J, a = inertias(ring, 3), linear_terms(ring, 3)
    rng = np.random.default_rng(11)
    for _ in range(3):
        omega = rng.normal(size=(3, 3))
        R = [turn(*v) for v in rng.normal(size=(3, 3))]
        x = state(ring, omega, R)
        rate = ring.rhs(0.0, x)
        energy = 0.0
        for i in range(3):
            moment = 0
            for j in range(3):
                if j != i:
                    k = ring.params[f"k{min(i, j) + 1}{max(i, j) + 1}"]
                    moment = moment + 2 * k * vee(R[i].T @ R[j])
                    energy += k * (3 - np.trace(R[i].T @ R[j])) / 2
            Pi = J[i] @ omega[i] + a[i]
            expected = np.cross(Pi, np.linalg.solve(J[i], Pi - a[i])) + moment
            assert J[i] @ rate[3 * i : 3 * i + 3] == pytest.approx(expected, abs=1e-12)
            energy += omega[i] @ J[i] @ omega[i] / 2  # without a
        assert ring.energy(x) == pytest.approx(energy, rel=1e-13)


def test_linear_terms_enter_the_momentum_alone(ring):
    assert gc.check_invariant(ring, "momentum2").proved
    assert gc.check_invariant(ring, "energy").proved
    x0 = state(
        ring,
        [[0.4, -0.2, 0.9], [-0.7, 0.3, 0.1], [0.2, 0.5, -0.6]],
        [turn(0.3, 0.1, -0.5), turn(-0.2, 0.9, 0.4), turn(0.6, 0.0, 0.2)],
    )
    run = gc.simulate(ring, np.linspace(0, 3, 31), x0)
    assert max(run.drift.values()) < 1e-11
    J, a = inertias(ring, 3), linear_terms(ring, 3)
    total, without, linear = np.zeros((31, 3)), np.zeros((31, 3)), np.zeros(31)
    for i in range(3):
        R, omega = run.attitude(of=i + 1), run.states[3 * i : 3 * i + 3]
        linear += a[i] @ omega
        without += np.einsum("tij,jk,kt->ti", R, J[i], omega)
        total += np.einsum("tij,j->ti", R, a[i]) + np.einsum("tij,jk,kt->ti", R, J[i], omega)
    assert np.ptp(total, axis=0) == pytest.approx(np.zeros(3), abs=1e-11)
    assert np.max(np.ptp(without, axis=0)) > 0.5
    assert np.ptp(run.energy + linear) > 0.1


@pytest.mark.long(reason="the equations at equal attitudes stay")
@pytest.mark.parametrize(
    "couplings",
    sampled(["ring", "chain"], ["ring"], reason="the chain is the ring without one of its springs"),
)
def test_linear_equations_of_coupled_gyrostats(couplings):
    """J_i xi_i'' - a_i x xi_i' + sum_j 2 k_ij (xi_i - xi_j) = 0."""
    system = three_bodies(couplings)
    J, a = inertias(system, 3), linear_terms(system, 3)
    stiffness, gyroscopic, mass = np.zeros((9, 9)), np.zeros((9, 9)), np.zeros((9, 9))
    for i in range(3):
        own = slice(3 * i, 3 * i + 3)
        mass[own, own], gyroscopic[own, own] = J[i], -hat(a[i])
        for j in range(i + 1, 3):
            other, k = slice(3 * j, 3 * j + 3), system.params.get(f"k{i + 1}{j + 1}", 0.0)
            stiffness[own, own] += 2 * k * np.eye(3)
            stiffness[other, other] += 2 * k * np.eye(3)
            stiffness[own, other] = stiffness[other, own] = -2 * k * np.eye(3)

    def first_order(gyroscopic):
        lower = -np.linalg.solve(mass, np.hstack([stiffness, gyroscopic]))
        return np.vstack([np.hstack([np.zeros((9, 9)), np.eye(9)]), lower])

    lin = gc.linearize(system, system.equilibrium("equal"))
    assert same_spectrum(lin, first_order(gyroscopic))
    assert not same_spectrum(lin, first_order(0.99 * gyroscopic))
    # With the a_i at rest only the turn about the total momentum changes none of its components.
    assert lin.zero_modes == ("momentum1", "momentum2", "momentum3", "family")
    # They drift as the shells do, but about axes that are not principal ones.
    assert verdict(system, "equal") == "UNDECIDED"
    orbit = gc.certify(system, system.equilibrium("equal"), modulo="orbit")
    assert orbit.verdict is gc.Verdict.PROVED_STABLE_MODULO


def test_two_bodies_without_linear_terms_are_the_shells(shells):
    pair = gc.models.get("coupled-bodies")(n=2).reduce()
    params = {k: v for k, v in shells.params.items() if k in pair.params}
    params |= {"k12": shells.params["K"]} | {f"a{i}{k}": 0.0 for i in (1, 2) for k in (1, 2, 3)}
    rng = np.random.default_rng(2)
    for _ in range(3):
        x = shells.random_state(rng)
        assert pair.rhs(0.0, x, params=params) == pytest.approx(shells.rhs(0.0, x), abs=1e-13)


def test_a_potential_of_ones_own():
    """A field fixed in space takes the momentum across it."""
    c = gc.Parameter("c", 0.6, "J", "field")
    builder = gc.models.get("coupled-bodies")
    system = builder(n=2, potential=lambda R: c.symbol * (R[0][2, 0] + R[1][2, 1]), parameters=[c]).reduce()
    assert gc.check_invariant(system, "momentum3").proved
    assert set(system.dropped_invariants) == {"momentum1", "momentum2"}


@pytest.mark.parametrize(
    ("options", "words"), [({"n": 1}, "from 2 to 100"), ({"couplings": "rings"}, "did you mean 'ring'")]
)
def test_bodies_that_are_not_coupled_are_refused(options, words):
    with pytest.raises(gc.ParameterError, match=words):
        gc.models.get("coupled-bodies")(**options)
