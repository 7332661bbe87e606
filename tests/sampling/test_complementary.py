"""The vertical from gyro and accelerometer: its convergence, forces by differences, the skate's numbers."""

import pickle
from fractions import Fraction
from math import asin, cos, pi, sin

import numpy as np
import pytest
import sympy as sp
from scipy.spatial.transform import Rotation

import geoctrl as gc
from geoctrl.sampling import Controls, Feedback, InertialUnit

GRAVITY = 9.81


class Constant(Controls):
    """The same input at every instant."""

    def __init__(self, value=0.0):
        self.value = value

    def feedback(self, params=None):
        del params
        return Feedback({"u": sp.Float(self.value)})


@pytest.fixture(scope="module")
def top():
    """A heavy top about its pivot, where the accelerometer sits: it shows g Gamma and nothing else."""
    algebra, Gamma = gc.so3(), gc.AdvectedVector("Gamma")
    u, g = sp.Symbol("u", real=True), gc.Parameter("g", GRAVITY, "m/s^2")
    return gc.EulerPoincare(
        algebra=algebra,
        advected=[Gamma],
        inertia=sp.diag(0.7, 1.1, 0.5),
        potential=0.13 * g.symbol * Gamma.symbols[2],
        inputs=[u],
        forces=[u, 0, 0],
        parameters=[g],
        name="top",
    )


TUMBLING = [0.9, -0.4, 1.3, 0.0, 0.0, 1.0]


def angles(run, every=1):
    """Between estimate and vertical, at the samples."""
    estimate = run.samples.states[:3]
    vertical = run.states[3:6, :-1] if len(run.states) == 6 and "v1" not in run.state_labels else None
    if vertical is None:
        vertical = np.vstack([np.zeros(run.time.size), run["Gamma2"], run["Gamma3"]])[:, :-1]
    estimate = estimate[:, ::every]
    return np.arctan2(
        np.linalg.norm(np.cross(estimate, vertical, axis=0), axis=0), (estimate * vertical).sum(0)
    )


def followed(mechanism, flt, rate, span, **options):
    grid = np.linspace(0.0, span, int(span * rate) + 1)
    controller = flt.feed(Constant()).sampled(rate=rate, **options)
    return gc.simulate(mechanism.reduce(), grid, TUMBLING, controller=controller)


@pytest.mark.parametrize("first", [0.4, 2.8])
def test_the_estimate_converges_as_stated(top, first):
    """tan(e/2) = tan(e0/2) exp(-kP t), whatever the top does; sampled to first order in the hold."""
    flt = gc.ComplementaryFilter(top, gain=2.0, start=[sin(first), 0, cos(first)])
    apart = []
    for rate in (100.0, 400.0):
        run = followed(top, flt, rate, 3.0)
        expected = [flt.error(t, first) for t in run.samples.time]
        apart.append(np.abs(angles(run) - expected).max())
    assert flt.error(1.0, first) == pytest.approx(2 * np.arctan(np.tan(first / 2) * np.exp(-2.0)))
    assert apart[0] < 0.008
    assert apart[1] < apart[0] / 3
    other = gc.ComplementaryFilter(top, gain=1.8, start=flt.start)
    assert np.abs(angles(followed(top, other, 400.0, 3.0)) - expected).max() > 5 * apart[1]


def test_an_error_of_the_gyro_is_bounded_and_then_found(top):
    """e <= arcsin(|b|/kP) without k_I; with it the error is found, since the top turns."""
    error = {"Omega1": 0.02, "Omega3": -0.015}
    bound = asin(np.hypot(0.02, 0.015) / 1.0)
    plain = angles(followed(top, gc.ComplementaryFilter(top, gain=1.0), 100.0, 40.0, offset=error))
    assert 0.2 * bound < plain[-500:].max() < bound
    run = followed(top, gc.ComplementaryFilter(top, gain=1.0, bias_gain=0.3), 200.0, 60.0, offset=error)
    assert angles(run)[-1000:].max() < 0.25 * plain[-500:].max()
    assert np.abs(run.samples.states[3:, -1] - [0.02, 0, -0.015]).max() < 0.003


@pytest.mark.parametrize("rate", [5.0, 40.0])
def test_a_step_is_a_rotation(top, rate):
    """Where the accelerometer agrees, the estimate is turned by the gyro's rate, exactly in its length."""
    fed = gc.ComplementaryFilter(top, gain=1.0).feed(Constant()).feedback()
    G, omega = np.array([0.36, -0.48, 0.8]), np.array([0.7, -1.1, 2.0])
    values = dict(zip(fed.own, G, strict=True)) | {"f1": 3 * G[0], "f2": 3 * G[1], "f3": 3 * G[2]}
    values |= {f"Omega{i + 1}": w for i, w in enumerate(omega)}
    y = [values[label] for label in fed.signals]
    found = np.array(fed.step(fed.signals).scalar([*y, *G, 0.0, 1 / rate], ()))
    expected = Rotation.from_rotvec(-omega / rate).apply(G)
    size = np.linalg.norm(omega) / rate
    assert np.abs(found - expected).max() < 3e-16 + size**9 / 1e4
    assert np.linalg.norm(found) == pytest.approx(1, abs=4e-16)


