"""Frames that move along: straight flights and climbing turns, against the same motions in space."""

import pickle
from functools import cache

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl.manifolds import Attitude, Direction, Place, ProductSystem

q = sp.Rational
F, M = sp.Symbol("f", real=True), sp.symbols("M1:4", real=True)
INPUTS = ["f", "M1", "M2", "M3"]
LEANING = [[0.8, 0, 0.6], [0, 1, 0], [-0.6, 0, 0.8]]
"""By the angle of 3:4:5, nose down."""
W, V = np.array([0, 0, 0.8]), np.array([0, 0, 0.5])


@cache
def drone(**frame):
    """A quadrotor of 2 kg in still air that brakes it by 3/2 N s/m."""
    x, R = Place("x"), Attitude("R")
    J = sp.diag(q(1, 10), q(1, 8), q(1, 5))
    given = {k: sp.Matrix(v) for k, v in frame.items()}
    return ProductSystem(
        [x, R],
        kinetic=x.rate.dot(x.rate) + R.velocity.dot(J * R.velocity) / 2,
        potential=2 * 10 * x.z[2],
        forces={"x": F * R.z[:, 2] - q(3, 2) * x.velocity, "R": M},
        inputs=[F, *M],
        name="drone",
        **given,
    )


def turned(angle):
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])


def test_a_climbing_turn_is_the_motion_in_space_seen_from_the_frame():
    """Places z = T(-W t)(x - V t), velocities T(-W t)(v - V), attitudes T(-W t) R, of a run in space."""
    time, u = np.linspace(0, 1.5, 4), [21.0, 0.02, -0.03, 0.01]
    start = {"x": ([1.0, 0.3, -0.2], [0.4, 0.9, 0.7]), "R": (LEANING, [0.3, -0.2, 0.9])}
    there = gc.simulate(drone(), time, start, inputs=dict(zip(INPUTS, u, strict=True)))
    start["x"] = (start["x"][0], start["x"][1] - V)
    moving = drone(frame_rate=(0, 0, q(4, 5)), frame_velocity=(0, 0, q(1, 2)))
    seen = gc.simulate(moving, time, start, inputs=dict(zip(INPUTS, u, strict=True)))
    for k, t in enumerate(time):
        back = turned(-W[2] * t)
        assert seen["x"][k] == pytest.approx(back @ (there["x"][k] - V * t), abs=1e-9)
        assert seen["v"][k] == pytest.approx(back @ (there["v"][k] - V), abs=1e-9)
        assert seen["R"][k] == pytest.approx(back @ there["R"][k], abs=1e-9)
    assert np.linalg.norm(there["x"][-1] - seen["x"][-1]) > 0.5


@cache
def straight():
    """At 10 m/s it leans by 3:4:5: the drag is 3/4 of the weight, and the thrust 5/4."""
    flying = drone(frame_velocity=(10, 0, 0))
    rest = {"x": ([0, 0, 0], [0, 0, 0]), "R": (LEANING, [0, 0, 0])}
    return flying, gc.find_equilibrium(flying, rest, free=INPUTS)


@pytest.mark.long(reason="a proof with eighteen states; the page on references has it, too")
def test_a_straight_flight_is_proved(tmp_path):
    flying, eq = straight()
    law = gc.lqr(flying, eq)
    found = gc.certify(law.closed_loop(), eq)
    assert found.verdict is gc.Verdict.PROVED_ASYMPTOTICALLY_STABLE
    assert "'drone, linear law, seen from a frame that moves at (10, 0, 0)'" in found.claim
    found.to_json(tmp_path / "straight.json")
    assert gc.verify(tmp_path / "straight.json").claim == found.claim


def test_a_straight_flight_is_held():
    flying, eq = straight()
    assert eq.exact_u == (25, 0, 0, 0)
    law = gc.lqr(flying, eq)
    # The loop's field: the plant's under the law, in which velocities are those beside the frame's.
    x = eq.x + 0.01 * np.arange(18)
    x = flying.project(x)
    u = eq.u - law.K @ (x - eq.x)
    assert law.closed_loop().rhs(0.0, x) == pytest.approx(flying.rhs(0.0, x, u), abs=1e-9)
    assert pickle.loads(pickle.dumps(law.closed_loop())).rhs(0.0, x) == pytest.approx(
        flying.rhs(0.0, x, u), abs=1e-9
    )


