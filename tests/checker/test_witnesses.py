"""Certificates with witnesses: what the search proves they confirm, and nothing else."""

import copy
import json
import random
from contextvars import copy_context
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp
from flint import fmpq

import geoctrl as gc
from geoctrl import checker
from geoctrl.analysis.question.generators import NotSolved
from geoctrl.analysis.witnesses.content import content_with_witnesses
from geoctrl.analysis.witnesses.lyapunov_forms import falling_form, form_triangle, growing_form
from geoctrl.checker.limits import Refusal
from geoctrl.checker.numbers import ball, number_text, positive, set_roots


def skate():
    return gc.models.get("pendulum-skate")().reduce()


def damped(stiffness, length=1, time=1):
    """Two masses with springs and a damper between them, in units of one's own."""
    x, y = gc.Coordinate("x"), gc.Coordinate("y")
    k, c = Fraction(stiffness) * Fraction(time) ** 2, Fraction(1, 2) * Fraction(time)
    unit = Fraction(1) / Fraction(length) ** 2
    energy = (2 * x.symbol**2 + 3 * y.symbol**2) / 2 + x.symbol * y.symbol
    mechanism = gc.EulerPoincare(
        algebra=None,
        shape=[x, y],
        inertia=np.array([[sp.Rational(unit), 0], [0, 2 * sp.Rational(unit)]]),
        potential=sp.Rational(k * unit) * energy,
        friction=[gc.Friction([1, -1], viscous=sp.Rational(c * unit))],
    )
    return mechanism.reduce()


def on_a_line_of_rest():
    """Two masses on a line, held to each other, in oil: they may rest anywhere."""
    x, y = gc.Coordinate("x"), gc.Coordinate("y")
    mechanism = gc.EulerPoincare(
        algebra=None,
        shape=[x, y],
        inertia=[[1, 0], [0, 2]],
        potential=(x.symbol - y.symbol) ** 2,
        friction=[gc.Friction([1, 0], viscous=0.5), gc.Friction([1, -1], viscous=0.25)],
    )
    return mechanism.reduce()


def proofs():
    """Some of each theorem."""
    spinning, sliding = (
        skate().equilibrium(k, **v) for k, v in (("spinning", {"Omega0": 9}), ("sliding", {"Y0": 1}))
    )
    system = damped(1)
    top = gc.models.get("heavy-top")().reduce()
    line, board = on_a_line_of_rest(), gc.models.get("snakeboard")().reduce()
    return {
        "energy-Casimir": gc.certify(skate(), spinning),
        "growth": gc.certify(skate(), sliding),
        "attraction": gc.certify(system, system.state()),
        "hanging top": gc.certify(top, top.equilibrium("hanging", Omega0=2)),
        "family": gc.certify(line, line.state(x=2, y=2)),
        "drift": gc.certify(board, board.equilibrium("coasting", V=1)),
    }


@pytest.fixture(scope="module")
def contents():
    return {name: content_with_witnesses(certificate.proof) for name, certificate in proofs().items()}


def confirmed(content):
    return checker.prove(json.loads(json.dumps(content))).verdict


def test_each_theorem_confirms_its_proof(contents):
    told = {name: confirmed(content) for name, content in contents.items()}
    assert told == {
        "energy-Casimir": "PROVED_STABLE",
        "growth": "PROVED_UNSTABLE",
        "attraction": "PROVED_ASYMPTOTICALLY_STABLE",
        "hanging top": "PROVED_STABLE",
        "family": "PROVED_STABLE",
        "drift": "PROVED_UNSTABLE",
    }


# -- changed witnesses ------------------------------------------------------------------------------------


def numbers(value, path=()):
    """Paths of all numbers in a part of a file."""
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in parts:
        yield from numbers(part, (*path, key))
    if isinstance(value, str) and value.lstrip("-")[:1].isdigit():
        yield path


def at(value, path):
    """The number at a path."""
    return at(value[path[0]], path[1:]) if path else value


def changed(content, part, path, by):
    data = copy.deepcopy(json.loads(json.dumps(content)))
    place = data[part]
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = by(place[path[-1]])
    return data


