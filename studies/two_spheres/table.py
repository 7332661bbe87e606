"""The comparison as text for the terminal and as Markdown."""

from __future__ import annotations

import textwrap

from studies.two_spheres.comparison import Row, Study

HEAD = ("quantity", "published", "computed", "status")


def cells(row: Row) -> tuple[str, str, str, str]:
    published = "-" if row.published is None else f"{row.published:.4e}"
    return row.quantity, published, f"{row.computed:.4e}", row.status


def text(number: int, study: Study) -> str:
    """A table with a title above and notes below."""
    title = f"Example {number}: {study.title}"
    body = [HEAD, *map(cells, study.rows)]
    widths = [max(map(len, column)) for column in zip(*body, strict=True)]
    lines = [title, "=" * len(title)]
    for quantity, published, computed, status in body:
        left = f"  {quantity:<{widths[0]}}  {published:>{widths[1]}} | {computed:>{widths[2]}}  {status}"
        lines.append(left.rstrip())
    for note in study.notes:
        lines += textwrap.wrap(note, 100, initial_indent="  * ", subsequent_indent="    ")
    return "\n".join(lines)


def markdown(studies: list[Study]) -> str:
    """All tables, one section for each example."""
    parts = []
    for number, study in enumerate(studies, 1):
        lines = [f"## Example {number}: {study.title}", "", f"| {' | '.join(map(str.capitalize, HEAD))} |"]
        lines += ["|--|--|--|--|", *(f"| {' | '.join(cells(row))} |" for row in study.rows), ""]
        lines += [f"- {note}" for note in study.notes]
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)
