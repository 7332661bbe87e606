"""The study of walking: known numbers, the foot that scrapes, and gaits that double."""

from functools import cache

import numpy as np
import pytest

import geoctrl as gc
from studies import walking as study


@cache
def step():
    walker = study.machine("compass-walker").hybrid()
    step = gc.find_periodic(walker, study.PUBLISHED_STEP, study.PUBLISHED_TIME, jumps=[study.STRIKE])
    return study.gait_on(step, study.DEGREES)


def test_known_numbers_are_computed_again(capsys):
    rows = [*study.wheel_rows(), *study.hopper_rows(), *study.block_rows(), *study.walker_rows(step())]
    names, known, found = zip(*rows, strict=True)
    published = [name.endswith("after a strike") or name == "walker: period (s)" for name in names]
    published = np.array(published) & [name.startswith("walker") for name in names]
    assert published.sum() == 5
    apart = np.abs(np.subtract(found, known))
    assert np.all(apart[published] < 5e-5)
    assert np.all(apart[~published] < 2e-11)
    study.told(rows)
    assert len(capsys.readouterr().out.splitlines()) == 1 + len(rows)


def test_the_foot_of_straight_legs_scrapes():
    """By the places of the feet, turned into the ground's frame; under it until the feet pass."""
    time, height, run = study.foot_height(step(), 81)
    slope = step().params["slope"]
    across = np.sin(run["st"]) - np.sin(run["sw"])
    up = np.cos(run["st"]) - np.cos(run["sw"])
    assert np.allclose(height, np.sin(slope) * across + np.cos(slope) * up, atol=1e-14)
    under = np.flatnonzero(height < 0)
    assert np.all(np.diff(under) == 1)
    assert 0.2 < time[under[0]] < time[under[-1]] < 0.31
    assert -0.0038 < height.min() < -0.0035
    passage = np.flatnonzero(np.diff(np.sign(run["st"] - run["sw"])))
    assert under[-1] in passage


@pytest.mark.long(reason="ten seconds of gaits followed over the slope, thirty of proofs, and the figures")
def test_the_study_tells_and_draws(tmp_path, capsys):
    study.main(["--points", "5", "--out", str(tmp_path)])
    told = capsys.readouterr().out
    assert "gaits of 1 step double at 4.390898250 degrees" in told
    assert "gaits of 2 steps double at 4.914056762 degrees" in told
    words = ("ASYMPTOTICALLY_STABLE", "ASYMPTOTICALLY_STABLE", "UNSTABLE")
    files = [f"walker_{degrees:.4f}.json" for degrees in (study.DEGREES, *study.DOUBLING)]
    assert all(f"PROVED_{w} by {name}" in told for w, name in zip(words, files, strict=True))
    assert sorted(p.name for p in tmp_path.iterdir()) == [*files, "walking_gait.png", "walking_slopes.png"]
    assert all(p.stat().st_size > 10_000 for p in tmp_path.iterdir())