CHANGES = {
    "negated": lambda q: q[1:] if q.startswith("-") else f"-{q}",
    "one more": lambda q: str(Fraction(q) + 1) if "r" not in q else f"{q} + 1",
    "a thousandth more": lambda q: (
        str(Fraction(q) * Fraction(1001, 1000)) if "r" not in q else f"{q} + 1/1000"
    ),
    "zero": lambda _: "0",
}


@pytest.mark.parametrize("name", ["energy-Casimir", "growth", "attraction", "hanging top", "family", "drift"])
@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_witness_proves_the_same_or_nothing(contents, name, change):
    """Of a form, or of what it grows by, others may do as well: then the verdict is the true one."""
    content, refused = contents[name], 0
    for part in ("witness", "theorem"):
        for path in numbers(content[part]):
            data = changed(content, part, path, CHANGES[change])
            if at(data[part], path) in (at(content[part], path), "-0"):
                continue
            try:
                assert checker.prove(data).verdict == confirmed(content), path
                assert path[0] in ("P", "m", "v"), path
            except Refusal:
                refused += 1
    assert refused


def test_what_is_no_inverse_is_refused(contents):
    for part, key in (("witness", "inverse"), ("theorem", "inverse")):
        for content in contents.values():
            if content[part].get(key):
                data = changed(content, part, (key,), lambda rows: rows[::-1] if len(rows) > 1 else [["2"]])
                with pytest.raises(Refusal, match=r"not the inverse|do not fit"):
                    checker.prove(data)


def test_a_rate_is_what_its_cofactors_give(contents):
    content = contents["growth"]
    names = [name for name, rows in content["witness"]["cofactors"].items() if rows]
    assert names
    for name in names:
        data = json.loads(json.dumps(content))
        data["witness"]["cofactors"][name] = data["witness"]["cofactors"][name][1:]
        with pytest.raises(Refusal, match="motion keeps"):
            checker.prove(data)


def test_functions_that_are_not_kept_make_no_levels(contents):
    """An unstable point would be held on levels of its own states."""
    data = json.loads(json.dumps(contents["growth"]))
    problem = data["problem"]
    for label in problem["states"]:
        problem["invariants"][f"level of {label}"] = problem["nodes"].index(["sym", label, "state"])
    rows = [f"level of {label}" for label in problem["states"]]
    unit = [["1" if i == j else "0" for j in range(len(rows))] for i in range(len(rows))]
    data["theorem"] = {"name": "attraction", "rows": rows, "free": [], "inverse": unit, "P": []}
    with pytest.raises(Refusal, match="motion keeps"):
        checker.prove(data)
    data["theorem"] |= {"name": "energy-Casimir", "multipliers": {}, "sense": 1}
    del data["theorem"]["P"]
    with pytest.raises(Refusal, match="motion keeps"):
        checker.prove(data)


def test_a_name_is_that_of_a_relation_or_of_an_invariant(contents):
    data = json.loads(json.dumps(contents["growth"]))
    name = next(iter(data["problem"]["leaf"]))
    data["problem"]["invariants"][name] = 0
    with pytest.raises(Refusal, match="a name stands twice"):
        checker.prove(data)


# -- equations by hand ------------------------------------------------------------------------------------


def planar(rows, invariants=None, leaf=None, witness=None):
    """x' and y' as sums of monomials {(i, j): c}, with invariants and leaf in the same words."""
    nodes = [["sym", "x", "state"], ["sym", "y", "state"], ["num", "1"]]

    def total(terms):
        entries = []
        for (i, j), c in terms.items():
            nodes.append(["num", str(c)])
            nodes.append(["prod", "1", [[0, i], [1, j]]])
            entries.append([len(nodes) - 2, len(nodes) - 1])
        nodes.append(["sum", entries])
        return len(nodes) - 1

    field = [total(terms) for terms in rows]
    named = {k: total(v) for k, v in (invariants or {}).items()}
    relations = {k: total(v) for k, v in (leaf or {}).items()}
    return {
        "format": "geoctrl-certificate",
        "version": 3,
        "software": "by hand",
        "system": "plane",
        "problem": {
            "nodes": nodes,
            "states": {"x": "0", "y": "0"},
            "inputs": {},
            "parameters": {},
            "unknowns": [],
            "matrix": [],
            "right": [],
            "field": field,
            "leaf": relations,
            "invariants": named,
            "weights": {},
        },
        "witness": {"roots": [], "inverse": [], "cofactors": witness or {}},
        "digest": "",
    }


