"""What textbooks say of a point, and what `certify` says: nothing that is proved contradicts."""

from __future__ import annotations

import json

import numpy as np
import pytest

import geoctrl as gc
from geoctrl import checker
from tests.analysis.textbook_fields import ATTRACTS, STABLE, TEXTBOOK_FIELDS, UNSTABLE
from tests.analysis.textbook_mechanisms import TEXTBOOK_MECHANISMS

WORD = {
    ATTRACTS: "PROVED_ASYMPTOTICALLY_STABLE",
    STABLE: "PROVED_STABLE",
    UNSTABLE: "PROVED_UNSTABLE",
}
TRUE = {
    ATTRACTS: {"PROVED_ASYMPTOTICALLY_STABLE", "PROVED_STABLE"},
    STABLE: {"PROVED_STABLE"},
    UNSTABLE: {"PROVED_UNSTABLE"},
}
"""What may be proved."""


def require_the_truth(system, point, case):
    """Nothing proved contradicts it; what is proved stays so, and its file is confirmed."""
    found = gc.certify(system, point)
    if found.verdict.proved:
        assert found.verdict.value in TRUE[case.truth]
        assert checker.check(json.loads(found.to_json())).verdict == found.verdict.value
    if case.proved:
        assert case.proved == case.truth
        assert found.verdict.value == WORD[case.proved]


@pytest.mark.parametrize("name", TEXTBOOK_FIELDS)
def test_textbook_fields(name):
    case = TEXTBOOK_FIELDS[name]
    field = gc.VectorField(case.states, case.rates, name="field", **case.entries)
    require_the_truth(field.reduce(), case.point, case)


@pytest.mark.parametrize("name", TEXTBOOK_MECHANISMS)
def test_textbook_mechanisms(name):
    case = TEXTBOOK_MECHANISMS[name]
    system = case.built().reduce()
    require_the_truth(system, case.point(system), case)


def test_the_pitchfork_with_a_frozen_parameter_stays_undecided():
    """Neighbours to one side are unstable, the point is stable: no theorem may conclude from neighbours."""
    case = TEXTBOOK_FIELDS["pitchfork with a frozen parameter"]
    assert (
        gc.certify(gc.VectorField(case.states, case.rates).reduce(), case.point).verdict.name == "UNDECIDED"
    )


def test_a_motion_leaves_where_all_roots_are_on_the_axis():
    """A solution of Cherry's equations, by its difference quotient: it begins as near as one likes."""
    case = TEXTBOOK_FIELDS["all roots on the axis and simple, unstable (Cherry)"]
    system, step = gc.VectorField(case.states, case.rates).reduce(), 1e-5

    def motion(t):
        return np.array([2**0.5 * np.sin(t), 2**0.5 * np.cos(t), np.sin(2 * t), -np.cos(2 * t)]) / t

    for t in (-1000.0, -50.0, -0.1):
        quotient = (motion(t + step) - motion(t - step)) / (2 * step)
        assert np.abs(quotient - system.rhs(0.0, motion(t))).max() < 1e-6 * np.abs(quotient).max()
    assert np.linalg.norm(motion(-1000.0)) < 0.002


def test_the_list_is_long_enough_and_names_each_verdict_often():
    cases = [*TEXTBOOK_FIELDS.values(), *TEXTBOOK_MECHANISMS.values()]
    assert len(TEXTBOOK_FIELDS) >= 78
    assert len(TEXTBOOK_MECHANISMS) >= 32
    assert all(sum(case.truth == word for case in cases) >= 25 for word in WORD)
    assert sum(not case.proved for case in cases) < 27
