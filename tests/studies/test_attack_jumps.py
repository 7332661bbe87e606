"""The attack on jumps: it finds nothing, and would find what it is for."""

import pytest

from geoctrl.systems.jumps import impact_transition
from geoctrl.systems.jumps.impact_transition import ImpactTransition
from geoctrl.systems.jumps.transition import GivenTransition
from tests.attack.outcome import FAULTS
from tests.attack.parts import jumps

IMPACTS, GAINS = (4, 14), 50
FIELDS = (3, 5)


def results(indices):
    return [jumps.case(1, index, {}).result for index in indices]


def test_drawn_jumps_are_judged_rightly():
    assert not {*results((*IMPACTS, *FIELDS, GAINS, 9, 19))} & {*FAULTS}


def test_an_impact_that_stops_all_is_no_other_motion():
    """It left rounding, which was held against itself."""
    assert jumps.case(2, 394, {}).result == "held"


@pytest.mark.parametrize("part", ["impulse", "lost", "state"])
def test_an_impact_with_another_sign_is_found(monkeypatch, part):
    """Negative control."""
    genuine = ImpactTransition.landing

    def landing(self, *arguments):
        found = genuine(self, *arguments)
        return found._replace(**{part: -getattr(found, part)})

    monkeypatch.setattr(ImpactTransition, "landing", landing)
    assert results(IMPACTS[:1]) == ["contradiction"]


def test_restitutions_that_gain_energy_and_are_not_refused_are_found(monkeypatch):
    """Negative control."""
    assert results([GAINS]) == ["refused"]
    monkeypatch.setattr(impact_transition, "gains_energy", lambda *_: False)
    assert results([GAINS]) == ["contradiction"]


def test_a_reset_that_is_not_made_is_found(monkeypatch):
    """Negative control."""
    genuine = GivenTransition.landing

    def landing(self, t, x, *more):
        return genuine(self, t, x, *more)._replace(state=x.copy())

    monkeypatch.setattr(GivenTransition, "landing", landing)
    assert "contradiction" in results(FIELDS)
