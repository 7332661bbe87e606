"""Points that are known up to a box, and families in balls: what the search proves is confirmed by
witnesses, and nothing where one hypothesis fails.
"""

import copy
import json
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
import sympy as sp
from flint import arb, ctx, fmpq
from mpmath import mp, quad

import geoctrl as gc
from geoctrl import checker
from geoctrl.analysis.witnesses.content import content_with_witnesses
from geoctrl.checker.enclosures.balls import Balls, quadrature
from geoctrl.checker.jets import Jet
from geoctrl.checker.limits import Refusal
from geoctrl.checker.theorems.boxes import require_zero
from tests.analysis.slow_pendulum import slow
from tests.analysis.test_angles import pendulum
from tests.attack.forge.by_hand import Equations, decided
from tests.attack.forge.genuine import turntable
from tests.checker.test_witnesses import CHANGES, UNIT, at, changed, numbers, planar
from tests.decisions.test_boxes import boxed, cubic, levels, turning
from tests.literature.skate_by_hand import GENERIC, leaning_turn


def by_hand(problem, **proposal):
    """What the search decides of equations by hand, as a proof."""
    return decided(problem, **{"conserved": []} | proposal)


def arms(length=1, time=1, upper=False, spring=0, damping=1):
    """Two unequal arms that a torque holds at an angle, coupled through their inertia, in units of one's
    own.
    """
    p, q = (gc.Coordinate(name, angle=name == "p") for name in "pq")
    energy = sp.Rational(length) ** 2 / sp.Rational(time) ** 2
    coupling = sp.Rational(1, 3) * sp.cos(p.symbol - q.symbol)
    wind = sp.Rational(1, 5) * energy
    system = gc.EulerPoincare(
        shape=[p, q],
        inertia=sp.Rational(length) ** 2 * sp.Matrix([[2, coupling], [coupling, 1]]),
        potential=energy
        * (
            -sp.cos(p.symbol) - sp.Rational(2, 3) * sp.cos(q.symbol) + spring * (p.symbol - q.symbol) ** 2 / 2
        ),
        forces=[
            wind - damping * sp.Rational(length) ** 2 / sp.Rational(time) * p.rate / 3,
            wind / 2 - damping * sp.Rational(length) ** 2 / sp.Rational(time) * q.rate / 4,
        ],
    ).reduce()
    guess = [0, 0, 3 if upper else 0.2, 0.1]
    return system, gc.find_equilibrium(system, guess)


def spun():
    """A pendulum that a torsional spring holds at an irrational angle."""
    system = pendulum(spring=sp.Rational(1, 3))
    return system, gc.find_equilibrium(system, guess=system.state(phi=3.0))


def rest_line(sign=1, length=1, time=1):
    """Rest is b = s a, of a spring with the stiffness k cos(c)."""
    length, time = sp.Rational(length), sp.Rational(time)
    a, b, c = gc.Coordinate("a"), gc.Coordinate("b"), gc.Parameter("c", 0.4)
    given = {"s": sp.Rational(3, 7) / length, "k": sign * (length / time) ** 2, "d": 2 / time, "m": length**2}
    s, k, d, m = (gc.Parameter(name, value) for name, value in given.items())
    system = gc.EulerPoincare(
        shape=[a, b],
        inertia=[[1, 0], [0, m]],
        potential=k * sp.cos(c) * (b - s * a) ** 2 / 2,
        friction=[gc.Friction([1, 0], viscous=d), gc.Friction([0, 1], viscous=d * m)],
        parameters=[c, s, k, d, m],
    ).reduce()
    return system, system.state()


def leaning(tilt, w):
    skate = gc.models.get("pendulum-skate")().reduce()
    params = GENERIC | {"I2": 0.8 * GENERIC["I3"]}
    return skate, leaning_turn(tilt, w, params), params


def table(angle):
    system = turntable()
    return system, gc.find_equilibrium(system, [0, 0, 0.3, angle])


