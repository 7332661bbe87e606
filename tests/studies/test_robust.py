"""The study of boxes of constants: exact points are judged as doubles judge them, wrong ones counted."""

import json
from fractions import Fraction

import numpy as np
import pytest

import geoctrl as gc
from studies import robust as study


def test_hurwitz_determinants_agree_with_roots():
    rng = np.random.default_rng(4)
    for degree in (1, 2, 3, 4, 5):
        for _ in range(20):
            falling = rng.integers(-2, 9, degree + 1)
            falling[0] = 1
            largest = np.roots(falling).real.max()
            if abs(largest) > 1e-6:
                assert study.is_hurwitz([study.fmpq(int(c)) for c in falling]) == (largest < 0)


def test_a_study_writes_boxes_and_asks_their_points(tmp_path):
    row = study.row_of("car", tmp_path, 30, 2)
    assert (row["verdict"], row["proved"]) == ("PROVED_ASYMPTOTICALLY_STABLE", 0.5)
    assert (row["points"], row["away"], row["certified"], row["denied"]) == (30, 0, 2, 0)
    assert gc.verify(tmp_path / "car.json").verdict is gc.Verdict.PROVED_ASYMPTOTICALLY_STABLE


def test_points_of_a_box_that_is_too_wide_are_counted():
    """Negative control: the cart with all constants halved or doubled is no box of one verdict."""
    case = study.CASES["cart"]()
    wide = case.certificate(0.9)
    assert wide.verdict is gc.Verdict.UNDECIDED
    found = study.unstable_points(case, wide, 40, 3)
    assert found["away"] > 0
    roots = study.ExactRoots(case)
    for at in [wide.against, {k: (a + b) / 2 for k, (a, b) in wide.over.items()}]:
        params = {k: float(v) for k, v in at.items()}
        values = np.linalg.eigvals(case.loop.jacobian(0.0, np.zeros(3), params=params))
        assert roots.are_left({k: Fraction(v) for k, v in at.items()}) == (values.real.max() < 0)


@pytest.mark.long(reason="the picture has a map of depth 8")
def test_the_picture_is_drawn(tmp_path, monkeypatch):
    monkeypatch.setattr("sys.argv", ["robust", "--out", str(tmp_path), "--quick"])
    study.main()
    assert (tmp_path / "robust.png").stat().st_size > 10_000
    assert set(json.loads((tmp_path / "robust.json").read_text())) == {"cart", "car"}
