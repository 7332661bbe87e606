"""Families of references over axes: laws with the gains of one member, and cells by quadratic forms."""

import copy
import itertools
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
import sympy as sp
from flint import ctx, fmpq

import geoctrl as gc
from geoctrl import checker
from geoctrl.analysis.forms import forms_over_axes
from geoctrl.analysis.maps.region_problem import axes_of, region_problem
from geoctrl.checker.ranges.cells_by_forms import BITS, FormsOnCells
from geoctrl.systems import with_recorded_families

AXES = {"tilt": (0, 0.25), "w": (0.25, 1.25)}


@cache
def satellite(second=1):
    """One that turns at w about an axis that leans; a second is so many units of time."""
    R, M = gc.manifolds.Attitude("R"), sp.symbols("M1:4", real=True)
    w, tilt = gc.Parameter("w", sp.Rational(1, 2) / second), sp.Symbol("tilt", real=True)
    J = sp.diag(sp.Rational(3, 10), sp.Rational(1, 2), sp.Rational(2, 5))
    length = sp.sqrt(1 + tilt**2)
    leaning = sp.Matrix([[1, 0, -tilt], [0, length, 0], [tilt, 0, 1]]) / length
    turn = leaning.T * sp.Matrix([0, 0, w.symbol])
    sat = gc.manifolds.ProductSystem(
        [R],
        kinetic=R.velocity.dot(J * R.velocity) / 2,
        forces={"R": M},
        inputs=M,
        parameters=[w],
        frame_rate=[0, 0, w.symbol],
    )
    states = dict(zip(sat.state_labels, [*leaning, *turn], strict=True))
    held = dict(zip(sat.input_labels, turn.cross(J * turn), strict=True))
    return sat.replace(equilibria={"leaning": gc.Family(states, [tilt], held)})


@cache
def loop(sense=1, second=1):
    """Gains of attitude and rates, with a part across two axes that brings motions in where w is large."""
    sat, unit = satellite(second), 1 / second
    gains = {
        "M1": {"Omega_1": 0.3 * unit, "R_32": 0.2 * unit**2, "R_13": -0.15 * unit**2},
        "M2": {"Omega_2": 0.3 * sense * unit, "R_13": 0.2 * sense * unit**2, "R_32": 0.15 * unit**2},
        "M3": {"Omega_3": 0.3 * unit, "R_21": 0.2 * unit**2},
    }
    law = gc.linear_law(sat, sat.equilibrium("leaning", tilt=0), gains)
    return law.closed_loop(along="leaning")


def largest_real_part(system, **values):
    return float(np.max(gc.linearize(system, system.equilibrium("leaning", params=values)).eigenvalues.real))


@cache
def found():
    return gc.certify_region(loop(), "leaning", AXES, depth=3, by="forms")


@cache
def content():
    return found().to_dict()


def refused(**changes):
    """Whether the checker refuses the file with something changed in its theorem."""
    changed = copy.deepcopy(content())
    changed["theorem"] |= changes
    changed["digest"] = checker.digest_of(changed)
    with pytest.raises(checker.Refusal):
        checker.check(changed)
    return True


def test_cells_agree_with_eigenvalues():
    rng, told = np.random.default_rng(3), {"stable": 0, "unstable": 0, "undecided": 0}
    for tilt, w in rng.uniform(*zip(*AXES.values(), strict=True), size=(30, 2)):
        verdict = found().at(tilt=tilt, w=w)
        told[verdict] += 1
        if verdict != "undecided":
            assert (largest_real_part(loop(), tilt=tilt, w=w) < 0) == (verdict == "stable"), (tilt, w)
    assert min(told["stable"], told["unstable"]) > 2, told


def test_the_file_is_confirmed_and_says_what_is_proved():
    report = checker.check(content())
    assert (report.verdict, report.claim) == ("PROVED_BY_CELLS", found().claim)
    assert "asymptotically stable within the leaf, exponentially" in report.claim
    assert "a frame that turns at (0, 0, w)" in report.claim


