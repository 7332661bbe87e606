"""The study of attracted sets: runs that end elsewhere are counted, outputs are watched."""

import json

import numpy as np

import geoctrl as gc
from studies import attracted_sets as study


def test_a_study_writes_the_set_and_its_runs(tmp_path, monkeypatch):
    monkeypatch.setattr(
        "sys.argv", ["attracted_sets", "--out", str(tmp_path), "--starts", "8", "--only", "skate-limited"]
    )
    study.main()
    found = json.loads((tmp_path / "skate-limited-runs.json").read_text())
    assert found["away"] == 0
    assert found["starts"] == 8
    assert found["extent"]["Gamma2"][1] > 0.45  # with poles at -200 and -3.2 1/s
    assert 1.0 < found["largest"]["u_theta"] <= 8.0
    assert gc.verify(tmp_path / "skate-limited.json").verdict is gc.Verdict.PROVED_ATTRACTED


def test_runs_that_end_elsewhere_are_counted():
    loop, eq = study.loop_of("cart-pendulum", "upright")
    roa = gc.region_of_attraction(loop, eq, limits={"u": 2.0})
    far = np.array([[0.0, 0.0, 3.0]] * 3).T
    assert study.runs(loop, roa, far, 5.0)["away"] == 3
