"""Gains do not depend on units of mass, length and time, nor weights on each other's size."""

import numpy as np
import pytest
import scipy.linalg
import sympy as sp

import geoctrl as gc
from tests.synthesis.own_mechanisms import linear_system, satellite

UNITS = [(1, 1, 1), (1e-6, 1e3, 1e-3), (1e6, 1e-3, 1e5), (1e-6, 1e-3, 1e8), (1, 1e3, 1e-5)]
"""Units of mass, length and time, in which numbers are divided by these."""


def cart(mass, length, time):
    """The cart with numbers in other units, and factors of (x_dot, phi_dot, phi) and u."""
    mech = gc.models.get("cart-pendulum")()
    numbers = dict(mech.defaults)
    for name in ("M", "m"):
        numbers[name] *= mass
    numbers["l"] *= length
    numbers["g"] *= length / time**2
    parameters = [gc.Parameter(p.name, numbers[p.name], positive=True) for p in mech.parameters]
    system = mech.replace(parameters=parameters).reduce()
    states = np.array([length / time, 1 / time, 1.0])
    return system, system.equilibrium("upright"), states, mass * length / time**2


def laws(mass, length, time):
    """Gains in SI by each way to have them."""
    system, eq, states, force = cart(mass, length, time)
    Q = dict(zip(system.state_labels, (0.3 / states**2).tolist(), strict=True))
    R = {"u": 7 / force**2}
    poles = np.array([-3, -2 + 1j, -2 - 1j]) / time
    found = [
        gc.lqr(system, eq, Q=Q, R=R),
        gc.lqr(system, eq, Q={"phi": Q["phi"], "x_dot": Q["x_dot"]}, R=R, rate=10 / time),
        gc.place(system, eq, poles),
        gc.place(system, eq, poles, rate=10 / time),
    ]
    L = gc.lqe(system, eq, ["x_dot", "phi"], QN=states**2 / time, RN=states[[0, 2]] ** 2 * time).L
    gains = [law.K * states / force for law in found]
    return [*gains, L / states[:, None] * states[[0, 2]] * time], found[0]


@pytest.fixture(scope="module")
def in_si():
    return laws(1, 1, 1)[0]


@pytest.mark.parametrize("units", UNITS)
def test_the_cart_has_the_same_gains_in_all_units(units, in_si):
    found, law = laws(*units)
    for here, there in zip(found, in_si, strict=True):
        # 1e-10: rounding of a gain, of which the conditions are some thousand.
        assert here == pytest.approx(there, rel=1e-10)
    verdict = gc.certify(law.closed_loop(), law.equilibrium).verdict
    assert verdict is gc.Verdict.PROVED_ASYMPTOTICALLY_STABLE


BRYSON = {"Omega1": 1e6, "Omega2": 1e6, "Omega3": 1e6, "N1": 100, "N3": 100, "R1": 100, "R2": 100}
# Eigenvalues of the Hamiltonian matrix on the leaf, and gains of the second wheel on Omega2, Y2 and R1 from
# that of its three states alone, with 60 digits (mpmath).
IDENTITY = [-50.1003005, -50.0835420, -1.75586756e-3 + 5.67448470e-4j, -8.33332554e-4 + 4.61579456e-4j]
IDENTITY += [-3.79589444e-4 + 1.45018109e-3j]
WEIGHED = [-9.91540020e-2, -8.28527724e-2, -1.43028362e-2, -1.00747958e-2, -1.26687173e-3]
WEIGHED += [-3.58370326e-4 + 1.41153906e-3j, -5.44499856e-7]
PITCH = ([-0.0207996481724217, 1.0, 1.00000043540359], [-1.10727878944672, 1e-5, 0.0099897188243725])


@pytest.mark.parametrize(
    ("Q", "R", "expected", "pitch"),
    [
        (None, None, IDENTITY, PITCH[0]),
        (BRYSON | {"Y1": 1e-4, "Y2": 1e-4}, {"u1": 1e6, "u2": 1e6}, WEIGHED, PITCH[1]),
    ],
)
def test_weights_that_are_far_apart(Q, R, expected, pitch):
    """Weights of 1e-4 and 1e6 are both weights; modes of 5e-7 1/s beside inputs of 50 1/s are found.

    Pitch has nothing to do with roll and yaw, and no rounding of theirs is left in its law.
    """
    system = satellite()
    law = gc.lqr(system, system.equilibrium("nadir"), Q=Q, R=R)
    for value in expected:
        assert np.min(np.abs(law.eigenvalues - value)) < 2e-8 * abs(value)  # of digits printed
    gains = dict(zip(system.state_labels, law.K[1].tolist(), strict=True))
    assert {label for label, k in gains.items() if k} == {"Omega2", "Y2", "R1"}
    # 1e-8 of the largest: Riccati's equation has a condition of 1e6 here, its modes are 6e4 apart.
    assert [gains[k] for k in ("Omega2", "Y2", "R1")] == pytest.approx(pitch, abs=1e-8 * max(map(abs, pitch)))
    verdict = gc.certify(law.closed_loop(), law.equilibrium).verdict
    assert verdict is gc.Verdict.PROVED_ASYMPTOTICALLY_STABLE


