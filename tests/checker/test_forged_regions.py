"""Identities hold over a region where all of their parts have values: forged regions, and honest ones."""

from types import SimpleNamespace

import pytest
import sympy as sp
from flint import arb

import geoctrl as gc
from geoctrl.checker import Refusal, prove
from geoctrl.checker.enclosures.sets import nodes_of_identities
from geoctrl.checker.jets import reachable
from geoctrl.checker.reader import EQUATIONS, WITNESS, conform
from geoctrl.checker.sublevels import energy
from geoctrl.checker.sublevels.file import SUBLEVEL
from geoctrl.checker.sublevels.proved_equations import shown_question
from geoctrl.decisions.problem_kinds import KINDS
from geoctrl.decisions.questions.exact_question import Question
from geoctrl.decisions.reading.problem_reader import _place
from geoctrl.orbits.enclosures.expressions_in_balls import UnprovedError
from geoctrl.orbits.enclosures.identities import Identities
from tests.attack.draw.dice import Dice
from tests.attack.forge.by_hand import Equations
from tests.attack.forge.by_hand import verdict as forger_verdict
from tests.attack.parts import forged_regions

SHEETS = {"x": "1", "q": "0", "v": "0"}


def region(nodes, field, energy, function, leaf=None, sides=None, halvings=4):
    """The content of a file about an oscillator with the velocity v, about x = 1."""
    sides, cells = sides or {"x": ["-8", "8"], "q": ["-8", "8"]}, forged_regions.tree(halvings)
    known = {"energy": energy}
    return forged_regions.content(nodes, SHEETS, field, known, function, sides, "1/4", cells, leaf)


def refused(data, match):
    with pytest.raises(Refusal, match=match):
        prove(data | {"digest": ""})


def two_sheets(factor):
    """v' = -q - 5 (x - 1) v on the leaf x^2 = 1: on the sheet x = -1 the energy grows as e^20t.

    The energy is told as (x + 1) B/(x + 1), or with another factor that is the same above and below.
    """
    nodes = forged_regions.Nodes("x", "q", "v")
    x, q, v = range(3)
    one = nodes.number(1)
    B = nodes.total(("1/2", nodes.product((q, 2))), ("1/2", nodes.product((v, 2))))
    side = nodes.total((1, x), (factor, one))
    energy = nodes.product((side, 1), (B, 1), (side, -1))
    push = nodes.product((nodes.total((1, x), (-1, one)), 1), (v, 1), factor=-5)
    leaf = {"leaf": nodes.total((1, nodes.product((x, 2))), (-1, one))}
    return region(nodes, [nodes.number(0), v, nodes.total((-1, q), (1, push))], energy, B, leaf)


def test_a_region_on_a_leaf_of_two_sheets_is_refused():
    refused(two_sheets(1), "a rate may have no value")


def test_the_energy_has_to_be_conserved_on_both_sheets():
    """A factor that vanishes on neither sheet takes nothing out of the ideal."""
    refused(two_sheets(3), "not proved that the motion keeps 'energy'")


@pytest.mark.parametrize("side", ["q", "x"])
def test_an_energy_with_a_choice_is_refused(side):
    """B where 1 - q > 0, or x > 0, and -100 B beyond: q = 2, v = 100 is below every level, and leaves."""
    nodes = forged_regions.Nodes("x", "q", "v")
    x, q, v = range(3)
    B = nodes.total(("1/2", nodes.product((q, 2))), ("1/2", nodes.product((v, 2))))
    switch = nodes.total((1, nodes.number(1)), (-1, q)) if side == "q" else x
    energy = nodes.function("select", switch, B, nodes.product((B, 1), factor=-100))
    box = {"x": ["-8", "8"], "q": ["-16", "16"]}
    parts = (nodes, [nodes.number(0), v, nodes.product((q, 1), factor=-1)], energy, B)
    refused(region(*parts, sides=box, halvings=2), "not of the degree")


@pytest.mark.long(reason="the attack in quick mode, a part of .ci/run, forges the files of its sets")
def test_drawn_forgeries_are_refused_and_regions_confirmed():
    outcomes = [forged_regions.case(1, index) for index in range(7)]
    assert [o.note for o in outcomes if o.fault] == []
    assert {o.result for o in outcomes} == {"proved", "refused"}


def test_runs_from_the_edge_notice_a_checker_that_looks_at_the_point_alone(monkeypatch):
    """Without the functions of the identities, forged files are confirmed, and motions leave them."""
    monkeypatch.setattr(energy, "nodes_of_identities", lambda q: q.problem["field"])
    for kind in ("two sheets", "choice of x"):
        outcomes = (forged_regions.judged(Dice(1, i), kind, wide=True) for i in range(10))
        assert any(o.result == "contradiction" and "it leaves" in o.note for o in outcomes), kind


# -- one list for all theorems over a set ---------------------------------------------------------------

EXCEPTIONS = {
    "shape": "integrals over a shape are a theorem at a point",
    "family": "a family through a point is a theorem at the point",
    "drift": "a drift is a theorem at a point",
    "growing": "a growing function is a theorem at a point",
    "held": "a loop from hold to hold is a theorem at a point",
    "domain": "a condition of its own, which each theorem over a set asks for",
    "limits": "a condition of its own, which each theorem over a set asks for",
}
"""Parts of problems whose places are in no identity over a set, and why that is right."""


