"""Certified reasons for which an equilibrium is not held: random linear plants, mechanisms."""

from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl.synthesis.shaping.plant import Plant
from geoctrl.synthesis.solutions.obstruction import EVERY_ENERGY, EVERY_LAW, ITS_CLASSES, obstruction

u = sp.Symbol("u", real=True)


def linear_plant(G, H, B):
    """Coordinates x with 1/2 x'.G x' - 1/2 x.H x, forces B u."""
    n, m = B.shape
    x = sp.Matrix([sp.Symbol(f"x{i}", real=True) for i in range(n)])
    inputs = sp.symbols(f"u:{m}", real=True)
    shape = [gc.Coordinate(f"x{i}") for i in range(n)]
    force = sp.Matrix(B) * sp.Matrix(inputs)
    mech = gc.EulerPoincare(
        algebra=None,
        shape=shape,
        inertia=sp.Matrix(G),
        potential=(x.T * sp.Matrix(H) * x)[0] / 2,
        forces=list(force),
        inputs=inputs,
    )
    return Plant.of(mech)


def modal(rng, blocks, reached):
    """G = T^T T, H = T^T h T, B = T^T b with rational T; inputs reach the first ``reached`` modes alone."""
    n = sum(block.shape[0] for block in blocks)
    while True:
        T = sp.Matrix(n, n, [sp.Rational(int(q), 7) for q in rng.integers(-9, 10, n * n)])
        if T.det() != 0:
            break
    b = sp.zeros(n, 1)
    b[:reached, 0] = sp.ones(reached, 1)
    return T.T * T, T.T * sp.diag(*blocks) * T, T.T * b


def check_rows(G, H, B, found):
    """The certificate by multiplication, with matrices made here."""
    n = G.rows
    inverse = G.inv()
    A = sp.Matrix(sp.BlockMatrix([[sp.zeros(n), -inverse * H], [sp.eye(n), sp.zeros(n)]]))
    rows, C = sp.Matrix(found["rows"]), sp.Matrix(found["C"])
    assert any(rows)
    assert rows * A == C * rows
    assert (rows * inverse.col_join(sp.zeros(n)) * B).is_zero_matrix
    s = sp.Symbol("s")
    assert sp.rem(C.charpoly(s).as_expr(), found["factor"], s) == 0


def one(q):
    return sp.Matrix([[q]])


IRRATIONAL = {"sign": sp.Matrix([[1, 2], [2, -1]]), "definite": sp.Matrix([[3, 1], [1, 1]])}


@pytest.mark.parametrize("seed", range(30))
def test_a_planted_mode_is_found(seed):
    """One to three modes that inputs reach, then one or two that they do not, of which one falls."""
    rng = np.random.default_rng(seed)
    reached = int(rng.integers(1, 4))
    blocks = [one(sp.Integer(h)) for h in rng.choice(np.arange(-6, 7), reached, replace=False)]
    planted = IRRATIONAL["sign"] if seed % 3 == 0 else one(sp.Rational(-int(rng.integers(1, 20)), 3))
    G, H, B = modal(rng, [*blocks, planted], reached)
    found = obstruction(linear_plant(G, H, B), np.zeros(2 * G.rows))
    assert found.holds_for == EVERY_LAW
    check_rows(G, H, B, found.certificate)


@pytest.mark.parametrize("seed", range(30))
def test_none_is_found_where_all_modes_are_reached_or_swing(seed):
    rng = np.random.default_rng(100 + seed)
    reached = int(rng.integers(1, 4))
    blocks = [one(sp.Integer(h)) for h in rng.choice(np.arange(-6, 7), reached, replace=False)]
    swings = IRRATIONAL["definite"] if seed % 2 else one(sp.Rational(int(rng.integers(1, 20)), 3))
    G, H, B = modal(rng, [*blocks, swings], reached)
    assert obstruction(linear_plant(G, H, B), np.zeros(2 * G.rows)) is None


def test_a_numerical_rank_would_miss_the_mode():
    """A coupling of 1e-9 reaches a falling mode; without it nothing does. A tolerance sees no difference."""
    G, H = sp.eye(2), sp.diag(1, -1)
    tiny = sp.Rational(1, 10**9)
    assert obstruction(linear_plant(G, H, sp.Matrix([1, tiny])), np.zeros(4)) is None
    assert obstruction(linear_plant(G, H, sp.Matrix([1, 0])), np.zeros(4)).holds_for == EVERY_LAW