def theorem(name, P, **more):
    return {"name": name, "rows": [], "free": ["x", "y"], "inverse": [], "P": P} | more


UNIT = [["1"], ["0", "1"]]


def test_a_center_neither_falls_nor_grows():
    center = planar([{(0, 1): 1}, {(1, 0): -1}])
    dice = random.Random(5)
    for _ in range(200):
        P = [[str(dice.randint(-5, 5))], [str(dice.randint(-5, 5)), str(dice.randint(-5, 5))]]
        with pytest.raises(Refusal, match="no function is shown to fall"):
            checker.prove(center | {"theorem": theorem("attraction", P)})
        v = [str(dice.randint(-3, 3)), str(dice.randint(-3, 3))]
        with pytest.raises(Refusal, match=r"no function is shown to grow|positive there"):
            checker.prove(center | {"theorem": theorem("growth", P, m="1/1000000", v=v)})


@pytest.mark.parametrize("part", ["leaf", "invariants"])
def test_where_nothing_moves_nothing_grows(part):
    """A point alone on its leaf, or held by as many functions as there are states: the empty form is both."""
    still = planar([{}, {}], **{part: {"a": {(1, 0): 1}, "b": {(0, 1): 1}}})
    alone = {"rows": ["a", "b"], "free": [], "inverse": [["1", "0"], ["0", "1"]], "P": []}
    assert checker.prove(still | {"theorem": {"name": "attraction"} | alone}).verdict == "PROVED_STABLE"
    for v in ([], ["1"]):
        grows = alone | {"name": "growth", "m": "1", "v": v}
        across = grows | {"name": "growth across an orbit", "fields": [], "powers": [], "further": []}
        box = grows | {"name": "growth in a box", "box": {"held": ["x", "y"], "radii": [], "Y": []}}
        for theorem_ in (grows, across | {"brackets": []}, box):
            with pytest.raises(Refusal, match=r"no function is shown to grow|do not fit|as many"):
                checker.prove(still | {"theorem": theorem_})


def test_the_rate_that_is_outgrown_is_positive():
    """x' = -x, y' = -2 y: with m = -3/2 the form y^2 - x^2 would grow."""
    sink = planar([{(1, 0): -1}, {(0, 1): -2}])
    with pytest.raises(Refusal, match="no function is shown to grow"):
        checker.prove(sink | {"theorem": theorem("growth", [["1"], ["0", "-1"]], m="-3/2", v=["1", "0"])})
    source = planar([{(1, 0): 1}, {(0, 1): -2}])
    grows = theorem("growth", [["1"], ["0", "-1"]], m="1/2", v=["1", "0"])
    assert checker.prove(source | {"theorem": grows}).verdict == "PROVED_UNSTABLE"
    with pytest.raises(Refusal, match="positive there"):
        checker.prove(source | {"theorem": grows | {"v": ["0", "1"]}})


def test_states_that_are_free_stand_once():
    """x' = x - 2 y, y' = 2 x - 2 y attracts; with x three times roots would be (1 +- i sqrt(23))/2."""
    sink, free = planar([{(1, 0): 1, (0, 1): -2}, {(1, 0): 2, (0, 1): -2}]), ["x", "x", "x", "y"]
    m, P, v = growing_form([[fmpq(c) for c in row] for row in [[1, 1, 1, -2]] * 3 + [[2, 2, 2, -2]]])
    grows = theorem("growth", form_triangle(P), m=str(m), v=[str(c) for c in v])
    for other in (free, ["x", "z"], ["x", "y", "z"], ["y"]):
        with pytest.raises(Refusal, match=r"stand twice|do not fit"):
            checker.prove(sink | {"theorem": grows | {"free": other}})


def test_a_form_that_falls_is_positive():
    """x' = x, y' = y: of P = -1 the rate is negative, and nothing is attracted."""
    source = planar([{(1, 0): 1}, {(0, 1): 1}])
    with pytest.raises(Refusal, match="no function is shown to fall"):
        checker.prove(source | {"theorem": theorem("attraction", [["-1"], ["0", "-1"]])})


