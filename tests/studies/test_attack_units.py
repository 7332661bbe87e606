"""The attack in other units: draws are the same motions there, and differences of answers are seen."""

from dataclasses import replace
from fractions import Fraction
from itertools import islice

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from tests.attack.draw.drawing import draw
from tests.attack.draw.rescaling import Units, factors, rescaled
from tests.attack.oracle.oracle import Oracle
from tests.attack.oracle.polynomials import scale
from tests.attack.parts import units

SOME = Units(mass=Fraction(1, 8), length=Fraction(16), time=Fraction(4))


def of_kind(kind, count=3):
    return list(islice((d for d in (draw(11, i) for i in range(120)) if d.kind == kind), count))


def roots(drawn):
    found = Oracle(drawn).spectrum(drawn.point).roots
    values = [complex(float(r.real.mid()), float(r.imag.mid())) for r, count in found for _ in range(count)]
    return np.array(values)


@pytest.mark.parametrize("kind", ["group", "shape", "rotations", "spheres", "products"])
def test_a_draw_in_other_units_is_the_same_motion(kind):
    """By the oracle: the point is an equilibrium, and eigenvalues are those over the factor of times."""
    for drawn in of_kind(kind):
        moved = rescaled(drawn, SOME)
        assert not any(v != 0 for v in Oracle(moved).rate(moved.point))
        assert units.spectrum_apart(roots(drawn), roots(moved) * 4, 1.0) < 1e-13
        assert len(factors(drawn, SOME)) == drawn.size + len(drawn.parameters)
        assert rescaled(moved, Units(*(1 / f for f in (SOME.mass, SOME.length, SOME.time)))) == drawn


def test_a_wrong_factor_is_another_motion():
    drawn = next(d for d in of_kind("group", 9) if np.any(np.abs(roots(d)) > 0.1))
    moved = rescaled(drawn, SOME)
    wrong = replace(moved, inertia=[[scale(2, p) for p in row] for row in moved.inertia])
    assert units.spectrum_apart(roots(drawn), roots(wrong) * 4, 1.0) > 1e-3


def told(**changes):
    return replace(
        units.Told("PROVED_STABLE by x", ("energy",), np.array([0, 1j, -1j]), np.ones(2), np.ones((1, 2))),
        **changes,
    )


SIZE = 2 + np.sqrt(2)
"""Of the rate 1 - v1 at (1, 1): two terms with a factor each, and a velocity with the energy of both."""


@pytest.fixture(scope="module")
def frame():
    """v1' = 1 - v1, v2' = 0 at (1, 1): the second state goes along a family."""
    plane = gc.rn(2)
    system = gc.EulerPoincare(algebra=plane, inertia=sp.eye(2), forces=[1 - plane.xi[0], 0]).reduce()
    setting = units.Setting(system, np.ones(2), None, np.ones(2), np.ones(0), 1.0)
    return units.Frame(setting, np.ones(2), np.ones(2), 1.0)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, []),
        ({"verdict": "UNDECIDED by y"}, ["UNDECIDED by y for PROVED_STABLE by x"]),
        ({"modes": ("family",)}, ["zero modes ('family',) for ('energy',)"]),
        ({"eigenvalues": np.array([1e-4, 1j, -1j])}, ["eigenvalues differ by 1.0e-04"]),
        ({"found": np.array([1 + 1e-8 * SIZE, 1.0])}, ["equilibrium: 1.0e+01 times what may differ"]),
        ({"found": np.array([1.0, 1 + 1e-8])}, []),
        ({"found": np.array([1.0, 1 + 1e-2])}, ["equilibrium: 1.0e+01 times what may differ"]),
        ({"found": "EquilibriumError"}, ["equilibrium: EquilibriumError for found"]),
        ({"found": np.array([1.0, 3.0])}, ["equilibrium: 2.0e+03 times what may differ"]),
        ({"gains": np.array([[1.0, 1.1]])}, ["gains: 1.0e+05 times what may differ"]),
    ],
)
def test_differences_of_answers_are_seen(changes, words, frame):
    assert units.differences(told(), told(**changes), frame) == words


def test_a_search_that_ends_far_away_is_not_compared(frame):
    far, refused = told(found=np.array([1.0, 3.0])), told(found="EquilibriumError")
    assert not units.differences(far, refused, frame)
    assert not units.differences(far, told(found=np.array([1.0, 5.0])), frame)
    other = told(found="ConstraintError")
    assert units.differences(refused, other, frame) == ["equilibrium: ConstraintError for EquilibriumError"]


def test_members_of_the_catalogue_are_told_in_other_units():
    setting = units.catalogued("pendulum-skate", "sliding", Units(length=Fraction(1000)))
    first = units.catalogued("pendulum-skate", "sliding", Units())
    assert setting.point.x == pytest.approx(first.point.x * setting.states)
    assert setting.point["v3"] == pytest.approx(750.0)
