"""A rimless wheel just above the slope on which it comes to rest upright: phases next to a saddle."""

from functools import cache

import mpmath as mp
import numpy as np
import pytest
from flint import arb, ctx

import geoctrl as gc
from tests.jumps.jumping_mechanisms import rimless_wheel

LONG = pytest.mark.long(reason="slow passages are found in many parts, and proved with many digits")


@cache
def rolling(excess):
    """Slope, speed after a strike, period and multiplier, by quadrature in 40 digits.

    With k = m g l/D the square of the speed at the top is w^2 - 2 k (1 - cos(a - slope)).
    """
    m, inertia, length, a, g = (mp.mpf(rimless_wheel().params[k]) for k in ("m", "I", "l", "a", "g"))
    with mp.workdps(40):
        D = inertia + m * length**2
        mu, k = (inertia + m * length**2 * mp.cos(2 * a)) / D, m * g * length / D

        def top(slope):
            return speed(slope) ** 2 - 2 * k * (1 - mp.cos(a - slope))

        def speed(slope):
            return mp.sqrt(mu**2 * 4 * k * mp.sin(slope) * mp.sin(a) / (1 - mu**2))

        slope = mp.mpf(float(mp.findroot(top, 0.066) * (1 + mp.mpf(excess))))
        # sin(angle/2) = c sinh(u) takes the peak at the top out of the integral.
        c = mp.sqrt(top(slope) / (4 * k))
        ends = [mp.asinh(mp.sin(angle / 2) / c) for angle in (slope - a, slope + a)]
        period = mp.quad(lambda u: 1 / mp.sqrt(k * (1 - (c * mp.sinh(u)) ** 2)), [ends[0], 0, ends[1]])
        return slope, speed(slope), period, mu**2


def gait(excess):
    """From a speed of a hundredth too much, and four fifths of the time."""
    slope, speed, period, _ = map(float, rolling(excess))
    start = [1.01 * speed, slope - rimless_wheel().params["a"]]
    params = {"slope": slope}
    return gc.find_periodic(rimless_wheel(), start, 0.8 * period, params=params, jumps=["spoke"])


@pytest.mark.parametrize(
    ("excess", "digits"),
    [(1e-4, 1e-10), *(pytest.param(*at, marks=LONG) for at in [(1e-6, 1e-8), (1e-8, 1e-6)])],
)
def test_a_wheel_that_almost_stops_is_found_from_a_rough_guess(excess, digits):
    _, speed, period, multiplier = rolling(excess)
    found = gait(excess)
    assert found.x[0] == pytest.approx(float(speed), rel=1e-14)
    # A double of the slope tells the time by so many digits.
    assert found.period == pytest.approx(float(period), rel=digits)
    assert found.others == pytest.approx([float(multiplier)], rel=100 * digits)
    assert found.residual < 1e-14
    (way,) = found.ways
    assert len(way) > 1
    assert sum(time for _, time in way) == pytest.approx(found.period, rel=1e-15)
    assert way[0][0] == pytest.approx(found.x)


def test_a_phase_that_is_not_unstable_is_one_part():
    found = gc.find_periodic(rimless_wheel(), [1.6, -0.22], 0.39)
    ((part,),) = found.ways
    assert np.array_equal(part[0], found.x)


@LONG
def test_it_is_proved_with_more_digits_than_it_loses():
    _, speed, period, multiplier = rolling(1e-6)
    found = gait(1e-6).enclose(320)
    assert found.verdict is gc.Verdict.PROVED_ASYMPTOTICALLY_STABLE
    with ctx.workprec(320):
        assert abs(found.period - arb(mp.nstr(period, 30))) < 1e-28
        assert abs(found.x[0] - arb(mp.nstr(speed, 30))) < 1e-28
        assert any(abs(z - arb(mp.nstr(multiplier, 30))) < 1e-28 for z in found.multipliers)
