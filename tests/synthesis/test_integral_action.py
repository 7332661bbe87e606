"""Gains of one's own, and laws that integrate deviations: what is left of a force that nobody knows of."""

import numpy as np
import pytest
import sympy as sp
from scipy.linalg import block_diag, expm, solve_discrete_are

import geoctrl as gc

STABLE = gc.Verdict.PROVED_ASYMPTOTICALLY_STABLE


def pendulum(unit=1):
    """I q'' + b q' = m g l sin q + u + d, in units of time of ``unit`` s, I = 1."""
    q, u, d = gc.Coordinate("q", angle=True), sp.Symbol("u", real=True), gc.Parameter("d", 0.0)
    unit = sp.Rational(unit)
    return gc.EulerPoincare(
        shape=[q],
        inertia=[[1]],
        potential=30 * unit**2 * sp.cos(q.symbol),
        forces=[u + d.symbol - sp.Rational(1, 2) * unit * q.rate],
        inputs=[u],
        parameters=[d],
        name="pendulum",
    ).reduce()


@pytest.fixture(scope="module")
def plant():
    return pendulum()


@pytest.fixture(scope="module")
def held(plant):
    return gc.find_equilibrium(plant, fixed={"q": 0.3}, free=["u"])


WEIGHTS = {"q": 25, "q_dot": 1}


def test_a_constant_force_leaves_no_deviation(plant, held):
    """Without the integral q is off by d/(k - 30 cos q), to first order."""
    times = np.linspace(0, 20, 41)
    law = gc.lqr(plant, held, Q=WEIGHTS, R=0.01, integral=["q"])
    bare = gc.lqr(plant, held, Q=WEIGHTS, R=0.01)
    assert law.own_states == ("q_integral",)
    start = law.plant.state(q=0.25)
    with_it = gc.simulate(law.closed_loop(), times, start, params={"d": 0.5})
    without = gc.simulate(bare.closed_loop(), times, plant.state(q=0.25), params={"d": 0.5})
    off = 0.5 / (bare.K[0, 1] - 30 * np.cos(0.3))
    assert without["q"][-1] - 0.3 == pytest.approx(off, rel=0.02)
    assert with_it["q"][-1] == pytest.approx(0.3, abs=1e-9)
    # What the integral has come to is what holds against the force.
    assert -law.K[0, 2] * with_it["q_integral"][-1] == pytest.approx(-0.5, rel=1e-6)
    assert gc.certify(law.closed_loop(), law.equilibrium).verdict is STABLE


def test_a_controller_sums_the_integral_up_itself(plant, held):
    """The plant has no such state: neither in runs nor in proofs of the held loop."""
    law = gc.lqr(plant, held, Q=WEIGHTS, R=0.01, integral="q")
    controller = law.sampled(rate=100)
    run = gc.simulate(
        plant, np.linspace(0, 20, 41), plant.state(q=0.25), controller=controller, params={"d": 0.5}
    )
    assert run["q"][-1] == pytest.approx(0.3, abs=1e-9)
    assert gc.certify(plant, held, controller=controller).verdict is STABLE


def test_the_gain_is_that_of_riccatis_equation(plant, held):
    """By scipy, of the pair written by hand: q' = w, w' = 30 cos(0.3) q - w/2 + u, z' = q."""
    from scipy.linalg import solve_continuous_are

    law = gc.lqr(plant, held, Q={**WEIGHTS, "q_integral": 7}, R=0.01, integral=["q"])
    A = np.array([[-0.5, 30 * np.cos(0.3), 0], [1, 0, 0], [0, 1, 0]])
    B = np.array([[1.0], [0], [0]])
    S = solve_continuous_are(A, B, np.diag([1.0, 25, 7]), np.array([[0.01]]))
    assert law.K == pytest.approx(100 * B.T @ S, rel=1e-9)
    assert gc.lqr(plant, held, Q=np.diag([1.0, 25, 7]), R=0.01, integral=["q"]).K == pytest.approx(law.K)
    assert gc.lqr(plant, held, Q=WEIGHTS, R=0.01, integral={"q": 0.3}).own_states == ("q_integral",)


def test_the_weight_of_an_integral_goes_with_the_unit_of_time(plant, held):
    law = gc.lqr(plant, held, Q=WEIGHTS, R=0.01, integral=["q"])
    slow = pendulum("1/1000")
    point = gc.find_equilibrium(slow, fixed={"q": 0.3}, free=["u"])
    # One unit is a millisecond: rates and forces are a thousandth and a millionth of what they were.
    there = gc.lqr(slow, point, Q={"q": 25, "q_dot": 1e6}, R=0.01 * 1e12, integral=["q"])
    assert there.K[0] * [1e3, 1e6, 1e9] == pytest.approx(law.K[0], rel=1e-9)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"integral": ["p"]}, "unknown label in integral 'p'"),
        ({"integral": [["q"]]}, "unknown label in integral"),
        ({"integral": {"q": 0.4}}, r"integral\['q'\] = 0.4, but the equilibrium has q = 0.3"),
        ({"integral": []}, "integral names no state"),
        ({"integral": "q", "Q": {"q": "25"}}, r"Q\['q'\] must be a number, got the text"),
        ({"integral": "q", "Q": [1, 25j]}, "Q must be real"),
    ],
)
def test_slips_with_integrals_are_refused(plant, held, given, words):
    with pytest.raises(gc.GeoctrlError, match=words):
        gc.lqr(plant, held, **given)


def test_the_sum_of_a_slow_controller_is_designed_as_one(plant, held):
    """q'' = a q + b q' + u/m held for h, z+ = z + h q: against the equation in plain numbers."""
    h, R = 0.1, 0.01
    law = gc.lqr(plant, held, Q={**WEIGHTS, "q_integral": 50}, R=R, integral=["q"], rate=1 / h)
    linear = gc.linearize(plant, held)
    labels = list(plant.state_labels)
    A, B, q = linear.A, linear.B, labels.index("q")
    Q = np.diag([float(WEIGHTS.get(k, 0.0)) for k in labels])
    # The cost of a hold by a fine sum; what z has come to stays in it.
    moved = np.block([[A, B], [np.zeros((1, 3))]])
    steps, weight = 4000, np.zeros((3, 3))
    for k in range(steps):
        M = expm(moved * h * (k + 0.5) / steps)
        weight += M.T @ block_diag(Q, R) @ M * h / steps
    flow = expm(moved * h)
    F = np.block([[flow[:2, :2], np.zeros((2, 1))], [h * np.eye(2)[q][None, :], np.ones((1, 1))]])
    G = np.vstack([flow[:2, 2:], [[0.0]]])
    cost, N = block_diag(weight[:2, :2], 50 * h), np.vstack([weight[:2, 2:], [[0.0]]])
    S = solve_discrete_are(F, G, cost, weight[2:, 2:], s=N)
    K = np.linalg.solve(weight[2:, 2:] + G.T @ S @ G, G.T @ S @ F + N.T)
    assert law.K == pytest.approx(K, rel=1e-6)
    controller = law.sampled(1 / h)
    assert gc.certify(plant, held, controller=controller).verdict is STABLE
    found = gc.linearize_held(plant, controller, held).multipliers
    assert np.sort(np.abs(found)) == pytest.approx(np.sort(np.abs(np.linalg.eigvals(F - G @ K))), rel=1e-6)


def test_integrals_with_a_delay_are_refused(plant, held):
    with pytest.raises(gc.InputError, match="integral= or delay="):
        gc.lqr(plant, held, integral=["q"], rate=100, delay=0.01)
