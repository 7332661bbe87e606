"""Angles that go round do not return to their values: said in words, with what to do."""

import pytest
import sympy as sp

import geoctrl as gc


def test_a_pendulum_that_goes_over_the_top():
    phi = gc.Coordinate("phi", angle=True)
    pendulum = gc.EulerPoincare(
        shape=[phi], inertia=[[1]], potential=-sp.cos(phi.symbol), name="pendulum"
    ).reduce()
    with pytest.raises(gc.EquilibriumError, match="phi goes round") as refused:
        gc.find_periodic(pendulum, [3.0, 0.0], 2.412889993982118)
    assert "propagate_grid" not in str(refused.value)
    # Negative control: it swings. T = 4 K(sin^2(1/2)) at the amplitude of one radian.
    orbit = gc.find_periodic(pendulum, [0.0, 1.0], 6.7)
    assert orbit.period == pytest.approx(6.69997566437, rel=1e-10)
