"""Runs of sampled controllers: closed forms of a cart, the promised order, and the numbers of the skate."""

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl.sampling import Feedback, SampledController

MASS, GAIN, H = 2.5, 3.0, 0.02
TIMES = np.linspace(0.0, 1.0, 51)
v, w = sp.symbols("v w", real=True)


@pytest.fixture(scope="module")
def cart():
    """m v' = u."""
    u = sp.Symbol("u", real=True)
    algebra = gc.rn(1).relabelled(["v"], ["p"])
    return gc.EulerPoincare(algebra=algebra, inertia=[[MASS]], inputs=[u], forces=[u], name="cart").reduce()


def controller(law=-GAIN * v, **options):
    return SampledController(Feedback({"u": law}), rate=1 / H, **options)


def by_hand(x, law, steps, delay=0.0, lag=0.0):
    """Velocities at t_k: the command of each sample acts from ``delay`` on, an impulse response summed."""
    commands, found, t = [], [x], 0.0
    for k in range(steps):
        commands.append((k * H + delay, law(found[-1], commands[-1][1] if commands else 0.0)))
        t = (k + 1) * H
        found.append(x + impulse(commands, t, lag) / MASS)
    return np.array(found)


def impulse(commands, t, lag):
    """Integral of the force up to t."""
    total, before = 0.0, 0.0
    for start, u in commands:
        s = t - start
        if s > 0:
            total += (u - before) * (s - lag * (1 - np.exp(-s / lag)) if lag else s)
        before = u
    return total


@pytest.mark.parametrize("engine", ["heyoka", "scipy"])
@pytest.mark.parametrize("options", [{}, {"delay": 0.013}, {"delay": 0.047}, {"delay": 0.04}, {"lag": 0.03}])
def test_a_held_run_is_the_sum_of_its_pieces(cart, engine, options):
    traj = gc.simulate(cart, TIMES, [1.0], controller=controller(**options), engine=engine)
    expected = by_hand(1.0, lambda y, _: -GAIN * y, 50, **options)
    assert np.abs(traj.states[0] - expected).max() < (2e-14 if engine == "heyoka" else 1e-11)
    assert len(traj.samples) == 50
    assert np.allclose(traj.samples.measured[0], expected[:-1], atol=1e-11)


def test_a_hold_is_no_continuous_law(cart):
    """Negative control: the continuous loop decays otherwise, and the closed form above would see it."""
    traj = gc.simulate(cart, TIMES, [1.0], controller=lambda t, x, params: [-GAIN * x[0]])
    assert np.abs(traj.states[0] - np.exp(-GAIN / MASS * TIMES)).max() < 1e-10
    assert np.abs(traj.states[0] - (1 - GAIN * H / MASS) ** np.arange(51)).max() > 1e-3


@pytest.mark.parametrize("options", [{}, {"delay": 0.047}, {"lag": 0.03, "delay": 0.013}])
def test_times_between_samples_and_again(cart, options):
    """The user's grid need not be the controller's; a run is followed once more from its samples."""
    coarse = gc.simulate(cart, [0, 0.333, 0.9], [1.0], controller=controller(**options))
    fine = np.array([0, 0.001, 0.1, 0.3, 0.333, 0.5, 0.61, 0.9])
    direct = gc.simulate(cart, fine, [1.0], controller=controller(**options))
    assert np.abs(coarse.states[0] - direct.states[0][[0, 4, 7]]).max() < 1e-14
    again = coarse.resample(fine)
    assert np.abs(again.states - direct.states).max() < 1e-13
    assert np.abs(again["u"] - direct["u"]).max() < 1e-13


def test_what_was_applied_is_right_continuous_and_told(cart):
    traj = gc.simulate(cart, TIMES, [1.0], controller=controller(delay=0.03))
    assert traj.output_labels == ("u",)
    assert traj["u"][:2].tolist() == [0.0, 0.0]
    assert traj["u"][2] == -GAIN * traj.states[0, 0]  # from .03 on the first sample acts
    assert np.array_equal(traj.outputs, traj.inputs)


def steps_by_hand(x, noise, q, s, r, limit):
    """The order of operations, written once more with arrays."""
    states, u, sent = [x], 0.0, []
    for e in noise:
        y = np.rint((states[-1] + e) / q) * q
        u = np.clip(np.clip(np.rint(-GAIN * y / s) * s, u - r * H, u + r * H), -limit, limit)
        sent.append(u)
        states.append(states[-1] + H * u / MASS)
    return np.array(states), np.array(sent)


