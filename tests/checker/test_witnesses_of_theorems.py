"""What theorems beyond the spectrum prove of plain fields, confirmed by witnesses; and what they may not
prove.
"""

import copy
import json
from functools import cache

import pytest

from geoctrl import checker
from geoctrl.analysis.proofs.proof import decide
from geoctrl.analysis.witnesses.content import content_with_witnesses
from geoctrl.checker.limits import Refusal
from tests.analysis.plain import plain
from tests.analysis.test_theorems import PROVED
from tests.checker.test_witnesses import CHANGES, at, changed, numbers


def content_of(problem):
    outcome = decide(problem)
    proof = {
        "problem": outcome.problem.data,
        "verdict": outcome.verdict.value,
        "method": outcome.method,
        "evidence": outcome.evidence,
        "software": "test",
        "system": "plain",
    }
    return outcome, json.loads(json.dumps(content_with_witnesses(proof)))


def test_search_and_checker_agree_on_textbook_cases():
    agreed = {}
    for name, (problem, _) in PROVED.items():
        outcome, content = content_of(problem)
        found = checker.prove(content)
        assert (found.verdict, found.method) == (outcome.verdict.value, outcome.method), name
        agreed.setdefault(found.method, []).append(name)
    further = {"falling energy", "drift", "spectrum and a family of equilibria"}
    assert further | {"energy-Casimir, lowest form", "spectrum and a series"} <= agreed.keys()


# -- functions that fall ----------------------------------------------------------------------------------

BRAKED = plain("y, -x - y**3", {"x": 0, "y": 0}, others={"energy": "(x**2 + y**2)/2"})


@cache
def fallen():
    """An oscillator with a brake: its square is zero with its root, and sees both states through the
    motion.
    """
    outcome, content = content_of(BRAKED)
    assert outcome.method == "falling energy"
    return content


def test_a_brake_attracts():
    assert checker.prove(fallen()).verdict == "PROVED_ASYMPTOTICALLY_STABLE"


@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_witness_of_a_fall_proves_nothing(change):
    content, refused = fallen(), 0
    for part in ("witness", "theorem"):
        for path in numbers(content[part]):
            data = changed(content, part, path, CHANGES[change])
            if at(data[part], path) in (at(content[part], path), "-0"):
                continue
            with pytest.raises(Refusal):
                checker.prove(data)
            refused += 1
    assert refused


def refused(match, **parts):
    """That the braked oscillator's file is refused with parts of its theorem changed."""
    data = copy.deepcopy(fallen())
    data["theorem"] |= parts
    with pytest.raises(Refusal, match=match):
        checker.prove(data)


def test_what_grows_does_not_fall():
    fall = fallen()["theorem"]["fall"]
    refused("not proved that the function falls", fall=fall | {"sense": -1})
    refused("not proved that the function falls", fall=fall | {"squares": []})
    twice = fall["squares"] * 2
    refused("not proved that the function falls", fall=fall | {"squares": twice})


def test_a_factor_of_a_square_is_positive():
    """x' = y, y' = -x + y^3 with the factor -1: the energy grows."""
    data = copy.deepcopy(fallen())
    nodes, fall = data["problem"]["nodes"], data["theorem"]["fall"]
    for node in nodes:  # the brake becomes a drive
        if node[0] == "num" and node[1] == "-1":
            node[1] = "1"
    square = fall["squares"][0]
    nodes.append(["prod", "-1", [[square["factor"], 1]]])
    square["factor"] = len(nodes) - 1
    with pytest.raises(Refusal):
        checker.prove(data)


def test_steps_are_identities():
    theorem = fallen()["theorem"]
    (step,) = theorem["steps"]
    for change in ({"power": step["power"] + 1}, {"terms": []}, {"function": 0}):
        refused("not proved to vanish on what stays", steps=[step | change])
    zero = copy.deepcopy(fallen())
    zero["problem"]["nodes"].append(["num", "0"])
    place = len(zero["problem"]["nodes"]) - 1
    zero["theorem"]["steps"][0] |= {"unit": place, "terms": [], "rates": []}
    with pytest.raises(Refusal, match="unit vanishes"):
        checker.prove(zero)


def test_what_does_not_see_all_tangents_is_refused():
    theorem = fallen()["theorem"]
    refused("not the inverse", seen=[theorem["seen"][0]] * 2)
    refused("not the inverse|do not fit", seen=theorem["seen"][:1], seen_inverse=[["1"]])


def test_without_sight_a_fall_is_stability_alone():
    data = copy.deepcopy(fallen())
    for key in ("seen", "seen_inverse", "steps"):
        del data["theorem"][key]
    assert checker.prove(data).verdict == "PROVED_STABLE"
    data["theorem"]["below"] = ["1", "0"]
    with pytest.raises(Refusal, match="negative there"):
        checker.prove(data)
