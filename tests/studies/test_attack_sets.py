"""Proved sets of the standing attack: its equations against closed forms, and wrong sets that are noticed."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from tests.attack.draw.dice import Dice
from tests.attack.draw.drawing_sets import Drawn, draw_set
from tests.attack.parts import higher_sets, leaf_sets, sets

Q, V = sp.symbols("q1 v1", real=True)


def one(potential, force, angle=False, **more):
    """One degree of unit inertia, at rest at zero."""
    zero = sp.Integer(0)
    return Drawn("", [Q], [V], 0, [angle], sp.eye(1), potential, [force], [zero, zero], **more)


def proved(drawn, **options):
    system = sets.mechanism(drawn).reduce()
    return gc.region_of_attraction(system, system.equilibrium("rest"), **options)


@pytest.fixture
def cycle():
    """Van der Pol's equation backwards: the cycle of size 2.009 repels."""
    return one(Q**2 / 2, -(1 - Q**2) * V)


@pytest.mark.parametrize("index", range(60))
def test_equations_are_those_of_the_mechanism(index):
    """Lagrange's equations in coordinates, and the library's assembly."""
    drawn = draw_set(Dice(7, index))
    system = sets.mechanism(drawn).reduce()
    assert list(system.state_labels) == sets.labels(drawn)
    rng = np.random.default_rng(index)
    for _ in range(3):
        x = drawn.point + rng.normal(size=len(drawn.point)) / 2
        assert drawn.slope(0, x) == pytest.approx(system.rhs(0, x), rel=1e-9, abs=1e-9)
    assert np.abs(drawn.slope(0, drawn.point)).max() < 1e-12


def test_momenta_are_held():
    drawn = next(d for i in range(200) if (d := draw_set(Dice(7, i))).cyclic and d.inertia.atoms(sp.cos))
    x = drawn.on_level(drawn.point + 0.3)
    momentum = sp.lambdify([drawn.states], drawn.momenta[0], "math")
    assert momentum(x) == pytest.approx(momentum(drawn.point), rel=1e-12)


def test_a_pendulum_decays_as_its_roots_say():
    drawn = one(1 - sp.cos(Q), -V / 5, angle=True)
    assert sets.slowest(drawn) == pytest.approx(0.1, rel=1e-6)


def test_slow_modes_are_waited_for_and_momenta_are_not():
    """A heavy mass on a soft spring beside a quick one; a momentum that is kept."""
    q, v = sp.symbols("q1:3 v1:3", real=True)[:2], sp.symbols("v1:3", real=True)
    zero = sp.Integer(0)
    forces = [-v[0], -v[1] / 10]
    two = Drawn(
        "", list(q), list(v), 0, [False] * 2, sp.diag(1, 10**6), q[0] ** 2 + q[1] ** 2, forces, [zero] * 4
    )
    assert sets.slowest(two) == pytest.approx(5e-8, rel=1e-2)
    kept = Drawn("", list(q), list(v), 1, [False] * 2, sp.eye(2), q[1] ** 2, [zero, -v[1]], [zero] * 3)
    assert sets.slowest(kept) == pytest.approx(0.5, rel=1e-6)


def test_whole_turns_are_no_distance():
    drawn = one(1 - sp.cos(Q), -V, angle=True)
    assert sets.distance(drawn, np.array([0.3, 0.4 - 10 * np.pi])) == pytest.approx(0.5)
    assert sets.distance(one(Q**2, -V), np.array([3.0, 4.0])) == 5.0


def test_what_is_true_passes(cycle):
    found = proved(cycle, by="squares", monomials=2)
    assert sets.broken(cycle, found, Dice(1, 0), {}) == ""
    assert sets.confirmed(found) == ""


@pytest.mark.long(reason="the attack in quick mode, a part of .ci/run, runs such sets")
def test_sets_by_slopes_are_run_and_their_files_changed(cycle):
    found = proved(cycle, by="slopes")
    assert sets.broken(cycle, found, Dice(1, 0), {}) == ""
    assert sets.confirmed(found) == ""
    dice = Dice(1, 0)
    said = [sets.mutant(cycle, found, dice) for _ in range(5)]
    assert "refused" in [result for result, _ in said]
    assert not any(problem for _, problem in said)
    assert sets.broken(cycle, enlarged(found, 4.0), Dice(1, 0), {})


def enlarged(found, factor):
    """The same words about a set whose function is smaller: a forged one, which no check has seen."""

    class Enlarged:
        verdict = found.verdict

        def contains(self, x):
            return found.contains(np.asarray(x) / factor)

    return Enlarged()


def test_a_set_beyond_the_cycle_is_noticed(cycle):
    found = proved(cycle, by="squares", monomials=2)
    assert sets.broken(cycle, enlarged(found, 2.0), Dice(1, 0), {})


def test_motions_that_end_elsewhere_are_noticed():
    """Without friction nothing tends to the point."""
    damped, free = (one(1 - sp.cos(Q), -c * V, angle=True) for c in (1, 0))
    found = proved(damped, by="squares", monomials=2)
    assert sets.broken(damped, found, Dice(1, 0), {}) == ""
    assert sets.broken(free, found, Dice(1, 0), {})


