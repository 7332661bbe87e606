"""The study of attracted sets: runs that end elsewhere are counted, outputs are watched."""

import json
from time import process_time
from types import SimpleNamespace

import numpy as np
import pytest

import geoctrl as gc
from studies import attracted_sets as study
from studies import basins


@pytest.mark.long(reason="test_attracted_sets.py asks for these sets and starts runs at their edges")
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
    roa = SimpleNamespace(point=dict(zip(loop.state_labels, eq.x, strict=True)), limits={"u": 2.0})
    far = np.array([[0.0, 0.0, 3.0]] * 3).T
    assert study.runs(loop, roa, far, 5.0)["away"] == 3


MADE = {k: (make, limits) for k, (make, limits, _) in study.LOOPS.items()} | {
    "ball-and-beam": (lambda: study.loop_of("ball-and-beam", "level", r0=0.0), {}),
    "puck": (lambda: study.loop_of("spherical-pendulum-on-puck", "upright"), {}),
    "two-wheels": (lambda: basins.two_wheels()[:2], {}),
}


@pytest.mark.long(reason="a dozen searches of five seconds")
@pytest.mark.parametrize("name", MADE)
def test_five_seconds_give_a_set_or_words(name, tmp_path):
    """The best that is proved by then, or none, with what was cut."""
    make, limits = MADE[name]
    loop, eq = make()
    begun, found = process_time(), None
    try:
        found = gc.region_of_attraction(loop, eq, limits=limits, seconds=5)
    except gc.CertificateError as refused:
        words = str(refused)
    assert process_time() - begun < 7
    if found is None:
        assert "not finished within 5 s: " in words
    else:
        found.to_json(tmp_path / "set.json")
        assert gc.verify(tmp_path / "set.json").verdict is gc.Verdict.PROVED_ATTRACTED
