"""Measured orders of all methods, on nonlinear problems, against a solution of order eight with small steps.

The reference itself agrees with SciPy's DOP853, which knows nothing of the variational method.
"""

from functools import cache

import numpy as np
import pytest

from geoctrl import spheres
from geoctrl.stepping.methods.methods import composition
from tests.spheres.systems import (
    driven_bodies,
    hanging,
    integrated_by_dop853,
    random_state,
    varying_inertia,
)

APART = spheres.project(
    [[0.9, 0.1, -0.3], [0.2, 0.8, 0.3], [-0.5, -0.4, 0.8]],
    [[0.1, 0.2, 0.3], [-0.3, 0.2, 0.5], [0.3, 0.1, -0.2]],
)
# Explicit: diagonal inertia, without and with forces. Implicit: coupled (masses and lengths that couple
# strongly), varying with q, forced and damped. Builder, state, time, inputs.
PROBLEMS = {
    "three bodies": (lambda: spheres.particles_on_sphere([1.0, 2.0, 1.5]), APART, 1.0, None),
    "driven bodies": (driven_bodies, random_state(3, seed=1), 2.0, [0.7]),
    "double pendulum": (
        lambda: spheres.double_pendulum(1.0, 2.0, 0.7, 0.4),
        hanging(2, seed=3, spread=0.5),
        0.4,
        None,
    ),
    "driven chain": (
        lambda: spheres.chain_pendulum([1.0, 2.0, 0.5, 1.5, 3.0], [0.3, 0.2, 0.4, 0.5, 0.25]),
        hanging(5, seed=4),
        0.2,
        [0.4, -0.3, 0.2, 0.5, 0.1, -0.6],
    ),
    "varying inertia": (varying_inertia, random_state(2, seed=5), 3.0, [0.6]),
}
# Steps of the coarser of two runs, the finer has twice as many: small enough for the leading term of the
# error to rule, large enough for the error to stay above 1e-11, where rounding begins.
STEPS = {
    "three bodies": {2: 200, 4: 40, 6: 20, 8: 7},
    "driven bodies": {2: 200, 4: 40, 6: 32, 8: 17},
    "double pendulum": {2: 200, 4: 80, 6: 40, 8: 24},
    "driven chain": {2: 200, 4: 40, 6: 40, 8: 20},
    "varying inertia": {2: 200, 4: 40, 6: 32, 8: 16},
}
TOLERANCE = {2: 0.02, 4: 0.1, 6: 0.1, 8: 0.1}
FLOOR = 1e-11


@cache
def problem(name):
    build, state, T, inputs = PROBLEMS[name]
    return build(), state, T, inputs


def final(name, steps, **options):
    system, (q, omega), T, inputs = problem(name)
    r = spheres.integrate(system, q, omega, T / steps, steps, record=steps, inputs=inputs, **options)
    return r.states[:, -1]


@cache
def reference(name):
    return final(name, 200, order=8)


def errors(name, coarse, **options):
    return [np.max(np.abs(final(name, k * coarse, **options) - reference(name))) for k in (1, 2)]


ORDERS = (2, 4, 6, 8)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("name", PROBLEMS)
def test_order_of_the_variational_method(name, order):
    large, small = errors(name, STEPS[name][order], order=order)
    assert small > FLOOR
    assert np.log2(large / small) == pytest.approx(order, abs=TOLERANCE[order])


@pytest.mark.parametrize("name", PROBLEMS)
def test_the_reference_is_right(name):
    """1e-9: ten times what DOP853 leaves on the stiffest of these."""
    system, (q, omega), T, inputs = problem(name)
    assert reference(name) == pytest.approx(integrated_by_dop853(system, q, omega, T, inputs), abs=1e-9)


@pytest.mark.parametrize(("method", "order"), [("rk2", 2), ("heun", 2), ("rk4", 4)])
@pytest.mark.parametrize("name", ["driven bodies", "driven chain", "varying inertia"])
def test_order_of_runge_kutta_methods(name, method, order):
    large, small = errors(name, 400, method=method)
    assert np.log2(large / small) == pytest.approx(order, abs=0.03)


@pytest.mark.parametrize("order", ORDERS)
def test_order_conditions_of_compositions(order):
    """The substeps sum to one, their odd powers below the order to zero; a palindrome sees to the even."""
    gamma = composition(order)
    assert gamma.sum() == pytest.approx(1, abs=1e-14)
    assert gamma == pytest.approx(gamma[::-1], abs=0)
    for power in range(3, order, 2):
        assert np.sum(gamma**power) == pytest.approx(0, abs=1e-14)
    assert abs(np.sum(gamma ** (order + 1))) > 1e-4  # of this order and not of a higher one