@pytest.mark.long(reason="a proof with eighteen states; a straight flight has one in the plain suite")
def test_a_helix_is_held_and_claimed_so():
    """Circling at 1 rad/s and climbing at 2 m/s without drag: the circle's inputs, in the same law."""
    x, R = Place("x"), Attitude("R")
    craft = ProductSystem(
        [x, R],
        kinetic=x.rate.dot(x.rate) + R.velocity.dot(R.velocity) / 2,
        potential=20 * x.z[2],
        forces={"x": F * R.z[:, 2], "R": M},
        inputs=[F, *M],
        frame_rate=[0, 0, 1],
        frame_velocity=[0, 0, 2],
    )
    banked = [[0.8, 0, -0.6], [0, 1, 0], [0.6, 0, 0.8]]
    on = {"x": ([7.5, 0, 0], [0, 7.5, 0]), "R": (banked, [0.6, 0, 0.8])}
    eq = gc.find_equilibrium(craft, on, free=INPUTS)
    assert eq.exact_u[0] == 25
    claim = gc.certify(gc.lqr(craft, eq).closed_loop(), eq).claim
    assert "seen from a frame that turns at (0, 0, 1) and moves at (0, 0, 2)" in claim


def test_a_velocity_that_is_a_parameter_has_its_unit():
    x, v = Place("x"), gc.Parameter("speed", 3.0, "m/s")
    k = gc.Parameter("k", 2.0, "N s/m", positive=True)
    cart = ProductSystem(
        [x],
        kinetic=x.rate.dot(x.rate) / 2,
        forces={"x": -k.symbol * x.velocity},
        parameters=[v, k],
        frame_velocity=[v.symbol, 0, 0],
    )
    assert cart.rhs(0.0, [0.0] * 6, None, {"speed": 4.0})[3:] == pytest.approx([-8, 0, 0])
    assert cart.replace(frame_velocity=None).rhs(0.0, [0.0] * 6)[3:] == pytest.approx([0, 0, 0])
    assert "speed" in cart.latex()


X, D = Place("x"), Direction("q")
ALONE = {"factors": [X], "kinetic": X.rate.dot(X.rate) / 2}


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"frame_rate": [0, 0, 1], "frame_velocity": [1, 0, 0]}, "along frame_rate"),
        ({"potential": X.z[0] ** 2}, "not proved to be the same"),
        (
            {"potential": lambda z, p: 0.0, "gradient": lambda z, p: 0 * z},
            "a potential that is an expression",
        ),
        ({"forces": lambda t, z, w, u, p: 0 * w}, "forces that are expressions"),
        ({"forces": {"x": [F - X.z[0], 0, 0]}, "inputs": [F]}, "where places are along"),
        ({"factors": [D], "kinetic": D.rate.dot(D.rate) / 2}, "moves places"),
        ({"kinetic": (2 + X.z[0] ** 2) * X.rate.dot(X.rate)}, "constant inertia"),
        ({"frame_velocity": [1, 0]}, "must be 1 vectors of 3"),
        ({"frame_velocity": [sp.Symbol("a"), 0, 0]}, "undeclared"),
        ({"factors": [Place("x", axes=[[0, 1, 0]])]}, "leaves"),
    ],
)
def test_frames_that_would_see_other_equations_are_refused(given, words):
    with pytest.raises(gc.DescriptionError, match=words):
        ProductSystem(**({**ALONE, "frame_velocity": [1, 0, 0]} | given))


def test_an_inertia_that_is_not_the_same_about_the_axis_is_refused():
    """Its momentum would turn with the frame."""
    skew = X.rate.dot(X.rate) / 2 + X.rate[0] * X.rate[2] / 3
    with pytest.raises(gc.DescriptionError, match="not the same about the axis"):
        ProductSystem([X], kinetic=skew, frame_rate=[0, 0, 1], frame_velocity=[0, 0, 1])
    ProductSystem([X], kinetic=skew, frame_velocity=[0, 0, 1])
