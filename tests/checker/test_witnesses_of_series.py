"""Minima of higher order and motion along one zero root, confirmed by series; and series that prove
nothing.
"""

import json
import random
from collections import Counter
from contextlib import suppress
from fractions import Fraction

import pytest
import sympy as sp
from flint import fmpq

import geoctrl as gc
from geoctrl import checker
from geoctrl.analysis.question.generators import NotSolved
from geoctrl.analysis.witnesses.content import content_with_witnesses
from geoctrl.analysis.witnesses.series_witnesses import free_of_gram
from geoctrl.checker.definite import positive_definite
from geoctrl.checker.jets import Jet, Numbers, evaluate
from geoctrl.checker.limits import Refusal
from geoctrl.checker.theorems.lowest_form import gram
from tests.analysis.plain import plain
from tests.analysis.test_theorems import on_sphere, point_mass
from tests.attack.build.building_fields import judged, proof_of
from tests.attack.draw import drawing_fields
from tests.attack.draw.dice import Dice
from tests.checker.test_witnesses import CHANGES, at, changed, numbers, planar
from tests.checker.test_witnesses_of_theorems import content_of

MINIMUM, ZERO_ROOT = "energy-Casimir, lowest form", "spectrum and a series"
STABLE, ATTRACTS, UNSTABLE = "PROVED_STABLE", "PROVED_ASYMPTOTICALLY_STABLE", "PROVED_UNSTABLE"

CASES = {
    "an octic": point_mass("x**8 + x**4*y**4 + y**8 - x**7*y"),
    "a sextic": point_mass("x**6 - x**3*y**3 + 5*y**6 + x**5*y/3"),
    "unlike units": point_mass("1000000*x**4 - x**2*y**2 + y**4/1000000"),
    "a skew valley": point_mass("(x + 2*y)**2 + (x - y)**4 + (x + 2*y)*(x - y)**2/3"),
    "a root and an exponential": point_mass("sqrt(1 + x**2) + cos(x) + x**4 + exp(x)*y**2 + x**2*y"),
    "logarithm, arc tangent, a pole": point_mass("log(1 + x**2) - x**2 + x**4/(1 - x) + atan(y)**2"),
    "a bent valley on a sphere": on_sphere("(q1 - q2**2)**2 + 3*(q2 - q1**2)**4"),
    "a maximum": plain("-2*y, 4*x**3", {"x": 0, "y": 0}, conserved={"V": "-x**4 - y**2"}),
    "three states that attract": plain(
        "x*y + x**2*y/3, -2*y - x**2 + x*y, -3*w + x**2 + y*w", {"x": 0, "y": 0, "w": 0}
    ),
    "a fifth power": plain("-x**5/(1 + x) + x**2*y, -2*y - sin(x)*x*y", {"x": 0, "y": 0}),
    "a skew kernel": plain("-3*x + 3*y + x*(x - y), x - y - (x + 3*y)**3", {"x": 0, "y": 0}),
    "off the origin": plain("(x - 2)*(y + 1/3), -5*(y + 1/3) - (x - 2)**2*exp(x - 2)", {"x": 2, "y": "-1/3"}),
    "on a leaf": plain("x*w, -y, 2*x**2*w", {"x": 0, "y": 0, "w": 0}, leaf=["w - x**2"]),
}
"""Asymmetric ones, in other units, with functions, a leaf, and oblique kernels."""


def massive(potential, friction, length=1, time=1):
    """Two coupled masses, whose accelerations are unknowns of equations."""
    x, y = gc.Coordinate("x"), gc.Coordinate("y")
    L, T = sp.Rational(length), sp.Rational(time)
    directions = ([1, -2], [1, 1]) if friction else ()
    U = sp.sympify(potential, locals={"x": x.symbol / L, "y": y.symbol / L}) / T**2
    mechanism = gc.EulerPoincare(
        algebra=None,
        shape=[x, y],
        inertia=[[2 / L**2, 1 / L**2], [1 / L**2, (3 + x.symbol / L) / L**2]],
        potential=U,
        friction=[gc.Friction(d, viscous=sp.Rational(friction) / L**2 / T) for d in directions],
    )
    return mechanism.reduce()


