"""Kalman's filter of sampled outputs: covariances by hand, loops by their multipliers, proofs of both."""

import pickle
from functools import cache

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import quad_vec
from scipy.linalg import expm

import geoctrl as gc
from tests.synthesis.test_handover import STRICT, compiled, needs_gcc

RATE = 50
QN, RN = {"x_dot": 0.5, "x": 0.02}, 1e-3
A, B, C = np.array([[-0.2, 2.0], [1, 0]]), np.array([[3.0], [0]]), np.array([[0.0, 1]])


@cache
def pushed(time=1, length=1):
    """x'' = 2 x - x'/5 + 3 u + x^3 + 3/10, held at zero by u = -1/10; units of time and length."""
    x, u = gc.Coordinate("x"), sp.Symbol("u", real=True)
    cubic = sp.Rational(1, 4) * (x.symbol / length) ** 4 * length**2
    weight = sp.Rational(3, 10) * length
    return gc.EulerPoincare(
        name="pushed", shape=[x], inertia=[[1]], inputs=[u],
        potential=-time**2 * (x.symbol**2 + cubic + weight * x.symbol),
        forces=[3 * time**2 * length * u - time * x.rate / 5],
    ).reduce()  # fmt: skip


@cache
def rest(time=1, length=1):
    return gc.find_equilibrium(pushed(time, length), fixed={"x": 0}, free=["u"])


def by_hand(holds):
    """Covariances and multipliers by iterating Riccati's equation of the state and those of holds before it.

    The output is that of the oldest; the last two rows have it.
    """
    h, n = 1 / RATE, 2 * (holds + 1)
    noise = np.diag([*QN.values()])
    F, G, Q, R = np.zeros((n, n)), np.zeros((1, n)), np.zeros((n, n)), np.array([[RN / h]])
    F[:2, :2], F[2:, :-2], G[:, -2:] = expm(A * h), np.eye(n - 2), C
    Q[:2, :2] = quad_vec(lambda r: expm(A * r) @ noise @ expm(A.T * r), 0, h, epsabs=1e-15)[0]
    P = np.eye(n)
    for _ in range(2000):
        gain = P @ G.T @ np.linalg.inv(G @ P @ G.T + R)
        after = P - gain @ G @ P
        P = F @ after @ F.T + Q
    return after[:2, :2], np.linalg.eigvals(F @ (np.eye(n) - gain @ G)), gain[-2:]


@pytest.mark.parametrize("holds", [0, 1, 3])
def test_covariances_are_those_of_the_states_and_those_before_them(holds):
    """A sample that is late by some holds leaves the error with which the command is made that acts late."""
    estimator = gc.lqe(pushed(), rest(), ["x"], QN, RN, rate=RATE, delay=holds / RATE)
    late, multipliers, gain = by_hand(holds)
    assert estimator.acting_covariance == pytest.approx(late, rel=1e-9)
    assert estimator.covariance == pytest.approx(by_hand(0)[0], rel=1e-9)
    assert estimator.M == pytest.approx(gain, rel=1e-9)
    largest = sorted(np.abs(multipliers))[-2:]
    assert sorted(np.abs(estimator.multipliers)) == pytest.approx(largest, rel=1e-8)


def test_the_filter_of_short_holds_is_that_of_continuous_time():
    continuous = gc.lqe(pushed(), rest(), ["x"], QN, RN)
    sampled = gc.lqe(pushed(), rest(), ["x"], QN, RN, rate=1e4)
    assert sampled.M * 1e4 == pytest.approx(continuous.L, rel=2e-3)
    assert np.log(sampled.multipliers) * 1e4 == pytest.approx(continuous.eigenvalues, rel=2e-3)


@pytest.mark.parametrize("delay", [0.0, 0.008, 0.02, 0.034, 1e-13])
def test_the_loop_has_the_multipliers_of_law_and_estimator(delay, tmp_path):
    """Those of the held pair with the law's gain, those of the error, and zeros of what waits."""
    plant, eq = pushed(), rest()
    law = gc.lqr(plant, eq, rate=RATE, delay=delay)
    fed = gc.lqe(plant, eq, ["x"], QN, RN, rate=RATE, delay=delay).feed(law)
    held = gc.linearize_held(plant, fed.sampled(), eq)
    bare = gc.linearize_held(plant, gc.lqr(plant, eq, rate=RATE).sampled(rate=RATE), eq).multipliers
    wanted = np.concatenate([bare, fed.multipliers])
    found = held.multipliers[np.argsort(-np.abs(held.multipliers))][:4]
    assert sorted(found, key=lambda v: (v.real, v.imag)) == pytest.approx(
        sorted(wanted, key=lambda v: (v.real, v.imag)), rel=1e-6
    )
    assert np.all(np.abs(held.multipliers) < 1)
    if delay == 0.034:
        proof = gc.certify(plant, eq, controller=fed.sampled())
        assert proof.verdict is gc.Verdict.PROVED_ASYMPTOTICALLY_STABLE
        proof.to_json(tmp_path / "fed.json")
        assert gc.verify(tmp_path / "fed.json").verdict is proof.verdict