PROOFS = {
    "root": lambda: by_hand(boxed(cubic())),
    "root from above": lambda: by_hand(boxed(cubic(1)), root=[4.0, 0.0]),
    "centre": lambda: by_hand(boxed(turning()), conserved=["energy"], multipliers={}),
    "saddle": lambda: by_hand(boxed(turning(-1)), root=[1.6817928305074292, 0.0]),
    "levels": lambda: by_hand(boxed(levels(), held=["z"], omitted=["z"]), conserved=["z0"]),
    "arms": arms,
    "arms above": lambda: arms(upper=True),
    "arms in other units": lambda: arms("1/1000", "1/100000"),
    "arms above in other units": lambda: arms(1000, "1/7", upper=True),
    "arms with a spring": lambda: arms(spring=sp.Rational(1, 7)),
    "slow": lambda: (slow(1e-40), [0.0, float(np.arcsin(0.3))]),
    "quick": lambda: (slow(1e40), [0.0, float(np.arcsin(0.3))]),
    "spring": spun,
    "leaning fast": lambda: leaning(0.5, 11.0),
    "leaning slowly": lambda: leaning(0.5, 2.5),
    "table": lambda: table(3.5),
    "table with an arm": lambda: table(0.2),
    "line": rest_line,
    "line in other units": lambda: rest_line(1, 10**6, "1/1000"),
    "line that repels": lambda: rest_line(-1),
}


@cache
def proof(name):
    made = PROOFS[name]()
    return made if isinstance(made, dict) else gc.certify(*made).proof


@cache
def content(name):
    return json.loads(json.dumps(content_with_witnesses(proof(name))))


def copied(name):
    return copy.deepcopy(content(name))


@pytest.mark.parametrize("name", PROOFS)
def test_search_and_checker_agree(name):
    found, given = checker.prove(content(name)), proof(name)
    assert "in balls" in found.method
    assert (found.verdict, found.method) == (given["verdict"], given["method"])
    for key, told in found.told.items():
        assert given["evidence"][key] == told


def test_each_theorem_is_met():
    assert {content(name)["theorem"]["name"] for name in PROOFS} == {
        "attraction in a box",
        "growth in a box",
        "energy-Casimir in a box",
        "attraction beside what is idle",
        "growth beside what is idle",
        "family in balls",
        "growth in balls",
    }


@pytest.mark.parametrize("name", ["levels", "arms", "arms above", "leaning fast", "table", "line", "spring"])
@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_witness_proves_the_same_or_nothing(name, change):
    """Forms, inverses that are rounded, a wider box: others may do as well, of the same true verdict."""
    refused = 0
    for part in ("witness", "theorem"):
        for path in numbers(content(name)[part]):
            data = changed(content(name), part, path, CHANGES[change])
            if at(data[part], path) in (at(content(name)[part], path), "-0"):
                continue
            try:
                assert checker.prove(data).verdict == proof(name)["verdict"], path
            except Refusal:
                refused += 1
    assert refused or change == "a thousandth more"  # what is rounded may be so once more


def negated(rows):
    return [[str(-Fraction(c)) for c in row] for row in rows]


def refused(data, words, **change):
    with pytest.raises(Refusal, match=words):
        checker.prove(data | {"theorem": data["theorem"] | change})


# -- existence --------------------------------------------------------------------------------------------


def test_a_box_that_holds_no_equilibrium_is_refused():
    """The double is off by 1e-16."""
    data = copied("root")
    for radius in ("0", "-1/1000000", "1/100000000000000000", "10"):
        data["theorem"]["box"]["radii"] = [radius]
        refused(data, "not proved that there is an equilibrium")
    data = copied("root")
    data["problem"]["states"]["x"] = "7/5"
    refused(data, "not proved that there is an equilibrium")


SOURCE, CENTRE = [{(1, 0): 1}, {(0, 1): 1}], [{(0, 1): 1}, {(1, 0): -1}]


def box(held, radii, Y):
    return {"held": held, "radii": radii, "Y": Y}


def in_box(rows, at, given, **more):
    """A plane field with an equilibrium in a box, at which it falls by |x|^2."""
    data = planar(rows, **more)
    data["problem"]["states"] = at
    basis = {"name": "attraction in a box", "rows": [], "free": ["x", "y"], "inverse": []}
    return data | {"theorem": basis | {"box": given, "P": UNIT}}


def test_equations_are_as_many_as_unknowns():
    """y' = 1 - y is not zero at y = 0; without it x' = -x has a zero, and Y takes no notice of it."""
    rows = [{(1, 0): -1}, {(0, 0): 1, (0, 1): -1}]
    data = in_box(rows, {"x": "0", "y": "0"}, box(["y"], ["1/8"], [["-1", "0"]]))
    refused(data, "as many as the unknowns")
    for Y in ([["-1", "0"], ["0", "-1"]], [["-1", "0"], ["0", "0"]], [["-1", "0"]], []):
        refused(data, r"not proved that there|do not fit", box=box([], ["1/8", "1/8"], Y))
    there = in_box(rows, {"x": "0", "y": "1"}, box([], ["1/8", "1/8"], [["-1", "0"], ["0", "-1"]]))
    assert checker.prove(there).verdict == "PROVED_ASYMPTOTICALLY_STABLE"


