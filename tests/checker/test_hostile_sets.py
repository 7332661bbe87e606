"""Files by hand about sets that motions tend to a point from, by squares and by slopes: of each one that is
refused exactly one hypothesis fails, and what would be claimed is false, or may be.
"""

import copy
import random
from fractions import Fraction

import pytest
from flint import Ordering, arb, fmpq, fmpq_mpoly_ctx

from geoctrl.checker import Refusal, check, digest_of
from geoctrl.checker.reader import FORMAT, VERSION
from geoctrl.checker.squares.polynomial_motion import at
from tests.attack.parts.forged_regions import Nodes

HEADING = {"format": FORMAT, "version": VERSION, "software": "by hand", "system": "plane", "digest": ""}
ALONE = [[[0, 1]]]
"""The first variable, as the only monomial."""


def row(nodes, *parts):
    """A further row of a table."""
    nodes.rows.append(list(parts))
    return len(nodes.rows) - 1


def content(nodes, states, field, theorem, **parts):
    """The content of a file."""
    problem = {
        "nodes": nodes.rows,
        "states": states,
        "inputs": {},
        "parameters": {},
        "unknowns": [],
        "matrix": [],
        "right": [],
        "field": field,
        "leaf": {},
        "invariants": {},
        "weights": {},
    }
    witness = {"roots": [], "inverse": [], "cofactors": {}}
    for part, value in parts.items():
        (problem if part in problem else witness)[part] = value
    return {**HEADING, "problem": problem, "witness": witness, "theorem": theorem}


def by_squares(variables, squares, **parts):
    """A theorem by squares with V = y^2 of what is measured."""
    count = parts.pop("measured", len(variables))
    return {
        "name": "squares",
        "domain": [],
        "limits": {},
        "leaf": {"rows": [], "free": ["x"], "inverse": []},
        "levels": [],
        "variables": variables,
        "still": [],
        "function": [[str(int(i == j)) for j in range(i + 1)] for i in range(count)],
        "level": "1",
        "squares": squares,
        "relations": [],
    } | parts


def rest(monomials, *numbers):
    """Squares of monomials, each with a number."""
    rows = [[number if i == j else "0" for j in range(i + 1)] for i, number in enumerate(numbers)]
    return {"times": "rest", "monomials": monomials, "matrix": rows}


def line(slope="-1", **parts):
    """x' = -x, with V = x^2: V' = -2 x^2."""
    nodes = Nodes("x")
    field = [nodes.product((0, 1), factor=slope)]
    return nodes, content(nodes, {"x": "0"}, field, by_squares([0], [rest(ALONE, "2")], **parts))


def confirmed(data):
    report = check(data | {"digest": digest_of(data)})
    assert report.verdict == "PROVED_ATTRACTED"
    return report.claim


def refused(data, words):
    with pytest.raises(Refusal, match=words):
        check(data | {"digest": digest_of(data)})


def test_the_line_is_attracted():
    claim = confirmed(line()[1])
    assert "stay so for ever, within x in [-1.00001, 1.00001], and tend to the equilibrium x = 0." in claim


# -- the identity -----------------------------------------------------------------------------------------


def test_the_identity_has_to_hold():
    refused(line("1")[1], "the identity does not hold")


def test_squares_have_matrices_that_are_definite():
    """x' = x: V' = 2 x^2."""
    _, data = line("1")
    data["theorem"]["squares"] = [rest(ALONE, "-2")]
    refused(data, "positive definite")


def test_the_function_is_definite():
    """x' = x with V = -x^2."""
    _, data = line("1")
    data["theorem"]["function"] = [["-1"]]
    refused(data, "positive definite")


def test_all_of_the_function_falls():
    """y' = 0: what begins at y = 1/2 stays there."""
    nodes = Nodes("x", "y")
    field = [nodes.product((0, 1), factor=-1), nodes.number(0)]
    theorem = by_squares([0, 1], [rest(ALONE, "2")], leaf={"rows": [], "free": ["x", "y"], "inverse": []})
    refused(content(nodes, {"x": "0", "y": "0"}, field, theorem), "falls but at the point")


