"""Enclosures in other units: the same verdicts and periods in other numbers.

Limit cycles by microseconds and by days are among the files of orbits, with their multipliers.
"""

from dataclasses import replace
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from flint import ctx

import geoctrl as gc
from tests.sweeps import sampled

UNITS = [
    {"time": Fraction(1, 1000)},
    {"length": 1000},
    {"time": 10**6, "length": Fraction(1, 1000), "mass": 10**6},
]
IN_UNITS = pytest.mark.parametrize(
    "units", sampled(UNITS, UNITS[-1:], reason="all three units are changed at once in the last")
)
BODY = gc.models.get("free-rigid-body")()


def period_of(I1, I2, I3, w1, w3):
    """4 K over the rate, of a body that turns mainly about its third axis, from (w1, 0, w3) (Euler)."""
    energy, momentum = I1 * w1**2 + I3 * w3**2, (I1 * w1) ** 2 + (I3 * w3) ** 2
    square = (I2 - I3) * (energy * I1 - momentum)
    m = (I1 - I2) * (momentum - energy * I3) / square
    return float(4 * mpmath.ellipk(m) / mpmath.sqrt(square / (I1 * I2 * I3)))


@pytest.mark.long(reason="in units of powers of two no digit changes, beside it")
@IN_UNITS
def test_the_period_of_a_body_is_the_elliptic_integral_in_all_units(units):
    moved, change = BODY.in_units(**units)
    orbit = gc.find_periodic(moved.reduce(), change.state(np.array([0.2, 0.0, 1.0])), change.time(8.0))
    found = orbit.enclose(bits=96)
    assert found.verdict is gc.Verdict.PROVED_STABLE
    assert found.multipliers == ()
    expected = period_of(*(BODY.defaults[k] for k in ("I1", "I2", "I3")), 0.2, 1.0)
    assert float(found.period.rad() / found.period) < 1e-18
    assert float(found.period) == pytest.approx(change.time(expected), rel=1e-13)
    for ball, value, size in zip(found.x, orbit.x, found.sizes, strict=True):
        assert abs(float(ball.mid()) - value) < 1e-9 * size


@pytest.mark.long(reason="the period of a body is that of its closed form in all units")
def test_in_units_of_powers_of_two_no_digit_changes():
    """Sizes and times then go over exactly, and so does each number of the proof."""
    orbit = gc.find_periodic(BODY.reduce(), [0.2, 0.0, 1.0], 8.0)
    moved, change = BODY.in_units(time=Fraction(1, 1024), length=64, mass=Fraction(1, 8))
    there = replace(
        orbit,
        system=moved.reduce(),
        x=change.state(orbit.x),
        period=change.time(orbit.period),
        params={k: float(v) for k, v in change.values(orbit.params).items()},
    )
    first, second = orbit.enclose(bits=64), there.enclose(bits=64)
    assert second.sizes == pytest.approx(change.state(first.sizes), rel=0)
    with ctx.workprec(200):
        assert (second.period * 1024 - first.period).mid() == 0
        assert [(a / 1024 - b).mid() for a, b in zip(second.x, first.x, strict=True)] == [0, 0, 0]
    assert second.radius == first.radius


@IN_UNITS
def test_what_is_no_orbit_is_refused_in_all_units(units):
    moved, change = BODY.in_units(**units)
    orbit = gc.find_periodic(moved.reduce(), change.state(np.array([0.2, 0.0, 1.0])), change.time(8.0))
    with pytest.raises(gc.EquilibriumError, match="the orbit is not proved"):
        replace(orbit, period=1.01 * orbit.period).enclose(bits=96)
