"""The study of best gaits: more harmonics go further, and the figure is drawn."""

import numpy as np
import pytest

from studies import gaits as study


def test_the_study_tells_and_draws(tmp_path, capsys, monkeypatch):
    monkeypatch.delitem(study.CRAWLERS, "snakeboard")
    study.main(["--quick", "--out", str(tmp_path)])
    told = capsys.readouterr().out
    assert "2 of 2 starts alike" in told
    first, second = (float(line.split()[2]) for line in told.splitlines() if " harmonic" in line)
    assert first == pytest.approx(0.588472733, abs=1e-8)
    assert second == pytest.approx(0.906949710, abs=1e-8)
    assert np.all([p.stat().st_size > 10_000 for p in tmp_path.glob("*.png")])
    assert [p.name for p in tmp_path.iterdir()] == ["gaits.png"]
