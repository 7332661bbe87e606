"""Regions by the energy: files by hand in which one hypothesis fails, and witnesses of which one is
changed.
"""

import copy
import json
from fractions import Fraction

import pytest
from flint import fmpq

import geoctrl as gc
from geoctrl.analysis.certificates.same_equations import problem_in_file
from geoctrl.checker import Refusal, prove
from tests.attack.parts.forged_regions import Nodes, tree

CHANGES = {
    "negated": lambda q: q[1:] if q.startswith("-") else f"-{q}",
    "one more": lambda q: str(Fraction(q) + 1),
    "a thousandth more": lambda q: str(Fraction(q) * Fraction(1001, 1000)),
    "zero": lambda _: "0",
}


class Oscillator:
    """q' = v, v' = -q about rest, with the energy B = (q^2 + v^2)/2 <= 1/2 over a tree of cells of q."""

    def __init__(self):
        self.nodes = nodes = Nodes("q", "v")
        self.q, self.v, self.one = 0, 1, nodes.number(1)
        self.B = nodes.total(("1/2", nodes.product((self.q, 2))), ("1/2", nodes.product((self.v, 2))))
        self.fall = nodes.product((self.q, 1), factor=-1)
        self.problem = {
            "nodes": nodes.rows,
            "states": {"q": "0", "v": "0"},
            "inputs": {},
            "parameters": {},
            "unknowns": [],
            "matrix": [],
            "right": [],
            "field": [self.v, self.fall],
            "leaf": {},
            "invariants": {"energy": self.B},
            "weights": {},
        }
        self.witness = {"roots": [], "inverse": [], "cofactors": {}}
        self.theorem = {
            "name": "sublevel",
            "leaf": {"rows": [], "free": ["q", "v"], "inverse": []},
            "energy": "energy",
            "sense": 1,
            "multipliers": {},
            "function": self.B,
            "cofactors": [],
            "held": {},
            "domain": [],
            "limits": {},
            "velocities": ["v"],
            "sides": {"q": ["-4", "4"]},
            "level": "1/2",
            "cells": tree(4),
        }

    def minus(self, *terms):
        """One less some multiples of nodes."""
        return self.nodes.total((1, self.one), *((-Fraction(c), place) for c, place in terms))

    @property
    def data(self):
        head = {"format": "geoctrl-certificate", "version": 3, "software": "", "system": "oscillator"}
        parts = {"problem": self.problem, "witness": self.witness, "theorem": self.theorem}
        return copy.deepcopy(head | parts | {"digest": ""})


class Still(Oscillator):
    """The same table where nothing moves: every function of the states is kept."""

    def __init__(self):
        super().__init__()
        zero = self.nodes.number(0)
        self.problem["field"] = [zero, zero]


def test_the_oscillator_keeps_what_is_below_its_level():
    region = prove(Oscillator().data).told["region"]
    ((low, high),) = region.extent().values()
    assert -fmpq(3, 2) <= low < -1
    assert 1 < high <= fmpq(3, 2)
    assert "stay so for ever." in region.claim("oscillator")
    prove(Still().data)


# -- one hypothesis fails -----------------------------------------------------------------------------------


def not_kept():
    """v' = -q + v: the energy grows."""
    o = Oscillator()
    o.problem["field"][1] = o.nodes.total((-1, o.q), (1, o.v))
    return o


def not_at_rest():
    o = Oscillator()
    o.problem["states"]["q"] = "1/2"
    return o


def named_twice():
    o = Oscillator()
    o.theorem["multipliers"] = {"energy": "1"}
    return o


def another_function():
    """q^2 + v^2/4 is not what is kept."""
    o = Oscillator()
    o.theorem["function"] = o.nodes.total((1, o.nodes.product((o.q, 2))), ("1/4", o.nodes.product((o.v, 2))))
    return o


def another_held():
    o = Still()
    o.problem["invariants"]["C"] = o.q
    o.theorem["held"] = {"C": {"function": o.v, "cofactors": [], "width": "1"}}
    return o