def test_the_order_of_operations(cart):
    options = {"noise": {"v": 0.05}, "quantisation": {"v": 0.01, "u": 0.3}}
    options |= {"rate_limits": {"u": 30.0}, "limits": {"u": 1.7}}
    ctl = controller(rng=np.random.default_rng(7), **options)
    traj = gc.simulate(cart, TIMES, [1.0], controller=ctl)
    noise = 0.05 * np.random.default_rng(7).standard_normal(50)
    states, sent = steps_by_hand(1.0, noise, 0.01, 0.3, 30.0, 1.7)
    assert np.abs(traj.states[0] - states).max() < 1e-13
    assert np.abs(traj.samples.applied[0] - sent).max() < 1e-14
    # The limit is no multiple of the step: rounding after it would pass it.
    assert np.abs(sent).max() == 1.7
    assert traj.samples.limited.any()
    assert traj.samples.rate_limited.any()


def test_the_noise_does_not_depend_on_other_options(cart):
    block = 0.1 * np.random.default_rng(3).standard_normal(50)
    for options in ({}, {"delay": 0.03, "limits": {"u": 1}}):
        ctl = controller(noise={"v": 0.1}, rng=np.random.default_rng(3), **options)
        traj = gc.simulate(cart, TIMES, [1.0], controller=ctl)
        assert np.abs(traj.samples.measured[0] - traj.states[0, :-1] - block).max() < 1e-15


def test_states_of_the_controller_are_sums(cart):
    z = sp.Symbol("z", real=True)
    ctl = SampledController(Feedback({"u": -GAIN * v - z}, {"z": 2 * v}), rate=1 / H)
    traj = gc.simulate(cart, TIMES, [1.0], controller=ctl)
    x, total, expected = 1.0, 0.0, [1.0]
    for _ in range(50):
        x, total = x + H * (-GAIN * x - total) / MASS, total + H * 2 * x
        expected.append(x)
    assert np.abs(traj.states[0] - expected).max() < 1e-14
    assert traj.samples.states.shape == (1, 50)


def test_anti_windup_sees_the_torque_that_is_applied(cart):
    """z' = u: its rate is the clipped torque, not what the law asked for."""
    z, u = sp.symbols("z u", real=True)
    ctl = SampledController(Feedback({"u": -GAIN * v + 0 * z}, {"z": u}), 1 / H, limits={"u": 0.5})
    record = gc.simulate(cart, TIMES, [1.0], controller=ctl).samples
    assert record.states[0, 10] == pytest.approx(-0.5 * 10 * H, abs=1e-15)


# -- bad input --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"rate": 0}, gc.InputError, "rate must be positive"),
        ({"rate": -5}, gc.InputError, "rate must be positive"),
        ({"rate": "fast"}, gc.InputError, "rate"),
        ({"delay": -0.1}, gc.InputError, "delay must not be negative"),
        ({"lag": float("nan")}, gc.InputError, "lag"),
        ({"limits": {"u": 0}}, gc.InputError, "positive"),
        ({"limits": {"u": (2, 1)}}, gc.InputError, "low < high"),
        ({"limits": {"u": (1, 2)}}, gc.InputError, "cannot hold the torque at the start"),
        ({"limits": {"u": 1}, "start": {"u": 3}}, gc.InputError, "cannot hold the torque at the start"),
        ({"limits": {"U": 1}}, gc.LabelError, "'U' is no input that the law sets"),
        ({"limits": 8.0}, gc.InputError, "dict by label"),
        ({"noise": {"w": 1}, "rng": np.random.default_rng(1)}, gc.LabelError, "no state that the law"),
        ({"noise": {"v": 1}}, gc.InputError, "noise needs its generator"),
        ({"noise": {"v": 1}, "rng": 3}, gc.InputError, "noise needs its generator"),
        ({"quantisation": {"v": -1}}, gc.InputError, "positive"),
        ({"rate_limits": {"u": 0}}, gc.InputError, "positive"),
    ],
)
def test_options_are_refused_before_any_work(options, error, words):
    with pytest.raises(error, match=words):
        SampledController(Feedback({"u": -v}), **options)


