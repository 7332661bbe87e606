"""`geoctrl follow`, and the picture of a branch."""

import json

import pytest

import geoctrl as gc
from geoctrl.cli import main

THRESHOLD = 4.097317240013334


def test_the_command_follows_draws_and_stores(tmp_path, capsys):
    picture, file = tmp_path / "branch.png", tmp_path / "branch.json"
    asked = ["follow", "pendulum-skate", "--at", "spinning", "--along", "Omega0=1:9", "--points", "11"]
    assert main([*asked, "--out", str(picture), "--file", str(file), "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    (change,) = data["changes"]
    low, high = change["bracket"]
    assert low < THRESHOLD < high
    assert change["rigorous"]
    assert picture.stat().st_size > 1000
    assert len(json.loads(file.read_text())["changes"][0]["certificates"]) == 2


def test_the_command_says_what_it_found(capsys):
    asked = ["follow", "pendulum-skate", "--at", "spinning", "--along", "l=0.5:1.5", "--set", "Omega0=5"]
    assert main([*asked, "--fixed", "Omega0", "--points", "5"]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "proved unstable at its low end, stable at its high" in told


@pytest.mark.parametrize("along", ["Omega0", "Omega0=1", "Omega0=a:b"])
def test_a_span_that_is_none_is_a_mistake_in_the_command(along, capsys):
    assert main(["follow", "pendulum-skate", "--at", "spinning", "--along", along]) == 2
    assert "NAME=A:B" in capsys.readouterr().err


def test_the_picture_dashes_what_is_unstable_and_fills_what_is_proved():
    skate = gc.models.get("pendulum-skate")().reduce()
    branch = gc.follow(
        skate, skate.equilibrium("spinning", Omega0=3.0), along="Omega0", span=(3, 5), points=5
    )
    ax = branch.plot("v2")
    lines = {line.get_linestyle(): line.get_xdata() for line in ax.lines if len(line.get_xdata()) > 1}
    assert max(lines["--"]) == pytest.approx(THRESHOLD)
    assert min(lines["-"]) == pytest.approx(THRESHOLD)
    (mark,) = [line for line in ax.lines if line.get_marker() == "^"]
    assert mark.get_markerfacecolor() != "white"
    assert mark.get_xdata()[0] == pytest.approx(THRESHOLD)
    with pytest.raises(gc.LabelError, match="did you mean"):
        branch.plot("v22")
