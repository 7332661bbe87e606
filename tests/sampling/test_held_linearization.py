"""The held loop as a discrete system: the skate's exact rule, differences of the held run, neutral modes."""

from math import atanh, cosh, sinh, sqrt, tanh

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl.sampling import Feedback, SampledController

INERTIA, STIFFNESS, J1 = 2.27, 23.52, 0.005
W = sqrt(STIFFNESS / INERTIA)


def gamma_of(sigma):
    return 1 / (1 + sigma * INERTIA / J1**2)


@pytest.fixture(scope="module")
def skate():
    mechanism = gc.models.get("pendulum-skate-rotor")()
    plant = mechanism.reduce()
    return plant, gc.match(mechanism), plant.equilibrium("sliding", Y0=1.0)


def law_of(skate, sigma, k, kappa=0.0):
    """u = gamma N + k v1: the accelerations in a law make gamma - 1 times as much of a torque added to it."""
    return skate[1].law(sigma=sigma).with_damping(k=k / (gamma_of(sigma) - 1), kappa=kappa)


def loop_of(skate, sigma=-5e-6, k=8.0, kappa=0.0, **options):
    plant, _, eq = skate
    return gc.linearize_held(plant, law_of(skate, sigma, k, kappa).sampled(**options), eq)


@pytest.mark.parametrize(
    ("sigma", "k", "longest"),
    [
        (-1e-5, 1, 0.00782),
        (-1e-5, 2.7, 0.02113),
        (-1e-5, 8, 0.06280),
        (-5e-6, 0.5, 0.02323),
        (-5e-6, 2, 0.09356),
        (-5e-6, 8, 0.42854),
    ],
)
def test_the_largest_hold_is_that_of_the_exact_rule(skate, sigma, k, longest):
    """gamma I w tanh(wh/2) < k < I w coth(wh/2), and the bisection of the rule by hand."""
    gamma = gamma_of(sigma)

    def admitted(h):
        return gamma * INERTIA * W * tanh(W * h / 2) < k < INERTIA * W / tanh(W * h / 2)

    stable, unstable = loop_of(skate, sigma, k).largest_hold()
    assert stable == pytest.approx(longest, abs=6e-6)
    assert unstable - stable < 1e-12
    assert admitted(stable - 1e-10)
    assert not admitted(unstable + 1e-10)


def test_no_damping_holds_beyond_the_last_hold(skate):
    """A damping exists if and only if h < (2/w) artanh(gamma^-1/2): .195 s and .589 s."""
    for sigma, last in ((-1e-5, 0.195), (-5e-6, 0.589)):
        gamma = gamma_of(sigma)
        edge = 2 / W * atanh(gamma**-0.5)
        assert edge == pytest.approx(last, abs=1e-3)
        for h, some in ((edge * 0.999, True), (edge * 1.001, False)):
            low, high = gamma * INERTIA * W * tanh(W * h / 2), INERTIA * W / tanh(W * h / 2)
            assert (low < high) is some
            assert loop_of(skate, sigma, (low + high) / 2, rate=1 / h).stable is some


@pytest.mark.parametrize("h", [0.005, 0.01, 0.05, 0.3])
def test_trace_and_determinant_of_the_skate(skate, h):
    gamma, k, c = gamma_of(-5e-6), 8.0, cosh(W * h)
    loop = loop_of(skate, k=k, rate=1 / h)
    assert loop.neutral == ("C1", "C2", "theta_dot")
    assert loop.multipliers[:3].tolist() == [1, 1, 1]
    assert loop.inner.shape == (2, 2)
    det = 1 + gamma * (c - 1) - k / (INERTIA * W) * sinh(W * h)
    assert np.linalg.det(loop.inner) == pytest.approx(det, abs=1e-12)
    assert 1 - np.trace(loop.inner) + det == pytest.approx(2 * (gamma - 1) * (c - 1), abs=1e-11)


def test_without_damping_a_held_loop_grows_at_every_hold(skate):
    """det = 1 + gamma (c - 1) > 1: what makes the conservative law fall at 100 Hz."""
    plant, matching, eq = skate
    for rate in (1e4, 100.0, 10.0):
        loop = gc.linearize_held(plant, matching.law(sigma=-1e-5).sampled(rate=rate), eq)
        assert loop.radius == pytest.approx(sqrt(1 + gamma_of(-1e-5) * (cosh(W / rate) - 1)), abs=1e-12)
        assert not loop.stable


# -- against differences of the held run --------------------------------------------------------------

DELAYS = [0.0, 0.004, 0.0065, 0.013, 0.027]


def differences(skate, law, steps, **options):
    """Derivative on the leaf of the state after some holds by the initial one, to fourth order."""
    plant, _, eq = skate
    basis = gc.linearize(plant, eq).basis
    ctl = law.sampled(**options)
    times = np.array([0.0, steps * ctl.hold])
    gamma = [plant.state_labels.index(g) for g in ("Gamma2", "Gamma3")]
    eps, columns = 1e-3, []
    for direction in basis.T:
        total = 0.0
        for factor, weight in ((1, 8), (-1, -8), (2, -1), (-2, 1)):
            x = eq.x + factor * eps * direction
            x[gamma] /= np.linalg.norm(x[gamma])
            end = gc.simulate(plant, times, x, controller=ctl).states[:, -1]
            total = total + weight * end
        columns.append(basis.T @ total / (12 * eps))
    return np.array(columns).T


def apart(found, expected):
    """Largest difference of entries, relative where they are large: the rotor turns 222 times as fast."""
    return np.max(np.abs(found - expected) / np.maximum(1.0, np.abs(expected)))