# -- what an accelerometer shows ----------------------------------------------------------------------


@pytest.fixture(scope="module")
def skate():
    mechanism = gc.models.get("pendulum-skate-rotor")()
    plant = mechanism.reduce()
    start = plant.project([0.1, 0.1 * np.tan(0.1), 0.1, 1, 0, 0], {"Gamma": (0, sin(0.1), cos(0.1))})
    law = gc.match(mechanism).law(sigma=-5e-6)
    gamma = 1 / (1 - 5e-6 * 2.27 / 0.005**2)
    return mechanism, plant, law.with_damping(k=8 / (gamma - 1)), start


def test_the_specific_force_by_differences(skate):
    """v' of the point by central differences along the field, with the torque that acts."""
    mechanism, plant, _, start = skate
    arm, u, eps = np.array([0.2, -0.1, 0.7]), [3.0], 1e-6
    position = Fraction(1, 5), Fraction(-1, 10), Fraction(7, 10)
    unit = InertialUnit(("f1", "f2", "f3"), mechanism.advected[0], "g", position)
    found = plant.program(unit.nodes(plant))(plant.arguments_at(0.0, start, u), plant.params)

    def velocity(x):
        xi = plant.velocity(x)
        return xi[3:] + np.cross(xi[:3], arm)

    rate = plant.rhs(0.0, start, u)
    moved = (velocity(start + eps * rate) - velocity(start - eps * rate)) / (2 * eps)
    turned = np.cross(plant.velocity(start)[:3], velocity(start))
    up = plant.params["g"] * np.array([0, sin(0.1), cos(0.1)])
    assert np.abs(found - (moved + turned + up)).max() < 1e-8
    assert np.abs(moved).max() > 0.1


def test_an_accelerometer_feels_the_input_that_acts():
    """A free body pushed along its axis: f1 = u/m + g Gamma1 of the command before, or of the delayed one."""
    algebra, Gamma = gc.se3(), gc.AdvectedVector("Gamma")
    u, g = sp.Symbol("u", real=True), gc.Parameter("g", GRAVITY)
    body = gc.EulerPoincare(
        algebra=algebra,
        advected=[Gamma],
        inertia=sp.diag(1, 2, 3, 4, 4, 4),
        inputs=[u],
        forces=[0, 0, 0, u, 0, 0],
        parameters=[g],
        name="body",
    )
    fed = gc.ComplementaryFilter(body, gain=1.0).feed(Constant(6.0))
    start = [0, 0, 0, 0, 0, 0, 0.6, 0, 0.8]
    for delay, first in ((0.0, 1), (0.25, 3)):
        controller = fed.sampled(rate=10.0, delay=delay)
        record = gc.simulate(body.reduce(), np.linspace(0, 1, 11), start, controller=controller).samples
        shown = record.measured[record.signals.index("f1")]
        assert shown[:first] == pytest.approx(GRAVITY * 0.6)
        assert shown[first:] == pytest.approx(GRAVITY * 0.6 + 6.0 / 4)


# -- the skate in its loop ----------------------------------------------------------------------------


def driven(skate, span=40.0, options=None, **sampling):
    mechanism, plant, law, start = skate
    flt = gc.ComplementaryFilter(mechanism, gain=1.0, **{"start": [0, sin(0.1), cos(0.1)], **(options or {})})
    controller = flt.feed(law).sampled(rate=100.0, limits={"u_theta": 8}, **sampling)
    return gc.simulate(plant, np.linspace(0, span, int(10 * span) + 1), start, controller=controller)


def test_the_corrected_accelerometer_finds_the_leaning_turn(skate):
    """The lean at which N = 0 on the leaf, from a root finder: -.01580237."""
    run = driven(skate)
    assert asin(run["Gamma2"][-1]) == pytest.approx(-0.01580237, abs=1e-8)
    assert angles(run, every=10)[-1] < 1e-6
    assert np.abs(run["theta_dot"]).max() < 400