def test_a_square_is_times_what_is_not_negative():
    _, data = line()
    data["theorem"]["squares"][0]["times"] = "0"
    refused(data, "do not fit")


# -- the equations ----------------------------------------------------------------------------------------


def beside(rate, **parts):
    """x' = -x with a second state p, on which nothing depends; its rate is a node made of the nodes."""
    nodes = Nodes("x", "p")
    field = [nodes.product((0, 1), factor=-1), rate(nodes)]
    theorem = by_squares([0], [rest(ALONE, "2")], leaf={"rows": [], "free": ["x", "p"], "inverse": []})
    return content(nodes, {"x": "0", "p": "0"}, field, theorem | parts)


def test_the_point_is_at_rest():
    """p' = 1 runs away."""
    refused(beside(lambda nodes: nodes.number(1)), "no equilibrium")
    assert "whatever p may be" in confirmed(beside(lambda nodes: nodes.number(0)))


def test_what_is_free_has_a_rate_that_is_linear_in_it():
    refused(beside(lambda nodes: nodes.product((1, 2))), "finite time")
    less = "-1"

    def exponential(nodes):
        return nodes.total((1, nodes.function("exp", 1)), (less, nodes.number(1)))

    refused(beside(exponential), "finite time")
    confirmed(beside(lambda nodes: nodes.function("sin", nodes.product((1, 3)))))
    confirmed(beside(lambda nodes: nodes.product((0, 3), (1, 1))))


def test_rates_have_values_all_over_the_set():
    """p' = x/(1/2 - x) and p' = log(1 - 2 x) end where x = 1/2; below x^2 = 1/16 they do not."""

    def divided(nodes):
        return nodes.product((0, 1), (nodes.total(("1/2", nodes.number(1)), (-1, 0)), -1))

    def logarithm(nodes):
        return nodes.function("log", nodes.total((1, nodes.number(1)), (-2, 0)))

    for rate in (divided, logarithm):
        refused(beside(rate), "a rate may have no value")
        confirmed(beside(rate, level="1/16"))


def test_what_may_fail_does_not_depend_on_what_is_free():
    """The model holds where p < 1, and p may be anything."""
    data = beside(lambda nodes: nodes.number(0))
    nodes = data["problem"]["nodes"]
    nodes += [["num", "1"], ["num", "-1"]]
    nodes.append(["sum", [[len(nodes) - 2, len(nodes) - 2], [len(nodes) - 1, 1]]])
    data["theorem"]["domain"] = [len(nodes) - 1]
    refused(data, "may fail with what is free")


def test_the_domain_does_not_end():
    for bound, level, words in (("1/2", "1", "domain"), ("2", "1", ""), ("1/2", "1/16", "")):
        nodes, data = line()
        side = nodes.total((bound, nodes.number(1)), (-1, 0))
        data["theorem"] |= {"domain": [side], "level": level}
        refused(data, "below the level the domain") if words else confirmed(data)


def test_outputs_keep_within_their_limits():
    """u = 3 x with x^2 <= 1; u = x^2 is no linear one."""
    for bound, power, words in (("3", 1, ""), ("2", 1, "within its limit"), ("3", 2, "not linear")):
        nodes, data = line()
        u = nodes.product((0, power), factor=3)
        data["theorem"]["limits"] = {"u": {"input": u, "bound": bound}}
        refused(data, words) if words else confirmed(data)


def test_choices_are_refused():
    """x' = -x where x > -1/2, and x' = x beyond."""
    nodes = Nodes("x")
    side = nodes.total((1, 0), ("1/2", nodes.number(1)))
    field = [nodes.function("select", side, nodes.product((0, 1), factor=-1), 0)]
    refused(content(nodes, {"x": "0"}, field, by_squares([0], [rest(ALONE, "2")])), "switch")


