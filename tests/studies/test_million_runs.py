"""The study of a million runs, of which a few hundred are made: drawn, stored and taken up again."""

from studies import million_runs as study


def test_members_are_drawn_stored_and_taken_up_again(tmp_path):
    told = study.run(300, tmp_path / "runs")
    assert told["status"] == {"completed": 300}
    assert told["parts"] >= 1
    again = study.run(300, tmp_path / "runs")
    assert again["SHA-256"] == told["SHA-256"]
    assert again["processor, s"] < told["processor, s"]
