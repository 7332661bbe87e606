"""Enclosures in other units: the same verdicts, periods and multipliers in other numbers."""

from dataclasses import replace
from fractions import Fraction

import mpmath
import numpy as np
import pytest
import sympy as sp
from flint import ctx

import geoctrl as gc

UNITS = [
    {"time": Fraction(1, 1000)},
    {"length": 1000},
    {"time": 10**6, "length": Fraction(1, 1000), "mass": 10**6},
]
BODY = gc.models.get("free-rigid-body")()


def cycle(time, length):
    """x'' = e w (1 - x^2/a^2) x' - w^2 x, van der Pol's equation with a time 1/w and a length a."""
    x = gc.Coordinate("x")
    w, a = 1 / Fraction(time), Fraction(length)
    force = sp.Rational(1, 4) * w * (1 - x.symbol**2 / a**2) * x.rate - w**2 * x.symbol
    system = gc.EulerPoincare(algebra=None, shape=[x], inertia=[[1]], forces=[force]).reduce()
    start = {"x": 2 * float(a), "x_dot": 0.0}
    return gc.find_periodic(system, [start[label] for label in system.state_labels], 6.3 * float(time))


@pytest.fixture(scope="module")
def attracting():
    return cycle(1, 1).enclose(bits=96)


@pytest.mark.parametrize(("time", "length"), [(Fraction(1, 1000), 1), (1, 1000)])
def test_a_limit_cycle_attracts_in_all_units(attracting, time, length):
    found = cycle(time, length).enclose(bits=96)
    assert found.verdict is attracting.verdict is gc.Verdict.PROVED_ASYMPTOTICALLY_STABLE
    with ctx.workprec(96):
        assert (found.period * time.denominator).overlaps(attracting.period)
        assert found.period.rad() < 1e-15 * found.period.mid()
    (z,), (first,) = found.multipliers, attracting.multipliers
    assert z.overlaps(first)
    # Poincare and Lindstedt: T = 2 pi (1 + e^2/16 - 5 e^4/3072); exp(-e T) to the lowest order.
    assert float(attracting.period) == pytest.approx(2 * np.pi * (1 + 1 / 256 - 5 / 3072 / 256), abs=1e-5)
    assert 0 < float(first.real) == pytest.approx(np.exp(-0.25 * float(attracting.period)), rel=0.01)


def period_of(I1, I2, I3, w1, w3):
    """4 K over the rate, of a body that turns mainly about its third axis, from (w1, 0, w3) (Euler)."""
    energy, momentum = I1 * w1**2 + I3 * w3**2, (I1 * w1) ** 2 + (I3 * w3) ** 2
    square = (I2 - I3) * (energy * I1 - momentum)
    m = (I1 - I2) * (momentum - energy * I3) / square
    return float(4 * mpmath.ellipk(m) / mpmath.sqrt(square / (I1 * I2 * I3)))


@pytest.mark.parametrize("units", UNITS)
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
    first, second = orbit.enclose(bits=96), there.enclose(bits=96)
    assert second.sizes == pytest.approx(change.state(first.sizes), rel=0)
    with ctx.workprec(200):
        assert (second.period * 1024 - first.period).mid() == 0
        assert [(a / 1024 - b).mid() for a, b in zip(second.x, first.x, strict=True)] == [0, 0, 0]
    assert second.radius == first.radius


@pytest.mark.parametrize("units", UNITS)
def test_what_is_no_orbit_is_refused_in_all_units(units):
    moved, change = BODY.in_units(**units)
    orbit = gc.find_periodic(moved.reduce(), change.state(np.array([0.2, 0.0, 1.0])), change.time(8.0))
    with pytest.raises(gc.EquilibriumError, match="the orbit is not proved"):
        replace(orbit, period=1.01 * orbit.period).enclose(bits=96)
