"""The catalogue's pages: one for each mechanism, with its picture, and none of a mechanism that is gone."""

import importlib
import re
import sys
from pathlib import Path

import pytest

import geoctrl as gc

DOCS = Path(__file__).resolve().parent.parent / "docs"
PAGES = {path.stem: path.read_text(encoding="utf-8") for path in (DOCS / "catalogue").glob("*.md")}
INDEX = PAGES.pop("index", "")


@pytest.fixture(scope="module")
def pictures():
    sys.path.insert(0, str(DOCS))
    try:
        yield importlib.import_module("pictures")
    finally:
        sys.path.remove(str(DOCS))


def test_every_mechanism_has_a_page_and_every_page_a_mechanism():
    assert sorted(PAGES) == gc.models.names()


def test_every_mechanism_has_a_picture_and_every_picture_a_mechanism(pictures):
    assert pictures.names() == gc.models.names()


def test_the_overview_lists_every_mechanism_once():
    assert sorted(re.findall(r"^([a-z0-9-]+) \|", INDEX, re.MULTILINE)) == gc.models.names()


@pytest.mark.parametrize("name", sorted(PAGES))
def test_a_page_shows_its_own_mechanism(name):
    page = PAGES[name]
    shown = re.findall(r"^```\{(\w+)\} (\S+)$", page, re.MULTILINE)
    assert {mechanism for _, mechanism in shown} == {name}
    assert {"picture", "mechanism", "equations"} <= {directive for directive, _ in shown}
    assert page.count("```{plot}") >= 1
    assert page.count(":alt:") == page.count("```{plot}")


@pytest.mark.parametrize("name", sorted(PAGES))
def test_what_a_page_asks_about_stability_exists(name):
    for body in re.findall(r"^```\{stability\} \S+\n(.*?)^```$", PAGES[name], re.MULTILINE | re.DOTALL):
        chosen = dict(re.findall(r"(\w+)=(\w+)", "".join(re.findall(r"^:with: (.*)$", body, re.MULTILINE))))
        options = {k: int(v) if v.isdigit() else v for k, v in chosen.items()}
        mechanism = gc.models.get(name)(**options)
        for family, given in re.findall(r"^(?:conditions|verdict) (\S+)(.*)$", body, re.MULTILINE):
            symbols = set(re.findall(r"(\w+)=", given))
            assert symbols <= {*mechanism.equilibria[family].names, *mechanism.defaults}
