"""Gains made for a hold: they keep their loop at any rate, and tend to those without one."""

from math import cosh, sinh, sqrt

import numpy as np
import pytest

import geoctrl as gc

INERTIA, STIFFNESS, J1 = 2.27, 23.52, 0.005
W = sqrt(STIFFNESS / INERTIA)


@pytest.fixture(scope="module")
def skate():
    mechanism = gc.models.get("pendulum-skate-rotor")()
    plant = mechanism.reduce()
    return plant, gc.match(mechanism), plant.equilibrium("sliding", Y0=1.0)


@pytest.fixture(scope="module")
def cart():
    plant = gc.models.get("cart-pendulum")().reduce()
    return plant, plant.equilibrium("upright")


POLES = [-2 + 1j, -2 - 1j, -3]


@pytest.mark.parametrize("rate", [200.0, 10.0, 1.0])
def test_placed_multipliers(cart, rate):
    """exp(pole/rate), proved; at one sample a second the gains without a hold are unstable."""
    plant, eq = cart
    law = gc.place(plant, eq, POLES, rate=rate)
    loop = gc.linearize_held(plant, law.sampled(rate=rate), eq)
    expected = np.exp(np.array(POLES) / rate)
    assert len(loop.inner) == len(POLES)
    for multiplier in np.linalg.eigvals(loop.inner):
        assert np.abs(expected - multiplier).min() < 1e-8
    proved = gc.certify(plant, eq, controller=law.sampled(rate=rate)).verdict
    assert proved in (gc.Verdict.PROVED_ASYMPTOTICALLY_STABLE, gc.Verdict.PROVED_STABLE)
    emulated = gc.place(plant, eq, POLES).sampled(rate=rate)
    assert gc.linearize_held(plant, emulated, eq).stable is (rate > 5)


def test_optimal_held_gains(cart):
    """The integral of a run is the least at the gain for its rate, and grows to all sides."""
    plant, eq = cart
    rate, h = 4.0, 0.25
    law = gc.lqr(plant, eq, rate=rate)
    assert gc.linearize_held(plant, law.sampled(rate=rate), eq).stable
    linear = gc.linearize(plant, eq)
    x0 = linear.basis @ np.array([0.3, -0.2, 0.5, 0.1])[: linear.basis.shape[1]]

    def cost(K):
        x, total = x0, 0.0
        for _ in range(400):
            u = -K @ x
            # Runge's and Kutta's steps: independent of the exponentials
            for _ in range(25):
                s = h / 25
                k1 = linear.A @ x + linear.B @ u
                k2 = linear.A @ (x + s / 2 * k1) + linear.B @ u
                k3 = linear.A @ (x + s / 2 * k2) + linear.B @ u
                k4 = linear.A @ (x + s * k3) + linear.B @ u
                middle = x + s / 2 * k2
                end = x + s / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
                total += s * ((x @ x + 4 * middle @ middle + end @ end) / 6 + u @ u)
                x = end
        return total

    best = cost(law.K)
    direction = law.K / np.linalg.norm(law.K)
    for step in (0.02, -0.02):
        assert cost(law.K + step * direction) > best


def test_fast_rates_are_no_rates(cart):
    plant, eq = cart
    assert gc.lqr(plant, eq, rate=1e5).K == pytest.approx(gc.lqr(plant, eq).K, rel=1e-3, abs=1e-6)
    assert gc.place(plant, eq, POLES, rate=1e5).K == pytest.approx(
        gc.place(plant, eq, POLES).K, rel=1e-3, abs=1e-6
    )


@pytest.mark.parametrize("rate", [0.0, -1.0, float("nan"), "fast"])
def test_a_rate_is_positive(cart, rate):
    plant, eq = cart
    for call in (lambda: gc.lqr(plant, eq, rate=rate), lambda: gc.place(plant, eq, POLES, rate=rate)):
        with pytest.raises(gc.InputError, match="rate"):
            call()


@pytest.mark.parametrize(("sigma", "k"), [(-1e-5, 2.7), (-5e-6, 2), (-5e-6, 8)])
@pytest.mark.parametrize("h", [0.01, 0.2, 0.8])
def test_compensated_gains_of_the_skate(skate, sigma, k, h):
    """The matched law with gamma_h and k_h, of the same family, has the multipliers exp(lambda h) of the loop
    without a hold."""
    plant, matching, eq = skate
    gamma = 1 / (1 + sigma * INERTIA / J1**2)
    z1, z2 = np.exp(h * np.roots([INERTIA, k, (gamma - 1) * STIFFNESS]))
    c, s = cosh(W * h), sinh(W * h)
    gamma_h = 1 + ((1 - z1) * (1 - z2)).real / (2 * (c - 1))
    k_h = INERTIA * W * (1 + gamma_h * (c - 1) - (z1 * z2).real) / s
    sigma_h = J1**2 / INERTIA * (1 / gamma_h - 1)
    law = matching.law(sigma=sigma_h).with_damping(k=k_h / (gamma_h - 1))
    loop = gc.linearize_held(plant, law.sampled(rate=1 / h), eq)
    assert np.abs(np.sort_complex(loop.multipliers[3:]) - np.sort_complex([z1, z2])).max() < 1e-7
    assert gc.certify(plant, eq, controller=law.sampled(rate=1 / h)).verdict is gc.Verdict.PROVED_STABLE


@pytest.mark.parametrize("h", [0.01, 0.1])
def test_hold_compensated_damping(skate, h):
    """k = gamma I w tanh(wh/2) is the conservative discrete loop, det 1; more is damped, less grows."""
    plant, matching, eq = skate
    gamma = 1 / (1 - 1e-5 * INERTIA / J1**2)
    least = gamma * INERTIA * W * np.tanh(W * h / 2)
    for more, check in ((0.0, lambda d: abs(d - 1) < 1e-9), (0.1, lambda d: d < 1), (-0.1, lambda d: d > 1)):
        law = matching.law(sigma=-1e-5).with_damping(k=(least + more) / (gamma - 1))
        assert check(np.linalg.det(gc.linearize_held(plant, law.sampled(rate=1 / h), eq).inner))
