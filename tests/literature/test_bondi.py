"""H. Bondi, The rigid body dynamics of unidirectional spin, Proc. R. Soc. A 405 (1986): the rattleback."""

from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from tests.literature.rolling_by_hand import linearised
from tests.literature.thresholds import assert_flips, verdict
from tests.oracles.contact import Ellipsoid, RollingBody

SETS = pytest.mark.parametrize("chosen", [None, "kane-levinson"])


@cache
def celt(chosen=None):
    return gc.models.get("rattleback")(set=chosen).reduce()


def geometry(p):
    """Height of the centre of mass, and radii of curvature at the contact less that height."""
    h = p["c"] - p["d"]
    return SimpleNamespace(**p, h=h, R1=p["a"] ** 2 / p["c"] - h, R2=p["b"] ** 2 / p["c"] - h)


def roots(n, p):
    """Of the equations of Gamma1, Gamma2 = x, y to first order, by hand.

    Omega1 = y' + n x and Omega2 = n y - x'; the centre of mass moves at V1 = n R2 y + h x' and
    V2 = h y' - n R1 x; Euler's equations about the contact are A2 z'' + A1 z' + A0 z = 0.
    """
    q = geometry(p)
    weight, arm = q.m * q.g, q.m * q.h
    A2 = np.array([[-q.D, q.J1 + arm * q.h], [-q.J2 - arm * q.h, q.D]])
    A1 = n * np.diag(q.J1 + q.J2 - q.J3 + arm * (q.h - np.array([q.R1, q.R2])))
    first = n**2 * np.array([-q.D, q.J3 - q.J2 + arm * q.R2]) + [0, weight * q.R2]
    second = n**2 * np.array([q.J1 - q.J3 - arm * q.R1, q.D]) - [weight * q.R1, 0]
    rates = -np.linalg.solve(A2, np.column_stack([first, second]).T), -np.linalg.solve(A2, A1)
    return np.linalg.eigvals(np.block([[np.zeros((2, 2)), np.eye(2)], list(rates)]))


def critical_spin(p):
    """Square of the spin at which the Hurwitz determinant of the quartic vanishes."""
    q = geometry(p)
    S = q.J1 + q.J2 - q.J3 + q.m * q.h**2
    return q.m * q.g * q.R1 * q.R2 / (S * (q.R1 + q.R2) - 2 * q.m * q.h * q.R1 * q.R2)


def spectrum(system, n, params=None):
    return gc.linearize(system, system.equilibrium("spinning", Omega0=n, params=params)).eigenvalues


@SETS
@pytest.mark.parametrize("n", [0.7, -4.0, 31.0])
def test_spectrum_by_hand(chosen, n):
    system = celt(chosen)
    lin = gc.linearize(system, system.equilibrium("spinning", Omega0=n))
    assert lin.zero_modes == ("energy",)
    expected = np.sort_complex(roots(n, system.params))
    np.testing.assert_allclose(np.sort_complex(lin.eigenvalues[1:]), expected, rtol=1e-9)


@SETS
@pytest.mark.parametrize("n", [2.3, -11.0])
def test_linearisation_is_newton_and_eulers(chosen, n):
    system = celt(chosen)
    q = geometry(system.params)
    inertia = np.array([[q.J1, q.D, 0], [q.D, q.J2, 0], [0, 0, q.J3]])
    body = RollingBody(q.m, inertia, Ellipsoid([q.a, q.b, q.c], np.array([0, 0, q.d]), np.eye(3)), q.g)
    by_hand = linearised(body, [0, 0, n], [0, 0, 1])
    lin = gc.linearize(system, system.equilibrium("spinning", Omega0=n))
    size = np.max(np.abs(by_hand))
    np.testing.assert_allclose(lin.A_leaf, lin.basis.T @ by_hand @ lin.basis, atol=1e-12 * size)


def test_the_stable_sense_flips_at_bondis_spin():
    """Above it the rest of the spectrum is to the left of the axis: attraction on the level of energy.

    The energy is the only integral and not critical at a spin, so that no Lyapunov function comes of it; but
    each of its levels attracts, which proves stability.
    """
    n = np.sqrt(critical_spin(celt().params))
    assert_flips(celt(), "spinning", "Omega0", n, "PROVED_UNSTABLE", "PROVED_STABLE")
    assert np.max(spectrum(celt(), 1.01 * n)[1:].real) < -1e-3


def test_the_other_sense_is_unstable_on_both_sides():
    n = np.sqrt(critical_spin(celt().params))
    for spin in (-0.3 * n, -(1 - 1e-6) * n, -(1 + 1e-6) * n, -3 * n):
        assert verdict(celt(), "spinning", Omega0=spin) == "PROVED_UNSTABLE"


def test_the_skew_decides_the_sense():
    n = 1.2 * np.sqrt(critical_spin(celt().params))
    assert verdict(celt(), "spinning", Omega0=-n, params={"D": 0.00015}) == "PROVED_STABLE"
    assert verdict(celt(), "spinning", Omega0=n, params={"D": 0.00015}) == "PROVED_UNSTABLE"


def test_the_critical_spin_does_not_depend_on_the_skew():
    n = np.sqrt(critical_spin(celt().params))
    for D in (-0.0009, -0.00002):
        margins = [np.max(spectrum(celt(), n * f, {"D": D})[1:].real) for f in (1 - 1e-6, 1 + 1e-6)]
        assert margins[0] > 0 > margins[1]


def test_spectra_of_opposite_senses_are_opposite():
    there, back = spectrum(celt(), 9.0), spectrum(celt(), -9.0)
    np.testing.assert_allclose(np.sort_complex(there), np.sort_complex(-back), atol=1e-11)
    assert np.max(back.real) > 3 * np.max(there.real) > 0


def test_without_skew_the_senses_are_alike():
    for n in (9.0, -9.0):
        eigenvalues = spectrum(celt(), n, {"D": 0.0})
        np.testing.assert_allclose(eigenvalues.real, 0, atol=1e-11)
        np.testing.assert_allclose(
            np.sort(eigenvalues.imag), np.sort(spectrum(celt(), -n, {"D": 0.0}).imag), atol=1e-11
        )


def test_kane_and_levinsons_body_is_unstable_at_every_spin():
    system = celt("kane-levinson")
    assert critical_spin(system.params) < 0
    for spin in (0.5, -0.5, 5.0, -5.0, 300.0, -300.0):
        assert verdict(system, "spinning", Omega0=spin) == "PROVED_UNSTABLE"


def test_the_energy_is_kept_and_the_vertical_momentum_is_not():
    assert gc.check_invariant(celt(), "energy").proved
    Omega, G = (sp.Matrix(part) for part in (celt().states[:3], celt().states[3:]))
    mechanism, params = celt().mechanism, celt().params
    rho = mechanism.contact
    M = mechanism.inertia[:3, :3] * Omega + mechanism.inertia[3, 3] * rho.cross(Omega.cross(rho))
    vertical = M.dot(G).subs({p.symbol: params[p.name] for p in mechanism.parameters})
    x = celt().random_state(np.random.default_rng(5))
    slope = sp.Matrix([vertical]).jacobian(celt().states).subs(dict(zip(celt().states, x, strict=True)))
    assert abs(np.array(slope, dtype=float)[0] @ celt().rhs(0.0, x)) > 1e-4