MASSES = {
    "a valley": massive("(y - x**2)**2 + x**4", 0),
    "a valley in millimetres and days": massive("(y - x**2)**2 + x**4", 0, 1000, "1/86400"),
    "a pass": massive("x**2/2 + x*y + y**2/2 + y**3", "1/2"),
}


def agreed(outcome, content):
    """What search and checker say of a point."""
    found = checker.prove(json.loads(json.dumps(content)))
    assert (found.verdict, found.method) == (outcome.verdict.value, outcome.method)
    assert found.told == {"lowest_power": outcome.evidence["lowest_power"]}
    return found.method, found.verdict


def test_search_and_checker_agree():
    pairs = [content_of(problem) for problem in CASES.values()]
    certificates = [gc.certify(system, system.state()) for system in MASSES.values()]
    pairs += [(c, content_with_witnesses(c.proof)) for c in certificates]
    counted = Counter(agreed(*pair) for pair in pairs)
    assert counted == {(MINIMUM, STABLE): 10, (ZERO_ROOT, ATTRACTS): 4, (ZERO_ROOT, UNSTABLE): 2}


@pytest.mark.parametrize("make", [drawing_fields.valleys, drawing_fields.nilpotent, drawing_fields.families])
def test_search_and_checker_agree_on_fields_that_are_drawn(make):
    counted = Counter()
    for index in range(40):
        try:
            outcome = judged(make(Dice(11, index)))
        except gc.CertificateError:  # it switches at the point
            continue
        if outcome.method in (MINIMUM, ZERO_ROOT) and outcome.verdict.proved:
            counted[agreed(outcome, content_with_witnesses(proof_of(outcome)))] += 1
    assert counted.total() >= 5


# -- changed witnesses ------------------------------------------------------------------------------------

CHANGED = "a bent valley on a sphere", "unlike units", "three states that attract", "on a leaf"
FREE = "gram", "P", "multipliers"
"""Where other numbers may do as well."""


@pytest.fixture(scope="module")
def contents():
    return {name: content_of(CASES[name])[1] for name in CHANGED}


@pytest.mark.parametrize("name", CHANGED)
@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_witness_proves_the_same_or_nothing(contents, name, change):
    content, tried = contents[name], 0
    verdict = checker.prove(content).verdict
    for part in ("witness", "theorem"):
        for path in numbers(content[part]):
            data = changed(content, part, path, CHANGES[change])
            if at(data[part], path) in (at(content[part], path), "-0"):
                continue
            tried += 1
            with suppress(Refusal):
                assert checker.prove(data).verdict == verdict, path
                assert path[0] in FREE, path
    assert tried


def refused(content, match=None, **parts):
    with pytest.raises(Refusal, match=match):
        checker.prove(content | {"theorem": content["theorem"] | parts})


def test_series_are_those_of_their_powers(contents):
    for content in contents.values():
        theorem = content["theorem"]
        key = "half" if "half" in theorem else "power"
        for power in (theorem[key] - 1, theorem[key] + 1):
            refused(content, **{key: power})
        for label, terms in theorem["series"].items():
            refused(content, "series", series=theorem["series"] | {label: terms[1:]})


# -- minima by hand ---------------------------------------------------------------------------------------


def valley(V, along, p=2, rows=None, free="xy", **parts):
    """V in a plane where nothing moves: all is kept, and only what is a minimum is said to be one."""
    theorem = {
        "name": "lowest form",
        "rows": list(rows or []),
        "free": list(free),
        "inverse": [["1"]] * len(rows or []),
        "multipliers": {"V": "1"},
        "sense": 1,
        "half": p,
        "along": list(along),
        "series": {},
        "levels": {},
        "gram": [],
    }
    return planar([{}, {}], {"V": V} | (rows or {})) | {"theorem": theorem | parts}


