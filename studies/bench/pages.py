"""The tables of a run in README and on the page of the documentation, between marks."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from studies.bench.measure import Row, ratio
from studies.bench.report import in_unit, read

ROOT = Path(__file__).resolve().parents[2]
README, PAGE = ROOT / "README.md", ROOT / "docs" / "performance.md"
PICTURE = ROOT / "docs" / "_static" / "bench.png"
BEGIN, END = "<!-- speed -->\n", "<!-- /speed -->"
README_ROWS = (
    "skate",
    "heavy-top",
    "rolling",
    "ensemble",
    "molecules",
    "chain-numpy",
    "chain-50",
)


def write_pages(folder: Path) -> None:
    """Put the tables of a run into the pages, and its picture beside them."""
    told, rows = read(folder)
    shutil.copyfile(folder / "bench.png", PICTURE)
    put(PAGE, [*told, "", *lines_of(rows)])
    put(README, lines_of([row for row in rows if row.key in README_ROWS]))


def put(page: Path, lines: Sequence[str]) -> None:
    """Lines between the marks of a page; one without marks is left as it is, and told."""
    text = page.read_text(encoding="utf-8")
    before, mark, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (mark and end):
        print(f"{page.name} has no {BEGIN.strip()} ... {END}: nothing is put into it")
        return
    page.write_text(before + BEGIN + "\n".join(lines) + "\n" + END + after, encoding="utf-8")


def lines_of(rows: Sequence[Row]) -> list[str]:
    """A line a row: our cost and error, and what the others cost at our error, in terms of it."""
    lines = ["| what | geoctrl | error | the others at this error, geoctrl = 1 |", "|--|--|--|--|"]
    for row in rows:
        ours = row.ours
        error = "" if ours.error is None else f"{max(ours.error, row.floor):.0e}"
        others = [f"{who} {ratio(ours, costs, row.floor)}" for who, costs in row.others().items()]
        lines.append(f"| {row.title} | {in_unit(ours, row.unit)} | {error} | {'; '.join(others)} |")
    return lines
