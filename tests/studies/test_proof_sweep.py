"""The sweep over the catalogue: what it draws, and that its words are the verdicts'."""

from studies import proof_sweep as study


def test_a_sweep_asks_every_family_and_tells_what_is_left_open():
    assert len(study.families()) > 80
    found = [p for name in study.families("free-rigid") for p in study.points(*name, 2)]
    assert [p.verdict for p in found] == ["PROVED_STABLE"] * 2 + ["PROVED_UNSTABLE"] * 2 + [
        "PROVED_STABLE"
    ] * 2
    assert found[0].numbers != found[1].numbers
    said = study.summary(found)
    assert said.startswith("6 points: 4 PROVED_STABLE, 2 PROVED_UNSTABLE\ncertify: median")
    assert len(said.splitlines()) == 2
    assert study.table(found).count("free-rigid-body") == 3


def test_symbols_that_obey_a_relation_are_found_and_open_points_are_told():
    (point,) = study.points("orbiting-body", "yaw1-pitch2", 1)
    assert {abs(v) for v in point.symbols.values()} <= {0.0, 1.0}
    (left,) = study.points("charged-body", "aligned", 1)
    assert "charged-body aligned at" in study.summary([point, left])