def test_the_rates_that_are_left_out_are_given_by_the_others():
    """x' = 2 - x^2 and y' = 1 with a constant as the invariant: there is no equilibrium at all."""
    rows, there = [{(0, 0): 2, (2, 0): -1}, {(0, 0): 1}], {"x": "17/12", "y": "0"}
    given, level = box(["y"], ["1/100"], [["-17/48"]]), {"y": {(0, 1): 1}}
    by = {"free": ["x"], "P": [["1"]]}
    data = in_box(rows, there, given, invariants={"nothing": {(0, 0): 3}})
    for inverse in ([["1"]], [["0"]], [["1000000"]]):
        refused(data, "singular", rows=["nothing"], inverse=inverse, **by)
    # Nor is the level of y one that is kept; of y' = 0 it is.
    by |= {"rows": ["y"], "inverse": [["1"]]}
    refused(in_box(rows, there, given, invariants=level), "motion keeps", **by)
    data = in_box([rows[0], {}], there, given, invariants=level)
    assert checker.prove(data | {"theorem": data["theorem"] | by}).verdict == "PROVED_STABLE"


def test_columns_that_are_solved_for_are_square():
    numbers_in_balls = Balls([])
    with pytest.raises(Refusal, match="square"):
        numbers_in_balls.inverse([[arb(1)], [arb(1)]], [[fmpq(1), fmpq(0)]], "")
    ((found,),) = numbers_in_balls.inverse([[arb(2, 0.5)]], [[fmpq(1, 2)]], "")
    assert found.contains(fmpq(2, 5))
    assert found.contains(fmpq(2, 3))
    with pytest.raises(ZeroDivisionError):
        numbers_in_balls.inverse([[arb(2, 3)]], [[fmpq(1, 2)]], "")


def test_krawczyk_needs_a_small_value_and_a_steep_slope():
    given = {"Y": [[fmpq(1)]], "radii": [fmpq(1, 1000)]}
    require_zero(given, [arb(0, 1e-6)], [[arb(1, 0.1)]])
    for value, slope in ((arb(0, 1e-2), arb(1, 0.1)), (arb(0), arb(1, 2)), (arb(0), arb("nan"))):
        with pytest.raises(Refusal, match="not proved"):
            require_zero(given, [value], [[slope]])
    with pytest.raises(Refusal, match="as many"):
        require_zero(given, [arb(0)], [[arb(1)], [arb(1)]])


# -- the whole box ----------------------------------------------------------------------------------------


def spiral(edge):
    """x' = 1/10 - x, and (y, z) that turns while it grows at the rate x - edge."""
    e = Equations(x=0, y=0, z=0)
    rates = [
        e.total(e.number("1/10"), e.monomial(-1, x=1)),
        e.total(e.monomial(1, x=1, y=1), e.monomial(f"-{edge}", y=1), e.monomial(-1, z=1)),
        e.total(e.monomial(1, x=1, z=1), e.monomial(f"-{edge}", z=1), e.monomial(1, y=1)),
    ]
    problem, s = e.problem(rates), Fraction(edge)
    n = 1 + s * s
    Y = [["-1", "0", "0"], ["0", str(-s / n), str(1 / n)], ["0", str(-1 / n), str(-s / n)]]
    return planar([{}, {}]) | {
        "problem": {k: v for k, v in problem.items() if k != "kind"},
        "theorem": {
            "name": "attraction in a box",
            "rows": [],
            "free": ["x", "y", "z"],
            "inverse": [],
            "box": box([], ["1/9", "1/100", "1/100"], Y),
            "P": [["1"], ["0", "1"], ["0", "0", "1"]],
        },
    }


def test_motion_falls_at_all_points_of_the_box():
    """The middle x = 0 says nothing of the equilibrium at x = 1/10, where a spiral may grow."""
    assert checker.prove(spiral("3/10")).verdict == "PROVED_ASYMPTOTICALLY_STABLE"
    refused(spiral("1/20"), "no function is shown to fall")