def test_outputs_beyond_their_limits_are_noticed():
    output = {"y": 2 * Q + V}
    drawn = one(Q**2 / 2, -V, outputs=output, limits={"y": 1.0})
    found = proved(drawn, limits=drawn.limits, by="squares", monomials=2)
    assert sets.broken(drawn, found, Dice(1, 0), {"y": 1.0}) == ""
    assert "y = " in sets.broken(drawn, found, Dice(1, 0), {"y": 0.5})


def test_numbers_are_found_and_moved():
    data = {"level": "1", "rows": [["-3/4", "x1", 2]], "name": "1.5"}
    assert list(sets.numbers(data)) == [("level",), ("rows", 0, 0)]
    told = sets.moved_number(data, np.random.default_rng(0))
    assert Fraction(data["level"]) != 1 or Fraction(data["rows"][0][0]) != Fraction(-3, 4)
    assert " times " in told


def test_files_that_are_confirmed_although_they_were_changed_are_run(cycle, monkeypatch):
    """A checker that confirms anything: the set that is then claimed does not hold."""
    found = proved(cycle, by="squares", monomials=2)
    monkeypatch.setattr(sets, "verified", lambda _: "PROVED_ATTRACTED")
    monkeypatch.setattr(sets, "broken", lambda drawn, other, dice, limits: f"run of {type(other).__name__}")
    monkeypatch.setattr(sets, "changed", lambda data, rng: data["theorem"].update(level="4") or "the level")
    result, problem = sets.mutant(cycle, found, Dice(1, 0))
    assert (result, problem) == ("held: the level", "the level -> run of AttractedSet")
    assert replace(found).level == 1.0


@pytest.mark.long(
    reason="the attack in quick mode, a part of .ci/run, draws sets; each judge of them is asked above"
)
@pytest.mark.parametrize("index", [0, 1, 3])
def test_cases_are_judged(index):
    outcome = sets.case(1, index, {})
    assert outcome.result in ("proved", "refused"), outcome.note


def reversed_cycle():
    """The same as a field, with a function of degree four and a limit."""
    x, y = sp.symbols("x y", real=True)
    drawn = higher_sets.DrawnField("", [x, y], [-y, x - (1 - x**2) * y])
    drawn.given = x**2 + y**2 - x * y + x**4 / 10 + y**4 / 10
    drawn.outputs, drawn.limits = {"u": x + y}, {"u": 1.5}
    return drawn


def test_fields_of_higher_sets_rest_and_are_those_of_the_library():
    kinds = set()
    for index in range(20):
        drawn, degree = higher_sets.draw(Dice(7, index))
        kinds.add(type(drawn).__name__)
        assert np.abs(drawn.slope(0, drawn.point)).max() < 1e-12
        if index < 3 and isinstance(drawn, higher_sets.DrawnField):
            assert (degree == 0) == (drawn.given is not None)
            x = np.linspace(0.2, 0.5, len(drawn.point))
            assert drawn.slope(0, x) == pytest.approx(drawn.system().rhs(0, x), rel=1e-9)
    assert kinds == {"Drawn", "DrawnField"}


@pytest.mark.long(reason="the attack in quick mode, a part of .ci/run, runs such sets")
def test_a_given_function_is_attacked():
    drawn = reversed_cycle()
    found = higher_sets.search(drawn, 0)
    assert len(found.monomials) > 2
    assert sets.broken(drawn, found, Dice(1, 0), drawn.limits) == ""
    assert "u = " in sets.broken(drawn, enlarged(found, 1.6), Dice(1, 0), drawn.limits)
    assert sets.broken(drawn, enlarged(found, 3.0), Dice(1, 0), {})


def test_fields_on_a_sphere_keep_it_and_are_those_of_the_library():
    sizes = set()
    for index in range(12):
        drawn = leaf_sets.draw(Dice(7, index))
        sizes.add(len(drawn.states))
        assert np.abs(drawn.slope(0, drawn.point)).max() < 1e-12
        x = drawn.on_level(drawn.point + np.linspace(0.1, 0.5, len(drawn.point)))
        rates = drawn.slope(0, x)
        assert x[:3] @ rates[:3] == pytest.approx(0, abs=1e-12)
        if index < 3:
            assert rates == pytest.approx(drawn.system().rhs(0, x), rel=1e-9, abs=1e-12)
    assert sizes == {3, 4, 5}


def test_a_set_on_a_sphere_about_what_repels_is_noticed():
    """x' = (e - (e . x) x) with e = (0, 0, 1): all but -e tends to e. Backwards nothing does."""
    x = list(sp.symbols("x1 x2 x3", real=True))
    rates = [-x[2] * x[0], -x[2] * x[1], 1 - x[2] ** 2]
    down = leaf_sets.DrawnOnSphere("", x, rates, [0, 0, 1])
    up = leaf_sets.DrawnOnSphere("", x, [-f for f in rates], [0, 0, 1])
    system = down.system()
    found = gc.region_of_attraction(system, system.equilibrium("rest"), by="slopes", seconds=1.0)
    assert sets.broken(down, found, Dice(1, 0), {}) == ""
    assert "leaves the set" in sets.broken(up, found, Dice(1, 0), {})