def is_minimum(*args, **parts):
    try:
        return checker.prove(valley(*args, **parts)).verdict == STABLE
    except Refusal:
        return False


def test_forms_are_definite():
    for middle, entry, definite in ((1, "0", True), (-1, "-3/4", True), (-2, "-1", False), (-3, "-1", False)):
        V = {(4, 0): 1, (2, 2): middle, (0, 4): 1}
        assert is_minimum(V, "xy", gram=[entry]) is definite
    assert is_minimum({(4, 0): 1, (0, 2): 1}, "x")
    assert not is_minimum({(4, 0): -1, (0, 2): 1}, "x")
    assert not is_minimum({(4, 0): 1, (0, 2): -1}, "x")
    assert not is_minimum({(4, 0): 1}, "x")
    assert is_minimum({(4, 0): -1, (0, 2): -1}, "x", sense=-1)
    assert not is_minimum({(4, 0): 1, (0, 2): 1}, "x", sense=-1)


def test_nothing_is_below_the_forms():
    V = {(4, 0): 1, (0, 2): 1}
    for other in ((3, 0), (2, 0), (1, 0), (0, 1), (1, 1)):
        assert not is_minimum(V | {other: 1}, "x"), other
    assert is_minimum(V | {(5, 0): 1, (3, 1): 1, (0, 3): 1}, "x")


def test_no_minimum_above_a_minimum_on_every_line():
    """(y - x^2)(y - 3 x^2): on y = 0 it begins with 3 x^4, on y = 2 x^2 it is negative."""
    V = {(0, 2): 1, (2, 1): -4, (4, 0): 3}
    assert not is_minimum(V, "x")
    assert not is_minimum(V, "x", series={"y": [[[0, 0], "2"]]})
    more = V | {(4, 0): 5}
    assert not is_minimum(more, "x")
    assert is_minimum(more, "x", series={"y": [[[0, 0], "2"]]})


def test_the_series_is_on_the_level_set():
    """-y^2 + x^4/2 on y = x^2 is -x^4/2."""
    V, level = {(0, 2): -1, (4, 0): "1/2"}, {"F": {(0, 1): 1, (2, 0): -1}}
    assert not is_minimum(V, "x", rows=level, free="x")
    on = {"series": {"y": [[[0, 0], "1"]]}, "levels": {"F": [[[0, 0], "2"]]}}
    assert not is_minimum(V, "x", rows=level, free="x", **on)
    assert is_minimum(V | {(4, 0): 2}, "x", rows=level, free="x", **on)
    off = {"series": {"y": [[[0, 0], "1"]]}}
    assert not is_minimum(V | {(4, 0): 2}, "x", rows=level, free="x", **off)


def test_a_level_is_kept_and_regular():
    V, level = {(4, 0): 1, (0, 2): -1}, {"F": {(0, 1): 1}}
    assert is_minimum(V, "x", rows=level, free="x")
    assert not is_minimum(V, "x", rows={"F": {(0, 2): 1}}, free="x")
    moving = planar([{}, {(4, 0): 1}], {"V": {(4, 0): 1}} | level)
    with pytest.raises(Refusal, match="motion keeps 'F'"):
        checker.prove(moving | {"theorem": valley(V, "x", rows=level, free="x")["theorem"]})


def test_the_combination_is_kept():
    """x' = y, y' = x^3 is unstable, and x^4 + y^2 not kept."""
    data = planar([{(0, 1): 1}, {(3, 0): 1}], {"V": {(4, 0): 1, (0, 2): 1}})
    with pytest.raises(Refusal, match="motion keeps 'V'"):
        checker.prove(data | {"theorem": valley({}, "x")["theorem"]})


@pytest.mark.parametrize("along", ["", "xx", "xyx", "z", "xz"])
def test_variables_are_states_that_are_free(along):
    V = {(4, 0): 1, (0, 4): 1} if len(along) > 1 else {(4, 0): 1, (0, 2): 1}
    assert not is_minimum(V, along, gram=["0"] if len(along) > 1 else [])


