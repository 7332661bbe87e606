"""A. P. Veselov and L. E. Veselova, Integrable nonholonomic systems on Lie groups, Math. Notes 44 (1988)."""

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from tests.literature.thresholds import assert_flips, verdict

CLEBSCH = {"I1": 1.125, "I2": 1.75, "I3": 2.25, "B1": 0.5625, "B2": 0.875, "B3": 1.125}


def system(potential, chosen=None):
    return gc.models.get("veselova")(potential=potential, set=chosen).reduce()


def by_hand(Omega, Gamma, I, moment):  # noqa: E741
    """Omegadot of I Omegadot = I Omega x Omega + moment + lambda Gamma with Gamma . Omega = 0 kept."""
    free = np.cross(I * Omega, Omega) + moment
    multiplier = -(Gamma @ (free / I)) / (Gamma @ (Gamma / I))
    return (free + multiplier * Gamma) / I


@pytest.mark.parametrize("potential", ["zero", "linear", "quadratic"])
def test_equations(potential):
    sys = system(potential)
    p = sys.params
    I = np.array([p["I1"], p["I2"], p["I3"]])  # noqa: E741
    rng = np.random.default_rng(1)
    for _ in range(4):
        x = sys.random_state(rng)
        slope = {
            "zero": lambda G: 0 * G,
            "linear": lambda G: np.array([p["b1"], p["b2"], p["b3"]]),
            "quadratic": lambda G: np.array([p["B1"], p["B2"], p["B3"]]) * G,
        }[potential](x[3:])
        expected = by_hand(x[:3], x[3:], I, np.cross(x[3:], slope))
        assert sys.rhs(0.0, x) == pytest.approx([*expected, *np.cross(x[3:], x[:3])], abs=1e-12)


def test_the_momentum_integral_without_forces():
    sys = system("zero")
    assert gc.check_invariant(sys, "energy").proved
    assert gc.check_invariant(sys, "momentum").proved
    I = sp.diag(*(p.symbol for p in sys.mechanism.parameters))  # noqa: E741
    Omega, Gamma = sp.Matrix(sys.states[:3]), sp.Matrix(sys.states[3:])
    Pi = I * Omega
    for wrong in (Pi.dot(Pi), Pi.dot(Pi) + Pi.dot(Gamma) ** 2, Pi.dot(Gamma)):
        refuted = gc.check_invariant(sys, wrong)
        assert not refuted.proved
        assert refuted.counterexample is not None


def test_the_integral_in_a_quadratic_field():
    """|Pi|^2 - (Pi.Gamma)^2 - a det(I) Gamma.I^-1 Gamma with U = a Gamma.I Gamma/2; in a general one none."""
    sys = system("quadratic", "clebsch")
    assert set(sys.conserved()) == {"energy", "momentum"}
    assert gc.check_invariant(sys, "momentum", params=CLEBSCH).proved
    I1, I2, I3 = (p.symbol for p in sys.mechanism.parameters[:3])
    G = sys.states[3:]
    Pi = sp.diag(I1, I2, I3) * sp.Matrix(sys.states[:3])
    projected = Pi.dot(Pi) - Pi.dot(sp.Matrix(G)) ** 2
    a = sp.Rational(1, 2)
    inverse = G[0] ** 2 / I1 + G[1] ** 2 / I2 + G[2] ** 2 / I3
    for factor, kept in ((1, True), (-1, False), (2, False)):
        expr = projected - factor * a * I1 * I2 * I3 * inverse
        assert gc.check_invariant(sys, expr, params=CLEBSCH).proved is kept
    # For all I with B = I/2, not for the two matrices independent.
    for changed, kept in (({"I3": 2.5, "B3": 1.25}, True), ({"B3": 1.25}, False)):
        assert gc.check_invariant(sys, "momentum", params=CLEBSCH | changed).proved is kept
    assert system("quadratic", "generic").dropped_invariants == ("momentum",)


