"""Normal forms of Hopf points: made-up fields of known numbers, a published one, leaves, levels, units."""

import pickle
from functools import cache

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl.continuation.normal_forms.hopf_normal_form import hopf_normal_form
from tests.continuation.columns_under_load import hopf_field, ziegler


def hopf(field, guess, along, span, points=3):
    changes = gc.follow(field.reduce(), guess, along=along, span=span, points=points).changes
    (change,) = (change for change in changes if change.kind == "Hopf point")
    return change


def form_at(field, state=None, guess=(0, 0, 0)):
    """Of a field with its Hopf point at a = 0, whose roots are known, without a branch around it."""
    system = field.reduce()
    point = gc.find_equilibrium(system, guess=list(guess), params={"a": 0})
    omega = max(gc.linearize(system, point).eigenvalues.imag)
    return hopf_normal_form(system, point, ("a", [], 2.0), omega, state)


@cache
def columns_change():
    return hopf(ziegler(), [0, 0, 0, 0], "p", (1.4, 1.6))


@cache
def columns_form():
    return columns_change().normal_form("w1")


def test_zieglers_column():
    """p* = 41/28 + c^2/2 and w^2 = 2/7 are by hand; l1, p2 and T2 of another program, with q_1 = 1."""
    form = columns_form()
    low, high = form.bounds["value"]
    assert low <= 41 / 28 + 0.005 <= high
    assert high - low < 1e-14
    assert form.omega**2 == pytest.approx(2 / 7, rel=1e-14)
    assert form.l1 == pytest.approx(-0.319535579963, abs=1e-12)
    assert form.p2 == pytest.approx(7.44387146267, abs=1e-11)
    assert form.T2 == pytest.approx(-16.7647987359, abs=1e-10)
    assert form.criticality == "supercritical"
    assert form.amplitude == ("w1", 2.0)
    assert all(low <= getattr(form, name) <= high for name, (low, high) in form.bounds.items())
    assert form.bounds.keys() == {"value", "omega", "l1", "p2", "T2"}
    assert np.vdot(form.adjoint, form.q) == pytest.approx(1)


# b - feed has both signs; where feed is not zero, b alone has the other one.
MADE_UP = [
    (1, 0, 0, 0, 0, 1),
    (-1, 0, 0, 0, 0, 1),
    (2, -1, 0, 1, 0, 3),
    (-2, 1, 0, 1, 0, 2),
    (1, 1, 3, 0, 0, 2),
    (-1, 0, -2, 0, 0, 1),
    (1, 2, 3, sp.Rational(1, 2), 1, 2),
    *(
        pytest.param(case, marks=pytest.mark.long(reason="half a second each to write down"))
        for case in [
            (-1, 1, -2, -1, 2, 1),
            (3, -2, 1, 2, -1, 1),
            (sp.Rational(1, 10), 0, sp.Rational(1, 5), -2, 1, 5),
        ]
    ),
]


@pytest.mark.parametrize("case", MADE_UP)
def test_made_up_points_have_the_sign_and_the_numbers_of_their_circles(case):
    b, c, feed, *_, omega = map(float, case)
    form = form_at(hopf_field(*case), "x")
    assert form.criticality == ("supercritical" if b > feed else "subcritical")
    # x = 2 eps cos: r = 2 eps, a = (b - feed) r^2, T = 2 pi/(omega + c r^2).
    assert form.p2 == pytest.approx(4 * (b - feed), rel=1e-12)
    assert form.T2 == pytest.approx(-2 * np.pi * 4 * c / omega**2, rel=1e-12, abs=1e-12)
    assert form.l1 == pytest.approx(-4 * (b - feed) / omega, rel=1e-12)
    assert form.bounds["l1"][0] <= form.l1 <= form.bounds["l1"][1]
    side = "above" if b > feed else "below"
    assert f"for a {side} the value" in form.claim
    assert ("asymptotically stable" in form.claim) == (b > feed)


@pytest.mark.parametrize("b", [1, -1])
def test_the_sign_is_that_of_the_weak_focus_that_is_proved_by_a_file(b):
    field = hopf_field(b, 1, 0, 1)
    at_point = gc.certify(field.reduce(), [0, 0, 0], params={"a": 0})
    proved = {1: "PROVED_ASYMPTOTICALLY_STABLE", -1: "PROVED_UNSTABLE"}
    assert at_point.verdict.name == proved[b]
    kind = form_at(field).criticality
    assert kind == {1: "supercritical", -1: "subcritical"}[b]


def test_orbits_beside_a_growing_direction_are_unstable():
    """z' = +2 z instead: the circles attract on the centre manifold, and not in z."""
    x, y, z = sp.symbols("x y z", real=True)
    a = gc.Parameter("a", 0.0)
    r2 = x**2 + y**2
    rates = [a.symbol * x - y - x * r2, a.symbol * y + x - y * r2, 2 * z]
    form = form_at(gc.VectorField([x, y, z], rates, parameters=[a]), "x")
    assert form.criticality == "supercritical"
    assert form.claim.endswith("near it they are unstable")


def springs(as_vector):
    """Ziegler's column with springs that pull with the sines of the angles: the first angle as a number, or
    as the unit vector (C, S).
    """
    w1, w2, q1, q2, C, S = sp.symbols("w1 w2 q1 q2 C S", real=True)
    p, damping = gc.Parameter("p", 1.3), sp.Rational(1, 10)
    cosine, sine = (C, S) if as_vector else (sp.cos(q1), sp.sin(q1))
    a = cosine * sp.cos(q2) + sine * sp.sin(q2)
    s = sine * sp.cos(q2) - cosine * sp.sin(q2)
    first = -sine - s - damping * (2 * w1 - w2) + p.symbol * s - s * w2**2
    second = s - damping * (w2 - w1) + s * w1**2
    rates = [(first - a * second) / (3 - a**2), (3 * second - a * first) / (3 - a**2)]
    if as_vector:
        states, rates, leaf = [w1, w2, C, S, q2], [*rates, -S * w1, C * w1, w2], [C**2 + S**2 - 1]
    else:
        states, rates, leaf = [w1, w2, q1, q2], [*rates, w1, w2], []
    return gc.VectorField(states, rates, leaf=leaf, parameters=[p])