def test_what_has_no_value_in_the_box_is_refused():
    """x' = -x, y' = -y x/x: in the middle x is not zero."""
    at_middle = {"x": "1/100", "y": "0"}
    rows = [{(1, 0): -1}, {(1, 1): -1}]
    data = in_box(rows, at_middle, box([], ["1/10", "1/10"], [["-1", "0"], ["0", "-1"]]))
    nodes = data["problem"]["nodes"]
    nodes.append(["prod", "-1", [[0, 1], [0, -1], [1, 1]]])
    data["problem"]["field"][1] = len(nodes) - 1
    refused(data, "not bounded in the box")
    nodes[-1] = ["fun", "log", [0]]
    refused(data, "not bounded in the box")
    nodes[-1] = ["fun", "sqrt", [0]]
    refused(data, "not bounded in the box")
    nodes[-1] = ["prod", "-1", [[1, 1]]]
    nodes.append(["fun", "select", [0, len(nodes) - 1, len(nodes) - 1]])
    data["problem"]["field"][1] = len(nodes) - 1
    refused(data, "switches")
    nodes[-1] = ["prod", "-1", [[1, 1]]]
    assert checker.prove(data).verdict == "PROVED_ASYMPTOTICALLY_STABLE"


def test_an_identity_holds_over_the_box():
    """What is kept is kept where the functions of its proof have values: a cofactor with a pole is none."""
    data = copied("levels")
    nodes = data["problem"]["nodes"]
    nodes += [["sum", [[0, 0], [len(nodes) + 1, len(nodes) + 1]]]]
    nodes[-1] = ["prod", "0", [[nodes.index(["sym", "x", "state"]), -1]]]
    data["problem"]["states"]["x"] = str(fmpq(data["problem"]["states"]["x"]))
    assert checker.prove(data).verdict == "PROVED_STABLE"
    data["problem"]["field"][1] = len(nodes) - 1
    assert checker.prove(data).verdict == "PROVED_STABLE"  # zero, with a divisor that is none here
    nodes[-1] = ["prod", "0", [[nodes.index(["sym", "z", "state"]), -1]]]
    data["problem"]["states"]["z"] = "0"
    with pytest.raises(Refusal):
        checker.prove(data)


@pytest.mark.parametrize("name", ["arms", "levels", "table", "line"])
def test_signs_are_those_of_attraction(name):
    data = copied(name)
    form = data["theorem"]["P"]
    refused(data, "no function is shown to fall", P=negated(form))


@pytest.mark.parametrize("name", ["arms above", "table with an arm", "line that repels", "saddle"])
def test_growth_has_a_rate_a_form_and_a_direction(name):
    data = copied(name)
    theorem = data["theorem"]
    refused(data, "no function is shown to grow", m="0")
    refused(data, "no function is shown to grow", m=f"-{theorem['m']}")
    refused(
        data, "no function is shown to grow", P=[[str(-Fraction(c)) for c in row] for row in theorem["P"]]
    )
    refused(data, "positive there", v=["0"] * len(theorem["v"]))


# -- energy -----------------------------------------------------------------------------------------------


def test_a_saddle_of_the_energy_proves_nothing():
    data = copied("centre")
    refused(data, "definite", sense=-data["theorem"]["sense"])
    other = content_with_witnesses(proof("saddle"))
    theorem = copied("centre")["theorem"]
    by_energy = {**theorem, "box": other["theorem"]["box"]}
    # Its energy is kept too, and critical there.
    Y = negated(theorem["box"]["Y"])
    for sense in (1, -1):
        for rows in (Y, theorem["box"]["Y"], [Y[0], theorem["box"]["Y"][1]], [theorem["box"]["Y"][0], Y[1]]):
            by_energy |= {"box": theorem["box"] | {"Y": rows}, "sense": sense}
            with pytest.raises(Refusal, match=r"definite|not proved|keeps"):
                checker.prove(other | {"theorem": by_energy})


def test_what_grows_is_no_energy():
    """x' = x, y' = y, with x^2 + y^2 for an energy: nothing but its being kept fails."""
    given = box([], ["1/8", "1/8"], [["1/2", "0"], ["0", "1/2"]])
    half, energy = {"x": "1/100", "y": "0"}, {"energy": {(2, 0): 1, (0, 2): 1}}
    by = {"name": "energy-Casimir in a box", "rows": [], "free": ["x", "y"], "inverse": [], "box": given}
    by |= {"energy": "energy", "multipliers": {}, "sense": 1}
    source, centre = (in_box(rows, half, given, invariants=energy) for rows in (SOURCE, CENTRE))
    assert checker.prove(centre | {"theorem": by}).verdict == "PROVED_STABLE"
    with pytest.raises(Refusal, match="motion keeps"):
        checker.prove(source | {"theorem": by})