@pytest.mark.parametrize("potential", ["zero", "linear", "quadratic"])
def test_the_invariant_measure(potential):
    """Density (Gamma.I^-1 Gamma)^(1/2): divergence of the field plus the rate of its logarithm is zero."""
    sys = system(potential)
    I = np.array([sys.params[f"I{i}"] for i in (1, 2, 3)])  # noqa: E741
    rng = np.random.default_rng(2)
    step = 1e-30

    def logarithm(x, power):
        return power * np.log(np.sum(x[3:] ** 2 / I))

    for _ in range(4):
        x = sys.random_state(rng)
        field, divergence = sys.rhs(0.0, x), np.trace(sys.jacobian(0.0, x))
        rates = [np.imag(logarithm(x + 1j * step * field, power)) / step for power in (0.5, 1.0)]
        assert divergence + rates[0] == pytest.approx(0, abs=1e-13)
        assert abs(divergence + rates[1]) > 1e-4


def test_integrals_in_a_run():
    sys = system("quadratic", "clebsch")
    with pytest.warns(gc.ProjectionWarning, match="Omega2 from -0.3 to"):
        x0 = sys.project([0.8, -0.3, 1.1], {"Gamma": (0.48, 0.64, 0.6)}, nearest=True)
    run = gc.simulate(sys, np.linspace(0, 30, 301), x0)
    # The constraint is kept by a multiplier, without stabilisation.
    assert max(run.drift.values()) < 1e-10
    assert np.ptp(run["Gamma3"]) > 0.5


# -- equilibria ---------------------------------------------------------------------------------------


def test_at_rest_in_a_quadratic_field():
    """Frequencies ((B1 - B3)/I2)^(1/2), ((B2 - B3)/I1)^(1/2): stable where B3 is the least coefficient."""
    sys = system("quadratic", "clebsch")
    lin = gc.linearize(sys, sys.equilibrium("upright", params={"B3": 0.2}))
    expected = [np.sqrt((0.5625 - 0.2) / 1.75), np.sqrt((0.875 - 0.2) / 1.125)]
    assert np.sort(lin.eigenvalues.imag)[2:] == pytest.approx(np.sort(expected), rel=1e-12)
    assert lin.zero_modes == ()
    assert_flips(sys, "upright", "B3", 0.5625, "PROVED_STABLE", "PROVED_UNSTABLE")


@pytest.mark.parametrize("b", [(0.5, 1.0, -1.0), (-2.0, 3.0, 6.0)])
def test_at_rest_in_a_linear_field(b):
    """Hanging along -b with the inertia of the plane normal to b, turned by a right angle."""
    sys = system("linear")
    params = dict(zip(("b1", "b2", "b3"), b, strict=True))
    assert verdict(sys, "hanging", params=params) == "PROVED_STABLE"
    assert verdict(sys, "upright", params=params) == "PROVED_UNSTABLE"
    size = np.linalg.norm(b)
    plane = np.linalg.svd(np.array([b]) / size)[2][1:].T
    inertia = plane.T @ np.diag([sys.params[f"I{i}"] for i in (1, 2, 3)]) @ plane
    frequencies = np.sqrt(size / np.linalg.eigvalsh(inertia))
    lin = gc.linearize(sys, sys.equilibrium("hanging", params=params))
    assert np.sort(lin.eigenvalues.imag)[2:] == pytest.approx(np.sort(frequencies), rel=1e-10)
    rates = gc.linearize(sys, sys.equilibrium("upright", params=params)).eigenvalues.real
    assert np.sort(rates)[2:] == pytest.approx(np.sort(frequencies), rel=1e-10)


def test_free_at_rest():
    """A small push turns the body for ever: the position is a family of two directions, and it drifts."""
    sys = system("zero")
    assert verdict(sys, "resting") == "PROVED_UNSTABLE"
    assert gc.linearize(sys, sys.equilibrium("resting")).zero_modes == ("family", "family")
