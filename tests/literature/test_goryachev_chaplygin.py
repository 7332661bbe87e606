"""D. N. Goryachev (Mat. Sbornik 21, 1900), S. A. Chaplygin (1901): I1 = I2 = 4 I3 where Pi.Gamma = 0."""

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from tests.literature import heavy_top_by_hand as hand
from tests.literature.thresholds import verdict


@pytest.fixture(scope="module")
def top():
    return gc.models.get("goryachev-chaplygin-top")().reduce()


def integral(top):
    """F = Omega3 (Omega1^2 + Omega2^2) - k Omega1 Gamma3 and k = m g l/I3, as expressions."""
    (W1, W2, W3), (_, _, G3) = top.states[:3], top.states[3:]
    m, l, g, I3 = (p.symbol for p in top.mechanism.parameters)  # noqa: E741
    k = m * g * l / I3
    return W3 * (W1**2 + W2**2) - k * W1 * G3, k


def test_the_rate_of_the_integral_is_a_multiple_of_the_level(top):
    """dF/dt = -(k/4) Omega2 (Pi.Gamma)/I3: zero on the level Pi.Gamma = 0 and nowhere else."""
    F, k = integral(top)
    I3 = top.mechanism.parameters[-1].symbol
    W, G = sp.Matrix(top.states[:3]), sp.Matrix(top.states[3:])
    rate = sum(sp.diff(F, s) * f for s, f in zip(top.states, top.equations().rhs, strict=True))
    level = (I3 * sp.diag(4, 4, 1) * W).dot(G)
    assert sp.expand(rate + k / 4 * W[1] * level / I3) == 0
    refuted = gc.check_invariant(top, F)
    assert not refuted.proved
    assert refuted.counterexample is not None


@pytest.mark.parametrize(("level", "kept"), [(0.0, True), (0.3, False)])
def test_the_integral_in_runs(top, level, kept):
    F, _ = integral(top)
    Gamma = np.array([0.6, 0.48, 0.64])
    Omega = np.array([0.7, 0.9, 0.0])
    moments = top.params["I3"] * np.array([4, 4, 1])
    Omega[2] = (level - (moments * Omega) @ Gamma) / (moments[2] * Gamma[2])
    run = gc.simulate(top, np.linspace(0, 10, 201), top.project(Omega, {"Gamma": Gamma}))
    values = {p.symbol: p.default for p in top.mechanism.parameters}
    along = sp.lambdify(top.states, F.subs(values))(*run.states)
    assert (np.ptp(along) < 1e-9 * np.max(np.abs(along))) == kept


@pytest.mark.parametrize("factor", [1.1, 1.8, 5.0])
def test_spectrum_of_permanent_rotations(top, factor):
    """Squares solve x^2 + W^2 (25 - 69 a^2)/16 x + 9 W^4 (1 - a^2)(1 - 9 a^2)/16 = 0, a = k/(3 W^2)."""
    p = top.params
    weight = p["m"] * p["g"] * p["l"]
    W = factor * np.sqrt(weight / (3 * p["I3"]))
    a = weight / (3 * p["I3"] * W**2)
    eq = top.equilibrium("staude", Omega0=W)
    polynomial = [1, W**2 * (25 - 69 * a**2) / 16, 9 * W**4 * (1 - a**2) * (1 - 9 * a**2) / 16]
    formula = np.sort_complex(np.roots(polynomial))
    found = np.sort_complex(np.roots(np.poly(gc.linearize(top, eq).A_leaf)[:5:2]))
    assert found == pytest.approx(formula, abs=1e-9)
    by_hand = hand.spectrum(eq.x, p["I3"] * np.array([4, 4, 1]), weight, np.array([1, 0, 0]))
    assert by_hand == pytest.approx(formula, abs=1e-9)


@pytest.mark.parametrize(
    ("relative", "expected"), [(1e-6, "PROVED_UNSTABLE"), (-1e-6, "SPECTRALLY_STABLE_ONLY")]
)
def test_the_threshold_of_permanent_rotations(top, relative, expected):
    """Gamma1 = 1/3, that is W^2 = k, at rational points on either side.

    On the stable side energy and Pi.Gamma make no definite form, and as Pi.Gamma is not zero there is no
    fourth integral.
    """
    lean = hand.rational_lean((1 + relative) / 3)
    params = {"m": 1, "g": 1, "I3": 1, "l": 75 * lean}
    assert verdict(top, "staude", params=params, Omega0=5) == expected
    # The same with the root of 1 - Gamma1^2, at the default parameters.
    p = top.params
    speed = np.sqrt(p["m"] * p["g"] * p["l"] / p["I3"] / (1 + relative))
    assert verdict(top, "staude", Omega0=float(speed)) == expected
