"""Steps on random products of factors: order, momentum, two-form, the way back."""

import numpy as np
import pytest
import sympy as sp
from scipy.spatial.transform import Rotation

import geoctrl as gc
from tests.manifolds.products import drawn, entries, generic, symmetric
from tests.manifolds.test_products import every_symmetric

pytestmark = pytest.mark.slow

STEPS = pytest.mark.parametrize("style", ["constant", "varying", "linear", "not quadratic"])


# -- steps ------------------------------------------------------------------------------------------


def step(one, x, h, steps, **options):
    run = gc.manifolds.integrate(one.system, x, h, steps, record=steps, **options)
    return run.states[:, -1]


@STEPS
@pytest.mark.parametrize(("order", "h"), [(2, 0.02), (4, 0.05)])
def test_order_of_the_steps(style, order, h):
    one = drawn(4, "xRq", style, forced=False)
    x = generic(one, size=0.4)
    exact = gc.simulate(one.system, [0.0, 1.0], x, engine="scipy", rtol=1e-13).states[:, -1]
    errors = [
        np.abs(step(one, x, h / 2**k, round(1 / h) * 2**k, order=order) - exact).max() for k in range(3)
    ]
    rates = np.log2(np.divide(errors[:-1], errors[1:]))
    assert abs(rates[-1] - order) < 0.15, errors


@every_symmetric
def test_steps_keep_the_momentum_and_go_back(seed, kinds, style):
    one = symmetric(seed, kinds, style)
    x = generic(one, size=0.4)
    run = gc.manifolds.integrate(one.system, x, 0.02, 200, record=20)
    kept = one.system.momentum(run.states)
    # Newton stops at corrections of rounding; two hundred steps.
    assert np.abs(kept[2] - kept[2, 0]).max() < 1e-12
    assert np.abs(kept[:2] - kept[:2, :1]).max() > 1e-3
    back = run.states[:, -1].copy()
    back[one.system.split :] *= -1
    there = step(one, back, 0.02, 200)
    there[one.system.split :] *= -1
    np.testing.assert_allclose(there, x, atol=1e-11)  # errors of solving, grown by the motion


def moved(one, x, way, h):
    """The state moved along a way on the manifold: a turn (or a shift) of each body, a change of velocity."""
    z, w = x[: one.system.split].reshape(-1, 3).copy(), x[one.system.split :].reshape(-1, 3).copy()
    row = 0
    for b, f in enumerate(one.factors):
        turn, change = h * way[b]
        Q = Rotation.from_rotvec(turn).as_matrix()
        if f.rows == 3:
            z[row : row + 3] = Q @ z[row : row + 3]
            w[b] = w[b] + change
        elif f.freedom == 2:
            q = Q @ z[row]
            w[b] = Q @ w[b] + change
            z[row], w[b] = q, w[b] - (w[b] @ q) * q
        else:
            z[row], w[b] = z[row] + turn, w[b] + change
        row += f.rows
    return np.concatenate([z.ravel(), w.ravel()])


def ambient_momenta(one):
    """p = dK/du as a function of z and u."""
    u = entries(one.factors, "rate")
    return sp.lambdify([entries(one.factors, "z"), u], [sp.diff(one.lagrangian, s) for s in u], cse=True)


def canonical(one, momenta, x):
    """(z, p) with the ambient momenta: the two-form of a product is dz ^ dp."""
    z = x[: one.system.split].reshape(-1, 3)
    rate = one.system.product.rates(z, x[one.system.split :].reshape(-1, 3))
    return z.ravel(), np.array(momenta(z.ravel(), rate.ravel()), dtype=float)


def two_form(one, x, ways, flow):
    """The two-form of three variations of a start, after a flow."""
    momenta, slopes = ambient_momenta(one), []
    for way in ways:
        weights = {1: 45, 2: -9, 3: 1}
        parts = [0.0, 0.0]
        for k, c in weights.items():
            for side in (1, -1):
                pair = canonical(one, momenta, flow(moved(one, x, way, side * k * 1e-3)))
                parts = [a + side * c * v / 60e-3 for a, v in zip(parts, pair, strict=True)]
        slopes.append(parts)
    pairs = ((0, 1), (1, 2), (2, 0))
    return np.array([slopes[a][0] @ slopes[b][1] - slopes[b][0] @ slopes[a][1] for a, b in pairs])


def midpoint(system, x, h, steps):
    for _ in range(steps):
        x = x + h * system.rhs(0.0, x + h / 2 * system.rhs(0.0, x))
    return x


WHOLE = [(4, "xRq", style) for style in ("constant", "varying", "linear", "not quadratic")]
SMALL = [(seed, kinds, "not quadratic") for seed, kinds in ((3, "q"), (2, "R"), (1, "xq"))]


@pytest.mark.parametrize(("seed", "kinds", "style"), WHOLE + SMALL)
def test_steps_are_symplectic(seed, kinds, style):
    """The two-form of positions and momenta, of three variations of the start, before and after ten steps."""
    one = drawn(seed, kinds, style, forced=False)
    x = generic(one, size=0.4)
    ways = np.random.default_rng(8).normal(size=(3, len(one.factors), 2, 3))
    before = two_form(one, x, ways, lambda y: y)
    after = two_form(one, x, ways, lambda y: step(one, y, 0.05, 10))
    assert np.abs(before).max() > 0.1
    # Differences of order six with steps of 1e-3 err by rounding over the step, some 1e-12.
    assert np.abs(after - before).max() < 1e-10
    # The negative control: Runge-Kutta steps of the same size keep it to their own error only.
    other = two_form(one, x, ways, lambda y: midpoint(one.system, y, 0.05, 10))
    assert np.abs(other - before).max() > 1e-5
