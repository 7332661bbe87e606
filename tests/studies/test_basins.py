"""The study of basins: runs against a basin in closed form, starts at edges, and sets that are too large."""

from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest

import geoctrl as gc
from studies import basins as study


@cache
def hyperbolas():
    """x' = -x + 2 x^2 y, y' = -y: with p = xy, p' = 2 p (p - 1), all below p = 1 come home."""
    case = study.CASES["hyperbolas"]()._replace(count=20, step=0.05, end=20.0)
    watched = case.system.mechanism.replace(outputs={"u": study.X}).reduce()
    case = case._replace(system=watched)
    return case, gc.region_of_attraction(case.system, [0, 0], lyapunov=study.X**2 + study.Y**2)


def test_starts_below_the_hyperbolas_come_home():
    case, _ = hyperbolas()
    starts = study.grid(case)
    assert starts.shape == (2, 400)
    p = starts[0] * starts[1]
    far = np.abs(p - 1) > 0.05
    assert np.array_equal(study.come_home(case, starts)[far], (p < 1)[far])


def test_a_limit_is_one_of_runs():
    case, _ = hyperbolas()
    starts = np.array([[0.4, 0.6, -0.6], [1.0, 1.0, 0.0]])
    assert study.come_home(case, starts).tolist() == [True, True, True]
    assert study.come_home(case._replace(limits={"u": 0.5}), starts).tolist() == [True, False, False]


def test_the_share_of_a_disk_and_starts_at_its_edge():
    """The largest disk below xy = 1 with V = x^2 + y^2 falling: V' = 0 first where x^3 y = (x^2 + y^2)/2."""
    case, roa = hyperbolas()
    starts = study.grid(case)
    home = starts[0] * starts[1] < 1
    found = study.counts(case, starts, home, roa, 50)
    assert (found["away"], found["edge_away"]) == (0, 0)
    assert found["share"] == pytest.approx(
        np.sum(np.sum(starts**2, axis=0) < roa.level) / home.sum(), abs=1e-4
    )
    at_edge = study.edge(case, roa, 50)
    assert np.sum(at_edge**2, axis=0) == pytest.approx(roa.level, rel=1e-5)
    assert np.all(roa.contains(at_edge))


def test_a_set_that_is_too_large_is_noticed():
    case, roa = hyperbolas()
    starts = study.grid(case)
    wide = {k: tuple(4 * v for v in ends) for k, ends in roa.extent.items()}
    forged = SimpleNamespace(value=lambda x: roa.value(x) / 16, level=roa.level, extent=wide, point=roa.point)
    found = study.counts(case, starts, study.come_home(case, starts), forged, 50)
    assert found["away"] > 0
    assert found["edge_away"] > 0


@pytest.mark.long(reason="three searches and a picture")
def test_the_study_writes_files_and_a_picture(tmp_path, monkeypatch):
    options = ["basins", "--out", str(tmp_path), "--edge", "20", "--only", "hyperbolas"]
    monkeypatch.setattr("sys.argv", options)
    study.main()
    assert (tmp_path / "basins.png").stat().st_size > 10_000
    assert gc.verify(tmp_path / "hyperbolas-4.json").verdict is gc.Verdict.PROVED_ATTRACTED