def test_without_the_correction_the_skate_leans_wrongly_and_its_rotor_runs_away(skate):
    """A lean of -.046 instead of -.0158, and a rotor at -5400 rad/s after 40 s."""
    run = driven(skate, options={"corrected": False})
    assert asin(run["Gamma2"][-1]) == pytest.approx(-0.046, abs=5e-4)
    assert run["theta_dot"][-1] == pytest.approx(-5400, rel=0.01)
    assert angles(run, every=10)[-1] > 0.01


def test_the_loop_works_with_noise(skate):
    noise = dict.fromkeys(("Omega1", "Omega2", "Omega3"), 0.01) | {"f2": 0.3, "f3": 0.3}
    run = driven(skate, 20.0, noise=noise, rng=np.random.default_rng(5))
    assert angles(run, every=10)[-100:].max() < 0.01
    assert np.abs(run["u_theta"]).max() < 8
    assert np.abs(np.arcsin(run["Gamma2"][-100:]) + 0.0158).max() < 0.03


def test_an_error_of_the_gyro_turns_the_rotor_unless_it_is_estimated(skate):
    """A vertical that stays wrong is a constant torque."""
    wrong = driven(skate, offset={"Omega1": 0.01})
    assert abs(wrong["theta_dot"][-1]) > 4000
    right = driven(skate, options={"bias_gain": 0.3}, offset={"Omega1": 0.01})
    assert abs(right["theta_dot"][-1]) < 400
    assert right.samples.states[3, -1] == pytest.approx(0.01, abs=1e-5)


def test_the_law_is_the_law_where_the_estimate_is_right(skate):
    """Fed with the states themselves as readings it asks for the same torque."""
    mechanism, plant, law, _ = skate
    fed, plain = gc.ComplementaryFilter(mechanism, gain=1.0).feed(law).feedback(), law.feedback()
    x = plant.random_state(np.random.default_rng(2), plant.params)
    xi, at = plant.velocity(x), dict(zip(plant.state_labels, x, strict=True))
    read = dict(zip(mechanism.algebra.labels, xi, strict=True)) | {"f2": 1.0, "f3": 1.0} | at
    y = [read[label] for label in fed.signals]
    expected = plain.law(plain.signals).scalar([at[label] for label in plain.signals], ())
    estimate = [0.0, at["Gamma2"], at["Gamma3"]]
    assert fed.law(fed.signals).scalar([*y, *estimate], ()) == pytest.approx(expected, rel=1e-12)


def test_it_goes_to_other_processes(skate):
    mechanism, _, law, _ = skate
    controller = gc.ComplementaryFilter(mechanism, gain=1.0).feed(law).sampled(rate=100)
    again = pickle.loads(pickle.dumps(controller)).feedback
    assert again.sensors == controller.feedback.sensors
    assert again.steps == controller.feedback.steps
    assert again.begin == controller.feedback.begin


# -- bad input ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"gain": 0.0}, "gain must be positive"),
        ({"gain": 1.0, "bias_gain": -1.0}, "bias_gain not negative"),
        ({"gain": 1.0, "vector": "gamma"}, "advects the vectors Gamma"),
        ({"gain": 1.0, "gravity": "G"}, "unknown gravity 'G'"),
        ({"gain": 1.0, "start": [0, 0, 0]}, "start must be a direction"),
        ({"gain": 1.0, "position": [0, 0]}, "position must have shape"),
        ({"gain": 1.0, "corrected": "no"}, "corrected must be True or False"),
    ],
)
def test_filters_that_are_refused(top, options, words):
    with pytest.raises(gc.InputError, match=words):
        gc.ComplementaryFilter(top, **options)


def test_what_else_is_refused(top, skate):
    mechanism, plant, law, start = skate
    flt = gc.ComplementaryFilter(mechanism, gain=1.0)
    with pytest.raises(TypeError, match="feeds a law"):
        flt.feed(3.0)
    with pytest.raises(gc.InputError, match="advects the vectors -"):
        gc.ComplementaryFilter(gc.models.get("body-with-rotor")(), gain=1.0)
    with pytest.raises(gc.InputError, match=r"law\.sampled"):
        gc.simulate(plant, [0, 1], start, controller=flt.feed(law))
    with pytest.raises(gc.InputError, match="start lie in"):
        flt.error(1.0, pi)
    with pytest.raises(gc.InputError, match="constant error"):
        shifted = law.sampled(offset={"Gamma2": 0.1})
        gc.certify(plant, plant.equilibrium("sliding", Y0=1.0), controller=shifted)
    other = gc.models.get("heavy-top")().reduce()
    with pytest.raises(gc.LabelError, match="no input of this plant"):
        gc.simulate(other, [0, 1], TUMBLING, controller=flt.feed(law).sampled())
    with pytest.raises(gc.InputError, match="has no Y1"):
        gc.simulate(top.reduce(), [0, 1], TUMBLING, controller=flt.feed(Constant()).sampled())
