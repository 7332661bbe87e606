"""V. Gzenda and V. Putkaradze, Integrability and chaos in figure skating, J. Nonlinear Sci. 30 (2020).

The skate is integrable if and only if its centre of mass lies beside or above the contact, b = 0.
"""

from functools import cache

import numpy as np
import pytest
from numpy.polynomial import Polynomial

import geoctrl as gc
from tests.literature.thresholds import verdict


@cache
def skate():
    return gc.models.get("pendulum-skate-offset")().replace(domain={}).reduce()


def sliding_roots(b, Y0):
    """By hand: I3 w' = -b N, I1 phi'' = m g l phi + l N, with N = m (b w' - l phi'' + Y0 w) at the blade."""
    m, l, g, I1, _, I3 = (skate().params[k] for k in ("m", "l", "g", "I1", "I2", "I3"))  # noqa: E741
    s = Polynomial([0, 1])
    roll, yaw = (I1 + m * l**2) * s**2 - m * g * l, (I3 + m * b**2) * s + m * b * Y0
    return (roll * yaw - m**2 * l**2 * b * s**2 * (b * s + Y0)).roots()


def separation(b, moments, times):
    """Distance of two motions that start 1e-8 apart in the rate of roll."""
    there, near = (
        gc.simulate(skate(), times, [roll, 4.0, 1.0, np.sin(0.3), np.cos(0.3)], params={"b": b, **moments})
        for roll in (0.3, 0.3 + 1e-8)
    )
    return np.linalg.norm(there.states - near.states, axis=0)


def test_with_b_zero_it_is_the_pendulum_skate():
    plain = gc.models.get("pendulum-skate")().replace(domain={}).reduce()
    rng = np.random.default_rng(1)
    for _ in range(3):
        x = plain.random_state(rng)
        np.testing.assert_allclose(skate().rhs(0, x, params={"b": 0.0}), plain.rhs(0, x), rtol=1e-13)
        assert np.max(np.abs(skate().rhs(0, x) - plain.rhs(0, x))) > 1e-2


@pytest.mark.parametrize("name", ["C1", "C2"])
def test_two_invariants_are_broken_by_the_offset(name):
    assert gc.check_invariant(skate(), name, params={"b": 0.0}).proved
    assert not gc.check_invariant(skate(), name).proved
    x = skate().random_state(np.random.default_rng(2))
    assert name in skate().invariants(x, params={"b": 0.0})
    assert set(skate().invariants(x)) == {"energy"}


def test_the_counterexample_is_exact():
    proof = gc.check_invariant(skate(), "C1")
    assert proof.counterexample is not None
    assert proof.rate != 0
    assert gc.check_invariant(skate(), "energy").proved


@pytest.mark.parametrize("b", [0.07, -0.2])
@pytest.mark.parametrize("Y0", [2.0, -2.0])
def test_sliding_falls_at_every_speed(b, Y0):
    """The coefficients of the cubic are of both signs for b Y0 > 0 and b Y0 < 0 alike."""
    lin = gc.linearize(skate(), skate().equilibrium("sliding", Y0=Y0, params={"b": b}))
    assert lin.zero_modes == ("energy",)
    expected = np.sort_complex(sliding_roots(b, Y0))
    np.testing.assert_allclose(np.sort_complex(lin.eigenvalues[1:]), expected, rtol=1e-11, atol=1e-12)
    assert verdict(skate(), "sliding", params={"b": b}, Y0=Y0) == "PROVED_UNSTABLE"


def test_turning_upright_is_steady_only_without_offset():
    upright = [0.0, 3.0, 0.0, 0.0, 1.0]
    assert gc.find_equilibrium(skate(), upright, params={"b": 0.0}).residual == 0
    with pytest.raises(gc.EquilibriumError):
        gc.linearize(skate(), upright)
    # The blade gains speed like a sleigh: b Omega^2.
    assert skate().rhs(0, upright)[2] == pytest.approx(skate().params["b"] * 9.0)


def test_nearby_motions_separate_exponentially_only_with_an_offset():
    """A factor of 1e7 and more in 40 s with b = 7 cm; without offset a drift of phases, linear in time."""
    moments, times = {"I3": 0.12}, np.linspace(0.0, 40.0, 401)
    assert np.max(separation(0.0, moments, times)) < 1e-6
    apart = separation(0.07, moments, times)
    assert np.max(apart) > 0.1
    growth = np.polyfit(times[apart < 1e-2], np.log(apart[apart < 1e-2] + 1e-300), 1)[0]
    assert growth > 0.3  # per second
