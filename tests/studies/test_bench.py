"""The benchmark's report: costs at equal errors, and what is said where there is nothing to compare."""

import json

import numpy as np
import pytest

from studies.bench import pages, report
from studies.bench.__main__ import ROWS
from studies.bench.links import from_relative, planar_links, truth_of
from studies.bench.measure import Bench, Cost, Program, Row, costs, ratio

OURS = Cost("geoctrl", "ours", "", 1.0, 1e-10)


def other(seconds, error):
    return Cost("peer", "peer", "", seconds, error)


@pytest.mark.parametrize(
    ("others", "sign", "value"),
    [
        ([other(30, 1.5e-10)], "=", 30),
        ([other(10, 1e-8), other(1000, 1e-12)], "=", 100),  # a power of the error between two tolerances
        ([other(10, 1e-8), other(40, 1e-9)], ">", 40),
        ([other(0.5, 1e-12)], "<", 0.5),
        ([other(0.5, 1e-8)], "", np.nan),
        ([other(20, 1e-13)], "", np.nan),
        ([other(7, None)], "=", 7),
    ],
)
def test_costs_at_equal_errors(others, sign, value):
    found = ratio(OURS, others)
    assert found.sign == sign
    assert found.value == pytest.approx(value, nan_ok=True)
    assert (str(found) == "errors differ") == (sign == "")


def test_errors_below_rounding_are_equal():
    ours = OURS._replace(error=1e-13)
    assert ratio(ours, [other(2, 8e-13)], floor=3e-12) == ("=", 2)
    assert ratio(ours, [other(2, 8e-13)]).sign == ">"


def test_programs_run_in_turn_and_the_least_counts():
    told = []
    programs = [Program(name, "", lambda n=name: told.append(n) or 0.5, parts=2) for name in "ab"]
    programs = [p._replace(seconds=lambda result: result) for p in programs]
    found = costs(programs, 1, error=lambda result: result)
    assert [(c.who, c.seconds, c.error) for c in found] == [("a", 0.25, 0.5), ("b", 0.25, 0.5)]
    assert told[0] == "a"
    assert told[-1] == "b"


def test_peers_that_do_not_run_are_said_to():
    row = Row("row", "a row", "s")
    assert Bench(peers=False).peer(row, "mujoco", "mujoco", list) == []
    assert Bench(peers=True).peer(row, "no_such_module", "peer", list) == []
    assert Bench(peers=True).peer(row, "json", "json", lambda: [1]) == [1]
    assert row.missing == [
        "mujoco: not asked for (--peers)",
        "peer: not installed (pip install geoctrl[bench])",
    ]


def test_report(tmp_path, monkeypatch):
    row = Row(
        "row", "a row", "ms", [OURS, other(3, 2e-10), other(2, 2e-4)], 1e-12, ["a note"], ["x: missing"], 2.5
    )
    alone = Row("alone", "nothing beside it", "s", [Cost("geoctrl", "ours", "", 0.5)], load=1.0)
    report.write([row, alone], tmp_path)
    text = (tmp_path / "bench.md").read_text()
    assert "| peer |  | 3000 ms | 2e-10 | 3 |" in text
    assert "load of the machine 2.5" in text
    assert "- not run: x: missing" in text
    assert (tmp_path / "bench.png").stat().st_size > 5000
    assert report.read(tmp_path)[1] == [row, alone]
    assert json.loads((tmp_path / "bench.json").read_text())["rows"][0]["floor"] == 1e-12
    page = tmp_path / "page.md"
    page.write_text(f"before\n{pages.BEGIN}old\n{pages.END}after\n")
    pages.put(page, pages.lines_of([row]))
    assert page.read_text().startswith(f"before\n{pages.BEGIN}| what |")
    assert "old" not in page.read_text()
    assert page.read_text().endswith(f"{pages.END}after\n")


def test_pages_hold_rows_of_the_benchmark():
    assert set(pages.README_ROWS) <= set(ROWS)
    for page in (pages.README, pages.PAGE):
        text = page.read_text(encoding="utf-8")
        assert text.count(pages.BEGIN) == text.count(pages.END), page


def test_links_by_hand_move_as_those_described():
    """Two descriptions of one mechanism, in directions and in angles, have one start and one motion."""
    hy = pytest.importorskip("heyoka")
    made = planar_links(3)
    assert np.allclose(truth_of(made.angles[:, None])[:, 0], made.x0[made.places])
    x = [hy.expression(f"x{i}") for i in range(6)]
    by_hand = hy.cfunc(made.field(x), vars=x)(made.angles)
    rates = made.system.rhs(0.0, made.x0)
    assert np.allclose(rates[:3], by_hand[3:], rtol=1e-12)

    class Data:
        qpos, qvel = np.diff(made.angles[:3], prepend=0.0), np.diff(made.angles[3:], prepend=0.0)

    assert np.allclose(from_relative(Data), made.x0[made.places])
