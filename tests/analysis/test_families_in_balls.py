"""Families of rest along straight lines, where equations hold functions that no exact number tells."""

from fractions import Fraction

import pytest
import sympy as sp

import geoctrl as gc


@pytest.mark.parametrize(
    ("length", "time"), [(1, 1), (10**10, 1), (1, 10**9), (Fraction(1, 10**9), Fraction(1, 10**6))]
)
def test_a_line_of_rest_is_found_in_all_units(length, time):
    """A spring of stiffness k cos(c) holds b - s a, nothing else: rest is b = s a.

    Its zero comes out as 2e-17 in floats, which is no growth.
    """
    length, time = sp.Rational(length), sp.Rational(time)
    a, b, c = gc.Coordinate("a"), gc.Coordinate("b"), gc.Parameter("c", 0.4)
    numbers = {"s": sp.Rational(3, 7) / length, "k": 5 * (length / time) ** 2, "d": 2 / time, "m": length**2}
    s, k, d, m = (gc.Parameter(name, value, positive=True) for name, value in numbers.items())
    system = gc.EulerPoincare(
        shape=[a, b],
        inertia=[[1, 0], [0, m]],
        potential=k * sp.cos(c) * (b - s * a) ** 2 / 2,
        friction=[gc.Friction([1, 0], viscous=d), gc.Friction([0, 1], viscous=d * m)],
        parameters=[c, s, k, d, m],
    ).reduce()
    certificate = gc.certify(system, system.state())
    assert certificate.verdict is gc.Verdict.PROVED_STABLE
    assert certificate.method == "spectrum and a family of equilibria in balls"
    assert certificate.evidence["family_dimension"] == 1
