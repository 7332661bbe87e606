"""Functions that grow: what they prove, in files that are confirmed; and files that would prove falsehoods.

Of every system the truth is known by hand, and is said beside it.
"""

import copy
from functools import cache
from itertools import islice, product

import pytest
import sympy as sp

import geoctrl as gc
from geoctrl import checker
from geoctrl.analysis.proofs.proof import decide
from geoctrl.checker.limits import Refusal
from tests.analysis.plain import plain
from tests.attack.forge.by_hand import Equations, with_theorem
from tests.checker.test_witnesses import CHANGES, at, changed, numbers
from tests.checker.test_witnesses_of_theorems import content_of

METHOD = "a growing function"


def hill(potential, inertia=((1, 0), (0, 1)), damping=0, at=(0, 0)):
    """Two masses, perhaps coupled, with equal friction on the momenta of both, and a potential about a
    point.
    """
    x, y, v, w = sp.symbols("x y v w", real=True)
    U = sp.sympify(potential, locals={"x": x, "y": y}, rational=True)
    U = U.subs({x: x - sp.Rational(at[0]), y: y - sp.Rational(at[1])}, simultaneous=True)
    M, speed = sp.Matrix(inertia), sp.Matrix([v, w])
    rates = M.inv() * sp.Matrix([-sp.diff(U, x), -sp.diff(U, y)]) - damping * speed
    energy = (speed.T * M * speed)[0] / 2 + U
    place = {"x": at[0], "y": at[1], "v": 0, "w": 0}
    return plain([v, w, *rates], place, **{"others" if damping else "conserved": {"energy": energy}})


def slope(potential):
    """A unit mass on a line."""
    x, v = sp.symbols("x v", real=True)
    U = sp.sympify(potential, locals={"x": x}, rational=True)
    return plain([v, -sp.diff(U, x)], {"x": 0, "v": 0}, conserved={"energy": v**2 / 2 + U})


def rest(field, names):
    return plain(field, dict.fromkeys(names, 0))


GROWING = {
    "x^3": slope("x**3"),
    "-x^14": slope("-x**14"),
    "a slope of two degrees": slope("-x**4 + x**5/3"),
    "one that is not quasihomogeneous": slope("-x**4 - x**6/3 + x**9"),
    "two parabolas": hill("(y - x**2)*(y - 3*x**2)"),
    "two parabolas, coupled": hill("(y - x**2)*(y - 3*x**2)", [[2, 1], [1, 3]]),
    "two parabolas and a seventh power": hill("(y - x**2)*(y - 3*x**2) + x**7"),
    "a quartic": hill("x**4 + y**4 - 3*x**2*y**2"),
    "a quartic with friction": hill("x**4 + y**4 - 3*x**2*y**2", damping=2),
    "the same elsewhere, coupled": hill("x**4 + y**4 - 3*x**2*y**2", [[2, 1], [1, 3]], 1, ("1/3", -2)),
    "a fold": hill("x**3 + y**2 + x*y**2"),
    "a line of rest": hill("x**2*y"),
    "a monkey saddle with a fifth power": hill("x**3 - 3*x*y**2 + x**5"),
    "a spring that pushes, nothing told of it": rest("y, x**3", "xy"),
    "a cusp": rest("y, -x**2", "xy"),
    "forces with a potential, pushed against": rest("v, w, 2*x*y - v, x**2 - w", "xyvw"),
    "a frozen rate": plain("x*y, 0", {"x": 0, "y": 0}),
    "a frozen rate, the other sign": plain("-x*y, 0", {"x": 0, "y": 0}),
    "a frozen rate on a leaf": plain("x*y, 0, 2*x**2*y", {"x": 0, "y": 0, "z": 0}, leaf=["z - x**2"]),
    "a frozen rate elsewhere, with a pole": plain("(x - 1)*(y - 2)/(1 + x), 0", {"x": 1, "y": 2}),
    "a subcritical pitchfork": plain("x*c + x**3, 0", {"x": 0, "c": 0}),
    "two frozen states": plain("w*y, 0, -z, 0", dict.fromkeys("xyzw", 0)),
    "a power and a frozen square": plain("x**2 + y**2, 0", {"x": 0, "y": 0}),
    "a cubic beside a still state": plain("y**3, 0", {"y": 0, "x": 0}),
    "a frozen difference": plain("(x - y)**3, (x - y)**3", {"x": 0, "y": 0}, conserved={"d": "x - y"}),
}
"""All unstable: by hand, or by a run."""

