"""The report: tables as text and Markdown, a picture, and the numbers as JSON."""

from __future__ import annotations

import json
import platform
from collections.abc import Sequence
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from geoctrl.viz.style import COLOURS, quiet
from studies.bench.measure import Cost, Ratio, Row, ratio, shown

SCALE = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}
HEAD = ("program", "setting", "cost", "error", "times ours")
PACKAGES = ("numpy", "scipy", "numba", "heyoka", "control", "diffrax", "jax", "casadi", "mujoco", "pin")
LOOK = {
    "by hand": (COLOURS[2], "s"),
    "loop over simulate": (COLOURS[0], "D"),
    "numpy": (COLOURS[6], "o"),
    "scipy": (COLOURS[1], "o"),
    "python-control": (COLOURS[5], "o"),
    "diffrax": (COLOURS[3], "o"),
    "CasADi": (COLOURS[4], "o"),
    "MuJoCo": (COLOURS[3], "P"),
    "Pinocchio": (COLOURS[1], "P"),
}
"""Colours and marks of programs, by what their names begin with or what kind they are."""


def table(row: Row) -> list[tuple[str, ...]]:
    """Cells of a row's table: at each setting the cost and the error, and once the ratio at our error."""
    lines = []
    ratios = {who: ratio(row.ours, others, row.floor) for who, others in row.others().items()}
    for cost in row.costs:
        told = "1" if cost.who == row.ours.who else str(ratios.pop(cost.who, ""))
        error = "-" if cost.error is None else f"{cost.error:.0e}"
        lines.append((cost.who, cost.setting, in_unit(cost, row.unit), error, told))
    return lines


def in_unit(cost: Cost, unit: str) -> str:
    return f"{shown(SCALE[unit] * cost.seconds)} {unit}"


def said(row: Row) -> list[str]:
    """What is said below a table."""
    told = [f"load of the machine {row.load:.1f}", *row.notes]
    if row.floor:
        told.append(f"errors below {row.floor:g} count as equal")
    return told + [f"not run: {words}" for words in row.missing]


def text(row: Row) -> str:
    """The table for a terminal."""
    lines = [HEAD, *table(row)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    body = [
        "  " + "  ".join(cell.ljust(w) for cell, w in zip(line, widths, strict=True)).rstrip()
        for line in lines
    ]
    return "\n".join([row.title, *body, *(f"  * {words}" for words in said(row))])


def markdown(rows: Sequence[Row]) -> str:
    """All tables."""
    parts = ["# Benchmark\n", *(f"{words}\n" for words in circumstances(rows))]
    for row in rows:
        lines = [f"## {row.title}", "", f"| {' | '.join(HEAD)} |", "|--|--|--|--|--|"]
        lines += [f"| {' | '.join(line)} |" for line in table(row)]
        parts.append("\n".join([*lines, "", *(f"- {words}" for words in said(row))]) + "\n")
    return "\n".join(parts)


def circumstances(rows: Sequence[Row]) -> list[str]:
    """Of what machine and programs the numbers are."""
    loads = [row.load for row in rows]
    return [
        f"Processor seconds of one process, least of repetitions in turn, on {machine()}, at a load of "
        f"{min(loads):.1f} to {max(loads):.1f}. Costs at our error: between two tolerances of a program they "
        "are joined by a power of the error; > and < are bounds, by its most and its least exact setting.",
        f"Python {platform.python_version()}; {', '.join(installed())}.",
    ]


def machine() -> str:
    """The processor in words."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return f"{len(names)} processors {names[0]}" if names else platform.machine()


def installed() -> list[str]:
    found = []
    for package in PACKAGES:
        try:
            found.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            continue
    return found


def picture(rows: Sequence[Row]) -> Figure:
    """Costs of the others in terms of ours, a line a row; bounds are arrows."""
    compared = [(row.title, found) for row in rows if (found := compared_ratios(row))]
    figure = Figure(figsize=(8.6, 1.7 + 0.42 * len(compared)), layout="constrained")
    axis = figure.subplots()
    for line, (_, found) in enumerate(compared):
        for program, told in found:
            colour, mark = LOOK[program]
            axis.plot(told.value, line, mark, color=colour, markersize=7, markeredgecolor="white", zorder=3)
            if told.sign != "=":
                arrow = {"arrowstyle": "->", "color": colour, "linewidth": 1.2}
                end = told.value * (1.7 if told.sign == ">" else 1 / 1.7)
                axis.annotate("", (end, line), (told.value, line), arrowprops=arrow)
    axis.axvline(1.0, color=COLOURS[0], linewidth=1.2, zorder=1)
    axis.set_xscale("log")
    low, high = axis.get_xlim()
    axis.set_xlim(low, 2 * high)  # room for arrows
    axis.set_yticks(range(len(compared)), [title for title, _ in compared])
    axis.set_ylim(max(len(compared), 1) - 0.5, -0.5)
    quiet(axis, xlabel="processor time at equal error, geoctrl = 1 (arrows: more, or less, than that)")
    drawn = {program for _, found in compared for program, _ in found}
    lines = [
        Line2D([], [], color=colour, marker=mark, linestyle="", label=program)
        for program, (colour, mark) in LOOK.items()
        if program in drawn
    ]
    figure.legend(handles=lines, loc="outside lower center", ncols=5, frameon=False)
    return figure


def compared_ratios(row: Row) -> list[tuple[str, Ratio]]:
    """Programs of a row with their costs at our error, those that can be compared."""
    found = []
    for who, others in row.others().items():
        names = [name for name in LOOK if who.startswith(name)]
        told = ratio(row.ours, others, row.floor)
        program = names[0] if names else others[0].kind
        if told.sign and program in LOOK:
            found.append((program, told))
    return found


def write(rows: Sequence[Row], folder: Path) -> None:
    """All three files."""
    (folder / "bench.md").write_text(markdown(rows), encoding="utf-8")
    told = {"circumstances": circumstances(rows), "rows": [asdict(row) for row in rows]}
    for made, row in zip(told["rows"], rows, strict=True):
        made["costs"] = [cost._asdict() for cost in row.costs]
    (folder / "bench.json").write_text(json.dumps(told, indent=1), encoding="utf-8")
    picture(rows).savefig(folder / "bench.png", dpi=160, facecolor="white")


def read(folder: Path) -> tuple[list[str], list[Row]]:
    """What was written: circumstances and rows."""
    told = json.loads((folder / "bench.json").read_text(encoding="utf-8"))
    rows = [Row(**{**row, "costs": [Cost(**cost) for cost in row["costs"]]}) for row in told["rows"]]
    return told["circumstances"], rows
