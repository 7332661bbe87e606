"""An inertia of one's own is tested for symmetry without being multiplied out."""

import pytest
import sympy as sp

import geoctrl as gc
from geoctrl.errors import DescriptionError

Q, R = gc.Coordinate("q", angle=True), gc.Coordinate("r")
q, r = Q.symbol, R.symbol
PRIME = 2**61 - 1
COUNT = range(1, 13)


def described(upper, lower):
    return gc.EulerPoincare(shape=[Q, R], inertia=[[9, upper], [lower, 9]])


@pytest.mark.parametrize(
    ("upper", "lower"),
    [
        ((q + r) ** 2, q**2 + 2 * q * r + r**2),
        (sp.cos(q) ** 2, 1 - sp.sin(q) ** 2),
        (sp.exp(q + r), sp.exp(q) * sp.exp(r)),
        (
            sp.prod(sp.cos(k * q) + r for k in range(1, 13)),
            sp.prod(r + sp.cos(k * q) for k in range(12, 0, -1)),
        ),
    ],
)
def test_equal_entries_are_taken(upper, lower):
    assert described(upper, lower).inertia[0, 1] == upper


@pytest.mark.parametrize(
    ("upper", "lower"),
    [
        ((q + r) ** 2, q**2 + r**2),
        (sp.cos(q), sp.cos(q) + PRIME * r),
        (r, r * (1 + sp.Rational(1, 10**6))),
        (sp.Abs(r), r),
    ],
)
def test_others_are_named(upper, lower):
    with pytest.raises(DescriptionError, match=r"entry \(2, 1\)"):
        described(upper, lower)