LEFT_OPEN = {
    # stable: whatever c, motions stay within the larger of |x(0)| and sqrt|c|
    "a pitchfork with a frozen parameter": plain("x*(c - x**2), 0", {"x": 0, "c": 0}, conserved={"c": "c"}),
    "the same, c squared": plain("x*(c**2 - x**2), 0", {"x": 0, "c": 0}),
    "a spring that pulls, nothing told of it": rest("y, -x**3", "xy"),
    # stable: forces that turn, held by friction, and no potential
    "forces that turn": rest("v, w, -x**3 - y**3 - v, x**3 - y**3 - w", "xyvw"),
    "a cubic that attracts": plain("-x**3, 0", {"x": 0, "c": 0}),
    "a frozen square that attracts": plain("-x*c**2, 0", {"x": 0, "c": 0}),
}


@pytest.mark.parametrize("name", GROWING)
def test_what_grows_is_unstable(name):
    outcome, content = content_of(GROWING[name])
    assert (outcome.verdict.value, outcome.method) == ("PROVED_UNSTABLE", METHOD)
    found = checker.prove(content)
    assert (found.verdict, found.method) == ("PROVED_UNSTABLE", METHOD)


@pytest.mark.parametrize("name", LEFT_OPEN)
def test_what_is_stable_is_not_said_to_grow(name):
    assert decide(LEFT_OPEN[name]).verdict.value == "UNDECIDED"


# -- files by hand ----------------------------------------------------------------------------------------


def verdict(problem, theorem):
    try:
        return checker.prove(with_theorem(problem, theorem)).verdict
    except Refusal:
        return "refused"


def growth(e, W, factor, rising, itself=0, squares=(), arc=None, order=8):
    """A theorem over all states."""
    rows = {"rows": [], "free": list(e.states), "inverse": []}
    squares = [{"factor": d, "square": root} for d, root in squares]
    parts = {"function": W, "weights": [], "factor": factor, "self": itself, "squares": squares}
    rising = [{"power": k, "conserved": {name: str(c)}} for name, k, c in rising]
    arc = {k: [[power, str(c)] for power, c in row] for k, row in (arc or {}).items()}
    return {"name": "growing", **rows, **parts, "rising": rising, "cofactors": [], "order": order, "arc": arc}


STILL = {
    "pitchfork": lambda e: [e.total(e.monomial(1, x=1, c=1), e.monomial(-1, x=3)), e.number(0)],
    "cubic": lambda e: [e.monomial(-1, x=3), e.number(0)],
    "frozen square": lambda e: [e.monomial(-1, x=1, c=2), e.number(0)],
    "nothing": lambda e: [e.number(0), e.number(0)],
}
"""Stable."""


@pytest.mark.parametrize("step", [97, pytest.param(1, marks=pytest.mark.long(reason="10,000 files"))])
@pytest.mark.parametrize("name", STILL)
def test_no_file_makes_a_stable_point_unstable(name, step):
    """Powers of x for W, of c and its square for what is conserved, all factors, senses and arcs."""
    e = Equations(x=0, c=0)
    field = STILL[name](e)
    problem = e.problem(field, {}, {"c": e.places["c"], "c^2": e.monomial(1, c=2)})
    functions = [e.monomial(s, x=k) for s in (1, -1) for k in (1, 2)]
    factors = [e.number(1), e.number(2), e.number("1/2"), e.monomial(1, x=1), e.number(-1), e.number(0)]
    factors += [e.total(e.number(1), e.monomial(-1, x=2))]
    squares = [(), ((e.number(1), e.monomial(1, x=1)),), ((e.number(0), e.monomial(1, x=1)),)]
    arcs = [{"x": [(1, s)], "c": [(k, r)]} for s, r, k in product((1, -1), (1, -1), (1, 3))]
    rising = [(), (("c", 1, 1),), (("c", 1, -1),), (("c", 2, 1),), (("c^2", 1, 1),)]
    for W, g, row, j, parts, arc in islice(
        product(functions, factors, rising, (0, 1, 2, 3), squares, arcs), 0, None, step
    ):
        assert verdict(problem, growth(e, W, g, row, j, parts, arc)) == "refused"