def test_a_variable_is_none_that_a_level_fixes():
    """x^4 on y = x has a minimum: in y as well, but that is not the theorem."""
    V, level = {(0, 4): 1, (2, 0): 1, (1, 1): -2, (0, 2): 1}, {"F": {(0, 1): 1, (1, 0): -1}}
    on = {"rows": level, "free": "x", "series": {"x": [[[0], "1"]], "y": [[[0], "1"]]}}
    assert is_minimum(V, "x", **on)
    with pytest.raises(Refusal, match="one or two that are free"):
        checker.prove(valley(V, "y", **on))


def test_there_are_at_most_two_variables():
    """x^4 + y^4 - w^4: powers of w would be taken for those of a state beside."""
    data = valley({(4, 0): 1, (0, 4): 1}, "xyw", free="wxy", gram=["0"])
    problem = data["problem"]
    nodes, V, w = problem["nodes"], problem["invariants"]["V"], len(problem["nodes"])
    nodes += [["sym", "w", "state"], ["prod", "-1", [[w, 4]]], ["num", "1"]]
    nodes.append(["sum", [[w + 2, V], [w + 2, w + 1]]])
    problem["states"] = {"w": "0"} | problem["states"]
    problem["field"] = [problem["field"][0]] * 3
    problem["invariants"]["V"] = w + 3
    with pytest.raises(Refusal, match="one or two that are free"):
        checker.prove(data)


def test_a_constant_in_a_series_moves_no_point():
    """x^4 - y^2 + y^4/2 - 2 y^6 + ...: at y = 0 no minimum, whatever lies elsewhere."""
    V = {(4, 0): 1, (0, 2): -1, (0, 4): "1/2"}  # minima at y = 1 and y = -1
    assert not is_minimum(V, "x", series={"y": [[[], "1"]]})
    assert is_minimum({(4, 0): 1, (0, 2): 1}, "x", series={"y": [[[], "1"]]})


# -- Gram matrices ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("p", [1, 2, 3, 4, 5])
def test_gram_matrices_of_positive_forms_are_found(p):
    dice = random.Random(p)
    for _ in range(20):
        scale = fmpq(10) ** dice.randint(-9, 9)
        squares = [[fmpq(dice.randint(-9, 9), 7) for _ in range(p + 1)] for _ in range(2)]
        form = [
            sum((row[i] * row[k - i] for row in squares for i in range(p + 1) if 0 <= k - i <= p), fmpq(0))
            for k in range(2 * p + 1)
        ]
        form = [(c + fmpq(k % 2 == 0, 10)) * scale**k for k, c in enumerate(form)]
        G = gram(form, free_of_gram(form))
        assert positive_definite(G)
        for k, c in enumerate(form):
            assert sum((G[i][k - i] for i in range(p + 1) if 0 <= k - i <= p), fmpq(0)) == c


@pytest.mark.parametrize("form", [[1, 0, -2, 0, 1], [1, 0, -3, 0, 1], [-1, 0, 0, 0, -1], [0, 0, 1, 0, 0]])
def test_forms_that_are_not_positive_have_none(form):
    with pytest.raises(NotSolved):
        free_of_gram([fmpq(c) for c in form])


# -- one zero root by hand --------------------------------------------------------------------------------


def along_zero(rows, m, curve, P=(("1",),), along="x", free="xy", **more):
    theorem = {
        "name": "zero root",
        "rows": [],
        "free": list(free),
        "inverse": [],
        "power": m,
        "along": along,
        "series": {"y": curve} if curve else {},
        "P": [list(row) for row in P],
    }
    return planar(rows, **more) | {"theorem": theorem}


def verdict(data):
    try:
        return checker.prove(data).verdict
    except Refusal:
        return "refused"


BESIDE = {(0, 1): -1}


