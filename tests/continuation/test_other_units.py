"""Branches in other units: the same points, changes and brackets in other numbers."""

from fractions import Fraction
from functools import cache

import numpy as np
import pytest

import geoctrl as gc

UNITS = [
    {"mass": Fraction(1, 10**6)},
    {"length": 1000},
    {"time": Fraction(1, 1000)},
    {"time": 10**6, "length": Fraction(1, 1000), "mass": 10**6},
]
X = gc.Coordinate("x", unit="m")


def softening():
    """m x'' = F - k x + c x^3 - b x', which snaps at x = (k / 3 c)^(1/2)."""
    m, k = gc.Parameter("m", 0.3, "kg"), gc.Parameter("k", 1.7, "N/m")
    c, F = gc.Parameter("c", 2.5, "N/m^3"), gc.Parameter("F", 0.1, "N")
    b, x = gc.Parameter("b", 0.2, "N s/m"), X.symbol
    return gc.EulerPoincare(
        name="softening spring",
        shape=[X],
        inertia=[[m.symbol]],
        potential=k.symbol * x**2 / 2 - c.symbol * x**4 / 4 - F.symbol * x,
        friction=[gc.Friction([1], b.symbol)],
        parameters=[m, k, c, F, b],
    )


def followed(mechanism, length, force):
    system = mechanism.reduce()
    x = min(abs(r.real) for r in np.roots([2.5, 0.0, -1.7, 0.1]))
    return gc.follow(system, [0.0, x * length], along="F", span=(-2 * force, 2 * force), points=5)


@cache
def in_newtons():
    return followed(softening(), 1.0, 1.0)


@pytest.mark.long(
    reason="a skate is followed in other units beside it; the checker finds the spring's turn in any"
)
@pytest.mark.parametrize("units", UNITS[1::2])
def test_a_spring_snaps_at_the_same_force(units):
    moved, change = softening().in_units(**units)
    force, length = change.value(1.0, "N"), change.value(1.0, "m")
    first, second = in_newtons(), followed(moved, length, force)
    assert second.values == pytest.approx(first.values * force, rel=1e-9, abs=1e-9 * force)
    places = [np.array([point["x"] for point in branch.points]) for branch in (first, second)]
    assert places[1] == pytest.approx(places[0] * length, abs=1e-9 * length)
    assert len(second.changes) == 2
    for one, other in zip(first.changes, second.changes, strict=True):
        assert abs(other.value) == pytest.approx(2 * 1.7 / 3 * np.sqrt(1.7 / 7.5) * force, rel=1e-12)
        assert (other.kind, other.proof) == (
            one.kind,
            "proved to hold a turn of the curve",
        )
        assert other.width <= 1e-12 * force
        assert (other.before, other.after) == (one.before, one.after)


@pytest.mark.parametrize("units", UNITS[::3])
def test_a_skate_becomes_stable_at_the_same_spin(units):
    mechanism = gc.models.get("pendulum-skate")()
    moved, change = mechanism.in_units(**units)
    rate = change.member("spinning", Omega0=1.0)["Omega0"]
    skate = moved.reduce()
    start = skate.equilibrium("spinning", Omega0=3 * rate)
    branch = gc.follow(skate, start, along="Omega0", span=(rate, 9 * rate), points=9)
    (found,) = branch.changes
    p = mechanism.defaults
    threshold = np.sqrt(p["m"] * p["g"] * p["l"] / (p["I3"] + p["m"] * p["l"] ** 2 - p["I2"]))
    assert found.value / float(rate) == pytest.approx(threshold, rel=1e-8)
    assert found.proof == "proved unstable at its low end, stable at its high"
