"""Pages of text for a terminal, without anything else being loaded: titles, rows, tables, the catalogue."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from textwrap import fill, wrap
from typing import Any

__all__ = ["CATALOGUE", "WIDTH", "catalogue_entries", "table", "titled_rows"]

WIDTH = 79
_NARROWEST = 20

CATALOGUE = Path(__file__).parent / "models" / "catalogue.json"
"""What the catalogue says about each mechanism, as the descriptions have it: read to list them all, as making
all descriptions takes a second. A test holds it to them; ``python -m tests.catalogue_table`` writes it.
"""


@cache
def catalogue_entries() -> dict[str, dict[str, Any]]:
    """The entries of the catalogue by name."""
    return json.loads(CATALOGUE.read_text(encoding="utf-8"))


def table(rows: Sequence[Sequence[str]], width: int | None = None) -> str:
    """Columns of one width each, the first row underlined; where a page is narrower, the last is wrapped."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    before = sum(widths[:-1]) + 2 * len(widths[:-1])
    if width is not None:
        widths[-1] = min(widths[-1], max(width - before, _NARROWEST))
    lines = []
    for *cells, last in rows:
        begin = "".join(f"{cell.ljust(w)}  " for cell, w in zip(cells, widths, strict=False))
        first, *more = wrap(last, widths[-1], break_on_hyphens=False) or [""]
        lines += [f"{begin}{first}".rstrip(), *(" " * before + part for part in more)]
    return "\n".join([lines[0], "  ".join("-" * w for w in widths), *lines[1:]])


def titled_rows(title: str, rows: Mapping[str, str | Sequence[str]], width: int = WIDTH) -> str:
    """A title and rows of a name and a text, wrapped to the width of a page.

    A row of several texts has a line for each, and a row without a text none.
    """
    lines = [fill(title, width, subsequent_indent="  ", break_on_hyphens=False)]
    for key, given in rows.items():
        for i, text in enumerate([given] if isinstance(given, str) else given):
            begin, indent = (f"  {'' if i else key:<12}", " " * 14) if key else ("  ", "  ")
            if text:
                lines.append(
                    fill(text, width, initial_indent=begin, subsequent_indent=indent, break_on_hyphens=False)
                )
    return "\n".join(lines)
