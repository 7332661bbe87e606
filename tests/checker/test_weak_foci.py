"""Weak foci: the coefficient of the third order against the formula for planar fields, those of the fifth and
the seventh against means by hand and in other coordinates, and files that are refused.
"""

import copy
import random
from fractions import Fraction
from functools import cache

import pytest
import sympy as sp

import geoctrl as gc
from geoctrl import checker
from geoctrl.analysis.proofs.proof import decide
from geoctrl.checker.limits import Refusal
from geoctrl.decisions.theorems import focus_decision
from tests.analysis.plain import plain
from tests.attack.forge.by_hand import Equations, with_theorem
from tests.checker.test_witnesses import CHANGES, at, changed, numbers
from tests.checker.test_witnesses_of_theorems import content_of

METHOD = "a weak focus"
STABLE, ATTRACTS, UNSTABLE = "PROVED_STABLE", "PROVED_ASYMPTOTICALLY_STABLE", "PROVED_UNSTABLE"


def rest(field, names, **more):
    return plain(field, dict.fromkeys(names, 0), **more)


FOCI = {
    "van der Pol's damping without its drive": (rest("y, -x - x**2*y", "xy"), ATTRACTS, "-1/4"),
    "a cubic that drives": (rest("-y + x**3, x", "xy"), UNSTABLE, "3/4"),
    "squares alone": (rest("y, -x + x**2 + x*y", "xy"), UNSTABLE, "1/4"),
    # z = -(x^2 + ...): z + x^2 on the surface has the sign of -x^2 in the mean
    "a third state that brakes": (rest("-y + x*z, x + y*z, -z - x**2", "xyz"), ATTRACTS, None),
    "a third state that drives": (rest("-y + x*z, x + y*z, -z + x**2", "xyz"), UNSTABLE, None),
    "functions": (rest("-sin(y) - x**3, x*exp(y)", "xy"), ATTRACTS, None),
    "elsewhere": (plain("-(y - 2) - (x - 1)**3, x - 1", {"x": 1, "y": 2}), ATTRACTS, "-3/4"),
    "on a leaf": (rest("-y - x**3, x, 2*x*(-y - x**3)", "xyz", leaf=["z - x**2"]), ATTRACTS, "-3/4"),
    # near levels c > 0 have a cycle about a focus that repels
    "levels of a parameter": (
        rest("-y + c*x - x*(x**2 + y**2), x + c*y - y*(x**2 + y**2), 0", "xyc", conserved={"c": "c"}),
        STABLE,
        "-2",
    ),
    "levels that repel": (rest("-y + c*x + x**3, x, 0", "xyc", conserved={"c": "c"}), UNSTABLE, "3/4"),
    # V = x^2 + y^2 has V' = 2 x^6, in the mean 2 (5/16) r^6
    "the fifth power": (rest("-y + x**5, x", "xy"), UNSTABLE, "5/8"),
    # 2 x^8, in the mean 2 (35/128) r^8
    "the seventh power": (rest("-y - x**7, x", "xy"), ATTRACTS, "-35/64"),
    # V' = -2 x^4 y^2, and x^4 y^2 has the mean r^6/16
    "Lienard's": (rest("y, -x - x**4*y", "xy"), ATTRACTS, "-1/8"),
    # V' = 2 x^2 r^2 z, and z is of the size of -r^2 on the surface
    "a state beside the fifth": (rest("-y + x**3*z, x + x**2*y*z, -z - x**2", "xyz"), ATTRACTS, None),
    "levels of the fifth": (
        rest("-y + c*x - x*(x**2 + y**2)**2, x + c*y - y*(x**2 + y**2)**2, 0", "xyc", conserved={"c": "c"}),
        STABLE,
        "-2",
    ),
}
ORDERS = {"the fifth power": 5, "the seventh power": 7, "Lienard's": 5, "a state beside the fifth": 5}
ORDERS["levels of the fifth"] = 5
NONE = {
    "a centre": rest("y, -x - x**3", "xy"),  # stable
    "the ninth power": rest("-y + x**9, x", "xy"),  # unstable: the orders up to the seventh are zero
    "two planes": rest("-y - x**3, x, -2*w, z", "xyzw"),  # stable
    # unstable: s grows without end, though its levels would have foci that attract
    "a state that is no level": rest("-y - x*(x**2 + y**2), x - y*(x**2 + y**2), x**2 + y**2", "xys"),
}


@pytest.mark.parametrize("name", FOCI)
def test_the_first_order_that_is_not_zero_tells(name):
    problem, expected, g = FOCI[name]
    outcome, content = content_of(problem)
    assert (outcome.verdict.value, outcome.method) == (expected, METHOD)
    assert g is None or outcome.evidence["lyapunov_coefficient"] == g
    assert outcome.evidence["order"] == ORDERS.get(name, 3)
    found = checker.prove(content)
    assert (found.verdict, found.method) == (expected, METHOD)


@pytest.mark.parametrize("name", NONE)
def test_where_no_order_tells_nothing_is_said(name):
    assert not decide(NONE[name]).verdict.proved


