"""The command that follows a family of equilibria, and draws it."""

from __future__ import annotations

import argparse
from typing import Any

from geoctrl.cli.arguments import UsageError, family_symbols, member, numbers, split, system_of
from geoctrl.cli.text import file_line, show

__all__ = ["add_follow"]


def add_follow(command: argparse.ArgumentParser) -> None:
    """The options of the command besides those that name a mechanism."""
    command.add_argument(
        "--along", metavar="NAME=A:B", required=True, help="a state, a symbol of the family or a parameter"
    )
    command.add_argument("--fixed", nargs="+", default=[], metavar="NAME", help="states or symbols to hold")
    command.add_argument("--points", type=int, default=61, metavar="N", help="points over it (default 61)")
    command.add_argument("--out", metavar="FILE", help="draw the branch (PNG, PDF, SVG)")
    command.add_argument("--file", metavar="FILE", help="write points, changes and certificates (JSON)")
    command.set_defaults(run=run_follow)


def _parameter_range(text: str) -> tuple[str, tuple[float, float]]:
    name, _, span = text.partition("=")
    try:
        low, high = (float(part) for part in span.split(":"))
    except ValueError:
        raise UsageError(f"--along takes NAME=A:B with two numbers, got {text!r}") from None
    return name.strip(), (low, high)


def run_follow(args: argparse.Namespace) -> int:
    """Follow a member of a family; a symbol that is gone along begins in the middle of the span."""
    import geoctrl

    system = system_of(args)
    symbols = family_symbols(args.model, system.families, args.at)
    along, span = _parameter_range(args.along)
    params, values, _ = split(numbers(args.set, "--set"), list(system.params), symbols)
    for names, given in ((symbols, values), (tuple(system.params), params)):
        if along in names:
            given.setdefault(along, (span[0] + span[1]) / 2)
    system, point = member(system, args.at, params, values)
    branch = geoctrl.follow(
        system, point, along, span, fixed=args.fixed, points=args.points, progress=not args.json
    )
    if args.file:
        branch.to_json(args.file)
    if args.out:
        branch.plot().figure.savefig(args.out)
    data: dict[str, Any] = branch.to_dict()
    data["changes"] = [{k: v for k, v in row.items() if k != "certificates"} for row in data["changes"]]
    data |= {"model": args.model, "family": args.at, "file": args.file, "picture": args.out}
    show(args, data, f"{branch!r}{file_line(args.file)}".replace("<", "").replace(">", ""))
    return 0
