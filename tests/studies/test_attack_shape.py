"""Mechanisms with coordinates in the attack: the oracle against closed forms, the checks against faults."""

from dataclasses import replace
from fractions import Fraction
from itertools import islice

import numpy as np
import pytest

from tests.attack.build import building
from tests.attack.draw.dice import Dice
from tests.attack.draw.drawing import SHAPED, draw
from tests.attack.draw.mechanism import Mechanism, Slip
from tests.attack.oracle.motion import GroupEquations
from tests.attack.oracle.oracle import Oracle, OracleError
from tests.attack.oracle.polynomials import add, constant, multiply, scale, variable
from tests.attack.parts import conditions, conditions_shape, judging_shape, systems

ZERO, ONE, HALF = Fraction(0), Fraction(1), Fraction(1, 2)


def shaped(groups, shape, inertia, potential, point, **more):
    """A mechanism; ``inertia`` of polynomials, ``point`` of numbers."""
    n = len(inertia)
    point = [Fraction(v) for v in point]
    m = Mechanism(
        groups, more.pop("vectors", []), inertia, [[]] * n, [], [{}] * n, potential, [{}] * n,
        more.pop("constraints", []), None, [], {}, point, "shape",
    )  # fmt: skip
    return replace(m, shape=shape, **more)


def diagonal(*values):
    return [[constant(v) if i == j else {} for j in range(len(values))] for i, v in enumerate(values)]


def roots(mechanism):
    oracle = Oracle(mechanism)
    assert not any(v != 0 for v in [*oracle.rate(mechanism.point), *oracle.defects(mechanism.point)])
    return np.sort_complex(
        [
            complex(float(r.real.mid()), float(r.imag.mid()))
            for r, count in oracle.spectrum(mechanism.point).roots
            for _ in range(count)
        ]
    )


def cart(up):
    """Masses 2 and 1, length 1/2, gravity 9; v, phi', cos phi, sin phi from the upward vertical."""
    lever = scale(HALF, variable(2))
    inertia = [[constant(3), lever], [lever, constant(Fraction(1, 4))]]
    return shaped(["r1"], ["angle"], inertia, scale(Fraction(9, 2), variable(2)), [0, 0, up, 0])


def test_spectrum_of_a_cart_with_a_pendulum():
    """(g / l) (1 + m / M) = 27."""
    w = 27**0.5
    assert roots(cart(-1)) == pytest.approx([-w * 1j, 0, w * 1j], abs=1e-13)
    assert roots(cart(1)) == pytest.approx([-w, 0, w], abs=1e-13)


def bead():
    """A bead of mass 2 on a circle of radius 1/2, gravity 9; x', z', x, z."""
    x, z = variable(2), variable(3)
    closed = add(multiply(x, x), multiply(z, z), constant(Fraction(-1, 4)))
    row = [scale(2, x), scale(2, z)]
    potential, point = scale(18, z), [0, 0, 0, -HALF]
    return shaped(
        [], ["length", "length"], diagonal(2, 2), potential, point, constraints=[row], closures=[closed]
    )


def test_a_closed_loop_holds_what_it_carries():
    """sqrt(g / a) on the circle; lambda (0, 2 z) = (0, m g) at its lowest point."""
    drawn = bead()
    w = 18**0.5
    assert roots(drawn) == pytest.approx([-w * 1j, w * 1j], abs=1e-13)
    assert Oracle(drawn).reactions_at([0, 0, 0, -0.5]) == pytest.approx([-18])
    # Moving with the speed v there, the circle gives m v^2 / a = 36 v^2 / 9 besides.
    assert Oracle(drawn).reactions_at([3, 0, 0, -0.5]) == pytest.approx([-18 - 36])


def test_a_plane_carries_the_weight():
    """A body of mass 3 in the plane, gravity 5, its height held: the row h' carries 15 wherever up is."""
    up = [(0, (ONE, ZERO, ZERO))]
    potential, point = scale(15, variable(7)), [0, 0, 0, 0, Fraction(3, 5), Fraction(-4, 5), 0, 2, 7]
    height = shaped(["se2"], ["length"], diagonal(2, 3, 3, 1), potential, point, vectors=up, heights=[0])
    rate = [{}, variable(4), variable(5), {}]
    held = replace(height, constraints=[rate], closures=[add(variable(7), constant(-2))])
    oracle = Oracle(held)
    assert not any(v != 0 for v in [*oracle.rate(held.point), *oracle.defects(held.point)])
    assert oracle.reactions_at([float(v) for v in held.point]) == pytest.approx([15])
    # Let go, it falls along the vertical of the body.
    assert Oracle(height).rate_at([float(v) for v in height.point])[:3] == pytest.approx([0, -3, 4])


def test_friction_has_its_limit():
    """At three quarters of the smoothing velocity Coulomb's is 3/5 of its limit; viscous adds c s / m."""
    slip = Slip([[constant(2)]], Fraction(1, 5), Fraction(10), Fraction(8, 3))
    block = shaped([], ["length"], diagonal(4), {}, [1, 0], slips=[slip])
    force = -2 * (10 * 0.6 + 0.2 * 2)
    assert Oracle(block).rate_at([1, 0])[0] == pytest.approx(force / 4, rel=1e-14)
    # About rest it is viscous with c + F / v: the derivative is exact.
    assert roots(replace(block, point=[ZERO, ZERO])) == pytest.approx([-(0.2 + 10 * 3 / 8), 0], rel=1e-14)