CIRCLES = "-y - y**3, x + x*y**2, -z"
CENTRES = {
    7: rest(CIRCLES, "xyz"),
    3: rest(CIRCLES, "xyz", conserved={"the square of the radius, squared": "(x**2 + y**2)**2"}),
}


@pytest.mark.parametrize("last", CENTRES)
def test_no_higher_order_is_asked_beside_what_is_conserved(last, monkeypatch):
    """A centre has no coefficient of any order, and series of a large system take seconds."""
    asked, surface = [], focus_decision._surface
    monkeypatch.setattr(
        focus_decision, "_surface", lambda q, ring, *more: asked.append(ring.order) or surface(q, ring, *more)
    )
    decide(CENTRES[last])
    assert max(asked) == last


def test_the_coefficient_is_that_of_the_planar_formula():
    """Guckenheimer and Holmes (3.4.11), of fields with w^2 and all coefficients drawn."""
    x, y = sp.symbols("x y", real=True)
    dice, signs = random.Random(11), set()
    for w in (sp.Integer(1), sp.Rational(3, 2), sp.Rational(-2, 5)):
        terms = [x**2, x * y, y**2, x**3, x**2 * y, x * y**2, y**3]
        f, g = (sum(dice.randint(-3, 3) * t for t in terms) for _ in range(2))

        def d(F, *by):
            return sp.diff(F, *by).subs({x: 0, y: 0})

        a = d(f, x, x, x) + d(f, x, y, y) + d(g, x, x, y) + d(g, y, y, y)
        a += (d(f, x, y) * (d(f, x, x) + d(f, y, y)) - d(g, x, y) * (d(g, x, x) + d(g, y, y))) / w
        a += (d(f, y, y) * d(g, y, y) - d(f, x, x) * d(g, x, x)) / w
        outcome = decide(plain([-w * y + f, w * x + g], {"x": 0, "y": 0}))
        assert a != 0
        # V_2 = |w| r^2 and r' = a r^3/16
        assert Fraction(outcome.evidence["lyapunov_coefficient"]) == Fraction(str(a / (8 * abs(w))))
        signs.add(outcome.verdict.value)
    assert len(signs) == 2