def test_a_growing_function_by_hand():
    """Negative control: x' = x c, by x and c, and each hypothesis by itself."""
    e = Equations(x=0, c=0)
    problem = e.problem([e.monomial(1, x=1, c=1), e.number(0)], {}, {"c": e.places["c"], "x": e.places["x"]})
    one, x, arc = e.number(1), e.places["x"], {"x": [(1, 1)], "c": [(1, 1)]}
    assert verdict(problem, growth(e, x, one, [("c", 1, 1)], 1, (), arc)) == "PROVED_UNSTABLE"
    wrong = [
        growth(e, x, one, [("c", 1, 1)], 1, (), arc | {"c": [(1, -1)]}),  # c < 0 on the arc
        growth(e, x, one, [("c", 1, 1)], 1, (), arc | {"x": [(1, -1)]}),  # W < 0
        growth(e, x, one, [("c", 1, 1)], 1, (), {"c": [(1, 1)]}),  # W = 0
        growth(e, x, one, [("c", 2, 1)], 1, (), arc),  # another power
        growth(e, x, one, [("c", 1, 1)], 0, (), arc),  # W left out
        growth(e, x, e.number(-1), [("c", 1, -1)], 1, (), arc | {"c": [(1, -1)]}),  # a negative factor
        growth(e, x, e.places["c"], [], 1, (), arc),  # a factor that vanishes at the point
        growth(e, x, one, [("x", 1, 1), ("c", 1, 1)], 0, (), arc),  # x is not conserved
        growth(e, x, one, [("c", 1, 1)], 1, [(one, x)], arc),  # a square too many
        growth(e, x, one, [("c", 1, 1)], 1, (), arc | {"c": [(5, 1)]}, order=4),  # c is not seen
        growth(e, x, one, [("c", 1, 1)], 1, (), {"x": [(1, 1)], "c": []}),  # c = 0
        growth(e, x, one, [("c", 1, 1)], 1, (), arc) | {"free": ["x"]},  # tangents that are none
    ]
    assert {verdict(problem, theorem) for theorem in wrong} == {"refused"}


def test_an_arc_is_one_of_a_single_variable_on_the_leaf():
    """x' = x c on z = x^2, which the arc has to keep."""
    _, content = content_of(GROWING["a frozen rate on a leaf"])
    assert checker.prove(content).verdict == "PROVED_UNSTABLE"
    for arc in ({"z": []}, {"z": [[2, "2"]]}, {"z": [[1, "1"]]}, {"x": [[1, "2"]]}):
        data = copy.deepcopy(content)
        data["theorem"]["arc"] |= arc
        with pytest.raises(Refusal):
            checker.prove(data)
    data = copy.deepcopy(content)
    data["theorem"] |= {"rows": [], "free": list(data["problem"]["states"]), "inverse": []}
    with pytest.raises(Refusal, match="whole leaf"):
        checker.prove(data)


@cache
def genuine(name):
    return content_of(GROWING[name])[1]


@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_number_proves_nothing(change):
    refused = 0
    for name in ("a quartic with friction", "two parabolas, coupled", "a frozen rate on a leaf"):
        content = genuine(name)
        for path in numbers(content["theorem"]):
            data = changed(content, "theorem", path, CHANGES[change])
            if at(data["theorem"], path) in (at(content["theorem"], path), "-0"):
                continue
            try:
                checker.prove(data)
            except Refusal:
                refused += 1
            else:
                assert path[0] == "arc", path  # another arc downhill does as well
    assert refused > 2