def test_a_wound_spring_knows_the_angle():
    """Inertia 2, stiffness 3 about the angle of (3/5, 4/5), where gravity pulls with k sin: both count."""
    c, d = variable(1), variable(3)
    # U = 3/2 d^2 + 5 c + 4 d: U' = 3 d - 5 s + 4 = 0, U'' = 3 - 5 c = 0 at the point.
    U = add(scale(Fraction(3, 2), multiply(d, d)), scale(5, c), scale(4, d))
    pendulum = shaped([], ["wound"], diagonal(2), U, [0, Fraction(3, 5), Fraction(4, 5), 0])
    assert roots(pendulum) == pytest.approx([0, 0], abs=1e-14)
    stiffer = replace(pendulum, potential=add(U, multiply(d, d)))
    assert roots(stiffer) == pytest.approx([-1j, 1j], abs=1e-14)


# -- geoctrl against it ---------------------------------------------------------------------------


@pytest.mark.parametrize("drawn", [cart(-1), bead()])
def test_reactions_and_rates_of_closed_forms(drawn):
    built, oracle, rng = building.build(drawn), Oracle(drawn), np.random.default_rng(1)
    assert building.difference(drawn, built, oracle, rng) < 1
    if drawn.constraints:
        assert not judging_shape.against_reactions(drawn, built, oracle, rng)
        assert "reaction row1" in judging_shape.against_reactions(
            drawn, built, Oracle(replace(drawn, potential=scale(2, drawn.potential))), rng
        )


@pytest.mark.parametrize(
    ("gap", "said"),
    [(0, ""), (Fraction(1, 100), "of the oracle at"), (100, "but the oracle leaves the domain")],
)
def test_the_edge_of_a_domain_is_compared(gap, said):
    """A free particle with the speed 1: the side 1 - r is left at once, that of another gap elsewhere."""
    free = shaped([], ["length"], diagonal(1), {}, [1, 0])
    side = add(constant(1), scale(-1, variable(1)))
    told = replace(free, sides=[add(side, constant(gap))])
    oracle, built = Oracle(replace(free, sides=[side])), building.build(told)
    found = judging_shape.against_edges(oracle.system, built, oracle, np.random.default_rng(2))
    assert said in found
    assert bool(found) == bool(said)


def test_runs_that_end_without_an_edge_are_noticed():
    free = shaped([], ["length"], diagonal(1), {}, [1, 0])
    far, near = (replace(free, sides=[add(constant(c), scale(-1, variable(1)))]) for c in (9, 1))
    found = judging_shape.against_edges(far, building.build(near), Oracle(far), np.random.default_rng(2))
    assert "but the oracle stays" in found


def test_a_point_outside_its_domain_has_no_verdict():
    outside = replace(cart(-1), sides=[variable(2)])
    assert judging_shape.outside(outside)
    assert systems.refused_outside(outside, building.build(outside)).note == "outside the domain"
    inside = building.build(replace(outside, sides=[scale(-1, variable(2))]))
    assert systems.refused_outside(outside, inside).result == "contradiction"


def drawn_shapes(seed, count, wanted=lambda drawn: True):
    indices = (i for i in range(4000) if Dice(seed + SHAPED, i).chance(0.2))
    fit = (i for i in indices if "frame of the defaults" not in (d := draw(seed, i)).traits and wanted(d))
    return list(islice(fit, count))


@pytest.mark.parametrize("what", ["transport", "coadjoint", "loads"])
def test_a_wrong_sign_in_the_equations_is_noticed(monkeypatch, what):
    (index,) = drawn_shapes(4, 1, lambda d: d.groups == ["so3"] and d.vectors and not d.closures)
    drawn = draw(4, index)
    built, oracle = building.build(drawn), Oracle(drawn)
    assert building.difference(drawn, built, oracle, np.random.default_rng(1)) < 1
    right = getattr(GroupEquations, what)
    monkeypatch.setattr(GroupEquations, what, lambda *arguments: [-v for v in right(*arguments)])
    assert building.difference(drawn, built, oracle, np.random.default_rng(1)) > 1e3


@pytest.mark.long(reason="the attack in quick mode, a part of .ci/run, draws ten of these")
def test_a_few_draws():
    found = [systems.case(6, index, {}) for index in drawn_shapes(6, 5)]
    assert not [o.note for o in found if o.result in ("contradiction", "raw error")]
    assert {o.kind for o in found} == {"shape"}
    assert any(o.result == "proved" for o in found)


# -- conditions in symbols ------------------------------------------------------------------------


def test_families_are_equilibria_whatever_their_numbers_are():
    judged = 0
    for index in range(40):
        dice = Dice(8, index)
        m, place = conditions_shape.family(dice)
        for _ in range(3):
            drawn, _ = conditions.numbers(m, dice, place)
            try:
                assert not any(v != 0 for v in Oracle(drawn).rate(drawn.point))
                judged += 1
            except OracleError:  # a row of zeros
                continue
    assert judged > 100


def test_conditions_of_a_few_families(monkeypatch):
    """Signs of the answers turned round, the spectrum contradicts them."""
    monkeypatch.setattr(conditions, "POINTS", 25)
    indices = [i for i in range(40) if Dice(3 + SHAPED, i).chance(0.4)][:4]
    found = [conditions.case(3, i, {}) for i in indices]
    assert {(o.kind, o.result) for o in found} <= {("shape", "proved"), ("shape", "held")}
    assert any(o.result == "proved" for o in found)
    right = conditions.answer
    turned = {"stable": "unstable", "unstable": "stable", "open": "open"}
    monkeypatch.setattr(conditions, "answer", lambda *arguments: turned[right(*arguments)])
    assert any(conditions.case(3, i, {}).result == "contradiction" for i in indices)
