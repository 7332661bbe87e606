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


# -- gains of matched laws ----------------------------------------------------------------------------


def compensated_in_closed_form(sigma, k, h):
    """From trace and determinant of the held skate, z = exp(lambda h)."""
    gamma = 1 / (1 + sigma * INERTIA / J1**2)
    z1, z2 = np.exp(np.roots([1, (gamma - 1) * k / INERTIA, (gamma - 1) * W**2]) * h)
    c = cosh(W * h)
    held = 1 + ((1 - z1) * (1 - z2)).real / (2 * (c - 1))
    damping = INERTIA * W * (1 + held * (c - 1) - (z1 * z2).real) / sinh(W * h)
    return {"sigma": J1**2 / INERTIA * (1 / held - 1), "k": damping / (held - 1)}


@pytest.mark.parametrize(("sigma", "k"), [(-1e-5, 0.27), (-5e-6, 2.4), (-5e-6, 9.6)])
@pytest.mark.parametrize("h", [0.01, 0.2, 0.8])
def test_gains_of_the_skate_are_its_closed_form(skate, sigma, k, h):
    """One hold has the multipliers exp(lambda h), and is proved to be stable."""
    plant, matching, eq = skate
    law = matching.law(sigma=-7e-6).with_damping(k=1.0)
    given, expected = {"sigma": sigma, "k": k}, compensated_in_closed_form(sigma, k, h)
    stiffness = 1 / (1 + sigma * INERTIA / J1**2) - 1
    roots = np.roots([1, stiffness * k / INERTIA, stiffness * W**2])
    loop = gc.linearize_held(plant, law.sampled(rate=1 / h, params=expected), eq)
    assert np.sort_complex(loop.multipliers[3:]) == pytest.approx(
        np.sort_complex(np.exp(roots * h)), abs=1e-9
    )
    proof = gc.certify(plant, eq, controller=law.sampled(rate=1 / h, params=expected))
    assert proof.verdict is gc.Verdict.PROVED_STABLE
    if np.abs(roots.imag).max() * h > np.pi:
        with pytest.raises(gc.InputError, match="longer than half a period"):
            law.compensated(1 / h, eq, params=given)
        return
    assert law.compensated(1 / h, eq, params=given) == pytest.approx(expected, rel=1e-10)
    emulated = gc.linearize_held(plant, law.sampled(rate=1 / h, params=given), eq)
    assert np.sort_complex(emulated.roots) == pytest.approx(np.sort_complex(roots), abs=1e-9)


@pytest.mark.parametrize("h", [0.01, 0.1])
def test_hold_compensated_damping(skate, h):
    """k = gamma I w tanh(wh/2) is the conservative discrete loop, det 1; more is damped, less grows."""
    plant, matching, eq = skate
    law = matching.law(sigma=-1e-5).with_damping(k=1.0)

    def least(sigma):
        gamma = 1 / (1 + sigma * INERTIA / J1**2)
        return gamma * INERTIA * W * np.tanh(W * h / 2), gamma - 1

    damping, share = least(-1e-5)
    for more, check in ((0.0, lambda d: abs(d - 1) < 1e-9), (0.1, lambda d: d < 1), (-0.1, lambda d: d > 1)):
        controller = law.sampled(rate=1 / h, params={"k": (damping + more) / share})
        assert check(np.linalg.det(gc.linearize_held(plant, controller, eq).inner))
    # The gains for a hold of the law without damping are damped by so much.
    gains = law.compensated(1 / h, eq, params={"k": 0.0})
    damping, share = least(gains["sigma"])
    assert gains["k"] * share == pytest.approx(damping, rel=1e-10)


def test_gains_of_a_momentum_that_is_regulated(skate):
    """Three gains, three multipliers: one belongs to the controller's integral."""
    plant, matching, eq = skate
    law = matching.law(sigma=-5e-6).with_damping(k=4.0, kappa=0.5)
    before = gc.linearize_held(plant, law.sampled(rate=10), eq)
    gains = law.compensated(10, eq)
    after = gc.linearize_held(plant, law.sampled(rate=10, params=gains), eq)
    assert set(gains) == {"sigma", "k", "kappa"}
    expected = np.sort_complex(np.exp(before.roots / 10))
    assert np.sort_complex(np.linalg.eigvals(after.inner)) == pytest.approx(expected, abs=1e-8)
    assert np.sort_complex(np.linalg.eigvals(before.inner)) != pytest.approx(expected, abs=1e-3)


def test_gains_of_a_cart_that_is_brought_home(cart):
    plant, eq = cart
    matching = gc.match(gc.models.get("cart-pendulum")(), shaping="both")
    law = matching.law(kappa=34.6, rho=-0.0305, K=-0.106).with_damping(0.2)
    gains = law.compensated(100, eq)
    before, after = (gc.linearize_held(plant, law.sampled(100, params=p), eq) for p in (None, gains))
    expected = np.sort_complex(np.exp(before.roots / 100))
    assert np.sort_complex(np.linalg.eigvals(after.inner)) == pytest.approx(expected, abs=1e-9)
    with pytest.raises(gc.InputError, match=r"form of the law has none.*lqr"):
        law.compensated(20, eq)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"rate": -1.0}, gc.InputError, "rate must be positive"),
        ({"rate": 0.5}, gc.InputError, "longer than half a period"),
        ({"rate": 20.0, "gains": "k"}, gc.InputError, "with_damping adds some"),
        ({"rate": 20.0, "gains": ["rho"]}, gc.LabelError, "no gain 'rho'; known are sigma, k"),
        ({"rate": 20.0, "gains": [[1, 2]]}, gc.LabelError, r"no gain \[1, 2\]"),
        ({"rate": 20.0, "params": {"kk": 1}}, gc.ParameterError, "kk"),
    ],
)
def test_gains_that_cannot_be_found(skate, options, error, words):
    _, matching, eq = skate
    law = matching.law(sigma=-5e-6).with_damping(k=2.0)
    with pytest.raises(error, match=words):
        law.compensated(eq=eq, **options)
