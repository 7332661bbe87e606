"""Files of bounds while a parameter moves: confirmed alone, and nothing where one hypothesis fails."""

import copy
import json
import re
import subprocess
import sys
from collections import Counter
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl import checker
from geoctrl.analysis.schedules.moving_bound import bound_over_pieces
from geoctrl.checker.limits import Refusal
from geoctrl.rocq import rocq_text
from tests.attack.parts import moving

SCRIPT = """
import sys, types
package = types.ModuleType("geoctrl")
package.__path__ = [{folder!r}]
sys.modules["geoctrl"] = package
from geoctrl import checker
print(checker.check_file(sys.argv[1]).verdict)
"""


def spring():
    return copy.deepcopy(moving.genuine()[0])


def needle():
    return copy.deepcopy(moving.genuine()[1])


def joined():
    """The spring with a stronger damper on the right of 1/2."""
    return copy.deepcopy(moving.genuine()[2])


def refused(data):
    data["digest"] = checker.digest_of(data)
    with pytest.raises(Refusal) as found:
        checker.check(data)
    return str(found.value)


def times(data, key, factor):
    data["theorem"][key] = str(Fraction(data["theorem"][key]) * factor)
    return data


def test_genuine_files_are_confirmed_where_only_the_checker_can_be_imported(tmp_path):
    for k, data in enumerate(moving.genuine()):
        path = tmp_path / f"{k}.json"
        path.write_text(json.dumps(data))
        script = SCRIPT.format(folder=str(Path(gc.__file__).parent))
        run = subprocess.run([sys.executable, "-c", script, path], capture_output=True, text=True, check=True)
        assert run.stdout.strip() == "PROVED_BOUNDED"
        assert not moving.falsehood(data, np.random.default_rng(k))


@pytest.mark.parametrize(
    ("key", "factor"), [("decay", 2), ("rate", 40), ("reach", Fraction(1, 2)), ("decay", Fraction(11, 10))]
)
def test_each_number_of_the_bound_is_needed(key, factor):
    assert "not shown on all of a cell" in refused(times(needle(), key, factor))


def test_widths_are_proved():
    data = spring()
    data["theorem"]["within"]["x"] = str(Fraction(data["theorem"]["within"]["x"]) / 2)
    assert "not shown on all of a cell" in refused(data)


@pytest.mark.parametrize("change", ["sign", "slope", "indefinite"])
def test_the_form_is_positive_and_falls(change):
    """A slope of P is of either sign: one that grows with s fails as s grows, or as it falls."""
    data = spring()
    for i, row in enumerate(data["theorem"]["P"]):
        for j, entry in enumerate(row):
            first = Fraction(entry[0])
            if change == "sign":
                entry[:] = [str(-Fraction(c)) for c in entry]
            elif change == "slope":
                entry[:] = [str(first), str(first * 9 / 10)]
            elif i != j:
                entry[:] = [str(first * 100)]
    if change == "slope":  # P itself is positive, and at rest it falls
        times(data, "decay", Fraction(1, 100))
        data["theorem"]["rate"] = "10"
        data["theorem"]["reach"] = "100"
        data["theorem"]["within"] = {}
    assert "not shown on all of a cell" in refused(data)
    if change == "slope":
        data["theorem"]["rate"] = "1/100"
        data["digest"] = checker.digest_of(data)
        assert checker.check(data).verdict == "PROVED_BOUNDED"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda d: d["theorem"].update(cells="."), "not shown on all of a cell"),
        (lambda d: d["theorem"].update(cells=d["theorem"]["cells"][:-1]), "no tree"),
        (lambda d: d["theorem"].update(cells=d["theorem"]["cells"] + "."), "no tree"),
        (lambda d: d["theorem"].update(moves="Gamma1"), "what moves is a parameter"),
        (lambda d: d["theorem"]["axes"].update(s=["1/2", "-1/2"]), "one to 12 intervals"),
        (lambda d: d["theorem"]["axes"].update(s=["-2", "2"]), "not shown on all of a cell"),
        (lambda d: d["theorem"]["chart"].update(rows=[], free=[*d["problem"]["states"]], inverse=[]), "free"),
        (lambda d: d["theorem"].update(rate="0"), "not what belongs here"),
        (lambda d: d["theorem"].update(decay="-1"), "not what belongs here"),
        (lambda d: d["theorem"]["within"].update(Gamma2="1"), "do not fit"),
        (lambda d: d["problem"]["states"].update(Omega=d["problem"]["states"]["Gamma1"]), "equilibrium"),
    ],
)
def test_changed_files_are_refused_in_words(change, words):
    data = needle()
    change(data)
    assert words in refused(data)