def no_relation_of_the_leaf():
    o = Oscillator()
    o.theorem["leaf"] = {"rows": ["energy"], "free": ["v"], "inverse": [["1"]]}
    return o


def a_relation_twice():
    """Of one relation the leaf has the dimension one, not zero."""
    o = Still()
    o.problem["leaf"] = {"first": o.q, "second": o.q}
    o.theorem["leaf"] = {"rows": ["first", "second"], "free": [], "inverse": [["1", "0"], ["0", "1"]]}
    return o


def damped(factor, sense=1):
    """v' = -q - d v, of which the energy falls by d v^2."""
    o = Oscillator()
    d = factor(o)
    o.problem["field"][1] = o.nodes.total((-1, o.q), (-1, o.nodes.product((d, 1), (o.v, 1))))
    squares = [{"factor": d, "square": o.v}]
    fall = {"function": o.B, "weights": [], "sense": sense, "squares": squares, "cofactors": []}
    o.theorem["fall"] = fall
    return o


def growing_beyond():
    """d = 1 - q^2: what begins beyond q = 1 is driven."""
    o = damped(lambda o: o.minus((1, o.nodes.product((o.q, 2)))))
    o.theorem["level"] = "2"
    return o


def other_squares():
    o = damped(lambda o: o.one)
    o.theorem["fall"]["squares"][0]["square"] = o.q
    return o


def negative_square():
    return damped(lambda o: o.nodes.number(-1))


def a_fall_of_another_function():
    o = damped(lambda o: o.one)
    o.theorem["fall"]["function"] = o.nodes.product((o.B, 1))
    return o


def a_fall_of_another_sense():
    return damped(lambda o: o.nodes.number(-1), sense=-1)


def cubic_function():
    o = Still()
    cubic = o.nodes.total((1, o.B), (1, o.nodes.product((o.v, 3))))
    o.problem["invariants"]["energy"] = o.theorem["function"] = cubic
    return o


def quadratic_held():
    o = Still()
    square = o.problem["invariants"]["C"] = o.nodes.product((o.v, 2))
    o.theorem["held"] = {"C": {"function": square, "cofactors": [], "width": "1"}}
    return o


def relation_of_velocities():
    o = Still()
    o.problem["leaf"] = {"rest": o.v}
    return o


def domain_of_velocities():
    o = Oscillator()
    o.theorem["domain"] = [o.minus((1, o.v))]
    return o


def limit_over_velocities():
    o = Oscillator()
    o.theorem["limits"] = {"u": {"input": o.nodes.product((o.minus(("1/4", o.v)), -1)), "bound": "9"}}
    return o


def energy_over_velocities():
    """B (1 - v)/(1 - v) is kept where v is not one."""
    o = Oscillator()
    side = o.minus((1, o.v))
    o.problem["invariants"]["energy"] = o.nodes.product((side, 1), (o.B, 1), (side, -1))
    return o


def energy_of_a_switch():
    o = Still()
    o.problem["invariants"]["energy"] = o.nodes.function("select", o.one, o.B, o.q)
    return o


def mass_of_velocities():
    return with_an_unknown(lambda o: o.minus((1, o.v)))


def with_an_unknown(mass, value="1"):
    """An unknown z with m z = 0, which moves nothing."""
    o = Oscillator()
    o.nodes.rows.append(["sym", "z", "unknown"])
    o.problem["unknowns"] = ["z"]
    o.problem["matrix"] = [[0, 0, mass(o)]]
    o.problem["right"] = [o.nodes.number(0)]
    o.witness["inverse"] = [[value]]
    return o


def no_acceleration():
    """m = 1 - 2 q vanishes within the region."""
    return with_an_unknown(lambda o: o.minus((2, o.q)))


def no_logarithm():
    """log(1 - 2 q) of the energy is taken away at once."""
    o = Oscillator()
    told = o.nodes.function("log", o.minus((2, o.q)))
    o.problem["invariants"]["energy"] = o.nodes.total((1, o.B), (1, told), (-1, told))
    return o