@pytest.mark.parametrize(("order", "a", "sheared"), [(5, "-2/3", "xy"), (5, "1", "x"), (7, "1/5", "y")])
def test_higher_coefficients_are_those_of_a_normal_form_in_other_coordinates(order, a, sheared):
    """r' = a r^m seen from curved coordinates: V_2 is the same, and so is g = 2 a."""
    x, y = sp.symbols("x y", real=True)
    radius = sp.Rational(a) * (x**2 + y**2) ** (order // 2)
    f, g = -y + radius * x, x + radius * y
    if "x" in sheared:  # X = x + s(y)
        s = 3 * y**2 - y**3
        f, g = (sp.expand(rate.subs(x, x - s)) for rate in (f + sp.diff(s, y) * g, g))
    if "y" in sheared:  # Y = y + s(x)
        s = x**2 / 2
        f, g = (sp.expand(rate.subs(y, y - s)) for rate in (f, g + sp.diff(s, x) * f))
    outcome, content = content_of(plain([f, g], {"x": 0, "y": 0}))
    assert outcome.evidence["order"] == order
    assert Fraction(outcome.evidence["lyapunov_coefficient"]) == 2 * Fraction(a)
    verdict = UNSTABLE if Fraction(a) > 0 else ATTRACTS
    assert checker.prove(content).verdict == outcome.verdict.value == verdict


@pytest.mark.parametrize("length", ["1000", "1/1000"])
def test_verdicts_do_not_depend_on_units(length):
    L, (x, y) = sp.Rational(length), sp.symbols("x y", real=True)
    field = [y, -x - x**2 * y]
    moved = [L * f.subs({x: x / L, y: 3 * y / L}, simultaneous=True) for f in field]
    outcome, content = content_of(plain([moved[0], moved[1] / 3], {"x": 0, "y": 0}))
    assert outcome.verdict.value == checker.prove(content).verdict == ATTRACTS


# -- files ------------------------------------------------------------------------------------------------


@cache
def genuine(name):
    return content_of(FOCI[name][0])[1]


@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_number_proves_nothing_else(change):
    refused = 0
    for name in ("a third state that drives", "levels of a parameter", "levels of the fifth"):
        content = genuine(name)
        for path in numbers(content["theorem"]):
            data = changed(content, "theorem", path, CHANGES[change])
            if at(data["theorem"], path) in (at(content["theorem"], path), "-0"):
                continue
            try:
                # Another form may fall as well, and to V_4 a multiple of the square of V_2 may be added.
                assert checker.prove(data).verdict == FOCI[name][1], path
                assert path[0] == "P", path
            except Refusal:
                refused += 1
    assert refused > 10


def test_parts_of_another_focus_are_refused():
    content = genuine("levels of a parameter")
    states = list(content["problem"]["states"])
    leaf = {"rows": [], "free": states, "inverse": []}
    wrong = [
        {"along": ["x", "x"]},
        {"along": ["x", "c"]},
        {"series": {"c": [[[0, 0], "1"]]}},
        {"series": {"c": [[[0], "1"]]}},
        {"P": [["1"], ["0", "1"]]} | leaf,
        {"P": [["-1"]]} | leaf,
        leaf,
        {"forms": genuine("levels that repel")["theorem"]["forms"]},
        {"forms": [*content["theorem"]["forms"], ["0"] * 6]},
        {"forms": [*content["theorem"]["forms"], ["0"] * 6, ["0"] * 7]},
        {"forms": genuine("levels of the fifth")["theorem"]["forms"]},
        {"forms": content["theorem"]["forms"][:2]},
        {"forms": [*content["theorem"]["forms"][:2], ["0"] * 6]},
        {"forms": []},
        {"forms": [["1", "0", "-1"], ["0"] * 4, ["0"] * 5]},
        {"forms": [["0", "0", "0"], ["0"] * 4, ["0"] * 5]},
        {"free": ["x"]},
    ]
    for parts in wrong:
        data = copy.deepcopy(content)
        data["theorem"] |= parts
        with pytest.raises(Refusal):
            checker.prove(data)


def by_hand(rates, square=("1", "0", "1"), P=(), names="xy", fourth=("0",) * 5, further=()):
    e = Equations(**dict.fromkeys(names, 0))
    field = [e.total(*(e.monomial(c, **powers) for c, powers in rate)) for rate in rates]
    theorem = {"name": "weak focus", "rows": [], "free": list(names), "inverse": [], "along": ["x", "y"]}
    forms = [list(square), ["0"] * 4, list(fourth), *further]
    theorem |= {"series": {}, "forms": forms, "P": [list(row) for row in P]}
    try:
        return checker.prove(with_theorem(e.problem(field), theorem)).verdict
    except Refusal:
        return "refused"


TURN = [(-1, {"y": 1})], [(1, {"x": 1})]


def radial(sign):
    """r' = sign r^3 about a turn."""
    first = [*TURN[0], (sign, {"x": 3}), (sign, {"x": 1, "y": 2})]
    return [first, [*TURN[1], (sign, {"y": 3}), (sign, {"y": 1, "x": 2})]]


def test_foci_by_hand():
    assert by_hand(radial(-1)) == ATTRACTS
    assert by_hand(radial(1)) == UNSTABLE
    assert by_hand(TURN) == "refused"  # a centre: g = 0
    # of a focus of the third order the fifth tells nothing; of r' = -r^5 it does
    fifth, seventh = [["0"] * 6, ["0"] * 7], [["0"] * 8, ["0"] * 9]
    assert by_hand(TURN, further=fifth) == by_hand(radial(-1), further=fifth) == "refused"
    rates = [[*TURN[0], (-1, {"x": 5}), (-2, {"x": 3, "y": 2}), (-1, {"x": 1, "y": 4})]]
    rates.append([*TURN[1], (-1, {"y": 5}), (-2, {"y": 3, "x": 2}), (-1, {"y": 1, "x": 4})])
    assert by_hand(rates, further=fifth) == ATTRACTS
    assert by_hand(rates) == by_hand(rates, further=fifth + seventh) == "refused"
    # no turn: x' = -x r^2, y' = -y r^2 attracts, and is no focus; x' = x, y' = -y beside it is a saddle
    still = [[row for row in rate if row not in (TURN[0][0], TURN[1][0])] for rate in radial(-1)]
    assert by_hand(still) == "refused"
    saddle = [[*still[0], (1, {"x": 1})], [*still[1], (-1, {"y": 1})]]
    assert by_hand(saddle) == by_hand(saddle, ("1", "0", "-1")) == "refused"
    # beside a state that grows, that rests, and one that decays
    for rate, expected in ((1, "refused"), (0, "refused"), (-1, ATTRACTS)):
        rates = [*radial(-1), [(rate, {"z": 1})]]
        assert by_hand(rates, P=[["1"]], names="xyz") == expected
    # a spiral of the first order is none of the third
    spiral = [[*radial(-1)[0], (1, {"x": 1})], [*radial(-1)[1], (1, {"y": 1})]]
    assert by_hand(spiral) == "refused"
    assert by_hand(radial(-1), ("-1", "0", "-1")) == "refused"


# -- mechanisms -------------------------------------------------------------------------------------------


def test_a_loop_at_its_hopf_point(tmp_path):
    """An oscillator whose drive and brake are equal in the first order; the cubic brake tells, either way."""
    for k, expected in ((1, ATTRACTS), (-1, UNSTABLE)):
        q = gc.Coordinate("q")
        force = -k * q.symbol**2 * q.rate - q.symbol**2 / 3
        system = gc.EulerPoincare(
            None, shape=[q], inertia=[[2]], potential=q.symbol**2, forces=[force]
        ).reduce()
        found = gc.certify(system, system.state())
        assert (found.verdict.value, found.method) == (expected, METHOD)
        found.to_json(tmp_path / "c.json")
        again = gc.verify(tmp_path / "c.json")
        assert (again.verdict.value, again.claim) == (expected, found.claim)
    assert "turn away from it on a surface" in found.claim