def test_an_energy_is_kept_and_critical():
    data = copied("leaning fast")
    theorem = data["theorem"]
    assert theorem["name"] == "energy-Casimir in a box"
    names = list(theorem["multipliers"])
    assert len(names) > 1
    for name in names:
        other = theorem["multipliers"] | {name: str(Fraction(theorem["multipliers"][name]) + 1)}
        refused(data, "not proved that there is an equilibrium|not critical", multipliers=other)
        refused(
            data, "do not fit", multipliers={k: v for k, v in theorem["multipliers"].items() if k != name}
        )
    for name in [theorem["energy"], *names]:
        if data["witness"]["cofactors"].get(name):
            other = copy.deepcopy(data)
            del other["witness"]["cofactors"][name]
            refused(other, "motion keeps")
    refused(data, "do not fit", energy="nothing")
    refused(data, "motion keeps|do not fit|not proved", rows=theorem["rows"][:-1])


# -- what is idle -----------------------------------------------------------------------------------------


def test_another_choice_of_what_is_idle_is_refused():
    data = copied("table")
    theorem = data["theorem"]
    given = theorem["box"]
    refused(data, "depends on a state", box=given | {"held": ["q1"]})
    refused(data, "as many as the unknowns", dropped=[], cofactors=[])
    refused(data, "rests with the others", cofactors=[[]])
    refused(data, "do not fit", cofactors=[])
    refused(data, "do not fit", dropped=["nothing"])
    refused(data, r"rests with the others|do not fit", dropped=["q1_dot"])
    refused(data, "as many as the unknowns|do not fit", box=given | {"held": []})
    with_leaf = copy.deepcopy(data)
    with_leaf["problem"]["nodes"].append(["sum", []])
    with_leaf["problem"]["leaf"] = {"nothing": len(with_leaf["problem"]["nodes"]) - 1}
    refused(with_leaf, "there is a leaf")


def plane(rows):
    """A plane field; powers of zero are no dependence."""
    data = planar(rows)
    for node in data["problem"]["nodes"]:
        node[2:] = [[f for f in node[2] if f[1]]] if node[0] == "prod" else node[2:]
    return data


def idle_line(rate):
    """x' = rate, y' = -y: x is idle."""
    data = plane([rate, {(0, 1): -1}])
    theorem = {
        "name": "attraction beside what is idle",
        "box": box(["x"], ["1/8"], [["-1"]]),
        "dropped": ["x"],
        "cofactors": [[["y", data["problem"]["nodes"].index(["num", "1"])]]],
        "P": [["1"]],
    }
    return data | {"theorem": theorem}


def test_what_is_left_out_rests_with_the_others():
    assert checker.prove(idle_line({(0, 1): -1})).told == {"family_dimension": 1}
    refused(idle_line({(0, 1): -1, (0, 0): 1}), "rests with the others")
    refused(idle_line({(0, 1): -1, (1, 0): 1}), "depends on a state")


def test_each_unknown_is_a_rate():
    """y' = z with z + w = -y, w = 1: where the right side of the first equation vanishes y moves."""
    data = plane([{(0, 1): -1}, {(0, 1): -1}])
    nodes = data["problem"]["nodes"]
    one, minus = nodes.index(["num", "1"]), data["problem"]["field"][1]
    nodes += [["sym", "z", "unknown"], ["sym", "w", "unknown"]]
    unknown = len(nodes) - 2
    data["problem"] |= {
        "unknowns": ["z", "w"],
        "matrix": [[0, 0, one], [0, 1, one], [1, 1, one]],
        "right": [minus, one],
        "field": [data["problem"]["field"][0], unknown],
    }
    data["witness"]["inverse"] = [["1", "-1"], ["0", "1"]]
    data["theorem"] = idle_line({(0, 1): -1})["theorem"]
    refused(data, "each unknown has to be the rate")
    data["problem"]["field"][0] = unknown + 1
    refused(data, "rests with the others")


# -- families in balls ------------------------------------------------------------------------------------


def test_a_family_goes_through_the_point_exactly():
    data = copied("line")
    for k in data["problem"]["states"]:
        other = copy.deepcopy(data)
        other["problem"]["states"][k] = "1/1000000000000000000000000000000000000000000000000000000"
        refused(other, "does not go through the point")