def test_controllers_that_do_not_fit_are_refused(cart):
    def run(ctl, **more):
        return gc.simulate(cart, TIMES, [1.0], controller=ctl, **more)

    with pytest.raises(gc.LabelError, match="measures 'w', which is no state"):
        run(SampledController(Feedback({"u": w})))
    with pytest.raises(gc.LabelError, match="sets 'f', which is no input"):
        run(SampledController(Feedback({"f": v})))
    with pytest.raises(gc.InputError, match="both given"):
        run(controller(), inputs=[1.0])
    with pytest.raises(TypeError, match="controller must be a law"):
        run(3.0)
    with pytest.raises(TypeError, match=r"made by law\.sampled"):
        SampledController(-v)
    with pytest.raises(gc.DescriptionError, match="other assumptions"):
        Feedback({"u": sp.Symbol("v")})


def test_a_law_without_a_value_ends_the_run_with_words(cart):
    ctl = SampledController(Feedback({"u": -1 / (v - sp.Rational(1, 2))}), rate=1.0)
    traj = gc.simulate(cart, [0, 1, 2, 3], [0.5], controller=ctl, throw=False)
    assert "the law has no value" in traj.status
    assert traj.time.tolist() == [0.0]


def test_an_event_ends_a_held_run(cart):
    for engine in ("heyoka", "scipy"):
        half = gc.Event(cart.states[0] - 0.5, terminal=True)
        traj = gc.simulate(cart, TIMES, [1.0], controller=controller(), events={"half": half}, engine=engine)
        k = int(np.log(0.5) / np.log(1 - GAIN * H / MASS))
        before = (1 - GAIN * H / MASS) ** k
        assert traj.time[-1] == pytest.approx(k * H + (before - 0.5) / (GAIN * before / MASS), abs=1e-12)
        assert traj.states[0, -1] == pytest.approx(0.5, abs=1e-13)


# -- the skate --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def skate():
    mechanism = gc.models.get("pendulum-skate-rotor")()
    plant = mechanism.reduce()
    tilt = 0.1
    start = plant.project([0.1, 0.1 * np.tan(tilt), 0.1, 1, 0, 0], {"Gamma": (0, np.sin(tilt), np.cos(tilt))})
    return plant, gc.match(mechanism), start


def test_the_conservative_law_held_at_100_hertz_falls(skate):
    plant, matching, start = skate
    times = np.linspace(0, 20, 2001)
    law = matching.law(sigma=-1e-5)
    traj = gc.simulate(plant, times, start, controller=law.sampled(rate=100), throw=False)
    assert "above the ice" in traj.status
    assert traj.time[-1] == pytest.approx(9.95, abs=0.01)
    lean = np.abs(np.arctan2(traj["Gamma2"], traj["Gamma3"]))
    assert traj.time[np.argmax(lean > 1)] == pytest.approx(7.9, abs=0.03)
    assert np.abs(np.arcsin(gc.simulate(plant, times, start, controller=law)["Gamma2"])).max() < 0.2


def test_the_damped_law_settles_at_the_leaning_turn(skate):
    """The lean at which N = 0 on the leaf of this start, found by a root finder: -.01580237."""
    plant, matching, start = skate
    law = matching.law(sigma=-5e-6).with_damping(k=8, kappa=1)
    traj = gc.simulate(plant, np.linspace(0, 20, 201), start, controller=law.sampled(rate=100))
    assert traj.success
    assert np.arcsin(traj["Gamma2"][-1]) == pytest.approx(-0.01580237, abs=1e-8)
    assert np.abs(traj["u_theta"]).max() < 8
    assert max(traj.drift.values()) < 1e-10
    assert "integral_theta" in traj.samples.own


def test_plant_and_law_have_parameters_of_their_own(skate):
    plant, matching, start = skate
    law = matching.law(sigma=-5e-6).with_damping(k=8)
    times = np.linspace(0, 1, 11)
    heavy = {"m": 3.3}
    known = gc.simulate(plant, times, start, params=heavy, controller=law.sampled(params=heavy))
    blind = gc.simulate(plant, times, start, params=heavy, controller=law.sampled())
    assert known.params["m"] == blind.params["m"] == 3.3
    # 10 % more m g l is asked for at the start by the law that knows.
    assert known.samples.wanted[0, 0] != pytest.approx(blind.samples.wanted[0, 0], rel=0.01)


def test_integrals_need_a_sampled_controller(skate):
    plant, matching, start = skate
    law = matching.law(sigma=-5e-6).with_damping(k=8, kappa=1)
    with pytest.raises(gc.InputError, match=r"law\.sampled"):
        gc.simulate(plant, [0, 1], start, controller=law)
