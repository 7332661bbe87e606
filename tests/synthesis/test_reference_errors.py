"""Errors from motions along a group as states: against places of runs, held by laws, proved, refused."""

from functools import cache

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc

W, SPEED = 0.5, 1.0


@cache
def car():
    """A car of 2 kg; what drives and what steers it."""
    drive, steer = sp.symbols("drive steer", real=True)
    return gc.EulerPoincare(
        algebra=gc.se2(),
        inertia=sp.diag(sp.Rational(3, 10), 2, 2),
        constraints=[[0, 0, 1]],
        forces=[steer, drive, 0],
        inputs=[drive, steer],
        name="car",
    )


@cache
def turning():
    return car().configuration(frame_rate=W, frame_velocity=[SPEED, 0]).reduce()


@cache
def law():
    return gc.lqr(turning(), turning().state(Omega=W, Y1=SPEED))


def turned(angle):
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s], [s, c]])


def test_the_error_is_that_of_the_way_in_space():
    """e = g_d^-1 g, g_d on its circle of the radius 2 about (0, 2), of a run with inputs that change."""
    time = np.linspace(0, 3, 7)
    start = turning().state(Omega=0.3, Y1=0.8, turn_error=0.4, place_error1=0.5, place_error2=-0.3)
    inputs = {"drive": 0.7 * sp.cos(gc.time), "steer": 0.2 - gc.time / 5}
    run = gc.simulate(turning(), time, start, inputs=inputs)
    bare = gc.simulate(car().reduce(), time, start[:2], inputs=inputs)
    R0 = np.eye(3)
    R0[:2, :2] = turned(0.4)
    place, attitude = bare.position([0.5, -0.3, 0], R0=R0), bare.attitude(R0)
    for k, t in enumerate(time):
        back, ahead = turned(-W * t), SPEED / W * np.array([np.sin(W * t), 1 - np.cos(W * t)])
        assert run.states[3:, k] == pytest.approx(back @ (place[k, :2] - ahead), abs=1e-8)
        own = back @ attitude[k, :2, :2]
        assert np.arctan2(own[1, 0], own[0, 0]) == pytest.approx(run.states[2, k], abs=1e-8)


def test_place_heading_and_speed_in_a_bend_are_proved_to_come_back(tmp_path):
    loop = law().closed_loop()
    found = gc.certify(loop, law().equilibrium)
    assert found.verdict is gc.Verdict.PROVED_ASYMPTOTICALLY_STABLE
    assert "seen from a frame that turns at 1/2 and moves at (1, 0)" in found.claim
    found.to_json(tmp_path / "bend.json")
    assert gc.verify(tmp_path / "bend.json").claim == found.claim
    start = law().equilibrium.x + np.array([0.1, -0.2, 0.3, 0.5, -0.4])
    run = gc.simulate(loop, [0, 30], start)
    assert run.states[:, -1] == pytest.approx(law().equilibrium.x, abs=1e-6)
    wrong = gc.linear_law(turning(), law().equilibrium, law().K * [[1], [-1]])
    assert gc.certify(wrong.closed_loop(), wrong.equilibrium).verdict is gc.Verdict.PROVED_UNSTABLE


def test_the_sampled_loop_is_proved_too():
    found = gc.certify(turning(), law().equilibrium, controller=law().sampled(rate=50))
    assert found.verdict is gc.Verdict.PROVED_ASYMPTOTICALLY_STABLE


def test_a_velocity_that_the_motion_cannot_have_is_no_equilibrium():
    """Sideways over the wheels' axle."""
    aside = car().configuration(frame_rate=W, frame_velocity=[SPEED, 0.1]).reduce()
    with pytest.raises(gc.EquilibriumError):
        gc.lqr(aside, aside.state(Omega=W, Y1=SPEED))


def test_lines_and_further_factors():
    v = gc.Parameter("v", 2.0, "m/s")
    two = gc.EulerPoincare(
        algebra=gc.product(gc.so2(), gc.rn(1)),
        inertia=sp.diag(1, 3),
        parameters=[v],
        inputs=["u", "F"],
        forces=sp.symbols("u F", real=True),
    )
    both = two.configuration(frame_rate=1).configuration(frame_velocity=[v.symbol], of=2).reduce()
    assert both.state_labels == ("Omega", "Y1", "turn_error", "place_error1_2")
    assert both.rhs(0.0, [4.0, 5.0, 0.0, 0.0], [0.0, 0.0])[2:] == pytest.approx([3, 3])


@pytest.mark.parametrize(
    ("given", "words", "error"),
    [
        ({"of": 2}, "number of a factor of the group, 1 to 1", gc.InputError),
        ({"of": True}, "number of a factor", gc.InputError),
        ({"frame_velocity": [1]}, "2 entries for se2", gc.InputError),
        ({"frame_velocity": 1.0}, "2 entries for se2", gc.InputError),
        ({"frame_rate": "fast"}, "must be an expression", gc.DescriptionError),
        (
            {"frame_rate": sp.Symbol("Omega", real=True)},
            "frame_rate holds the undeclared symbol",
            gc.DescriptionError,
        ),
    ],
)
def test_what_is_no_reference_is_refused(given, words, error):
    with pytest.raises(error, match=words):
        car().configuration(**given)


def test_turns_of_a_line_are_refused():
    line = gc.EulerPoincare(algebra=gc.rn(1), inertia=[[1]])
    with pytest.raises(gc.InputError, match=r"R\^n has no turns"):
        line.configuration(frame_rate=1)
