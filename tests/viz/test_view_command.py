"""``geoctrl view``: the page of a run in a file, and what it refuses."""

import numpy as np
import pytest

import geoctrl as gc
from geoctrl.cli import main


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A run of the catalogue's top, and one of a top that has another name."""
    folder = tmp_path_factory.mktemp("runs")
    top = gc.models.get("heavy-top")()
    for name in ("heavy-top", "mine"):
        system = top.replace(name=name).reduce()
        run = gc.simulate(system, np.linspace(0, 0.1, 3), [0.3, 0.1, 5, 0, 0.6, 0.8], engine="scipy")
        run.save(folder / f"{name}.npz")
    return folder


def test_a_run_becomes_a_page(files, capsys):
    assert main(["view", str(files / "heavy-top.npz"), "--signals", "Gamma3"]) == 0
    assert "1 body, 0 to 0.1 s" in " ".join(capsys.readouterr().out.split())
    text = (files / "heavy-top.html").read_text(encoding="utf-8")
    assert "geoctrlScene" in text
    assert '"name":"Gamma3"' in text
    assert '"name":"Omega1"' not in text
    named = files / "named.html"
    assert main(["view", str(files / "mine.npz"), "--model", "heavy-top", "--out", str(named)]) == 0
    assert named.exists()


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (["mine.npz"], 2, "run of 'mine', which is not in the catalogue: name what ran with --model"),
        (["mine.npz", "--model", "pendulum-skate"], 1, "is no run of pendulum-skate"),
        (["heavy-top.npz", "--out", "top.png"], 2, "a name that ends in .html"),
        (["heavy-top.npz", "--signals", "Gm"], 1, "Gm"),
        (["none.npz"], 1, "No such file"),
    ],
)
def test_what_view_refuses(files, capsys, arguments, status, words):
    assert main(["view", str(files / arguments[0]), *arguments[1:]]) == status
    told = capsys.readouterr()
    assert words in told.err
    assert told.out == ""
