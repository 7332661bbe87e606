"""Orbits, sections and symmetries in other units: the same answers in other numbers."""

from fractions import Fraction

import numpy as np
import pytest

import geoctrl as gc

UNITS = [
    {"mass": Fraction(1, 10**6)},
    {"length": 1000},
    {"time": Fraction(1, 1000)},
    {"time": 10**6, "length": Fraction(1, 1000), "mass": 10**6},
]
BODY = gc.models.get("free-rigid-body")()
PENDULUM = gc.models.get("planar-pendulum")()
STARTS = {  # guess, and a period in seconds
    "free-rigid-body": ([0.2, 0.0, 1.0], 8.0),
    "cart-pendulum": ([0.0, 0.0, 2.8], 0.8),
}


def orbit_of(mechanism, change=None):
    x, T = STARTS[mechanism.name]
    x = x if change is None else change.state(x)
    return gc.find_periodic(mechanism.reduce(), x, T if change is None else change.time(T))


@pytest.mark.parametrize("units", UNITS)
@pytest.mark.parametrize("name", ["free-rigid-body", "cart-pendulum"])
def test_orbits_are_the_same(name, units):
    mechanism = gc.models.get(name)()
    moved, change = mechanism.in_units(**units)
    first, second = orbit_of(mechanism), orbit_of(moved, change)
    assert second.period == pytest.approx(change.time(first.period), rel=1e-10)
    sizes = mechanism.reduce().scales(first.x).state
    assert np.abs(change.inverse.state(second.x) - first.x) == pytest.approx(0, abs=1e-9 * np.max(sizes))
    assert second.multipliers == pytest.approx(first.multipliers, abs=1e-6)
    assert second.neutral == first.neutral
    assert second.verdict is first.verdict


@pytest.mark.parametrize("units", UNITS)
def test_a_body_at_rest_rests_in_all_units(units):
    moved, change = BODY.in_units(**units)
    with pytest.raises(gc.InputError, match="the guess rests"):
        gc.find_periodic(moved.reduce(), change.state([0.0, 0.0, 1.0]), change.time(8.0))


@pytest.mark.parametrize("units", UNITS)
def test_levels_are_shared_in_all_units(units):
    moved, change = BODY.in_units(**units)
    x = np.array([0.2, 0.3, 1.0])
    body = moved.reduce()
    same = np.array([change.state(x), change.state(-x)])
    apart = np.array([change.state(x), change.state(x * (1 + 1e-7))])
    time = change.time(20.0)
    assert set(gc.poincare_section(body, {"Omega2": 0}, same, time).shared) == {
        "energy",
        "Pi1**2 + Pi2**2 + Pi3**2",
    }
    assert not gc.poincare_section(body, {"Omega2": 0}, apart, time).shared


@pytest.mark.parametrize("units", UNITS)
def test_symmetries_are_told_in_all_units(units):
    moved, change = BODY.in_units(**units)
    guess, T = change.state([0.2, 0.1, 1.0]), change.time(8.0)
    half = np.diag([-1.0, -1.0, 1.0])
    assert gc.find_periodic(moved.reduce(), guess, T / 2, symmetry=half).residual < 1e-10
    with pytest.raises(gc.InputError, match="the motion is not the same after it"):
        gc.find_periodic(moved.reduce(), guess, T, symmetry=np.diag([1.0, 1.0, 1 + 1e-6]))