def test_an_angle_and_a_unit_vector_have_one_normal_form():
    angle = hopf(springs(False), [0, 0, 0, 0], "p", (1.3, 2)).normal_form("w1")
    vector = hopf(springs(True), [0, 0, 1, 0, 0], "p", (1.3, 2)).normal_form("w1")
    assert angle.l1 == pytest.approx(-0.26367223978, abs=1e-11)
    for name in ("value", "omega", "l1", "p2", "T2"):
        assert getattr(vector, name) == pytest.approx(getattr(angle, name), rel=3e-14)
    assert vector.criticality == angle.criticality == "supercritical"
    assert "on the leaf" in vector.claim
    assert "on the leaf" not in angle.claim


def test_a_point_on_a_level_holds_what_is_conserved():
    """c' = 0: the curve goes along a state, through the levels; h11 would be lost without them."""
    x, y, c = sp.symbols("x y c", real=True)
    r2 = x**2 + y**2
    rates = [c * x - y + x * r2 / 2, x + c * y + y * r2 / 2, 0]
    field = gc.VectorField([x, y, c], rates, invariants={"level": c + c**3})
    form = hopf(field, [0, 0, -1], "c", (-1, 1)).normal_form("x")
    assert (form.criticality, form.along) == ("subcritical", "c")
    assert form.p2 == pytest.approx(-2, rel=1e-12)
    assert "on the level of level" in form.claim


@pytest.mark.parametrize(("state", "time"), [(1000, sp.Rational(1, 1000)), (sp.Rational(1, 1000), 1000)])
def test_other_units_have_the_same_form_in_other_numbers(state, time):
    """eps is half an amplitude of w1, which is told in state/time; the force p has no unit here."""
    moved = hopf(ziegler(state=state, time=time), [0, 0, 0, 0], "p", (1.4, 1.6)).normal_form("w1")
    form, size = columns_form(), float(state / time)
    assert moved.criticality == form.criticality
    assert moved.value == pytest.approx(form.value, rel=1e-14)
    assert moved.omega * float(time) == pytest.approx(form.omega, rel=1e-14)
    assert moved.p2 * size**2 == pytest.approx(form.p2, rel=1e-12)
    assert moved.T2 * size**2 / float(time) == pytest.approx(form.T2, rel=1e-12)


def test_where_the_third_order_vanishes_nothing_is_decided():
    form = form_at(hopf_field(2, 1, 2))
    assert form.criticality == "undecided"
    assert form.bounds == {}
    assert "may be zero" in form.unproved
    assert abs(form.l1) < 1e-12


def test_what_is_no_hopf_point_tells_its_eigenvalues():
    x, y = sp.symbols("x y", real=True)
    a = gc.Parameter("a", -0.5)
    field = gc.VectorField([x, y], [a.symbol * x - x**3, -7 * y], parameters=[a])
    (fork,) = gc.follow(field.reduce(), [0, 0], along="a", span=(-1, 2), points=4).changes
    with pytest.raises(gc.EquilibriumError, match=r"a branch point.*eigenvalues near the axis.*-7"):
        fork.normal_form()
    with pytest.raises(gc.LabelError, match="w1"):
        columns_change().normal_form("w3")


def test_a_parameter_has_a_name_of_any_length():
    """x' = gain x - y - x r^2, of which the amplitude is the root of the gain."""
    x, y = sp.symbols("x1 x2", real=True)
    gain, g = gc.Parameter("gain", 0.0), gc.Parameter("g", 2.0)
    rates = [gain.symbol * v - v * (x**2 + y**2) for v in (x, y)]
    field = gc.VectorField([x, y], [rates[0] - y * g.symbol, rates[1] + x * g.symbol], parameters=[gain, g])
    system = field.reduce()
    form = hopf_normal_form(system, gc.find_equilibrium(system, guess=[0, 0]), ("gain", [], 2.0), 2.0, None)
    assert form.p2 == pytest.approx(4, rel=1e-12)
    assert form.criticality == "supercritical"


def test_an_idle_coordinate_is_refused_by_its_name():
    """A root zero beside the pair: the theorem has none."""
    x, y, s = sp.symbols("x y s", real=True)
    a = gc.Parameter("a", 0.0)
    rates = [a.symbol * x - y - x**3, x + a.symbol * y, x**2]
    field = gc.VectorField([x, y, s], rates, parameters=[a])
    with pytest.raises(gc.EquilibriumError, match=r"a root zero stands beside the pair, along .*s"):
        form_at(field)


def test_forms_are_pickled_and_fit_a_page():
    form = columns_form()
    copy = pickle.loads(pickle.dumps(form))
    assert copy.bounds == form.bounds
    assert copy.full() == form.full()
    assert max(map(len, form.full().splitlines())) <= 79


def test_functions_that_are_not_analytic_are_refused_by_their_name():
    """|x + 2| is smooth where the point is, and no arithmetic of balls has its series."""
    x, y = sp.symbols("x y", real=True)
    a = gc.Parameter("a", 0.0)
    rates = [a.symbol * x - y - x**2 * sp.Abs(x + 2), x + a.symbol * y]
    with pytest.raises(gc.EquilibriumError, match=r"no normal form.*no analytic function"):
        form_at(gc.VectorField([x, y], rates, parameters=[a]), guess=(0, 0))