def test_a_family_in_balls_rests():
    data = copied("line")
    nodes, family = data["problem"]["nodes"], data["theorem"]["family"]
    place = len(nodes)
    other = copy.deepcopy(data)
    other["problem"]["nodes"].append(["num", "1"])
    for words in ("one of motions", "do not fit"):
        rates = [place] if words == "one of motions" else [place, place]
        refused(other, words, family=family | {"rates": rates})


def test_members_that_move_are_no_equilibria():
    """y' = cos(c) y on the line y = 0, along which x' = 1: nothing rests."""
    data = planar([{(0, 0): 1}, {(0, 1): 1}])
    nodes = data["problem"]["nodes"]
    nodes += [["sym", "s", "family"], ["num", "0"]]
    one, s = nodes.index(["num", "1"]), len(nodes) - 2
    family = {
        "symbols": {"s": "0"},
        "states": [s, s + 1],
        "unknowns": [],
        "rates": [one],
        "along": ["x"],
        "inverse": [["1"]],
        "cofactors": [[], []],
    }
    grows = {"P": [["-1"], ["0", "1"]], "m": "1/2", "v": ["0", "1"]}
    basis = {"name": "growth in balls", "rows": [], "free": ["x", "y"], "inverse": []}
    data["theorem"] = basis | {"family": family} | grows
    refused(data, "not proved to be equilibria")
    data["problem"]["field"][0] = s + 1
    data["theorem"]["family"]["rates"] = []
    assert checker.prove(data).verdict == "PROVED_UNSTABLE"
    falls = {k: v for k, v in data["theorem"].items() if k not in grows} | {"name": "family in balls"}
    refused(data | {"theorem": falls}, "no function is shown to fall", P=[["1"]])


# -- the arithmetic ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("a", "b", "s"), [(2, 3, 0.7), (-2, 3, 0.7), (0, 3, 0.7), (1e-40, 3, -0.7), (-1e-3, 2, 5.0), (1, -3, 0.7)]
)
def test_quadratures_are_enclosed(a, b, s):
    with mp.workdps(50), ctx.workprec(200):
        found = quadrature(*(arb(fmpq(*float(v).as_integer_ratio())) for v in (a, b, s)))
        expected = quad(lambda t: 1 / (a * t * t + b), [0, s])
        assert abs(mp.mpf(found.mid().str(40, radius=False)) - expected) < mp.mpf(10) ** -30
        assert found.rad() < 1e-30
        assert quadrature(arb(a, 1e-3), arb(b, 1e-3), arb(s)).contains(found)
    with pytest.raises(Refusal, match="pole"):
        quadrature(arb(-1), arb(1), arb(2))
    with pytest.raises(Refusal, match="not bounded"):
        quadrature(arb(0, 1), arb(1), arb(0.9))


def test_what_is_not_finite_is_refused():
    for value in (1 / arb(0, 1), arb(-1, 2).sqrt(), arb(-1).log()):
        with pytest.raises(Refusal, match="bounded"):
            Balls([]).count(Jet({(): arb(1), (0,): value}, 2))
    kept = Jet({(): arb(0, 1) * arb(0, 1)}, 2)
    assert Balls([]).count(kept) is kept


def test_gradients_that_leave_nothing_free_have_to_be_independent():
    """x' = x, y' = -y keeps x y: told twice, with no slope at the saddle, it would leave the point alone."""
    nodes = [
        ["sym", "x", "state"],
        ["sym", "y", "state"],
        ["prod", "-1", [[1, 1]]],
        ["prod", "1", [[0, 1], [1, 1]]],
    ]
    problem = {
        "nodes": nodes,
        "states": {"x": "0", "y": "0"},
        "inputs": {},
        "parameters": {},
        "unknowns": [],
        "matrix": [],
        "right": [],
        "field": [0, 2],
        "leaf": {},
        "invariants": {"C": 3},
        "weights": {},
    }
    theorem = {
        "name": "attraction in a box",
        "rows": ["C", "C"],
        "free": [],
        "inverse": [["1", "0"], ["0", "1"]],
        "box": {"held": ["x", "y"], "radii": [], "Y": []},
        "P": [],
    }
    data = {
        "format": "geoctrl-certificate",
        "version": 3,
        "software": "",
        "system": "saddle",
        "problem": problem,
        "witness": {"roots": [], "inverse": [], "cofactors": {}},
        "theorem": theorem,
        "digest": "",
    }
    with pytest.raises(Refusal):
        checker.prove(data)