def test_energy_needs_a_definite_second_variation():
    center = planar([{(0, 1): 1}, {(1, 0): -1}], {"energy": {(2, 0): "1/2", (0, 2): "1/2"}})
    by = {"name": "energy-Casimir", "rows": [], "free": ["x", "y"], "inverse": [], "sense": 1}
    assert (
        checker.prove(center | {"theorem": by | {"multipliers": {"energy": "1"}}}).verdict == "PROVED_STABLE"
    )
    assert checker.prove(center | {"theorem": by | {"multipliers": {"energy": "-2"}, "sense": -1}})
    for multiplier, sense in (("-1", 1), ("0", 1), ("1", -1)):
        with pytest.raises(Refusal, match="definite"):
            checker.prove(center | {"theorem": by | {"multipliers": {"energy": multiplier}, "sense": sense}})
    saddle = planar([{(0, 1): 1}, {(1, 0): 1}], {"energy": {(2, 0): "-1/2", (0, 2): "1/2"}})
    with pytest.raises(Refusal, match="definite"):
        checker.prove(saddle | {"theorem": by | {"multipliers": {"energy": "1"}}})
    # The energy of the center is not kept by the saddle.
    other = planar([{(0, 1): 1}, {(1, 0): 1}], {"energy": {(2, 0): "1/2", (0, 2): "1/2"}})
    with pytest.raises(Refusal, match="motion keeps"):
        checker.prove(other | {"theorem": by | {"multipliers": {"energy": "1"}}})


def test_a_corner_of_the_leaf_has_no_tangents():
    """f = (-x, y) on y^2 = 0: its gradient is no row of independent ones."""
    corner = planar(
        [{(1, 0): -1}, {(0, 1): 1}], leaf={"corner": {(0, 2): 1}}, witness={"corner": [["corner", 2]]}
    )
    data = corner | {
        "theorem": {"name": "attraction", "rows": ["corner"], "free": ["x"], "inverse": [["1"]], "P": [["1"]]}
    }
    data["witness"]["cofactors"]["corner"] = [["corner", 2], ["corner", 2]]  # (y^2)' = 2 y^2
    with pytest.raises(Refusal, match="not the inverse"):
        checker.prove(data)
    data["theorem"] |= {"rows": [], "free": ["x", "y"], "inverse": []}
    with pytest.raises(Refusal, match="gradients of the leaf"):
        checker.prove(data)


def vertical_line(cube):
    """x' = 0, y' = -y or y' = y^3, with the line y = 0 or x = 0 as a family."""
    field = [{}, {(0, 3): 1}] if cube else [{}, {(0, 1): -1}]
    data = planar(field)
    nodes = data["problem"]["nodes"]
    symbol = len(nodes)
    nodes += [["sym", "s", "family"], ["num", "0"]]
    member = [symbol + 1, symbol] if cube else [symbol, symbol + 1]
    family = {
        "symbols": {"s": "0"},
        "states": member,
        "unknowns": [],
        "rates": [],
        "along": ["y" if cube else "x"],
        "inverse": [["1"]],
        "cofactors": [[], []],
    }
    basis = {"name": "family", "rows": [], "free": ["x", "y"], "inverse": []}
    return data | {"theorem": basis | {"family": family, "P": [["1"]]}}


def test_a_kernel_is_no_family_of_equilibria():
    assert checker.prove(vertical_line(cube=False)).told == {"family_dimension": 1}
    with pytest.raises(Refusal, match="not proved to be one of motions"):
        checker.prove(vertical_line(cube=True))


def test_what_lies_across_a_family_falls():
    """With y' = y in place of -y, or with a family that is too small, nothing is proved."""
    data = vertical_line(cube=False)
    data["theorem"]["P"] = [["-1"]]
    with pytest.raises(Refusal, match="no function is shown to fall"):
        checker.prove(data)
    other = planar([{}, {(0, 1): 1}])
    source = vertical_line(cube=False)
    source["problem"]["nodes"][: len(other["problem"]["nodes"])] = other["problem"]["nodes"]
    with pytest.raises(Refusal, match="no function is shown to fall"):
        checker.prove(source)


