"""Steps of fixed size on mixed products, against `simulate`, which solves the equations otherwise."""

from functools import cache

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl.manifolds import Attitude, Direction, Place, ProductSystem, integrate
from geoctrl.rotations.attitudes import exp
from geoctrl.stepping.solvers import apart, coupled, explicit, tensions
from tests.rotations.systems import J

RHO, LENGTH, MASS = sp.Matrix([0.2, -0.1, 0.3]), 0.7, 0.8
START = {
    "x": ([0.1, -0.2, 0], [0.1, 0.2, 0]),
    "R": (exp(np.array([0.3, 0.2, 0.1])), [0.4, -1.0, 0.3]),
    "q": ([1, 0, 0], [0, 0.3, 1.0]),
}


@cache
def mixed(kind="free"):
    """A place on a plane, a body at it, a link at a point of the body."""
    x, R, q = Place("x", axes=[[1, 0, 0], [0, 1, 0]]), Attitude("R"), Direction("q")
    tip = x.rate + R.rate * RHO + LENGTH * q.rate
    kinetic = 1.5 * x.rate.dot(x.rate) / 2 + R.velocity.dot(sp.Matrix(J) * R.velocity) / 2
    more = {}
    if kind == "varying":
        kinetic += (1 + x.z[0] ** 2) * q.rate.dot(q.rate) / 5
    if kind == "not quadratic":
        kinetic += q.rate.dot(q.rate) ** 2 / 10
    if kind == "turning":
        more["frame_rate"] = sp.Matrix([0.2, -0.3, 0.4])
        x = Place("x")
    if kind == "damped":
        more["forces"] = {"R": -0.3 * R.velocity, "x": -0.2 * x.velocity}
    height = (R.z * RHO)[2] + LENGTH * q.z[2]
    return ProductSystem(
        [x, R, q], kinetic=kinetic + MASS * tip.dot(tip) / 2, potential=9.81 * MASS * height, **more
    )


@pytest.mark.parametrize("kind", ["free", "varying", "damped"])
def test_orders_of_mixed_products(kind):
    system = mixed(kind)
    flow = gc.simulate(system, [0, 0.5], START).states[:, -1]

    def error(steps, **given):
        return np.abs(
            integrate(system, START, 0.5 / steps, steps, record=steps, **given).states[:, -1] - flow
        ).max()

    for given, order, steps in (({}, 2, 40), ({"order": 4}, 4, 60), ({"method": "rk4"}, 4, 160)):
        assert np.log2(error(steps, **given) / error(2 * steps, **given)) == pytest.approx(order, abs=0.15)


def test_a_kinetic_energy_that_is_not_quadratic():
    system = mixed("not quadratic")
    flow = gc.simulate(system, [0, 0.5], START).states[:, -1]
    errors = [
        np.abs(integrate(system, START, 0.5 / steps, steps, record=steps).states[:, -1] - flow).max()
        for steps in (40, 80)
    ]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2, abs=0.1)


def test_momentum_and_energy_of_a_mixed_product():
    """Gravity leaves the moment about the vertical through the origin, and pushes along the plane."""
    system = mixed()
    r = integrate(system, START, 0.01, 3000, record=100)
    assert np.abs(r.momentum[:, 2] - r.momentum[0, 2]).max() < 1e-11
    assert np.abs(r.momentum[:, 0] - r.momentum[0, 0]).max() > 0.1  # negative control
    assert 1e-8 < np.abs(r.energy - r.energy[0]).max() < 5e-3 * np.abs(r.energy).max()
    assert max(np.abs(defect).max() for defect in r.leaf_defects.values()) < 1e-12


def test_a_mixed_product_in_a_frame_that_turns():
    system = mixed("turning")
    flow = gc.simulate(system, [0, 0.5], START).states[:, -1]
    errors = [
        np.abs(integrate(system, START, 0.5 / steps, steps, record=steps).states[:, -1] - flow).max()
        for steps in (40, 80)
    ]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2, abs=0.1)


def test_refusals():
    with pytest.raises(TypeError, match="ManifoldSystem"):
        integrate(object(), START, 0.1, 1)
    with pytest.raises(gc.GeoctrlError, match="project is for Runge-Kutta"):
        integrate(mixed(), START, 0.1, 1, project=True)


def loose(coupling, turning=False):
    """Two places, a direction and an attitude or without it, and how they are coupled; all is free."""
    x, y, q, R = Place("x"), Place("y"), Direction("q"), Attitude("R")
    far = x.rate + LENGTH * q.rate + y.rate / 2
    kinetic = 0.6 * x.rate.dot(x.rate) + y.rate.dot(y.rate) + 0.2 * q.rate.dot(q.rate)
    factors, V = [x, y, q], x.z.dot(y.z) + 3 * q.z[2] + x.z.dot(x.z) + 2 * y.z.dot(y.z) + q.z.dot(x.z)
    if coupling == "tensions":
        kinetic += far.dot(far) / 4
    if coupling == "apart":
        kinetic += R.velocity.dot(sp.Matrix(J) * R.velocity) / 2
        factors, V = [*factors, R], V + R.z[0, 2] * q.z[1]
    frame = [0.2, -0.3, 0.4] if turning else None
    return factors, {"kinetic": kinetic, "potential": V, "frame_rate": frame}


@pytest.mark.parametrize(
    ("coupling", "turning"), [("explicit", False), ("tensions", False), ("apart", False), ("apart", True)]
)
def test_the_solver_follows_from_the_inertia(coupling, turning):
    """A place on a line that touches nothing makes Newton's iteration for any product take over."""
    factors, given = loose(coupling, turning)
    s = Place("s", axes=[given["frame_rate"] or [1, 0, 0]])  # a line that the turning frame leaves in place
    kinetic = given["kinetic"] + s.rate.dot(s.rate)
    special, general = (
        ProductSystem(factors, **given),
        ProductSystem([*factors, s], **given | {"kinetic": kinetic}),
    )
    solvers = {"explicit": explicit.SOLVER, "tensions": tensions.SPARSE, "apart": apart.SOLVER}
    assert special.run().solver is solvers[coupling]
    assert general.run().solver is coupled.SOLVER
    start = {
        "x": ([0.1, -0.2, 0], [0.1, 0.2, 0]),
        "y": ([0.3, 0.1, -0.2], [0, 0.1, -0.3]),
        "q": ([1, 0, 0], [0, 0.3, 1.0]),
        "R": START["R"],
        "s": ([0, 0, 0], [0, 0, 0]),
    }
    names = [f.name for f in factors]
    found = integrate(special, {k: start[k] for k in names}, 0.01, 100)
    other = integrate(general, {k: start[k] for k in [*names, "s"]}, 0.01, 100)
    for name in [*names, *(f.velocity_name for f in factors)]:
        np.testing.assert_allclose(found[name], other[name], rtol=0, atol=1e-12)  # rounding of 100 steps
