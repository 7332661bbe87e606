"""What the commands print."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from typing import Any

__all__ = ["block", "parameter_table", "plain", "show", "spectrum_text", "table", "written"]


def show(args: argparse.Namespace, data: dict[str, Any], text: str) -> None:
    """Print the data as JSON where that is asked for, else the text."""
    print(json.dumps(data, indent=1) if args.json else text)


def table(rows: Sequence[Sequence[str]]) -> str:
    """Columns of one width each, the first row underlined."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = ["  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in rows]
    return "\n".join([lines[0], "  ".join("-" * w for w in widths), *lines[1:]])


def block(name: str, entry: dict[str, Any]) -> str:
    """A few lines about a mechanism, wrapped to the width of a page."""
    from textwrap import fill

    rows = {
        "": entry["description"],
        "states": " ".join(entry["states"]),
        "parameters": " ".join(entry["parameters"]),
        "sets": " ".join(entry["parameter_sets"]),
        "inputs": " ".join(entry["inputs"]) or "-",
        "families": "  ".join(f"{k}({','.join(v)})" for k, v in entry["families"].items()) or "-",
        "conserved": ", ".join(entry.get("conserved", ())),
        "source": entry["source"],
    }
    lines = [f"{name}  [{entry['group']}]"]
    for key, text in rows.items():
        begin, indent = (f"  {key:<12}", " " * 14) if key else ("  ", "  ")
        if text:
            lines.append(
                fill(text, 100, initial_indent=begin, subsequent_indent=indent, break_on_hyphens=False)
            )
    return "\n".join(lines)


def parameter_table(mechanism: Any) -> str:
    """Parameters with their defaults, sets, units and meaning."""
    sets = [mechanism.defaults, *(mechanism.parameter_set(k) for k in mechanism.parameter_sets)]
    rows = [("parameter", "default", *mechanism.parameter_sets, "unit", "meaning")]
    for p in mechanism.parameters:
        values = ("-" if v is None else f"{float(v):g}" for v in (chosen[p.name] for chosen in sets))
        rows.append((p.name, *values, p.unit, p.description))
    return table(rows)


def spectrum_text(values: Any) -> str:
    """Eigenvalues without the rounding of their parts."""
    rounding = 1e-12 * max((abs(v) for v in values), default=0.0)

    def shown(v: complex) -> str:
        real, imag = (0.0 if abs(part) <= rounding else part for part in (v.real, v.imag))
        return f"{complex(real, imag):.6g}" if imag else f"{real:.6g}"

    return ", ".join(shown(complex(v)) for v in values)


def written(path: str | None) -> str:
    """A line that names the file, if there is one."""
    return f"\n  written to {path}" if path else ""


def plain(certificate: Any) -> str:
    """The certificate as it prints itself, without the brackets of an object."""
    return repr(certificate).replace("<Certificate ", "", 1).replace(">", "", 1)
