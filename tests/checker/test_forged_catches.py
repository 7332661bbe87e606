"""Files of a catch that is known in closed form: each hypothesis is needed."""

import copy
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from geoctrl import checker
from tests.attack.forge.catches_by_hand import LEVEL, RADIUS, TURN, turned_and_caught
from tests.attack.oracle.catches import catch_falsehood
from tests.checker.test_witnesses import CHANGES, at, changed, numbers


@cache
def kept_content():
    return turned_and_caught()


def content():
    return copy.deepcopy(kept_content())


def with_parts(**parts):
    data = content()
    return data | {"theorem": data["theorem"] | parts}


def test_the_catch_ends_where_its_closed_form_does():
    caught = checker.prove(content()).told["region"]
    ((phi, p),) = caught.ends
    for x, start in ((phi - float(TURN), 0.5), (p, 0.125)):
        for edge in (-1, 1):
            assert x.contains((start + edge * float(RADIUS)) * np.exp(-1))
        assert float(x.rad()) < 1.01 * float(RADIUS) * np.exp(-1)
    assert 0.5 + float(RADIUS) <= float(caught.largest["u"].upper()) < 0.6
    assert catch_falsehood(content(), "PROVED_ATTRACTED") == ""


@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_number_is_refused_or_proves_the_same(change):
    refused = 0
    for path in numbers(content()["theorem"]):
        data = changed(content(), "theorem", path, CHANGES[change])
        if at(data["theorem"], path) not in (at(content()["theorem"], path), "-0"):
            try:
                assert checker.prove(data).verdict == "PROVED_ATTRACTED"
            except checker.Refusal:
                refused += 1
    assert refused


# -- one hypothesis that fails ------------------------------------------------------------------------------


def theorem():
    return content()["theorem"]


def box(**parts):
    return {"boxes": [theorem()["boxes"][0] | parts]}


def steps_with(factor=1, moved=0):
    """Of the box, their lengths multiplied; and all of them after the first one without the first."""
    return [[int(h * factor), sides] for h, sides in theorem()["boxes"][0]["steps"]][moved:]


def of_set(**parts):
    region = theorem()["region"]
    return {"region": region | {"theorem": region["theorem"] | parts}}


def with_law(part, factor):
    """A law times a number."""
    data = content()
    nodes, laws = data["problem"]["nodes"], data["theorem"][part]
    nodes.append(["prod", str(factor), [[laws["u"], 1]]])
    laws["u"] = len(nodes) - 1
    return data


def with_law_of_the_input():
    data = content()
    data["theorem"]["laws"] = {"u": data["problem"]["field"][0]}
    return data


FORGED = {
    "a shorter time": (lambda: with_parts(time="1/4"), "stay in the box"),
    "a longer time": (lambda: with_parts(time="3"), "stay in the box"),
    "no time": (lambda: with_parts(time="0"), "time"),
    "a wider start": (lambda: with_parts(**box(radii=["1/2", "1/64"])), "stay in the box"),
    "a start elsewhere": (lambda: with_parts(**box(start=["157/25", "1/8"])), "stay in the box"),
    "a start that rests without a step": (lambda: with_parts(**box(start=["0", "0"], steps=[])), "add up"),
    "no boxes": (lambda: with_parts(boxes=[]), "one is needed"),
    "a side too few": (lambda: with_parts(**box(start=["1/8"])), "side for each state"),
    "steps that end early": (lambda: with_parts(**box(steps=steps_with(1 / 2))), "add up"),
    "a step left out": (lambda: with_parts(**box(steps=steps_with(moved=1))), "add up"),
    "steps in another order": (lambda: with_parts(**box(steps=steps_with()[::-1])), "stay in the box"),
    "a level of entry above the set's": (lambda: with_parts(entry=str(2 * LEVEL)), "level of entry"),
    "a level of entry that is not reached": (lambda: with_parts(entry=str(LEVEL / 4)), "end in the set"),
    "a set with a smaller level": (
        lambda: with_parts(entry=str(LEVEL / 4), **of_set(level=str(LEVEL / 4))),
        "end in the set",
    ),
    "a set with a function that is none": (lambda: with_parts(**of_set(function=[["1"], ["0", "-1"]])), "."),
    "a set without its limit": (lambda: with_parts(**of_set(limits={})), "within that limit"),
    "a limit below what the way asks for": (lambda: with_parts(limits={"u": "1/2"}), "within that limit"),
    "a limit of the set that it passes": (
        lambda: with_parts(
            limits={"u": "1/4"},
            **of_set(limits={"u": theorem()["region"]["theorem"]["limits"]["u"] | {"bound": "1/4"}}),
        ),
        ".",
    ),
    "a law that leads away": (lambda: with_law("laws", -1), "stay in the box"),
    "a law that is faster than its boxes": (lambda: with_law("laws", 3), "stay in the box"),
    "a law that reads the input": (with_law_of_the_input, "depends on an input"),
    "a law that catches and is not the set's": (lambda: with_law("caught", 2), "with that law"),
    "no law": (lambda: with_parts(laws={}), "each input"),
    "an angle that is none": (lambda: with_parts(turned=["p"]), "whole turns"),
    "one angle more": (lambda: with_parts(turned=["phi", "p"]), "whole turns"),
    "an angle that goes round and is not said to": (lambda: with_parts(turned=[]), "end in the set"),
    "an angle that is no state": (lambda: with_parts(turned=["r"]), "."),
    "another plant": (
        lambda: content() | {"problem": content()["problem"] | {"field": [1, 0]}},
        "with that law",
    ),
    "few digits": (lambda: with_parts(bits=8), "bits"),
}


@pytest.mark.parametrize("name", FORGED)
def test_a_forged_catch_is_refused(name):
    make, words = FORGED[name]
    with pytest.raises(checker.Refusal, match=words):
        checker.prove(make())


def test_the_oracle_sees_what_is_not_so():
    """What the checker refuses above, judged by runs: the attack's judge has to tell."""
    for name, words in {
        "a level of entry that is not reached": "does not come to the set",
        "a shorter time": "does not come to the set",
        "a law that leads away": "does not come to the set",
        "a limit of the set that it passes": "beyond its limit",
        "an angle that goes round and is not said to": "does not come to the set",
        "a law that reads the input": "depends on an input",
    }.items():
        assert words in catch_falsehood(FORGED[name][0](), "PROVED_ATTRACTED"), name
    leaves = with_law("caught", Fraction(-1, 2))
    assert "leaves the set" in catch_falsehood(leaves, "PROVED_ATTRACTED")
