"""N. H. Getz, Control of balance for a nonlinear nonholonomic non-minimum phase model of a bicycle (1994);
N. H. Getz and J. E. Marsden, Control for an autonomous bicycle (1995).
"""

from functools import cache

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from tests.literature.thresholds import verdict


@cache
def bicycle():
    return gc.models.get("getz-bicycle")().reduce()


def drawn(seed):
    """States by label, inputs and rates by label, at random."""
    system, rng = bicycle(), np.random.default_rng(seed)
    x, u = system.random_state(rng), rng.normal(size=2) * [300.0, 1.0]
    rates = dict(zip(system.state_labels, system.rhs(0.0, x, u), strict=True))
    return dict(zip(system.state_labels, x, strict=True)), u, rates


@pytest.mark.parametrize("seed", range(8))
def test_the_published_equations_hold(seed):
    """M(alpha, sigma) (alpha'', v') = F + B (sigma', F_r), the curvature's rate being an input there."""
    m, p, c, J, g = (bicycle().params[k] for k in ("m", "p", "c", "J", "g"))
    at, (force, torque), rates = drawn(seed)
    alpha, sigma, v, leaning, steering = (at[k] for k in ("alpha", "sigma", "Y1", "alpha_dot", "sigma_dot"))
    s, k = np.sin(alpha), np.cos(alpha)
    M = [
        [p**2, -c * p * k * sigma],
        [-c * p * k * sigma, 1 + (c**2 + p**2 * s**2) * sigma**2 + 2 * p * sigma * s],
    ]
    F = [
        g * p * s + (1 + p * sigma * s) * p * k * sigma * v**2,
        -(1 + p * sigma * s) * 2 * p * k * sigma * v * leaning - c * p * sigma * s * leaning**2,
    ]
    B = [[c * p * k * v, 0], [-(c**2 * sigma + p * s * (1 + p * sigma * s)) * v, 1 / m]]
    right = np.array(F) + np.array(B) @ [steering, force]
    found = [rates["alpha_dot"], rates["Y1"]]
    assert found == pytest.approx(np.linalg.solve(M, right), rel=1e-12, abs=1e-12)
    assert rates["sigma_dot"] == pytest.approx(torque / J, rel=1e-13)


@cache
def lagrange():
    """Accelerations by Lagrange's equations with multipliers, from the place of the mass in space."""
    m, p, c, J, g, force, torque = sp.symbols("m p c J g F u")
    q, dq = (
        sp.Matrix(sp.symbols("x y theta alpha sigma")),
        sp.Matrix(sp.symbols("dx dy dtheta dalpha dsigma")),
    )
    x, y, theta, alpha, sigma = q
    ahead, left = sp.Matrix([sp.cos(theta), sp.sin(theta), 0]), sp.Matrix([-sp.sin(theta), sp.cos(theta), 0])
    up = sp.Matrix([0, 0, 1])
    place = sp.Matrix([x, y, 0]) + c * ahead + p * (sp.cos(alpha) * up - sp.sin(alpha) * left)
    velocity = place.jacobian(q) * dq
    L = m * velocity.dot(velocity) / 2 + J * dq[4] ** 2 / 2 - m * g * place[2]
    rows = sp.Matrix([[*left[:2], 0, 0, 0], [*(-sigma * ahead)[:2], 1, 0, 0]])
    momenta = sp.Matrix([L]).jacobian(dq)
    mass = momenta.jacobian(dq)
    right = sp.Matrix([L]).jacobian(q).T - momenta.jacobian(q) * dq
    right += sp.Matrix([*(force * ahead)[:2], 0, 0, torque])
    drift = (rows * dq).jacobian(q) * dq
    return sp.lambdify([q, dq, [m, p, c, J, g], [force, torque]], [mass, right, rows, drift])


@pytest.mark.parametrize("seed", range(4))
def test_the_field_is_lagranges(seed):
    at, u, rates = drawn(seed)
    theta, v, turning = 0.7, at["Y1"], at["sigma"] * at["Y1"]
    q = [0.2, -0.4, theta, at["alpha"], at["sigma"]]
    dq = [v * np.cos(theta), v * np.sin(theta), turning, at["alpha_dot"], at["sigma_dot"]]
    mass, right, rows, drift = lagrange()(q, dq, [bicycle().params[k] for k in ("m", "p", "c", "J", "g")], u)
    matrix = np.block([[mass, -rows.T], [rows, np.zeros((2, 2))]])
    ddq = np.linalg.solve(matrix, np.concatenate([np.ravel(right), -np.ravel(drift)]))
    speeding = ddq[0] * np.cos(theta) + ddq[1] * np.sin(theta)
    expected = [speeding, ddq[3], ddq[4]]
    found = [rates[k] for k in ("Y1", "alpha_dot", "sigma_dot")]
    assert found == pytest.approx(expected, rel=1e-12, abs=1e-12 * np.max(np.abs(expected)))


@pytest.mark.parametrize("v", [0.0, 5.0, 30.0])
def test_upright_it_falls_at_every_speed(v):
    """Eigenvalues 0 and +-(g/p)^(1/2): without steering the lean is an inverted pendulum."""
    p = bicycle().params
    rate = np.sqrt(p["g"] / p["p"])
    eigenvalues = gc.linearize(bicycle(), bicycle().equilibrium("upright", v=v)).eigenvalues
    np.testing.assert_allclose(np.sort(eigenvalues.real), [-rate, 0, 0, 0, rate], atol=1e-12)
    assert verdict(bicycle(), "upright", v=v) == "PROVED_UNSTABLE"


def test_circles_are_ridden_at_the_speed_that_the_family_says():
    p = bicycle().params
    s, kappa = -0.15, 0.1
    sine, cosine = 2 * s / (1 + s**2), (1 - s**2) / (1 + s**2)
    v = float(np.sqrt(-p["g"] * sine / ((1 + p["p"] * kappa * sine) * cosine * kappa)))
    turning = bicycle().equilibrium("turning", v=v, kappa=kappa, s=s)
    run = gc.simulate(bicycle(), np.linspace(0, 1, 11), turning)
    np.testing.assert_allclose(run["alpha"], 2 * np.arctan(s), atol=1e-12)
    with pytest.raises(gc.EquilibriumError, match="family 'turning' has no member"):
        bicycle().equilibrium("turning", v=v + 0.1, kappa=kappa, s=s)