MUTANTS = {
    "another weight": lambda t, n: t.update(weights=[0]),
    "another factor": lambda t, n: t.update(factor=t["function"]),
    "another function": lambda t, n: t.update(function=t["factor"]),
    "itself": lambda t, n: t.update(self=1),
    "itself, squared": lambda t, n: t.update(self=2),
    "another power": lambda t, n: t["rising"][0].update(power=2),
    "an odd power": lambda t, n: t["rising"][0].update(power=3),
    "nothing that rises": lambda t, n: t.update(rising=[]),
    "twice": lambda t, n: t["rising"].append(t["rising"][0]),
    "a square less": lambda t, n: t["squares"].pop(),
    "a square twice": lambda t, n: t["squares"].append(t["squares"][0]),
    "uphill": lambda t, n: t.update(arc={n[0]: [[1, "1"]]}),
    "no arc": lambda t, n: t.update(arc={}),
    "an arc too short": lambda t, n: t.update(order=1),
    "no reason": lambda t, n: t["rising"][0].pop("conserved", t["rising"][0].pop("fall", None)),
    "cofactors": lambda t, n: t.update(cofactors=[[0, 0]]),
}


@pytest.mark.parametrize("name", ["a quartic with friction", "two parabolas, coupled"])
def test_mutants_of_growing_functions_are_refused(name):
    for told, change in MUTANTS.items():
        data = copy.deepcopy(genuine(name))
        change(data["theorem"], list(data["problem"]["states"]))
        with pytest.raises(Refusal):
            checker.prove(data)
            pytest.fail(told)


def test_what_falls_rises_with_the_other_sign_alone():
    content = genuine("a quartic with friction")
    fall = content["theorem"]["rising"][0]["fall"]
    for part in ({"sense": -fall["sense"]}, {"squares": []}, {"squares": fall["squares"][:1]}):
        data = copy.deepcopy(content)
        data["theorem"]["rising"][0]["fall"] |= part
        with pytest.raises(Refusal):
            checker.prove(data)


# -- mechanisms -------------------------------------------------------------------------------------------


def test_no_minimum_of_a_potential_is_unstable(tmp_path):
    """With an inertia that varies, accelerations unsolved for, and friction along an oblique way."""
    x, y = gc.Coordinate("x"), gc.Coordinate("y")
    a, b = x.symbol, y.symbol
    friction = [gc.Friction([1, 0], viscous=2), gc.Friction([1, 1], viscous=sp.Rational(1, 2))]
    for U, inertia, drag, expected in (
        ((b - a**2) * (b - 3 * a**2), [[2 + a**2, 1], [1, 3 + b**2]], (), "PROVED_UNSTABLE"),
        (a**4 + b**4 - 3 * a**2 * b**2, [[1, 0], [0, 1]], friction, "PROVED_UNSTABLE"),
        (a**4 + b**4 - a**2 * b**2, [[2 + a**2, 1], [1, 3 + b**2]], (), "PROVED_STABLE"),
    ):
        system = gc.EulerPoincare(None, shape=[x, y], inertia=inertia, potential=U, friction=drag).reduce()
        found = gc.certify(system, system.state())
        assert found.verdict.value == expected
        found.to_json(tmp_path / "c.json")
        again = gc.verify(tmp_path / "c.json")
        assert (again.verdict.value, again.claim) == (expected, found.claim)
        if expected == "PROVED_UNSTABLE":
            assert found.method == METHOD
            assert "a function grows beyond all bounds as long as they stay near" in found.claim


def test_fields_of_the_front_door_grow(tmp_path):
    x, c = sp.symbols("x c", real=True)
    for rate, expected in ((x * c, "PROVED_UNSTABLE"), (x * (c - x**2), "UNDECIDED")):
        found = gc.certify(gc.VectorField([x, c], [rate, 0 * x]).reduce(), [0, 0])
        assert found.verdict.value == expected