@pytest.mark.parametrize(
    ("m", "a", "expected"),
    [(3, -1, ATTRACTS), (3, 1, UNSTABLE), (2, -1, UNSTABLE), (2, 1, UNSTABLE), (4, -1, UNSTABLE)],
)
def test_a_power_attracts_or_passes(m, a, expected):
    assert verdict(along_zero([{(m, 0): a}, BESIDE], m, [])) == expected
    for other in {2, 3, 4, 5} - {m}:
        assert verdict(along_zero([{(m, 0): a}, BESIDE], other, [])) == "refused"


def test_a_field_that_vanishes_passes_nowhere():
    assert verdict(along_zero([{}, BESIDE], 3, [])) == "refused"


def test_powers_beyond_the_last_are_left_out():
    """x' = -x^3, y' = y (-1)."""
    data = along_zero([{(3, 0): -1}, BESIDE], 3, [[[0] * 5, "1"]])
    nodes = data["problem"]["nodes"]
    nodes += [["num", "-1"], ["sum", [[1, len(nodes)]]]]
    data["problem"]["field"][1] = len(nodes) - 1
    assert verdict(data) == ATTRACTS
    data["theorem"]["series"]["y"][0][0] = [0] * 3
    assert verdict(data) == "refused"


def test_what_is_beside_the_curve_falls():
    assert verdict(along_zero([{(3, 0): -1}, {(0, 1): 1}], 3, [])) == "refused"
    assert verdict(along_zero([{(3, 0): -1}, {(0, 1): 1}], 3, [], P=(("-1",),))) == "refused"
    assert verdict(along_zero([{(3, 0): -1}, {}], 3, [])) == "refused"


def test_the_curve_is_one_along_which_the_field_is_its_tangent():
    """x' = x y - x^3/2, y' = -y + x^2: x' = x^3/2 where y comes to rest, and -x^3/2 on y = 0."""
    rows = [{(1, 1): 1, (3, 0): "-1/2"}, BESIDE | {(2, 0): 1}]
    assert verdict(along_zero(rows, 3, [])) == "refused"
    assert verdict(along_zero(rows, 3, [[[0, 0], "1"]])) == UNSTABLE
    assert verdict(along_zero(rows, 3, [[[0, 0], "-1"]])) == "refused"
    assert verdict(along_zero(rows, 3, [[[0, 0], "1"], [[0], "1"]])) == "refused"
    assert verdict(along_zero(rows, 3, [[[0, 0], "1"]], along="y")) == "refused"


def test_the_curve_is_on_the_leaf():
    """x' = 2 y - x^3 is x^3 on y = x^3, and -x^3 on y = 0."""
    rows = [{(0, 1): 2, (3, 0): -1}, {(2, 1): 6, (5, 0): -3}]
    data = along_zero(rows, 3, [], P=(), free="x", leaf={"g": {(0, 1): 1, (3, 0): -1}})
    data["theorem"] |= {"rows": ["g"], "inverse": [["1"]]}
    assert verdict(data) == "refused"
    data["theorem"]["series"] = {"y": [[[0, 0, 0], "1"]]}
    assert verdict(data) == UNSTABLE


def test_unknowns_solve_their_equations_along_the_curve():
    """x' = z with z = x^3."""
    data = along_zero([{(3, 0): 1}, BESIDE], 3, [])
    problem, z = data["problem"], len(data["problem"]["nodes"])
    problem["nodes"] += [["sym", "z", "unknown"], ["num", "1"]]
    problem |= {"unknowns": ["z"], "matrix": [[0, 0, z + 1]], "right": [problem["field"][0]]}
    problem["field"] = [z, problem["field"][1]]
    data["witness"] = {"roots": [], "inverse": [["1"]], "cofactors": {}}
    for rate, expected in (("-1", "refused"), ("1", UNSTABLE), ("0", "refused")):
        data["theorem"]["series"] = {"z": [[[0, 0, 0], rate]]}
        assert verdict(data) == expected