def moved_form(data):
    entry = data["theorem"]["further"][0]["theorem"]["P"][1][0]
    entry[0] = str(Fraction(entry[0]) + Fraction(1, 10**6))


def other_member(data):
    """Members at s + 1/10, of which each is at rest in equations of its own."""
    problem = data["theorem"]["further"][0]["problem"]
    nodes, x = problem["nodes"], problem["states"]["x"]
    shift, one = Fraction(1, 10), len(nodes)
    nodes += [["num", str(shift)], ["num", "1"], ["sum", [[one + 1, x], [one + 1, one]]]]
    problem["states"]["x"] = one + 2


def piece_of(data):
    return data["theorem"]["further"][0]["theorem"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (moved_form, "forms do not agree where pieces meet"),
        (lambda d: piece_of(d)["axes"].update(s=["3/4", "2"]), "do not follow each other"),
        (lambda d: d["theorem"]["further"].append(d["theorem"]["further"][0]), "do not follow each other"),
        (lambda d: piece_of(d).update(decay=str(Fraction(piece_of(d)["decay"]) / 2)), "not of one bound"),
        (lambda d: piece_of(d).update(rate="1/4"), "not of one bound"),
        (lambda d: piece_of(d).update(reach=str(2 * Fraction(piece_of(d)["reach"]))), "not of one bound"),
        (lambda d: piece_of(d).update(within={}), "not of one bound"),
        (lambda d: piece_of(d).update(family="other"), "not of one bound"),
        (lambda d: piece_of(d).update(cells=""), "no tree"),
        (lambda d: piece_of(d).update(further=[]), "unknown, or missing"),
        (other_member, "equilibrium|equilibria|rest"),
    ],
)
def test_pieces_are_one_bound_or_refused(change, words):
    data = joined()
    change(data)
    assert re.search(words, refused(data))


def test_members_that_jump_between_pieces_are_refused():
    """Springs whose ends are at s and at s + 1/10: each is right alone, and deviations jump between."""
    x, s = gc.Coordinate("x"), gc.Parameter("s", 0.0)
    end = s.symbol + sp.Rational(1, 10)
    other = gc.EulerPoincare(
        name="pulled", shape=[x], inertia=[[1]], parameters=[s], potential=(x.symbol - end) ** 2,
        forces=[-2 * x.rate], equilibria={"pulled": gc.Family({"x": end})},
    ).reduce()  # fmt: skip
    pieces = [(moving.pulled(), (-1, 0.5)), (other, (0.5, 2))]
    with pytest.raises(Refusal, match="pieces have other members or another leaf"):
        bound_over_pieces(pieces, "pulled", "s", 0.5)


def test_the_claim_of_pieces_names_them():
    data = joined()
    claim = checker.check(data).claim
    assert "s moves within [-1, 2]" in claim
    assert "equations of its own on each of [-1, 0.5], [0.5, 2]" in claim
    assert "continuous and a polynomial on each" in claim


def test_a_loop_with_inputs_and_a_leaf_that_moves_are_refused():
    data = spring()
    data["problem"]["nodes"].append(["sym", "u", "input"])
    data["problem"]["inputs"]["u"] = data["problem"]["states"]["x"]
    assert "a loop has no inputs" in refused(data)
    data, nodes = needle(), needle()["problem"]["nodes"]
    place = next(i for i, node in enumerate(nodes) if node[:2] == ["sym", "s"])
    ((name, leaf),) = data["problem"]["leaf"].items()
    one = len(nodes)
    shifted = ["sum", [[one, place], [one, one]]]
    data["problem"]["nodes"] += [["num", "1"], shifted, ["prod", "1", [[leaf, 1], [one + 1, 1]]]]
    data["problem"]["leaf"][name] = one + 2
    assert "the leaf must not move" in refused(data)


def test_there_is_no_theorem_of_rocq():
    with pytest.raises(gc.CertificateError, match="a linear part that varies with the time"):
        rocq_text(spring())


def test_what_is_confirmed_of_changed_files_is_true():
    results = Counter(moving.case(6, index).result for index in range(45))
    assert not {*results} - {"held", "refused", "unjudged"}
    assert results["held"] >= 3


@pytest.mark.parametrize(
    ("name", "answer", "indices"),
    [("MovingLinearPart.holds_on", True, range(45)), ("require_junction", None, range(2, 75, 3))],
)
def test_the_judge_notices_a_checker_that_does_not_look(monkeypatch, name, answer, indices):
    """Negative control."""
    monkeypatch.setattr(f"geoctrl.checker.schedules.file.{name}", lambda *_: answer)
    results = Counter(moving.case(6, index).result for index in indices)
    assert results["contradiction"] >= 2
