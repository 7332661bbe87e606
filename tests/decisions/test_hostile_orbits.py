"""Hostile files about orbits: what holds near the point may not hold all along its orbit.

Of every system here the truth is known by hand, and is said beside it.
"""

from __future__ import annotations

import pytest

from tests.attack.forge.by_hand import Equations, verdict

ROTATION = {"turns": [["x", "y", "-1"], ["y", "x", "1"]], "shifts": {}}


def circling(rate=None):
    """x' = -s y, y' = s x, s' = 0 at (1, 0, 0): stable modulo the rotation of (x, y), held on its circle."""
    e = Equations(x=1, y=0, s=0)
    circle = e.total(e.monomial(1, x=2), e.monomial(1, y=2))
    field = [e.monomial(-1, s=1, y=1), e.monomial(1, s=1, x=1), rate(e) if rate else e.number(0)]
    problem = e.problem(field, {}, {"circle": circle, "V": e.monomial(1, s=2)})
    return problem | {"symmetries": [ROTATION]}


HELD = {"conserved": ["circle", "V"], "held": ["circle"], "orbit_multipliers": {"circle": "0", "V": "1"}}


def test_the_orbit_of_a_circling_point_is_stable():
    assert verdict(circling(), **HELD) == "PROVED_STABLE_MODULO"


def test_a_field_must_keep_a_leaf_that_was_met_before():
    """On an ellipse that is its leaf a point does not stay near the circle."""
    e = Equations(x=1, y=0, s=0)
    ellipse = e.total(e.monomial(1, x=2), e.monomial(2, y=2), e.number(-1))
    field = [e.monomial(-2, s=1, y=1), e.monomial(1, s=1, x=1), e.number(0)]
    problem = e.problem(field, {"ellipse": ellipse}, {"V": e.monomial(1, s=2)}) | {"symmetries": [ROTATION]}
    assert (
        verdict(problem, conserved=["V"], held=[], orbit_multipliers={"V": "1", "ellipse": "0"}) == "refused"
    )


def test_a_choice_in_the_equations_is_made_along_the_whole_orbit():
    """s' = 1 where x < -1/2: on the far side of the orbit motions run away."""

    def rate(e):
        far = e.total(e.monomial(2, x=1), e.number(1))
        return e.function("select", far, e.number(0), e.number(1))

    assert verdict(circling(rate=rate), **HELD) == "refused"


def test_a_choice_that_is_the_same_along_the_orbit_is_none():
    """The distance from the centre does not change along the orbit."""

    def rate(e):
        away = e.total(e.monomial(1, x=2), e.monomial(1, y=2), e._add("num", "-1/2"))
        return e.function("select", away, e.number(0), e.number(1))

    assert verdict(circling(rate=rate), **HELD) == "PROVED_STABLE_MODULO"


def test_a_root_has_one_branch_along_the_whole_orbit():
    """s' = -|x| w, w' = x s turns where x > 0 and grows where x < 0; s^2 + w^2 |x|/x is kept."""
    e = Equations(x=1, y=0, c=0, s=0, w=0)
    size = e.function("sqrt", e.monomial(1, x=2))
    signed = e._add("prod", "1", [[size, 1], [e.places["x"], -1], [e.places["w"], 2]])
    circle = e.total(e.monomial(1, x=2), e.monomial(1, y=2))
    V = e.total(e.monomial(1, s=2), signed, e.monomial(1, c=2))
    field = [e.monomial(-1, c=1, y=1), e.monomial(1, c=1, x=1), e.number(0)]
    field += [e._add("prod", "-1", [[size, 1], [e.places["w"], 1]]), e.monomial(1, x=1, s=1)]
    problem = e.problem(field, {}, {"circle": circle, "V": V}) | {"symmetries": [ROTATION]}
    assert verdict(problem, **HELD) == "refused"


def growing(e, symmetries):
    """Along z alone, from (1, 0, 0, ...), by z' = z x^2."""
    field = [e.number(0) for _ in e.states]
    field[list(e.states).index("x")] = e.monomial(-1, x=1, z=2)
    field[list(e.states).index("z")] = e.monomial(1, z=1, x=2)
    return e.problem(field) | {"symmetries": symmetries}


def test_brackets_move_the_point_too():
    """Rotations of (x, y) and of (y, z) make all rotations: along z a motion stays on the sphere."""
    other = {"turns": [["z", "y", "-1"], ["y", "z", "1"]], "shifts": {}}
    assert verdict(growing(Equations(x=1, y=0, z=0), [ROTATION, other])) == "UNDECIDED"
    assert verdict(growing(Equations(x=1, y=0, z=0), [ROTATION])) == "PROVED_UNSTABLE"


def test_the_closure_of_an_orbit_is_moved_in_too():
    """Turning (x, z) once and (u, w) three times as fast: brackets add nothing, and 1 and 3 close; but what
    odd powers span, for frequencies that need not, holds the turn of (x, z) alone.
    """
    both = {"turns": [["x", "z", "-1"], ["z", "x", "1"], ["u", "w", "-3"], ["w", "u", "3"]], "shifts": {}}
    problem = growing(Equations(x=1, z=0, u=1, w=0), [both])
    assert verdict(problem) == "UNDECIDED"


def test_levels_without_a_rational_value_are_refused_in_words():
    e = Equations(x=1, y=0, s=1)
    problem = e.problem([e.number(0)] * 3, {}, {"C": e.function("atan", e.places["s"])})
    problem |= {"symmetries": [ROTATION]}
    assert verdict(problem, conserved=["C"], held=["C"], orbit_multipliers={"C": "0"}) == "refused"


@pytest.mark.parametrize(
    "field",
    [
        {"turns": [["x", "y", "-1"]], "shifts": {}},  # a shear
        {"turns": [["x", "x", "1"]], "shifts": {}},  # a stretch
        {"turns": [["x", "elsewhere", "1"]], "shifts": {}},
        {"turns": [], "shifts": {"s": "1"}},  # V is no function of its orbit
    ],
    ids=str,
)
def test_fields_are_isometries_that_keep_the_function(field):
    assert verdict(circling() | {"symmetries": [field]}, **HELD) == "refused"