def test_one_zero_root_is_one_of_the_whole_leaf():
    """x' = -x^3 beside y' = 0: on a level of y alone all is attracted."""
    data = along_zero([{(3, 0): -1}, {}], 3, [], P=(), free="x", invariants={"y": {(0, 1): 1}})
    data["theorem"] |= {"rows": ["y"], "inverse": [["1"]]}
    with pytest.raises(Refusal, match="whole leaf"):
        checker.prove(data)


@pytest.mark.parametrize(
    ("square", "curve", "expected"),
    [
        ("2", "1*r1", UNSTABLE),
        ("2", "7/5", "refused"),
        ("3/2", "1*r1", ATTRACTS),
        ("49/25", "1*r1", "refused"),  # the field vanishes there, which is not seen term by term
    ],
)
def test_numbers_of_series_may_hold_roots(square, curve, expected):
    """x' = x y - 7/5 x^3, y' = -y + sqrt(c) x^2: the rate is sqrt(c) - 7/5."""
    data = along_zero([{(1, 1): 1, (3, 0): "-7/5"}, BESIDE], 3, [[[0, 0], curve]])
    problem, c = data["problem"], len(data["problem"]["nodes"])
    problem["nodes"] += [["num", square], ["fun", "sqrt", [c]], ["prod", "1", [[0, 2]]]]
    problem["nodes"].append(["sum", [[2, problem["field"][1]], [c + 1, c + 2]]])
    problem["field"][1] = c + 3
    data["witness"]["roots"] = [[c + 1, "1*r1"]]
    assert verdict(data | {"roots": [square]}) == expected


# -- functions as series ----------------------------------------------------------------------------------

FUNCTIONS = {
    "sqrt": (sp.sqrt, "9/4", "3/2"),
    "sin": (sp.sin, "0", None),
    "cos": (sp.cos, "0", None),
    "exp": (sp.exp, "0", None),
    "log": (sp.log, "5/3", None),
    "atan": (sp.atan, "2/3", None),
}
ORDER = 7


def expanded(nodes, value, roots):
    x = Jet({(): fmpq(*Fraction(value).as_integer_ratio()), (0,): fmpq(2), (0, 0): fmpq(-1, 3)}, ORDER)
    (jet,) = evaluate(nodes, [len(nodes) - 1], {0: x}, Numbers(roots, ORDER))
    return [Fraction(str(jet.terms.get((0,) * k, 0))) for k in range(1, ORDER + 1)]


def true(slope, value):
    """Coefficients of a function of the series by the chain rule, from its derivative."""
    t, x = sp.symbols("t x")
    total, power, derivative = sp.Integer(0), sp.Integer(1), slope(x)
    for k in range(1, ORDER + 1):
        power = sp.expand(power * (2 * t - t**2 / 3))
        total += derivative.subs(x, sp.Rational(value)) / sp.factorial(k) * power
        derivative = sp.diff(derivative, x)
    found = sp.Poly(sp.expand(total), t)
    return [Fraction(str(found.coeff_monomial(t**k))) for k in range(1, ORDER + 1)]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_of_series_are_those_of_calculus(name):
    function, value, root = FUNCTIONS[name]
    nodes = [("sym", "x", "state"), ("fun", name, [0])]
    roots = {1: fmpq(*Fraction(root).as_integer_ratio())} if root else {}
    assert expanded(nodes, value, roots) == true(lambda x: sp.diff(function(x), x), value)


def test_quotients_and_integrals_of_series_are_those_of_calculus():
    inverse = [("sym", "x", "state"), ("prod", fmpq(1), [(0, -2)])]
    assert expanded(inverse, "2/3", {}) == true(lambda x: -2 / x**3, "2/3")
    numbers_of_it = [("num", fmpq(2, 3)), ("num", fmpq(5, 7))]
    nodes = [("sym", "x", "state"), *numbers_of_it, ("fun", "quadrature", [1, 2, 0])]
    slope = lambda x: 1 / (sp.Rational(2, 3) * x**2 + sp.Rational(5, 7))  # noqa: E731
    assert expanded(nodes, "1/2", {}) == true(slope, "1/2")
