"""Sets of functions of degree four to eight, and of functions that are given: against basins that are known,
runs from their edges by equations written here, and changed files.
"""

import copy
import json
import math
import pickle
import random
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import solve_ivp

import geoctrl as gc
from geoctrl import checker
from geoctrl.analysis.higher_degrees.polynomial_function import rate_of, value
from geoctrl.analysis.higher_degrees.sharp_level import simplest

X, Y = sp.symbols("x y", real=True)
BASIN = 13.7222
"""Area in the cycle of van der Pol's equation with mu = 1, by Green's theorem over a run to twelve digits."""
U = 100 * X**4 - 384 * X**2 * Y**2 + 400 * Y**4
"""Of Drake's issue 12876: the field is (U - 1) grad U."""


@cache
def reversed_cycle():
    return gc.VectorField([X, Y], [-Y, X - (1 - X**2) * Y], name="van der Pol").reduce()


def reversed_slope(_, s):
    x, y = s
    return [-y, x - (1 - x * x) * y]


@cache
def quartic():
    """A set of degree four, of a search that is stopped after a few steps."""
    told = []

    def stop(stage, best, elapsed):
        told.append(stage)
        if told.count("functions of degree 4") == 5:
            raise KeyboardInterrupt

    return gc.region_of_attraction(reversed_cycle(), [0, 0], degree=4, seconds=None, progress=stop)


@cache
def drake():
    field = [sp.expand((U - 1) * sp.diff(U, s)) for s in (X, Y)]
    system = gc.VectorField([X, Y], field, name="Drake").reduce()
    return system, gc.region_of_attraction(system, [0, 0], lyapunov=X**2 + Y**2)


def function_of(roa):
    """V of the states, in doubles, by the matrix and the monomials that the set tells."""
    u = [e - e.subs({X: 0, Y: 0}) for e in roa.expressions]
    P = roa.matrix
    return sp.lambdify([X, Y], sum(P[i, j] * u[i] * u[j] for i in range(len(u)) for j in range(len(u))))


def edge(roa, count, inside=1 - 1e-6):
    """Points where V has nearly its level for the first time on rays."""
    V, angles = function_of(roa), np.linspace(0, 2 * math.pi, count, endpoint=False)
    ways, radii = np.array([np.cos(angles), np.sin(angles)]), np.arange(0.01, 4, 0.01)
    first = np.argmax(V(*(radii[:, None] * ways[:, None, :])) > roa.level, axis=0)
    low, high = radii[first] - 0.01, radii[first]
    for _ in range(40):
        middle = (low + high) / 2
        above = V(*(middle * ways)) > roa.level
        low, high = np.where(above, low, middle), np.where(above, middle, high)
    return low * ways * inside


def area(roa):
    x, y = edge(roa, 400, 1.0)
    return abs(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1))) / 2


def signed(data):
    body = {k: v for k, v in data.items() if k != "digest"}
    return body | {"digest": checker.digest_of(body)}


def comes_home(roa, slope, count, end=60.0):
    """Runs from the edge: V falls along all of them, and they end at the point."""
    V = function_of(roa)
    for start in edge(roa, count).T:
        assert roa.contains(start)
        run = solve_ivp(slope, (0, end), start, method="LSODA", rtol=1e-9, atol=1e-12)
        values = V(*run.y)
        assert np.all(np.diff(values[values > 1e-8]) < 1e-10)
        assert values[-1] < 1e-6
        assert not roa.contains(start * (1 + 1e-4))


# -- functions that are searched for ----------------------------------------------------------------------


def test_a_function_of_degree_four_has_a_larger_set():
    """The largest ellipse has 0.47 of the basin."""
    roa = quartic()
    assert (roa.verdict, roa.method, roa.level) == (gc.Verdict.PROVED_ATTRACTED, "squares", 1)
    assert 0.7 * BASIN < area(roa) < BASIN
    assert roa.measured == ("x", "y")
    assert set(roa.monomials) == {"x", "y", "x^2", "x*y", "y^2"}
    assert "V a positive definite polynomial of degree 4 in the deviations of x, y" in roa.claim
    assert "interrupt" in roa.reason
    comes_home(roa, reversed_slope, 8)
    assert checker.check(json.loads(roa.to_json())).claim == roa.claim
    assert repr(pickle.loads(pickle.dumps(roa))) == repr(roa)


def test_boxes_and_extent_hold_the_set():
    roa = quartic()
    boxes = [tuple(b[k] for k in ("x", "y")) for b in roa.boxes(24)]
    for x, y in edge(roa, 60).T:
        assert any(a <= x <= b and c <= y <= d for (a, b), (c, d) in boxes)
    far = np.abs(edge(roa, 400, 1.0)).max(axis=1)
    for label, most in zip("xy", far, strict=True):
        assert most <= roa.extent[label][1] <= 1.3 * most


@cache
def limited_octic():
    """x within its limit, and V of degree eight."""
    field = gc.VectorField([X, Y], [-X + X**3, -Y], outputs={"u": X}, name="two states").reduce()
    V = X**2 + Y**2 + X**8 / 4 + Y**8
    return gc.region_of_attraction(field, [0, 0], limits={"u": 0.75}, lyapunov=V)