def test_a_file_with_something_changed_is_refused():
    given = content()["theorem"]
    cells, forms, turns = given["cells"], given["forms"], given["turns"]
    first = next(k for k in cells if k in "ab")
    other = {"a": "b", "b": "a"}[first]
    assert refused(cells=cells.replace(first, other, 1))
    assert refused(cells=cells.replace(".", first, 1), turns=[turns[0], *turns])
    assert all(refused(turns=t) for t in (turns[:-1], [*turns, 0], [10**5, *turns[1:]]))
    negative = [{**form, "P": [[str(-Fraction(c)) for c in row] for row in form["P"]]} for form in forms]
    assert refused(forms=negative)
    assert refused(motion=[given["motion"][1], given["motion"][0], *given["motion"][2:]])
    assert refused(chart={**given["chart"], "rows": given["chart"]["rows"][:-1]})
    assert refused(axes={**given["axes"], "w": ["1/4", "5"]})


def test_the_linearisation_is_within_what_the_checker_takes_for_it():
    """Roots included: the mean of the corners, and what is added, hold it at any place of a box."""
    plant = with_recorded_families(loop(), "this test")
    data, members = region_problem(plant, "leaning", axes_of(plant, "leaning", AXES), None)
    made = forms_over_axes.file_content(data, members, "leaning")
    forms = FormsOnCells(*forms_over_axes.members_of(made))
    free, rng = made["theorem"]["chart"]["free"], np.random.default_rng(5)
    for level in (2, 3, 5):
        place = [int(k) for k in rng.integers(0, 2**level, 2)]
        box = tuple((fmpq(k, 2**level), fmpq(k + 1, 2**level)) for k in place)
        with ctx.workprec(BITS):
            corners = forms.corners(box, forms.signs.on(box, {}))
            middles = np.array([[float(c) for c in A.mid().entries()] for A in corners])
            radii = np.array([float(c.rad()) for c in corners[0].entries()])
        for t in [*itertools.product((-1, 1), repeat=2), *rng.uniform(-1, 1, (2, 2))]:
            at = [(k + (1 + s) / 2) / 2**level for k, s in zip(place, t, strict=True)]
            values = {k: a + (b - a) * c for (k, (a, b)), c in zip(AXES.items(), at, strict=True)}
            weights = [(1 + a * t[0]) * (1 + b * t[1]) / 4 for a, b in itertools.product((1, -1), repeat=2)]
            member = plant.equilibrium("leaning", params=values)
            A = gc.linearize(plant, member)
            B = chart_of(A, plant, free)
            assert np.all(np.abs(weights @ middles - B.ravel()) <= radii + 1e-9), (level, place, t)


def chart_of(linear, plant, free):
    """The linearisation by the states that are free."""
    T = linear.basis
    rows = [plant.state_labels.index(k) for k in free]
    return T[rows] @ linear.A_leaf @ np.linalg.inv(T[rows])


def test_a_flipped_gain_is_unstable_everywhere():
    axes = {"tilt": (0, 0.125), "w": (0.25, 0.75)}
    flipped = gc.certify_region(loop(-1), "leaning", axes, depth=3, by="forms")
    assert flipped.unstable == 1


@pytest.mark.long(reason="three maps")
@pytest.mark.parametrize("second", [1000, 1e-3])
def test_units_do_not_matter(second):
    axes = {"tilt": AXES["tilt"], "w": tuple(q / second for q in AXES["w"])}
    other = gc.certify_region(loop(1, second), "leaning", axes, depth=3, by="forms")
    assert (other.stable, other.unstable) == pytest.approx((found().stable, found().unstable), abs=0.05)


def test_what_is_no_question_is_refused():
    with pytest.raises(gc.InputError, match="unknown by"):
        gc.certify_region(loop(), "leaning", AXES, by="squares")
    with pytest.raises(gc.InputError, match="no executor= and no out="):
        gc.certify_region(loop(), "leaning", AXES, by="forms", out="folder")
    with pytest.raises(gc.ParameterError, match="no axis 'r'"):
        gc.certify_region(loop(), "leaning", {"r": (0, 1)}, by="forms")
    law = gc.linear_law(satellite(), satellite().equilibrium("leaning", tilt=0), np.zeros((3, 12)))
    with pytest.raises(gc.ParameterError, match="no equilibrium family 'leanin'"):
        law.closed_loop(along="leanin")
