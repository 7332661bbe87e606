"""Gains of one's own, and laws that integrate deviations: what is left of a force that nobody knows of."""

import numpy as np
import pytest
import sympy as sp

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
    ("integral", "words"),
    [
        (["p"], "unknown label in integral 'p'"),
        ({"q": 0.4}, r"integral\['q'\] = 0.4, but the equilibrium has q = 0.3"),
        ([], "integral names no state"),
    ],
)
def test_slips_with_integrals_are_refused(plant, held, integral, words):
    with pytest.raises(gc.GeoctrlError, match=words):
        gc.lqr(plant, held, integral=integral)


def test_integrals_are_not_designed_for_a_hold(plant, held):
    with pytest.raises(gc.InputError, match="integral= or rate="):
        gc.lqr(plant, held, integral=["q"], rate=100)


def test_own_gains_are_a_law(plant, held):
    law = gc.linear_law(plant, held, {"u": {"q": 50.0, "q_dot": 8.0}})
    # s^2 + (1/2 + 8) s + 50 - 30 cos 0.3
    assert law.eigenvalues == pytest.approx(np.sort_complex(np.roots([1, 8.5, 50 - 30 * np.cos(0.3)])))
    assert gc.certify(law.closed_loop(), law.equilibrium).verdict is STABLE
    assert gc.certify(plant, held, controller=law.sampled(rate=100)).verdict is STABLE
    for K, labels in ([[8.0, 50.0]], None), ([[50.0, 8.0]], ["q", "q_dot"]):
        assert gc.linear_law(plant, held, K, labels).K.tolist() == law.K.tolist()
    only = gc.linear_law(plant, held, [[50.0]], ["q"])
    assert only.K.tolist() == [[0.0, 50.0]]


def test_a_law_that_does_not_stabilise_is_a_law(plant, held):
    law = gc.linear_law(plant, held, {"u": {"q": -1.0}})
    assert max(law.eigenvalues.real) > 0
    assert gc.certify(law.closed_loop(), law.equilibrium).verdict is gc.Verdict.PROVED_UNSTABLE


@pytest.mark.parametrize(
    ("K", "labels", "words"),
    [
        ({"v": {"q": 1}}, None, "unknown label in K 'v'"),
        ({"u": {"p": 1}}, None, r"unknown label in K\['u'\] 'p'"),
        ({"u": 3}, None, r"K\['u'\] must be a dict"),
        ({"u": {"q": 1}}, ["q"], "names its states itself"),
        ([[1, 2, 3]], None, "K must have shape"),
        ([[1, 2]], ["q", "q"], "names a state twice"),
        ([[1]], ["p"], "unknown label in labels 'p'"),
        ({"u": {"q": np.nan}}, None, "finite"),
    ],
)
def test_slips_with_gains_are_refused(plant, held, K, labels, words):
    with pytest.raises(gc.GeoctrlError, match=words):
        gc.linear_law(plant, held, K, labels)