def test_the_point_is_rational():
    nodes = Nodes("x")
    field = [nodes.total((-1, 0), (1, row(nodes, "num", "1*r1")))]
    data = content(nodes, {"x": "1*r1"}, field, by_squares([0], [rest(ALONE, "2")]))
    refused(data | {"roots": ["2"]}, "not rational")


def solved(entry):
    """x' = z_1, p' = z_2 with K z = -(x, 0), K = (1, entry) on its diagonal."""
    nodes = Nodes("x", "p")
    z = [row(nodes, "sym", name, "unknown") for name in ("z1", "z2")]
    one = nodes.number(1)
    right = [nodes.product((0, 1), factor=-1), nodes.number(0)]
    matrix = [[0, 0, one], [1, 1, entry(nodes, z)]]
    theorem = by_squares(
        [0, *z],
        [rest(ALONE, "2")],
        measured=1,
        leaf={"rows": [], "free": ["x", "p"], "inverse": []},
        relations=[{"terms": [[0, [[[], "1"]]]], "times": [[[[0, 1]], "2"]]}],
    )
    # V' = 2 x z_1, and 2 x (-x - z_1) beside it is -2 x^2.
    parts = {"unknowns": ["z1", "z2"], "matrix": matrix, "right": right}
    inverse = [["1", "0"], ["0", "1"]]
    return content(nodes, {"x": "0", "p": "0"}, z, theorem, inverse=inverse, **parts)


def test_accelerations_are_determined_all_over_the_set():
    """K = (1, 1 - 2 x): where x = 1/2 z_2 may be anything."""

    def entry(nodes, _):
        return nodes.total((1, nodes.number(1)), (-2, 0))

    data = solved(entry)
    refused(data, "accelerations may not be determined")
    confirmed(data | {"theorem": data["theorem"] | {"level": "1/16"}})
    data["witness"]["inverse"] = [["1", "0"], ["0", "2"]]
    refused(data, "not the inverse")


def test_accelerations_are_solved_from_linear_equations():
    def entry(nodes, z):
        return nodes.total((1, nodes.number(1)), (1, z[0]))

    refused(solved(entry), "must not occur here|linear equations")


def test_accelerations_of_what_is_free_are_told_by_what_moves():
    """z_2 = p^2 = p': p ends in finite time, though p' is linear in all that is named."""
    data = solved(lambda nodes, _: nodes.number(1))
    nodes = data["problem"]["nodes"]
    nodes.append(["prod", "1", [[1, 2]]])
    data["problem"]["right"][1] = len(nodes) - 1
    refused(data, "no variable")


def test_nothing_of_accelerations_is_divided_by():
    """p' = x/(1 + 2 z_1) with z_1 = -x ends where x = 1/2."""
    data = solved(lambda nodes, _: nodes.number(1))
    nodes = data["problem"]["nodes"]
    z, n = data["theorem"]["variables"][1], len(nodes)
    nodes += [["num", "1"], ["num", "2"], ["sum", [[n, n], [n + 1, z]]], ["prod", "1", [[0, 1], [n + 2, -1]]]]
    data["problem"]["field"] = [z, n + 3]
    refused(data, "not solved from linear equations")


def test_rates_are_polynomials():
    nodes = Nodes("x")
    side = nodes.total((1, nodes.number(1)), (1, nodes.product((0, 2))))
    field = [nodes.product((0, 1), (side, -1), factor=-1)]
    refused(content(nodes, {"x": "0"}, field, by_squares([0], [rest(ALONE, "2")])), "divided by a function")


# -- relations --------------------------------------------------------------------------------------------


