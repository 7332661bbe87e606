"""Functions that fall and have a minimum of higher order alone: what they prove, and changed files.

Of every system the truth is known by hand, and is said beside it.
"""

import copy
from functools import cache

import pytest

from geoctrl import checker
from geoctrl.analysis.proofs.proof import decide
from geoctrl.checker.limits import Refusal
from tests.analysis.plain import plain
from tests.checker.test_witnesses import CHANGES, changed, numbers
from tests.checker.test_witnesses_of_theorems import content_of

METHOD = "falling energy, lowest form"


def spring(force, energy, *further, conserved=None):
    """A unit mass on a line, its force, an energy that may fall, and rates of further states."""
    states = "xyzw"[: 2 + len(further)]
    rates = ", ".join(["y", force, *further])
    return plain(rates, dict.fromkeys(states, 0), others={"energy": energy}, conserved=conserved)


QUARTIC = "y**2/2 + x**4/4"
FALLING = {
    # Cubic springs with friction of the third order, and what works at places alone: nothing stays but zero.
    "a cubic spring, cubic friction": (spring("-x**3 - y**3", QUARTIC), "PROVED_ASYMPTOTICALLY_STABLE"),
    "friction away from the middle": (spring("-x**3 - x**2*y", QUARTIC), "PROVED_ASYMPTOTICALLY_STABLE"),
    "a fifth power": (spring("-x**5 - y**3", "y**2/2 + x**6/6"), "PROVED_ASYMPTOTICALLY_STABLE"),
    "two powers": (
        plain("-x**3, -y**5", {"x": 0, "y": 0}, others={"V": "x**2 + y**4"}),
        "PROVED_ASYMPTOTICALLY_STABLE",
    ),
    # Where z rests motions do not tend to one point; where z = 0 this spring has no friction at all.
    "beside what is frozen": (
        spring("-x**3 - y**3*(1 + z)", QUARTIC, "0", conserved={"z": "z"}),
        "PROVED_STABLE",
    ),
    "friction that is frozen": (
        spring("-x**3 - z**2*y", QUARTIC, "0", conserved={"z": "z"}),
        "PROVED_STABLE",
    ),
    # One coordinate of two is damped: motions along the other one stay.
    "half of a plane": (
        plain(
            "v, w, -x**3 - x*y**2 - v, -y**3 - x**2*y",
            dict.fromkeys("xyvw", 0),
            others={"energy": "(v**2 + w**2)/2 + (x**2 + y**2)**2/4"},
        ),
        "PROVED_STABLE",
    ),
}
"""None is decided by second derivatives."""

LEFT_OPEN = {
    "a hill": spring("x**3 - y**3", "y**2/2 - x**4/4"),  # unstable
    "a slope": spring("-x**2 - y**3", "y**2/2 + x**3/3"),  # unstable
    "a push": spring("-x**3 + y**3", QUARTIC),  # unstable: it rises
    "a push that is frozen": spring(
        "-x**3 + z*y", QUARTIC, "0", conserved={"z": "z"}
    ),  # unstable where z > 0
}


@pytest.mark.parametrize("name", FALLING)
def test_what_falls_to_a_degenerate_minimum(name):
    problem, verdict = FALLING[name]
    outcome, content = content_of(problem)
    assert (outcome.verdict.value, outcome.method) == (verdict, METHOD)
    found = checker.prove(content)
    assert (found.verdict, found.method) == (verdict, METHOD)


@pytest.mark.parametrize("name", LEFT_OPEN)
def test_what_has_no_minimum_does_not_fall_to_one(name):
    assert decide(LEFT_OPEN[name]).method != METHOD


@cache
def genuine(name):
    return content_of(FALLING[name][0])[1]


def report(content):
    try:
        return checker.prove(content)
    except Refusal:
        return None


@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_number_proves_no_more(change):
    count = 0
    for name in ("friction away from the middle", "friction that is frozen"):
        content, verdict = genuine(name), FALLING[name][1]
        for path in numbers(content["theorem"]):
            data = changed(content, "theorem", path, CHANGES[change])
            found = report(data)
            count += found is None
            assert found is None or found.verdict in (verdict, "PROVED_STABLE"), path
    assert count


def without(*keys):
    return lambda theorem: [theorem.pop(key) for key in keys]


FORGED = {
    "rises": lambda t: t["fall"].update(sense=-1),
    "no squares": lambda t: t["fall"].update(squares=[]),
    "twice a square": lambda t: t["fall"].update(squares=t["fall"]["squares"] * 2),
    "another function": lambda t: t["fall"].update(function=0),
    "no steps": lambda t: t.update(steps=[], seen=t["seen"][:1], seen_inverse=[t["seen_inverse"][0][:1]]),
    "a step less": lambda t: t["steps"].pop(),
    "a power less": lambda t: t["steps"][-1].update(power=t["steps"][-1]["power"] - 1),
    "a form of lower degree": lambda t: t.update(half=1),
    "another variable": lambda t: t.update(along=["y"]),
    "no fall": without("fall"),
}


@pytest.mark.parametrize("name", FORGED)
def test_each_hypothesis_is_asked_for(name):
    forged = copy.deepcopy(genuine("a cubic spring, cubic friction"))
    FORGED[name](forged["theorem"])
    assert report(forged) is None


def test_without_what_is_seen_it_is_stable_alone():
    """And a level that is held makes no attraction."""
    forged = copy.deepcopy(genuine("a cubic spring, cubic friction"))
    without("steps", "seen", "seen_inverse")(forged["theorem"])
    assert checker.prove(forged).verdict == "PROVED_STABLE"
