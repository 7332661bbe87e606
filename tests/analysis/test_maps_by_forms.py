"""Families of references over axes: laws with the gains of one member, and cells by quadratic forms."""

import copy
import itertools
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
import sympy as sp
from flint import arb, ctx, fmpq

import geoctrl as gc
from geoctrl import checker
from geoctrl.analysis.forms import forms_over_axes
from geoctrl.analysis.maps.region_problem import axes_of, region_problem
from geoctrl.checker.ranges.cells_by_forms import BITS, FormsOnCells, root_on_box
from geoctrl.systems import with_recorded_families
from tests.synthesis.circling_car import car_on_circle

AXES = {"s": (0.25, 0.75), "p": (0.125, 1.125)}
SATELLITE_AXES = {"tilt": (0, 0.25), "w": (0.25, 1.25)}


def map_by_forms(system, family, axes, depth):
    return gc.certify_region(system, family, axes, depth=depth, by="forms")


# -- a field of which the linearisation is known ----------------------------------------------------------


@cache
def bead(second=1):
    """A place on a circle and another state, which leaves the circle beside it; a second is so many units
    of time.
    """
    c, d, x, u, v, s = sp.symbols("c d x u v s", real=True)
    p = gc.Parameter("p", 0)
    beside, turn, lag = c**2 + d**2 - 1, v - 2 * d + 3 * p.symbol * x, 2 * d - x
    rates = [beside * (3 + x) - d * turn, 2 * d * beside + c * turn, u + lag * c]
    at = {c: sp.sqrt(1 - s**2), d: s, x: s * p.symbol}
    held = {"v": s * (2 - 3 * p.symbol**2), "u": -(lag * c).xreplace(at)}
    members = gc.Family({str(k): e for k, e in at.items()}, [s], held)
    return gc.VectorField(
        [c, d, x],
        [e / second for e in rates],
        leaf=[beside],
        inputs=[u, v],
        parameters=[p],
        equilibria={"at": members},
        name="bead",
    ).reduce()


def motion_of_bead(s, p):
    """By hand, in the angle on the circle and x."""
    c, x = np.sqrt(1 - s**2), s * p
    return np.array([[-2 * c, 3 * p], [2 * c**2 - s * (2 * s - x), -c]])


@cache
def found():
    return map_by_forms(bead(), "at", AXES, 3)


@cache
def content():
    return found().to_dict()


def require_cells(cells, motion_at, number=200):
    """Verdicts are those of eigenvalues at random members; so many of each verdict are returned."""
    rng, told = np.random.default_rng(3), dict.fromkeys(("stable", "unstable", "undecided"), 0)
    for values in rng.uniform(*zip(*cells.axes.values(), strict=True), size=(number, len(cells.axes))):
        member = dict(zip(cells.axes, values, strict=True))
        verdict = cells.at(**member)
        told[verdict] += 1
        if verdict != "undecided":
            grows = np.max(np.linalg.eigvals(motion_at(**member)).real) > 0
            assert grows == (verdict == "unstable"), member
    return told


def test_cells_agree_with_eigenvalues():
    told = require_cells(found(), motion_of_bead)
    assert min(told["stable"], told["unstable"]) > 20, told


def test_the_file_is_confirmed_and_says_what_is_proved():
    report = checker.check(content())
    assert (report.verdict, report.claim) == ("PROVED_BY_CELLS", found().claim)
    assert "they are asymptotically stable within the leaf, exponentially; on" in report.claim
    assert "dimension 2 about members in cells that are decided" in report.claim


def refused_as(changed):
    """Why the checker refuses a content, sealed again."""
    changed["digest"] = checker.digest_of(changed)
    with pytest.raises(checker.Refusal) as refusal:
        checker.check(changed)
    return str(refusal.value)


def refused(**changes):
    """Why the checker refuses the file with something changed in its theorem."""
    changed = copy.deepcopy(content())
    changed["theorem"] |= changes
    return refused_as(changed)


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
    assert refused(forms=[{"P": form["P"]} for form in forms])
    assert refused(forms=[{**form, "P": [*form["P"], ["0", "0", "1"]]} for form in forms])
    assert refused(motion=[given["motion"][1], given["motion"][0]])
    assert refused(chart={**given["chart"], "rows": []})
    assert refused(axes={**given["axes"], "s": ["1/4", "2"]})
    assert refused(axes={**given["axes"], "p": ["1", "0"]})