def filled(schema, count):
    """A problem with every optional part, a new number at each place; and the places by their parts."""
    if schema is _place:
        count.append(len(count))
        return count[-1]
    if isinstance(schema, dict) and ... in schema:
        return {"name": filled(schema[...], count)}
    if isinstance(schema, dict):
        return {k.rstrip("?"): filled(part, count) for k, part in schema.items()}
    if isinstance(schema, list):
        return [filled(schema[0], count)]
    return tuple(filled(part, count) for part in schema) if isinstance(schema, tuple) else None


def places_in(part, schema):
    """Places that a part holds: of an entry of the matrix, or a term of a chain, the last number is one."""
    if schema is _place:
        return [part]
    if schema in ((_place, _place, _place), (_place, _place)):
        return [part[-1]]
    if isinstance(schema, dict) and ... in schema:
        return places_in(part["name"], schema[...])
    if isinstance(schema, dict):
        return [p for k, inner in schema.items() for p in places_in(part[k.rstrip("?")], inner)]
    if isinstance(schema, list):
        return places_in(part[0], schema[0])
    if isinstance(schema, tuple):
        return [p for inner, own in zip(part, schema, strict=True) for p in places_in(inner, own)]
    return []


PROBLEMS = {name: kind.schema for name, kind in KINDS.items()}


@pytest.mark.parametrize("kind", PROBLEMS)
def test_every_place_of_a_problem_is_in_the_list_or_an_exception(kind):
    schema = PROBLEMS[kind]
    problem = filled(schema, [])
    if "field" not in problem:
        return
    problem["weights"]["name"] = [filled(_place, list(range(10**6)))]
    found = Question.nodes_of_identities(SimpleNamespace(problem=problem), ["name"])
    assert len(set(found)) == len(found)
    for part, own in schema.items():
        name = part.rstrip("?")
        places = set(places_in(problem[name], own)) - set(problem["weights"]["name"])
        if name == "weights":
            continue
        assert bool(places - set(found)) == (bool(places) and name in EXCEPTIONS), (name, places)
    assert set(problem["weights"]["name"]) <= set(found)


def asked(data):
    """The question of a file with all that its theorem shows in it, and the shares of its nodes."""
    found = {k: conform(data[k], shape) for k, shape in (("problem", EQUATIONS), ("witness", WITNESS))}
    return shown_question(found["problem"], found["witness"], conform(data["theorem"], SUBLEVEL))


def test_the_list_of_a_question_holds_all_that_an_identity_is_made_of():
    """Field, leaf, what is kept and what it is said to be, and the cofactors of all, but no other row."""
    data = two_sheets(1)
    problem, theorem = data["problem"], data["theorem"]
    cofactors = [*data["witness"]["cofactors"].values(), theorem["cofactors"]]
    expected = {*problem["field"], *problem["leaf"].values(), *problem["invariants"].values()}
    expected |= {theorem["function"], *(p for rows in cofactors for _, p in rows)}
    assert len(cofactors[0]) == 1
    q = asked(data)
    assert {*reachable(q.table, nodes_of_identities(q))} == {*reachable(q.table, expected)}


# -- along orbits ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("divisor", "verdict"), [(None, "PROVED_STABLE_MODULO"), ("x", "refused")])
def test_what_is_divided_by_is_the_same_along_the_orbit_of_a_group(divisor, verdict):
    """Nothing moves, and x^2 + y^2 is told as a quotient by itself + 1, or by x + 1, zero at (-1, 0)."""
    q = Equations(x=1, y=0)
    square = q.total(q.monomial(1, x=2), q.monomial(1, y=2))
    below = q.total(q.places["x"] if divisor else square, q.number(1))
    told = q._add("prod", "1", [[below, 1], [square, 1], [below, -1]])
    still = q.number(0)
    problem = q.problem(
        [still, still],
        invariants={"C": told},
        symmetries=[{"turns": [["x", "y", "-1"], ["y", "x", "1"]], "shifts": {}}],
    )
    proposal = {"conserved": ["C"], "held": ["C"], "orbit_multipliers": {"C": "0"}}
    assert forger_verdict(problem, **proposal) == verdict


def test_conserved_functions_have_values_along_a_periodic_orbit():
    """atan(s) + atan(1/s) is constant where s = q + 2 does not vanish, and jumps there."""
    coordinate = gc.Coordinate("q")
    s = coordinate.symbol + 2
    system = gc.EulerPoincare(
        algebra=None, shape=[coordinate], inertia=[[1]], potential=coordinate.symbol**2 / 2
    ).reduce()
    kept = {"angle": system.expression(sp.atan(s) + sp.atan(1 / s)), "energy": system.assembly.energy}
    identities = Identities(system, kept, [0.0, 1.0], ((), {}))
    identities.require([arb(0, 3), arb(0, 1)])
    with pytest.raises(UnprovedError, match="may have no value"):
        identities.require([arb(0, 3), arb(0, 3)])
    Identities(system, {"energy": kept["energy"]}, [0.0, 1.0], ((), {})).require([arb(0, 3), arb(0, 3)])