@pytest.mark.parametrize("h", [0.005, 0.01, 0.05])
@pytest.mark.parametrize(("sigma", "k"), [(-1e-5, 0.0), (-1e-5, 2.7), (-5e-6, 8.0)])
def test_one_hold_is_that_of_the_run(skate, sigma, k, h):
    law = law_of(skate, sigma, k)
    loop = gc.linearize_held(skate[0], law.sampled(rate=1 / h), skate[2])
    found = differences(skate, law, 1, rate=1 / h)
    assert apart(found, loop.M) < 1e-10
    level = np.linalg.eigvals(loop.inner)
    for multiplier in level:
        assert np.abs(np.linalg.eigvals(found) - multiplier).min() < 1e-10


@pytest.mark.parametrize("delay", DELAYS)
@pytest.mark.parametrize("lag", [0.0, 0.02])
def test_delays_and_lags_are_those_of_the_run(skate, delay, lag):
    """The actuator and the commands that wait begin at rest, as in the run."""
    law, holds = law_of(skate, -5e-6, 8.0), 7
    options = {"rate": 100.0, "delay": delay, "lag": lag}
    loop = gc.linearize_held(skate[0], law.sampled(**options), skate[2])
    d = gc.linearize(skate[0], skate[2]).basis.shape[1]
    found = differences(skate, law, holds, **options)
    assert apart(found, np.linalg.matrix_power(loop.M, holds)[:d, :d]) < 1e-10


def test_the_largest_delay_at_100_hertz(skate):
    """Delay of .00552, .02524 and .1597 s at the edge."""
    for sigma, k, edge in ((-1e-5, 2.7, 0.00552), (-1e-5, 8, 0.02524), (-5e-6, 8, 0.1597)):
        assert loop_of(skate, sigma, k, delay=edge - 5e-5).stable
        assert not loop_of(skate, sigma, k, delay=edge + 5e-5).stable


def test_a_sum_is_not_an_integral(skate):
    """kappa = 10 at 100 Hz: .90127 for the sum that is run, .89883 for an integral."""
    loop = loop_of(skate, k=8.0, kappa=10.0)
    assert loop.neutral[:2] == ("C1", "C2")
    assert loop.stable
    real = loop.multipliers[np.abs(loop.multipliers.imag) < 1e-9].real
    assert np.abs(real - 0.90127).min() < 2e-5
    assert np.abs(real - 0.89883).min() > 1e-3


def test_a_position_at_home_is_no_neutral_mode_and_a_free_one_is():
    """The cart's velocity alone: position free, a multiplier one that is named; with a spring none."""
    x, u = gc.Coordinate("x"), sp.Symbol("u", real=True)
    cart = gc.EulerPoincare(shape=[x], inertia=[[2.0]], inputs=[u], forces=[u], name="cart").reduce()
    X, V = (sp.Symbol(label, real=True) for label in cart.state_labels[::-1])
    eq = cart.state()
    free = gc.linearize_held(cart, SampledController(Feedback({"u": -V}), 10.0), eq)
    assert free.neutral == (str(X),)
    assert free.multipliers[1] == pytest.approx(1 - 0.1 / 2)
    held = gc.linearize_held(cart, SampledController(Feedback({"u": -V - X}), 10.0), eq)
    assert held.neutral == ()
    M = np.array([[1 - 0.05, -0.05], [0.1 - 0.0025, 1 - 0.0025]])  # v, x
    assert np.abs(np.poly(held.M) - np.poly(M)).max() < 1e-14


# -- bad input --------------------------------------------------------------------------------------


def test_what_cannot_be_asked(skate):
    plant, matching, eq = skate
    law = matching.law(sigma=-5e-6)
    with pytest.raises(TypeError, match=r"made by law\.sampled"):
        gc.linearize_held(plant, law, eq)
    with pytest.raises(gc.EquilibriumError, match="the law asks for u_theta = 1"):
        gc.linearize_held(plant, SampledController(Feedback({"u_theta": sp.Integer(1)})), eq)
    with pytest.raises(gc.EquilibriumError, match="state z does not rest"):
        own = Feedback({"u_theta": sp.Integer(0)}, {"z": sp.Integer(1)})
        gc.linearize_held(plant, SampledController(own), eq)
    with pytest.raises(gc.LabelError, match="no input of this plant"):
        gc.linearize_held(law.closed_loop(rotors=True), law.sampled(), eq)
    with pytest.raises(gc.InputError, match="shortest < longest"):
        loop_of(skate).largest_hold(1.0, 0.1)


@pytest.mark.parametrize(("second", "damping"), [(1.0, 1e3), (1e3, 1e5)])
def test_a_slow_mode_beside_a_large_gain_is_one_that_moves(second, damping):
    """Of x'' = -x - c x' with c held: 1 - 1e-7 and 1 - 1e-11 are no one; without a spring x stands still."""
    x, u = gc.Coordinate("x"), sp.Symbol("u", real=True)
    hold = 0.1 / damping
    for stiffness, neutral in ((sp.Rational(1) / sp.Rational(second) ** 2, ()), (0, ("x",))):
        plant = gc.EulerPoincare(
            shape=[x], inertia=[[1]], inputs=[u], forces=[u - stiffness * x.symbol]
        ).reduce()
        rest = gc.find_equilibrium(plant, fixed={"x": 0.0})
        law = gc.linear_law(plant, rest, [[damping / second, 0]])
        found = gc.linearize_held(plant, law.sampled(rate=1 / (hold * second)), rest)
        assert found.neutral == neutral
        if stiffness:
            assert 1 - np.max(np.abs(found.multipliers)) == pytest.approx(hold / damping, rel=0.01)
