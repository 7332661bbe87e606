"""Derivatives and identities of the checker against other means: sympy, quotients, closed forms."""

import json
import math

import pytest
import sympy as sp
from flint import fmpq

from geoctrl import checker, decisions
from geoctrl.decisions.arithmetic.eliminations import nullspace, restricted
from tests.attack.forge.by_hand import Equations

X, Y = sp.symbols("x y")
AT = {X: sp.Rational(3, 10), Y: sp.Rational(7, 10)}
FUNCTIONS = {
    "sqrt": sp.sqrt,
    "sin": sp.sin,
    "cos": sp.cos,
    "exp": sp.exp,
    "log": sp.log,
    "atan": sp.atan,
}


def question(e, field, exact=False, **more):
    return decisions.Question(decisions.read_problem(e.problem(field, **more)), exact)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_first_and_second_derivatives_of_functions(name):
    """F = f(x y + x^2)^2 y / x, in floats: rounding of some twenty operations."""
    e = Equations(x="3/10", y="7/10")
    inner = e.total(e.monomial(1, x=1, y=1), e.monomial(1, x=2))
    f = e.function(name, inner)
    node = e._add("prod", "1", [[f, 2], [e.places["y"], 1], [e.places["x"], -1]])
    zero = e.number(0)
    q = question(e, [zero, zero], invariants={"F": node})
    _, gradient, second = q.function("F")
    F = FUNCTIONS[name](X * Y + X**2) ** 2 * Y / X
    for i, s in enumerate((X, Y)):
        assert float(gradient[i]) == pytest.approx(float(sp.diff(F, s).subs(AT)), rel=1e-12)
        for j, t in enumerate((X, Y)):
            expected = float(sp.diff(F, s, t).subs(AT))
            assert float(second[min(i, j), max(i, j)]) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(("a", "b"), [(2.0, 3.0), (-2.0, 3.0), (0.0, 3.0), (2.0, -3.0)])
def test_the_quadrature_and_its_derivatives(a, b):
    e = Equations(x="3/10")
    node = e.function("quadrature", *(e.number(fmpq(*v.as_integer_ratio())) for v in (a, b)), e.places["x"])
    q = question(e, [e.number(0)], invariants={"F": e._add("prod", "1", [[node, 2]])})
    (jet,) = q.jets([node])
    steps = 2000
    h = 0.3 / steps  # Simpson's rule: error below 1e-14
    weights = [1 if k in (0, steps) else 4 if k % 2 else 2 for k in range(steps + 1)]
    value = sum(w / (a * (k * h) ** 2 + b) for k, w in enumerate(weights)) * h / 3
    assert float(jet.value) == pytest.approx(value, rel=1e-11)
    below = a * 0.09 + b
    assert float(jet.first[0]) == pytest.approx(1 / below, rel=1e-14)
    assert float(jet.second[0, 0]) == pytest.approx(-2 * a * 0.3 / below**2, rel=1e-13, abs=1e-15)


def test_unknowns_are_differentiated_with_their_matrix():
    """(1 + x^2) z = cos-free b = 2 + x: z = (2 + x)/(1 + x^2), which is not zero at the point."""
    e = Equations(x="1/2", y=0)
    z = e.symbol("z", "unknown")
    K = e.total(e.number(1), e.monomial(1, x=2))
    b = e.total(e.number(2), e.monomial(1, x=1))
    unknown = {"unknowns": ["z"], "matrix": [[0, 0, K]], "right": [b]}
    q = question(e, [z, e.number(0)], exact=True, **unknown)
    slope = sp.diff((2 + X) / (1 + X**2), X).subs(X, sp.Rational(1, 2))
    assert q.linearisation == [[fmpq(slope.p, slope.q), 0], [0, 0]]


def test_integrals_over_a_line_have_the_derivatives_of_the_closed_form():
    """s' = w, u' = w s u: u exp(-s^2/2) is kept; scaled to begin as u its 2-jet is (-s, s^2 - 1) u."""
    e = Equations(w=0, s="3/2", u="2/5")
    one = e.number(1)
    field = [e.number(0), e.places["w"], e.monomial(1, w=1, s=1, u=1)]
    shape = {"velocity": "w", "slopes": {"s": one}, "rates": {"u": [e.places["s"]]}}
    ((name, gradient, second),) = decisions.shape_integrals(question(e, field, exact=True, shape=shape))
    assert name == "integral of u"
    assert gradient == [0, fmpq(-3, 2) * fmpq(2, 5), 1]
    assert second[1, 2] == fmpq(-3, 2)
    assert second[1, 1] == (fmpq(9, 4) - 1) * fmpq(2, 5)
    # u' = w s u + w is affine: there is no such integral, whatever the file says.
    affine = [*field[:2], e.total(field[2], e.places["w"])]
    with pytest.raises(checker.Refusal, match="not the structure"):
        decisions.shape_integrals(question(e, affine, exact=True, shape=shape))
    # The curve may be run at a speed of its own: s' = w (1 + s^2), N = B/(1 + s^2).
    speed = e.total(one, e.monomial(1, s=2))
    faster = [e.number(0), e._add("prod", "1", [[e.places["w"], 1], [speed, 1]]), field[2]]
    quick = shape | {"slopes": {"s": speed}}
    ((_, gradient, second),) = decisions.shape_integrals(question(e, faster, exact=True, shape=quick))
    s = sp.Symbol("s")
    N = s / (1 + s**2)
    first, bend = (v.subs(s, sp.Rational(3, 2)) for v in (-N, N**2 - sp.diff(N, s)))
    assert gradient[1] == fmpq(first.p, first.q) * fmpq(2, 5)
    assert second[1, 1] == fmpq(bend.p, bend.q) * fmpq(2, 5)


