"""S. Kovalevskaya, Sur le probleme de la rotation d'un corps solide, Acta Mathematica 12 (1889).

Permanent rotations about the vertical (O. Staude, J. reine angew. Math. 113, 1894) supply equilibria with a
threshold: with k = m g l/I3 and the axis through the centre of mass leaning to Gamma1 = k/W^2 the spectrum is
0, 0, +-W (3 Gamma1^2 - 1)^(1/2)/2, +-i W (1 - Gamma1^2)^(1/2), so that W^2 = 3^(1/2) k separates.
"""

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from tests.literature import heavy_top_by_hand as hand
from tests.literature.thresholds import assert_flips, verdict

CENTRE = np.array([1.0, 0.0, 0.0])


@pytest.fixture(scope="module")
def top():
    return gc.models.get("kovalevskaya-top")().reduce()


def ratio(p):
    return p["m"] * p["g"] * p["l"] / p["I3"]


def squares(lin):
    return np.sort_complex(np.roots(np.poly(lin.A_leaf)[:5:2]))


def test_equations(top):
    p = top.params
    moments = p["I3"] * np.array([2, 2, 1])
    rng = np.random.default_rng(1)
    for _ in range(3):
        x = top.random_state(rng)
        expected = hand.field(x, moments, p["m"] * p["g"] * p["l"], CENTRE)
        assert top.rhs(0.0, x) == pytest.approx(expected, abs=1e-12)


def test_the_fourth_integral(top):
    """|(Omega1 + i Omega2)^2 - k (Gamma1 + i Gamma2)|^2, with the minus sign for Gamma upwards."""
    assert gc.check_invariant(top, "kovalevskaya").proved
    (W1, W2, _), (G1, G2, _) = top.states[:3], top.states[3:]
    m, l, g, I3 = (p.symbol for p in top.mechanism.parameters)  # noqa: E741
    k = m * g * l / I3

    def integral(factor):
        return (W1**2 - W2**2 - factor * k * G1) ** 2 + (2 * W1 * W2 - factor * k * G2) ** 2

    assert gc.check_invariant(top, integral(1)).proved
    for wrong in (-1, 2, sp.Rational(1, 2)):
        refuted = gc.check_invariant(top, integral(wrong))
        assert not refuted.proved
        assert refuted.counterexample is not None
    other = top.mechanism.replace(inertia=I3 * sp.diag(3, 3, 1)).reduce()
    assert not gc.check_invariant(other, "kovalevskaya").proved
    assert other.dropped_invariants == ("kovalevskaya",)


def test_the_four_integrals_in_a_run(top):
    x0 = top.project([1.0, -0.5, 3.0], {"Gamma": (0.6, 0.48, 0.64)})
    run = gc.simulate(top, np.linspace(0, 20, 401), x0)
    assert set(top.conserved()) == {"energy", "kovalevskaya", "Gamma1*Pi1 + Gamma2*Pi2 + Gamma3*Pi3"}
    # 1e-10 of values up to 1e3 over about a hundred turns.
    assert max(run.drift.values()) < 1e-7
    assert np.ptp(run["Gamma3"]) > 1


@pytest.mark.parametrize("speed", [0.5, 2.0, 9.0])
def test_about_the_axis_through_the_centre_of_mass(top, speed):
    """Hanging is stable and upright unstable at any rate: the moments about axes 1 and 2 are equal."""
    assert verdict(top, "hanging", Omega0=speed) == "PROVED_STABLE"
    assert verdict(top, "upright", Omega0=speed) == "PROVED_UNSTABLE"


@pytest.mark.parametrize("factor", [1.02, 1.2, 1.4, 2.0, 6.0])
def test_spectrum_of_permanent_rotations(top, factor):
    p = top.params
    k = ratio(p)
    W = factor * np.sqrt(k)
    eq = top.equilibrium("staude", Omega0=W)
    lean = k / W**2
    assert eq["Gamma1"] == pytest.approx(lean)
    lin = gc.linearize(top, eq)
    formula = np.sort([W**2 * (3 * lean**2 - 1) / 4, -(W**2) * (1 - lean**2)])
    assert squares(lin).real == pytest.approx(formula, abs=1e-9)
    by_hand = hand.spectrum(eq.x, p["I3"] * np.array([2, 2, 1]), p["m"] * p["g"] * p["l"], CENTRE)
    assert by_hand.real == pytest.approx(formula, abs=1e-9)
    assert lin.zero_modes == ("Gamma1*Pi1 + Gamma2*Pi2 + Gamma3*Pi3",)


@pytest.mark.parametrize(("relative", "expected"), [(1e-6, "PROVED_UNSTABLE"), (-1e-6, "PROVED_STABLE")])
@pytest.mark.parametrize("speed", [5, -5])
def test_the_threshold_of_permanent_rotations(top, relative, expected, speed):
    """Gamma1 = 3^(-1/2), at rational points on either side: decided exactly.

    The fourth integral is zero there, its minimum: the gradient vanishes, and the Hessian makes the form
    definite.
    """
    lean = hand.rational_lean((1 + relative) / np.sqrt(3))
    params = {"m": 1, "g": 1, "I3": 1, "l": 25 * lean}
    eq = top.equilibrium("staude", params=params, Omega0=speed)
    assert eq["Gamma1"] == float(lean)
    certificate = gc.certify(top, eq)
    assert certificate.verdict.name == expected
    assert top.invariants(eq.x, params)["kovalevskaya"] == pytest.approx(0, abs=1e-12)
    if expected == "PROVED_STABLE":
        assert certificate.evidence["dependent_gradients"] == ["kovalevskaya"]


def test_irrational_permanent_rotations_are_decided_with_their_root(top):
    """Gamma3 = sqrt(1 - Gamma1^2), the threshold at Gamma1 = k / Omega0^2 = 3^(-1/2)."""
    k = ratio(top.params)
    for factor, expected in ((1.2, "PROVED_UNSTABLE"), (1.5, "PROVED_STABLE"), (5.0, "PROVED_STABLE")):
        assert verdict(top, "staude", Omega0=float(factor * np.sqrt(k))) == expected
    assert_flips(top, "staude", "Omega0", np.sqrt(np.sqrt(3) * k), "PROVED_UNSTABLE", "PROVED_STABLE")


def test_rounding_in_a_gradient_that_vanishes_passes_for_no_direction(top):
    """The same points in floats, where the fourth integral has a gradient of rounding alone."""
    k = ratio(top.params)
    for factor in (1.2, 1.5, 4.0):
        eq = top.equilibrium("staude", Omega0=float(factor * np.sqrt(k)))
        expected = "PROVED_UNSTABLE" if factor == 1.2 else "NUMERICALLY_STABLE"
        assert gc.certify(top, eq.x).verdict.name == expected


@pytest.mark.parametrize("factor", [5.0, 5.5, 8.0])
def test_the_last_digit_decides_nothing_in_floats(top, factor):
    """Where the forms of two multipliers nearly cancel, and rounding chooses the basis they come in."""
    speed = float(factor * np.sqrt(ratio(top.params)))
    for _ in range(4):
        eq = top.equilibrium("staude", Omega0=speed)
        assert gc.certify(top, eq.x).verdict.name == "NUMERICALLY_STABLE"
        speed = float(np.nextafter(speed, np.inf))


def test_slow_permanent_rotations_do_not_exist(top):
    with pytest.raises(gc.EquilibriumError, match="no member"):
        top.equilibrium("staude", Omega0=0.99 * np.sqrt(ratio(top.params)))
