"""Orbits modulo a group, with witnesses: search and checker agree, and each hypothesis is asked for.

Of every system by hand the truth is known, and is said beside it.
"""

import copy
import json
from functools import cache
from itertools import product

import pytest

import geoctrl as gc
from geoctrl import checker
from geoctrl.analysis.witnesses.content import content_with_witnesses
from geoctrl.checker.limits import Refusal
from tests.analysis.test_theorems import ORBITS, rest_of
from tests.attack.forge.by_hand import Equations, decided, with_theorem
from tests.checker.test_witnesses import CHANGES, at, changed, numbers
from tests.checker.test_witnesses_over_shapes import UNITS
from tests.decisions.test_hostile_orbits import HELD, ROTATION, circling, growing
from tests.sweeps import sampled

STABLE, METHOD = "PROVED_STABLE_MODULO", "energy-Casimir modulo a group"


# -- agreement --------------------------------------------------------------------------------------------


def seen(name, family, units=None, params=None, made=None, **values):
    mechanism = gc.models.get(name)(**(made or {}))
    if units:
        mechanism = mechanism.in_units(**units)[0]
    system = mechanism.reduce() if hasattr(mechanism, "reduce") else mechanism
    return system, system.equilibrium(family, params=params, **values)


MECHANISMS = {name: lambda name=name: rest_of(name) for name in ORBITS} | {
    "a half turn of shells": lambda: seen("concentric-shells", "half-turn", n1=1, n2=2, n3=2),
    "another half turn": lambda: seen("concentric-shells", "half-turn", n1=0, n2=0.75, n3=0.5),
    "shells at one attitude": lambda: seen("concentric-shells", "equal"),
    "shells with a stiff spring": lambda: seen("concentric-shells", "equal", params={"K": 91.5}),
    "shells in other units": lambda: seen("concentric-shells", "equal", units=UNITS),
    "a half turn in other units": lambda: seen("concentric-shells", "half-turn", UNITS, n1=1, n2=2, n3=2),
    "two bodies": lambda: seen("coupled-bodies", "equal", made={"n": 2}),
}


def content_of(data):
    return json.loads(json.dumps(content_with_witnesses(data)))


@cache
def proof(name):
    certificate = gc.certify(*MECHANISMS[name](), modulo="orbit")
    return certificate, content_of(certificate.proof)


@pytest.mark.parametrize("name", MECHANISMS)
def test_search_and_checker_agree_on_orbits(name):
    certificate, content = proof(name)
    assert certificate.verdict.proved
    found = checker.prove(content)
    assert (found.verdict, found.method) == (certificate.verdict.value, certificate.method)
    for key, value in found.told.items():
        assert certificate.evidence[key] == value


FILES = ["concentric-shells", "pendulum-on-puck", "charged-body", "another half turn"]


@pytest.mark.parametrize(
    ("name", "change"),
    sampled(
        product(FILES, CHANGES),
        lambda case: (FILES.index(case[0]) + list(CHANGES).index(case[1])) % 2 == 0,
        reason="each change is made to the numbers of two files, and each file has two",
    ),
)
def test_a_changed_number_proves_the_same_or_nothing(name, change):
    """Of a form that grows, or of how fast, others may do as well.

    A file with many numbers is asked about each in every other way.
    """
    _, content = proof(name)
    true, refused = checker.prove(content).verdict, 0
    every = 1 + (name == "another half turn")
    for part in ("witness", "theorem"):
        for k, path in enumerate(numbers(content[part]), list(CHANGES).index(change)):
            if k % every:
                continue
            data = changed(content, part, path, CHANGES[change])
            if at(data[part], path) in (at(content[part], path), "-0"):
                continue
            try:
                assert checker.prove(data).verdict == true, path
                assert path[0] in ("P", "m", "v"), path
            except Refusal:
                refused += 1
    assert refused > 10


def far_side(e):
    away = e.total(e.monomial(1, x=2), e.monomial(1, y=2), e._add("num", "-1/2"))
    return e.function("select", away, e.number(0), e.number(1))


