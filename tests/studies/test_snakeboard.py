"""The study of the snakeboard: what its gaits do, and that small parking grows with the amplitudes."""

import numpy as np
import pytest

from studies import snakeboard as study


@pytest.fixture(scope="module")
def board():
    return study.connection()


def test_gaits_do_what_they_are_named_after(board):
    drive, rotate, park = (study.way(board, study.gait(pair), 2, 8) for pair in study.GAITS.values())
    assert drive.place[-1, 0] > 5 * abs(drive.place[-1, 1])
    assert abs(rotate.heading[-1]) > 0.5 > 5 * np.linalg.norm(rotate.place[-1])
    assert abs(park.place[-1, 1]) > 0.05
    assert abs(park.place[-1, 0]) < 1e-3
    assert abs(park.heading[-1]) < 1e-6
    # Only driving keeps what it gathers.
    assert abs(drive.momentum[-1]) > 0.05
    assert abs(park.momentum[-1]) < 1e-8


def test_small_parking_is_of_the_fifth_order(board):
    """Of the third in the wheels and of the second in the rotor: one halved, the other halved."""
    (whole, fewer), (less, _) = study.amplitudes(board, np.array([0.04, 0.02]), np.array([0.04, 0.02]))
    assert whole / fewer == pytest.approx(4, rel=0.02)
    assert np.log2(whole / less) == pytest.approx(round(np.log2(whole / less)), abs=0.05)


@pytest.mark.long(reason="test_connection.py asks for the same displacements")
def test_the_study_draws_its_figures(tmp_path, capsys):
    study.main(["--quick", "--out", str(tmp_path)])
    assert "momentum equation" in capsys.readouterr().out
    assert {p.name for p in tmp_path.iterdir()} == {"ways.png", "amplitudes.png", "curvature.png"}
