"""Sampled loops proved: the skate's exact rule from both sides, delays, families, what is not proved."""

from dataclasses import replace
from math import atanh, sqrt

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl.sampling import Feedback, SampledController
from tests.sweeps import sampled

INERTIA, STIFFNESS, J1 = 2.27, 23.52, 0.005
W = sqrt(STIFFNESS / INERTIA)
STABLE, UNSTABLE = gc.Verdict.PROVED_STABLE, gc.Verdict.PROVED_UNSTABLE


def gamma_of(sigma):
    return 1 / (1 + sigma * INERTIA / J1**2)


def edge_of(sigma, k):
    """The last hold of gamma I w tanh(wh/2) < k < I w coth(wh/2)."""
    return 2 / W * min(atanh(k / (gamma_of(sigma) * INERTIA * W)), atanh(min(0.999999, INERTIA * W / k)))


@pytest.fixture(scope="module")
def skate():
    mechanism = gc.models.get("pendulum-skate-rotor")()
    plant = mechanism.reduce()
    return plant, gc.match(mechanism), plant.equilibrium("sliding", Y0=1.0)


def certificate(skate, sigma, k, kappa=0.0, **options):
    plant, matching, eq = skate
    law = matching.law(sigma=sigma).with_damping(k=k / (gamma_of(sigma) - 1), kappa=kappa)
    return gc.certify(plant, eq, controller=law.sampled(**options))


@pytest.mark.parametrize(
    ("sigma", "k"),
    sampled(
        [(-1e-5, 1), (-1e-5, 2.7), (-1e-5, 8), (-5e-6, 0.5), (-5e-6, 2), (-5e-6, 8)],
        [(-1e-5, 2.7), (-5e-6, 8)],
        reason="the rule is one formula; gains of either sigma, little and much damped, are in the sample",
    ),
)
def test_proofs_meet_at_the_exact_rule(skate, sigma, k, tmp_path):
    edge = edge_of(sigma, k)
    for factor, verdict in ((1 - 1e-9, STABLE), (1 + 1e-9, UNSTABLE), (0.5, STABLE), (1.5, UNSTABLE)):
        found = certificate(skate, sigma, k, rate=1 / (factor * edge))
        assert found.verdict is verdict
        path = tmp_path / "c.json"
        found.to_json(path)
        report = gc.verify(path)
        assert report.verdict is verdict
        assert report.claim == found.claim
    assert "family of fixed points of dimension 3" in certificate(skate, sigma, k, rate=2 / edge).claim


def test_a_law_without_damping_is_unstable_at_every_rate(skate):
    plant, matching, eq = skate
    for rate in (1e5, 100.0, 3.0):
        found = gc.certify(plant, eq, controller=matching.law(sigma=-1e-5).sampled(rate=rate))
        assert found.verdict is UNSTABLE


@pytest.mark.parametrize(
    ("sigma", "k", "edge"), [(-1e-5, 2.7, 0.00552), (-1e-5, 8, 0.02524), (-5e-6, 8, 0.1597)]
)
def test_the_largest_delay_at_100_hertz(skate, sigma, k, edge):
    assert certificate(skate, sigma, k, delay=edge - 5e-5).verdict is STABLE
    assert certificate(skate, sigma, k, delay=edge + 5e-5).verdict is UNSTABLE


@pytest.mark.parametrize(
    "options", [{"lag": 0.02}, {"delay": 0.0065}, {"delay": 0.02}, {"lag": 0.01, "delay": 0.013}]
)
@pytest.mark.parametrize("kappa", [0.0, 1.0])
def test_its_polynomial_is_that_of_the_float_loop(skate, options, kappa):
    """Two ways to the same multipliers: fractions and balls, or floats and a singular value decomposition."""
    plant, matching, eq = skate
    law = matching.law(sigma=-5e-6).with_damping(k=8 / (gamma_of(-5e-6) - 1), kappa=kappa)
    ctl = law.sampled(**options)
    loop, found = gc.linearize_held(plant, ctl, eq), gc.certify(plant, eq, controller=ctl)
    assert found.verdict is STABLE
    assert found.evidence["fixed_dimension"] == len(loop.neutral)
    assert np.poly(loop.inner) == pytest.approx(found.evidence["rounded_polynomial"], abs=1e-9)