def test_other_states_may_do_what_they_want_beside_an_integral_and_not_drive_it():
    """s' = w, u' = w s u, r' = r^2 + w^2 + u: u exp(-s^2/2) is kept, as without r."""
    e = Equations(w=0, s="3/2", u="2/5", r="1/3")
    wild = e.total(e.monomial(1, r=2), e.monomial(1, w=2), e.places["u"])
    field = [e.monomial(1, r=1, u=1), e.places["w"], e.monomial(1, w=1, s=1, u=1), wild]
    shape = {"velocity": "w", "slopes": {"s": e.number(1)}, "rates": {"u": [e.places["s"]]}}
    ((_, gradient, second),) = decisions.shape_integrals(question(e, field, exact=True, shape=shape))
    assert gradient == [0, fmpq(-3, 2) * fmpq(2, 5), 1, 0]
    assert second[1, 1] == (fmpq(9, 4) - 1) * fmpq(2, 5)
    # r drives u, directly or with w; r drives the shape; r is in the slopes.
    for place, term in ((2, e.places["r"]), (2, e.monomial(1, w=1, r=1)), (1, e.places["r"])):
        driven = list(field)
        driven[place] = e.total(field[place], term)
        with pytest.raises(checker.Refusal, match="not the structure"):
            decisions.shape_integrals(question(e, driven, exact=True, shape=shape))
    with pytest.raises(checker.Refusal, match="geometric states alone"):
        decisions.shape_integrals(
            question(e, field, exact=True, shape=shape | {"rates": {"u": [e.places["r"]]}})
        )
    for twice in ({"velocity": "s"}, {"velocity": "u"}, {"velocity": "nothing"}):
        with pytest.raises(checker.Refusal, match="states, once each"):
            decisions.shape_integrals(question(e, field, exact=True, shape=shape | twice))


def test_sine_and_cosine_of_one_argument_are_one_pair():
    """y' = (sin(x)^2 + cos(x)^2 - 1) y keeps y; with another sign, or another argument, it does not."""
    for sense, shift, kept in ((1, 0, True), (-1, 0, False), (1, 1, False)):
        e = Equations(x=0, y=0)
        other = e.total(e.places["x"], e.number(shift)) if shift else e.places["x"]
        squares = [e._add("prod", "1", [[e.function("sin", e.places["x"]), 2]])]
        squares.append(e._add("prod", str(sense), [[e.function("cos", other), 2]]))
        factor = e.total(*squares, e.number(-1))
        field = [e.number(0), e._add("prod", "1", [[factor, 1], [e.places["y"], 1]])]
        q = question(e, field, invariants={"y": e.places["y"]})
        assert q.conserved("y") is kept


@pytest.mark.parametrize("name", FUNCTIONS)
def test_rates_of_functions_are_those_of_sympy(name):
    """With x' = y and y' = -d(f(x)^2)/dx the energy y^2/2 + f(x)^2 is kept; with the other sign it is not."""
    for sense, kept in ((-1, True), (1, False)):
        e = Equations(x="3/10", y=0)
        f = e.function(name, e.places["x"])
        slopes = {
            "sqrt": lambda e, f: e._add("prod", "1/2", [[f, -1]]),
            "sin": lambda e, f: e.function("cos", e.places["x"]),
            "cos": lambda e, f: e._add("prod", "-1", [[e.function("sin", e.places["x"]), 1]]),
            "exp": lambda e, f: f,
            "log": lambda e, f: e.monomial(1, x=-1),
            "atan": lambda e, f: e._add("prod", "1", [[e.total(e.number(1), e.monomial(1, x=2)), -1]]),
        }
        slope = slopes[name](e, f)
        force = e._add("prod", str(2 * sense), [[f, 1], [slope, 1]])
        energy = e.total(e.monomial("1/2", y=2), e._add("prod", "1", [[f, 2]]))
        assert question(e, [e.places["y"], force], invariants={"E": energy}).conserved("E") is kept


def test_a_linearisation_that_leaves_the_tangent_space_is_refused():
    one, zero = fmpq(1), fmpq(0)
    basis = nullspace([[zero, one]], 2)
    assert restricted([[one, zero], [zero, one]], basis) == [[one]]
    with pytest.raises(checker.Refusal, match="tangent space"):
        restricted([[one, zero], [one, one]], basis)


def test_numbers_survive_json():
    """A problem read, written and read again is the same."""
    e = Equations(x="3/10")
    problem = e.problem([e.monomial("-7/3", x=1)])
    again = json.loads(json.dumps(problem))
    assert decisions.read_problem(problem) == decisions.read_problem(again)
    assert math.isclose(float(decisions.read_problem(problem)["states"]["x"]), 0.3)
