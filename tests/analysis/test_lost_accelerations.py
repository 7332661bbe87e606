"""What the elimination of multipliers loses of accelerations that the equations hold at zero.

Three turns about one axis and an angle delta. Relations pin the first turn and roll the other two on each
other, 3/10 w2 = 7/20 w3 at delta = 0; the force on the first is taken by its relation alone. By the symmetry
in delta neither w2 nor w3 accelerates, and to first order nothing changes that: their rows are of size zero.
Elimination leaves some 1e-15 there.
"""

from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl.systems.contract.scales import symmetric_inverse

UNITS = [(1, 1), (10**6, 1), (Fraction(1, 10**9), 1000), (7, Fraction(1, 10**6))]
"""Numbers of kg and s."""


def pinned(mass=1, time=1, push=0):
    """The system with a force on the first turn, and another on the second."""
    delta = gc.Coordinate("delta", angle=True)
    c, even, R = sp.cos(delta.symbol), sp.sin(delta.symbol) ** 2, sp.Rational
    M = sp.diag(
        sp.Matrix([[R(142, 5), R(629, 100), R(1, 5)], [R(629, 100), R(263, 100), 0], [R(1, 5), 0, R(1, 5)]]),
        1,
    )
    kg, energy = sp.Rational(mass), sp.Rational(mass) / sp.Rational(time) ** 2
    return gc.EulerPoincare(
        name="pinned",
        algebra=gc.product(gc.so2(), gc.so2(), gc.so2()),
        shape=[delta],
        inertia=kg * M,
        potential=-energy * c,
        forces=[energy * R(608, 5) * c, energy * sp.Rational(push), 0, 0],
        constraints=[[even / 3, R(3, 10) * c, -R(7, 20) * c, 0], [R(11, 10) * c, even / 5, even / 7, 0]],
    ).reduce()


@pytest.mark.parametrize(("mass", "time"), UNITS)
def test_what_elimination_leaves_of_zero_is_no_motion(mass, time):
    system = pinned(mass, time)
    x = np.array([0, 7, 6, 0, 0]) / float(time)
    scales = system.scales(x)
    assert scales.field[:3].tolist() == [0, 0, 0]
    assert scales.A[:3].tolist() == np.zeros((3, 5)).tolist()
    assert scales.rate == pytest.approx(1 / float(time), rel=1e-12)
    assert gc.linearize(system, x).eigenvalues.size
    assert gc.find_equilibrium(system, x, fixed={"Omega_2": x[1]}).x == pytest.approx(
        x, abs=1e-12 / float(time)
    )


@pytest.mark.parametrize(("mass", "time"), UNITS)
def test_negative_a_push_far_below_what_elimination_leaves_is_one(mass, time):
    """1e-20 beside forces of 122: w2' = 49 B / (49 M22 + 36 M33), in units of the push."""
    system = pinned(mass, time, Fraction(1, 10**20))
    x = np.array([0, 7, 6, 0, 0]) / float(time)
    with pytest.raises(gc.errors.EquilibriumError, match=r"d/dt Omega_[23] = "):
        gc.linearize(system, x)
    found = system.seen_from(None).rate(x, np.zeros(0), {})[1:3]
    second = 1e-20 / (2.63 + 0.2 * 36 / 49) / float(time) ** 2
    assert found == pytest.approx([second, second * 6 / 7], rel=1e-9, abs=0)


def test_accelerations_that_elimination_has_keep_their_digits():
    for name in ("cart-pendulum", "rattleback", "getz-bicycle"):
        system = gc.models.get(name)().reduce()
        x = system.random_state(np.random.default_rng(1))
        seen = system.seen_from(None)
        assert np.array_equal(
            seen.rate(x, np.zeros(system.ninputs), system.parameters(None)), system.rhs(0.0, x)
        )


def test_an_inverse_has_the_zeros_of_the_matrix_and_goes_with_the_units():
    K = np.diag([28.4, 2.63, 0.2, 0, 0])
    K[0, 1] = K[1, 0] = 6.29
    K[0, 2] = K[2, 0] = 0.2
    K[3, :3], K[4, :3] = [0, 0.3, -0.35], [-1.1, 0, 0]
    K[:3, 3:] = -K[3:, :3].T
    inverse = symmetric_inverse(K)
    assert inverse[:4, 0].tolist() == [0, 0, 0, 0]  # the first force is taken by the last multiplier alone
    assert inverse @ K == pytest.approx(np.eye(5), abs=1e-14)
    units = np.exp2([30, -7, 3, 12, -40])
    assert np.array_equal(symmetric_inverse(units[:, None] * K * units) * units[:, None] * units, inverse)
    assert symmetric_inverse(np.array([[1.0, 1e-300], [1e-300, 2.0]]))[0, 1] == pytest.approx(
        -5e-301, rel=1e-15
    )
    with pytest.raises(np.linalg.LinAlgError):
        symmetric_inverse(np.array([[1.0, 0.0], [0.0, 0.0]]))