def divided(below=None):
    """x' = -s y, y' = s x, s' = 0 on a cylinder; V = s^2 + g (x/(1 + s^2) - 1) is critical, with g = 0."""
    e = Equations(x=1, y=0, s=0)
    g = e.total(e.monomial(1, x=2), e.monomial(1, y=2), e.number(-1))
    divisor = e.total(e.number(1), e.monomial(1, s=2))
    part = e._add("prod", "1", [[g, 1], [e.places["x"], 1], [divisor, -1]])
    V = e.total(e.monomial(1, s=2), part, e._add("prod", "-1", [[g, 1]]))
    field = [e.monomial(-1, s=1, y=1), e.monomial(1, s=1, x=1), e.number(0)]
    problem = e.problem(field, {"g": g}, {"V": V}) | {"symmetries": [ROTATION]}
    return problem, {"conserved": ["V"], "held": [], "orbit_multipliers": {"V": "1", "g": "0"}}


def test_search_and_checker_agree_on_orbits_by_hand():
    """Also where leaf, function and divisors are the same along the orbit by cofactors."""
    for problem, proposal in ((circling(), HELD), (circling(rate=far_side), HELD), divided()):
        old = decided(problem, **proposal)
        assert old["verdict"] == STABLE
        content = content_of(old)
        assert checker.prove(content).verdict == STABLE
    (cofactors,) = content["theorem"]["cofactors"]
    assert any(cofactors), "Z.V is a multiple of the relation"
    assert len(cofactors) > 4, "there is a divisor"


# -- hypotheses of stability ------------------------------------------------------------------------------


def refused(data, match, **parts):
    data = copy.deepcopy(data)
    data["theorem"] |= parts
    with pytest.raises(Refusal, match=match):
        checker.prove(data)


def turning(e, field, invariants, leaf=None, **more):
    """A file about (1, 0, 0, ...) modulo the turn of x and y, on the circle's level."""
    circle = e.total(e.monomial(1, x=2), e.monomial(1, y=2))
    problem = e.problem(field, leaf, {"circle": circle} | invariants)
    theorem = {
        "name": "orbit",
        "rows": ["circle"],
        "free": [k for k in e.states if k != "x"],
        "inverse": [["1/2"]],
        "fields": [{"turns": [["y", "x", "1"]], "shifts": {}}],
        "held": ["circle"],
        "multipliers": {"V": "1"},
        "sense": 1,
        "along": ["y"],
        "across": [["1"]],
        "cofactors": [[[], []]],
    }
    return with_theorem(problem, theorem | more)


def circle(**more):
    """x' = -s y, y' = s x, s' = 0: stable modulo the turn, since s stays and s^2 has a minimum."""
    e = Equations(x=1, y=0, s=0)
    field = [e.monomial(-1, s=1, y=1), e.monomial(1, s=1, x=1), e.number(0)]
    return turning(e, field, {"V": e.monomial(1, s=2), "s": e.places["s"], "zero": e.number(0)}, **more)


def test_a_circling_point_is_stable_modulo_its_circle():
    found = checker.prove(circle())
    assert (found.verdict, found.method) == (STABLE, METHOD)
    assert found.told == {"orbit_dimension": 1, "orbit_directions": ["y"]}
    assert checker.prove(circle(multipliers={"V": "-2"}, sense=-1)).verdict == STABLE


def test_the_second_variation_is_definite_across_the_orbit():
    for parts in ({"sense": -1}, {"multipliers": {"V": "-1"}}, {"multipliers": {"zero": "1"}}):
        refused(circle(), "not definite across", **parts)
    # In none of the states that are left free the tangent of the orbit would be seen.
    refused(circle(), "not the inverse|not definite|do not fit", along=["x"], across=[["0"]])


def test_the_function_is_critical():
    refused(circle(), "not critical", multipliers={"V": "1", "s": "1"})


def test_functions_and_levels_are_kept():
    """With s' = y the point runs away along its circle; neither s^2 nor x^2 + 2 y^2 is kept."""
    e = Equations(x=1, y=0, s=0)
    field = [e.monomial(-1, s=1, y=1), e.monomial(1, s=1, x=1), e.places["y"]]
    refused(turning(e, field, {"V": e.monomial(1, s=2)}), "motion keeps 'V'")
    e = Equations(x=1, y=0, s=0)
    field = [e.monomial(-2, s=1, y=1), e.monomial(1, s=1, x=1), e.number(0)]
    refused(turning(e, field, {"V": e.monomial(1, s=2)}), "motion keeps 'circle'")


