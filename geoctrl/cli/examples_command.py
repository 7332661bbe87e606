"""``geoctrl examples``: the programs of the gallery, copied as scripts and as notebooks."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

from geoctrl.cli.reading.usage import UsageError

__all__ = ["add_examples", "notebook"]

_TITLE = re.compile(r"(?P<title>[^\n]+)\n=+\n+(?P<summary>.*)", re.DOTALL)


def add_examples(command: argparse.ArgumentParser) -> None:
    """Arguments of ``geoctrl examples``."""
    command.add_argument(
        "folder", metavar="FOLDER", nargs="?", help="write them here, one folder for each group"
    )
    command.add_argument("--list", action="store_true", help="list them (done without FOLDER too)")
    command.set_defaults(run=run_examples)


def run_examples(args: argparse.Namespace) -> int:
    """List the programs of the gallery, or copy them with their notebooks."""
    found = dict(_programs())
    if args.folder is None or args.list:
        titles = {name: _title_and_summary(source)[0] for name, source in found.items()}
        if args.json:
            print(json.dumps({"examples": titles}))
            return 0
        width = max(map(len, titles))
        for name, title in titles.items():
            print(f"{name:<{width}}  {title}")
        return 0
    written = _copies(found, Path(args.folder))
    if args.json:
        print(json.dumps({"written": [str(path) for path in written]}))
    else:
        print(f"{len(found)} programs and {len(found)} notebooks in {args.folder}")
    return 0


def _programs() -> Iterator[tuple[str, str]]:
    """Name, ``GROUP/PROGRAM``, and text of each program, of the package or of the checkout around it."""
    package = files("geoctrl")
    folder: Any = package.joinpath("examples")
    if not folder.is_dir():
        folder = Path(str(package)).parent / "docs" / "gallery"
    if not folder.is_dir():
        raise UsageError("this installation has no examples: neither the package nor a checkout around it")
    for group in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if group.is_dir():
            for program in sorted(group.iterdir(), key=lambda entry: entry.name):
                if program.name.startswith("plot_") and program.name.endswith(".py"):
                    name = program.name.removeprefix("plot_").removesuffix(".py")
                    yield f"{group.name}/{name}", program.read_text(encoding="utf-8")


def _copies(found: dict[str, str], folder: Path) -> list[Path]:
    """Files written: nothing if one of them is there already."""
    contents = {folder / f"{name}.py": source for name, source in found.items()}
    contents |= {
        folder / f"{name}.ipynb": json.dumps(notebook(source), indent=1) for name, source in found.items()
    }
    there = [str(path) for path in contents if path.exists()]
    if there:
        raise UsageError(f"{there[0]} exists already; name a folder without it")
    for path, text in contents.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return sorted(contents)


def _title_and_summary(source: str) -> tuple[str, str]:
    """What the docstring of a program says: the title, underlined, and what is below."""
    told = _TITLE.match(source.removeprefix('"""').lstrip().partition('"""')[0])
    if told is None:
        raise UsageError("a program of the gallery begins with a title, underlined, and a summary")
    return told["title"], told["summary"].strip()


def notebook(source: str) -> dict[str, Any]:
    """A program of the gallery as a notebook of format 4.4: what stands behind ``# %%`` is text."""
    title, summary = _title_and_summary(source)
    first, *blocks = source.partition('"""')[2].partition('"""')[2].split("\n# %%\n")
    cells = [_cell("markdown", f"# {title}\n\n{summary}"), _cell("code", first)]
    for block in blocks:
        lines = block.split("\n")
        count = next((k for k, line in enumerate(lines) if not line.startswith("#")), len(lines))
        text = "\n".join(line.removeprefix("#").strip() for line in lines[:count])
        cells += [_cell("markdown", text), _cell("code", "\n".join(lines[count:]))]
    return {
        "cells": [cell for cell in cells if cell["source"]],
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 4,
    }


def _cell(kind: str, text: str) -> dict[str, Any]:
    words = text.strip("\n").replace("``", "`") if kind == "markdown" else text.strip("\n")
    cell: dict[str, Any] = {"cell_type": kind, "metadata": {}, "source": words.splitlines(keepends=True)}
    return cell if kind == "markdown" else cell | {"execution_count": None, "outputs": []}
