"""The study of leaning turns: brackets hold the closed form, and what is done is not done again."""

import csv

from studies import leaning_turns as study


def test_the_study_brackets_the_closed_form_and_goes_on_where_it_was(tmp_path):
    asked = ["--out", str(tmp_path), "--leans", "2", "--points", "11"]
    study.main(asked)
    first = {path.name: path.stat().st_mtime_ns for path in tmp_path.glob("lean_*.json")}
    assert len(first) == 2
    study.main(asked)
    assert {path.name: path.stat().st_mtime_ns for path in tmp_path.glob("lean_*.json")} == first
    rows = list(csv.DictReader((tmp_path / "turns.csv").open()))
    assert [(row["inside"], row["proved"]) for row in rows] == [("True", "True")] * 2
    assert all(float(row["width"]) < 1e-6 for row in rows)
    assert (tmp_path / "turns.png").stat().st_size > 1000
