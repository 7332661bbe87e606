"""Changed files of periodic orbits and turning points, and whether what judges them sees what is false."""

import copy
from fractions import Fraction
from functools import cache

import pytest

from tests.attack.forge import genuine
from tests.attack.oracle.curves import FOLD, ORBITS, curve_falsehood
from tests.attack.parts import certificates

CASES = 80


@cache
def curves():
    return list(genuine._curves())


@pytest.mark.long(
    reason="the attack in quick mode, a part of .ci/run, changes these files too; its judges are asked below"
)
def test_changed_files_are_refused_or_prove_what_is_true(monkeypatch):
    monkeypatch.setattr(certificates, "BASES", curves())
    found = [certificates.case(5, index, {}) for index in range(CASES)]
    assert {o.kind for o in found} == {*certificates.WAYS} - {*certificates.BY_SEARCH}
    assert {o.result for o in found} == {"held", "refused"}
    assert any("it is not proved that" in o.detail.get("words", "") for o in found)


def told(content, **parts):
    return copy.deepcopy(content) | {"theorem": copy.deepcopy(content["theorem"]) | parts}


def named(*names):
    return [base for base in curves() if base.content["theorem"]["name"] in names]


def test_what_is_true_is_not_called_false():
    assert len(curves()) == len(named(*ORBITS, FOLD, "catch"))
    for base in named(*ORBITS, FOLD):
        assert curve_falsehood(base.content, base.proof["verdict"]) == ""


@pytest.mark.parametrize("k", [0, 1])
def test_a_false_orbit_is_seen(k):
    base = curves()[k]
    *x, time = base.content["theorem"]["start"]
    short = told(base.content, start=[*x, str(Fraction(time) * Fraction(9, 10))])
    assert curve_falsehood(short, base.proof["verdict"]) == "the motion does not close"
    beside = told(base.content, start=["1/2", *x[1:], time])
    assert curve_falsehood(beside, base.proof["verdict"]) == "the motion does not close"
    other = ("PROVED_UNSTABLE", "PROVED_ASYMPTOTICALLY_STABLE")[k]
    assert "multiplier" in curve_falsehood(base.content, other)


def test_a_false_fold_is_seen():
    for base in named(FOLD):
        held = [k for k in base.content["problem"]["states"] if k != base.content["theorem"]["along"]]
        assert curve_falsehood(
            told(base.content, held=held[:2]), ""
        )  # none goes on, or one that does not turn
        values = copy.deepcopy(base.content)
        along = values["theorem"]["along"]
        values["problem"]["states"][along] = str(Fraction(values["problem"]["states"][along]) + 1)
        assert "no equilibrium" in curve_falsehood(values, "")
    straight = told(named(FOLD)[0].content)
    straight["problem"]["nodes"] = [
        ["prod", "-1", [[0, 3]]] if row == ["prod", "-1", [[0, 2]]] else row
        for row in straight["problem"]["nodes"]
    ]
    assert curve_falsehood(straight, "") == "T goes on beyond it"
