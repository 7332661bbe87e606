"""Gains for a motor: bounds and runs of the skate by hand, and what stands against impossible ones."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import geoctrl as gc
from geoctrl.synthesis.gains.motor import law_free
from geoctrl.systems.states.tilted_system import tilted_states
from tests.synthesis.rotors import two_rotors

INERTIA = 0.35 + 3 * 0.8**2
WEIGHT = 3 * 9.8 * 0.8
W = np.sqrt(WEIGHT / INERTIA)
J1 = 0.005


@pytest.fixture(scope="module")
def skate():
    mechanism = gc.models.get("pendulum-skate-rotor")()
    eq = mechanism.equilibrium("sliding", Y0=1.0)
    return mechanism, eq, gc.match(mechanism).design(eq)


@pytest.fixture(scope="module")
def found(skate):
    return skate[2].recommend(limits={"u_theta": 8}, speeds={"theta_dot": 360}, rate=100, tilt=0.1)


def paper_start(plant):
    return plant.project([0.1, 0.1 * np.tan(0.1), 0.1, 1, 0, 0], {"Gamma": (0, np.sin(0.1), np.cos(0.1))})


def test_bounds_of_any_law_are_those_of_the_skate_by_hand(skate):
    """p = phi + v1/w: torque above m g l p, rotor I w p/J1 and more where the torque is limited."""
    plant, eq = skate[0].reduce(), skate[1]
    lin = gc.linearize(plant, eq)
    away = np.zeros((1, 6))
    away[0, [0, 4]] = 0.1, 0.1
    p = 0.1 + 0.1 / W
    free = law_free(lin.A, lin.B, 3, away, np.inf)
    assert free.torque == pytest.approx(WEIGHT * p, rel=1e-9)
    assert free.speed == pytest.approx(INERTIA * W * p / J1, rel=1e-9)
    short = law_free(lin.A, lin.B, 3, away, 8.0)
    assert short.speed == pytest.approx(8 / (J1 * W) * np.log(1 / (1 - WEIGHT * p / 8)), rel=1e-9)
    assert law_free(lin.A, lin.B, 3, -away, 8.0).speed == pytest.approx(short.speed)


def test_bounds_are_sharp():
    """The law u = U until the falling mode is gone meets them on the linear skate, and less does not."""
    U, phi = 8.0, 0.1
    T = np.log(1 / (1 - WEIGHT * phi / U)) / W

    def end(torque, span):
        def rates(_, x):
            return [x[1], (WEIGHT * x[0] - torque) / INERTIA]

        x = solve_ivp(rates, (0, span), [phi, 0], rtol=1e-11, atol=1e-13).y[:, -1]
        return x[0] + x[1] / W

    assert end(U, T) == pytest.approx(0.0, abs=1e-8)
    assert end(U, 0.95 * T) > 1e-3
    assert end(0.99 * WEIGHT * phi, 3.0) > phi
    lin = gc.linearize(*(lambda m: (m.reduce(), m.equilibrium("sliding", Y0=1.0)))(_skate()))
    away = np.array([[0, 0, 0, 0, phi, 0.0]])
    assert law_free(lin.A, lin.B, 3, away, U).speed == pytest.approx(U * T / J1, rel=1e-8)


def _skate():
    return gc.models.get("pendulum-skate-rotor")()


def test_a_tilt_turns_the_vertical_by_its_angle(skate):
    plant = skate[0].reduce()
    both = tilted_states(plant, skate[1].x, 0.7)
    assert sorted(both[:, 4]) == pytest.approx([-np.sin(0.7), np.sin(0.7)], abs=1e-5)
    assert both[:, 5] == pytest.approx(np.cos(0.7), abs=1e-5)
    assert np.array_equal(both[:, :4], np.tile(skate[1].x[:4], (2, 1)))


def test_gains_for_a_motor_keep_its_limits(skate, found):
    """8 N m and 360 rad/s from 0.1 rad: run here by itself, with limits that are then never met."""
    mechanism, eq, design = skate
    plant = mechanism.reduce()
    assert set(found) == {"sigma", "k", "kappa"}
    assert design.contains(found["sigma"])
    controller = found.law.sampled(rate=100, limits={"u_theta": 8})
    worst = np.zeros(2)
    for x0 in tilted_states(plant, eq.x, 0.1):
        run = gc.simulate(plant, np.linspace(0, 20, 2001), x0, controller=controller)
        assert not run.samples.limited.any()
        assert np.abs(run["Gamma2"][-200:]).max() < 2e-3
        peaks = np.abs(run.samples.applied).max(), np.abs(run["theta_dot"]).max()
        worst = np.maximum(worst, peaks)
    assert [found.peaks["u_theta"], found.peaks["theta_dot"]] == pytest.approx(worst, rel=1e-9)
    assert worst[0] < 8
    assert worst[1] < 360
    assert found.least["u_theta"] == pytest.approx(WEIGHT * np.sin(0.1), rel=1e-6)
    assert worst[0] > found.least["u_theta"]


def test_the_start_of_the_paper_costs_more(skate):
    """0.1 rad/s towards the fall beside the 0.1 rad: 7.26 N m and 340 rad/s."""
    mechanism, _, design = skate
    found = design.recommend(
        limits={"u_theta": 8}, speeds={"theta_dot": 360}, starts=paper_start(mechanism.reduce())
    )
    assert found.peaks["u_theta"] == pytest.approx(7.26, abs=0.05)
    assert found.peaks["theta_dot"] == pytest.approx(340, abs=2)


def test_none_of_32_corners_falls(skate, found):
    """10 percent in five parameters of the plant, the law as it is."""
    mechanism, eq, _ = skate
    plant = mechanism.reduce()
    controller = found.law.sampled(rate=100, limits={"u_theta": 8})
    x0 = tilted_states(plant, eq.x, 0.1)[0]
    names = ("m", "l", "I1", "I2", "J1")
    for corner in np.ndindex(*(2,) * 5):
        params = {n: plant.params[n] * (1.1 if up else 0.9) for n, up in zip(names, corner, strict=True)}
        run = gc.simulate(plant, np.linspace(0, 20, 201), x0, params=params, controller=controller)
        assert np.abs(run["Gamma2"]).max() < np.sin(0.2)
        assert np.abs(run["Gamma2"][-20:]).max() < 0.05


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"limits": {"u_theta": 2}}, "takes u_theta above 2.348"),
        ({"speeds": {"theta_dot": 100}}, "every law needs theta_dot to change by 145.9"),
        ({"limits": {"u_theta": 4}, "speeds": {"theta_dot": 225}}, "limits stand against each other"),
        ({"limits": {"u_theta": 8}, "rate": 3}, "Raise the rate"),
    ],
)
def test_what_stands_against_it_is_told(skate, asked, message):
    with pytest.raises(gc.MatchingError, match=message):
        skate[2].recommend(tilt=0.1, **asked)


@pytest.mark.parametrize(
    ("asked", "error", "message"),
    [
        ({}, gc.InputError, "what can the motor do"),
        ({"limits": {"u": 8}}, gc.LabelError, "it is 'u_theta'"),
        ({"limits": 8}, gc.InputError, "dict by label"),
        ({"limits": {"u_theta": 0}}, gc.InputError, "positive"),
        ({"limits": {"u_theta": 8}, "rate": 0}, gc.InputError, "rate must be positive"),
        ({"limits": {"u_theta": 8}, "tilt": 4}, gc.InputError, "between 0 and pi"),
        ({"limits": {"u_theta": 8}, "tilt": None}, gc.InputError, "from where"),
        ({"limits": {"u_theta": 8}, "starts": [1, 2]}, gc.InputError, "states of the plant"),
    ],
)
def test_bad_questions(skate, asked, error, message):
    with pytest.raises(error, match=message):
        skate[2].recommend(**{"tilt": 0.1, **asked})


def test_arrangements_that_cannot_be_searched():
    several = two_rotors()
    with pytest.raises(gc.MatchingError, match="one rotor"):
        gc.match(several).design(np.array([0, 0, 1, 0, 0, 0, 1.0])[:5]).recommend(limits={"u": 1}, tilt=0.1)
    skate = _skate()
    with pytest.raises(gc.InputError, match="member"):
        gc.match(skate).design("sliding").recommend(limits={"u_theta": 8}, tilt=0.1)


@pytest.mark.long(reason="gains for a motor keep its limits beside it")
def test_a_satellite_about_its_middle_axis():
    """No vertical, a conserved momentum of the body: starts are given, and the spin is held."""
    mechanism = gc.models.get("body-with-rotor")()
    plant = mechanism.reduce()
    eq = mechanism.equilibrium("about2", Omega0=1.0)
    start = eq.x.copy()
    start[0] += 0.05
    design = gc.match(mechanism).design(eq)
    found = design.recommend(speeds={plant.state_labels[3]: 50.0}, rate=50, starts=[start])
    controller = found.law.sampled(rate=50)
    run = gc.simulate(plant, np.linspace(0, 60, 601), start, controller=controller)
    assert abs(run[plant.state_labels[3]]).max() < 50
    loop = found.law.closed_loop()
    assert gc.certify(loop, loop.equilibrium("about2", Omega0=1.0)).verdict is gc.Verdict.PROVED_STABLE
