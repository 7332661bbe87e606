"""The command that proves a map of stability over two axes, and draws it."""

from __future__ import annotations

import argparse
from typing import Any

from geoctrl.cli.arguments import UsageError, family_symbols, numbers, split, system_of
from geoctrl.cli.text import file_line, show

__all__ = ["add_map", "run_map"]


def add_map(command: argparse.ArgumentParser) -> None:
    """The options of the command besides those that name a mechanism."""
    for name, words in (("--x", "first axis"), ("--y", "second axis")):
        command.add_argument(
            name, metavar="NAME=A:B", required=True, help=f"{words}: a parameter or a symbol of the family"
        )
    command.add_argument("--depth", type=int, default=9, metavar="N", help="halvings of an axis (default 9)")
    command.add_argument("--out", metavar="FILE", help="draw the map (PNG, PDF, SVG)")
    command.add_argument("--certificate", metavar="FILE", help="write the map for geoctrl verify (JSON)")
    command.add_argument("--keep", metavar="FOLDER", help="keep what is done, and go on from there")
    command.set_defaults(run=run_map)


def _axis(text: str, option: str) -> tuple[str, tuple[float, float]]:
    name, _, span = text.partition("=")
    try:
        low, high = (float(part) for part in span.split(":"))
    except ValueError:
        raise UsageError(f"{option} takes NAME=A:B with two numbers, got {text!r}") from None
    return name.strip(), (low, high)


def run_map(args: argparse.Namespace) -> int:
    """Prove a family stable or unstable over cells of two axes, in axes that do not follow the spin where
    only there its members are equilibria.
    """
    import geoctrl

    system = system_of(args)
    symbols = family_symbols(args.model, system.families, args.at)
    given = [_axis(args.x, "--x"), _axis(args.y, "--y")]
    if given[0][0] == given[1][0]:
        raise UsageError(f"--x and --y are both {given[0][0]}")
    params, values, _ = split(numbers(args.set, "--set"), list(system.params), symbols)
    asked: dict[str, Any] = {
        "axes": dict(given),
        "depth": args.depth,
        "params": {**params, **values},
        "progress": not args.json,
        "out": args.keep,
    }
    try:
        found = geoctrl.certify_region(system, args.at, **asked)
    except geoctrl.EquilibriumError:
        if system.mechanism.symmetry is None:
            raise
        found = geoctrl.certify_region(system.despun(), args.at, **asked)
    if args.certificate:
        found.to_json(args.certificate)
    if args.out:
        found.plot().figure.savefig(args.out)
    parts = {k: getattr(found, k) for k in ("stable", "unstable", "spectrum", "undecided")}
    data = {
        "model": args.model,
        "family": args.at,
        "axes": {k: list(side) for k, side in found.axes.items()},
        "cells": len(found.cells),
        **parts,
        "claim": found.claim,
        "file": args.certificate,
        "picture": args.out,
    }
    shares = ", ".join(f"{100 * v:.4g} % {k}" for k, v in parts.items())
    show(args, data, f"{found.claim}\n  {len(found.cells)} cells: {shares}{file_line(args.certificate)}")
    return 0