@pytest.mark.parametrize("made", [quartic, limited_octic])
def test_the_edge_that_is_drawn_is_where_the_function_has_its_level(made):
    roa = made()
    (line,) = [each for each in roa.plot().lines if each.get_label() == "its edge"]
    x, y = line.get_data()
    assert function_of(roa)(x, y) == pytest.approx(roa.level, rel=1e-9)
    # It goes once around, as far as rays from the point do.
    turns = np.unwrap(np.arctan2(y, x))
    assert abs(turns[-1] - turns[0]) == pytest.approx(2 * math.pi)
    drawn = abs(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1))) / 2
    assert drawn == pytest.approx(area(roa), rel=2e-3)
    assert roa.value(np.array([x, y])[:, :9]) == pytest.approx(roa.level, rel=1e-9)
    assert isinstance(roa.value([0.1, 0.2]), float)


def test_the_text_of_a_function_is_the_function():
    roa = quartic()
    x, y = edge(roa, 40)
    total = 0.0
    for term in roa.lyapunov.replace("- ", "+ -").split(" + "):
        factor, *rest = term.split("*")
        total = total + float(factor) * math.prod({"d[x]": x, "d[y]": y}[k] for k in rest)
    assert np.allclose(total, function_of(roa)(x, y), rtol=1e-4)


def mutant(data, dice):
    """The file with another number, monomial, level or word."""
    other = copy.deepcopy(data)
    theorem = other["theorem"]
    row = dice.choice(theorem["squares"])
    kind = dice.randrange(7)
    if kind < 2:
        matrix = theorem["function"] if kind else row["matrix"]
        line = dice.choice(matrix)
        k = dice.randrange(len(line))
        line[k] = str(
            Fraction(line[k]) * dice.choice([-1, Fraction(3, 2), Fraction(1000, 1001)])
            + (not Fraction(line[k]))
        )
    elif kind == 2:
        theorem["level"] = dice.choice(["11/10", "1001/1000", "2"])
    elif kind == 3:
        m = dice.choice(dice.choice([row["monomials"], theorem["monomials"]]))
        m[0][1] += 1
    elif kind == 4:
        theorem.pop("monomials")
    elif kind == 5:
        theorem["squares"].remove(row)
    else:
        row["times"] = {"rest": "level", "level": "rest"}[row["times"]]
    return other


def test_changed_files_of_degree_four_are_refused():
    data, dice = json.loads(quartic().to_json()), random.Random(3)
    for _ in range(40):
        other = mutant(data, dice)
        assert other != data
        with pytest.raises(checker.Refusal):
            checker.check(signed(other))


def test_an_open_set_without_the_word_is_refused():
    """The edge of Drake's set holds equilibria."""
    data = json.loads(drake()[1].to_json())
    del data["theorem"]["open"]
    with pytest.raises(checker.Refusal):
        checker.check(signed(data))


# -- functions that are given -----------------------------------------------------------------------------


def test_the_level_of_drakes_issue_is_exact():
    """(0, 1/sqrt 20) rests, so that no level above 1/20 is right, and at it the set is open."""
    system, roa = drake()
    assert Fraction(roa.data["theorem"]["level"]) == Fraction(1, 20)
    assert roa.is_open
    assert roa.level == 0.05
    assert (roa.matrix == np.eye(2)).all()
    assert "with V < 1/20" in roa.claim
    assert np.abs(system.rhs(0, [0, 1 / math.sqrt(20)])).max() < 1e-12
    gradient = sp.lambdify([X, Y], [(U - 1) * sp.diff(U, s) for s in (X, Y)])
    for start in edge(roa, 8, 0.999).T:
        run = solve_ivp(lambda _, s: gradient(*s), (0, 4e4), start, method="LSODA", rtol=1e-9, atol=1e-12)
        assert np.linalg.norm(run.y[:, -1]) < 1e-3
    assert checker.check(json.loads(roa.to_json())).claim == roa.claim


def test_a_function_of_energy_with_sines_and_cosines():
    """The saddle has the energy 6 above the point."""
    phi = gc.Coordinate("phi", angle=True)
    system = gc.EulerPoincare(
        algebra=None, shape=[phi], inertia=[[2]], potential=-3 * sp.cos(phi.symbol), forces=[-phi.rate]
    ).reduce()
    V = phi.rate**2 + 3 * (1 - sp.cos(phi.symbol)) + phi.rate * sp.sin(phi.symbol) / 4
    roa = gc.region_of_attraction(system, system.state(), lyapunov=V)
    assert 5.99 < roa.level < 6
    of = sp.lambdify([phi.rate, phi.symbol], V)
    for v, q in ((0.3, 2.9), (2.3, -0.4), (-1.0, 2.0), (2.5, 0.3)):
        assert roa.contains([v, q]) == (of(v, q) < roa.level)