def on_the_diagonal(rates, slope, cofactor=None, **parts):
    """x' = a x, y' = b y with x = y as a relation of the leaf, or a level."""
    nodes = Nodes("x", "y")
    field = [nodes.product((k, 1), factor=rate) for k, rate in enumerate(rates)]
    difference = nodes.total((1, 0), (-1, 1))
    squares = [rest([[[0, 1]], [[1, 1]]], "2", "2")]
    times = [[[[0, 1]], slope], [[[1, 1]], slope]]
    theorem = by_squares([0, 1], squares, relations=[{"terms": [[0, [[[], "1"]]]], "times": times}])
    data = content(nodes, {"x": "0", "y": "0"}, field, theorem, **{k: {"d": difference} for k in parts})
    if cofactor is not None:
        data["witness"]["cofactors"] = {"d": [["d", nodes.number(cofactor)]]}
    return data


def test_the_leaf_is_kept():
    """x' = x, y' = -3 y: V' = 2 x^2 - 6 y^2, which is -4 x^2 where x = y; but motions leave that."""
    data = on_the_diagonal(("1", "-3"), "-4", cofactor=-1, leaf=1)
    data["theorem"]["leaf"] = {"rows": ["d"], "free": ["x"], "inverse": [["-1"]]}
    refused(data, "keeps 'd'")


def test_levels_are_kept():
    data = on_the_diagonal(("1", "-3"), "-4", invariants=1)
    data["theorem"] |= {"levels": ["d"], "leaf": {"rows": [], "free": ["x", "y"], "inverse": []}}
    refused(data, "keeps 'd'")


def plane_on_a_leaf():
    """x' = y' = -x - y on the leaf x = y: V' = -2 (x + y)^2."""
    nodes = Nodes("x", "y")
    rate = nodes.total((-1, 0), (-1, 1))
    squares = [rest([[[0, 1]], [[1, 1]]], "4", "4")]
    # -V' = 2 (x + y)^2 = 4 x^2 + 4 y^2 - 2 (x - y)^2.
    times = [[[[0, 1]], "-2"], [[[1, 1]], "2"]]
    leaf = {"rows": ["d"], "free": ["x"], "inverse": [["-1"]]}
    relation = {"terms": [[0, [[[], "1"]]]], "times": times}
    theorem = by_squares([0, 1], squares, relations=[relation], leaf=leaf)
    difference = nodes.total((1, 0), (-1, 1))
    return content(nodes, {"x": "0", "y": "0"}, [rate, rate], theorem, leaf={"d": difference})


def test_relations_of_the_leaf_may_be_used():
    assert "a leaf of dimension 1 at the equilibrium" in confirmed(plane_on_a_leaf())


def test_the_dimension_of_the_leaf_is_shown():
    for change in (
        {"rows": [], "free": ["x"], "inverse": []},
        {"rows": ["d", "d"], "free": [], "inverse": [["1", "0"], ["0", "1"]]},
        {"rows": ["d"], "free": ["x"], "inverse": [["1"]]},
    ):
        data = plane_on_a_leaf()
        data["theorem"]["leaf"] = change
        with pytest.raises(Refusal):
            check(data | {"digest": digest_of(data)})
    data = plane_on_a_leaf()
    data["theorem"]["leaf"] = {"rows": [], "free": ["x", "y"], "inverse": []}
    assert "a leaf of dimension at most 2 at the equilibrium" in confirmed(data)


def test_rows_are_relations_of_the_leaf():
    data = on_the_diagonal(("-1", "-1"), "0", invariants=1)
    data["theorem"] |= {
        "levels": [],
        "relations": [],
        "leaf": {"rows": ["d"], "free": ["x"], "inverse": [["-1"]]},
    }
    refused(data, "no relation of the leaf")


def test_a_point_alone_attracts_nothing():
    nodes, data = line()
    data["problem"]["leaf"] = {"x itself": 0}
    data["witness"]["cofactors"] = {"x itself": [["x itself", nodes.number(-1)]]}
    data["theorem"]["leaf"] = {"rows": ["x itself"], "free": [], "inverse": [["1"]]}
    refused(data, "nothing to attract")


