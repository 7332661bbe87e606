"""The commands over ranges ``NAME=A:B``: a verdict over a box, a map over two axes, a branch."""

from __future__ import annotations

import argparse
from typing import Any

from geoctrl.cli.reading.arguments import (
    UsageError,
    family_of,
    family_symbols,
    member,
    numbers,
    parts_and_bounds,
    plant_and_law,
    point_of,
    split,
    system_of,
)
from geoctrl.cli.reading.law_file import is_law_file
from geoctrl.cli.reading.text import file_line, plain, show

__all__ = ["add_follow", "add_map", "certify_over_box"]


def _range(text: str, option: str) -> tuple[str, tuple[float, float]]:
    name, _, span = text.partition("=")
    try:
        low, high = (float(part) for part in span.split(":"))
    except ValueError:
        raise UsageError(f"{option} takes NAME=A:B with two numbers, got {text!r}") from None
    return name.strip(), (low, high)


def certify_over_box(args: argparse.Namespace) -> int:
    """Decide the stability of the members of a family over a box of constants, by one verdict."""
    import geoctrl

    over = parts_and_bounds(args.over, "--over")
    if is_law_file(args.model) and (saved := plant_and_law(args)[0].saved) and saved.rate is not None:
        raise UsageError(
            f"{args.model} is held at {saved.rate:g} Hz, and a box is asked of a law that is not; "
            "save it without --rate"
        )
    system, point = point_of(args)
    found = geoctrl.certify(system, point, over=over, progress=not args.json)
    if args.out:
        found.to_json(args.out)
    against = found.counterexample
    data = {
        "model": args.model,
        "verdict": found.verdict.value,
        "claim": found.claim,
        "reason": found.reason,
        "over": {k: [str(end) for end in side] for k, side in found.over.items()},
        **found.evidence,
        "counterexample": None
        if against is None
        else {"verdict": against.verdict.value, "claim": against.claim},
        "file": args.out,
    }
    show(args, data, f"{plain(found)}{file_line(args.out)}")
    return 0


def add_map(command: argparse.ArgumentParser) -> None:
    """The options of ``map`` besides those that name a mechanism."""
    for name, words in (("--x", "first axis"), ("--y", "second axis")):
        command.add_argument(
            name, metavar="NAME=A:B", required=True, help=f"{words}: a parameter or a symbol of the family"
        )
    command.add_argument("--depth", type=int, default=9, metavar="N", help="halvings of an axis (default 9)")
    command.add_argument(
        "--by", choices=["signs", "forms"], default="signs", help="what decides a cell (default signs)"
    )
    command.add_argument("--out", metavar="FILE", help="draw the map (PNG, PDF, SVG)")
    command.add_argument("--certificate", metavar="FILE", help="write the map for geoctrl verify (JSON)")
    command.add_argument("--keep", metavar="FOLDER", help="keep what is done, and go on from there")
    command.set_defaults(run=_map)


def _map(args: argparse.Namespace) -> int:
    """Prove a family stable or unstable over cells of two axes, in axes that do not follow the spin where
    only there its members are equilibria.
    """
    import geoctrl

    system = system_of(args)
    symbols = family_symbols(args.model, system.families, family_of(args, system.families))
    given = [_range(args.x, "--x"), _range(args.y, "--y")]
    if given[0][0] == given[1][0]:
        raise UsageError(f"--x and --y are both {given[0][0]}")
    params, values, _ = split(numbers(args.set, "--set"), list(system.params), symbols)
    asked: dict[str, Any] = {
        "axes": dict(given),
        "depth": args.depth,
        "params": {**params, **values},
        "progress": not args.json,
        "out": args.keep,
        "by": args.by,
    }
    try:
        found = geoctrl.certify_region(system, args.at, **asked)
    except geoctrl.EquilibriumError:
        if not system.recorded or system.mechanism.symmetry is None:
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


def add_follow(command: argparse.ArgumentParser) -> None:
    """The options of ``follow`` besides those that name a mechanism."""
    command.add_argument(
        "--along", metavar="NAME=A:B", required=True, help="a state, a symbol of the family or a parameter"
    )
    command.add_argument("--fixed", nargs="+", default=[], metavar="NAME", help="states or symbols to hold")
    command.add_argument("--points", type=int, default=61, metavar="N", help="points over it (default 61)")
    command.add_argument("--certify", action="store_true", help="ask for a certificate of each point")
    command.add_argument("--out", metavar="FILE", help="draw the branch (PNG, PDF, SVG)")
    command.add_argument("--file", metavar="FILE", help="write points, changes and certificates (JSON)")
    command.set_defaults(run=_follow)


def _follow(args: argparse.Namespace) -> int:
    """Follow a member of a family; a symbol that is gone along begins in the middle of the span."""
    import geoctrl

    system = system_of(args)
    symbols = family_symbols(args.model, system.families, family_of(args, system.families))
    along, span = _range(args.along, "--along")
    params, values, _ = split(numbers(args.set, "--set"), list(system.params), symbols)
    for names, given in ((symbols, values), (tuple(system.params), params)):
        if along in names:
            given.setdefault(along, (span[0] + span[1]) / 2)
    system, point = member(system, args.at, params, values)
    branch = geoctrl.follow(
        system, point, along, span, fixed=args.fixed, points=args.points, certify=args.certify,
        progress=not args.json,
    )  # fmt: skip
    if args.file:
        branch.to_json(args.file)
    if args.out:
        branch.plot().figure.savefig(args.out)
    data: dict[str, Any] = branch.to_dict()
    data["changes"] = [{k: v for k, v in row.items() if k != "certificates"} for row in data["changes"]]
    data |= {"model": args.model, "family": args.at, "file": args.file, "picture": args.out}
    show(args, data, f"{branch!r}{file_line(args.file)}".replace("<", "").replace(">", ""))
    return 0