def test_limits_bound_the_level_of_a_function():
    """x' = -x + x^3 with u = 2 x within 1.2: x^2 <= 0.36."""
    mech = gc.VectorField([X], [-X + X**3], outputs={"u": 2 * X})
    roa = gc.region_of_attraction(mech.reduce(), [0], limits={"u": 1.2}, lyapunov=X**2)
    assert 0.35 < roa.level <= 0.36
    assert roa.limits == {"u": 1.2}


def test_functions_that_are_none_are_refused_in_words():
    system = reversed_cycle()
    for V, words in (
        (X**2 - Y**2, "not shown to be a sum of squares"),
        (X**2, "definite in x, y"),
        (X**2 + Y**2 + 1, "not zero, at the equilibrium"),
        (-(X**2) - Y**2, "not shown to be a sum of squares"),
        (sp.exp(X**2) - 1 + Y**2, "no polynomial"),
    ):
        with pytest.raises(gc.CertificateError, match=words):
            gc.region_of_attraction(system, [0, 0], lyapunov=V)
    with pytest.raises(gc.ExpressionError):
        gc.region_of_attraction(system, [0, 0], lyapunov=sp.Symbol("z") ** 2)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"degree": 3}, "monomials=3"),
        ({"degree": 5}, "2, 4, 6 or 8"),
        ({"degree": True}, "2, 4, 6 or 8"),
        ({"monomials": 4}, "monomials"),
        ({"degree": 4, "monomials": 3}, "quadratic"),
        ({"degree": 4, "multiplier_degree": 3}, "multiplier_degree"),
        ({"multiplier_degree": 4}, "degree=4"),
        ({"degree": 4, "by": "slopes"}, "by squares"),
        ({"lyapunov": X**2 + Y**2, "by": "energy"}, "by squares"),
        ({"lyapunov": X**2 + Y**2, "degree": 4}, "degree of its own"),
        ({"lyapunov": "x**2"}, "expression"),
    ],
)
def test_arguments_are_read_before_any_work(given, words):
    with pytest.raises(gc.InputError, match=words):
        gc.region_of_attraction(reversed_cycle(), [0, 0], **given)


# -- parts of the search ------------------------------------------------------------------------------------


def test_values_and_rates_of_polynomials():
    """Against sympy, of a random polynomial along a random field."""
    dice = random.Random(1)
    terms = {(dice.randrange(3), dice.randrange(4)): dice.uniform(-1, 1) for _ in range(6)}
    field = [{(1, 1): 0.5, (0, 2): -1.0}, {(2, 0): 3.0}]

    def written(p):
        return sum(c * X**a * Y**b for (a, b), c in p.items())

    V = written(terms)
    expected = sp.lambdify(
        [X, Y], sum(sp.diff(V, s) * written(f) for s, f in zip((X, Y), field, strict=True))
    )
    points = np.random.default_rng(0).normal(size=(20, 2))
    assert np.allclose(value(terms, points), sp.lambdify([X, Y], V)(*points.T))
    assert np.allclose(value(rate_of(terms, [0, 1], field), points), expected(*points.T))


def test_the_simplest_number_between_two():
    for low, high, found in (
        (Fraction(499, 10000), Fraction(501, 10000), "1/20"),
        (0.3, 0.34, "1/3"),
        (2.1, 7, "3"),
    ):
        assert simplest(Fraction(low), Fraction(high)) == Fraction(found)
    dice = random.Random(2)
    for _ in range(50):
        low = Fraction(dice.randint(1, 999), dice.randint(1, 999))
        high = low + Fraction(1, dice.randint(1, 5000))
        best = next(Fraction(n, d) for d in range(1, 10**6) if (n := math.ceil(low * d)) <= high * d)
        assert simplest(low, high).denominator == best.denominator


# -- whole searches -----------------------------------------------------------------------------------------


@pytest.mark.long(reason="searches of a quarter of a minute and more")
@pytest.mark.parametrize(("degree", "share"), [(4, 0.84), (6, 0.985), (8, 0.99)])
def test_shares_of_the_basin_of_van_der_pols_equation(degree, share):
    roa = gc.region_of_attraction(reversed_cycle(), [0, 0], degree=degree, seconds=None)
    assert share * BASIN < area(roa) < BASIN
    comes_home(roa, reversed_slope, 100)


@pytest.mark.long(reason="two searches")
def test_other_units_have_the_same_set():
    a, b = sp.symbols("a b", real=True)
    there = {X: a / 1000, Y: b * 1000}
    rates = [(-Y).xreplace(there) * 1000 * 7, (X - (1 - X**2) * Y).xreplace(there) / 1000 * 7]
    other = gc.region_of_attraction(gc.VectorField([a, b], rates).reduce(), [0, 0], degree=4, seconds=None)
    own = gc.region_of_attraction(reversed_cycle(), [0, 0], degree=4, seconds=None)
    assert other.extent["a"][1] / 1000 == pytest.approx(own.extent["x"][1], rel=1e-3)
    assert other.extent["b"][1] * 1000 == pytest.approx(own.extent["y"][1], rel=1e-3)
