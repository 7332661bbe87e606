"""The command that proves from which states motions stay near a point, or come back to it."""

from __future__ import annotations

import argparse
import math
from typing import Any

from geoctrl.cli.reading.arguments import UsageError, bounds, plant_and_law, point_of
from geoctrl.cli.reading.law_file import is_law_file
from geoctrl.cli.reading.text import file_line, show

__all__ = ["add_region"]

_SECONDS = 60.0


def add_region(command: argparse.ArgumentParser) -> None:
    """The options of ``region`` besides those that name a system."""
    command.add_argument(
        "--seconds", type=float, default=_SECONDS, metavar="S", help="time for the search (default 60)"
    )
    command.add_argument("--by", choices=("slopes", "energy", "squares"), help="this kind of set alone")
    command.add_argument(
        "--degree",
        type=int,
        choices=(2, 4, 6, 8),
        help="of the function, of a set by squares: a higher one has larger sets, and takes longer",
    )
    command.add_argument(
        "--limit",
        nargs="+",
        action="extend",
        default=[],
        metavar="NAME=MOST",
        help="inputs that stay within bounds in the set (default: those of the law)",
    )
    command.add_argument("--out", metavar="FILE", help="write the set for geoctrl verify (JSON)")
    command.set_defaults(run=_region)


def _most_to_both_sides(label: str, low: float, high: float) -> float:
    """What an input may have to both sides: a set bounds its size, at whichever value it rests."""
    if not min(-low, high) > 0:
        raise UsageError(
            f"a set bounds the size of {label}, and cannot keep it in [{low:g}, {high:g}], to one side: give "
            f"--limit {label}=MOST, a bound of its size alone"
        )
    return min(-low, high)


def _region(args: argparse.Namespace) -> int:
    """Prove a set about a point, of a law that was saved about its point in the loop."""
    import geoctrl

    asked = bounds(args.limit, "--limit")
    if is_law_file(args.model) and not args.set and not args.at:
        model, _, _, law = plant_and_law(args)
        system, point = law.closed_loop(), law.equilibrium
        own = model.saved.limits if model.saved is not None else {}
        asked = {label: (pair[0], pair[1]) for label, pair in own.items()} | asked
    else:
        system, point = point_of(args)
    if system.input_labels:
        raise UsageError(
            f"{args.model} has inputs, {', '.join(system.input_labels)}: a region is that of a loop; design "
            f"a law by geoctrl lqr {args.model} --save law.json, and give law.json"
        )
    limits = {label: _most_to_both_sides(label, *pair) for label, pair in asked.items()}
    found = geoctrl.region_of_attraction(
        system,
        point,
        limits=limits or None,
        by=args.by,
        degree=args.degree,
        seconds=args.seconds,
        progress=not args.json,
    )
    if args.out:
        found.to_json(args.out)
    data: dict[str, Any] = {
        "model": args.model,
        "verdict": found.verdict.value,
        "claim": found.claim,
        "lyapunov": found.lyapunov,
        "level": float(found.level),
        "tends": found.tends,
        "levels": list(found.levels),
        "extent": {label: list(map(float, ends)) for label, ends in found.extent.items()},
        "reason": found.reason,
        "file": args.out,
    }
    show(args, data, f"{_told_of(found, system)}{file_line(args.out)}")
    return 0


def _told_of(found: Any, system: Any) -> str:
    """A set in words: what is proved, within which states it lies, what has its value at the point there,
    which outputs are limited; the claim, and why it is no larger.
    """
    units, labels = system.told_units, [*found.data["problem"]["states"]]
    anchors = {labels[i]: (system.state_labels[i], float(q)) for i, q in found.angles.items()}
    tends = f", and tend to {found.tends}" if found.tends else ""
    lines = [found.verdict.value, f"  motions that begin in the set stay in it{tends}; it lies within"]
    for label, (low, high) in found.extent.items():
        name, away = anchors.get(label, (label, 0.0))
        ends, unit = [low + away, high + away], units.get(name, "")
        if unit == "rad":
            ends, unit = [math.degrees(e) for e in ends], "deg"
        lines.append(f"    {name} from {ends[0]:.5g} to {ends[1]:.5g} {unit}".rstrip())
    for name in found.levels:
        lines.append(f"  of starts for which {name} has its value at the point")
    for name, most in found.limits.items():
        lines.append(
            f"  in which {name} is at most {most:g} {units.get(name, '')}".rstrip() + " to both sides"
        )
    lines.append(f"  {found.claim}")
    return "\n".join([*lines, f"  {found.reason}"] if found.reason else lines)