def test_a_run_comes_to_rest_by_what_is_measured_alone():
    plant, eq = pushed(), rest()
    fed = gc.lqe(plant, eq, ["x"], QN, RN, rate=RATE, delay=0.03).feed(
        gc.lqr(plant, eq, rate=RATE, delay=0.03)
    )
    assert fed.feedback().signals == ("x",)
    run = gc.simulate(plant, np.linspace(0, 12, 4), plant.state(x=0.02, x_dot=0.05), controller=fed.sampled())
    assert np.abs(run.states[:, -1]).max() < 1e-5
    assert run.inputs[0, -1] == pytest.approx(-0.1, abs=1e-5)
    assert "delay 0.03 s" in repr(fed)
    assert pickle.loads(pickle.dumps(fed)).feedback() == fed.feedback()


def test_other_units_give_the_same_filter():
    """Milliseconds and millimetres: densities are squares of a size by a time."""
    time, length = 1e-3, 1e3
    one = gc.lqe(pushed(), rest(), ["x"], QN, RN, rate=RATE, delay=0.03)
    units = {"x_dot": length * time, "x": length}
    noise = {k: q * units[k] ** 2 * time for k, q in QN.items()}
    other = gc.lqe(
        pushed(time, length), rest(time, length), ["x"], noise, RN * length**2 / time,
        rate=RATE * time, delay=0.03 / time,
    )  # fmt: skip
    size = np.array([*units.values()])
    assert other.M == pytest.approx(one.M * size[:, None] / length, rel=1e-9)
    for name in ("covariance", "acting_covariance"):
        assert getattr(other, name) == pytest.approx(getattr(one, name) * np.outer(size, size), rel=1e-9)
    assert other.multipliers == pytest.approx(one.multipliers, rel=1e-9)


def test_on_a_leaf_what_is_conserved_is_taken_as_known():
    """A skate with a rotor: the multipliers of law and estimator, and two ones of conserved functions."""
    skate = gc.models.get("pendulum-skate-rotor")().reduce()
    eq = skate.equilibrium("sliding", Y0=1.0)
    law = gc.lqr(skate, eq, R=1e4, rate=RATE, delay=0.015)
    sensors = {"gyro": 2 * skate.states[0], "encoder": skate.states[3]}
    estimator = gc.lqe(skate, eq, sensors, RN=1e-2, rate=RATE, delay=0.015)
    assert estimator.neutral == ("C1", "C2")
    fed = estimator.feed(law)
    held = gc.linearize_held(skate, fed.sampled(), eq)
    found = np.sort(np.abs(np.linalg.eigvals(held.M)))[::-1]
    wanted = np.sort(np.abs([1, 1, *law.multipliers, *estimator.multipliers]))[::-1]
    assert found[: len(wanted)] == pytest.approx(wanted, rel=1e-6)
    assert gc.certify(skate, eq, controller=fed.sampled()).verdict is gc.Verdict.PROVED_STABLE


def test_an_estimator_is_kept():
    """The one of continuous time, too, closes its loop where it is unpickled."""
    plant, eq = pushed(), rest()
    pair = pickle.loads(pickle.dumps((gc.lqr(plant, eq), gc.lqe(plant, eq, ["x"]))))
    assert pair[0].closed_loop(pair[1]).state_labels == ("x_dot", "x", "estimate1", "estimate2")


@needs_gcc
def test_it_is_written_in_c(tmp_path):
    plant, eq = pushed(), rest()
    fed = gc.lqe(plant, eq, ["x"], QN, RN, rate=RATE, delay=0.03).feed(
        gc.lqr(plant, eq, rate=RATE, delay=0.03)
    )
    paths = fed.sampled().to_c(tmp_path, name="fed")
    compiled(tmp_path, STRICT, paths)
    assert "estimate2" in paths[0].read_text() + paths[1].read_text()


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"delay": 0.1}, "delay= needs rate="),
        ({"rate": RATE, "delay": -0.1}, "must not be negative"),
        ({"rate": RATE, "delay": 50}, "2500 holds, and at most 200"),
        ({"rate": 0}, "rate"),
    ],
)
def test_slips_are_refused(given, words):
    with pytest.raises(gc.InputError, match=words):
        gc.lqe(pushed(), rest(), ["x"], QN, RN, **given)


def test_laws_that_do_not_fit_are_refused():
    plant, eq = pushed(), rest()
    estimator = gc.lqe(plant, eq, ["x"], rate=RATE, delay=0.02)
    with pytest.raises(gc.InputError, match=r"give both the same rate= and delay="):
        estimator.feed(gc.lqr(plant, eq, rate=RATE))
    with pytest.raises(gc.InputError, match=r"give both the same rate= and delay="):
        estimator.feed(gc.lqr(plant, eq, rate=2 * RATE, delay=0.02))
    with pytest.raises(gc.InputError, match="with integrals"):
        gc.lqe(plant, eq, ["x"], rate=RATE).feed(gc.lqr(plant, eq, rate=RATE, integral="x"))
    with pytest.raises(gc.InputError, match="another plant"):
        estimator.feed(gc.lqr(pushed(2), rest(2), rate=RATE, delay=0.02))
    with pytest.raises(TypeError, match="law must be made by"):
        estimator.feed(3)
    fed = estimator.feed(gc.lqr(plant, eq, rate=RATE, delay=0.02))
    with pytest.raises(gc.InputError, match="designed for rate=50"):
        fed.sampled(rate=100)
    with pytest.raises(gc.InputError, match="one of samples"):
        fed.closed_loop()
