"""E. I. Kharlamova (1959): Suslov's problem in the field of gravity, the constrained axis principal.

The centre of mass lies at l E1 in the plane normal to the axis. The momentum I11 Omega1 + I12 Omega2 along E1
is conserved, and the body may rest with the vertical anywhere in that plane.
"""

import numpy as np
import pytest

import geoctrl as gc
from tests.literature.thresholds import assert_flips, verdict


@pytest.fixture(scope="module")
def heavy():
    return gc.models.get("suslov")(potential="heavy", set="kharlamova").reduce()


@pytest.fixture(scope="module")
def generic():
    return gc.models.get("suslov")(potential="heavy", set="generic").reduce()


PRINCIPAL = {"I13": 0, "I23": 0}


def test_the_integral(heavy, generic):
    assert gc.check_invariant(heavy, "kharlamova", params=PRINCIPAL).proved
    assert set(heavy.conserved()) == {"energy", "kharlamova"}
    assert generic.dropped_invariants == ("kharlamova",)
    assert not gc.check_invariant(generic, "kharlamova").proved
    I11, _, _, I12, *_ = (p.symbol for p in heavy.mechanism.parameters)
    W1, W2 = heavy.states[:2]
    for wrong in (I11 * W1 - I12 * W2, I12 * W1 + I11 * W2):
        refuted = gc.check_invariant(heavy, wrong, params=PRINCIPAL)
        assert not refuted.proved
        assert refuted.counterexample is not None


def test_the_integral_in_a_run(heavy):
    x0 = heavy.project([0.8, -0.5, 0.0], {"Gamma": (0.6, 0.0, 0.8)})
    run = gc.simulate(heavy, np.linspace(0, 20, 201), x0)
    assert run.drift["kharlamova"] < 1e-11
    assert np.ptp(run["Omega2"]) > 1


def square(p, s):
    """Square of the eigenvalue at rest: m g l (Gamma1 I11 + Gamma2 I12)/(I11 I22 - I12^2)."""
    gamma1, gamma2 = (1 - s**2) / (1 + s**2), 2 * s / (1 + s**2)
    weight = p["m"] * p["g"] * p["l"]
    return weight * (gamma1 * p["I11"] + gamma2 * p["I12"]) / (p["I11"] * p["I22"] - p["I12"] ** 2)


@pytest.mark.parametrize("s", [-2.5, -0.3, 0.6, 1.1, 4.0])
@pytest.mark.parametrize("principal", [True, False])
def test_spectrum_at_rest(heavy, generic, s, principal):
    """The same for any inertia, since rotations do not enter to first order."""
    system = heavy if principal else generic
    lin = gc.linearize(system, system.equilibrium("resting", s=s))
    squares = np.sort((np.asarray(lin.eigenvalues, complex) ** 2).real)
    expected = square(system.params, s)
    # Two zeros of which rounding leaves 1e-8 to the square.
    assert squares == pytest.approx(np.sort([0, 0, expected, expected]), abs=1e-8)
    assert lin.zero_modes == (("kharlamova", "energy") if principal else ("energy", "family"))


def test_the_threshold_at_rest(heavy):
    """Gamma1 I11 + Gamma2 I12 = 0, below which the body hangs.

    Off the direction of the centre of mass the energy's gradient does not vanish: neighbouring positions of
    rest have another energy, so that no Hessian decides and the spectrum alone speaks.
    """
    p = heavy.params
    for root in np.roots([p["I11"], -2 * p["I12"], -p["I11"]]):
        assert square(p, root) == pytest.approx(0, abs=1e-12)
        assert_flips(heavy, "resting", "s", root, "PROVED_UNSTABLE", "SPECTRALLY_STABLE_ONLY")


def test_hanging_and_upright(heavy, generic):
    """The energy has a minimum where the centre of mass is lowest; the directions of rest are a family."""
    for system in (heavy, generic):
        assert verdict(system, "hanging") == "PROVED_STABLE"
        assert verdict(system, "upright") == "PROVED_UNSTABLE"
    assert gc.linearize(heavy, heavy.equilibrium("hanging")).zero_modes == ("kharlamova", "family")
    assert gc.linearize(generic, generic.equilibrium("hanging")).zero_modes == ("family", "family")