def test_an_interval_that_runs_backwards_is_refused():
    """Members are the same, and one cell is the same cell."""
    changed = gc.certify_region(bead(), "at", {"s": (0.25, 0.5)}, 1, {"p": 0}, by="forms").to_dict()
    assert changed["theorem"]["cells"] == "a"
    theorem = changed["theorem"]
    backwards = {"s": theorem["axes"]["s"][::-1]}
    assert "intervals" in refused_as(changed | {"theorem": theorem | {"axes": backwards}})
    assert "no such form" in refused_as(changed | {"theorem": theorem | {"turns": []}})


def test_a_form_that_is_not_positive_shows_no_stability():
    """It falls at what grows."""
    changed = map_by_forms(line(X, S, -S), "at", {"s": (0, 1)}, 1).to_dict()
    assert changed["theorem"]["cells"] == "b"
    changed["theorem"]["cells"] = "a"
    assert "not positive" in refused_as(changed)


def test_a_level_of_what_is_conserved_is_not_the_leaf():
    """x tends to its place while y stays where it is: on levels of y all is well, on the leaf it is not."""
    kept = gc.VectorField(
        [X, Y],
        [U - X, 0],
        inputs=[U],
        equilibria={"at": gc.Family({"x": S}, [S], {"u": S})},
        name="kept",
    ).reduce()
    changed = map_by_forms(kept, "at", {"s": (0, 1)}, 1).to_dict()
    assert {*changed["theorem"]["cells"]} <= {"+", "."}
    problem, given = changed["problem"], changed["theorem"]
    places = {node[1]: k for k, node in enumerate(problem["nodes"]) if node[0] == "sym"}
    problem["nodes"].append(["num", "1"])
    problem["invariants"] = {"y": places["y"]}
    given["chart"] = {"rows": ["y"], "free": ["x"], "inverse": [[len(problem["nodes"]) - 1]]}
    given |= {"motion": [given["motion"][0][:1]], "forms": [{"P": [["1"]]}], "turns": [0], "cells": "a"}
    assert "all states that the leaf leaves free" in refused_as(changed)


@pytest.mark.parametrize(
    ("system", "axes", "motion_at"),
    [
        (lambda: dying_out(), {"s": (0, 3)}, lambda s: np.array([[(s**2 - 1) / (1 + s**2) ** 2]])),
        (bead, AXES, lambda s, p: in_chart(motion_of_bead(s, p), np.diag([np.sqrt(1 - s**2), 1]))),
        pytest.param(
            lambda: satellite_loop(),
            SATELLITE_AXES,
            lambda **values: chart_of_satellite(**values),
            marks=pytest.mark.long(reason="six tangents"),
        ),
    ],
)
def test_the_linearisation_is_within_what_the_checker_takes_for_it(system, axes, motion_at):
    """Roots included: the mean of the corners, and what is added, hold it at any place of a box."""
    plant = with_recorded_families(system(), "this test")
    (family,) = plant.families
    data, members = region_problem(plant, family, axes_of(plant, family, axes), None)
    forms = FormsOnCells(*forms_over_axes.members_of(forms_over_axes.file_content(data, members, family)))
    rng, added = np.random.default_rng(5), []
    middle = rng.uniform(size=len(axes))
    for level in (3, 4, 6):
        place = [int(k) for k in middle * 2**level]
        box = tuple((fmpq(k, 2**level), fmpq(k + 1, 2**level)) for k in place)
        with ctx.workprec(BITS):
            corners = forms.corners(box, forms.signs.on(box, {}))
            middles = np.array([[float(c) for c in A.mid().entries()] for A in corners])
            radii = np.array([float(c.rad()) for c in corners[0].entries()])
        added.append(np.max(radii))
        signs = [*itertools.product((1, -1), repeat=len(axes))]
        for t in [*signs, *rng.uniform(-1, 1, (2, len(axes)))]:
            at = [(k + (1 + e) / 2) / 2**level for k, e in zip(place, t, strict=True)]
            values = {k: a + (b - a) * c for (k, (a, b)), c in zip(axes.items(), at, strict=True)}
            weights = [np.prod((1 + np.multiply(corner, t)) / 2) for corner in signs]
            defect = weights @ middles - motion_at(**values).ravel()
            assert np.all(np.abs(defect) <= radii + 1e-9), (level, place, t)
    assert added[2] < added[0] / 30  # what is added is of second order