def branches(level):
    """x' = y - x, y' = 0 on the leaf y (1 - x) = 0, y (y - 1) = 0: the line y = 0, and (1, 1), which
    rests.
    """
    nodes = Nodes("x", "y")
    one = nodes.number(1)
    field = [nodes.total((1, 1), (-1, 0)), nodes.number(0)]
    first = nodes.product((1, 1), (nodes.total((1, one), (-1, 0)), 1))
    second = nodes.product((1, 1), (nodes.total((1, 1), (-1, one)), 1))
    still = {"variable": 1, "cofactor": [[[], "1"], [[[0, 1]], "-1"]], "terms": [[0, [[[], "1"]]]]}
    leaf = {"rows": ["first"], "free": ["x"], "inverse": [["1"]]}
    theorem = by_squares([0, 1], [rest(ALONE, "2")], measured=1, still=[still], leaf=leaf, level=level)
    data = content(nodes, {"x": "0", "y": "0"}, field, theorem, leaf={"first": first, "second": second})
    # (y (1 - x))' = -y (y - x) = -y (1 - x) - y (y - 1).
    less = nodes.number(-1)
    data["witness"]["cofactors"] = {"first": [["first", less], ["second", less]]}
    return nodes, data


def test_what_a_relation_holds_still_does_not_move_within_the_set():
    """With x^2 <= 4 the other branch is in the set, and stays where it is."""
    confirmed(branches("1/4")[1])
    refused(branches("4")[1], "holds still may move")


def held_by_a_square():
    """x' = -x - x^3, y' = 0 on the leaf y (1 + x^2) = 0: V = x^2 has V' = -2 x^2 - 2 x^4."""
    nodes = Nodes("x", "y")
    square, cube = nodes.product((0, 2)), nodes.product((0, 3))
    field = [nodes.total((-1, 0), (-1, cube)), nodes.number(0)]
    relation = nodes.product((1, 1), (nodes.total((1, nodes.number(1)), (1, square)), 1))
    still = {
        "variable": 1,
        "cofactor": [[[], "1"], [[[0, 2]], "1"]],
        "terms": [[0, [[[], "1"]]]],
    }
    leaf = {"rows": ["held"], "free": ["x"], "inverse": [["1"]]}
    powers = [[[0, 1]], [[0, 2]]]
    theorem = by_squares([0, 1], [rest(powers, "2", "2")], measured=1, still=[still], leaf=leaf, level="4")
    data = content(nodes, {"x": "0", "y": "0"}, field, theorem, leaf={"held": relation})
    # (y (1 + x^2))' = 2 x x' y = -2 x^2 y (1 + x^2).
    data["witness"]["cofactors"] = {"held": [["held", nodes.product((0, 2), factor="-2")]]}
    return data


def test_powers_of_balls_around_zero_are_numbers():
    """1 - x vanishes nowhere where x^2 <= 1/4: one look at the whole says so. Nor does 1 + x^2."""
    data = branches("1/4")[1]
    assert any(line.startswith("1 part of") for line in check(data | {"digest": digest_of(data)}).checks)
    confirmed(held_by_a_square())
    x = fmpq_mpoly_ctx.get([("x", 1)], Ordering.lex).gens()[0]
    found = at(3 * x**3 - 2 * x**2 + 1, {0: arb(0, 2)})
    assert found.is_finite()
    assert all(found.contains(3 * t**3 - 2 * t**2 + 1) for t in (fmpq(-2), fmpq(0), fmpq(4, 9), fmpq(2)))


def test_what_is_still_is_shown_to_be():
    for change in ({"terms": []}, {"terms": [[1, [[[], "1"]]]]}, {"cofactor": [[[], "1"]]}):
        _, data = branches("1/4")
        data["theorem"]["still"][0] |= change
        refused(data, "a variable keeps its value")


def test_what_holds_still_depends_on_what_is_measured_alone():
    """y (y - 1) = 0 holds y on either branch."""
    _, data = branches("4")
    cofactor = [[[[1, 1]], "1"], [[], "-1"]]
    data["theorem"]["still"] = [{"variable": 1, "cofactor": cofactor, "terms": [[1, [[[], "1"]]]]}]
    refused(data, "depends on what keeps its value")


