"""A. M. Bloch, P. S. Krishnaprasad, J. E. Marsden, G. Sanchez de Alvarez, Automatica 28 (1992).

Stabilization of rigid body dynamics by internal and external torques: a rotor along the third axis, driven by
u = k a3 Pi1 Pi2, makes the rotation about the intermediate second axis stable. Here l1 > l2 are the locked
moments lambda_1, lambda_2, and I3 is the body's third moment without the rotor: Pi3 = I3 Omega3 + l3.
"""

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import solve_ivp

import geoctrl as gc
from tests.literature.thresholds import verdict


@pytest.fixture(scope="module")
def mechanism():
    return gc.models.get("body-with-rotor")()


@pytest.fixture(scope="module")
def matching(mechanism):
    return gc.match(mechanism)


@pytest.fixture(scope="module")
def loop(matching):
    return matching.law(sigma=sp.Symbol("sigma", real=True)).closed_loop()


def numbers(mechanism):
    p = mechanism.defaults
    return p["I1"] + p["Jt"], p["I2"] + p["Jt"], p["I3"], p["J"]


def sigma_of(k, I3, J):
    """Gain for the paper's k: both make the third moment I3/(1 - k) = I3 + J^2/sigma."""
    return J**2 * (1 - k) / (I3 * k)


def by_hand(k, l1, l2, I3, J):
    """Momenta (Pi, l) under the paper's law, with the accelerations written out."""

    def field(t, z):
        P1, P2, P3, rotor = z
        W = np.array([P1 / l1, P2 / l2, (P3 - rotor) / I3])
        a3 = 1 / l2 - 1 / l1
        return [*np.cross([P1, P2, P3], W), k * a3 * P1 * P2]

    return field


def test_the_laws_agree(mechanism, matching):
    l1, l2, I3, J = numbers(mechanism)
    rng = np.random.default_rng(5)
    for k in (0.7, 0.95, 1.6):
        law = matching.law(sigma=sigma_of(k, I3, J))
        for Omega in rng.normal(size=(3, 3)):
            # The law does not ask for the momentum level: Pi1 and Pi2 do not hold the rotor's rate.
            a3 = 1 / l2 - 1 / l1
            assert law(0.0, Omega) == pytest.approx([k * a3 * l1 * Omega[0] * l2 * Omega[1]], rel=1e-12)


def test_the_loop_moves_as_the_paper_says(mechanism, matching):
    """Full loop with the rotor's rate against momenta integrated by hand; l3 - k Pi3 and the energy stay."""
    l1, l2, I3, J = numbers(mechanism)
    k = 0.9
    full = matching.law(sigma=sigma_of(k, I3, J)).closed_loop(rotors=True)
    x0 = np.array([0.2, 1.1, -0.1, 0.7])  # an arbitrary rate: p need not be zero
    times = np.linspace(0, 30, 151)
    run = gc.simulate(full, times, x0)
    Omega, rate = run.states[:3], run.states[3]
    rotor = J * (Omega[2] + rate)
    Pi = np.stack([l1 * Omega[0], l2 * Omega[1], I3 * Omega[2] + rotor])
    start = [*Pi[:, 0], rotor[0]]
    hand = solve_ivp(by_hand(k, l1, l2, I3, J), (0, 30), start, "DOP853", times, rtol=1e-12, atol=1e-13)
    # Both integrations keep 1e-11 on this motion.
    assert np.max(np.abs(np.vstack([Pi, rotor]) - hand.y)) < 1e-9
    assert np.ptp(rotor - k * Pi[2]) < 1e-11
    assert max(run.drift.values()) < 1e-11
    assert np.ptp(Pi[2]) > 0.1


def test_the_condition_in_symbols(matching):
    """k > 1 - I3/l2 for l1 > l2 > I3, in sigma: two intervals that meet at infinite gain."""
    conditions = matching.design_sigma("about2").conditions
    I1, I2, I3, J, Jt = (p.symbol for p in matching.mechanism.parameters)
    sigma = next(s for s in conditions.symbols if s.name == "sigma")
    Omega0 = conditions.family_symbols[0]
    rng = np.random.default_rng(11)
    seen = set()
    for _ in range(60):
        values = {s: sp.Rational(int(rng.integers(1, 40)), 13) for s in (I1, I2, I3, J, Jt)}
        values |= {sigma: sp.Rational(int(rng.integers(-40, 41)) or 1, 50), Omega0: sp.Integer(1)}
        l1, l2, i3 = values[I1] + values[Jt], values[I2] + values[Jt], values[I3]
        k = 1 / (1 + values[sigma] * i3 / values[J] ** 2) if values[sigma] * i3 != -(values[J] ** 2) else 0
        if l1 == l2 or not k or (1 - k) * l2 == i3:
            continue
        # The second axis is extreme among l1, l2 and I3/(1 - k).
        stable = (1 / l2 > 1 / l1) == (1 / l2 > (1 - k) / i3)
        if l1 > l2:
            assert stable == (k > 1 - i3 / l2)
        assert all(sp.sympify(r).subs(values) == sp.true for r in conditions.stable) == stable
        assert any(sp.sympify(r).subs(values) == sp.true for r in conditions.unstable) == (not stable)
        seen.add(bool(stable))
    assert seen == {True, False}


def test_verdicts_flip_at_the_critical_gain(mechanism, matching, loop):
    l1, l2, I3, J = numbers(mechanism)
    assert l1 > l2 > I3
    assert verdict(mechanism.reduce(), "about2", Omega0=0.8) == "PROVED_UNSTABLE"
    critical = 1 - I3 / l2
    assert sigma_of(critical, I3, J) == pytest.approx(J**2 / (l2 - I3))
    for k, expected in (
        (critical * (1 - 1e-6), "PROVED_UNSTABLE"),
        (critical * (1 + 1e-6), "PROVED_STABLE"),
        (0.999, "PROVED_STABLE"),
        (5.0, "PROVED_STABLE"),
        (-0.5, "PROVED_UNSTABLE"),
    ):
        sigma = sigma_of(k, I3, J)
        assert verdict(loop, "about2", params={"sigma": sigma}, Omega0=0.8) == expected, k
        assert matching.design_sigma("about2").contains(sigma, {"Omega0": 0.8}) == (
            expected == "PROVED_STABLE"
        )
    # Large k of either sign: sigma = -J^2/I3, where the controlled third moment vanishes.
    for side, expected in ((1 - 1e-6, "PROVED_STABLE"), (1 + 1e-6, "PROVED_UNSTABLE")):
        params = {"sigma": -(J**2) / I3 * side}
        assert verdict(loop, "about2", params=params, Omega0=0.8) == expected


def test_the_loop_with_the_rotors_rate_is_stable_too(mechanism, matching):
    *_, I3, J = numbers(mechanism)
    for k, expected in ((0.9, "PROVED_STABLE"), (0.3, "PROVED_UNSTABLE")):
        full = matching.law(sigma=sigma_of(k, I3, J)).closed_loop(rotors=True)
        assert verdict(full, "about2", Omega0=0.8) == expected


def test_what_becomes_of_the_rotors_own_momentum(matching, loop):
    """The reduced loop has no rotor rate: invariants hold the one that the momentum gives, families none."""
    assert set(loop.families) == {"about1", "about2", "about3"}
    assert "rotor_momentum" in matching.law(sigma=0.05).closed_loop().dropped_invariants
