"""What the commands print."""

from __future__ import annotations

import argparse
import json
import re
import shutil
from collections.abc import Sequence
from textwrap import fill
from typing import Any

from geoctrl._pages import titled_rows

__all__ = [
    "ROUNDING",
    "block",
    "file_line",
    "matrix_text",
    "plain",
    "show",
    "terminal_width",
    "text_in_width",
]

_LEAST_WIDTH = 40
"""Columns below which a terminal is not believed."""

ROUNDING = 1e-12
"""Part of the largest number of a row, or of a column of length one, that is rounding."""


def terminal_width() -> int:
    """Columns of the terminal, 80 where the output is piped."""
    return max(shutil.get_terminal_size((80, 24)).columns, _LEAST_WIDTH)


def show(args: argparse.Namespace, data: dict[str, Any], text: str) -> None:
    """Print the data as JSON where that is asked for, else the text within the terminal's width."""
    print(json.dumps(data, indent=1) if args.json else text_in_width(text, terminal_width()))


def text_in_width(text: str, width: int) -> str:
    """Lines of a text broken at spaces; what goes on stands below the last column of its line."""
    return "\n".join(_line_in_width(line, width) for line in text.splitlines())


def _line_in_width(line: str, width: int) -> str:
    if len(line) <= width:
        return line
    indent = len(line) - len(line.lstrip())
    columns = [found.end() for found in re.finditer(r"(?<=\S)\s{2,}", line)]
    last = max((column for column in columns if column <= 2 * width // 3), default=indent + 2)
    return fill(
        line[indent:],
        width,
        initial_indent=" " * indent,
        subsequent_indent=" " * last,
        break_long_words=False,
        break_on_hyphens=False,
        replace_whitespace=False,
        drop_whitespace=True,
    )


def block(name: str, entry: dict[str, Any]) -> str:
    """A few lines about a mechanism, text_in_width to the width of a page."""
    rows = {
        "": entry["description"],
        "states": " ".join(entry["states"]),
        "parameters": " ".join(entry["parameters"]),
        "sets": " ".join(entry["parameter_sets"]),
        "inputs": " ".join(entry["inputs"]) or "-",
        "families": "  ".join(f"{k}({','.join(v)})" for k, v in entry["families"].items()) or "-",
        "source": entry["source"],
    }
    return titled_rows(f"{name}  [{entry['group']}]", rows)


def matrix_text(labels: Sequence[str], matrix: Any, width: int, columns: Sequence[str] | None = None) -> str:
    """A matrix with the labels of its rows and columns, in parts where columns do not go beside each other.

    Columns have the labels of the rows if they have none of their own. What is rounding beside the largest
    number of its row is printed as zero.
    """
    largest = abs(matrix).max(axis=1, initial=0.0, keepdims=True)
    shown = matrix * (abs(matrix) > ROUNDING * largest) + 0.0  # of -0 too
    heads = labels if columns is None else columns
    told = [
        [label, *(f"{value:.6g}" for value in values)] for label, values in zip(heads, shown.T, strict=True)
    ]
    names = ["", *labels]
    parts: list[list[list[str]]] = [[]]
    left = room = width - 4 - max(map(len, names))
    for column in told:
        wide = 2 + max(map(len, column))
        if wide > left and parts[-1]:
            parts.append([])
            left = room
        left -= wide
        parts[-1].append(column)
    return "\n\n".join(_columns_text([names, *part]) for part in parts)


def _columns_text(columns: Sequence[Sequence[str]]) -> str:
    widths = [max(map(len, column)) for column in columns]
    rows = zip(*columns, strict=True)
    lines = ["  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in rows]
    return "\n".join(f"    {line}" for line in lines)


def file_line(path: str | None) -> str:
    """A line that names the file, if there is one."""
    return f"\n  written to {path}" if path else ""


def plain(certificate: Any) -> str:
    """The whole certificate as it prints itself, without the brackets of an object."""
    return certificate.full().replace(f"<{type(certificate).__name__} ", "", 1).replace(">", "", 1)