def test_only_levels_that_are_held_are_taken_from_the_second_variation():
    """r' = s is kept nowhere, and r^2 not; with s among the rows nothing would be left to be seen."""
    rows = {"rows": ["circle", "s"], "free": ["y"], "inverse": [["1/2", "0"], ["0", "1"]]}
    refused(circle(), "gradients are needed of the leaf", **rows)
    assert checker.prove(circle(held=["circle", "s"], **rows)).verdict == STABLE
    refused(circle(), "gradients are needed of the leaf", held=[])


def test_all_relations_of_the_leaf_are_among_the_rows():
    data = circle()
    data["problem"]["leaf"] = {"g": data["problem"]["invariants"].pop("zero")}
    refused(data, "gradients are needed of the leaf", cofactors=[[[], [], []]])


def test_a_field_keeps_the_leaf():
    """On an ellipse that is its leaf a point does not stay near the circle."""
    e = Equations(x=1, y=0, s=0)
    ellipse = e.total(e.monomial(1, x=2), e.monomial(2, y=2), e.number(-1))
    field = [e.monomial(-2, s=1, y=1), e.monomial(1, s=1, x=1), e.number(0)]
    problem = e.problem(field, {"ellipse": ellipse}, {"V": e.monomial(1, s=2)})
    theorem = circle()["theorem"] | {"rows": ["ellipse"], "held": [], "cofactors": [[[], [], []]]}
    refused(with_theorem(problem, theorem), "not proved to be the same")


def still(**more):
    """Nothing moves, and whatever is asked is kept."""
    e = Equations(x=1, y=0, s=0)
    kept = {"V": e.monomial(1, s=2), "x": e.places["x"], "W": e.total(e.monomial(1, s=2), e.monomial(1, y=2))}
    return turning(e, [e.number(0)] * 3, kept, **more)


def test_a_field_keeps_the_function_and_the_levels():
    assert checker.prove(still()).verdict == STABLE
    refused(still(), "not proved to be the same", multipliers={"W": "1"})
    level = {"rows": ["x"], "inverse": [["1"]], "held": ["x"]}
    refused(still(), "not proved to be the same", **level)


def test_what_is_divided_by_is_the_same_along_the_orbit():
    """x^2 + y^2 as a quotient by itself + 1, or by x + 1, which is zero at (-1, 0); and as a cofactor."""
    for whole, match in ((True, None), (False, "not proved to be the same")):
        e = Equations(x=1, y=0, s=0)
        square = e.total(e.monomial(1, x=2), e.monomial(1, y=2))
        below = e.total(square if whole else e.places["x"], e.number(1))
        told = e._add("prod", "1", [[below, 1], [square, 1], [below, -1]])
        kept = {"V": e.total(e.monomial(1, s=2), told, e._add("prod", "-1", [[square, 1]]))}
        data = turning(e, [e.number(0)] * 3, kept, cofactors=[[[], [], []]])
        if match:
            refused(data, match)
        else:
            assert checker.prove(data).verdict == STABLE


def test_cofactors_divide_by_what_is_the_same_along_the_orbit():
    """One of a rate, and one of the field: 0/x times the relation."""
    e = Equations(x=1, y=0, s=0)
    g = e.total(e.monomial(1, x=2), e.monomial(1, y=2), e.number(-1))
    zero = e._add("prod", "0", [[e.places["x"], -1]])
    problem = e.problem([e.number(0)] * 3, {"g": g}, {"V": e.monomial(1, s=2)})
    theorem = circle()["theorem"] | {"rows": ["g"], "held": []}
    none = theorem | {"cofactors": [[[], [], []]]}
    assert checker.prove(with_theorem(problem, none)).verdict == STABLE
    with_divisor = [[], [], [["g", zero]], []]
    refused(with_theorem(problem, theorem), "not proved to be the same", cofactors=[with_divisor])
    of_rate = theorem | {"cofactors": [[[], [], [], []]]}
    for name in ("g", "V"):
        refused(with_theorem(problem, of_rate, {name: [["g", zero]]}), "not proved to be the same")


