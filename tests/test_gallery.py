"""Programs of the gallery: short, each with a claim. The build of the documentation runs all of them."""

import ast
import json
import runpy
from itertools import takewhile
from pathlib import Path

import matplotlib
import pytest

import geoctrl as gc
from geoctrl.cli import main
from geoctrl.cli.examples_command import notebook

GALLERY = Path(__file__).resolve().parent.parent / "docs" / "gallery"
PROGRAMS = {f"{path.parent.name}/{path.stem}": path for path in sorted(GALLERY.glob("*/plot_*.py"))}

CHEAP = ("roll/plot_sleigh", "roll/plot_locked_axle", "balance/plot_ballbot")
"""Some tenths of a second each."""


def sources(name):
    return PROGRAMS[name].read_text(encoding="utf-8")


def claims(source):
    """Conditions that a program asserts, outside of functions that it might never call."""
    functions = (ast.FunctionDef, ast.Lambda)
    tree = ast.parse(source)
    inner = {id(a) for f in ast.walk(tree) if isinstance(f, functions) for a in ast.walk(f)}
    return [a for a in ast.walk(tree) if isinstance(a, ast.Assert) and id(a) not in inner]


def test_there_are_enough_programs_in_rooms_of_at_most_twelve_files():
    assert len(PROGRAMS) >= 24
    assert all(len(list(folder.iterdir())) <= 12 for folder in GALLERY.iterdir() if folder.is_dir())


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_is_short_has_a_title_and_claims_something(name):
    source = sources(name)
    compile(source, name, "exec")
    assert len(source.splitlines()) <= 60
    title, rule = source.removeprefix('"""\n').splitlines()[:2]
    assert rule == "=" * len(title)
    assert claims(source)
    assert any(words in source for words in ("plt.", ".show(", "viz."))


def run(path):
    matplotlib.use("Agg")
    return runpy.run_path(str(path), run_name="__main__")


@pytest.mark.parametrize("name", CHEAP)
def test_what_a_program_claims_holds(name):
    run(PROGRAMS[name])


SIGNS = {
    "roll/plot_locked_axle": ("[1, 0, height]", "[1, 0, -height]"),
    "roll/plot_sleigh": ("Y1=-1.0", "Y1=1.0"),
    "balance/plot_ballbot": ("- m * g * length", "+ m * g * length"),
    "balance/plot_cube_corner": ("potential=m * g", "potential=-m * g"),
    "balance/plot_spherical_robot": ("- m * g * above", "+ m * g * above"),
    "bodies/plot_double_pendulum": ("forces=[u1 - u2", "forces=[u1 + u2"),
    "space/plot_tether": ("np.array([0, n, 0])", "np.array([0, -n, 0])"),
    "space/plot_dual_spin": ('["I1"] - inertias["I3"]', '["I1"] + inertias["I3"]'),
    "loops/plot_region": ("+ 0.15 * run", "- 0.15 * run"),
    "loops/plot_circle": ("potential=m * g", "potential=-m * g"),
    "jumps/plot_walker": ("np.cos(swing) - np.cos(stance)", "np.cos(swing) + np.cos(stance)"),
    "jumps/plot_hopper": ("(1 - kept**2)", "(1 + kept**2)"),
}
"""A sign of each, and the other one."""

WHY = pytest.mark.long(reason="claims are conditions of one kind; that of the axle is held in every run")


@pytest.mark.parametrize(
    "name", [name if name == "roll/plot_locked_axle" else pytest.param(name, marks=WHY) for name in SIGNS]
)
def test_a_wrong_sign_is_noticed_by_what_a_program_claims(name, tmp_path):
    right, wrong = SIGNS[name]
    source = sources(name)
    assert source.count(right) == 1
    copy = tmp_path / "program.py"
    copy.write_text(source.replace(right, wrong), encoding="utf-8")
    with pytest.raises((AssertionError, gc.GeoctrlError)):
        run(copy)


# -- copies --------------------------------------------------------------------------------------------


def examples(*words):
    return main(["examples", *map(str, words)])


def test_examples_are_listed_by_group_with_their_titles(capsys):
    assert examples("--list") == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == [name.replace("plot_", "") for name in PROGRAMS]
    assert any("Ballbot" in line for line in lines)


def test_examples_are_copied_as_they_are_and_nothing_is_overwritten(tmp_path, capsys):
    assert examples(tmp_path / "mine") == 0
    for name in PROGRAMS:
        copy = tmp_path / "mine" / f"{name.replace('plot_', '')}.py"
        assert copy.read_text(encoding="utf-8") == sources(name)
    assert len(list((tmp_path / "mine").rglob("*.ipynb"))) == len(PROGRAMS)
    copy.write_text("mine", encoding="utf-8")
    assert examples(tmp_path / "mine") == 2
    assert "exists already" in capsys.readouterr().err
    assert copy.read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_notebook_has_all_code_and_all_text_of_its_program(name):
    made = json.loads(json.dumps(notebook(sources(name))))
    code = [c for c in made["cells"] if c["cell_type"] == "code"]
    assert all("# %%" not in line for cell in made["cells"] for line in cell["source"])
    (docstring, *statements) = ast.parse(sources(name)).body
    words = ast.parse("\n".join("".join(cell["source"]) for cell in code)).body
    assert [ast.unparse(node) for node in words] == [ast.unparse(node) for node in statements]
    text = " ".join("".join(c["source"]) for c in made["cells"] if c["cell_type"] == "markdown").split()
    behind = sources(name).partition('"""\n\n')[2]
    told = docstring.value.value.replace("``", "`").split()
    assert {word for word in told if set(word) != {"="}} <= set(text)
    comments = [
        line[2:] for block in behind.split("# %%\n")[1:] for line in takewhile(is_comment, block.split("\n"))
    ]
    assert set(" ".join(comments).replace("``", "`").split()) <= set(text)


def is_comment(line):
    return line.startswith("# ")


def test_a_build_takes_the_programs_along(tmp_path, monkeypatch):
    distribution = pytest.importorskip("setuptools").Distribution
    monkeypatch.chdir(GALLERY.parent.parent)
    build = runpy.run_path("docs/wheel.py")["BuildWithExamples"](distribution({"packages": []}))
    build.build_lib = str(tmp_path)
    build.ensure_finalized()
    build.run()
    copies = sorted((tmp_path / "geoctrl" / "examples").glob("*/plot_*.py"))
    assert [path.read_bytes() for path in copies] == [path.read_bytes() for path in PROGRAMS.values()]
    assert set(build.get_source_files()) >= {"docs/wheel.py", "docs/gallery/roll/plot_disk.py"}