def test_roots_are_within_what_is_affine_and_added():
    """Of polynomials in two coordinates, of up to second degree in each."""
    rng = np.random.default_rng(6)
    turns = list(itertools.product(range(3), repeat=2))
    for size in (0.03, 0.3, 0.5, 0.5):
        p = np.array([1, *size * rng.uniform(-1, 1, 8) / 4])
        low, high = (np.sqrt(1 + e * np.sum(np.abs(p[1:]))) for e in (-1, 1))
        ends = fmpq(*float(low).as_integer_ratio()), fmpq(*float(high).as_integer_ratio())
        with ctx.workprec(BITS):
            slopes, error = root_on_box([arb(float(c)) for c in p], [3, 1], ends)
        near = np.array([float(a) for a in slopes])
        for t in [*itertools.product((-1, 1), repeat=2), *rng.uniform(-1, 1, (50, 2))]:
            y = np.sqrt(sum(c * t[0] ** i * t[1] ** j for c, (i, j) in zip(p, turns, strict=True)))
            assert abs((2 * y - high - low) / (high - low) - near @ t) <= float(error) + 1e-12
    with ctx.workprec(BITS):
        _, error = root_on_box(
            [arb(1), arb(0.01), arb(0.02), arb(0)], [2, 1], (fmpq(98, 100), fmpq(102, 100))
        )
        assert error < 0.02  # nothing but second order
    with ctx.workprec(BITS), pytest.raises(checker.Refusal, match="a root may vanish"):
        root_on_box([arb(c) for c in (1, 2.7, 0, -3.6)], [1], (fmpq(3, 10), fmpq(14, 10)))


def in_chart(motion, tangents):
    """The linearisation by states that are free, which move so along tangents."""
    return tangents @ motion @ np.linalg.inv(tangents)


@pytest.mark.long(reason="three maps")
@pytest.mark.parametrize("second", [1000, sp.Rational(1, 1000)])
def test_units_do_not_matter(second):
    other = map_by_forms(bead(second), "at", AXES, 3)
    assert (other.stable, other.unstable) == pytest.approx((found().stable, found().unstable), abs=0.02)


# -- other members -----------------------------------------------------------------------------------------

S, X, Y, U = sp.symbols("s x y u", real=True)


def line(rate, at, held, **more):
    """x' = rate(x) + u, held at a place that is given by s."""
    members = gc.Family({"x": at}, [S], {"u": held})
    return gc.VectorField(
        [X], [rate + U], inputs=[U], equilibria={"at": members}, name="line", **more
    ).reduce()


def dying_out():
    """With a divisor that varies as much as the linearisation does."""
    return line(-X / (1 + X**2), S, S / (1 + S**2))


def test_functions_are_enclosed():
    cells = map_by_forms(line(-sp.sin(X), S, sp.sin(S)), "at", {"s": (0, 3)}, 4)
    assert min(require_cells(cells, lambda s: [[-np.cos(s)]]).values()) > 0
    assert checker.check(cells.to_dict()).claim == cells.claim


def test_cells_in_which_something_has_no_value_are_left_open():
    """A member at 1/s, and one at the root of s, of which the field has another root."""
    pole = map_by_forms(line(-X, 1 / S, 1 / S), "at", {"s": (-1, 1)}, 3)
    assert (pole.at(s=0.1), pole.at(s=-0.1), pole.at(s=0.6)) == ("undecided", "undecided", "stable")
    root = map_by_forms(
        line(-sp.sqrt(1 + X) * X, sp.sqrt(S), sp.sqrt(1 + sp.sqrt(S)) * sp.sqrt(S)), "at", {"s": (-1, 1)}, 3
    )
    assert (root.at(s=-0.5), root.at(s=0.05), root.at(s=0.6)) == ("undecided", "undecided", "stable")


