"""Files of equilibria for each value of what stands still: confirmed alone, and nothing where one hypothesis
fails.
"""

import copy
import re
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from geoctrl import checker
from geoctrl.checker.limits import Refusal
from geoctrl.rocq import rocq_text
from tests.attack.oracle.equilibria_over_cells import falsehood_over_cells
from tests.attack.parts import resting
from tests.synthesis.schedules_through_points import needle_proof, pendulum_proof


def pulled(k=-1, reach="101/100", rate="0"):
    """x' = k (x - s) on one cell, s in [-1, 1]: the equilibrium is s itself, all of [-1, 1]."""
    nodes = [
        ["sym", "x", "state"], ["sym", "s", "state"], ["num", str(k)], ["num", str(-k)], ["num", rate],
        ["sum", [[2, 0], [3, 1]]],
    ]  # fmt: skip
    cell = {
        "range": ["-1", "1"], "states": {"x": "0"}, "slopes": {"x": "0"}, "inverse": [], "radii": [reach],
        "Y": [[str(Fraction(1, k))]], "chart": {"free": ["x"], "inverse": [["1"]]}, "P": [["1"]],
    }  # fmt: skip
    return {
        "format": "geoctrl-certificate", "version": checker.VERSION, "software": "by hand",
        "system": "pulled",
        "problem": {
            "nodes": nodes, "states": {"x": "0", "s": "0"}, "inputs": {}, "parameters": {}, "unknowns": [],
            "matrix": [], "right": [], "field": [5, 4], "leaf": {}, "invariants": {}, "weights": {},
        },
        "witness": {"roots": [], "inverse": [], "cofactors": {}},
        "theorem": {"name": "attraction over cells", "along": "s", "range": ["-1", "1"], "cells": [cell]},
    }  # fmt: skip


def checked(data):
    return checker.check(data | {"digest": checker.digest_of(data)})


def refused(data):
    with pytest.raises(Refusal) as found:
        checked(data)
    return str(found.value)


def test_a_file_by_hand_is_confirmed_up_to_the_edge_of_its_box():
    report = checked(pulled())
    assert report.verdict == "PROVED_BY_CELLS"
    assert report.claim == (
        "For every s in [-1, 1] that stands still, 'pulled', on the leaf of all states, of dimension 1, has "
        "an equilibrium with x in [-1.01, 1.01], in a box about a line in s, one of 1, no other one is in "
        "it, and it is asymptotically stable within the leaf. Of s that moves nothing is said."
    )
    assert "not proved that there is an equilibrium" in refused(pulled(reach="1"))
    assert "not proved that there is an equilibrium" in refused(pulled(reach="99/100"))


def test_a_box_is_about_its_line():
    """The line x = s is that of the equilibria: any radius does, and about another line the rest of it."""
    for slope, reach in (("1", "1/1000000"), ("1/2", "51/100"), ("3", "201/100")):
        data = pulled(reach=reach)
        cells_of(data)[0]["slopes"]["x"] = slope
        most = Fraction(slope) + Fraction(reach)
        (low, high) = map(float, re.search(r"x in \[(.*), (.*)\], in a box", checked(data).claim).groups())
        assert -low == high == pytest.approx(float(most), rel=1e-5)
    for slope, reach in (("1/2", "1/2"), ("-1", "199/100"), ("3", "2")):
        data = pulled(reach=reach)
        cells_of(data)[0]["slopes"]["x"] = slope
        assert "not proved that there is an equilibrium" in refused(data)


def test_a_loop_that_is_pushed_away_and_an_s_that_moves_are_refused():
    """Where k = 1 there is the same equilibrium, with a Y that fits."""
    assert "no function is shown to fall" in refused(pulled(k=1))
    assert "s moves" in refused(pulled(rate="1/1000000"))
    data = pulled()
    data["problem"]["nodes"] += [["sum", [[2, 4]]]]  # k times zero: zero, but not as a number
    data["problem"]["field"][1] = 6
    assert "s moves" in refused(data)


