"""The study of the skate's controller: its table and its figures."""

import numpy as np
import pytest

import geoctrl as gc
from studies.controllers import compared
from studies.controllers import skate as study


@pytest.fixture(scope="module")
def mechanism():
    return gc.models.get("pendulum-skate-rotor")()


def test_the_law_of_the_paper_falls_when_it_is_held(mechanism):
    law = compared.Law("matched", gc.match(mechanism).law(sigma=-1e-5).sampled(rate=study.RATE))
    task = study.task_of(mechanism.reduce())
    line = compared.measured(task, law)
    assert line.falls
    assert line.hold == 0
    assert "falls" in compared.table(task, [line])
    assert compared.held(task, law).time[-1] == pytest.approx(9.95, abs=0.01)


@pytest.mark.long(reason="the study of the cart, made alike, tells and draws in test_controllers.py")
def test_the_study_draws_its_steps(tmp_path, capsys, monkeypatch):
    made = compared.Line("any", (1.0, 2.0), np.nan, 1.0, 0.5, 0.3, 0.25, False)
    monkeypatch.setattr(compared, "measured", lambda *_: made)
    study.main(["--out", str(tmp_path)])
    told = capsys.readouterr().out
    assert told.count("PROVED_STABLE at 100 Hz") == 5
    assert "PROVED_UNSTABLE at 100 Hz" in told
    assert len(list(tmp_path.glob("*.png"))) == 4
    assert ">= 1" in (tmp_path / "table.txt").read_text()