def test_the_gains_are_scipys():
    rng = np.random.default_rng(35)
    for m in (1, 1, 2, 2):
        system, A, B = linear_system(rng, m=m)
        Q, R = np.diag(rng.uniform(0.1, 10, 4)), np.diag(rng.uniform(0.1, 10, m))
        S = scipy.linalg.solve_continuous_are(A, B, Q, R)
        law = gc.lqr(system, np.zeros(4), Q=Q, R=R)
        assert pytest.approx(np.linalg.solve(R, B.T @ S), rel=1e-9, abs=1e-9) == law.K


def chain(*forces):
    """Two points on a line, of which the first is pushed."""
    a, b = gc.Coordinate("a"), gc.Coordinate("b")
    names = {"a": a.symbol, "b": b.symbol, "va": a.rate, "vb": b.rate, "u": sp.Symbol("u", real=True)}
    made = [f(**names) for f in forces]
    return gc.EulerPoincare(shape=[a, b], inertia=sp.eye(2), forces=made, inputs=["u"]).reduce()


def test_what_costs_nothing_and_lasts_is_named():
    """It is not the size of a weight that counts, but whether there is one."""
    system = chain(lambda u, **_: u, lambda a, b, vb, **_: a - 2 * b - vb)
    with pytest.raises(gc.InputError, match=r"no weight on .* along .*a.* \(eigenvalue 0\)"):
        gc.lqr(system, np.zeros(4), Q={"a_dot": 1.0})
    for small in (1.0, 1e-12):
        law = gc.lqr(system, np.zeros(4), Q={"a_dot": 1.0, "a": small})
        assert np.all(law.eigenvalues.real < 0)


def test_what_costs_nothing_and_does_not_last_is_no_obstacle():
    damped = chain(lambda a, va, u, **_: u - a - va, lambda b, vb, a, **_: a - b - vb)
    assert np.all(gc.lqr(damped, np.zeros(4), Q=0.0).K == 0)
    # What grows is turned round: the least effort has the mirrored eigenvalues.
    falling = chain(lambda a, va, u, **_: u + a + sp.Rational(3, 2) * va, lambda b, vb, a, **_: a - b - vb)
    law = gc.lqr(falling, np.zeros(4), Q={"b": 1e-9})
    for mirrored in (-2, -0.5):
        assert np.min(np.abs(law.eigenvalues - mirrored)) < 1e-6


def test_weights_are_judged_beside_their_own_diagonal():
    system = chain(lambda u, **_: u, lambda a, b, vb, **_: a - 2 * b - vb)
    Q = np.diag([1e6, 1.0, 1e-10, 1.0])
    Q[0, 2] = Q[2, 0] = 0.02  # indefinite, and beside 1e6 nothing
    with pytest.raises(gc.InputError, match="positive semidefinite"):
        gc.lqr(system, np.zeros(4), Q=Q)
    with pytest.raises(gc.InputError, match="b_dot has the weight 0"):
        gc.lqr(system, np.zeros(4), Q=[[1, 1, 0, 0], [1, 0, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])
    Q[0, 2] = Q[2, 0] = 0.005
    assert np.all(gc.lqr(system, np.zeros(4), Q=Q).eigenvalues.real < 0)


def test_what_inputs_reach_is_the_same_in_other_units():
    """An angle of the rate 1e-5 1/s beside one of 1e5, at a point in floats, where ranks have tolerances."""
    place = None
    for time in (1.0, 1e5, 1e-5):
        a, b = gc.Coordinate("a", angle=True), gc.Coordinate("b", angle=True)
        n2, u = sp.Float(time**-2), sp.Symbol("u", real=True)
        system = gc.EulerPoincare(
            shape=[a, b],
            inertia=sp.eye(2),
            potential=n2 * (sp.cos(a.symbol + b.symbol) - 2 * sp.cos(b.symbol)) + n2 * a.symbol**2 / 3,
            forces=[u, 0],
            inputs=["u"],
        ).reduce()
        place = gc.find_equilibrium(system, [0, 0, 1.0, 1.0]).x if place is None else place
        reached = gc.linearize(system, place).controllable()
        assert (reached.rank, reached.dimension) == (4, 4)
        assert not reached.exact


@pytest.mark.parametrize("rate", [10**3, 10**6, 10**9])
def test_damping_of_a_fast_oscillator(rate):
    """x'' = -w^2 x + u with Bryson's weights: K1 = q / (w^2 + sqrt(w^4 + q)), K2 = sqrt(1 + 2 K1)."""
    q, u = gc.Coordinate("q"), sp.Symbol("u", real=True)
    system = gc.EulerPoincare(
        shape=[q], inertia=[[1]], potential=sp.Rational(rate**2, 2) * q.symbol**2, inputs=[u], forces=[u]
    ).reduce()
    square = float(rate) ** 2
    # The estimator of the velocity alone is the dual: damped alike.
    filter_gain = gc.lqe(system, [0, 0], ["q_dot"], {"q_dot": 1.0, "q": 0.0}).L
    np.testing.assert_allclose(filter_gain[system.state_labels.index("q_dot")], 1.0, rtol=1e-9)
    law = gc.lqr(system, [0, 0], {"q": square, "q_dot": 1.0})
    stiffness = square / (square + np.sqrt(square**2 + square))
    np.testing.assert_allclose(law.K, [[np.sqrt(1 + 2 * stiffness), stiffness]], rtol=1e-9)