def test_cells_beyond_what_attracts_are_refused():
    """x' = s - x^3 + x/2 attracts at x = 1, s = 1/2, and not where 3 x^2 < 1/2."""
    data = pulled()
    nodes = [
        ["sym", "x", "state"], ["sym", "s", "state"], ["num", "1/2"], ["num", "-1"], ["num", "0"],
        ["prod", "1", [[0, 3]]], ["num", "1"], ["sum", [[6, 1], [3, 5], [2, 0]]],
    ]  # fmt: skip
    data["problem"] |= {"nodes": nodes, "field": [7, 4]}
    (cell,) = data["theorem"]["cells"]
    cell |= {"range": ["4/10", "6/10"], "states": {"x": "1"}, "radii": ["1/10"], "Y": [["-2/5"]]}
    cell["slopes"] = {"x": "0"}
    data["theorem"]["range"] = ["4/10", "6/10"]
    assert "x in [0.9, 1.1]" in checked(data).claim
    cell["states"]["x"] = "3/10"
    assert "not proved that there is an equilibrium" in refused(data)
    cell |= {"states": {"x": "0"}, "range": ["-1/100", "1/100"], "radii": ["1/20"], "Y": [["2"]]}
    data["theorem"]["range"] = ["-1/100", "1/100"]
    assert "no function is shown to fall" in refused(data)


def cells_of(data):
    return data["theorem"]["cells"]


def moved_end(k, by):
    def change(data):
        low, high = cells_of(data)[k]["range"]
        cells_of(data)[k]["range"] = [low, str(Fraction(high) + by)]

    return change


def moved_box(data):
    cell = cells_of(data)[1]
    cell["states"]["q"] = str(Fraction(cell["states"]["q"]) + 2 * Fraction(cell["radii"][1]))


def wrong_gain(data):
    """The first part of the range with a torque 10 (q - q_ref) more, that pushes away."""
    problem = data["problem"]
    nodes, (right,) = problem["nodes"], problem["right"]
    q, s = (nodes.index(["sym", k, "state"]) for k in ("q", "q_ref"))
    ten = len(nodes)
    nodes += [["num", "10"], ["num", "-10"], ["num", "1"]]
    nodes += [["sum", [[ten + 2, right], [ten, q], [ten + 1, s]]]]
    problem["right"] = [ten + 3]


def other_leaf(data):
    data["theorem"]["further"][0]["problem"]["leaf"] = {"q": data["problem"]["field"][0]}


SLIPS = {
    "gap": (moved_end(0, Fraction(-1, 10**9)), "do not follow each other"),
    "overlap": (moved_end(0, Fraction(1, 10**9)), "do not follow each other"),
    "reversed": (lambda d: cells_of(d)[0]["range"].reverse(), "do not follow each other"),
    "empty": (lambda d: cells_of(d).insert(0, copy.deepcopy(cells_of(d)[0])), "do not follow each other"),
    "order": (lambda d: cells_of(d).reverse(), "do not follow each other"),
    "one less": (lambda d: cells_of(d).pop(), "do not follow each other"),
    "no cells": (lambda d: cells_of(d).clear(), "has no cell"),
    "a part less": (lambda d: d["theorem"]["further"].pop(), "do not follow each other"),
    "larger claim": (lambda d: d["theorem"].update(range=["-1", "2"]), "do not follow each other"),
    "box beside": (moved_box, "not proved that there is an equilibrium"),
    "wrong gain": (wrong_gain, "not proved that there is an equilibrium|no function is shown to fall"),
    "no Y": (lambda d: cells_of(d)[0].update(Y=[["0", "0"], ["0", "0"]]), "not proved that there is an"),
    "P": (lambda d: cells_of(d)[0]["P"][0].__setitem__(0, "-1"), "no function is shown to fall"),
    "free": (lambda d: cells_of(d)[0]["chart"].update(free=["q"]), "not square|not as many|do not fit"),
    "free s": (lambda d: cells_of(d)[0]["chart"].update(free=["q_dot", "q_ref"]), "not proved that there"),
    "another s": (lambda d: d["theorem"].update(along="q"), "a cell needs the states"),
    "no slope": (lambda d: cells_of(d)[0]["slopes"].pop("q"), "a cell needs the states"),
    "slope": (
        lambda d: cells_of(d)[0]["slopes"].update(q="0"), "not proved that there is an equilibrium"
    ),
    "s in cells": (lambda d: cells_of(d)[0]["states"].update(q_ref="0"), "a cell needs the states"),
    "parameter": (
        lambda d: d["theorem"]["further"][0]["problem"]["parameters"].update(z="1"), "other states or leaves"
    ),
    "leaf": (other_leaf, "other states or leaves"),
    "rows": (lambda d: cells_of(d)[0]["chart"].update(rows=["q_ref"]), "unknown, or missing"),
    "input": (
        lambda d: d["problem"]["inputs"].update(u="0"), "a loop has no inputs|stands twice, or for nothing"
    ),
}  # fmt: skip