def no_quotient():
    """B (1 - 2 q)/(1 - 2 q) is told."""
    o = Oscillator()
    side = o.minus((2, o.q))
    o.problem["invariants"]["energy"] = o.nodes.product((side, 1), (o.B, 1), (side, -1))
    return o


def cofactor_with_a_pole():
    """On the leaf p = 0 the rate p v of what is told is p times v, here as v (1 - 2 q)/(1 - 2 q)."""
    o = Oscillator()
    o.nodes.rows.append(["sym", "p", "state"])
    p, side = len(o.nodes.rows) - 1, o.minus((2, o.q))
    o.problem["states"] = o.problem["states"] | {"p": "0"}
    o.problem["field"] = [o.v, o.nodes.total((-1, o.q), (1, p)), o.nodes.number(0)]
    o.problem["leaf"] = {"edge": p}
    pole = o.nodes.product((o.v, 1), (side, 1), (side, -1))
    o.witness["cofactors"] = {"energy": [["edge", pole]]}
    o.theorem["leaf"] = {"rows": ["edge"], "free": ["q", "v"], "inverse": [["1"]]}
    o.theorem["sides"] = {"q": ["-4", "4"], "p": ["-4", "4"]}
    o.theorem["cells"] = tree(8)
    return o


def end_of_the_model():
    o = Oscillator()
    o.theorem["domain"] = [o.minus((2, o.q))]
    return o


def beyond_its_limit():
    o = Oscillator()
    o.theorem["limits"] = {"u": {"input": o.nodes.total((1, o.q), (1, o.v)), "bound": "1"}}
    return o


def not_definite():
    o = Still()
    saddle = o.nodes.total((1, o.nodes.product((o.q, 2))), (-1, o.nodes.product((o.v, 2))))
    o.problem["invariants"]["energy"] = o.theorem["function"] = saddle
    return o


def open_at_a_side():
    o = Oscillator()
    o.theorem["sides"] = {"q": ["-1/2", "1/2"]}
    return o


def beside_the_box():
    o = Oscillator()
    o.theorem["sides"] = {"q": ["1/4", "4"]}
    return o


def below_the_point():
    o = Oscillator()
    o.theorem["level"] = "0"
    return o


def held_too_often():
    o = Still()
    o.problem["invariants"] |= {"C": o.v, "D": o.v}
    o.theorem["held"] = {k: {"function": o.v, "cofactors": [], "width": "1"} for k in ("C", "D")}
    return o


def held_without_a_velocity():
    o = Still()
    o.problem["invariants"]["C"] = o.q
    o.theorem["held"] = {"C": {"function": o.q, "cofactors": [], "width": "1"}}
    return o


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (not_kept, "not proved that the motion keeps 'energy'"),
        (not_at_rest, "no equilibrium on the leaf"),
        (named_twice, "named twice"),
        (another_function, "not what it is said to be"),
        (another_held, "not what it is said to be"),
        (no_relation_of_the_leaf, "no relation of the leaf"),
        (a_relation_twice, "do not fit"),
        (growing_beyond, "V may grow"),
        (other_squares, "not proved that the function falls"),
        (negative_square, "not proved positive at the point"),
        (a_fall_of_another_function, "what falls is not the energy"),
        (a_fall_of_another_sense, "what falls is not the energy"),
        (cubic_function, "not of the degree"),
        (quadratic_held, "not of the degree"),
        (relation_of_velocities, "not of the degree"),
        (domain_of_velocities, "not of the degree"),
        (limit_over_velocities, "not of the degree"),
        (energy_over_velocities, "a rate may have no value"),
        (energy_of_a_switch, "not of the degree"),
        (mass_of_velocities, "not of the degree"),
        (no_acceleration, "accelerations may not be determined"),
        (no_logarithm, "a rate may have no value"),
        (no_quotient, "a rate may have no value"),
        (cofactor_with_a_pole, "a rate may have no value"),
        (end_of_the_model, "the domain of the model may end"),
        (beyond_its_limit, "not proved that 'u' stays within its limit"),
        (not_definite, "not definite in the velocities"),
        (open_at_a_side, "reaches the side of the box"),
        (beside_the_box, "not within the box"),
        (below_the_point, "not above the value at the point"),
        (held_too_often, "not definite in the velocities"),
        (held_without_a_velocity, "not definite in the velocities"),
    ],
)
def test_where_one_hypothesis_fails_nothing_is_proved(build, words):
    with pytest.raises(Refusal, match=words):
        prove(build().data)


