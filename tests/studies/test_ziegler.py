"""The study of Ziegler's column: its Hopf point and its branch against closed forms and AUTO-07p."""

import pytest

from studies import ziegler as study


@pytest.mark.long(reason="continuation/test_orbit_branches.py asks for the same branch")
def test_the_study_tells_and_draws(tmp_path, capsys):
    study.main(["--quick", "--out", str(tmp_path)])
    told = capsys.readouterr().out
    assert "supercritical" in told
    rows = [line.split() for line in told.splitlines() if "AUTO-07p" in line]
    assert len(rows) == len(study.AUTO)
    for row in rows:
        assert float(row[5]) == pytest.approx(float(row[8]), abs=1e-9)
    (made,) = tmp_path.iterdir()
    assert made.name == "ziegler.png"
    assert made.stat().st_size > 10_000


def test_flutter_begins_where_routh_and_hurwitz_say():
    form = study.flutter(study.column()).normal_form("w1")
    assert form.value == pytest.approx(study.POINT, rel=1e-14)
    assert form.criticality == "supercritical"