@pytest.mark.parametrize("slip", SLIPS)
def test_one_hypothesis_less_is_refused(slip):
    change, words = SLIPS[slip]
    data = copy.deepcopy(pendulum_proof().data)
    change(data)
    assert re.search(words, refused(data))


def test_on_a_leaf_the_rows_are_those_of_the_leaf_and_s():
    data = copy.deepcopy(needle_proof().data)
    assert "of dimension 2 at each of them" in checked(data).claim
    ((name, place),) = data["problem"]["leaf"].items()
    leaf, nodes = data["problem"]["leaf"], data["problem"]["nodes"]
    one, x = len(nodes), nodes.index(["sym", "Gamma1", "state"])
    nodes += [["num", "1"], ["num", "1/1000"], ["sum", [[one, one], [one + 1, x]]]]
    nodes += [["prod", "1", [[place, 1], [one + 2, 1]]]]  # its rate is a multiple of the relation
    data["problem"]["leaf"] = {name: one + 3}
    assert "it is not proved that the motion keeps" in refused(data)
    for others, words in (({}, "do not fit|not square|not as many"), ({"Gamma1_ref": place}, "stands twice")):
        data["problem"]["leaf"] = others
        assert re.search(words, refused(data))
    data["problem"]["leaf"] = leaf
    assert checked(data).verdict == "PROVED_BY_CELLS"


def test_rocq_is_refused_in_words():
    with pytest.raises(Exception, match="known up to a box"):
        rocq_text(pendulum_proof().to_dict())


def test_what_is_confirmed_of_changed_files_is_true():
    results = Counter(resting.case(6, index).result for index in range(20))
    assert not {*results} - {"held", "refused", "unjudged"}
    assert results["held"] >= 3


@pytest.mark.parametrize("name", ["schedules.equilibria.require_zero", "schedules.equilibria.require_fall"])
def test_the_judge_notices_a_checker_that_does_not_look(monkeypatch, name):
    """Negative control, on boxes that are moved beside their equilibria and loops that push away."""
    monkeypatch.setattr(f"geoctrl.checker.{name}", lambda *_: None)
    data, rng = copy.deepcopy(resting.genuine()[0]), np.random.default_rng(1)
    assert not falsehood_over_cells(data, rng)
    if "zero" in name:
        cell = cells_of(data)[1]
        cell["states"]["x"] = str(Fraction(cell["states"]["x"]) + Fraction(1, 1000))
    else:
        problem = data["problem"]
        problem["nodes"] += [["num", "-1"], ["sum", [[len(problem["nodes"]), problem["right"][0]]]]]
        problem["right"] = [len(problem["nodes"]) - 1]
        for cell in cells_of(data):  # Krawczyk's matrix for the other sign
            cell["Y"] = [[str(-Fraction(c)) if i == 0 else c for i, c in enumerate(row)] for row in cell["Y"]]
    assert checked(data).verdict == "PROVED_BY_CELLS"
    assert falsehood_over_cells(data, rng)