# -- variables --------------------------------------------------------------------------------------------


def test_variables_are_named_once_and_are_variables():
    nodes, data = line()
    for variables, words in (
        ([0, 0], "named twice"),
        ([], "does not fit"),
        ([nodes.number(3)], "do not fit"),
    ):
        other = copy.deepcopy(data)
        other["theorem"]["variables"] = variables
        refused(other, words)


def test_functions_are_those_that_polynomials_bound():
    """x' = 1 - e^x."""
    nodes = Nodes("x")
    power = nodes.function("exp", 0)
    field = [nodes.total((1, nodes.number(1)), (-1, power))]
    refused(
        content(nodes, {"x": "0"}, field, by_squares([0, power], [rest(ALONE, "2")])), "exp is no polynomial"
    )


def test_a_sine_has_its_cosine():
    """x' = -sin x."""
    nodes = Nodes("x")
    s = nodes.function("sin", 0)
    field = [nodes.product((s, 1), factor=-1)]
    refused(content(nodes, {"x": "0"}, field, by_squares([s], [rest(ALONE, "2")])), "no cosine")


def test_an_angle_is_told_by_its_own_sine():
    """x' = -sin 2x by sin 2x and cos 2x: x = pi rests as well."""
    nodes = Nodes("x")
    double = nodes.product((0, 1), factor=2)
    s, c = nodes.function("sin", double), nodes.function("cos", double)
    theorem = by_squares([s, c], [rest(ALONE, "2")])
    refused(content(nodes, {"x": "0"}, [nodes.product((s, 1), factor=-1)], theorem), "not told by its sine")


def test_a_quadrature_begins_at_the_point():
    """With a = 0 it is linear, wherever it begins; the bound is one of what it is beyond zero."""
    nodes = Nodes("x")
    y = nodes.function("quadrature", nodes.number(0), nodes.number(1), 0)
    field = [nodes.total((1, nodes.number(1)), (-1, 0))]
    data = content(nodes, {"x": "1"}, field, by_squares([0, y], [rest(ALONE, "2")], measured=1))
    refused(data, "not rational at the point")


def test_a_quadrature_is_bounded_where_it_has_no_pole():
    """int_0^x dt/(1 - t^2) is more than x + x^3/3."""
    for a, b in (("-1", "1"), ("1", "-1")):
        nodes = Nodes("x")
        y = nodes.function("quadrature", nodes.number(a), nodes.number(b), 0)
        field = [nodes.product((0, 1), factor=-1)]
        data = content(nodes, {"x": "0"}, field, by_squares([0, y], [rest(ALONE, "2")], measured=1))
        refused(data, "not bounded by polynomials")


# -- by slopes --------------------------------------------------------------------------------------------


def sloped(rates, **parts):
    """States x, p with x' = -x or another rate, and V = x^2, or x^2 + p^2."""
    nodes = Nodes("x", "p")
    theorem = {"name": "slopes", "domain": [], "limits": {}, "function": [["1"]], "level": "1", "cells": "."}
    field = rates(nodes)
    theorem |= {k: part(nodes) if callable(part) else part for k, part in parts.items()}
    return content(nodes, {"x": "0", "p": "0"}, field, theorem)


def falling(nodes, other=None):
    """x' = -x, and the rate of p."""
    return [nodes.product((0, 1), factor=-1), other or nodes.number(0)]


def test_slopes_of_the_line():
    assert "whatever p may be" in confirmed(sloped(falling))


def test_by_slopes_the_function_is_definite_and_falls():
    refused(sloped(lambda nodes: [0, nodes.number(0)], function=[["-1"]]), "positive definite")
    refused(sloped(lambda nodes: [0, nodes.number(0)]), "falls over a cell")
    refused(sloped(falling, function=[["1"], ["0", "1"]]), "not one of what is measured")


def test_by_slopes_the_point_is_at_rest():
    refused(sloped(lambda nodes: falling(nodes, nodes.number(1))), "no equilibrium")


