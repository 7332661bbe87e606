"""Positions that shaping adds, where several coordinates ride along: functions of the state, no states."""

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc

NUMBERS = {"M": 0.44, "m": 0.14, "l": 0.215, "g": 9.81}


@pytest.fixture(scope="module")
def matching():
    """A spherical pendulum on a puck, in two angles."""
    parameters = [gc.Parameter(k, v, positive=True) for k, v in NUMBERS.items()]
    M, m, r, g = (p.symbol for p in parameters)
    x, y = (gc.Coordinate(k, unit="m") for k in "xy")
    a, b = (gc.Coordinate(k, angle=True) for k in "ab")
    (s, c), (t, d) = ((sp.sin(k.symbol), sp.cos(k.symbol)) for k in (a, b))
    axis = sp.Matrix([s * d, t, c * d])
    rates = sp.Matrix([a.rate, b.rate])
    v = r * axis.jacobian([a.symbol, b.symbol]) * rates + sp.Matrix([x.rate, y.rate, 0])
    energy = (M * (x.rate**2 + y.rate**2) + m * v.dot(v)) / 2
    u, w = sp.symbols("u w", real=True)
    mech = gc.EulerPoincare(
        name="puck",
        algebra=None,
        shape=[x, y, a, b],
        parameters=parameters,
        inputs=[u, w],
        forces=[u, w, 0, 0],
        potential=m * g * r * axis[2],
        inertia=sp.hessian(sp.expand(energy), [x.rate, y.rate, a.rate, b.rate]),
    )
    return gc.match(mech, shaping="both")


@pytest.mark.parametrize(("times", "stable"), [(20 * 0.14 / 0.44, True), (1.001, True), (0.999, False)])
def test_a_puck_is_stable_beyond_the_ratio_of_the_masses(matching, times, stable):
    loop = matching.law(kappa=times * 0.44 / 0.14, rho=-0.02, K=-0.6).closed_loop()
    assert loop.state_labels == ("x_dot", "y_dot", "a_dot", "b_dot", "x", "y", "a", "b")
    verdict = gc.certify(loop, loop.project([0] * 4, {})).verdict
    assert verdict is (gc.Verdict.PROVED_STABLE if stable else gc.Verdict.PROVED_UNSTABLE)


def test_its_spectrum_is_that_of_the_chart_of_the_catalogue(matching):
    loop = matching.law(kappa=20.0, rho=-0.02, K=-0.6).closed_loop()
    found = np.sort(gc.linearize(loop, loop.project([0] * 4, {})).eigenvalues.imag)
    # From the same loop in the coordinates s1, s2, nine digits.
    assert found == pytest.approx(
        np.repeat([-14.61649522, -1.64769434, 1.64769434, 14.61649522], 2), abs=1e-8
    )