def test_two_equal_modes_take_two_inputs():
    """One input reaches one combination of two rods that fall alike."""
    G, H = sp.eye(2), -3 * sp.eye(2)
    found = obstruction(linear_plant(G, H, sp.Matrix([1, 2])), np.zeros(4))
    assert found.holds_for == EVERY_LAW
    assert "1.73205" in found.reason
    assert found.certificate["factor"] == sp.Symbol("s") ** 2 - 3
    assert obstruction(linear_plant(G, H, sp.eye(2)), np.zeros(4)) is None


def test_a_direction_without_force_is_no_obstruction_where_momentum_is_conserved():
    """Two carts with a spring, one more free: its momentum is conserved, its place matters to nothing."""
    G, H = sp.eye(2), sp.zeros(2)
    H[0, 0] = 1
    assert obstruction(linear_plant(G, H, sp.Matrix([1, 0])), np.zeros(4)) is None


def test_nor_where_the_conserved_direction_is_skew():
    """The same in coordinates in which the potential holds both."""
    T = sp.Matrix([[1, 2], [1, 1]])
    plant = linear_plant(T.T * T, T.T * sp.diag(1, 0) * T, T.T * sp.Matrix([1, 0]))
    assert obstruction(plant, np.zeros(4)) is None


def test_a_quartic_well_restores_nothing_to_second_order():
    x, y = gc.Coordinate("x"), gc.Coordinate("y")
    mech = gc.EulerPoincare(
        algebra=None,
        shape=[x, y],
        inertia=sp.eye(2),
        potential=x.symbol**2 + y.symbol**4,
        forces=[u, 0],
        inputs=["u"],
    )
    found = obstruction(Plant.of(mech), np.zeros(4))
    assert found.holds_for == EVERY_ENERGY
    assert found.certificate["zeta"] == [[Fraction(0), Fraction(1)]]


def rods(friction=()):
    """A falling rod that nothing reaches but what friction hands over from the driven coordinate."""
    x, y = gc.Coordinate("x"), gc.Coordinate("y")
    return gc.EulerPoincare(
        algebra=None,
        shape=[x, y],
        inertia=sp.eye(2),
        potential=x.symbol**2 - y.symbol**2 / 2,
        forces=[u, 0],
        inputs=["u"],
        friction=friction,
    )


def test_friction_that_couples_is_part_of_the_plant():
    """With it inputs reach the rod, and a feedback holds it; an energy still does not."""
    found = obstruction(Plant.of(rods()), np.zeros(4))
    assert found.holds_for == EVERY_LAW
    coupling = [gc.Friction(along=[1, -1], viscous=sp.Rational(1, 2))]
    plant = Plant.of(rods(coupling))
    assert obstruction(plant, np.zeros(4)).holds_for == EVERY_ENERGY
    lin = gc.linearize(plant.mechanism.reduce(), np.zeros(4))
    reached = np.hstack([np.linalg.matrix_power(lin.A, i) @ lin.B for i in range(4)])
    assert np.linalg.matrix_rank(reached) == 4


def pendula_on_cart(lengths):
    """Pendulums side by side on one cart, all upright."""
    x = gc.Coordinate("x")
    angles = [gc.Coordinate(f"q{i}", angle=True) for i in range(len(lengths))]
    T = 2 * x.rate**2
    V = 0
    for length, q in zip(lengths, angles, strict=True):
        T += (length**2 * q.rate**2 + 2 * length * sp.cos(q.symbol) * x.rate * q.rate) / 2
        V += length * sp.cos(q.symbol)
    return gc.EulerPoincare(
        algebra=None, shape=[x, *angles], lagrangian=T - V, forces=[u, *[0] * len(lengths)], inputs=["u"]
    )


def test_pendulums_of_one_length_fall_together():
    """s^2 = g/l of the difference of the angles: no force on the cart tells them apart."""
    plant = Plant.of(pendula_on_cart([1, 1]))
    found = obstruction(plant, np.zeros(6))
    assert found.holds_for == EVERY_LAW
    assert found.certificate["factor"] == sp.Symbol("s") ** 2 - 1 or "s = 1" in found.reason


def test_pendulums_of_two_lengths_have_no_energy_of_the_class():
    """They are reached, but one coupling cannot lower the inertia of both."""
    found = obstruction(Plant.of(pendula_on_cart([1, 2])), np.zeros(6))
    assert found.holds_for == ITS_CLASSES
    a, b = found.certificate["uncoupled"][0]
    assert a + 2 * b == 0  # k = (1, 2)
    assert -(a**2) - 2 * b**2 < 0


def test_one_up_and_one_down_is_a_saddle():
    plant = Plant.of(pendula_on_cart([1, 2]))
    sys = plant.mechanism.reduce()
    found = obstruction(plant, gc.find_equilibrium(sys, sys.project(np.zeros(3), {"q1": 3.1})))
    assert found.holds_for == ITS_CLASSES
    (up,), (down,) = found.certificate["up"], found.certificate["down"]
    V = sp.diag(-1, 2)
    assert (sp.Matrix([up]) * V * sp.Matrix(up))[0] > 0
    assert (sp.Matrix([down]) * V * sp.Matrix(down))[0] < 0


