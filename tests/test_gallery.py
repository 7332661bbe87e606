"""Programs of the gallery: short, each with a claim. The build of the documentation runs all of them."""

import ast
import runpy
from pathlib import Path

import matplotlib
import pytest

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
