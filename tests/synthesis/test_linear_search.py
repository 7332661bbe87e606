"""Dimensions of the spaces of w, derived by hand or in the literature of each mechanism."""

from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl._scalars.arithmetic.modular import PRIME, rational, residue, sampled_kernel
from geoctrl.synthesis.shaping.controlled_lagrangian import Controlled
from geoctrl.synthesis.shaping.plant import Plant
from geoctrl.synthesis.solutions.linear_search import LinearSearch
from tests.synthesis.realised import defect
from tests.synthesis.test_vertical import vehicle


def plant(name):
    return Plant.of(gc.models.get(name)())


@pytest.mark.parametrize("degree", [2, 3, 4, 6])
def test_the_cart_has_a_field_for_every_first_component(degree):
    """w = (f, h), l h' = -(f sin + f' cos)(phi): of degree d the harmonics of f up to d - 1 without the first
    sine, and the constant of h, 2 d - 1 together.
    """
    assert LinearSearch(plant("cart-pendulum"), degree).dimension == 2 * degree - 1


@pytest.mark.parametrize("degree", [2, 4])
@pytest.mark.parametrize("name", ["furuta-pendulum", "acrobot", "ball-and-beam"])
def test_these_need_a_gyroscopic_force(name, degree):
    search = LinearSearch(plant(name), degree)
    (w,) = search.fields
    assert w == search.eta
    assert "no field w but multiples of eta" in search.obstruction.reason
    assert "all others but an exceptional set" in search.obstruction.holds_for


@pytest.mark.parametrize(
    ("params", "dimension"), [({}, 1), ({"M1": 25, "M2": 25}, 1), ({"M1": 25, "M2": 25, "M3": 25}, 2)]
)
@pytest.mark.parametrize("degree", [0, 1])
def test_the_vehicle_has_a_second_field_where_its_mass_is_isotropic(params, dimension, degree):
    assert LinearSearch(Plant.of(vehicle()), degree, params).dimension == dimension


def test_the_isotropic_field_is_a_motion_of_the_centre_of_mass():
    """w_s = (0, M^{-1} D^T s), D = G_{Omega Y}: m l/M times e3 x s."""
    one = dict.fromkeys(["m", "l", "M1", "M2", "M3"], 1)
    fields = LinearSearch(Plant.of(vehicle()), 0, one).fields
    moved = [f[3:, :] for f in fields]
    turning = sp.Matrix([[0, -1, 0], [1, 0, 0], [0, 0, 0]])
    assert any(m in (turning, -turning) for m in moved)


def test_numbers_for_all_parameters_are_said_to_be_those():
    mech = gc.models.get("acrobot")()
    search = LinearSearch(Plant.of(mech), 1, {p.name: p.default for p in mech.parameters})
    assert search.obstruction.holds_for.endswith("at these parameters")


def test_a_field_beyond_the_abelian_class_is_matched():
    """w = (t, 1 + t cos(phi)/l) of the cart, with the inertia that follows: without a gyroscopic force."""
    mech = gc.models.get("cart-pendulum")().replace(potential=0, equilibria={})
    m, l = (next(p.symbol for p in mech.parameters if p.name == name) for name in ("m", "l"))  # noqa: E741
    cosine = sp.cos(mech.shape[0].symbol)
    amount, mass = sp.symbols("amount mass", real=True)
    w = [amount, 1 + amount * cosine / l]
    alpha = [m * l * cosine, m * l**2]
    coupling = (alpha[0] - mass * w[0]) / w[1]
    found = Controlled(
        plant=Plant.of(mech),
        inertia=sp.ImmutableMatrix([[mass, coupling], [coupling, (alpha[1] - coupling * w[0]) / w[1]]]),
        potential=sp.Integer(0),
        fields=sp.ImmutableMatrix(w),
        gains=(gc.Parameter("amount", 0.03), gc.Parameter("mass", 0.7)),
    )
    found.require_matched()
    assert defect(found, np.random.default_rng(0)) < 1e-12


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda: gc.models.get("unicycle-with-rotor")(), "without constraints"),
        (
            lambda: gc.EulerPoincare(
                algebra=gc.so3(),
                inertia=sp.diag(3, 2, 1),
                forces=sp.symbols("u1:4", real=True),
                inputs=sp.symbols("u1:4", real=True),
            ),
            "nothing to be matched",
        ),
    ],
)
def test_what_the_search_does_not_take_is_refused(make, reason):
    with pytest.raises(gc.MatchingError, match=reason):
        LinearSearch(Plant.of(make()), 1)


def test_functions_other_than_sines_are_refused():
    q = gc.Coordinate("q")
    x = gc.Coordinate("x")
    mech = gc.EulerPoincare(
        algebra=None,
        shape=[x, q],
        inertia=sp.Matrix([[3, sp.tanh(q.symbol)], [sp.tanh(q.symbol), 1]]),
        forces=[sp.Symbol("u", real=True), 0],
        inputs=["u"],
    )
    with pytest.raises(gc.MatchingError, match="no rational function"):
        _ = LinearSearch(Plant.of(mech), 1).dimension


class TestModulo:
    @pytest.mark.parametrize("q", [Fraction(0), Fraction(1), Fraction(-22, 7), Fraction(10**8, 3**17)])
    def test_rationals_come_back(self, q):
        assert rational(residue(q)) == q

    def test_large_ones_do_not(self):
        assert rational(residue(Fraction(10**12 + 39, 10**9 + 7))) != Fraction(10**12 + 39, 10**9 + 7)

    def test_the_kernel_of_a_hilbert_matrix_and_a_combination(self):
        rows = [[residue(Fraction(1, i + j + 1)) for j in range(5)] for i in range(4)]
        (found,) = sampled_kernel(([row] for row in rows), 5)
        exact = sp.Matrix(4, 5, lambda i, j: sp.Rational(1, i + j + 1)).nullspace()[0]
        exact = exact / exact[0]
        assert [rational(e) for e in found] == [Fraction(int(e.p), int(e.q)) for e in exact]

    def test_a_multiple_of_the_prime_is_zero(self):
        assert sampled_kernel([[[PRIME, 1]]], 2) == [[1, 0]]