def test_a_wheel_without_friction_stays_on_its_level():
    """x' = p/2, p' = 0, with a second body that is damped: unstable in x, and nothing is proved of it."""
    x, y, u = gc.Coordinate("x"), gc.Coordinate("y"), sp.Symbol("u", real=True)
    plant = gc.EulerPoincare(shape=[x, y], inertia=sp.diag(2, 3), inputs=[u], forces=[0, u]).reduce()
    law = Feedback({"u": -6 * y.rate - 6 * y.symbol})
    found = gc.certify(plant, plant.state(), controller=SampledController(law, 10.0))
    assert found.verdict is gc.Verdict.UNDECIDED
    assert "unit circle" in found.reason


def test_a_linear_law_on_the_cart(tmp_path):
    mech = gc.models.get("cart-pendulum")()
    plant = mech.reduce()
    eq = plant.equilibrium("upright", **dict.fromkeys(plant.families["upright"].names, 0.5))
    law = gc.lqr(plant, eq)
    found = gc.certify(plant, eq, controller=law.sampled(rate=50, delay=0.005))
    assert found.verdict is gc.Verdict.PROVED_ASYMPTOTICALLY_STABLE
    found.to_json(tmp_path / "c.json")
    assert gc.verify(tmp_path / "c.json").verdict is found.verdict
    assert gc.certify(plant, eq, controller=law.sampled(rate=2)).verdict is UNSTABLE


@pytest.mark.filterwarnings("ignore::geoctrl.errors.ProjectionWarning")
def test_a_certificate_is_of_its_plant(skate):
    """The law of one model on the plant of another, all of whose other multipliers are inside.

    A torque is left in leaning turns, which are no fixed points: the rotor turns up for ever there, and the
    point is stable among motions without a turn alone.
    """
    plant, matching, eq = skate
    ctl = matching.law(sigma=-1e-5).with_damping(k=0.27).sampled(rate=100)
    found = gc.certify(plant, eq, {"m": 3.02}, controller=ctl)
    assert gc.linearize_held(plant, ctl, eq, {"m": 3.02}).stable
    assert found.verdict is gc.Verdict.UNDECIDED
    assert "m = 3.02" in found.claim
    turn = plant.project([0, -0.01, 1, 0, 0, 0], {"Gamma": (0, np.sin(-0.01), np.cos(-0.01))}, nearest=True)
    for m, low, high in ((3.0, 0, 1e-3), (3.02, 5e-3, 2e-2)):
        run = gc.simulate(plant, [0, 40, 50, 60], turn, params={"m": m}, controller=ctl)
        for change in np.abs(np.diff(run["theta_dot"]))[1:]:
            assert low <= change < high


def test_what_is_refused(skate):
    plant, matching, eq = skate
    law = matching.law(sigma=-5e-6).with_damping(k=8)
    rng = np.random.default_rng(0)
    for options, words in (
        ({"noise": {"v1": 0.1}, "rng": rng}, "noise leaves a bound"),
        ({"quantisation": {"v1": 0.1}}, "quantisation leaves a bound"),
    ):
        with pytest.raises(gc.InputError, match=words):
            gc.certify(plant, eq, controller=law.sampled(**options))
    at_limit = replace(law.sampled(start={"u_theta": 1.0}, limits={"u_theta": (0.0, 2.0)}))
    with pytest.raises(gc.InputError, match="at its limit"):
        gc.certify(plant, eq, controller=at_limit)
    with pytest.raises(gc.InputError, match="modulo is for a system"):
        gc.certify(plant, eq, modulo="orbit", controller=law.sampled())
    with pytest.raises(TypeError, match=r"made by law\.sampled"):
        gc.certify(plant, eq, controller=law)
    with pytest.raises(gc.EquilibriumError, match="the law asks for u_theta = 1"):
        gc.certify(plant, eq, controller=SampledController(Feedback({"u_theta": sp.Integer(1)})))


def test_a_law_that_misses_the_point_by_rounding_rests_beside_it():
    """A weight of 2/3, rounded: the loop rests next to the point, which is enclosed."""
    x, u = gc.Coordinate("x"), sp.Symbol("u", real=True)
    weight = sp.Rational(2, 3) * x.symbol
    plant = gc.EulerPoincare(shape=[x], inertia=[[2]], potential=weight, inputs=[u], forces=[u]).reduce()
    law = Feedback({"u": sp.Float(2 / 3) - x.rate - x.symbol}, rest={"u": 2 / 3})
    found = gc.certify(plant, (plant.state(), [2 / 3]), controller=SampledController(law, 10.0))
    assert found.verdict is gc.Verdict.PROVED_ASYMPTOTICALLY_STABLE
    # u = 2/3 there: x is what the double is beyond it.
    states = found.proof["problem"]["states"]
    assert float(sp.Rational(states["x"])) == pytest.approx(float(sp.Rational(2 / 3) - sp.Rational(2, 3)))
