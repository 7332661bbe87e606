"""Systems on products in other units: what is accepted, converted and refused there."""

from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc

m, l, k = (  # noqa: E741
    gc.Parameter("m", 2.0, "kg", positive=True),
    gc.Parameter("l", 0.5, "m", positive=True),
    gc.Parameter("k", 7.0, "N/m", positive=True),
)
UNITS = [
    {"length": Fraction(1, 10**7)},
    {"mass": 10**9, "time": 1000},
    {"length": 10**7, "time": Fraction(1, 10**5)},
]


def pendulum():
    """A bob on a massless rod from a place that a spring holds."""
    x, q = gc.manifolds.Place("x"), gc.manifolds.Direction("q")
    bob = x.rate + l.symbol * q.rate
    return gc.manifolds.ProductSystem(
        [x, q],
        kinetic=m.symbol * x.rate.dot(x.rate) / 2 + m.symbol * bob.dot(bob) / 2,
        potential=k.symbol * x.z.dot(x.z) / 2,
        parameters=[m, l, k],
        name="pendulum on a spring",
    )


@pytest.mark.parametrize("units", UNITS)
def test_products_of_places_and_directions_are_accepted(units):
    """Their inertia holds kg beside kg m^2; one that is singular is refused all the same."""
    moved, change = pendulum().in_units(**units)
    assert moved.units()["x_1"] == change_text(units)
    x, q = gc.manifolds.Place("x"), gc.manifolds.Direction("q")
    bob = x.rate + float(change.parameters["l"]) * q.rate
    with pytest.raises(gc.InputError, match="positive definite"):
        gc.manifolds.ProductSystem([x, q], kinetic=bob.dot(bob) / 2)


def change_text(units):
    factor = Fraction(units.get("length", 1))
    return "m" if factor == 1 else f"{1 / factor} m"


@pytest.mark.parametrize("units", UNITS)
def test_momenta_are_converted_and_back(units):
    system = pendulum()
    moved, change = system.in_units(**units)
    x = change.state(system.generic_state(4))
    there = moved.convert(x, "velocity", "momentum")
    back = moved.convert(there, "momentum", "velocity")
    assert change.inverse.state(back) == pytest.approx(change.inverse.state(x), rel=1e-12, abs=1e-13)
    first = system.convert(system.generic_state(4), "velocity", "momentum")
    factors = [change.value(1.0, "kg m/s")] * 3 + [change.value(1.0, "kg m^2/s")] * 3
    assert there[6:] == pytest.approx(first[6:] * factors, rel=1e-9, abs=1e-12 * min(factors))


@pytest.mark.parametrize("second", [1.0, 1e-12, 1e12])
def test_velocities_along_a_direction_are_judged_beside_the_fastest(second):
    """0.1 of the speed is refused at every speed; rounding of the others' is none of a body's that rests."""
    two = [gc.manifolds.Direction(name) for name in ("p", "q")]
    system = gc.manifolds.ProductSystem(two, kinetic=sum(d.rate.dot(d.rate) for d in two))
    up, across = np.array([0, 0, 1.0]), np.array([second, 0, 0])
    kept = system.start({"p": (up, across), "q": (up, 1e-15 * second * up)})
    assert kept[:6] == pytest.approx([*up, *up])
    for wrong in (across + 0.1 * second * up, 0.1 * second * up):
        with pytest.raises(gc.ConstraintError, match=r"q\.omega"):
            system.start({"p": (up, across), "q": (up, wrong)})


def test_laws_are_not_changed_silently():
    """Gains are numbers whose units nothing tells."""
    x, u = gc.manifolds.Place("x"), sp.Symbol("u", real=True)
    spring = gc.manifolds.ProductSystem(
        [x],
        kinetic=m.symbol * x.rate.dot(x.rate) / 2,
        potential=k.symbol * x.z.dot(x.z) / 2,
        forces={"x": sp.Matrix([u, 0, 0])},
        inputs=[u],
        parameters=[m, k],
    )
    moved, _ = spring.in_units(time=10)
    assert moved.input_labels == ("u",)
    with pytest.raises(gc.UnitsError, match="law take and give"):
        spring.replace(law=lambda t, z, w: [-3.0 * w[0, 0]]).in_units(time=10)


@pytest.mark.parametrize(
    ("given", "named"),
    [
        (
            {"potential": lambda z, p: p[1] * (z**2).sum() / 2, "gradient": lambda z, p: p[1] * z},
            "gradient",
        ),
        ({"forces": lambda t, z, w, u, p: -p[1] * w}, "forces"),
    ],
)
def test_functions_are_not_changed_silently(given, named):
    x = gc.manifolds.Place("x")
    system = gc.manifolds.ProductSystem(
        [x], kinetic=m.symbol * x.rate.dot(x.rate) / 2, parameters=[m, k], **given
    )
    with pytest.raises(gc.UnitsError, match=f"{named} take and give"):
        system.in_units(time=10)