@pytest.mark.parametrize(
    "build",
    [
        lambda: damped(lambda o: o.one),
        lambda: with_an_unknown(lambda o: o.minus(("1/4", o.q))),
        lambda: damped(lambda o: o.nodes.total((1, o.one), (1, o.nodes.product((o.q, 2))))),
    ],
)
def test_what_is_near_by_is_proved(build):
    """The files of which these differ in one place alone."""
    assert prove(build().data).verdict == "PROVED_INVARIANT"


# -- witnesses of what the search has found -----------------------------------------------------------------


@pytest.fixture(scope="module")
def found():
    """A skate on a leaf and on levels, of which the domain ends."""
    skate = gc.models.get("pendulum-skate")().reduce()
    return gc.region_of_attraction(skate, skate.equilibrium("spinning", Omega0=9.0), by="energy", depth=8)


def numbers_in(tree_, path=()):
    """Places of numbers, and of whole numbers that are places of nodes."""
    children = (
        tree_.items() if isinstance(tree_, dict) else enumerate(tree_) if isinstance(tree_, list) else ()
    )
    for key, child in children:
        yield from numbers_in(child, (*path, key))
    if isinstance(tree_, str) and tree_.lstrip("-").replace("/", "", 1).isdigit():
        yield path


def _at(data, path):
    return _at(data[path[0]], path[1:]) if path else data


def put(data, path, change):
    """Change the number at a place."""
    _at(data, path[:-1])[path[-1]] = change(_at(data, path))


@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_witness_proves_a_region_within_the_true_one_or_nothing(found, change):
    """Levels may be lower, those of what is held narrower, and the box another."""
    base, refused = found.to_dict(), 0
    own = problem_in_file(base)["nodes"]
    nodes = base["problem"]["nodes"]
    paths = [("theorem", *p) for p in numbers_in(base["theorem"])]
    paths += [("witness", *p) for p in numbers_in(base["witness"])]
    paths += [
        ("problem", "nodes", i, *p)
        for i, row in enumerate(own)
        if row != nodes[i]
        for p in numbers_in(nodes[i])
    ]
    assert len(paths) > 20
    for path in paths:
        data = copy.deepcopy(base)
        put(data, path, CHANGES[change])
        if data == base or _at(data, path) == "-0":
            continue
        try:
            region = prove(data).told["region"]
        except Refusal:
            refused += 1
            continue
        assert path[1] in ("level", "held", "sides", "leaf"), path
        assert fmpq(base["theorem"]["level"]) * fmpq(1001, 1000) > region.level, path
        assert region.claim("skate").split(" of dimension ")[1][:2] == "4 ", path
    assert refused > len(paths) / 2


def test_cofactors_of_another_node_prove_nothing(found):
    base = found.to_dict()
    rows = {name: rows for name, rows in base["witness"]["cofactors"].items() if rows}
    assert rows
    for name in rows:
        for k in range(len(rows[name])):
            data = json.loads(json.dumps(base))
            data["witness"]["cofactors"][name][k][1] = 0
            with pytest.raises(Refusal, match="not proved that the motion keeps"):
                prove(data)
        data = json.loads(json.dumps(base))
        del data["witness"]["cofactors"][name]
        with pytest.raises(Refusal, match="not proved that the motion keeps"):
            prove(data)