def test_by_slopes_what_is_free_makes_no_rate_fail():
    def divided(nodes):
        return falling(nodes, nodes.product((0, 1), (nodes.total((1, nodes.number(1)), (-1, 1)), -1)))

    refused(sloped(divided), "not one of what is measured|may fail with what is free")
    refused(sloped(lambda nodes: falling(nodes, nodes.product((1, 2)))), "not one of what is measured")


def test_by_slopes_the_domain_goes_on_and_outputs_keep_within_limits():
    for bound, words in (("1/2", "domain of the model"), ("2", "")):
        data = sloped(falling, domain=lambda nodes, b=bound: [nodes.total((b, nodes.number(1)), (-1, 0))])
        refused(data, words) if words else confirmed(data)
    for bound, words in (("2", "within its limit"), ("4", "")):
        data = sloped(
            falling,
            limits=lambda nodes, b=bound: {"u": {"input": nodes.product((0, 1), factor=3), "bound": b}},
        )
        refused(data, words) if words else confirmed(data)


def test_by_slopes_a_leaf_has_to_be_kept():
    data = sloped(falling)
    data["problem"]["leaf"] = {"x itself": 0}
    data["witness"]["cofactors"] = {"x itself": []}
    refused(data, "the motion keeps")


def test_cells_by_slopes_are_a_tree():
    for cells in ("0.", "...", "9..", "0.0", "!"):
        refused(sloped(falling, cells=cells), "no tree")
    confirmed(sloped(falling, cells="0.0.."))


# -- numbers ----------------------------------------------------------------------------------------------


def numbers(tree, path=()):
    """Places of numbers in a file's witness and theorem."""
    children = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, child in children:
        yield from numbers(child, (*path, key))
    if isinstance(tree, str) and tree.lstrip("-").replace("/", "", 1).isdigit():
        yield path


CHANGES = [lambda q: f"-{q}".replace("--", ""), lambda q: f"{q}1", lambda q: "0", lambda q: "7/3"]
BASES = {
    "line": lambda: line()[1],
    "leaf": plane_on_a_leaf,
    "solved": lambda: solved(lambda nodes, _: nodes.number(1)),
    "still": lambda: branches("1/4")[1],
}


@pytest.mark.parametrize("base", BASES)
def test_every_number_changed_is_refused_or_another_proof(base):
    """What is confirmed with another number is another set of the same motion: a level, a function that falls
    as well. Of these files all sets below the level of the base are attracted, and larger ones of the line.
    """
    data, outcomes = BASES[base](), set()
    for path in [p for part in ("witness", "theorem") for p in numbers(data[part], (part,))]:
        for change in CHANGES:
            other = copy.deepcopy(data)
            holder = other
            for key in path[:-1]:
                holder = holder[key]
            before = Fraction(holder[path[-1]])
            holder[path[-1]] = change(holder[path[-1]])
            if Fraction(holder[path[-1]]) == before:
                continue
            try:
                verdict = check(other).verdict
            except Refusal:
                outcomes.add("refused")
                continue
            outcomes.add(verdict)
            assert verdict == "PROVED_ATTRACTED"
            assert path[-1] == "level" or base == "line", path
    assert outcomes <= {"refused", "PROVED_ATTRACTED"}


def test_drawn_rubbish_is_refused_in_words():
    rng = random.Random(4)
    rubbish = [None, -1, 10**9, "x", [], {}, [[]], "1/0", 1.5, True]
    for base in BASES.values():
        data = base()
        for _ in range(60):
            other = copy.deepcopy(data)
            holder, path = other["theorem"], []
            while isinstance(holder, dict | list) and holder and (not path or rng.random() < 0.7):
                key = rng.choice(list(holder) if isinstance(holder, dict) else range(len(holder)))
                path.append((holder, key))
                holder = holder[key]
            where, key = path[-1]
            where[key] = rng.choice(rubbish)
            try:
                check(other)
            except Refusal:
                continue
