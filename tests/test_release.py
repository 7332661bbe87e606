"""One version, wherever it is written, and a changelog that begins with it."""

import re
import tomllib
from pathlib import Path

import geoctrl as gc

ROOT = Path(__file__).parent.parent


def test_the_version_is_the_same_everywhere():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    changelog = (ROOT / "docs" / "changelog.md").read_text(encoding="utf-8")
    newest = re.search(r"^## (\S+) \((\d{4}-\d\d-\d\d)\)$", changelog, re.MULTILINE)
    assert newest is not None
    version, day = newest.groups()
    assert version == project["version"] == gc.__version__
    assert f"version: {version}\ndate-released: {day}\n" in citation
    assert f"version {version}." in readme