def test_unknowns_are_solved_for_by_what_is_the_same_along_the_orbit():
    """s' = z with z = 0: 1 told as x/x, or 0 as 0/x, in the matrix, the right side or the weights of V."""
    for divided in (None, "matrix", "right", "weights"):
        e = Equations(x=1, y=0, s=0)
        z, zero, one = e.symbol("z", "unknown"), e.number(0), e.number(1)
        whole = e._add("prod", "1", [[e.places["x"], 1], [e.places["x"], -1]])
        part = {k: whole if k == divided else one for k in ("matrix", "right", "weights")}
        nothing = e._add("prod", "1", [[zero, 1], [part["right"], 1]])
        weight = e._add("prod", "2", [[e.places["s"], 1], [part["weights"], 1]])
        data = turning(e, [zero, zero, z], {"V": e.monomial(1, s=2)})
        data["problem"] |= {"unknowns": ["z"], "matrix": [[0, 0, part["matrix"]]], "right": [nothing]}
        data["problem"]["weights"] = {"V": [weight]}
        data["witness"]["inverse"] = [["1"]]
        if divided is None:
            assert checker.prove(data).verdict == STABLE
        else:
            refused(data, "not proved to be the same", cofactors=[[[], [], []]])


def test_choices_and_roots_are_the_same_along_the_orbit():
    """s' = 1 where x < -1/2, on the far side of the orbit: motions run away there."""
    e = Equations(x=1, y=0, s=0)
    far = e.total(e.monomial(2, x=1), e.number(1))
    choice = e.function("select", far, e.number(0), e.number(1))
    field = [e.monomial(-1, s=1, y=1), e.monomial(1, s=1, x=1), choice]
    data = turning(e, field, {"V": e.monomial(1, s=2)}, cofactors=[[[], [], []]])
    refused(data, "not proved to be the same")
    for name, argument in (("sqrt", e.monomial(1, x=2)), ("log", e.places["x"])):
        zero = e._add("prod", "0", [[e.function(name, argument), 1]])
        data = turning(e, [*field[:2], zero], {"V": e.monomial(1, s=2)}, cofactors=[[[], [], []]])
        data["witness"]["roots"] = [[i, "1"] for i, node in enumerate(e.nodes) if node[:2] == ["fun", "sqrt"]]
        refused(data, "not proved to be the same")


def test_fields_move_the_point_in_the_directions_that_are_told():
    theorem = circle()["theorem"]
    refused(circle(), "do not fit|not the inverse", fields=[], along=[], across=[], cofactors=[])
    refused(circle(), "not the inverse", across=[["2"]])
    refused(circle(), "not the inverse", fields=[{"turns": [["y", "y", "1"]], "shifts": {}}])
    twice = {"fields": theorem["fields"] * 2, "cofactors": theorem["cofactors"] * 2}
    refused(circle(), "do not fit|not the inverse", **twice)
    refused(circle(), "do not fit", fields=[{"turns": [["y", "elsewhere", "1"]], "shifts": {}}])
    # V = s^2 is no function of the orbit of a shift of s.
    refused(circle(), "not proved to be the same", fields=[{"turns": [], "shifts": {"s": "1"}}])


def test_a_turn_is_skew_as_it_is_read():
    """A stretch, or a shear, cannot be told: a turn of a state with itself is no field."""
    theorem = circle()["theorem"]
    twice = [{"turns": [["y", "x", "1"], ["x", "x", "3"]], "shifts": {}}]
    assert checker.prove(circle() | {"theorem": theorem | {"fields": twice}}).verdict == STABLE
    both = [{"turns": [["y", "x", "1/2"], ["x", "y", "-1/2"]], "shifts": {}}]
    assert checker.prove(circle() | {"theorem": theorem | {"fields": both}}).verdict == STABLE


# -- hypotheses of growth ---------------------------------------------------------------------------------

OTHER = {"turns": [["z", "y", "-1"], ["y", "z", "1"]], "shifts": {}}