def test_a_spring_between_driven_and_undriven_is_none_of_the_signs_business():
    """The same saddle with and without: V_xx stays as it is only where V holds no driven place."""
    G, B = sp.Matrix([[3, 1, 1], [1, 3, 0], [1, 0, 4]]), sp.Matrix([1, 0, 0])
    H = sp.diag(0, 1, -1)
    assert obstruction(linear_plant(G, H, B), np.zeros(6)).holds_for == ITS_CLASSES
    H[0, 1] = H[1, 0] = 1
    assert obstruction(linear_plant(G, H, B), np.zeros(6)) is None


@pytest.mark.parametrize(("spin", "falls"), [(0, True), (1, True), (20, False)])
def test_a_top_with_a_motor_about_its_axis_sleeps_only_where_it_spins(spin, falls):
    """Nothing reaches its fall; fast spin, I3 spin > 2 sqrt(I1 m g l), needs no input."""
    top = gc.models.get("heavy-top")()
    plant = Plant.of(top.replace(forces=[0, 0, u], inputs=["u"], parameter_sets={}))
    sys = plant.mechanism.reduce()
    p = sys.params
    assert falls == (p["I3"] * spin < 2 * np.sqrt(p["I1"] * p["m"] * p["g"] * p["l"]))
    found = obstruction(plant, sys.project([0, 0, spin], {"Gamma": (0, 0, 1)}), {"I2": p["I1"]})
    assert (None if found is None else found.holds_for) == (EVERY_LAW if falls else None)


def test_gyroscopic_terms_turn_growth_into_a_claim_about_energies():
    """A top of two falling coordinates that a field swings around; the input moves a third one alone."""
    x = [gc.Coordinate(f"x{i}") for i in range(3)]
    mech = gc.EulerPoincare(
        algebra=None,
        shape=x,
        inertia=sp.eye(3),
        potential=-(x[0].symbol ** 2 + x[1].symbol ** 2) / 2 + x[2].symbol ** 2,
        gyroscopic=[-3 * x[1].symbol / 2, 3 * x[0].symbol / 2, 0],
        forces=[0, 0, u],
        inputs=["u"],
    )
    found = obstruction(Plant.of(mech), np.zeros(6))
    assert found.holds_for == EVERY_ENERGY


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("cart-pendulum", "upright"),
        ("cart-pendulum", "hanging"),
        ("spherical-pendulum-on-puck", "upright"),
        ("furuta-pendulum", "upright"),
        ("inertia-wheel-pendulum", "upright"),
        ("acrobot", "upright"),
        ("ball-and-beam", "level"),
        ("unicycle-with-rotor", "upright"),
        ("body-with-rotor", "about1"),
    ],
)
def test_mechanisms_that_can_be_held_have_none(name, family):
    plant = Plant.of(gc.models.get(name)())
    sys = plant.mechanism.reduce()
    values = {s.name: 0 for s in sys.families[family].symbols}
    assert obstruction(plant, sys.equilibrium(family, **values)) is None


def test_a_bicycle_that_stands_is_not_held_by_its_steering():
    """s^2 = g/l with the centre of mass at the height l; it is once it rolls."""
    plant = Plant.of(gc.models.get("getz-bicycle")())
    sys = plant.mechanism.reduce()
    found = obstruction(plant, sys.equilibrium("upright", v=0))
    assert found.holds_for == EVERY_LAW
    p = sys.params
    assert f"s = {np.sqrt(p['g'] / p['p']):.6g}" in found.reason
    assert obstruction(plant, sys.equilibrium("upright", v=0.75)) is None


def test_it_reads_well():
    text = repr(obstruction(linear_plant(sp.eye(2), sp.diag(1, -1), sp.Matrix([1, 0])), np.zeros(4)))
    assert text.splitlines()[0] == "<Obstruction: a mode that no input reaches grows, s = 1>"
    assert "holds for every feedback" in text


def test_the_double_next_to_pi_is_refused():
    plant = Plant.of(gc.models.get("cart-pendulum")())
    with pytest.raises(gc.MatchingError, match="know the state's angles exactly"):
        obstruction(plant, [0, 0, np.pi])


def test_a_point_off_the_equilibria_is_refused():
    plant = Plant.of(gc.models.get("cart-pendulum")())
    with pytest.raises(gc.EquilibriumError):
        obstruction(plant, [0, 0, 0.3])
