"""What the commands print."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from typing import Any

from geoctrl._pages import titled_rows

__all__ = ["block", "file_line", "matrix_text", "plain", "show"]


def show(args: argparse.Namespace, data: dict[str, Any], text: str) -> None:
    """Print the data as JSON where that is asked for, else the text."""
    print(json.dumps(data, indent=1) if args.json else text)


def block(name: str, entry: dict[str, Any]) -> str:
    """A few lines about a mechanism, wrapped to the width of a page."""
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


def matrix_text(labels: Sequence[str], matrix: Any) -> str:
    """A matrix with its labels, the columns to the right."""
    cells = [[label, *(f"{value:.6g}" for value in row)] for label, row in zip(labels, matrix, strict=True)]
    cells.insert(0, ["", *labels])
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = ["  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in cells]
    return "\n".join(f"    {line}" for line in lines)


def file_line(path: str | None) -> str:
    """A line that names the file, if there is one."""
    return f"\n  written to {path}" if path else ""


def plain(certificate: Any) -> str:
    """The whole certificate as it prints itself, without the brackets of an object."""
    return certificate.full().replace("<Certificate ", "", 1).replace(">", "", 1)