def grows(fields, rate=None, **more):
    """z' = z x^2 and x' = -x z^2 at (1, 0, 0): along z motions leave; or another rate of z."""
    e = Equations(x=1, y=0, z=0)
    problem = growing(e, [])
    if rate:
        problem["field"] = [e.number(0), e.number(0), rate(e)]
    half = {"turns": [["y", "x", "1"]], "shifts": {}}
    theorem = {
        "name": "growth across an orbit",
        "rows": [],
        "free": ["x", "y", "z"],
        "inverse": [],
        "m": "1/2",
        "P": [["-1"], ["0", "-1"], ["0", "0", "1"]],
        "v": ["0", "0", "1"],
        "fields": fields or [half],
        "powers": [["-1"]],
        "further": [],
        "brackets": [],
    }
    return with_theorem(problem, theorem | more)


def test_growth_across_an_orbit():
    found = checker.prove(grows([]))
    assert (found.verdict, found.method) == ("PROVED_UNSTABLE", "spectrum modulo a group")
    assert found.told == {"orbit_directions": ["y"]}
    assert content_of(decided(growing(Equations(x=1, y=0, z=0), [ROTATION])))["theorem"]["powers"] == [["-1"]]


def test_what_does_not_grow_is_refused():
    for parts, match in (
        ({"m": "-1"}, "shown to grow"),
        ({"m": "2"}, "shown to grow"),
        ({"P": [["-1"], ["0", "-1"], ["0", "0", "-1"]]}, "shown to grow"),
        ({"v": ["0", "1", "0"]}, "positive there"),
    ):
        refused(grows([]), match, **parts)


def test_growth_along_the_orbit_is_none_across_it():
    """A turn of x and z moves the point along z."""
    turn = {"turns": [["z", "x", "1"]], "shifts": {}}
    refused(grows([turn]), "does not vanish along the orbit")
    refused(grows([{"turns": [], "shifts": {"z": "1"}}], powers=[["0"]]), "does not vanish along the orbit")


def test_brackets_move_the_point_too():
    """Turns of (x, y) and (y, z) make all turns, and along z a motion stays on the sphere."""
    two = [{"turns": [["y", "x", "1"]], "shifts": {}}, {"turns": [["z", "y", "1"]], "shifts": {}}]
    powers = [["-1"], ["-1"]]
    for brackets in ([["0", "0"]], [["1", "-1"]]):
        refused(grows(two, powers=powers, brackets=brackets), "not shown to span an algebra")
    refused(grows(two, powers=powers), "do not fit")
    told = []
    for a in ("", "-"):
        for b in ("", "-"):
            brackets = [["0", "0", "1"], ["0", f"{a}1", "0"], [f"{b}1", "0", "0"]]
            with pytest.raises(Refusal) as refusal:
                checker.prove(grows(two, powers=powers, further=[[0, 1]], brackets=brackets))
            told.append(str(refusal.value))
    # With the right signs they span an algebra, of which one turn moves the point along z.
    assert sum("does not vanish along the orbit" in text for text in told) == 1
    assert sum("not shown to span an algebra" in text for text in told) == 3


def test_odd_powers_move_the_point_too():
    """(x, z) turns once and (u, w) three times as fast, with z' = 3 z - w: A Z e = 0, and A Z^3 e is not."""
    both = {"turns": [["z", "x", "1"], ["w", "u", "3"]], "shifts": {}}
    e = Equations(x=1, z=0, u=1, w=0)
    field = [e.number(0), e.total(e.monomial(3, z=1), e.monomial(-1, w=1)), e.number(0), e.number(0)]
    theorem = {
        "name": "growth across an orbit",
        "rows": [],
        "free": ["x", "z", "u", "w"],
        "inverse": [],
        "m": "1",
        "P": [["-1"], ["0", "1"], ["0", "0", "-1"], ["0", "0", "0", "-1"]],
        "v": ["0", "1", "0", "0"],
        "fields": [both],
        "powers": [["-9", "-10"]],
        "further": [],
        "brackets": [["0", "0"]],
    }
    data = with_theorem(e.problem(field), theorem)
    refused(data, "does not vanish along the orbit")
    for coefficient in ("-1", "-9", "-5"):
        refused(data, "not shown to span an algebra", powers=[[coefficient]], brackets=[])