def test_where_the_leaf_is_not_regular_nothing_is_decided():
    """The lines x = y and x = -y meet at zero, in the middle of the axis."""
    beside = X**2 - Y**2
    crossing = gc.VectorField(
        [X, Y],
        [Y * (U - X), X * (U - X)],
        leaf=[beside],
        inputs=[U],
        equilibria={"at": gc.Family({"x": S, "y": S}, [S], {"u": S})},
        name="lines",
    ).reduce()
    cells = map_by_forms(crossing, "at", {"s": (-1, 1)}, 3)
    assert (cells.at(s=0.05), cells.at(s=-0.05), cells.at(s=0.6)) == ("undecided", "undecided", "stable")
    assert cells.at(s=-0.6) == "unstable"
    assert "a leaf of dimension 1 about members in cells that are decided" in cells.claim


@pytest.mark.parametrize("by", ["signs", "forms"])
def test_functions_of_the_familys_symbols_are_none_of_the_motion(by):
    """Weights of the leaf's rate are functions of states alone."""
    cells = gc.certify_region(bead(), "at", {"s": (0.25, 0.5)}, depth=1, params={"p": 0}, by=by)
    assert cells.stable == 1


@cache
def circling(sense):
    """A car with the gains of the circle of 2 m at 1 m/s, held to circles of any radius."""
    radius, speed = sp.symbols("r v", positive=True)
    states = {"Omega": speed / radius, "Y1": speed, "c2": radius, "c3": 1}
    family = gc.Family(states, [radius, speed])
    car = car_on_circle()[0].mechanism.replace(equilibria={"circle": family}).reduce()
    gains = sp.diag(1, sense) * sp.Matrix([[0, 1.2, -0.2, 0, 0], [1.6, -0.6, 1.2, -0.6, 0]])
    return gc.linear_law(car, car.equilibrium("circle", r=2, v=1), np.array(gains, dtype=float)).closed_loop(
        along="circle"
    )


def motion_of(loop, **values):
    """Differences of the rates at a member of the circles, the leaf being c3 = 1."""
    r, v = values["r"], values["v"]
    x = np.array([v / r, v, 0, r, 1])
    steps = 1e-5 * np.eye(5)[:4]
    rates = [[loop.rhs(0, x + e * h, params=values)[:4] for e in (1, -1)] for h in steps]
    return np.array([(after - before) / 2e-5 for after, before in rates]).T


def test_a_reduced_loop_along_a_family():
    loop, axes = circling(1), {"r": (0.5, 4), "v": (0.25, 3)}
    assert loop.rhs(0, np.array([0.5, 1.5, 0, 3, 1]), params={"r": 3, "v": 1.5}) == pytest.approx(
        0, abs=1e-14
    )
    told = require_cells(map_by_forms(loop, "circle", axes, 3), lambda **k: motion_of(loop, **k), 60)
    assert told["stable"] > 20, told
    flipped = map_by_forms(circling(-1), "circle", {"r": (1, 2), "v": (1, 2)}, 2)
    assert flipped.unstable == 1


# -- a satellite -------------------------------------------------------------------------------------------


@cache
def satellite():
    """One that turns at w about an axis that leans."""
    R, M = gc.manifolds.Attitude("R"), sp.symbols("M1:4", real=True)
    w, tilt = gc.Parameter("w", sp.Rational(1, 2)), sp.Symbol("tilt", real=True)
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
def satellite_loop(sense=1):
    """Gains of attitude and rates, with a part across two axes that brings motions in where w is large."""
    sat = satellite()
    gains = {
        "M1": {"Omega_1": 0.3, "R_32": 0.2, "R_13": -0.15},
        "M2": {"Omega_2": 0.3 * sense, "R_13": 0.2 * sense, "R_32": 0.15},
        "M3": {"Omega_3": 0.3, "R_21": 0.2},
    }
    law = gc.linear_law(sat, sat.equilibrium("leaning", tilt=0), gains)
    return law.closed_loop(along="leaning")