def test_a_family_attracts_within_the_whole_leaf(contents):
    """On a level of an invariant less is seen than the leaf has."""
    data = json.loads(json.dumps(vertical_line(cube=False)))
    data["problem"]["invariants"]["x"] = 0
    data["theorem"] |= {"rows": ["x"], "free": ["y"], "inverse": [["1"]]}
    with pytest.raises(Refusal, match="whole leaf"):
        checker.prove(data)


def test_a_drift_needs_a_slope_and_two_symbols(contents):
    content = json.loads(json.dumps(contents["drift"]))
    for change in (
        {"constant": content["theorem"]["drifting"]},
        {"drifting": content["theorem"]["constant"], "constant": content["theorem"]["drifting"]},
        {"power": content["theorem"]["power"] + 1},
        {"cofactors": content["theorem"]["cofactors"][:1]},
    ):
        with pytest.raises(Refusal):
            checker.prove(content | {"theorem": content["theorem"] | change})


# -- numbers ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("radicands", [["2"], ["2", "3"], ["2", "1 + 1*r1"], ["9"]])
def test_numbers_with_roots_are_those_of_doubles(radicands):
    copy_context().run(_as_doubles, radicands)


def _as_doubles(radicands):
    dice = random.Random(3)
    set_roots(radicands)
    names = [f"r{k + 1}" for k in range(len(radicands))]

    def drawn():
        parts = [str(Fraction(dice.randint(0, 9), dice.randint(1, 5)))]
        parts += [f"{dice.randint(1, 9)}/{dice.randint(1, 5)}*{name}" for name in names]
        return number_text(" - ".join(parts))

    for _ in range(50):
        a, b, c = drawn(), drawn(), drawn()
        assert (a + b) * c == a * c + b * c
        near = [float(ball(v).mid()) for v in (a, b, c)]
        expected = near[0] * near[1] - near[2]
        assert float(ball(a * b - c).mid()) == pytest.approx(expected, rel=1e-9, abs=1e-9)
        if abs(near[1]) > 1e-6 and radicands != ["9"]:
            assert a / b * b == a
        assert positive(a) == (near[0] > 0) or abs(near[0]) < 1e-12


@pytest.mark.parametrize(
    "radicands", [["-1"], ["0"], ["1*r1"], ["2", "1 - 1*r1"], ["2", "3", "5", "7", "11"]]
)
def test_roots_are_those_of_positive_numbers_before_them(radicands):
    data = planar([{(1, 0): -1}, {(0, 1): -1}]) | {"roots": radicands, "theorem": theorem("attraction", UNIT)}
    with pytest.raises(Refusal):
        checker.prove(data)


# -- forms ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("length", ["1/1000", "1", "1000"])
@pytest.mark.parametrize("time", ["1/100000", "1", "100000"])
def test_witnesses_are_found_in_any_unit(length, time):
    system = damped(1, length, time)
    certificate = gc.certify(system, system.state())
    assert checker.prove(content_with_witnesses(certificate.proof)).verdict == "PROVED_ASYMPTOTICALLY_STABLE"
    falling = damped(-1, length, time)
    certificate = gc.certify(falling, falling.state())
    assert checker.prove(content_with_witnesses(certificate.proof)).verdict == "PROVED_UNSTABLE"


@pytest.mark.parametrize("rate", [1e-3, 1e-6, 1e-9, 1e-12])
def test_slow_growth_and_decay_are_seen(rate):
    """Roots -r, r and -r +- i beside fast ones: doubles do where they can, then balls."""
    r = fmpq(*rate.as_integer_ratio())
    zero, one = fmpq(0), fmpq(1)
    decays = [[-r, one, zero], [-one, -r, one], [zero, zero, -r]]
    assert len(falling_form(decays)) == 3
    decays[2][2] = r
    m, _, _ = growing_form(decays)
    assert 0 < m < r
    with pytest.raises(NotSolved):
        falling_form(decays)


def test_rates_of_growth_that_are_close_are_told_apart():
    """Three digits of 2.486, between two roots, are above both."""
    roots = [fmpq(2489, 1000), fmpq(2484, 1000), fmpq(0)]
    m, _, _ = growing_form([[c if i == j else fmpq(0) for j in range(3)] for i, c in enumerate(roots)])
    assert roots[1] < m < roots[0]