def linear_satellite(loop=None, **values):
    loop = loop or satellite_loop()
    return gc.linearize(loop, loop.equilibrium("leaning", params=values))


def chart_of_satellite(**values):
    """The linearisation by the states that are free."""
    plant = with_recorded_families(satellite_loop(), "this test")
    linear = linear_satellite(plant, **values)
    data, members = region_problem(plant, "leaning", axes_of(plant, "leaning", SATELLITE_AXES), None)
    free = forms_over_axes.file_content(data, members, "leaning")["theorem"]["chart"]["free"]
    tangents = linear.basis[[plant.state_labels.index(k) for k in free]]
    return in_chart(linear.A_leaf, tangents)


@pytest.mark.long(reason="a loop on the rotations with nine tangents")
def test_a_satellite():
    cells = map_by_forms(satellite_loop(), "leaning", SATELLITE_AXES, 3)
    told = require_cells(cells, lambda **values: linear_satellite(**values).A_leaf, 30)
    assert min(told["stable"], told["unstable"]) > 2, told
    assert checker.check(cells.to_dict()).claim == cells.claim
    assert "a frame that turns at (0, 0, w)" in cells.claim
    axes = {"tilt": (0, 0.125), "w": (0.25, 0.75)}
    assert map_by_forms(satellite_loop(-1), "leaning", axes, 3).unstable == 1


# -- what is no question -----------------------------------------------------------------------------------


def test_what_is_no_question_is_refused():
    with pytest.raises(gc.InputError, match="unknown by"):
        gc.certify_region(bead(), "at", AXES, by="squares")
    with pytest.raises(gc.InputError, match="no executor= and no out="):
        gc.certify_region(bead(), "at", AXES, by="forms", out="folder")
    with pytest.raises(gc.ParameterError, match="no axis 'r'"):
        gc.certify_region(bead(), "at", {"r": (0, 1)}, by="forms")
    with pytest.raises(gc.CertificateError, match="nothing decays and nothing grows"):
        gc.certify_region(line(0, S, 0), "at", {"s": (0, 1)}, by="forms")
    car, x = car_on_circle()
    with pytest.raises(gc.ParameterError, match="no equilibrium family 'circel'"):
        gc.linear_law(car, x, np.zeros((2, 5))).closed_loop(along="circel")


@pytest.mark.long(reason="all that is too large is made first: 13 s")
def test_what_is_too_large_for_signs_is_told_in_words():
    x, u = sp.symbols("x1:4", real=True), sp.symbols("u1:4", real=True)
    a, b, p = sp.Symbol("a", real=True), sp.Symbol("b", real=True), gc.Parameter("p", 0.1)
    P, root = p.symbol, sp.sqrt(x[0] ** 2 + x[2] ** 2 + 4)
    rates = [
        3 * P * x[1] * x[2] / 4 - 19 * x[0] / 4 - 2 * x[1] + 7 * x[2] / 4 - 5 * root / 12,
        P * x[0] * x[1] / 8 + 7 * x[0] / 4 - 7 * x[1] / 2 - 2 * x[2] - sp.sin(x[2]) / 4,
        -9 * P * x[0] * x[2] / 8 - 3 * x[0] / 4 - 7 * x[1] / 4 - 2 * x[2] ** 3 / 3 - 7 * x[2] / 2,
    ]
    at = dict(zip(x, (sp.sqrt(a**2 + 1), -sp.sqrt(b**2 + 2) / 4, sp.sin(P) + 1), strict=True))
    held = {str(k): -e.subs(at, simultaneous=True) for k, e in zip(u, rates, strict=True)}
    system = gc.VectorField(
        x,
        [e + k for e, k in zip(rates, u, strict=True)],
        inputs=u,
        parameters=[p],
        equilibria={"f": gc.Family({str(k): e for k, e in at.items()}, [a, b], held)},
    ).reduce()
    axes = {"a": (0.5, 0.75), "b": (-0.375, -0.125), "p": (-0.625, 0.375)}
    with pytest.raises(gc.CertificateError, match="too large for a file"):
        gc.certify_region(system, "f", axes, depth=1)
